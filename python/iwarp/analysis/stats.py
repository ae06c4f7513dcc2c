# SPDX-License-Identifier: GPL-2.0-only
"""Means with 95 % confidence intervals, and tests of paired differences: how large, how sure, what could be seen."""

from __future__ import annotations

import functools
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from ..errors import UsageError

CONFIDENCE = 0.95
LEVEL = 1 - CONFIDENCE  #: of each family of tests
POWER = 0.80  #: chance with which a difference as large as the smallest that is spoken of would be seen
_RESAMPLES = 999
_COLUMNS = ("_ci95", "_n", "_low", "_high")  #: what a summary has of a metric beside its mean
_ENDS = re.compile("_(ci95|low|high)$")


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


@dataclass(frozen=True)
class PairedTest:
    """The mean of ``n`` paired differences: interval and p by Student's t, a second interval by bootstrap.

    ``spread`` is the standard deviation of the differences. What ``n`` does not allow is NaN.
    """

    differences: tuple[float, ...]
    mean: float
    low: float
    high: float
    spread: float
    p: float

    @property
    def n(self) -> int:
        return len(self.differences)

    @functools.cached_property
    def bootstrap(self) -> tuple[float, float]:
        """Return the bias-corrected and accelerated bootstrap interval of the mean, the same each time."""
        if not self.spread:
            return self.mean, self.mean
        if self.n < 2:
            return math.nan, math.nan
        found = stats.bootstrap(
            (np.asarray(self.differences),),
            np.mean,
            n_resamples=_RESAMPLES,
            confidence_level=CONFIDENCE,
            rng=np.random.default_rng(1),
        ).confidence_interval
        return float(found.low), float(found.high)

    @property
    def agree(self) -> bool:
        """Return whether the bootstrap's interval has 0 outside."""
        return not self.bootstrap[0] <= 0 <= self.bootstrap[1]


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
    return Estimate(float(data.mean()), float(_quantile(n) * (data.std(ddof=1) / np.sqrt(n))), n)


def is_numeric(values: pd.Series) -> bool:
    """Tell whether all values that there are, if any, are numbers or truth values."""
    return pd.api.types.is_numeric_dtype(values) or all(isinstance(v, numbers.Real) for v in values.dropna())


@functools.cache
def _quantile(n: int) -> float:
    """Return how many standard errors the interval of a mean of n values reaches to either side."""
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))


def interval(values: Iterable[float], least: float = -math.inf, most: float = math.inf) -> tuple[float, float]:
    """Return a 95 % interval that does not leave what is physically possible.

    It is that of Student for the mean, ended at the bounds, which the mean cannot pass either. Of values in two
    clusters it is that of order statistics for the median, which supposes no shape; NaN with less than the six that
    these need.

    @param least, most bounds of the mean
    """
    data = np.sort([v for v in values if v is not None and not math.isnan(v)])
    if len(data) and _has_two_clusters(data):
        rank = int(stats.binom.ppf(LEVEL / 2, len(data), 0.5))  # values outside on either side
        return (float(data[rank - 1]), float(data[-rank])) if rank else (math.nan, math.nan)
    found = estimate(data)
    return max(found.low, min(least, found.mean)), min(found.high, max(most, found.mean))


def _has_two_clusters(data: np.ndarray) -> bool:
    """Tell whether sorted values are two groups of several, with a gap that is several times as wide as they are."""
    gaps = np.diff(data)
    if len(data) < 4:
        return False
    at = int(gaps.argmax()) + 1
    groups = data[:at], data[at:]
    return min(map(len, groups)) > 1 and gaps.max() > 3 * max(float(np.ptp(group)) for group in groups)


def _bounds(good: pd.DataFrame, metric: str, unit: str) -> tuple[float, float]:
    """Return what a metric cannot be below or above: 0, all of a share, and a bound that was measured."""
    values = good[metric].dropna()
    least = 0.0 if (values >= 0).all() else -math.inf
    if unit == "share" and (values <= 1).all():
        return least, 1.0
    most = good[f"{metric}_bound"].max() if f"{metric}_bound" in good else math.nan
    return least, math.inf if math.isnan(most) else float(most)


