# SPDX-License-Identifier: GPL-2.0-only
"""Which conclusions survive whatever the assumed figures of an RNIC are: Morris's screening by elementary effects.

A design goes through the plausible ranges of all assumed figures of a profile along trajectories, each step of which
changes one figure. At each of its points both levels of a contrast run with the same random numbers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.findings import Contrast
from ..parameters.quantity import human, number_text
from ..report.cells import number
from ..report.page import Table
from ..runs import loader, scenario

LEVELS = 4  #: of each figure, evenly over its range
SAME = 0.001  #: two values that differ by less than this part are called equal
_SEED = 1
_TELLING = 0.1  #: figures are named whose effect is at least this part of the largest
#: assumed figures that no run of a scenario can show: its workloads register their memory before they begin
_IDLE = ("QueuePairs.TimePerMemoryChange", "QueuePairs.TimePerPage")
_SLIGHT = 0.02  #: none is named if even the largest is less than this part of the advantage


@dataclass(frozen=True)
class Figure:
    """An assumed figure of a profile and its plausible range, as text that ns-3 takes."""

    path: str
    value: str
    low: str
    high: str

    @property
    def name(self) -> str:
        """The parameter of a scenario that sets it."""
        return f"Rnic.{self.path}"

    def at(self, level: float) -> Any:
        """Return the value at ``level`` (0 to 1) of the range: on a log scale unless it begins at 0."""
        param = scenario.backend().params.find(self.name)
        low, high = param.parse(self.low), param.parse(self.high)
        if param.type not in ("int", "float", "time", "rate"):
            return low if level < 0.5 else high
        value = low * (high / low) ** level if low > 0 else high * level
        if param.type == "time":
            return round(value * 1e9) / 1e9  # ns-3 has whole ns
        return value if param.type == "float" else round(value)


@dataclass(frozen=True)
class Claim:
    """What the treatment of a contrast is said to be: less or more of a metric.

    The advantage is a ratio, or a difference where the metric may be 0.
    """

    text: str
    metric: str
    less: bool = True
    ratio: bool = True

    def advantage(self, treatment: np.ndarray, baseline: np.ndarray) -> np.ndarray:
        """Return by how much the claim holds, for each pair: above 0 where it does, and 0 where both are equal.

        It is the binary logarithm of a ratio, or a difference.
        """
        worse, better = (baseline, treatment) if self.less else (treatment, baseline)
        size = np.maximum(np.abs(worse), np.abs(better))
        gain = np.log2(worse / better) if self.ratio else worse - better
        return np.where(np.abs(worse - better) <= SAME * size, 0.0, gain)

    def amount(self, gain: float) -> str:
        """Return an advantage in words."""
        return f"{number_text(2**gain, 4)} times" if self.ratio else number_text(gain)


@functools.cache
def figures(profile: str) -> tuple[Figure, ...]:
    """Return the assumed figures of an RNIC profile that have a range, and that a run may depend on."""
    ns3 = loader.load("ns3/rnic-figure-range.h")
    found = []
    for figure in ns3.RnicProfile.Get(profile):
        limits = ns3.GetPlausibleRange(figure)
        if str(limits.low) and str(figure.path) not in _IDLE:
            found.append(Figure(str(figure.path), str(figure.value), str(limits.low), str(limits.high)))
    return tuple(found)


@dataclass(frozen=True)
class Screening:
    """Runs over the ranges of a profile's figures, ``trajectories`` times once through all of them.

    ``grid`` has the other parameters, both levels of the contrast among them.
    """

    profile: str
    grid: Mapping[str, Sequence[Any]]
    trajectories: int

    def levels(self) -> np.ndarray:
        """Return Morris's design: a row for each point, a column for each figure, from 0 to 1."""
        from SALib.sample import morris

        return morris.sample(self._problem(), self.trajectories, num_levels=LEVELS, seed=_SEED)

    def points(self) -> list[dict[str, Any]]:
        """Return the parameters of each point."""
        return [
            {"rnic": self.profile, **{f.name: f.at(u) for f, u in zip(figures(self.profile), row, strict=True)}}
            for row in self.levels()
        ]

    def has(self, params: Mapping[str, Any]) -> bool:
        """Tell whether a run is one of a point: nothing else sets all of the figures."""
        return params.get("rnic") == self.profile and all(f.name in params for f in figures(self.profile))

    def effects(self, gains: np.ndarray) -> pd.DataFrame:
        """Return the elementary effects of an advantage by figure: mean, mean of the absolute values, deviation.

        ``gains`` has a value for each point; trajectories that lack one are left out.
        """
        from SALib.analyze import morris

        steps = len(figures(self.profile)) + 1
        whole = np.repeat(np.isfinite(gains.reshape(-1, steps)).all(axis=1), steps)
        if not whole.any():
            return pd.DataFrame(columns=["figure", "mu", "mu_star", "sigma"])
        found = morris.analyze(self._problem(), self.levels()[whole], gains[whole], num_levels=LEVELS, seed=_SEED)
        columns = {name: np.asarray(found[name], dtype=float) for name in ("mu", "mu_star", "sigma")}
        return pd.DataFrame({"figure": list(found["names"]), **columns})

    def gains(self, frame: pd.DataFrame, contrast: Contrast, claim: Claim) -> np.ndarray:
        """Return the advantage at each point, the mean over runs in pairs; NaN where there is none."""
        names = [figure.name for figure in figures(self.profile)]
        by_point = {values: part for values, part in frame.groupby(names, sort=False)}
        gains = []
        for point in self.points():
            part = by_point.get(tuple(point[name] for name in names))
            pairs = pd.DataFrame() if part is None else part.pivot_table(claim.metric, "run", contrast.factor)
            if not {contrast.treatment, contrast.baseline} <= set(pairs):
                gains.append(math.nan)
                continue
            both = pairs.dropna()
            gain = claim.advantage(both[contrast.treatment].to_numpy(), both[contrast.baseline].to_numpy())
            gains.append(float(gain.mean()) if len(gain) else math.nan)
        return np.array(gains)

    def _problem(self) -> dict[str, Any]:
        names = [figure.path for figure in figures(self.profile)]
        return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def judge(gains: np.ndarray) -> str:
    """Return whether a claim holds at all points, at some and is wrong at none, or depends on the figures."""
    known = gains[np.isfinite(gains)]
    if not len(known):
        return "not known"
    if (known > 0).all():
        return "holds"
    if (known == 0).all():
        return "makes no difference"
    if (known >= 0).all():
        return "never the other way"
    return "wrong" if (known <= 0).all() else "depends"


