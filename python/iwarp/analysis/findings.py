# SPDX-License-Identifier: GPL-2.0-only
"""From comparisons to words: what changes with one factor, by how much, in how many configurations, how surely.

Every sentence is computed from paired tests: on average over the configurations of a scope, and in each of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..parameters.quantity import human, number_text, scale
from .comparison import Comparison, Contrast, View, average, compare, explore, judge, turned

__all__ = [
    "Comparison", "Contrast", "Finding", "Group", "Line", "View",
    "average", "compare", "describe", "effect_text", "explore", "group", "in_short", "judge", "level_text", "seen_text",
    "standing_text", "turned",
]  # fmt: skip

_MANY_OCTETS = 10_000  #: from which on a level is told in thousands

Scope = tuple[str, Callable[[Mapping[str, Any]], bool]]


@dataclass(frozen=True)
class Group:
    """The comparisons of one metric in the configurations of a scope, and their average if they are several."""

    scope: str
    comparisons: Sequence[Comparison]
    average: Comparison | None


@dataclass(frozen=True)
class Line:
    """What a metric does in some of the configurations, and how surely.

    ``sureness`` is clear, partly (not shown in some configurations), average (shown on average only), mixed (both
    ways), open (not shown), none (equal in every run) or unknown (no pair of runs to judge by).
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


def group(comparisons: Sequence[Comparison], scopes: Sequence[Scope] = ()) -> list[Group]:
    """Return the comparisons of one metric scope by scope, all in one without scopes; averages judged among them."""
    chosen = {s: [c for c in comparisons if wanted(c.where)] for s, wanted in scopes or (("", lambda where: True),)}
    averages = {s: average(found, s) for s, found in chosen.items()}
    judged = iter(judge([a for a in averages.values() if a]))
    return [Group(s, found, next(judged) if averages[s] else None) for s, found in chosen.items() if found]


def describe(groups: Sequence[Group]) -> Finding | None:
    """Put comparisons of one metric and one contrast into words; None where there are none.

    @param groups with comparisons and averages judged
    """
    everything = [c for g in groups for c in g.comparisons]
    if not everything:
        return None
    lines = [Line(g.scope, _words(g), _sureness([g])) for g in groups]
    sureness = _sureness(groups)
    judged = [g.average for g in groups if g.average] if sureness == "average" else everything
    directions = {c.verdict for c in judged} & {"lower", "higher"}
    direction = "both" if len(directions) == 2 else next(iter(directions), "")
    effect = _shown_on_average(groups) if sureness == "average" else _whole_effect(everything, direction)
    return Finding(everything[0].view.title, lines, direction, effect, sureness)


def in_short(name: str, findings: Sequence[Finding]) -> list[str]:
    """Return the findings of one contrast in a few sentences, the surest first."""
    sentences = []
    for sureness, direction, start in (
        ("clear", "higher", f"Higher with {name} in every configuration"),
        ("clear", "lower", f"Lower with {name} in every configuration"),
        ("partly", "higher", f"Higher with {name} in some configurations, shown lower in none"),
        ("partly", "lower", f"Lower with {name} in some configurations, shown higher in none"),
        ("average", "higher", f"Higher with {name} on average, though shown in no configuration by itself"),
        ("average", "lower", f"Lower with {name} on average, though shown in no configuration by itself"),
        ("mixed", None, f"Higher with {name} in some configurations, lower in others"),
        ("open", None, "No difference shown"),
        ("none", None, "Equal in every run"),
        ("unknown", None, "Too few pairs of runs to tell"),
    ):
        found = [f for f in findings if f.sureness == sureness and direction in (None, f.direction)]
        if found:
            sentences.append(f"{start}: {_listed(found, with_effect=sureness not in ('none', 'unknown'))}.")
    return sentences


def effect_text(comparison: Comparison, interval: bool = True) -> str:
    """Return how large a difference is, as ``+1.2 %``, ``2 times`` or ``+75 percentage points``, with its interval."""
    test = comparison.test
    ends = [test.mean, test.low, test.high] if interval else [test.mean]
    texts, name = _in_one_unit(comparison, ends)
    if not interval or math.isnan(test.low) or test.low == test.high:
        return texts[0] + name
    return f"{texts[0]}{name} (95 % interval {texts[1]} to {texts[2]})"


def range_text(comparison: Comparison, low: float, high: float) -> str:
    """Return from what to what a difference goes, given as its mean is, as ``+1.2 to +3 %`` or ``0.9 to 2 times``."""
    (first, last), name = _in_one_unit(comparison, [low, high])
    return f"{first} to {last}{name}"