def paired_test(differences: Sequence[float], certain: bool = False) -> PairedTest:
    """Test whether the mean of paired differences is 0.

    @param differences one a pair, such as the logarithms of ratios; all numbers
    @param certain neither side varies at all, so that a difference that is always the same has an interval of nothing.
        If both were of one distribution, two values could come so by chance, each on one side only: p is 2 / 4ⁿ, what
        that has at most, where each comes half of the time. Otherwise it is that of the sign test
    """
    data = np.asarray(differences, dtype=float)
    n, values = len(data), tuple(data.tolist())
    mean = float(data.mean()) if n else math.nan
    if n < 2:
        return PairedTest(values, mean, math.nan, math.nan, math.nan, math.nan)
    if np.ptp(data) <= 1e-12 * abs(mean):
        if mean == 0 or certain:
            return PairedTest(values, mean, mean, mean, 0.0, 1.0 if mean == 0 else 2 * 0.25**n)
        return PairedTest(values, mean, math.nan, math.nan, 0.0, 2.0 ** (1 - n))
    spread = float(data.std(ddof=1))
    error = spread / math.sqrt(n)
    half = error * _quantile(n)
    p = 2 * float(stats.t.sf(abs(mean) / error, n - 1))
    return PairedTest(values, mean, mean - half, mean + half, spread, p)


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Return p values corrected by Holm for being tested together; NaN stays NaN and is not counted."""
    p = np.asarray(p_values, dtype=float)
    corrected = np.full(len(p), math.nan)
    order = [i for i in np.argsort(p) if not math.isnan(p[i])]
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p[i]))
        corrected[i] = highest
    return corrected


def false_discovery(p_values: Sequence[float]) -> np.ndarray:
    """Return p values corrected by Benjamini and Hochberg (1995), where NaN stays NaN and is not counted.

    Of the differences that are called so at a level, this share at most is expected to be none.
    """
    p = np.asarray(p_values, dtype=float)
    corrected, known = np.full(len(p), math.nan), ~np.isnan(p)
    if known.any():
        corrected[known] = stats.false_discovery_control(p[known])
    return corrected


@dataclass(frozen=True)
class Heterogeneity:
    """How the effects of configurations differ beyond what their runs explain.

    ``tau`` is the standard deviation of true effects, ``share`` (I²) what it has in the variance of the means, ``low``
    and ``high`` the 95 % prediction interval of the effect in a further configuration of the kind. NaN with less than
    three configurations.
    """

    tau: float
    share: float
    low: float
    high: float


def heterogeneity(effects: np.ndarray) -> Heterogeneity:
    """Return how the effects of configurations (rows) differ, from replications (columns) that they have in common.

    Both are random factors of a two-way analysis of variance; the prediction interval is that of Higgins, Thompson and
    Spiegelhalter (2009).
    """
    if effects.ndim != 2 or effects.shape[0] < 3 or effects.shape[1] < 2:
        return Heterogeneity(math.nan, math.nan, math.nan, math.nan)
    k, n = effects.shape
    means, runs = effects.mean(axis=1), effects.mean(axis=0)
    left = effects - means[:, None] - runs[None, :] + effects.mean()
    error = float((left**2).sum()) / ((k - 1) * (n - 1)) / n
    seen = float(means.var(ddof=1))
    true = max(0.0, seen - error)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, k - 2)) * math.sqrt(true + float(runs.var(ddof=1)) / n)
    mean = float(effects.mean())
    return Heterogeneity(math.sqrt(true), true / (true + error) if true else 0.0, mean - half, mean + half)


def detectable(spread: float, n: int, level: float) -> float:
    """Return the smallest mean difference that a two-sided paired t test finds with a chance of 80 %.

    @param spread standard deviation of the differences
    @param n pairs, at least 2
    @param level of the test, corrected for the number of tests if need be
    """
    return spread / math.sqrt(n) * _noncentrality(n, level)


def count_runs(spread: float, effect: float, level: float, most: int = 10_000) -> int:
    """Return how many pairs it takes until a paired t test finds a mean difference with a chance of 80 %.

    @param spread standard deviation of the differences
    @param effect the mean difference, above 0
    @param level of the test, corrected for the number of tests if need be
    @param most pairs, which is returned where it takes more
    """
    low, high = 2, 2
    while high < most and detectable(spread, high, level) > effect:
        low, high = high + 1, min(2 * high, most)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if detectable(spread, middle, level) <= effect else (middle + 1, high)
    return high


@functools.cache
def _noncentrality(n: int, level: float) -> float:
    """Return the mean difference over its standard error at which the test's power is POWER."""
    critical = stats.t.isf(level / 2, n - 1)
    # over the deviations that n differences show: scipy's noncentral t is NaN for few pairs and small levels
    shown = np.sqrt(stats.chi2.ppf((np.arange(4000) + 0.5) / 4000, n - 1) / (n - 1))

    def excess(shift: float) -> float:
        return float(
            np.mean(stats.norm.cdf(shift - critical * shown) + stats.norm.cdf(-shift - critical * shown)) - POWER
        )

    return float(optimize.brentq(excess, 0, 4 * critical + 10))


