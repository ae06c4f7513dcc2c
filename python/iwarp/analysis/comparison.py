# SPDX-License-Identifier: GPL-2.0-only
"""Two levels of a factor compared run by run, and what remains of the differences when many are looked for.

Runs of the same number have the same random streams, so that the two levels are compared in pairs. Effects are
logarithms of ratios, or differences where a value is 0 and for shares.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .replication import once
from .stats import LEVEL, Estimate, PairedTest, detectable, estimate, false_discovery, holm, paired_test

if TYPE_CHECKING:
    from ..runs.scenario import Metric

_SAME = 1e-12  #: relative difference that rounding makes


@dataclass(frozen=True)
class View:
    """How a metric is spoken of: its title, whether more of it is better, what it tells.

    Without ``unit`` and ``about`` they are those of the metrics' registry. ``relevant`` is the smallest effect of
    interest, as share of the value (0.02 is 2 %) or, of shares and what is ``absolute``, as difference; 0 if none is
    declared. Effects on what is absolute are differences, though all values are above 0.
    """

    metric: str
    title: str
    unit: str = ""
    about: str = ""
    higher_is_better: bool | None = None
    log: bool = False
    relevant: float = 0.0
    absolute: bool = False

    def described(self, metrics: Mapping[str, Metric]) -> View:
        """Return the same with what ``metrics`` say where it says nothing."""
        known = metrics.get(self.metric)
        if known is None:
            return self
        return replace(self, unit=self.unit or known.unit, about=self.about or f"{known.help}.")


@dataclass(frozen=True)
class Contrast:
    """The two levels of a factor that are compared, and their names in a sentence."""

    factor: str
    treatment: Any
    baseline: Any
    treatment_name: str
    baseline_name: str


@dataclass(frozen=True)
class Comparison:
    """One metric under both levels in one configuration of the other factors, or on average over several.

    ``broken`` runs have no pair, since one of the two failed or measured nothing. ``verdict`` is lower, higher, same
    (equal in every pair), open (no difference shown), unknown (less than two pairs), or partial (pooled without
    configurations of which values are missing). ``corrected`` is p among all
    comparisons that judge() was given, ``seen`` the smallest effect that would have been found with a chance of 80 %.
    """

    view: View
    contrast: Contrast
    where: dict[str, Any]
    pairs: np.ndarray = field(repr=False, compare=False)  #: a row a run: treatment and baseline
    broken: int
    relative: bool  #: effects are logarithms of ratios
    test: PairedTest
    corrected: float = math.nan
    seen: float = math.nan
    verdict: str = "unknown"
    runs: tuple = ()  #: number of the run of each pair
    lacks: tuple[int, int] = (0, 0)  #: broken runs in which the treatment, and in which the baseline, has no value

    @property
    def standing(self) -> str:
        """Say what a verdict of "open" means; the verdict itself if it is another.

        uncorrected (the interval is without 0, but not after the correction), equivalent (it is inside plus and minus
        the smallest effect of interest), or undecided.
        """
        if self.verdict != "open":
            return self.verdict
        low, high, least = self.test.low, self.test.high, self.view.relevant
        if low > 0 or high < 0:
            return "uncorrected"
        ends = (math.log1p(-least), math.log1p(least)) if self.relative and least < 1 else (-least, least)
        return "equivalent" if ends[0] < low and high < ends[1] else "undecided"

    @property
    def of_interest(self) -> float:
        """Return the smallest effect of interest as this effect is given, a logarithm or a difference; NaN of none."""
        least = self.view.relevant
        return (math.log1p(least) if self.relative else least) if least else math.nan

    @property
    def treatment(self) -> Estimate:
        return estimate(self.pairs[:, 0])

    @property
    def baseline(self) -> Estimate:
        return estimate(self.pairs[:, 1])

    def to_row(self) -> dict[str, Any]:
        """Return what comparisons.csv holds of it: effects as factors if they are relative.

        ``unit`` is that of the means, and of effects that are differences: each row has its own metric.
        """
        scaled = _factor if self.relative else float
        test = self.test
        return {
            "metric": self.view.metric,
            "unit": self.view.unit,
            "factor": self.contrast.factor,
            "treatment": self.contrast.treatment,
            "baseline": self.contrast.baseline,
            **self.where,
            "pairs": test.n,
            "broken": self.broken,
            "treatment_mean": self.treatment.mean,
            "baseline_mean": self.baseline.mean,
            "effect_is": "ratio" if self.relative else "difference",
            "effect": scaled(test.mean),
            "low": scaled(test.low),
            "high": scaled(test.high),
            "bootstrap_low": scaled(test.bootstrap[0]),
            "bootstrap_high": scaled(test.bootstrap[1]),
            "p": test.p,
            "p_corrected": self.corrected,
            "would_be_seen": scaled(self.seen),
            "verdict": self.verdict,
            "standing": self.standing,
        }


def _factor(effect: float) -> float:
    """Return a logarithm's factor; inf where few runs say so little that there is none."""
    with np.errstate(over="ignore"):
        return float(np.exp(effect))


