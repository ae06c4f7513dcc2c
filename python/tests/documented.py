# SPDX-License-Identifier: GPL-2.0-only
"""The figures that the documentation states of studies (doc/tables/study-figures.csv), for tests that repeat them.

With another ``seed`` than the documented one, figures are compared as two samples: each as wide as is stated.
"""

import csv
import math
from pathlib import Path

import iwarp
from scipy import stats

TABLE = Path(__file__).resolve().parents[2] / "doc" / "tables" / "study-figures.csv"
SURE = 0.99  #: of two samples that are said to differ

seed = 1  #: of ns-3, as all figures of the documentation have
compared: list[tuple[str, float, float, float]] = []  #: figure, stated, found with another seed, most between them


def rows() -> list[dict[str, str]]:
    """Return the lines of the table."""
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


def figures() -> dict[str, tuple[float, float]]:
    """Return value and half of the interval of each figure."""
    return {row["figure"]: (float(row["value"]), float(row["±"])) for row in rows()}


def sweep(grid, runs):
    """Run a grid, or several, with the seed."""
    grids = [grid] if isinstance(grid, dict) else grid
    found = iwarp.sweep([{**one, "seed": seed} for one in grids], runs=runs)
    assert (found["status"] == "ok").all()
    return found


def tolerance(figure: str) -> float:
    """Return how far two samples as large as that of a figure may be apart, with 99 % (Student's t)."""
    (row,) = (row for row in rows() if row["figure"] == figure)
    free = max(1, int(row["runs"]) - 1)
    wider = stats.t.ppf((1 + SURE) / 2, 2 * free) / stats.t.ppf(0.975, free)
    return math.sqrt(2) * wider * float(row["±"])


def check(figure: str, value: float, half: float = 0.0) -> None:
    """Assert that what was measured, ± ``half``, meets the interval that is stated; with another seed, its sample."""
    stated, interval = figures()[figure]
    if seed != 1:
        compared.append((figure, stated, value, tolerance(figure) + half))
        return
    assert abs(value - stated) <= interval + half, f"{figure}: {value} ± {half}, stated is {stated} ± {interval}"


def differing() -> list[str]:
    """Return which of the figures that were compared differ."""
    return [f"{f}: {new:.4g}, stated is {old:.4g}" for f, old, new, most in compared if abs(new - old) > most]
