# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps: configurations and run numbers become rows in a store, a process a run, here or on a cluster."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import os
import re
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..errors import UsageError, did_you_mean, whole_number
from ..runs import scenario
from ..runs.runner import MEMORY, TIMEOUT, Child, Limits
from .plan import Plan, parameters
from .progress import Progress
from .run import Entry, Run, begin, make_row
from .store import Store
from .subjects import RESERVED, ScenarioSubject, Subject
from .until import Until

if TYPE_CHECKING:
    from .cluster import Connection

Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def combinations(grid: Grid) -> Iterable[dict[str, Any]]:
    """Yield each combination of values of a grid, or of several grids one after the other."""
    parts = [grid] if isinstance(grid, Mapping) else grid
    if not _is_list(parts):
        raise UsageError(f"{parts!r} is no grid: give values by parameter name, or a list of such grids")
    for part in parts:
        if not isinstance(part, Mapping):
            raise UsageError(f"{part!r} is no grid: give values by parameter name")
        lists = [list(v) if _is_list(v) else [v] for v in part.values()]
        for values in itertools.product(*lists):
            yield dict(zip(part, values, strict=True))


def plan(grid: Grid, runs: int, subject: Subject | None = None) -> list[Run]:
    """Return the runs of a grid, each configuration checked, before anything runs."""
    whole_number("runs", runs)
    subject = subject or ScenarioSubject()
    configured = configurations(grid, subject, runs > 1)
    return _once(run for base in configured for run in number(subject, base, range(1, runs + 1) if runs > 1 else None))


def configurations(grid: Grid, subject: Subject, replicated: bool) -> list[dict[str, Any]]:
    """Return the parameters of each configuration of a grid, checked, and each once."""
    found: dict[frozenset[tuple[str, bool, Any]], dict[str, Any]] = {}
    for combination in combinations(grid):
        base = subject.configure(combination)
        if replicated and "run" in combination:
            raise UsageError('"run" counts the replications: leave it out of the grid, or ask for one run')
        if replicated and "run" not in base:
            raise UsageError(
                'replications would be alike: let the function have a parameter "run", the number of the run'
            )
        # a truth value is no number here, though Python has True == 1
        other = found.setdefault(frozenset((n, isinstance(v, bool), v) for n, v in base.items()), base)
        if text := next((f"{n}={other[n]!r} and {n}={v!r}" for n, v in base.items() if repr(v) != repr(other[n])), ""):
            raise UsageError(f"{text} are the same: runs of both would have the same random numbers")
    if not found:
        raise UsageError("the grid holds no combination: give each parameter at least one value")
    return list(found.values())


def number(subject: Subject, base: Mapping[str, Any], numbers: Iterable[int] | None) -> list[Run]:
    """Return runs of a configuration with these numbers; or the one that it is, where there are none."""
    found = []
    files = _contents(base)
    for params in [dict(base)] if numbers is None else [{**base, "run": n} for n in numbers]:
        what = {"code": subject.code, "params": params}
        text = json.dumps(what | ({"files": files} if files else {}), sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:20]
        found.append(Run(key, subject.keep_apart(params, key)))
    return found


def _contents(params: Mapping[str, Any]) -> dict[str, str]:
    """Return digests of the files that parameters name, as ``file:PREFIX`` or ``cdf:PATH``, on which runs depend."""
    found = {}
    for value in params.values():
        kind, colon, path = str(value).partition(":")
        if not colon or kind not in ("file", "cdf"):
            continue
        for name in (path, f"{path}-nodes.csv", f"{path}-links.csv"):
            if Path(name).is_file():
                state = Path(name).stat()
                found[name] = _digest(name, state.st_mtime_ns, state.st_size)
    return found


@functools.lru_cache
def _digest(name: str, _changed: int, _octets: int) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()


