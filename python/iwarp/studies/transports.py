# SPDX-License-Identifier: GPL-2.0-only
"""What studies that compare transports have in common: whether figures have come to rest, and slowdown by size."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..analysis.stats import LEVEL, PairedTest, estimate, holm, paired_test
from ..parameters.quantity import number_text
from ..report.cells import Cell, number

GO_BACK_N, SELECTIVE = "go-back-n", "selective-repeat"
_HALVES = ("half_slowdown_p50_1", "half_slowdown_p50_2")
_SIZE = re.compile(r"size_slowdown_p99_(\d+)$")


def compare_halves(runs: pd.DataFrame) -> dict[str, PairedTest]:
    """Compare the window's halves by transport: the logarithm of the ratio of their median slowdowns, the mean of a
    run's configurations, run by run, with p corrected by Holm. Empty where messages arrive in no window.
    """
    if _HALVES[1] not in runs:
        return {}
    ratios = runs[["transport", "run"]].assign(ratio=np.log(runs[_HALVES[1]] / runs[_HALVES[0]])).dropna()
    tests = {
        str(transport): paired_test(part.groupby("run")["ratio"].mean().tolist())
        for transport, part in ratios.groupby("transport", sort=False)
    }
    corrected = holm([test.p for test in tests.values()])
    return {name: replace(test, p=float(p)) for (name, test), p in zip(tests.items(), corrected, strict=True)}


def tell_steadiness(where: str, halves: Mapping[str, PairedTest]) -> str:
    """Say whether messages that came later took longer than those that came before."""
    moved = [f"{name} ({number_text(math.exp(test.mean))} times)" for name, test in halves.items() if test.p < LEVEL]
    start = f"{where}: the median slowdown of messages of the window's second half is"
    if not moved:
        return f"{start} not shown to differ from that of the first, of any of {len(halves)} transports."
    return (
        f"{start} another than that of the first with {', '.join(moved)}: these have not come to rest, and their "
        "figures are those of this window."
    )


def resent_share(frame: pd.DataFrame) -> pd.Series:
    """Return the payload that was sent again over what messages have, NaN of runs without messages."""
    return frame["retransmitted_octets"] / frame["payload_octets"].where(frame["payload_octets"] > 0)


def sizes_of(runs: pd.DataFrame) -> list[int]:
    """Return the sizes of messages, each the most of its bin, of which any run tells the slowdown."""
    return sorted(int(m.group(1)) for c in runs.columns if (m := _SIZE.match(c)) and runs[c].notna().any())


def slowdown(part: pd.DataFrame, metric: str) -> Cell | str:
    """Return the mean over runs, each the mean of its configurations; n/a where one lacks it, as the worst do."""
    if part[metric].isna().any():
        return "n/a"
    found = estimate(part.groupby("run")[metric].mean())
    return number(found.mean, half=found.half, bounds=(1, math.inf))


def by_size(part: pd.DataFrame, sizes: Sequence[int], whole: pd.DataFrame | None = None) -> dict[str, Cell]:
    """Return the median and the 99th percentile of the slowdown by the size of messages, means over runs.

    @param whole runs each of which has what is shown; all is, of the runs that have it, if it is left out
    """
    return {
        f"To {size:,} octets, {name}": number(part[f"size_slowdown_{q}_{size}"].mean())
        for size in sizes
        for q, name in (("p50", "median"), ("p99", "99th percentile"))
        if whole is None or whole[f"size_slowdown_{q}_{size}"].notna().all()
    }
