# SPDX-License-Identifier: GPL-2.0-only
"""A directory of traces, as a run writes it: ``traces.json`` and a file a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import UsageError
from ..runs.traces import INDEX, VERSION, TraceTables

_FIRST = ("time_ns", "node", "host", "connection")  #: columns that every table begins with


@dataclass(frozen=True)
class Trace:
    """A table of what one source told: ``kind`` is ``value``, which holds until the next row, or ``event``."""

    name: str
    source: str
    kind: str
    rows: pd.DataFrame
    units: dict[str, str]  #: by column
    help: dict[str, str]  #: by column
    left_out: int = 0  #: rows that the run has not kept

    def columns(self) -> list[str]:
        """Return the source's own columns."""
        return [name for name in self.rows.columns if name not in (*_FIRST, "begin_ns", "end_ns")]


def is_traces(directory: Path) -> bool:
    """Tell whether a directory has traces."""
    return (directory / INDEX).is_file()


def read_traces(directory: Path) -> list[Trace]:
    """Read all tables of a directory, Parquet or CSV; raise UsageError if it is none."""
    index = directory / INDEX
    try:
        tables = TraceTables(directory)
        if tables.index["version"] != VERSION:
            raise UsageError(f"{index}: version {tables.index['version']} is not known")
        return [_describe(entry, tables[entry["name"]]) for entry in tables.index["traces"]]
    except OSError as error:
        raise UsageError(f"{error.filename or index}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{index} is no index of traces: {type(error).__name__} {error}") from None


def _describe(entry: dict[str, Any], rows: pd.DataFrame) -> Trace:
    described = {column["name"]: column for column in entry["columns"]}
    return Trace(
        entry["name"], entry["source"], entry["kind"], rows,
        {name: column.get("unit", "") for name, column in described.items()},
        {name: column.get("help", "") for name, column in described.items()}, entry.get("left_out", 0),
    )  # fmt: skip
