# SPDX-License-Identifier: GPL-2.0-only
"""How far a sweep in a directory is and what it has found, as plain values for a page."""

from __future__ import annotations

import functools
import math
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis.stats import group
from ..errors import UsageError, did_you_mean
from ..parameters.quantity import Quantity
from ..runs import scenario
from ..sweeps.plan import APART, Plan
from ..sweeps.progress import duration
from ..sweeps.store import glance, is_missing
from ..sweeps.subjects import FILES, RESERVED
from ..version import program

FIRST = "goodput"  #: metric that is shown first
FAILURES = 20  #: of the runs that failed last, so many are told one by one


class Watched:
    """A directory that a sweep or a study writes to; each method looks at it anew."""

    def __init__(self, directory: Path):
        self.directory = directory
        self._plan()

    def state(self, metric: str | None = None) -> dict[str, Any]:
        """Return how far it is, the mean of a metric with its interval in each configuration, and what failed last.

        Without ``metric`` it is goodput, or the first that was measured. A value that JSON cannot carry is None.
        """
        plan, frame = self._look()
        metrics = _metrics(frame, plan)
        chosen = metric or (FIRST if FIRST in metrics else next(iter(metrics), None))
        if metric and metric not in metrics:
            raise UsageError(f'no run has measured "{metric}"{did_you_mean(metric, metrics)}')
        done = int((frame["status"] == "ok").sum()) if len(frame) else 0
        failed = len(frame) - done
        units = frame.attrs["units"]
        return {
            "title": plan.title,
            "total": len(plan.keys),
            "done": done,
            "failed": failed,
            "standing": _standing(plan, done, failed),
            "running": plan.is_running is not False and done + failed < len(plan.keys),
            "factors": [{"name": name, "unit": units.get(name, "")} for name in plan.varied],
            "metrics": [{"name": name, "unit": units.get(name, "")} for name in metrics],
            "metric": chosen,
            "points": _points(frame, plan, chosen) if chosen else [],
            "failures": _failures(frame),
        }

    def configuration(self, where: Mapping[str, str]) -> dict[str, Any]:
        """Return what is known of a configuration, given by the texts of the values that tell it apart.

        Its parameters that are not as by default, and of each run its number, how it ended, the commands that
        repeat it and show it, and the files that it left.
        """
        plan, frame = self._look()
        for name in where:
            if name not in plan.varied:
                raise UsageError(f'the sweep does not vary "{name}"')
        chosen = frame
        for name, value in where.items():
            chosen = chosen[chosen[name].map(text) == value]
        if chosen.empty:
            raise UsageError("no run of this configuration has ended")
        first = chosen.iloc[0]
        shown = {name: text(first[name]) for name in _set(first, plan)}
        return {"parameters": shown, "runs": [self._run(row, plan) for _, row in chosen.iterrows()]}

    def _run(self, row: pd.Series, plan: Plan) -> dict[str, Any]:
        found = {
            "number": text(row["run"]) if "run" in row.index else "",
            "status": row["status"],
            "message": row["message"],
            "seconds": float(row["wall"]),
            "files": self._files(row),
        }
        if plan.scenario:
            settings = [_setting(row, name) for name in [*_set(row, plan), "run"]]
            found["commands"] = [shlex.join([program(), verb, *settings]) for verb in ("run", "show")]
        return found

    def _files(self, row: pd.Series) -> list[str]:
        """Return the files of a run: they have its key in their names."""
        places = [self.directory]
        places += [Path(row[name]).parent for name in FILES if row.get(name) and not is_missing(row[name])]
        files = {Path(row["trace_dir"])} if isinstance(row.get("trace_dir"), str) else set()
        files |= {path for place in places if place.is_dir() for path in place.glob(f"*{row['key']}*")}
        return [str(path) for path in sorted(files)]

    def _plan(self) -> Plan:
        return Plan.read(self.directory)

    def _look(self) -> tuple[Plan, pd.DataFrame]:
        plan = self._plan()
        frame = glance(self.directory)
        if not len(frame):
            return plan, frame
        units = frame.attrs["units"]
        frame = frame[frame["key"].isin(plan.keys)]
        frame.attrs["units"] = units
        return plan, frame


def text(value: Any) -> str:
    """Return a value of a parameter, Python's or NumPy's, as a command takes it."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{int(value)}" if value.is_integer() and abs(value) < 1e15 else f"{value!r}"
    return "" if value is None else str(value)


def _metrics(frame: pd.DataFrame, plan: Plan) -> list[str]:
    """Return the names of the columns that runs measured: numbers that are no parameter."""
    known = {*RESERVED, *plan.parameters, *APART}
    return [c for c in frame if c not in known and pd.api.types.is_numeric_dtype(frame[c])]


def _standing(plan: Plan, done: int, failed: int) -> str:
    """Return one line: what is done, what failed, how long yet."""
    ended, total = done + failed, len(plan.keys)
    words = [f"{ended} of {total} runs"] + ([f"{failed} failed"] if failed else [])
    if ended >= total:
        return ", ".join([*words, "at its end"])
    if plan.is_running is False:
        return ", ".join([*words, "nobody runs it: the same command goes on with it"])
    new = ended - plan.done
    if new > 0:
        left = (time.time() - plan.began) * (total - ended) / new
        words.append(f"about {duration(left)} left")
    if plan.is_running is None:
        words.append(f"on {plan.host}")
    return ", ".join(words)


def _points(frame: pd.DataFrame, plan: Plan, metric: str) -> list[dict[str, Any]]:
    """Return each configuration that has a run: where it is, and the metric's mean with the ends of its interval."""
    factors = plan.varied or ["code"]
    points = []
    for one in group(frame, factors, [metric]):
        found, ends = one.found[metric]
        where = {name: text(value) for name, value in zip(factors, one.values, strict=True) if name in plan.varied}
        points.append(
            {"where": where, "runs": one.runs, "failed": one.failed, "mean": _finite(found.mean),
             "ends": [_finite(end) for end in ends]}
        )  # fmt: skip
    return points


def _failures(frame: pd.DataFrame) -> list[dict[str, str]]:
    if not len(frame):
        return []
    bad = frame[frame["status"] != "ok"].tail(FAILURES)
    return [{"key": row["key"], "status": row["status"], "message": row["message"]} for _, row in bad.iterrows()]


def _set(row: pd.Series, plan: Plan) -> Sequence[str]:
    """Return the parameters of a run that are not as by default; of what is no scenario, all."""
    if not plan.scenario:
        return plan.parameters
    defaults = _defaults()
    return [
        name for name in plan.parameters
        if not is_missing(row[name])
        and (name not in defaults or name in plan.varied or text(row[name]) != text(defaults[name]))
    ]  # fmt: skip


def _setting(row: pd.Series, name: str) -> str:
    return f"{name}={scenario.backend().params[name].to_attribute(row[name])}"


@functools.cache
def _defaults() -> dict[str, Any]:
    return {name: param.default for name, param in scenario.backend().params.items()}


def _finite(value: float | Quantity) -> float | None:
    return float(value) if math.isfinite(value) else None