def _in_one_unit(comparison: Comparison, ends: Sequence[float]) -> tuple[list[str], str]:
    """Return texts of differences in one unit, and the unit with the space before it."""
    unit = comparison.view.unit
    known = [e for e in ends if not math.isnan(e)]
    if comparison.relative:
        factors = [math.exp(e) for e in ends]
        if all(math.log(0.8) < e < math.log(1.25) for e in known):
            return [_signed(100 * (f - 1)) for f in factors], " %"
        return [number_text(f) for f in factors], " times"
    if unit == "share":
        return [_signed(100 * e) for e in ends], " percentage points"
    divisor, prefixed = scale(max(abs(e) for e in known), "" if unit == "ratio" else unit)
    return [_signed(e / divisor) for e in ends], f" {prefixed}".rstrip()


def seen_text(comparison: Comparison) -> str:
    """Return the smallest difference that would have been seen, as ``4 %``."""
    return _size(comparison, comparison.seen)


def _words(found: Group) -> str:
    comparisons = found.comparisons
    unit = comparisons[0].view.unit
    count = Counter(c.verdict for c in comparisons)
    n = len(comparisons)
    judged = [c for c in comparisons if c.test.n]
    treatment = _range([c.treatment.mean for c in judged], unit) if judged else ""
    if count["same"] == n:
        return f"Equal in every run: {treatment}."
    sentences = []
    if found.average:
        sentences.append(_on_average(found.average, n))
    parts = []
    for direction in ("lower", "higher"):
        clear = [c for c in comparisons if c.verdict == direction]
        if clear:
            effect = f", {effect_text(clear[0])}" if n == 1 else ""
            parts.append(f"{direction} in {_of(len(clear), n)}{effect}")
    if count["same"]:
        parts.append(f"equal in {_of(count['same'], n)}")
    if count["open"]:
        parts.append(f"no difference shown in {_of(count['open'], n)}, {_power(comparisons)}{_standings(comparisons)}")
    if count["unknown"]:
        parts.append(f"less than two pairs of good runs, which give no interval, in {_of(count['unknown'], n)}")
    sentences.append("; ".join(parts) + ".")
    broken = sum(c.broken for c in comparisons)
    if broken:
        sentences.append(f"{broken} pair{'s' if broken > 1 else ''} broken by a failed run or a missing value.")
    if judged:
        sentences.append(f"{treatment} against {_range([c.baseline.mean for c in judged], unit)}.")
    return " ".join(s[0].upper() + s[1:] for s in sentences)


def _on_average(mean: Comparison, n: int) -> str:
    k = mean.where["configurations"]
    over = f"over {_of(k, n)}" if k < n else f"over the {n} configurations"
    if mean.verdict == "open":
        return f"{standing_text(mean)} on average {over}: {effect_text(mean)}; {seen_text(mean)} would have been seen."
    if mean.verdict == "same":
        return f"on average {over} equal."
    return f"on average {over} {effect_text(mean)}."


def standing_text(comparison: Comparison) -> str:
    """Say what is known of a difference that is not shown, as ``equivalent (within ±2 %)``; "shown" of one that is."""
    known = {
        "lower": "shown",
        "higher": "shown",
        "same": "equal in every run",
        "unknown": "too few pairs of runs",
        "partial": "not told, as values are missing",
        "uncorrected": "not shown after correction",
        "undecided": "undecided",
    }
    if comparison.standing != "equivalent":
        return known[comparison.standing]
    view = comparison.view
    least = human(view.relevant, "share" if comparison.relative or view.unit == "share" else view.unit)
    return f"equivalent (within ±{least})"


def _standings(comparisons: Sequence[Comparison]) -> str:
    """Say of how many differences that are not shown more is known."""
    count = Counter(standing_text(c) for c in comparisons if c.standing in ("uncorrected", "equivalent"))
    told = "; ".join(f"{text} in {k}" for text, k in count.items())
    return f" ({told} of them)" if told else ""


def _power(comparisons: Sequence[Comparison]) -> str:
    open_ones = [c for c in comparisons if c.verdict == "open" and not math.isnan(c.seen)]
    if not open_ones:
        return "where all runs of a side agree, which are too few to tell"
    open_ones.sort(key=lambda c: (c.relative, c.seen))
    if len(open_ones) == 1:
        return f"where {effect_text(open_ones[0])} was measured and {seen_text(open_ones[0])} would have been seen"
    alike = [c for c in open_ones if c.relative == open_ones[-1].relative]
    least, most = seen_text(alike[0]), seen_text(alike[-1])
    return f"where {least if least == most else f'{least} to {most}'} would have been seen"


