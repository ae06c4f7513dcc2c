# SPDX-License-Identifier: GPL-2.0-only
"""Runs of the scenario that leave traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..runs import scenario
from ..runs.runner import Limits, Measured
from ..runs.traces import Traces
from .subjects import ScenarioSubject

PLACE = "trace_dir"  #: column of rows, where a run's traces are


@dataclass(frozen=True, kw_only=True)
class TracedSubject(ScenarioSubject):
    """The scenario, of whose runs some leave traces, each in a directory of its own."""

    traces: Traces
    directory: Path  #: where these are
    runs: Sequence[int] | None = None  #: numbers of the runs that leave some; all for None

    def keep_apart(self, params: dict[str, Any], key: str) -> dict[str, Any]:
        apart = super().keep_apart(params, key)
        chosen = self.runs is None or params.get("run") in self.runs
        return {**apart, PLACE: str(self.directory / key)} if chosen else apart

    def units(self, params: Mapping[str, Any]) -> dict[str, str]:
        return super().units(_without_place(params))

    def execute(self, params: Mapping[str, Any], limits: Limits) -> Measured:
        if PLACE not in params:
            return super().execute(params, limits)
        return scenario.backend().execute_traced(_without_place(params), self.traces, Path(params[PLACE]))


def _without_place(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name != PLACE}
