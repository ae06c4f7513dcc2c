# SPDX-License-Identifier: GPL-2.0-only
"""How many runs a study needs to see its smallest effects of interest, by how runs of a pilot differed.

``pilot.csv`` has a line for each primary comparison: how far its effect, pooled over configurations, differed from run
to run (standard deviation), in how many runs of the quick preset, and by which library. It is made of a finished
study by ``python/tests/pilot.py``, and looked after by ``nightly_pilot.py``.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from ..analysis.primary import POOLED, Pooled, Primary
from ..analysis.stats import count_runs

FILE = "pilot.csv"
COLUMNS = ("study", "comparison", "spread", "effect is", "runs", "library")


@dataclass(frozen=True)
class Pilot:
    """How the pooled effect of a primary comparison differed over the runs of a pilot."""

    spread: float
    relative: bool
    runs: int
    library: str

    def needs(self, pooled: Pooled, family: int) -> int | None:
        """Return the runs that it takes to see the smallest effect of interest with a chance of 80 %, at the level that
        Holm's correction has for the least of ``family`` comparisons; None where none is declared.
        """
        effect = pooled.whole.of_interest
        if math.isnan(effect) or pooled.whole.relative != self.relative:
            return None
        return count_runs(self.spread, effect, POOLED / family)


def name_of(primary: Primary) -> str:
    """Name a primary comparison among those of a study."""
    contrast = primary.contrast
    return f"{primary.metric}: {contrast.treatment_name} against {contrast.baseline_name}, {primary.over}"


@functools.cache
def _stored() -> dict[tuple[str, str], Pilot]:
    path = resources.files(__package__) / FILE
    if not path.is_file():
        return {}
    rows = csv.DictReader(path.read_text().splitlines())
    return {
        (row["study"], row["comparison"]): Pilot(
            float(row["spread"]), row["effect is"] == "ratio", int(row["runs"]), row["library"]
        )
        for row in rows
    }


def find(study: str, primary: Primary) -> Pilot | None:
    """Return what the pilot of a study says of a primary comparison, if there is one."""
    return _stored().get((study, name_of(primary)))


def runs_needed(study: str, pooled: Pooled) -> int | None:
    """Return how many runs a primary comparison needs, by its pilot."""
    pilot = find(study, pooled.primary)
    return pilot.needs(pooled, pooled.family) if pilot else None


def too_few(study: str, primaries: Sequence[Pooled]) -> list[str]:
    """Say which primary comparisons have less runs than they need."""
    lacking = [(p, n) for p in primaries if (n := runs_needed(study, p)) and n > p.whole.test.n]
    return [
        f"To see the smallest effect of interest of {p.primary.contrast.treatment_name} on {p.primary.what} "
        f"{p.primary.over} with a chance of 80 % takes {n:,} runs, by a pilot; there are {p.whole.test.n}. An effect "
        "of that size may go unseen."
        for p, n in lacking
    ]