def compare(frame: pd.DataFrame, contrast: Contrast, view: View, factors: Sequence[str]) -> list[Comparison]:
    """Return a Comparison for each configuration that has both levels of the contrast, judged among themselves.

    @param frame a row a run, with the factors, ``run``, ``status`` and the metric; of configurations that replication
    says are one run told again, one run counts
    """
    others = [f for f in factors if f != contrast.factor]
    frame = once(frame, [*others, contrast.factor])
    found = []
    for where, sides in _sides(frame, contrast, view.metric, others).items():
        treatment, baseline = sides
        both = sorted(treatment.keys() & baseline.keys())
        pairs = [(treatment[run], baseline[run]) for run in both]
        absent = [tuple(value is None or bool(np.isnan(value)) for value in pair) for pair in pairs]
        good = [run for run, gaps in zip(both, absent, strict=True) if not any(gaps)]
        whole = [(treatment[run], baseline[run]) for run in good]
        # where no run failed and neither side has a value in any, it is not measured here
        if whole or any(None in pair or not all(gaps) for pair, gaps in zip(pairs, absent, strict=True)):
            broken = [gaps for gaps in absent if any(gaps)]
            place = dict(zip(others, where, strict=True))
            tested = _tested(view, contrast, place, np.array(whole).reshape(-1, 2), len(broken))
            lacks = (sum(ours for ours, _ in broken), sum(theirs for _, theirs in broken))
            found.append(replace(tested, runs=tuple(run[-1] for run in good), lacks=lacks))
    return judge(found)


