# SPDX-License-Identifier: GPL-2.0-only
"""Traces of a run as tables: asked for by name, taken down in C++, written as files of columns, read as DataFrames.

The files are written in the run's own process, from the memory in which C++ has collected the columns; a row is never
an object of Python's.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import IwarpError, UsageError
from . import library

if TYPE_CHECKING:
    import numpy
    import pandas
    import pyarrow

INDEX = "traces.json"  #: what a directory of traces lists them in
FORMATS = ("parquet", "csv")
VERSION = 1  #: of what INDEX holds
_TYPES = {"bool": "u1", "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8", "double": "f8", "string": "i4"}


@dataclass(frozen=True)
class Traces:
    """Which traces of a run to take down, and how.

    @param names short names (``cwnd``), ``standard``, or trace sources by qualified name (``MpaStream.Passed``); behind
        a value's name may stand ``:every=10us``.
    @param rows most rows of a table; those beyond are counted.
    @param nodes names or IDs of nodes; all, if there are none.
    @param connections such as ``10.0.0.1:49153-10.0.1.1:5001``, or an end of it with or without its port; all, if there
        are none.
    @param format of the files, ``parquet`` or ``csv``.
    """

    names: Sequence[str] | str
    rows: int = 1_000_000
    nodes: Sequence[str | int] = ()
    connections: Sequence[str] = ()
    format: str = "parquet"

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise UsageError(f"trace_rows={self.rows} is out of range: at least 1")
        if self.format not in FORMATS:
            raise UsageError(f'traces are written as {" or ".join(FORMATS)}, not "{self.format}"')

    def options(self) -> list[tuple[str, str]]:
        """Return names and values as the C interface takes them."""
        names = [self.names] if isinstance(self.names, str) else list(self.names)
        options = [("rows", str(self.rows))]
        options += [("node", str(node)) for node in self.nodes]
        options += [("connection", connection) for connection in self.connections]
        return options + [("trace", name) for name in names]


class Request:
    """Traces asked for of the next run in this process; raises UsageError on a name that there is not."""

    def __init__(self, traces: Traces):
        self.format = traces.format
        self._library = library.load()
        texts = [library.encode(text) for option in traces.options() for text in option]
        self.handle = self._library.iwarp_traces_open((ctypes.c_char_p * len(texts))(*texts), len(texts))
        if wrong := self._library.iwarp_traces_error(self.handle).decode(errors="replace"):
            self.close()
            raise UsageError(f"trace: {wrong}")

    @property
    def helper(self) -> int:
        """The address of the IwarpTraceHelper."""
        return self._library.iwarp_traces_helper(self.handle)

    def close(self) -> None:
        self._library.iwarp_traces_close(self.handle)

    def write(self, directory: Path, settings: Mapping[str, Any]) -> None:
        """Write what the run has left, each table a file, and INDEX behind them all."""
        directory.mkdir(parents=True, exist_ok=True)
        tables = json.loads(self._library.iwarp_traces_tables(self.handle))
        entries = []
        for number, table in enumerate(tables):
            file = f"{table['name']}.{self.format}"
            _write(self._table(number, table), directory / file)
            entries.append({"name": table["name"], "source": table["source"], "kind": table["kind"], "file": file,
                            "rows": table["rows"], "left_out": table["left_out"],
                            "columns": table["columns"]})  # fmt: skip
        index = {"version": VERSION, "run": settings, "traces": entries}
        (directory / INDEX).write_text(json.dumps(index, indent=1, default=str) + "\n")

    def _table(self, number: int, table: Mapping[str, Any]) -> pyarrow.Table:
        import pyarrow

        columns = []
        for at, column in enumerate(table["columns"]):
            values = self._values(number, at, column["type"], table["rows"])
            if column["type"] == "string":
                words = json.loads(self._library.iwarp_traces_words(self.handle, number, at))
                columns.append(pyarrow.DictionaryArray.from_arrays(values, pyarrow.array(words, pyarrow.string())))
            else:
                columns.append(pyarrow.array(values.astype(bool) if column["type"] == "bool" else values))
        return pyarrow.table(columns, names=[column["name"] for column in table["columns"]])

    def _values(self, number: int, column: int, kind: str, rows: int) -> numpy.ndarray:
        """Return the memory of a column as an array, without a copy."""
        import numpy as np

        dtype = np.dtype(_TYPES[kind])
        address = self._library.iwarp_traces_cells(self.handle, number, column)
        if not rows:
            return np.empty(0, dtype)
        octets = (ctypes.c_char * (rows * dtype.itemsize)).from_address(address)
        return np.frombuffer(octets, dtype)


def _write(table: pyarrow.Table, path: Path) -> None:
    """Write a table, by the file's name."""
    if path.suffix == ".csv":
        import pyarrow.csv

        pyarrow.csv.write_csv(table, path)
    else:
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)


class TraceTables(Mapping[str, "pandas.DataFrame"]):
    """The tables of a directory of traces by name, each read when it is asked for.

    ``index`` is what ``traces.json`` says of them: columns with units, how many rows were left out.
    """

    def __init__(self, directory: str | Path, keep: object = None):
        """Read a directory; ``keep`` is an object that lives as long as this one, such as what removes it."""
        self._kept = keep
        self.directory = Path(directory)
        try:
            self.index = json.loads((self.directory / INDEX).read_text())
        except FileNotFoundError:
            raise IwarpError(f"{self.directory} holds no {INDEX}: it is no directory of traces") from None
        self._files = {entry["name"]: entry["file"] for entry in self.index["traces"]}

    def __getitem__(self, name: str) -> pandas.DataFrame:
        path = self.directory / self._files[name]
        if path.suffix == ".csv":
            import pandas as pd

            return pd.read_csv(path, keep_default_na=False)
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pandas()

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    @property
    def left_out(self) -> dict[str, int]:
        """Rows that there was no room for, by table, where there are some."""
        return {entry["name"]: entry["left_out"] for entry in self.index["traces"] if entry["left_out"]}


def listed(part: str = "") -> list[dict[str, Any]]:
    """Return the traces there are: those with short names and of the module's classes, or those with ``part`` in their
    names, of all classes; each a dict of name, source, kind, standard, help and columns."""
    return library.ask("iwarp_list_traces", part)
