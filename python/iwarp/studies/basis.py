# SPDX-License-Identifier: GPL-2.0-only
"""What a page says of the runs behind it: what its conclusions rest on, its warnings, its parameters."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.nuisance import blocks
from ..parameters.quantity import human, number_text
from ..report.chart import Names
from ..runs import scenario
from ..sweeps.run import Run

if TYPE_CHECKING:
    from .study import Request, Study

_NEXT = re.compile(r"; (?=[\w., ]+: )")  #: between cautions, which begin with the parameters that they are of
_NUMBER = re.compile(r"\d[\d.,]*")


def _place(names: Names, factor: str, level: Any) -> float:
    """Return where a level stands in a list: numbers by value, words behind them as they came."""
    number = names.number(factor, level)
    return math.inf if number is None else number


def basis(request: Request, frame: pd.DataFrame, factors: Sequence[str], names: Names) -> list[tuple[str, str]]:
    """Return what the conclusions rest on: runs, their length, warm-up, share of the bottleneck, what was varied."""
    good = frame[frame["status"] == "ok"]
    each = "one run" if request.runs == 1 else f"{request.runs} runs, compared in pairs of the same number"
    found = [("Runs", f"{each}, of each of {frame.groupby(list(factors), dropna=False).ngroups} configurations")]
    for column, title, unit in (
        ("measured_duration", "Length of a run", "s"),
        ("bottleneck_share", "Share of the bottleneck", "share"),
    ):
        if column in good and good[column].notna().any():
            low, middle, high = (human(float(good[column].quantile(q)), unit) for q in (0, 0.5, 1))
            of = " of the time, in which the busiest link is sending" if unit == "share" else " simulated"
            found.append((title, f"{low} to {high}{of}; half of the runs have {middle} or less"))
    if "round_trip" in good and "measured_duration" in good:
        trips = (good["measured_duration"] / good["round_trip"]).replace([np.inf], np.nan)
        if trips.notna().any():
            found.append(("In round trips", f"{number_text(trips.min(), 2)} to {number_text(trips.max(), 2)}"))
    if request.study.warm_up:
        found.append(("Warm-up", request.study.warm_up))
    levels = {f: sorted(dict.fromkeys(frame[f].tolist()), key=lambda v, f=f: _place(names, f, v)) for f in factors}
    several = [
        f"{names.title(f)}: {', '.join(names.level(f, v) for v in levels[f])}" for f in factors if len(levels[f]) > 1
    ]
    found.append(("Varied", "; ".join(several) if several else "nothing"))
    nuisances = {n: frame[n].unique() for n in request.study.presets[request.preset].nuisance if n in frame}
    if nuisances:
        texts = [f"{names.title(n)}: {', '.join(names.level(n, v) for v in values)}" for n, values in nuisances.items()]
        square = len(texts) > 1 and len({len(values) for values in nuisances.values()}) == 1
        way = "by a Latin square" if square else "in turn"
        found.append(("Goes with the run", f"{'; '.join(texts)}, {way} over the runs"))
    if request.study.limits:
        found.append(("Limits", request.study.limits))
    found.append(("Not varied", "all else. What is said here holds for the values at the end of this page, and nobody "
                                "has looked beyond them or beyond the levels above."))  # fmt: skip
    return found


def untested_nuisances(request: Request, good: pd.DataFrame, names: Names) -> list[str]:
    """Return a warning of the factors that go with the run of which some level has one run only: nothing is tested
    of whether effects depend on these.
    """
    once = [
        names.title(name)
        for name, level_of in blocks(good, list(request.study.presets[request.preset].nuisance)).items()
        if (runs := Counter(level_of.values())) and len(runs) > 1 and min(runs.values()) < 2
    ]
    if not once:
        return []
    return [
        f"What is said of differences is over different values of {', '.join(once)}, and whether it depends on them is "
        f"not tested: that takes two runs of each, and here are {request.runs} in all."
    ]


def idle_bottlenecks(study: Study, summary: pd.DataFrame, factors: Sequence[str], names: Names) -> list[str]:
    """Return a warning of the configurations in which no link is busy, so that something else limits the flows."""
    if not study.least_share or "bottleneck_share" not in summary:
        return []
    idle = summary[summary["bottleneck_share"] < study.least_share]
    if idle.empty:
        return []
    shares = f"{human(idle['bottleneck_share'].min(), 'share')} to {human(idle['bottleneck_share'].max(), 'share')}"
    common = [
        f"{names.title(f)}: {', '.join(names.level(f, v) for v in sorted(idle[f].unique().tolist()))}"
        for f in factors
        if idle[f].nunique() < summary[f].nunique()
    ]
    return [
        f"In {len(idle)} of {len(summary)} configurations the busiest link is sending for less than "
        f"{human(study.least_share, 'share')} of the time ({shares}"
        + (f"; {'; '.join(common)}" if common else "")
        + "). What limits there is not the link but TCP's answer to loss, an RNIC or the length of the run: take "
        "goodput and times of these for what they are, and not for those of a link in full use."
    ]


def cautions_of_runs(good: pd.DataFrame) -> list[str]:
    """Return what the runs themselves warn of, each with the number of them that do; of texts that differ in numbers
    alone, the one that most runs have.
    """
    said = good["message"].fillna("").str.split(_NEXT, regex=True).explode()
    said = said[said != ""]
    found = []
    for _, alike in said.groupby(said.str.replace(_NUMBER, "0", regex=True), sort=False):
        texts = alike.value_counts()
        note = " (numbers differ)" if len(texts) > 1 else ""
        found.append((len(alike), f"{len(alike)} of {len(good)} runs: {texts.index[0]}{note}"))
    return [text for _, text in sorted(found, key=lambda one: -one[0])]


def constants(planned: Sequence[Run], factors: Sequence[str]) -> dict[str, str]:
    """Return the other parameters as text; one that goes with a level of a factor has several values."""
    params = scenario.backend().params
    texts = {}
    for name in dict.fromkeys(name for run in planned for name in run.params):
        if name not in factors and name != "run":
            values = dict.fromkeys(run.params[name] for run in planned if name in run.params)
            unit = params[name].unit if params[name].type in ("time", "rate") else ""
            texts[name] = " or ".join(human(v, unit) if unit else str(v) for v in values)
    return texts


def seeds_note(request: Request) -> str:
    """Say which random numbers the runs have."""
    seed = request.grids[0].get("seed", [scenario.backend().params["seed"].default])
    runs = "run 1" if request.runs == 1 else f"runs 1 to {request.runs}"
    return (
        f"Random numbers: ns-3 seed {', '.join(map(str, seed))}, {runs}. The same run number gives every "
        "configuration the same random streams; the same library and parameters give the same numbers again."
    )