def _sureness(groups: Sequence[Group]) -> str:
    comparisons = [c for g in groups for c in g.comparisons]
    count = Counter(c.verdict for c in comparisons)
    clear = count["lower"] + count["higher"]
    if count["same"] == len(comparisons):
        return "none"
    if count["lower"] and count["higher"]:
        return "mixed"
    if clear:
        return "partly" if clear < len(comparisons) else "clear"
    on_average = {g.average.verdict for g in groups if g.average} & {"lower", "higher"}
    if len(on_average) == 1:
        return "average"
    return "mixed" if on_average else "open" if count["open"] else "unknown"


def _whole_effect(comparisons: Sequence[Comparison], direction: str) -> str:
    """Return the effect over all configurations: on average if that goes where the shown ones do, else of these."""
    if len(comparisons) == 1:
        return effect_text(comparisons[0]) if comparisons[0].test.n else ""
    mean = average(comparisons)
    shown = [c for c in comparisons if c.verdict == direction]
    if shown and (mean is None or not _goes(mean, direction)):
        return (
            f"{_effects(shown)} in the one that shows it" if len(shown) == 1 else f"{_effects(shown)} where it is shown"
        )
    if mean is None:
        return ""
    unit = mean.view.unit
    text = f"on average {effect_text(mean)}"
    if not mean.relative and unit != "share":
        text = f"on average {human(mean.treatment.mean, unit)} against {human(mean.baseline.mean, unit)}"
    clear = _goes(mean, "lower") or _goes(mean, "higher")
    return f"{text}, too few runs to tell beside so many comparisons" if clear and not direction else text


def _goes(found: Comparison, direction: str) -> bool:
    """Tell whether the whole interval of an effect has this direction."""
    test = found.test
    ends = [e for e in (test.mean, test.low, test.high) if not math.isnan(e)]
    return all(e < 0 for e in ends) if direction == "lower" else all(e > 0 for e in ends)


def _effects(comparisons: Sequence[Comparison]) -> str:
    """Return the effect of one comparison with its interval, of several from the least to the most."""
    if len(comparisons) == 1:
        return effect_text(comparisons[0])
    alike = [c for c in comparisons if c.relative == comparisons[0].relative]  # factors and differences do not mix
    ends = [effect_text(pick(alike, key=lambda c: c.test.mean), interval=False) for pick in (min, max)]
    if ends[0] == ends[1]:
        return ends[0]
    number, _, unit = ends[0].partition(" ")
    return f"{number} to {ends[1]}" if ends[1].endswith(f" {unit}") else f"{ends[0]} to {ends[1]}"


def _shown_on_average(groups: Sequence[Group]) -> str:
    """Return the averages that are shown, with their scopes if there are others."""
    parts = []
    for g in groups:
        if g.average and g.average.verdict in ("lower", "higher"):
            where = f"{g.scope}: " if g.scope and len(groups) > 1 else ""
            parts.append(f"{where}on average {effect_text(g.average)}")
    return ", ".join(parts)


def _of(k: int, n: int) -> str:
    if k == n:
        return "the one configuration" if n == 1 else f"all {n} configurations"
    return f"{k} of {n} configurations"


def _size(comparison: Comparison, effect: float) -> str:
    """Return an effect's size without sign: a factor, per cent, percentage points, or in the metric's unit."""
    unit = comparison.view.unit
    if comparison.relative:
        if effect > math.log(10):
            return "more than 10 times"
        factor = math.exp(effect)
        return f"{number_text(100 * (factor - 1), 2)} %" if factor < 1.25 else f"{number_text(factor, 2)} times"
    if unit == "share":  # of which none is further from another
        return "more than 100 percentage points" if effect > 1 else f"{number_text(100 * effect, 2)} percentage points"
    return human(effect, "" if unit == "ratio" else unit, 2)


def _signed(value: float) -> str:
    text = number_text(abs(value))
    return text if value == 0 or text == "0" else ("+" if value > 0 else "\N{MINUS SIGN}") + text


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
    if unit == "octets" and value >= _MANY_OCTETS:
        return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:g} k"
    return f"{value:g}" if isinstance(value, (int, float, np.number)) else str(value)
