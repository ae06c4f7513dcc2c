# SPDX-License-Identifier: GPL-2.0-only
"""Several alternatives compared with each other at once, so that the best and the worst of them may be named.

The extremes of many equal alternatives always differ: whoever picks them has looked at every pair. The differences of
all pairs are therefore tested together by the greatest paired t (Westfall and Young 1993, single step). Its
distribution is that of alternatives exchanged at random inside each run, which is exact if they are equal, whatever
the shape of the values, and keeps what the alternatives of a run have in common.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .stats import CONFIDENCE, LEVEL

_EXCHANGES = 1999
_ROUNDED = 1e-12  #: relative spread that rounding makes


@dataclass(frozen=True)
class Difference:
    """The mean paired difference of two alternatives: simultaneous 95 % interval and p over all pairs."""

    mean: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        return self.p < LEVEL


@dataclass(frozen=True)
class Selection:
    """Alternatives by runs, of which any two may be compared: ``values`` has a row a run, a column an alternative.

    ``lacking`` has in how many of the runs an alternative has no value; these runs are left out.
    """

    values: pd.DataFrame
    lacking: Mapping[Hashable, int] = field(default_factory=dict)

    @functools.cached_property
    def _greatest(self) -> np.ndarray:
        """Return the greatest paired t of all pairs, of alternatives that are exchanged at random in each run."""
        data, rng = self.values.to_numpy(dtype=float), np.random.default_rng(1)
        exchanged = rng.permuted(np.broadcast_to(data, (_EXCHANGES, *data.shape)), axis=2)
        first, second = np.triu_indices(data.shape[1], 1)
        return np.sort(np.abs(_studentized(exchanged[:, :, first] - exchanged[:, :, second])[0]).max(axis=1))

    def difference(self, one: Hashable, other: Hashable) -> Difference:
        """Return how much more one alternative has than another, as one of all pairs; NaN of less than two runs."""
        data = self.values
        if len(data) < 2:
            mean = float((data[one] - data[other]).mean()) if len(data) else np.nan
            return Difference(mean, np.nan, np.nan, np.nan)
        (t,), (mean,), (error,) = _studentized((data[one] - data[other]).to_numpy(dtype=float)[None, :, None])
        p = (1 + int((self._greatest >= abs(t[0]) * (1 - _ROUNDED)).sum())) / (1 + _EXCHANGES)
        half = float(np.quantile(self._greatest, CONFIDENCE, method="higher") * error[0]) if error[0] else 0.0
        return Difference(float(mean[0]), float(mean[0]) - half, float(mean[0]) + half, p)

    def extremes(self) -> tuple[Hashable, Hashable]:
        """Return the alternatives with the least and with the greatest mean."""
        means = self.values.mean()
        return means.idxmin(), means.idxmax()


def select(frame: pd.DataFrame, alternative: str, metric: str) -> Selection:
    """Return the alternatives of a metric by ``run``."""
    values = frame.pivot_table(index="run", columns=alternative, values=metric, sort=False, dropna=False)
    missing = values.isna().sum()
    return Selection(values.dropna(), missing[missing > 0].to_dict())


def _studentized(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return t, mean and standard error over the runs, which are axis 1; t is inf where all differ by the same."""
    runs = differences.shape[1]
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(runs)
    error = np.where(error <= _ROUNDED * np.abs(mean), 0.0, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    return t, mean, error
