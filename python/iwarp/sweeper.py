# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps: a grid of parameters and seeds becomes rows in a store, a forked process a run."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pandas as pd
from . import scenario
from .errors import UsageError
from .progress import Progress
from .runner import MEMORY, TIMEOUT, Child, Outcome
from .schema import resolve
from .store import Store


@dataclass(frozen=True)
class Run:
    """One run of a sweep: all its parameters, and the key that its row has in the store."""

    key: str
    params: dict[str, Any]


def combinations(grid: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """Yield each combination of values of a grid, or of several grids one after the other."""
    for part in [grid] if isinstance(grid, Mapping) else grid:
        lists = [list(v) if _is_list(v) else [v] for v in part.values()]
        for values in itertools.product(*lists):
            yield dict(zip(part, values, strict=True))


def plan(grid: Mapping[str, Any] | Sequence[Mapping[str, Any]], runs: int) -> list[Run]:
    """Return the runs of a grid, each configuration checked, before anything runs."""
    backend = scenario.backend()
    if runs < 1:
        raise UsageError(f"runs={runs} is out of range: at least 1")
    planned: dict[str, Run] = {}
    for combination in combinations(grid):
        backend.params.canonical(combination)  # names first
        if runs > 1 and "run" in combination:
            raise UsageError('"run" counts the replications: leave it out of the grid, or ask for one run')
        base = resolve(combination, backend.params)
        backend.check(base)
        for replication in [base["run"]] if runs == 1 else range(1, runs + 1):
            params = {**base, "run": replication}
            text = json.dumps({"code": backend.code_id, "params": params}, sort_keys=True)
            key = hashlib.sha256(text.encode()).hexdigest()[:20]
            if params.get("pcap"):
                params["pcap"] += f"-{key}"  # runs side by side write no file of another's
            planned[key] = Run(key, params)
    if not planned:
        raise UsageError("the grid holds no combination: give each parameter at least one value")
    return list(planned.values())


def execute(
    runs: Sequence[Run],
    store: Store,
    *,
    jobs: int | None = None,
    timeout: float = TIMEOUT,
    memory: int = MEMORY,
    title: str = "sweep",
) -> None:
    """Run what the store lacks, ``jobs`` at a time, and add a row for each as it ends."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs={jobs} is out of range: at least 1")
    waiting = [run for run in runs if not store.has_result(run.key)]
    if not waiting:
        return
    jobs = min(jobs or len(os.sched_getaffinity(0)), len(waiting))
    waiting.reverse()
    active: dict[Any, tuple[Child, Run]] = {}
    progress = Progress(title, len(runs), len(runs) - len(waiting))
    try:
        while waiting or active:
            while waiting and len(active) < jobs:
                run = waiting.pop()
                child = Child(run.params, timeout, memory)
                active[child.sentinel] = (child, run)
            patience = max(0.0, min(child.seconds_left for child, _ in active.values()))
            ready = wait(list(active), patience)
            ready += [s for s, (child, _) in active.items() if s not in ready and child.seconds_left <= 0]
            for sentinel in ready:
                child, run = active[sentinel]
                outcome = child.outcome()
                del active[sentinel]
                store.add(*_row(run, outcome))
                progress.update(failed=outcome.status != "ok")
    finally:
        for child, _ in active.values():
            child.kill()
        progress.close()


def run_sweep(
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    runs: int = 1,
    jobs: int | None = None,
    out: str | Path | None = None,
    timeout: float = TIMEOUT,
    memory: int = MEMORY,
) -> pd.DataFrame:
    """Plan, run what is missing, and return the rows of this grid (see iwarp.sweep)."""
    planned = plan(grid, runs)
    with Store(out) as store:
        execute(planned, store, jobs=jobs, timeout=timeout, memory=memory)
        return store.frame(run.key for run in planned)


def _row(run: Run, outcome: Outcome) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a run's row and the units of its columns; a metric named as a parameter is ``measured_…``."""
    backend = scenario.backend()
    row = {"key": run.key, "code": backend.code_id, "status": "error" if outcome.status == "usage" else outcome.status}
    row |= {"message": outcome.message or "; ".join(outcome.cautions), "wall": round(outcome.wall, 4), **run.params}
    units = {name: backend.params[name].unit for name in run.params if backend.params[name].unit} | {"wall": "s"}
    for name, value in outcome.metrics.items():
        column = f"measured_{name}" if name in row else name
        row[column] = float(value)
        units[column] = value.unit
    return row, units


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
