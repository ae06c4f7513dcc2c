# SPDX-License-Identifier: GPL-2.0-only
"""The figures that the documentation states of studies (doc/tables/study-figures.csv), and when another meets one.

With another seed than the documented one, figures are compared as two samples: each as wide as is stated.
"""

from __future__ import annotations

import csv
import functools
import math
from dataclasses import dataclass
from pathlib import Path

from scipy import stats

TABLE = Path(__file__).resolve().parents[3] / "doc" / "tables" / "study-figures.csv"
SEED = 1  #: of ns-3, as all figures of the documentation have
SURE = 0.99  #: of two samples that are said to differ


@dataclass(frozen=True)
class Figure:
    """A figure as it is stated: ``half`` is half of its 95 % interval over so many runs."""

    name: str
    about: str
    value: float
    half: float
    unit: str
    runs: int
    experiment: str  #: that measures it

    def allowed(self, seed: int) -> float:
        """Return how far from the stated value another may be: its interval, or what two samples may be apart."""
        if seed == SEED:
            return self.half
        free = max(1, self.runs - 1)
        wider = stats.t.ppf((1 + SURE) / 2, 2 * free) / stats.t.ppf(0.975, free)
        return math.sqrt(2) * wider * self.half

    def met_by(self, value: float, seed: int) -> bool:
        """Tell whether a value that was measured agrees with the one that is stated."""
        return abs(value - self.value) <= self.allowed(seed)


@functools.cache
def read() -> dict[str, Figure]:
    """Return the lines of the table by the figures' names."""
    with TABLE.open(newline="") as file:
        return {
            row["figure"]: Figure(
                row["figure"], row["what it is"], float(row["value"]), float(row["±"]), row["unit"], int(row["runs"]),
                row["made again by"],
            )
            for row in csv.DictReader(file)
        }  # fmt: skip
