# SPDX-License-Identifier: GPL-2.0-only
"""Results on disk: ``runs.parquet``, and a journal that keeps what came since it was written.

A row reaches the journal, and the disk, before the next run starts; the Parquet file is written
anew, and put in place in one step, every so often and at the end. Whatever kills the process,
the next one reads both.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import IwarpError, UsageError
from .plan import Plan

_META = b"iwarp"
_READERS = {"b": lambda text: text == "True", "i": int, "f": float, "s": str}  #: of values kept as text, by their kind
_locks: set[int] = set()  #: descriptors that a forked run must not keep locked when its parent dies


def _drop_locks() -> None:
    for lock in _locks:
        os.close(lock)
    _locks.clear()


os.register_at_fork(after_in_child=_drop_locks)


class OtherUnit(IwarpError):
    """A row has a column in another unit than the rows before it."""


class Store:
    """Rows by key in a directory, or in memory where there is none; one process at a time."""

    CONSOLIDATE = 500  #: rows in the journal that make it worth writing the Parquet file anew

    def __init__(self, directory: Path | str | None = None):
        self._rows: dict[str, dict[str, Any]] = {}
        self.units: dict[str, str] = {}
        self._bare: set[str] = set()  # columns of numbers that have no unit
        self._journal = None
        self._pending = 0
        self._lock: int | None = None
        if directory is None:
            self._parquet = self._journal_path = self._arrivals = None
            return
        if not str(directory):
            raise UsageError("the name of the directory for results is empty")
        directory = Path(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{directory} cannot be made a directory for results: {error.strerror}") from None
        self._parquet = directory / "runs.parquet"
        self._journal_path = directory / "runs.journal"
        self._arrivals = directory / "arrived"
        self._lock = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise IwarpError(f"another sweep is writing to {directory}: wait for it or choose another --out") from None
        _locks.add(self._lock)
        self._read()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except OSError:
            if error is None:  # else what went wrong first is told, as it was the same disk, most likely
                raise

    def __len__(self) -> int:
        return len(self._rows)

    def has_result(self, key: str) -> bool:
        """Return whether a run with this key has ended well; a failed one is worth another try."""
        return self._rows.get(key, {}).get("status") == "ok"

    def add(self, row: dict[str, Any], units: dict[str, str]) -> None:
        """Keep a row (its ``key`` says whose), in place of an earlier one of the same key.

        A column has one unit: a row with another raises OtherUnit.
        """
        self._compare_units(row, units)
        new_units = {name: unit for name, unit in units.items() if self.units.get(name) != unit}
        self._take(row, new_units)
        if self._journal_path is None:
            return
        try:
            if self._journal is None:
                self._journal = self._journal_path.open("a")
            self._journal.write(json.dumps({"row": row, "units": new_units}) + "\n")
            self._journal.flush()
            os.fsync(self._journal.fileno())
        except OSError as error:
            raise IwarpError(
                f"{self._journal_path} cannot be written: {error.strerror}; the runs before are kept"
            ) from None
        (self._arrivals / f"{row['key']}.json").unlink(missing_ok=True)
        self._pending += 1
        if self._pending >= self.CONSOLIDATE:
            self.consolidate()

    def announce(self, plan: Plan) -> None:
        """Let those who look at the directory know what is to run."""
        if self._parquet is not None:
            plan.write(self._parquet.parent)

    def open_arrivals(self) -> Path | None:
        """Return the directory in which workers that see it leave a file for each run, should nobody hear of it."""
        if self._arrivals is not None:
            self._arrivals.mkdir(exist_ok=True)
        return self._arrivals and self._arrivals.resolve()

    def frame(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        """Return the rows, all or those of ``keys`` in that order; units are in ``attrs``."""
        rows = self._rows.values() if keys is None else (self._rows[k] for k in keys if k in self._rows)
        frame = _without_gaps(pd.DataFrame.from_records(list(rows)))
        frame.attrs["units"] = dict(self.units)
        return frame

    def arrange(self, keys: Iterable[str]) -> None:
        """Put the rows of these keys first, in that order: runs end in another one than a table has."""
        ordered = {key: self._rows[key] for key in keys if key in self._rows}
        if list(ordered) != list(self._rows)[: len(ordered)]:
            self._rows = ordered | self._rows
            self._pending += 1

    def entries(self) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
        """Yield each row, as add() takes it, with the units of its columns."""
        for row in self._rows.values():
            yield row, {name: self.units[name] for name in row if name in self.units}

    def consolidate(self) -> None:
        """Write everything to the Parquet file, then forget the journal."""
        if self._parquet is None or not self._rows:
            return
        write_parquet(self.frame(), self._parquet)
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._journal_path.unlink(missing_ok=True)
        self._pending = 0

    def close(self) -> None:
        try:
            if self._pending:
                self.consolidate()
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            _locks.discard(self._lock)
            os.close(self._lock)
            self._lock = None
            with contextlib.suppress(OSError):  # none, or a worker still leaves something
                self._arrivals.rmdir()

    def _compare_units(self, row: Mapping[str, Any], units: Mapping[str, str]) -> None:
        """Raise OtherUnit where a column is in another unit than before; 0 and what is missing have any."""
        for name, value in row.items():
            unit, before = units.get(name, ""), self.units.get(name, "")
            if unit != before and _counts(value) and (before or name in self._bare):
                units_of_both = f"was in {before or 'no unit'} and is now in {unit or 'no unit'}"
                raise OtherUnit(f"{name} {units_of_both}: take another directory (--out) for these runs")

    def _take(self, row: dict[str, Any], units: dict[str, str]) -> None:
        self._rows[row["key"]] = row
        self.units.update(units)
        self._bare.update(name for name, value in row.items() if name not in self.units and _counts(value))

    def _read(self) -> None:
        if self._parquet.exists():
            frame = read_parquet(self._parquet)
            self.units.update(frame.attrs["units"])
            empty = set(frame.columns[frame.isna().all()])  # measured as None in each run
            for record in frame.to_dict("records"):
                self._take({n: v for n, v in record.items() if n in empty or not is_missing(v)}, {})
        if self._journal_path.exists():
            for row, units in _read_journal(self._journal_path):
                self._take(row, units)
            self.consolidate()
            self._journal_path.unlink(missing_ok=True)  # with no row in it, it may end in half a line
        for path in sorted(self._arrivals.glob("*.json")):
            if (entry := _entry(path.read_text(errors="replace"))) is None:
                continue
            try:
                self.add(*entry)
            except OtherUnit:  # it is told when the run is made again
                path.unlink(missing_ok=True)


def glance(directory: Path) -> pd.DataFrame:
    """Return the rows that are in a directory, whoever writes to it meanwhile; units are in ``attrs``.

    The journal is read first: it is emptied only after the Parquet file has its rows.
    """
    found: dict[str, dict[str, Any]] = {}
    units: dict[str, str] = {}
    with contextlib.suppress(FileNotFoundError):
        for row, new_units in _read_journal(directory / "runs.journal"):
            found[row["key"]] = row
            units.update(new_units)
    newer = pd.DataFrame.from_records(list(found.values()))
    if (directory / "runs.parquet").exists():
        older = read_parquet(directory / "runs.parquet")
        units = {**older.attrs["units"], **units}
        older.attrs = {}
        newer = pd.concat([older[~older["key"].isin(list(found))], newer], ignore_index=True) if found else older
    newer = _without_gaps(newer)
    newer.attrs["units"] = units
    return newer


def _without_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in which columns of objects have one form of what is missing, None, read again or not."""
    objects = {name: frame[name].where(frame[name].notna(), None) for name in frame.columns[frame.dtypes == object]}
    return frame.assign(**objects) if objects else frame