def execute(
    runs: Sequence[Run],
    store: Store,
    *,
    subject: Subject | None = None,
    jobs: int | None = None,
    cluster: Connection | None = None,
    timeout: float = TIMEOUT,
    memory: float = MEMORY,
    measures: Sequence[str] = (),
    title: str = "sweep",
    settled: Container[str] = (),
) -> None:
    """Run what the store lacks, ``jobs`` at a time or on a cluster, and add a row for each as it ends.

    Runs whose keys are ``settled`` are not tried again, though they failed.

    A first run that ends well without what it ``measures`` is a UsageError: the others would not have it either.
    """
    if jobs is not None:
        whole_number("jobs", jobs)
    subject, limits = subject or ScenarioSubject(), Limits(timeout, memory)
    waiting = [run for run in runs if run.key not in settled and not store.has_result(run.key)]
    store.announce(_plan(title, subject, runs, len(runs) - len(waiting)))
    if not waiting:
        return
    if cluster is None:
        subject.prepare()
        entries = _locally(subject, waiting, jobs or len(os.sched_getaffinity(0)), limits)
    else:
        from .cluster import run_on_cluster

        entries = run_on_cluster(subject, waiting, cluster, limits, store.open_arrivals())
    progress = Progress(title, len(runs), len(runs) - len(waiting))
    with contextlib.closing(progress), contextlib.closing(entries):
        for row, units in entries:
            store.add(row, units)
            progress.update(failed=row["status"] != "ok")
            if row["status"] == "ok":
                _look_for(measures, row)
                measures = ()


def _look_for(measures: Sequence[str], row: Mapping[str, Any]) -> None:
    """Raise UsageError where a row lacks one of these, or has text for it."""
    for metric in measures:
        if metric not in row and f"measured_{metric}" not in row:
            hint = did_you_mean(metric, [name for name in row if name not in RESERVED])
            raise UsageError(
                f'the first run has not measured "{metric}"{hint}: what is asked for has to be in each, as None where '
                "there is none; what has ended is kept"
            )
        if isinstance(row.get(f"measured_{metric}", row.get(metric)), str):
            raise UsageError(f'"{metric}" is text, of which there is no mean; what has ended is kept')


def _plan(title: str, subject: Subject, runs: Sequence[Run], done: int) -> Plan:
    names, varied = parameters(runs)
    is_scenario = isinstance(subject, ScenarioSubject)
    return Plan(title, is_scenario, [run.key for run in runs], varied, names, done, time.time())


def connect(place: Any) -> contextlib.AbstractContextManager[Connection | None]:
    """Return the way to a cluster for execute(), or to none for None; see iwarp.sweep for places."""
    if place is None:
        return contextlib.nullcontext()
    from .cluster import Connection

    return Connection(place)


def _locally(subject: Subject, runs: Sequence[Run], jobs: int, limits: Limits) -> Iterator[Entry]:
    """Run each in a process forked from this one, so many at a time, and yield their rows as they end."""
    waiting = list(reversed(runs))
    active: dict[Any, tuple[Child, Run]] = {}
    try:
        while waiting or active:
            while waiting and len(active) < jobs:
                run = waiting.pop()
                child = begin(subject, run, limits)
                active[child.sentinel] = (child, run)
            patience = min(child.patience for child, _ in active.values())
            ready = wait(list(active), patience)
            ready += [s for s, (child, _) in active.items() if s not in ready and child.seconds_left <= 0]
            for sentinel in ready:
                child, run = active[sentinel]
                outcome = child.outcome()
                del active[sentinel]
                yield make_row(subject, run, outcome)
    finally:
        for child, _ in active.values():
            child.kill()


