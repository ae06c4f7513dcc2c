# SPDX-License-Identifier: GPL-2.0-only
"""One run of a sweep, from its parameters to its row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..runs.runner import Child, Limits, Outcome
from .subjects import Subject

Entry = tuple[dict[str, Any], dict[str, str]]  #: a row, the units of its columns


@dataclass(frozen=True)
class Run:
    """One run of a sweep: all its parameters, and the key that its row has in the store."""

    key: str
    params: dict[str, Any]


def begin(subject: Subject, run: Run, limits: Limits) -> Child:
    """Start a run in a process of its own."""
    return Child(lambda: subject.execute(run.params, limits), limits, subject.own_directory)


def make_row(subject: Subject, run: Run, outcome: Outcome) -> Entry:
    """Return a run's row and the units of its columns; a metric named as a parameter is ``measured_…``."""
    row = {"key": run.key, "code": subject.code, "status": "error" if outcome.status == "usage" else outcome.status}
    message = outcome.message or "; ".join(outcome.cautions)
    message = message.encode(errors="backslashreplace").decode()  # a name of a file may be no text of Unicode
    row |= {"message": message, "wall": round(outcome.wall, 4), **run.params}
    units = {**subject.units(run.params), "wall": "s"}
    for name, value in outcome.metrics.items():
        column = f"measured_{name}" if name in row else name
        row[column] = float(value) if isinstance(value, float) else value
        if unit := getattr(value, "unit", ""):
            units[column] = unit
    return row, units
