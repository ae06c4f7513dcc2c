# SPDX-License-Identifier: GPL-2.0-only
"""From a summary to words: what changes with one factor, in how many configurations, and how surely.

Every sentence is computed from the intervals; a difference is called one only where they do not
overlap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .quantity import human, number_text
from .stats import Estimate, cell, overlap

if TYPE_CHECKING:
    from .scenario import Metric

CHANCE = 0.05  #: as small a part of the comparisons as this may be apart by chance alone


@dataclass(frozen=True)
class View:
    """How a metric is spoken of: its title, whether more of it is better, what it tells.

    Without ``unit`` and ``about`` they are those of the metrics' registry.
    """

    metric: str
    title: str
    unit: str = ""
    about: str = ""
    higher_is_better: bool | None = None
    log: bool = False

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
class Line:
    """What a metric does in some of the configurations, and how surely.

    ``sureness`` is clear, partly (some intervals overlap), mixed (both ways), open (all overlap),
    none (equal in every run) or unknown (no interval).
    """

    scope: str
    text: str
    sureness: str


@dataclass(frozen=True)
class Finding:
    """A metric's title with a line for each scope; over all of them, its direction, how much, how surely.

    The direction is higher, lower, both or empty.
    """

    title: str
    lines: Sequence[Line]
    direction: str
    effect: str
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


def describe(
    comparisons: Sequence[Comparison],
    scopes: Sequence[tuple[str, Callable[[Mapping[str, Any]], bool]]] = (),
) -> Finding | None:
    """Put comparisons of one metric and one contrast into words; None where there are none."""
    if not comparisons:
        return None
    lines = []
    for scope, wanted in scopes or (("", lambda where: True),):
        chosen = [c for c in comparisons if wanted(c.where)]
        if chosen:
            lines.append(Line(scope, _words(chosen), _sureness(chosen)))
    directions = {c.verdict for c in comparisons} & {"lower", "higher"}
    direction = "both" if len(directions) == 2 else next(iter(directions), "")
    return Finding(comparisons[0].view.title, lines, direction, _medians(comparisons), _sureness(comparisons))


def in_short(name: str, findings: Sequence[Finding]) -> list[str]:
    """Return the findings of one contrast in a few sentences, the surest first."""
    sentences = []
    for sureness, direction, start in (
        ("clear", "higher", f"Higher with {name} in every configuration"),
        ("clear", "lower", f"Lower with {name} in every configuration"),
        ("partly", "higher", f"Higher with {name} in some configurations, never lower"),
        ("partly", "lower", f"Lower with {name} in some configurations, never higher"),
        ("mixed", "both", f"Higher with {name} in some configurations, lower in others"),
        ("open", None, "No difference shown"),
        ("none", None, "Equal in every run"),
        ("unknown", None, "One run, which gives no interval"),
    ):
        found = [f for f in findings if f.sureness == sureness and direction in (None, f.direction)]
        if found:
            sentences.append(f"{start}: {_listed(found, with_effect=direction in ('higher', 'lower'))}.")
    return sentences


def _words(comparisons: Sequence[Comparison]) -> str:
    unit = comparisons[0].view.unit
    count = Counter(c.verdict for c in comparisons)
    n = len(comparisons)
    treatment = _range([c.treatment.mean for c in comparisons], unit)
    if count["same"] == n:
        return f"Equal in every run: {treatment}."
    against = f"{treatment} against {_range([c.baseline.mean for c in comparisons], unit)}"
    parts = []
    for direction in ("lower", "higher"):
        if count[direction]:
            clear = [c for c in comparisons if c.verdict == direction]
            parts.append(f"{direction} in {_of(len(clear), n)}{_effect(clear)}")
    if parts and _sureness(comparisons) == "open":
        parts[-1] += ", as few as chance alone gives"
    if count["same"]:
        parts.append(f"equal in {_of(count['same'], n)}")
    if count["overlap"]:
        parts.append(f"no difference shown in {_of(count['overlap'], n)}, where the 95 % intervals overlap")
    if count["unknown"]:
        parts.append(f"a single good run, which gives no interval, in {_of(count['unknown'], n)}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}. {against[0].upper()}{against[1:]}."


def _sureness(comparisons: Sequence[Comparison]) -> str:
    count = Counter(c.verdict for c in comparisons)
    clear = count["lower"] + count["higher"]
    if count["same"] == len(comparisons):
        return "none"
    if count["overlap"] and clear <= CHANCE * len(comparisons):
        return "open"
    if not clear:
        return "unknown"
    if count["lower"] and count["higher"]:
        return "mixed"
    return "partly" if clear < len(comparisons) else "clear"


def _medians(comparisons: Sequence[Comparison]) -> str:
    """Return both medians over the configurations with a clear difference."""
    clear = [c for c in comparisons if c.verdict in ("lower", "higher")]
    if not clear:
        return ""
    means = ([c.treatment.mean for c in clear], [c.baseline.mean for c in clear])
    texts = [human(float(np.median(m)), clear[0].view.unit) for m in means]
    return " against ".join(texts) if texts[0] != texts[1] else _effect(clear).strip(" ()").removeprefix("median ")


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
        return f" (median {(middle - 1) * 100:+.2g} %)".replace("-", "\N{MINUS SIGN}")
    return f" (median {number_text(middle)} times)"


def _listed(findings: Sequence[Finding], with_effect: bool) -> str:
    texts = []
    for finding in findings:
        title = finding.title
        text = title[0].lower() + title[1:] if title[1:2].islower() else title
        texts.append(f"{text} ({finding.effect})" if with_effect and finding.effect else text)
    return "; ".join(texts)


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
