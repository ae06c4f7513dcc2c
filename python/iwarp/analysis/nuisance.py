# SPDX-License-Identifier: GPL-2.0-only
"""Whether an effect survives factors that nobody asked about, as the size of a queue, which change with the run."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from .stats import CONFIDENCE, LEVEL

Blocks = Mapping[str, Mapping[Hashable, str]]  #: by factor, the level that each run has


@dataclass(frozen=True)
class Effect:
    """The mean effect at one level: 95 % interval and p by Student's t, with the spread inside all levels."""

    mean: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Sensitivity:
    """The effect at each level of a nuisance factor; ``p`` of all levels having the same one (analysis of variance)."""

    factor: str
    levels: Mapping[str, Effect]
    p: float

    @property
    def holds(self) -> bool:
        """Return whether the effect survives every level: it has one sign at all of them, and is shown at each of
        them at 5 %, an intersection-union test (Berger 1982), or the levels are not shown to change it.
        """
        effects = list(self.levels.values())
        alike = all(e.mean * effects[0].mean > 0 for e in effects)
        return alike and (self.p >= LEVEL or all(e.p < LEVEL for e in effects))


def blocks(
    frame: pd.DataFrame, factors: Sequence[str], text: Callable[[str, Any], str] = lambda factor, value: str(value)
) -> dict[str, dict[Hashable, str]]:
    """Return which level of each factor a run has; values that go with the configuration are joined by "or".

    @param text names a factor's value
    """
    return {
        name: {
            run: " or ".join(dict.fromkeys(text(name, value) for value in part))
            for run, part in frame.groupby("run")[name]
        }
        for name in factors
        if name in frame
    }


def sensitivity(differences: Sequence[float], runs: Sequence[Hashable], levels: Blocks) -> list[Sensitivity]:
    """Return how an effect depends on each nuisance factor that has several levels, each in several runs.

    @param differences of pairs of runs, whose numbers are ``runs``
    """
    found = []
    for name, of_run in levels.items():
        data = pd.Series(np.asarray(differences, dtype=float)).groupby([of_run[run] for run in runs], sort=False)
        groups = {str(level): part.to_numpy() for level, part in data}
        if len(groups) > 1 and min(map(len, groups.values())) > 1:
            found.append(_over(name, groups))
    return found


def _over(factor: str, groups: Mapping[str, np.ndarray]) -> Sensitivity:
    number = sum(len(values) for values in groups.values())
    left = number - len(groups)
    inside = math.sqrt(sum(float(((values - values.mean()) ** 2).sum()) for values in groups.values()) / left)
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, left))
    effects = {}
    for level, values in groups.items():
        mean, error = float(values.mean()), inside / math.sqrt(len(values))
        p = 2 * float(stats.t.sf(abs(mean) / error, left)) if error else float(mean == 0)
        effects[level] = Effect(mean, mean - quantile * error, mean + quantile * error, p)
    if inside:
        p = float(stats.f_oneway(*groups.values()).pvalue)
    else:
        p = float(len({e.mean for e in effects.values()}) == 1)
    return Sensitivity(factor, effects, p)
