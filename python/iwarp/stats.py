# SPDX-License-Identifier: GPL-2.0-only
"""Means with 95 % confidence intervals by Student's t, and whether two of them differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean of ``n`` values and half the width of its confidence interval (NaN for one value)."""

    mean: float
    half: float
    n: int

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def estimate(values: Iterable[float]) -> Estimate:
    """Return the mean of the values that are numbers, with its interval."""
    data = np.asarray([v for v in values if v is not None and not math.isnan(v)], dtype=float)
    n = len(data)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    if n == 1:
        return Estimate(float(data[0]), math.nan, 1)
    if np.ptp(data) == 0:
        return Estimate(float(data[0]), 0.0, n)
    return Estimate(float(data.mean()), float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * stats.sem(data)), n)


def overlap(a: Estimate, b: Estimate) -> bool | None:
    """Return whether the intervals share a value; None where a single run gives no interval."""
    if math.isnan(a.half) or math.isnan(b.half):
        return None
    return a.low <= b.high and b.low <= a.high


def summarize(frame: pd.DataFrame, factors: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Return one row a configuration: its factors, ``runs``, and ``<metric>`` with ``<metric>_ci95``.

    Only rows that ended well count; ``failed`` says how many did not.
    """
    rows = []
    for values, group in frame.groupby(list(factors), sort=True, dropna=False):
        good = group[group["status"] == "ok"]
        row = dict(zip(factors, values, strict=True))
        row |= {"runs": len(good), "failed": len(group) - len(good)}
        for metric in metrics:
            found = estimate(good[metric]) if metric in good else Estimate(math.nan, math.nan, 0)
            row[metric], row[f"{metric}_ci95"] = found.mean, found.half
        rows.append(row)
    summary = pd.DataFrame.from_records(rows)
    units = frame.attrs.get("units", {})
    summary.attrs["units"] = {c: u for c in summary for u in [units.get(c.removesuffix("_ci95"))] if u}
    return summary


def cell(row: pd.Series, metric: str) -> Estimate:
    """Return one metric of a row of summarize() as an Estimate."""
    return Estimate(float(row[metric]), float(row[f"{metric}_ci95"]), int(row["runs"]))
