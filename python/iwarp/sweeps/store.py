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
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import IwarpError, UsageError
from .plan import Plan

_META = b"iwarp"
_locks: set[int] = set()  #: descriptors that a forked run must not keep locked when its parent dies


def _drop_locks() -> None:
    for lock in _locks:
        os.close(lock)
    _locks.clear()


os.register_at_fork(after_in_child=_drop_locks)


class Store:
    """Rows by key in a directory, or in memory where there is none; one process at a time."""

    CONSOLIDATE = 500  #: rows in the journal that make it worth writing the Parquet file anew

    def __init__(self, directory: Path | str | None = None):
        self._rows: dict[str, dict[str, Any]] = {}
        self.units: dict[str, str] = {}
        self._journal = None
        self._pending = 0
        self._lock: int | None = None
        if directory is None:
            self._parquet = self._journal_path = self._arrivals = None
            return
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
        """Keep a row (its ``key`` says whose), in place of an earlier one of the same key."""
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
        frame = pd.DataFrame.from_records(list(rows))
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

    def _take(self, row: dict[str, Any], units: dict[str, str]) -> None:
        self._rows[row["key"]] = row
        self.units.update(units)

    def _read(self) -> None:
        if self._parquet.exists():
            frame = read_parquet(self._parquet)
            self.units.update(frame.attrs["units"])
            empty = set(frame.columns[frame.isna().all()])  # measured as None in each run
            for record in frame.to_dict("records"):
                row = {n: None if n in empty else v for n, v in record.items() if n in empty or not _missing(v)}
                self._rows[row["key"]] = row
        if self._journal_path.exists():
            for row, units in _read_journal(self._journal_path):
                self._take(row, units)
            self.consolidate()
            self._journal_path.unlink(missing_ok=True)  # with no row in it, it may end in half a line
        for path in sorted(self._arrivals.glob("*.json")):
            entry = json.loads(path.read_text())
            self.add(entry["row"], entry["units"])


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
    newer.attrs["units"] = units
    return newer


def _read_journal(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Yield the rows of a journal with the units of their columns."""
    for line in path.read_text().splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # the line that is being written, or that a kill cut short
            entry = json.loads(line)
            yield entry["row"], entry["units"]


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame with its units, in place of the file there in one step."""
    table = pa.Table.from_pandas(_in_one_type(frame), preserve_index=False)
    meta = {**(table.schema.metadata or {}), _META: json.dumps({"units": frame.attrs.get("units", {})}).encode()}
    temporary = path.with_name(path.name + ".new")
    pq.write_table(table.replace_schema_metadata(meta), temporary)
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def _in_one_type(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in which a column of numbers and text, as a function's parameter may have, is text."""
    for name in frame.columns[frame.dtypes == object]:
        if len({type(value) for value in frame[name] if not _missing(value)}) > 1:
            frame = frame.assign(**{name: [None if _missing(v) else str(v) for v in frame[name]]})
    return frame


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a frame that write_parquet() wrote; units are in ``attrs``."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise IwarpError(f"{path} cannot be read as Parquet ({error}): move it away to begin anew") from None
    frame = table.to_pandas()
    meta = (table.schema.metadata or {}).get(_META, b"{}")
    frame.attrs = {"units": json.loads(meta).get("units", {})}
    return frame


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)
