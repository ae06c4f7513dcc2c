# SPDX-License-Identifier: GPL-2.0-only
"""About how long runs will take, from a few of them."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from ..runs.runner import Limits
from .progress import duration
from .run import Run, begin
from .subjects import FILES, ScenarioSubject

SAMPLE = 12  #: runs that are tried, about
BUDGET = 10.0  #: seconds that this may take
#: parameters of which more is more work: a run's grows about as their product
WORK = ("flows", "octets", "perf_qp", "perf_iterations", "incast_senders")


@dataclass(frozen=True)
class Part:
    """Runs of about as much work: seconds of a processor of those tried, and as reckoned of one that took too long."""

    runs: int
    tried: Sequence[float]
    reckoned: Sequence[float]

    @property
    def seconds(self) -> float:
        """Return how long a run takes."""
        every = [*self.tried, *self.reckoned]
        return sum(every) / len(every)


@dataclass(frozen=True)
class Forecast:
    """What a sweep would be: its runs, its processes, what was found of its parts, and whether it may take longer."""

    runs: int
    jobs: int
    parts: Sequence[Part]
    at_least: bool

    @property
    def seconds(self) -> float:
        """Return how long it would take."""
        return sum(part.runs * part.seconds for part in self.parts) / self.jobs

    def __str__(self) -> str:
        by = f"by {sum(len(part.tried) for part in self.parts)} of the runs"
        if any(part.reckoned for part in self.parts):
            by += ", larger ones by their size"
        about = "at least" if self.at_least else "about"
        return f"{self.runs} runs, {about} {duration(self.seconds)} with {self.jobs} processes ({by})"


def work(run: Run) -> float:
    """Return what a run's time goes about with, of runs that differ in nothing else."""
    return math.prod(max(float(run.params.get(name) or 1), 1) for name in WORK)


def split(runs: Sequence[Run]) -> list[Sequence[Run]]:
    """Return the runs in parts, least work first, each about half of the one before: a few runs may be most of it."""
    ordered = sorted(runs, key=work)
    parts = []
    while ordered:
        size = (len(ordered) + 1) // 2
        parts.append(ordered[:size])
        ordered = ordered[size:]
    return parts


def forecast(runs: Sequence[Run], jobs: int | None = None) -> Forecast:
    """Try some of the runs, one behind the other and evenly over each part, and keep nothing of what they find."""
    jobs = min(jobs or len(os.sched_getaffinity(0)), len(runs)) or 1
    subject = ScenarioSubject()
    end = time.monotonic() + BUDGET
    rate = 0.0  # seconds for work, of the largest run so far
    at_least = False
    parts = []
    for part in split(runs):
        number = min(len(part), max(1, round(SAMPLE * len(part) / len(runs))))
        tried: list[float] = []
        reckoned: list[float] = []
        for i in range(number):
            run = part[(2 * i + 1) * len(part) // (2 * number)]
            left = end - time.monotonic()
            took, whole = _try(subject, run, left) if left > 0 else (0.0, False)
            if whole:
                tried.append(took)
                rate = took / work(run)
                continue
            if took > rate * work(run):  # nothing smaller tells how much longer it takes
                rate = took / work(run)
                at_least = True
            reckoned.append(rate * work(run))
            break
        parts.append(Part(len(part), tried, reckoned))
    return Forecast(len(runs), jobs, parts, at_least)


def _try(subject: ScenarioSubject, run: Run, seconds: float) -> tuple[float, bool]:
    """Return how long a processor had a run, beside whatever else, and whether it came to its end."""
    quiet = Run(run.key, {**run.params, **{name: "" for name in FILES if name in run.params}})
    child = begin(subject, quiet, Limits(seconds=seconds))
    try:
        wait([child.sentinel], seconds)
    except BaseException:
        child.kill()
        raise
    outcome = child.outcome()
    return (seconds, False) if outcome.status == "timeout" else (outcome.processor or outcome.wall, True)