@dataclass(frozen=True)
class Group:
    """A configuration: the values of its factors, its runs that ended well and that failed, and what they measured.

    ``found`` has the estimate of each metric, and the ends of interval().
    """

    values: tuple[Any, ...]
    runs: int
    failed: int
    found: Mapping[str, tuple[Estimate, tuple[float, float]]]


def group(frame: pd.DataFrame, factors: Sequence[str], metrics: Sequence[str]) -> list[Group]:
    """Return the configurations of a frame; factors and metrics may have any names."""
    units = frame.attrs.get("units", {})
    frame = frame.copy(deep=False)
    frame.attrs = {}  # pandas copies them with every column that is looked at
    groups = []
    for values, rows in frame.groupby(list(factors), sort=True, dropna=False):
        good = rows[rows["status"] == "ok"]
        found = {}
        for metric in metrics:
            mean = estimate(good[metric]) if metric in good else Estimate(math.nan, math.nan, 0)
            known = mean.n > 1
            ends = interval(good[metric], *_bounds(good, metric, units.get(metric, ""))) if known else (math.nan,) * 2
            found[metric] = mean, ends
        groups.append(Group(values, len(good), len(rows) - len(good), found))
    return groups


def beside(metric: str) -> list[str]:
    """Return the columns that a summary has of a metric beside its mean."""
    return [f"{metric}{end}" for end in _COLUMNS]


def summarize(frame: pd.DataFrame, factors: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Return one row a configuration: its factors, ``runs``, and ``<metric>`` with ``<metric>_ci95``.

    ``<metric>_ci95`` is half of Student's interval; ``<metric>_n`` counts the runs that have a value, of which the mean
    is; ``<metric>_low`` and ``<metric>_high`` are the ends of interval(). Only rows that ended well count; ``failed``
    says how many did not. Raises UsageError where two columns would have one name.
    """
    columns = [*factors, "runs", "failed", *(name for m in metrics for name in (m, *beside(m)))]
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise UsageError(f'a summary has a column "{twice[0]}" of its own: give what is called so another name')
    units = frame.attrs.get("units", {})
    rows = []
    for one in group(frame, factors, metrics):
        row = dict(zip(factors, one.values, strict=True)) | {"runs": one.runs, "failed": one.failed}
        for metric, (mean, ends) in one.found.items():
            cells = (mean.mean, mean.half, mean.n, *ends)
            row |= dict(zip((metric, *beside(metric)), cells, strict=True))
        rows.append(row)
    summary = pd.DataFrame.from_records(rows)
    summary.attrs["units"] = {c: u for c in summary for u in [units.get(_ENDS.sub("", c))] if u}
    return summary


def cell(row: pd.Series, metric: str) -> Estimate:
    """Return one metric of a row of summarize() as an Estimate."""
    return Estimate(float(row[metric]), float(row[f"{metric}_ci95"]), int(row[f"{metric}_n"]))