def _read_journal(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Yield the rows of a journal with the units of their columns."""
    for line in path.read_text(errors="replace").split("\n"):
        if (entry := _entry(line)) is not None:
            yield entry


def _entry(text: str) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Return the row and the units in a line of a journal; None of one that a kill cut short, or that is no row."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    row, units = (found.get(name) if isinstance(found, dict) else None for name in ("row", "units"))
    if not (isinstance(row, dict) and isinstance(units, dict)):
        return None
    return (row, units) if all(isinstance(row.get(name), str) for name in ("key", "status")) else None


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame with its units, in place of the file there in one step."""
    whole, kinds = _in_one_type(frame)
    table = pa.Table.from_pandas(whole, preserve_index=False)
    ours = {"units": frame.attrs.get("units", {})} | ({"kinds": kinds} if kinds else {})
    meta = {**(table.schema.metadata or {}), _META: json.dumps(ours).encode()}
    temporary = path.with_name(path.name + ".new")
    pq.write_table(table.replace_schema_metadata(meta), temporary)
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def _in_one_type(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a frame in which a column of values of several types, as a function's parameter may have, is text.

    Beside it, for each such column, a letter a row for the kind of its value, so that it can be read again.
    """
    kinds: dict[str, str] = {}
    for name in frame.columns[frame.dtypes == object]:
        found = [_kind(value) for value in frame[name]]
        if len(set(found) - {"-"}) > 1 or not _fits(frame[name]):
            texts = [None if k == "-" else _as_text(v, k) for k, v in zip(found, frame[name], strict=True)]
            frame = frame.assign(**{name: pd.array(texts, dtype="str")})
            kinds[name] = "".join(found)
    return frame, kinds


def _fits(column: pd.Series) -> bool:
    """Tell whether values of one kind fit a type of Arrow's: whole numbers may be too far apart."""
    with contextlib.suppress(OverflowError, pa.ArrowException):
        return pa.array(column, from_pandas=True) is not None
    return False


def _kind(value: Any) -> str:
    if is_missing(value):
        return "-"
    kinds = ((bool, "b"), (int, "i"), (float, "f"))
    return next((kind for type_, kind in kinds if isinstance(value, type_)), "s")


def _as_text(value: Any, kind: str) -> str:
    return repr(float(value)) if kind == "f" else str(value)  # a Quantity's own text is rounded


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a frame that write_parquet() wrote; units are in ``attrs``."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise IwarpError(f"{path} cannot be read as Parquet ({error}): move it away to begin anew") from None
    frame = table.to_pandas()
    if not {"key", "status"} <= set(frame.columns):
        raise IwarpError(f"{path} is no table of runs, which has columns key and status: move it away to begin anew")
    ours = json.loads((table.schema.metadata or {}).get(_META, b"{}"))
    for name, kinds in ours.get("kinds", {}).items():
        if name in frame and len(kinds) == len(frame):
            values = [None if k == "-" else _READERS[k](v) for k, v in zip(kinds, frame[name], strict=True)]
            frame[name] = pd.Series(values, dtype=object, index=frame.index)
    frame.attrs = {"units": ours.get("units", {})}
    return frame


def is_missing(value: Any) -> bool:
    """Tell whether a cell of a table has no value."""
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def _counts(value: Any) -> bool:
    """Tell whether a value is a number for which a unit matters."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value and value != 0
