# SPDX-License-Identifier: GPL-2.0-only
"""On which factors an effect depends, and how much: main effects over the configurations of a fractional design.

Effects of configurations are taken as sums of what each factor's level adds. A fraction of all combinations is enough
for that, if no two factors go together; what two of them do together is left in the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from .comparison import Comparison, alike
from .stats import CONFIDENCE, false_discovery

_ROUNDED = 1e-9


@dataclass(frozen=True)
class LevelEffect:
    """By how much the effect at a level differs from the mean over levels: 95 % interval over the runs."""

    mean: float
    low: float
    high: float
    n: int  #: configurations


@dataclass(frozen=True)
class FactorEffect:
    """What a factor adds to an effect, by level.

    ``share`` is its part of the variance of the configurations' effects, less what runs differ by. ``p`` is of its
    levels being alike (F test against how configurations differ from run to run), ``corrected`` that among all factors.
    """

    factor: str
    levels: Mapping[Any, LevelEffect]
    share: float
    p: float
    corrected: float = math.nan


def find_dependence(comparisons: Sequence[Comparison]) -> list[FactorEffect]:
    """Return what each factor that has several levels adds to an effect, by least squares for each run.

    Nothing if there are less than two runs or no configurations to spare, or if two factors go together.
    """
    usable = alike(comparisons)
    if not usable or usable[0].test.n < 2 or len({c.relative for c in usable}) > 1:
        return []
    effects = np.array([c.test.differences for c in usable])
    names = [n for n in usable[0].where if len({str(c.where[n]) for c in usable}) > 1]
    levels = {n: list({str(c.where[n]): c.where[n] for c in usable}.values()) for n in names}
    parts = {n: _contrasts([levels[n].index(_of(c, n, levels)) for c in usable], len(levels[n])) for n in names}
    design = np.column_stack([np.ones(len(usable)), *parts.values()])
    if not names or np.linalg.matrix_rank(design) < design.shape[1] or len(usable) < design.shape[1]:
        return []
    noise, spare = _noise(effects)
    found, at = [], 1
    for name, part in parts.items():
        width = part.shape[1]
        fitted = np.linalg.lstsq(design, effects, rcond=None)[0][at : at + width]
        fitted = np.vstack([fitted, -fitted.sum(axis=0)])  # a row a level, a column a run
        found.append(_factor(name, levels[name], fitted, usable, _gain(design, at, width, effects), noise, spare))
        at += width
    corrected = false_discovery([f.p for f in found])
    return [FactorEffect(f.factor, f.levels, f.share, f.p, float(p)) for f, p in zip(found, corrected, strict=True)]


def _of(comparison: Comparison, name: str, levels: Mapping[str, Sequence[Any]]) -> Any:
    """Return a level as the list of levels has it, where NaN is one."""
    return next(level for level in levels[name] if str(level) == str(comparison.where[name]))


def _contrasts(places: Sequence[int], number: int) -> np.ndarray:
    """Return sum-to-zero columns of a factor whose levels are at these places."""
    columns = np.vstack([np.eye(number - 1), -np.ones(number - 1)])
    return columns[list(places)]


def _noise(effects: np.ndarray) -> tuple[float, int]:
    """Return the variance of a configuration's mean that runs make, and its degrees of freedom."""
    left = effects - effects.mean(axis=1, keepdims=True) - effects.mean(axis=0) + effects.mean()
    spare = (effects.shape[0] - 1) * (effects.shape[1] - 1)
    return float((left**2).sum()) / max(1, spare) / effects.shape[1], spare


def _gain(design: np.ndarray, at: int, width: int, effects: np.ndarray) -> tuple[float, float]:
    """Return the sum of squares of means that these columns add to all others, and the whole one."""
    means = effects.mean(axis=1)

    def left(columns: np.ndarray) -> float:
        rest = means - columns @ np.linalg.lstsq(columns, means, rcond=None)[0]
        return float(rest @ rest)

    without = np.delete(design, np.s_[at : at + width], axis=1)
    return left(without) - left(design), float(((means - means.mean()) ** 2).sum())


def _factor(
    name: str, levels: Sequence[Any], fitted: np.ndarray, usable: Sequence[Comparison], gain: tuple[float, float],
    noise: float, spare: int,
) -> FactorEffect:  # fmt: skip
    runs, degrees = fitted.shape[1], len(levels) - 1
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, runs - 1))
    by_level = {}
    for level, values in zip(levels, fitted, strict=True):
        mean, half = float(values.mean()), quantile * float(values.std(ddof=1)) / math.sqrt(runs)
        count = sum(str(c.where[name]) == str(level) for c in usable)
        by_level[level] = LevelEffect(mean, mean - half, mean + half, count)
    squares, whole = gain
    share = max(0.0, squares - degrees * noise) / whole if whole > _ROUNDED * noise and whole > 0 else 0.0
    p = float(stats.f.sf(squares / degrees / noise, degrees, spare)) if noise > 0 else float(squares <= 0)
    return FactorEffect(name, by_level, min(1.0, share), p)
