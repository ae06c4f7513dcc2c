# SPDX-License-Identifier: GPL-2.0-only
"""Rows of sweeps in files: those of several directories in one, and tables for other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import IwarpError, UsageError

if TYPE_CHECKING:
    import pandas as pd


def merge(directories: Sequence[str | Path], out: str | Path) -> pd.DataFrame:
    """Join the rows of several directories in ``out``, and return all that it then holds.

    Of two rows of one run, the one that ended well is kept. What a study needs to go on is taken along, where all are
    of the same one.
    """
    from .store import OtherUnit, Store

    if not directories:
        raise UsageError("there is nothing to merge: give the directories of the parts")
    asked = [path.read_text() for d in directories if (path := Path(d) / "study.json").exists()]
    with Store(out) as joined:
        for directory in map(Path, directories):
            if directory.resolve() == Path(out).resolve():
                continue
            for row, units in _rows(directory):
                if not joined.has_result(row["key"]):
                    try:
                        joined.add(row, units)
                    except OtherUnit as error:
                        raise IwarpError(f"{directory} does not go with the others: {error}") from None
        if not len(joined):
            raise UsageError(f"there is nothing to merge: {', '.join(map(str, directories))} have no run yet")
        if asked and len({_of_study(text) for text in asked}) == 1 and not (Path(out) / "study.json").exists():
            (Path(out) / "study.json").write_text(asked[0])
        return joined.frame()


def export(source: str | Path | pd.DataFrame, file: str | Path) -> None:
    """Write the rows of a sweep, or of its directory, as the end of the file's name says.

    ``.csv`` has units in the headings, ``goodput [bit/s]``; ``.jsonl`` an object a line, with null for what is missing
    and "inf" or "-inf" for what is infinite; ``.parquet`` units in the
    schema's metadata under ``iwarp``.
    """
    from .store import write_parquet

    file = Path(file)
    writers: dict[str, Callable[[pd.DataFrame], None]] = {
        ".csv": lambda frame: headed(frame, frame.attrs.get("units", {})).to_csv(file, index=False),
        ".jsonl": lambda frame: file.write_text("".join(map(_line, frame.to_dict("records")))),
        ".parquet": lambda frame: write_parquet(frame, file),
    }
    if file.suffix not in writers:
        raise UsageError(f"{file}: the name's end says how to write it, and is one of {', '.join(writers)}")
    frame = read(source) if isinstance(source, (str, Path)) else source
    try:
        writers[file.suffix](frame)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None


def read(directory: str | Path) -> pd.DataFrame:
    """Return all rows of a directory of results."""
    from .store import Store

    _existing(Path(directory))
    with Store(directory) as store:
        return store.frame()


def _rows(directory: Path) -> list[tuple[dict, dict[str, str]]]:
    from .store import Store

    _existing(directory)
    with Store(directory) as store:
        return list(store.entries())


def _existing(directory: Path) -> None:
    if not any((directory / name).exists() for name in ("runs.parquet", "runs.journal", "arrived")):
        raise UsageError(f"{directory} holds no results: it has no runs.parquet")


def _of_study(text: str) -> tuple[str, str, str]:
    saved = json.loads(text)
    return saved["study"], json.dumps(saved["grids"]), str(saved["runs"])


def headed(frame: pd.DataFrame, units: Mapping[str, str]) -> pd.DataFrame:
    """Return a table whose headings have the units of their columns, as ``goodput [bit/s]``."""
    return frame.rename(columns={name: f"{name} [{units[name]}]" for name in frame if units.get(name)})


def _line(row: dict) -> str:
    return json.dumps({name: _in_json(value) for name, value in row.items()}, allow_nan=False) + "\n"


def _in_json(value: Any) -> Any:
    """Return a value as JSON can carry it, which knows neither infinite numbers nor NaN."""
    from .store import is_missing

    if is_missing(value):
        return None
    return str(float(value)) if isinstance(value, float) and math.isinf(value) else value
