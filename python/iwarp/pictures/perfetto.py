# SPDX-License-Identifier: GPL-2.0-only
"""Chrome's trace-event JSON, which Perfetto and chrome://tracing open: lanes of messages, FPDUs and traced events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .captures import Tables
from .traces import Trace


def write(path: Path, tables: Tables | None, traces: Sequence[Trace] = ()) -> None:
    """Write all lanes to a file."""
    events = [*(_of_tables(tables) if tables else ()), *_of_traces(traces, tables.start_ns if tables else 0)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))


def _named(kind: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": f"{kind}_name", "pid": pid, "tid": tid, "args": {"name": name}}


def _complete(name: str, pid: int, tid: int, begin_ns: float, end_ns: float, **args: Any) -> dict[str, Any]:
    """Return an event that lasts; the format counts microseconds."""
    span = {"ph": "X", "ts": begin_ns / 1000, "dur": max(end_ns - begin_ns, 0) / 1000}
    return {"name": name, "pid": pid, "tid": tid, **span, "args": args}


def _of_tables(tables: Tables) -> Iterator[dict[str, Any]]:
    """Return a process a connection and place, with threads for messages and FPDUs of either direction.

    Slices of one thread may only nest, so that each kind has as many threads as run at a time.
    """
    for pid, place in enumerate(tables.connections.itertuples(), 1):
        yield _named("process", pid, 0, f"{place.connection} at {place.file}")
        tid = 0
        for kind, table in (("messages", tables.messages), ("FPDUs", tables.fpdus)):
            here = table[(table["connection"] == place.connection) & (table["file"] == place.file)]
            for direction, rows in here.groupby("direction"):
                lanes: list[int] = []
                for row in rows.sort_values("first_ns", kind="stable").itertuples():
                    lane = next((k for k, end in enumerate(lanes) if end <= row.first_ns), len(lanes))
                    if lane == len(lanes):
                        lanes.append(0)
                        yield _named("thread", pid, tid + lane + 1, f"{direction} {kind}")
                    lanes[lane] = row.placed_ns
                    yield _slice(kind, row, pid, tid + lane + 1)
                tid += len(lanes)


def _slice(kind: str, row: Any, pid: int, tid: int) -> dict[str, Any]:
    if kind == "messages":
        return _complete(row.name, pid, tid, row.first_ns, row.placed_ns, octets=int(row.message_octets),
                         fpdus=int(row.fpdus), begin=int(row.begin))  # fmt: skip
    return _complete(row.fate, pid, tid, row.first_ns, row.placed_ns, carries=row.name, begin=int(row.begin),
                     octets=int(row.size_octets), delivered_us=row.delivered_ns / 1000)  # fmt: skip


def _of_traces(traces: Sequence[Trace], start_ns: int) -> Iterator[dict[str, Any]]:
    """Return a process a trace: counters of values, and slices or marks of events, a thread a host and first text."""
    for pid, trace in enumerate(traces, 10001):
        yield _named("process", pid, 0, f"{trace.name} ({trace.source})")
        texts = [name for name in trace.columns() if not pd.api.types.is_numeric_dtype(trace.rows[name].dtype)]
        threads: dict[str, int] = {}
        for row in trace.rows.to_dict("records"):
            begin = row.get("begin_ns", row["time_ns"]) - start_ns
            if trace.kind == "value":
                where = " ".join(filter(None, (row["host"], row["connection"])))
                values = {name: float(row[name]) for name in trace.columns() if name not in texts}
                name = f"{trace.name} {where}".strip()
                yield {"ph": "C", "name": name, "pid": pid, "ts": begin / 1000, "args": values}
                continue
            lane = f"{row['host']} {row[texts[0]]}" if texts else str(row["host"])
            if lane not in threads:
                threads[lane] = len(threads) + 1
                yield _named("thread", pid, threads[lane], lane)
            args = {name: str(row[name]) for name in trace.columns()}
            end = row.get("end_ns", row["time_ns"]) - start_ns
            yield _complete(str(row[texts[-1]]) if texts else trace.name, pid, threads[lane], begin, end, **args)