def run_sweep(
    subject: Subject,
    grid: Grid,
    *,
    runs: int = 1,
    until: Until | None = None,
    shard: str | None = None,
    jobs: int | None = None,
    cluster: Any = None,
    out: str | Path | None = None,
    timeout: float = TIMEOUT,
    memory: float = MEMORY,
    measures: Sequence[str] = (),
) -> pd.DataFrame:
    """Plan, run what is missing, and return the rows of this grid (see iwarp.sweep).

    @param measures names of what the caller wants of each run, told before or after the first one if it is not there
    """
    Limits(timeout, memory)  # refused before there is a directory
    if until is not None and not isinstance(until, Until):
        raise UsageError(f'until={until!r} is none: give iwarp.Until("goodput", relative=0.05)')
    if jobs is not None:
        whole_number("jobs", jobs)
    if out is not None and (Path(out) / "study.json").exists():
        raise UsageError(f"{out} has the results of a study: choose another directory (--out) for the sweep's")
    wanted = measures if until is None else [*measures, until.metric]
    if isinstance(subject, ScenarioSubject):
        check_metrics(wanted)
        wanted = ()
    how = {"subject": subject, "jobs": jobs, "timeout": timeout, "memory": memory, "measures": wanted}
    if until is None:
        planned = part(plan(grid, runs, subject), shard)
        _check_no_parameters(measures, planned)
        with Store(out) as store, connect(cluster) as place:
            execute(planned, store, cluster=place, **how)
            return _frame(store, planned)
    if runs != 1:
        raise UsageError("runs says how many there are, until when they are enough: give one of them")
    asked = part(configurations(grid, subject, True), shard)
    _check_no_parameters(measures, number(subject, asked[0], None))
    with Store(out) as store, connect(cluster) as place:
        replications = [
            number(subject, base, range(1, n + 1)) for base, n in zip(asked, until.first(len(asked)), strict=True)
        ]
        tried: set[str] = set()
        while True:
            planned = _once(itertools.chain.from_iterable(replications))
            execute(planned, store, cluster=place, settled=tried, **how)
            tried |= {run.key for run in planned}
            rows = [store.frame(run.key for run in done) for done in replications]
            more = until.more(rows)
            if not any(more):
                until.tell_of_gaps(rows)
                return _frame(store, planned)
            for base, done, n in zip(asked, replications, more, strict=True):
                done += number(subject, base, range(len(done) + 1, len(done) + n + 1))


def check_metrics(names: Iterable[str]) -> None:
    """Raise UsageError where no run of the scenario can measure one of these, before any has run."""
    known = scenario.backend().metrics
    for name in names:
        metric = name.removeprefix("measured_")
        series = any(metric.startswith(f"{one}_") for one in known)  # one that has the size in its name
        if metric not in known and not series:
            is_param = " (a parameter)" if metric in scenario.backend().params else ""
            raise UsageError(f'no run measures "{name}"{is_param}{did_you_mean(metric, known)}; see iwarp metrics')


def _check_no_parameters(measures: Iterable[str], runs: Sequence[Run]) -> None:
    """Raise UsageError where one of these is what runs are given."""
    for metric in measures:
        if any(metric in run.params for run in runs):
            raise UsageError(
                f'"{metric}" is a parameter, of which there is no mean; what runs measure under that name is '
                f'"measured_{metric}"'
            )


def _frame(store: Store, runs: Sequence[Run]) -> pd.DataFrame:
    """Return the rows of these runs; ``attrs["varied"]`` names the parameters that tell configurations apart."""
    store.arrange(run.key for run in runs)
    frame = store.frame(run.key for run in runs)
    frame.attrs["parameters"], frame.attrs["varied"] = parameters(runs)
    return frame


def part(everything: Sequence[Any], shard: str | None) -> list[Any]:
    """Return what is of a shard: ``2/5`` is the second of five; everything where there is none."""
    if shard is None:
        return list(everything)
    numbers = re.fullmatch(r"([0-9]{1,18})/([0-9]{1,18})", str(shard))
    first, count = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= first <= count:
        raise UsageError(f'shard={shard} is none: "2/5" is the second of five')
    chosen = list(everything)[first - 1 :: count]
    if not chosen:
        raise UsageError(f"shard={shard} is empty: there are {len(everything)} to divide")
    return chosen


def _once(runs: Iterable[Run]) -> list[Run]:
    """Return runs without those that are there already."""
    return list({run.key: run for run in runs}.values())


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
