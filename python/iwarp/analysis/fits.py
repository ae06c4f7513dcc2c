# SPDX-License-Identifier: GPL-2.0-only
"""Straight lines through runs, with what they are worth: intervals, and a test whether runs follow a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
_ROUNDING = 1e-18  #: of the sum of squares


@dataclass(frozen=True)
class Line:
    """y = slope x + intercept; ``_half`` is half the width of a 95 % interval (NaN without runs to spare)."""

    slope: float
    slope_half: float
    intercept: float
    intercept_half: float
    lack: float  #: p of the F test for lack of fit; NaN without replicates or with two levels of x only

    def holds(self, tests: int = 1) -> bool | None:
        """Return whether the runs may follow the line, at 5 % over ``tests`` fits (Bonferroni); None if untested."""
        return None if math.isnan(self.lack) else self.lack >= (1 - CONFIDENCE) / tests

    def agrees(self, other: Line, tests: int = 1) -> bool:
        """Return whether the slopes of two lines may be the same, at 5 % over ``tests`` pairs of lines (Bonferroni)."""
        wider = stats.norm.ppf(1 - (1 - CONFIDENCE) / 2 / tests) / stats.norm.ppf((1 + CONFIDENCE) / 2)
        return abs(other.slope - self.slope) <= wider * math.hypot(self.slope_half, other.slope_half)


def line(x: Sequence[float], y: Sequence[float], weights: Sequence[float] | None = None) -> Line:
    """Fit a line by weighted least squares, and test its lack of fit.

    Errors of the runs count with their spread: intervals are Student's t. The F test compares what the line
    leaves of the levels' means with how runs of one level differ, both weighted.

    @param x of at least two levels and three runs
    @param y what was seen
    @param weights inverses of the variances but for a common factor; all the same by default
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    w = np.ones_like(x) if weights is None else np.asarray(weights, dtype=float)
    design = np.column_stack([x, np.ones_like(x)])
    inverse = np.linalg.inv(design.T @ (w[:, None] * design))
    slope, intercept = inverse @ (design.T @ (w * y))
    left = float(np.sum(w * (y - slope * x - intercept) ** 2))
    if left <= _ROUNDING * np.sum(w * y**2):
        left = 0.0
    spare = len(x) - 2
    halves = stats.t.ppf((1 + CONFIDENCE) / 2, spare) * np.sqrt(left / spare * np.diag(inverse))
    return Line(float(slope), float(halves[0]), float(intercept), float(halves[1]), _lack_of_fit(x, y, w, left))


def _lack_of_fit(x: np.ndarray, y: np.ndarray, w: np.ndarray, left: float) -> float:
    """Return p of the F test; ``left`` is the weighted sum of squares that the line leaves."""
    levels = np.unique(x)
    pure = 0.0
    for level in levels:
        at = x == level
        pure += float(np.sum(w[at] * (y[at] - np.average(y[at], weights=w[at])) ** 2))
    between, within = len(levels) - 2, len(x) - len(levels)
    if between < 1 or within < 1:
        return math.nan
    noise = _ROUNDING * float(np.sum(w * y**2))
    if left - pure <= noise:
        return 1.0
    if pure <= noise:
        return 0.0
    return float(stats.f.sf((left - pure) / between / (pure / within), between, within))