def tabulate(
    frame: pd.DataFrame,
    screenings: Sequence[Screening],
    conditions: Sequence[tuple[str, Mapping[str, Any]]],
    contrast: Contrast,
    claims: Sequence[Claim],
) -> Table | None:
    """Return which claims survive the screening, under each condition, and what they rest on."""
    rows, sentences = [], []
    for claim in claims:
        verdicts: dict[str, list[str]] = {}
        for screening in screenings:
            for condition, where in conditions:
                chosen = frame[frame["rnic"] == screening.profile]
                for name, value in where.items():
                    chosen = chosen[chosen[name] == value]
                if chosen.empty or claim.metric not in chosen:
                    continue
                gains = screening.gains(chosen, contrast, claim)
                known = gains[np.isfinite(gains)]
                if not len(known):
                    continue
                verdict = judge(gains)
                rows.append(
                    {
                        "RNIC": screening.profile,
                        "Condition": condition,
                        "Claim": f"{contrast.treatment_name} {claim.text}",
                        "Whatever the figures are": verdict,
                        "Points": number(len(known)),
                        "Points where it holds": number(int((known > 0).sum())),
                        "Points the other way": number(int((known < 0).sum())),
                        "Advantage, least": claim.amount(known.min()),
                        "Advantage, median": claim.amount(float(np.median(known))),
                        "Advantage, most": claim.amount(known.max()),
                        "Rests most on": _influences(screening.effects(gains), abs(float(np.median(known)))),
                    }
                )
                verdicts.setdefault(verdict, []).append(f"{screening.profile}, {condition}")
        sentences += _words(contrast, claim, verdicts)
    if not rows:
        return None
    count = ", ".join(f"{len(figures(s.profile))} of {s.profile} at {len(s.levels())} points" for s in screenings)
    text = (
        f"Each assumed figure of a profile varied over its plausible range ({count}: Morris's trajectories, "
        f"{LEVELS} levels a figure, on a log scale unless the range begins at 0), both kinds of sender at each point "
        "with the same random numbers. A figure is named where its elementary effect on the advantage (mean of the "
        "absolute values; a ratio counts by its binary logarithm) is a tenth of the largest or more, and none where "
        f"even the largest is less than {human(_SLIGHT, 'share')} of the median advantage; + where the "
        "advantage rises with the figure, \N{MINUS SIGN} where it falls, ± where it does both. A screening tries "
        f"points; it proves nothing between them. Values within {human(SAME, 'share')} are called equal."
    )
    return Table("screening", "Whatever the assumed figures are", text, pd.DataFrame(rows), sentences)


def _influences(effects: pd.DataFrame, advantage: float) -> str:
    ranked = effects.sort_values("mu_star", ascending=False, kind="stable")
    if ranked.empty or ranked["mu_star"].iloc[0] <= _SLIGHT * advantage:
        return "no figure"
    named = ranked[ranked["mu_star"] >= _TELLING * ranked["mu_star"].iloc[0]].head(5)
    texts = []
    for _, row in named.iterrows():
        one_way = abs(row["mu"]) > 0.9 * row["mu_star"]
        sign = ("+" if row["mu"] > 0 else "\N{MINUS SIGN}") if one_way else "±"
        texts.append(f"{row['figure']} ({sign}{number_text(row['mu_star'], 2)})")
    return ", ".join(texts)


def _words(contrast: Contrast, claim: Claim, verdicts: Mapping[str, Sequence[str]]) -> list[str]:
    name = contrast.treatment_name[0].upper() + contrast.treatment_name[1:]
    ends = {
        "holds": "at every point tried",
        "never the other way": "at some points, and at none is it the other way",
        "depends": "at some points, and at others it is the other way: it rests on assumed figures",
        "wrong": "at no point: it is equal or the other way",
        "makes no difference": "at no point: there is no difference",
    }
    return [
        f"{name} {claim.text} {end} ({'; '.join(verdicts[verdict])})."
        for verdict, end in ends.items()
        if verdict in verdicts
    ]
