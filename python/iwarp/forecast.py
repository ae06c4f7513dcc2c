# SPDX-License-Identifier: GPL-2.0-only
"""About how long runs will take, from a few of them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from .progress import duration
from .runner import Limits
from .runs import Run, begin
from .subjects import ScenarioSubject

SAMPLE = 12  #: runs that are tried
BUDGET = 10.0  #: seconds that this may take


@dataclass(frozen=True)
class Forecast:
    """What a sweep would be: its runs, its processes, the seconds that those tried took, and how many were too long."""

    runs: int
    jobs: int
    tried: Sequence[float]
    cut_short: int

    @property
    def seconds(self) -> float:
        """Return how long it would take; less than that where a run was cut short."""
        every = [*self.tried, *[BUDGET] * self.cut_short]
        return sum(every) / len(every) * self.runs / self.jobs if every else 0.0

    def __str__(self) -> str:
        about = "at least " if self.cut_short else "about "
        return (
            f"{self.runs} runs, {about}{duration(self.seconds)} with {self.jobs} processes "
            f"(by {len(self.tried) + self.cut_short} of the runs)"
        )


def forecast(runs: Sequence[Run], jobs: int | None = None) -> Forecast:
    """Try some of the runs, one behind the other and evenly over all of them, and keep nothing of what they find."""
    jobs = min(jobs or len(os.sched_getaffinity(0)), len(runs)) or 1
    number = min(SAMPLE, len(runs))
    sample = [runs[(2 * i + 1) * len(runs) // (2 * number)] for i in range(number)]
    subject = ScenarioSubject()
    tried: list[float] = []
    cut_short = 0
    end = time.monotonic() + BUDGET
    for run in sample:
        left = end - time.monotonic()
        if left <= 0:
            break
        quiet = Run(run.key, {**run.params, "pcap": ""} if "pcap" in run.params else run.params)
        child = begin(subject, quiet, Limits(seconds=left))
        try:
            wait([child.sentinel], left)
        except BaseException:
            child.kill()
            raise
        outcome = child.outcome()
        if outcome.status == "timeout":
            cut_short += 1
        else:
            tried.append(outcome.wall)
    return Forecast(len(runs), jobs, tried, cut_short)
