# SPDX-License-Identifier: GPL-2.0-only
"""The few comparisons that a study declares before its runs, and the order in which they are tested.

Serial gatekeeping (Westfall and Krishen 2001): each primary comparison is pooled over its conditions, all of them are
one family, corrected by Holm at 4 %; 1 % is left to what nuisance factors decide. Only those that are shown are asked
for each topology, which is a second family. Whatever else a study compares is exploratory, and judged by the rate of
false discoveries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .comparison import Comparison, Contrast, View, alike, average, compare, judge
from .dependence import FactorEffect, find_dependence
from .nuisance import Blocks, Sensitivity, sensitivity
from .stats import LEVEL, Heterogeneity, heterogeneity, holm

#: level at which an effect that is not shown is said to depend on a nuisance factor; what it leaves of a page's level
_DEPENDS = 0.01
POOLED = LEVEL - _DEPENDS  #: is that of pooled effects


@dataclass(frozen=True)
class Primary:
    """A declared comparison: of ``metric``, over the conditions that ``where`` picks, whose name is ``over``.

    ``what`` names the metric in a sentence. Without ``factors`` those of the study tell configurations apart. The
    smallest effect of interest is that of the metric's View.
    """

    contrast: Contrast
    metric: str
    what: str
    over: str
    where: Callable[[Mapping[str, Any]], bool] = lambda where: True
    around: Callable[[Mapping[str, Any]], bool] | None = None  #: where it is asked what the effect depends on
    by: str = "topology"  #: factor whose levels are asked one by one where the gate is open
    by_title: str = "topology"
    factors: Sequence[str] = ()
    subject: str = ""  #: what does it, where a sentence says more than the treatment's name


@dataclass(frozen=True)
class Pooled:
    """What a primary comparison found: pooled, how its configurations differ, and level by level of ``by``.

    ``levels`` are unjudged ("unknown") where the gate is closed.
    """

    primary: Primary
    whole: Comparison
    spread: Heterogeneity
    configurations: Sequence[Comparison] = field(repr=False)
    levels: Mapping[Any, Comparison] = field(default_factory=dict)
    family: int = 1  #: primary comparisons that were corrected together
    opened: int = 0  #: comparisons of levels that were corrected together, over all primaries; 0 behind a closed gate
    nuisances: Sequence[Sensitivity] = ()
    interacts: bool = False  #: some nuisance factor changes the effect, though it is not shown pooled
    dependence: Sequence[FactorEffect] = ()  #: on the factors of its configurations

    @property
    def left_out(self) -> list[Comparison]:
        """Return the configurations in which a side lacks values: they are not pooled, nor is anything told then.

        A value is missing where a run failed, or where so many messages had not ended that it has no percentile: that
        is where a side is worst.
        """
        return [c for c in self.configurations if c.broken]

    @property
    def is_shown(self) -> bool:
        """Return whether the effect is shown, at every level of each nuisance factor too."""
        return self._is_found and all(n.holds for n in self.nuisances)

    @property
    def depends(self) -> bool:
        """Return whether there is an effect that nuisance factors decide."""
        return (self._is_found and not self.is_shown) or self.interacts

    @property
    def deciding(self) -> list[Sensitivity]:
        """Return the nuisance factors that an effect depends on: shown to change it, else all it does not survive."""
        failing = [n for n in self.nuisances if not n.holds] or list(self.nuisances)
        return [n for n in failing if n.p < _DEPENDS] or failing

    @property
    def _is_found(self) -> bool:
        return self.whole.verdict in ("lower", "higher")


def examine(
    frame: pd.DataFrame,
    primaries: Sequence[Primary],
    views: Mapping[str, View],
    factors: Sequence[str],
    nuisances: Blocks | None = None,
) -> list[Pooled]:
    """Return what the runs say of those primary comparisons for which there are any.

    @param views the metrics that were measured
    @param nuisances factors whose level goes with the number of the run
    """
    found = []
    for primary in primaries:
        apart = [primary.contrast.factor, *(f for f in primary.factors or factors if f != primary.contrast.factor)]
        if primary.metric not in views or not set(apart) <= set(frame):
            continue
        compared = compare(frame, primary.contrast, views[primary.metric], apart)
        chosen = choose_alike([c for c in compared if primary.where(c.where)], primary.by)
        whole = pool(chosen, primary.by)
        if whole is not None:
            levels = {
                level: pooled
                for level in dict.fromkeys(c.where.get(primary.by) for c in chosen)
                if (pooled := pool([c for c in chosen if c.where.get(primary.by) == level])) is not None
            }
            over = sensitivity(whole.test.differences, whole.runs, nuisances or {})
            around = [c for c in compared if (primary.around or primary.where)(c.where)]
            found.append(
                Pooled(primary, whole, _spread(chosen, whole), chosen, levels, nuisances=over,
                       dependence=find_dependence(around))
            )  # fmt: skip
    wholes = judge([p.whole for p in found], POOLED)
    interactions = iter(holm([n.p for p in found for n in p.nuisances]))
    interact = [sum(next(interactions) < _DEPENDS for _ in p.nuisances) > 0 for p in found]
    wholes = [replace(w, verdict="partial") if p.left_out else w for p, w in zip(found, wholes, strict=True)]
    found = [
        replace(p, whole=whole, family=len(found), interacts=changed and whole.verdict == "open")
        for p, whole, changed in zip(found, wholes, interact, strict=True)
    ]
    asked = [(p, level) for p in found if p.is_shown and len(p.levels) > 1 for level in p.levels]
    judged = dict(zip([(id(p), level) for p, level in asked],
                      judge([p.levels[level] for p, level in asked]), strict=True))  # fmt: skip
    return [
        replace(
            p,
            levels={level: judged.get((id(p), level), replace(c, verdict="unknown")) for level, c in p.levels.items()},
            opened=len(asked) if any(q is p for q, _ in asked) else 0,
        )
        for p in found
    ]


def choose_alike(comparisons: Sequence[Comparison], by: str) -> list[Comparison]:
    """Return comparisons whose means by the levels of a factor can be compared: all of a balanced design, else those of
    the conditions that every level has.
    """
    return list(comparisons) if is_balanced(comparisons, by) else shared(comparisons, by)


def is_balanced(comparisons: Sequence[Comparison], by: str) -> bool:
    """Tell whether each level of ``by`` has the levels of every other factor in the same proportions."""
    levels: dict[Any, list[Comparison]] = {}
    for c in comparisons:
        levels.setdefault(c.where.get(by), []).append(c)
    others = {name for c in comparisons for name in c.where if name != by}
    shares = [
        {name: {v: k / len(cs) for v, k in Counter(str(c.where.get(name)) for c in cs).items()} for name in others}
        for cs in levels.values()
    ]
    return all(share == shares[0] for share in shares)


def shared(comparisons: Sequence[Comparison], by: str) -> list[Comparison]:
    """Return the comparisons of conditions that every level of a factor has; all if the levels share none."""
    conditions: dict[Any, set[tuple]] = {}
    for c in comparisons:
        conditions.setdefault(c.where.get(by), set()).add(_condition(c, by))
    common = set.intersection(*conditions.values()) if conditions else set()
    return [c for c in comparisons if not common or _condition(c, by) in common]


def pool(comparisons: Sequence[Comparison], by: str = "") -> Comparison | None:
    """Return the mean effect over configurations of the same runs, run by run; that of the only one; None without any
    pair. Each level of ``by`` has the same weight.
    """
    usable = alike(comparisons)
    return usable[0] if len(usable) == 1 else average(usable, by=by)


def _condition(comparison: Comparison, by: str) -> tuple:
    return tuple((name, str(value)) for name, value in comparison.where.items() if name != by)


def _spread(comparisons: Sequence[Comparison], whole: Comparison) -> Heterogeneity:
    pooled = alike(comparisons)
    effects = [c.test.differences if c.relative == whole.relative else (c.pairs[:, 0] - c.pairs[:, 1]) for c in pooled]
    return heterogeneity(np.array(effects, dtype=float))