def alike(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the configurations without a broken pair that have the same runs: as many as any, and as most have."""
    unbroken = [c for c in comparisons if not c.broken and c.test.n > 0]
    if not unbroken:
        return []
    most = max(c.test.n for c in unbroken)
    (runs, _), = Counter(c.runs for c in unbroken if c.test.n == most).most_common(1)
    return [c for c in unbroken if c.test.n == most and c.runs == runs]


def average(comparisons: Sequence[Comparison], scope: str = "", by: str = "") -> Comparison | None:
    """Return the mean effect over configurations, run by run, so that it has an interval over the runs.

    ``where`` holds ``scope`` and how many configurations there are: those of alike(). None if less than two are left.

    @param by factor each level of which has the same weight, however many configurations it has
    """
    whole = alike(comparisons)
    if len(whole) < 2:
        return None
    relative = all(c.relative for c in whole)
    values = np.array([c.pairs for c in whole])
    many = Counter(c.where.get(by) for c in whole)
    weights = [1 / many[c.where.get(by)] for c in whole]
    pairs = np.average(np.log(values) if relative else values, axis=0, weights=weights)
    pairs = np.exp(pairs) if relative else pairs
    place = {"scope": scope, "configurations": len(whole)}
    return replace(_tested(whole[0].view, whole[0].contrast, place, pairs, 0, relative), runs=whole[0].runs)


def turned(comparison: Comparison) -> Comparison:
    """Return the same with the baseline as treatment: what the other side has more or less of."""
    old, test = comparison.contrast, comparison.test
    contrast = Contrast(old.factor, old.baseline, old.treatment, old.baseline_name, old.treatment_name)
    other = {"lower": "higher", "higher": "lower"}.get(comparison.verdict, comparison.verdict)
    negative = replace(
        test, differences=tuple(-d for d in test.differences), mean=-test.mean, low=-test.high, high=-test.low
    )
    return replace(comparison, contrast=contrast, pairs=comparison.pairs[:, ::-1], test=negative, verdict=other)


def judge(comparisons: Sequence[Comparison], level: float = LEVEL) -> list[Comparison]:
    """Return the comparisons with their verdicts, corrected by Holm for being made together.

    A difference is called one if the corrected p of its t test is below the level, and the bootstrap does not
    contradict. The chance that even one of them is found though there is none is then at most the level.
    """
    corrected = holm([c.test.p for c in comparisons])
    tests, found = int(np.sum(~np.isnan(corrected))), int(np.sum(corrected < level))
    first = level / max(1, tests - found)  # that the first one not found was held to
    return _judged(comparisons, corrected, first, level)


def explore(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with their verdicts, corrected by Benjamini and Hochberg for being made together.

    As judge(), but it is of the differences that are called so that 5 % at most are expected to be none.
    """
    corrected = false_discovery([c.test.p for c in comparisons])
    tests, found = int(np.sum(~np.isnan(corrected))), int(np.sum(corrected < LEVEL))
    return _judged(comparisons, corrected, LEVEL * min(1.0, (found + 1) / max(1, tests)), LEVEL)


def _judged(comparisons: Sequence[Comparison], corrected: np.ndarray, first: float, level: float) -> list[Comparison]:
    """Judge at a level; ``first`` is what an uncorrected p had to be below."""
    judged = []
    for c, p in zip(comparisons, corrected, strict=True):
        varies = c.test.n > 1 and (c.test.spread > 0 or c.test.mean == 0)
        seen = detectable(c.test.spread, c.test.n, first) if varies else math.nan
        judged.append(replace(c, corrected=float(p), seen=seen, verdict=_verdict(c.test, p, level)))
    return judged


def _verdict(test: PairedTest, corrected: float, level: float) -> str:
    if test.n < 2:
        return "unknown"
    if test.mean == 0 and test.spread == 0:
        return "same"
    if corrected < level and test.agree:
        return "lower" if test.mean < 0 else "higher"
    return "open"


def _sides(
    frame: pd.DataFrame, contrast: Contrast, metric: str, others: Sequence[str]
) -> dict[tuple, tuple[dict[tuple, float | None], dict[tuple, float | None]]]:
    """Return, for each configuration, the value of each run under both levels; None of a run that failed."""
    keys = [k for k in ("seed", "run") if k in frame]
    columns = [frame[c].tolist() for c in (*others, *keys, contrast.factor, "status", metric)]
    found: dict[tuple, tuple[dict, dict]] = {}
    for row in zip(*columns, strict=True):
        level, status, value = row[-3:]
        if level in (contrast.treatment, contrast.baseline):
            where = tuple(v if v == v else math.nan for v in row[: len(others)])  # one NaN, so that keys are equal
            side = found.setdefault(where, ({}, {}))[level != contrast.treatment]
            side[row[len(others) : -3]] = float(value) if status == "ok" else None
    return found


def _tested(
    view: View, contrast: Contrast, where: dict[str, Any], pairs: np.ndarray, broken: int, relative: bool | None = None
) -> Comparison:
    if relative is None:
        relative = view.unit != "share" and not view.absolute and len(pairs) > 0 and bool((pairs > 0).all())
    a, b = pairs[:, 0], pairs[:, 1]
    effects = np.log(a / b) if relative else a - b
    effects = np.where(np.isclose(a, b, rtol=_SAME, atol=0), 0.0, effects)
    certain = len(pairs) > 0 and bool((np.ptp(pairs, axis=0) == 0).all())
    return Comparison(view, contrast, where, pairs, broken, relative, paired_test(effects, certain))
