# SPDX-License-Identifier: GPL-2.0-only
"""From a summary to words: what changes with one factor, in how many configurations, and how surely.

Every sentence is computed from the intervals; a difference is called one only where they do not
overlap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .quantity import human, number_text
from .stats import Estimate, cell, overlap


@dataclass(frozen=True)
class View:
    """How a metric is spoken of: its title, whether more of it is better, what it tells."""

    metric: str
    title: str
    unit: str
    about: str
    higher_is_better: bool | None = None
    log: bool = False


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
    """One metric under both levels in one configuration of the other factors."""

    view: View
    contrast: Contrast
    where: dict[str, Any]
    treatment: Estimate
    baseline: Estimate
    verdict: str  #: lower, higher, same (equal in every run), overlap, or unknown (no interval)

    @property
    def ratio(self) -> float:
        if self.baseline.mean == 0:
            return 1.0 if self.treatment.mean == 0 else math.inf
        return self.treatment.mean / self.baseline.mean


@dataclass(frozen=True)
class Finding:
    """A sentence with how sure it is: clear, mixed, open (intervals overlap), none, or unknown."""

    title: str
    text: str
    sureness: str


def verdict(treatment: Estimate, baseline: Estimate) -> str:
    """Return how the treatment's mean stands to the baseline's."""
    shared = overlap(treatment, baseline)
    if shared is None:
        return "unknown"
    if treatment.half == 0 and baseline.half == 0 and treatment.mean == baseline.mean:
        return "same"
    if shared:
        return "overlap"
    return "lower" if treatment.mean < baseline.mean else "higher"


def compare(summary: pd.DataFrame, contrast: Contrast, view: View, factors: Sequence[str]) -> list[Comparison]:
    """Return a Comparison for each configuration that has both levels of the contrast."""
    others = [f for f in factors if f != contrast.factor]
    by_level: dict[Any, dict[tuple, pd.Series]] = {contrast.treatment: {}, contrast.baseline: {}}
    for _, row in summary.iterrows():
        level = row[contrast.factor]
        if level in by_level and row["runs"] > 0 and not math.isnan(row[view.metric]):
            by_level[level][tuple(row[f] for f in others)] = row
    found = []
    for where, row in by_level[contrast.treatment].items():
        if where in by_level[contrast.baseline]:
            a = cell(row, view.metric)
            b = cell(by_level[contrast.baseline][where], view.metric)
            place = dict(zip(others, where, strict=True))
            found.append(Comparison(view, contrast, place, a, b, verdict(a, b)))
    return found


def describe(comparisons: Sequence[Comparison], scope: str = "") -> Finding | None:
    """Put comparisons of one metric and one contrast into words; None where there are none."""
    if not comparisons:
        return None
    view, contrast = comparisons[0].view, comparisons[0].contrast
    count = Counter(c.verdict for c in comparisons)
    n = len(comparisons)
    scope = f" {scope}" if scope else ""
    ranges = (
        f"{contrast.treatment_name}: {_range([c.treatment.mean for c in comparisons], view.unit)}; "
        f"{contrast.baseline_name}: {_range([c.baseline.mean for c in comparisons], view.unit)}."
    )
    if count["same"] == n:
        text = f"The same with {contrast.treatment_name} and {contrast.baseline_name} in every run{scope}: "
        return Finding(view.title, text + _range([c.treatment.mean for c in comparisons], view.unit) + ".", "none")
    parts = []
    for direction in ("lower", "higher"):
        if count[direction]:
            clear = [c for c in comparisons if c.verdict == direction]
            parts.append(f"{direction} in {_of(len(clear), n)}{_effect(clear)}")
    if count["same"]:
        parts.append(f"equal in {_of(count['same'], n)}")
    text = f"With {contrast.treatment_name}{scope} it is " + ", ".join(parts) + "." if parts else ""
    if count["overlap"]:
        text += f" In {_of(count['overlap'], n)} the 95 % intervals overlap: these runs do not show a difference there."
    if count["unknown"]:
        text += f" {_of(count['unknown'], n).capitalize()} had a single good run, which gives no interval."
    return Finding(view.title, f"{text.strip()} {ranges[0].upper()}{ranges[1:]}", _sureness(count, n))


def overlapping(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons whose intervals overlap."""
    return [c for c in comparisons if c.verdict == "overlap"]


def _sureness(count: Counter, n: int) -> str:
    if count["unknown"] == n:
        return "unknown"
    if count["overlap"] + count["unknown"] + count["same"] == n:
        return "open"
    if count["lower"] and count["higher"]:
        return "mixed"
    return "clear" if not count["overlap"] and not count["unknown"] else "partly"


def _of(k: int, n: int) -> str:
    if k == n:
        return "the one configuration" if n == 1 else f"all {n} configurations"
    return f"{k} of {n} configurations"


def _effect(comparisons: Sequence[Comparison]) -> str:
    """Return how large the clear differences are: median factor, or percentage points of a share."""
    if comparisons[0].view.unit == "share":
        points = [abs(c.treatment.mean - c.baseline.mean) * 100 for c in comparisons]
        return f" (median {number_text(float(np.median(points)))} percentage points)"
    ratios = [c.ratio for c in comparisons if math.isfinite(c.ratio) and c.ratio > 0]
    if not ratios:
        return ""
    middle = float(np.median(ratios))
    if 0.8 < middle < 1.25:
        return f" (median {(middle - 1) * 100:+.2g} %)"
    return f" (median {number_text(middle)} times)"


def _range(values: Sequence[float], unit: str) -> str:
    low, high = human(min(values), unit), human(max(values), unit)
    return low if low == high else f"{low} to {high}"


def level_text(name: str, value: Any, units: Mapping[str, str] | None = None) -> str:
    """Return a factor's level as readers like it: on and off, per cent, plain numbers."""
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    unit = (units or {}).get(name, "")
    if unit in ("share", "probability"):
        return f"{100 * float(value):g} %"
    if unit in ("bit/s", "s"):
        return human(float(value), unit)
    return f"{value:g}" if isinstance(value, (int, float, np.number)) else str(value)
