# SPDX-License-Identifier: GPL-2.0-only
"""The figures that the documentation states of studies (doc/tables/study-figures.csv), for tests that repeat them."""

import csv
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "doc" / "tables" / "study-figures.csv"


def figures() -> dict[str, tuple[float, float]]:
    """Return value and half of the interval of each figure."""
    with TABLE.open(newline="") as file:
        return {row["figure"]: (float(row["value"]), float(row["±"])) for row in csv.DictReader(file)}


def check(figure: str, value: float, half: float = 0.0) -> None:
    """Assert that what was measured, ± ``half``, meets the interval that is stated."""
    stated, interval = figures()[figure]
    assert abs(value - stated) <= interval + half, f"{figure}: {value} ± {half}, stated is {stated} ± {interval}"
