# SPDX-License-Identifier: GPL-2.0-only
"""What a figure shows, before anything draws it: facets of lines of points, on axes that suit factor and metric."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.findings import View, level_text
from ..parameters.quantity import human, number_text, scale

_WIDE = 20.0  #: levels this many times apart get a logarithmic axis
_PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
             "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}  # fmt: skip
_NUMBER = re.compile(r"([\d,]*\.?\d+(?:e[-+]?\d+)?)\s*(n|µ|m|k|M|G|T|Ki|Mi|Gi)?(octets|B|bit/s|s|%)?")


@dataclass(frozen=True)
class Layout:
    """Which factor is where: along x, as colour, as filled or open shape, in rows and in columns."""

    x: str
    colour: str
    shape: str
    rows: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """A line to compare with: a column of the summary, its name and its style."""

    column: str
    title: str
    style: str


@dataclass(frozen=True)
class Names:
    """Titles of factors and names of their levels, where ``level_text`` is not enough."""

    titles: Mapping[str, str]
    levels: Mapping[tuple[str, Any], str]
    units: Mapping[str, str]

    def title(self, factor: str) -> str:
        return self.titles.get(factor, factor.replace("_", " "))

    def level(self, factor: str, value: Any) -> str:
        return self.levels.get((factor, value)) or level_text(factor, value, self.units)

    def both(self, factor: str, value: Any) -> str:
        named = self.levels.get((factor, value))
        return named or f"{self.title(factor)} {self.level(factor, value)}"

    def number(self, factor: str, value: Any) -> float | None:
        """Return where a level stands on a numeric axis: what its name says, or itself; None if it is no number."""
        named = self.levels.get((factor, value))
        if named is not None or isinstance(value, str):
            return _read(named or str(value))
        return None if isinstance(value, (bool, np.bool_)) else float(value)


@dataclass(frozen=True)
class Point:
    """A mean with the ends of its interval, at a level of the factor; ``text`` says so in words."""

    at: float
    value: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Line:
    """Points of one colour and shape, by the indices of their levels."""

    colour: int
    shape: int
    points: Sequence[Point]

    @property
    def is_joined(self) -> bool:
        """Tell whether there is one point a level, so that a line through them means something."""
        return len({p.at for p in self.points}) == len(self.points)


@dataclass(frozen=True)
class Guide:
    """A line to compare with, through one value a level."""

    title: str
    style: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Facet:
    """A part of a figure: what all of its points have in common, by title of the factor."""

    where: Mapping[str, str]
    title: str
    lines: Sequence[Line]
    guides: Sequence[Guide]


@dataclass(frozen=True)
class Axis:
    """An axis: ``kind`` is words, linear, log or symlog, which is linear from 0 to ``threshold``.

    Values over ``divisor`` are in the unit that the title names.
    """

    title: str
    kind: str
    ticks: Sequence[tuple[float, str]]
    low: float
    high: float
    unit: str = ""
    divisor: float = 1.0
    threshold: float = 0.0


@dataclass(frozen=True)
class Chart:
    """A metric over a factor; names of colours and shapes, in the order of their indices; facets in a row."""

    title: str
    x: Axis
    y: Axis
    facets: Sequence[Facet]
    columns: int
    colours: Sequence[str]
    shapes: Sequence[str]


def build(
    summary: pd.DataFrame, view: View, layout: Layout, names: Names, references: Sequence[Reference] = ()
) -> Chart:
    """Return the chart of one metric over all configurations of a summary.

    Factors of ``layout`` that the summary lacks are left out.
    """
    references = [r for r in references if r.column in summary]
    factors = [layout.x, layout.colour, layout.shape, layout.rows, *layout.columns]
    measured = [view.metric, *(f"{view.metric}_{end}" for end in ("low", "high", "n"))]
    wanted = [*factors, "runs", *measured, *(r.column for r in references)]
    data = summary.loc[summary["runs"] > 0, [c for c in dict.fromkeys(wanted) if c in summary]]
    data = data.dropna(subset=[view.metric]).copy()
    data["_low"], data["_high"] = _interval(data, view)
    xs, colours, shapes = (levels(data, f, names) for f in (layout.x, layout.colour, layout.shape))
    x = factor_axis(xs, layout.x, names)
    places = dict(zip(xs, _places(xs, layout.x, names), strict=True))
    columns = _combinations(data, layout.columns)
    worded = {v for v in xs if x.kind != "words" and names.number(layout.x, v) is None}

    def stretches(part: pd.DataFrame) -> list[pd.DataFrame]:
        """Split configurations so that a line joins numbers only: apart from them a level that is named in words."""
        if not worded or part.empty:
            return [part] if len(part) else []
        apart = part[layout.x].isin(worded)
        return [found for found in (part[~apart], part[apart]) if len(found)]

    facets = []
    for row in levels(data, layout.rows, names):
        for column in columns:
            where = {f: v for f, v in {layout.rows: row, **column}.items() if f in data}
            part = _pick(data, where)
            lines = [
                Line(c, s, _points(chosen, view, layout, names, places))
                for c, colour in enumerate(colours)
                for s, shape in enumerate(shapes)
                for chosen in stretches(_pick(part, {layout.colour: colour, layout.shape: shape}))
            ]
            told = [names.both(f, v) for f, v in where.items() if data[f].nunique() > 1]
            named = {names.title(f): names.level(f, v) for f, v in where.items()}
            if lines:
                guides = [_guide(stretches(part)[0], r, layout, places) for r in references]
                facets.append(Facet(named, ", ".join(told), lines, guides))
    return Chart(
        view.title,
        x,
        value_axis(data, view, references),
        facets,
        len(columns),
        [names.both(layout.colour, v) for v in colours] if layout.colour in data else [],
        [names.both(layout.shape, v) for v in shapes] if layout.shape in data else [],
    )


def levels(data: pd.DataFrame, factor: str, names: Names) -> list[Any]:
    """Return a factor's levels: named ones in their order, then by value, on before off."""
    if factor not in data:
        return [None]
    named = [value for name, value in names.levels if name == factor]

    def place(value: Any) -> tuple:
        return (named.index(value), "") if value in named else (len(named), -value if value is True else value)

    return sorted(data[factor].unique().tolist(), key=place)


def factor_axis(values: Sequence[Any], factor: str, names: Names) -> Axis:
    """Return the axis of a factor: of numbers where its levels are such, else of words."""
    title = names.title(factor)
    places = _places(values, factor, names)
    texts = [_level_text(factor, v, names) for v in values]
    if not _is_numeric(values, factor, names):
        return Axis(title, "words", list(zip(places, texts, strict=True)), -0.5, len(values) - 0.5)
    low, high = min(places), max(places)
    positive = [p for p in places if p > 0]
    kind = "linear"
    if low >= 0 and high >= _WIDE * min(positive):
        kind = "log" if low > 0 else "symlog"
    threshold = min(positive) if kind == "symlog" else 0.0
    edge = (high / min(positive)) ** 0.05 if kind != "linear" else 0.05 * (high - low)
    ends = {
        "linear": (low - edge, high + edge),
        "log": (low / edge, high * edge),
        "symlog": (-0.1 * threshold, high * edge),
    }
    ticks = _spaced(sorted(zip(places, texts, strict=True)), kind, threshold)
    return Axis(title, kind, ticks, *ends[kind], threshold=threshold)


def value_axis(data: pd.DataFrame, view: View, references: Sequence[Reference] = ()) -> Axis:
    """Return the axis of a metric, on which means and intervals are whole: logarithmic, or beginning at zero."""
    values = data[view.metric]
    low = min(float(data["_low"].min()), float(values.min()))  # an interval of the median need not hold the mean
    high = max(float(data["_high"].max()), float(values.max()))
    for reference in references:
        low, high = min(low, float(data[reference.column].min())), max(high, float(data[reference.column].max()))
    if not is_log(data, view):
        divisor, unit = scale(max(abs(low), abs(high)), view.unit)
        low, high = min(low, 0.0), high if high > 0 else divisor
        room = 0.04 * (high - low)
        title = f"{view.title} [{unit}]" if unit and unit != "ratio" else view.title
        ticks = [(t * divisor, number_text(t)) for t in round_ticks(low / divisor, high / divisor)]
        return Axis(title, "linear", ticks, low - room, high + room, view.unit, divisor)
    smallest = float(values[values > 0].min())
    title = f"{view.title} [octets]" if view.unit == "octets" else view.title
    if low >= smallest / 30:
        ticks = [(t, axis_text(t, view.unit)) for t in _decades(low, high)]
        return Axis(title, "log", ticks, low / 1.3, high * 1.3, view.unit)
    threshold = 10.0 ** math.floor(math.log10(smallest))
    ticks = [(t, axis_text(t, view.unit)) for t in (0.0, *_decades(threshold, high))]
    return Axis(title, "symlog", ticks, -0.1 * threshold, high * 1.5, view.unit, threshold=threshold)


def is_log(data: pd.DataFrame, view: View) -> bool:
    """Return whether a metric gets a logarithmic axis: positive values a factor of 30 apart or more."""
    positive = data[view.metric][data[view.metric] > 0]
    return view.log and len(positive) > 0 and positive.max() >= 30 * positive.min()


def axis_text(value: float, unit: str) -> str:
    """Return a number as engineers write it on an axis: ``10 µs``, ``2.5 Gbit/s``, ``64 k``."""
    if unit in ("s", "bit/s", "octets/s", "share"):
        return "0" if value == 0 else human(value, unit)
    for prefix in ("T", "G", "M", "k"):
        if abs(value) >= _PREFIXES[prefix]:
            return f"{number_text(value / _PREFIXES[prefix])} {prefix}"
    return number_text(value)


def _level_text(factor: str, value: Any, names: Names) -> str:
    if value is None:
        return ""
    text = names.level(factor, value)
    plain = isinstance(value, (int, float)) and not isinstance(value, bool) and (factor, value) not in names.levels
    if plain and text == f"{value:g}":  # large ones read better with a prefix
        return axis_text(value, "") if abs(value) >= 1e5 else f"{value:,g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return text


def _read(text: str) -> float | None:
    """Return the number that a text is, with prefix and unit or without, or a fraction."""
    upper, slash, lower = text.partition("/")
    if slash and upper.isdigit() and lower.isdigit() and int(lower):
        return int(upper) / int(lower)
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        return None
    number, prefix, unit = found.groups()
    return float(number.replace(",", "")) * _PREFIXES.get(prefix, 1.0) * (0.01 if unit == "%" else 1.0)


def _is_numeric(values: Sequence[Any], factor: str, names: Names) -> bool:
    """Tell whether levels are numbers; one that is named in words, such as "no limit", stands beside them."""
    found = [None if v is None else names.number(factor, v) for v in values]
    words = sum(n is None for n in found)
    return len(set(found) - {None}) >= 2 and words <= 1 and all(
        n is not None or not isinstance(v, str) for n, v in zip(found, values, strict=True)
    )  # fmt: skip


def _places(values: Sequence[Any], factor: str, names: Names) -> list[float]:
    """Return where levels stand: numbers at themselves, the one that is named in words behind them."""
    if not _is_numeric(values, factor, names):
        return [float(k) for k in range(len(values))]
    numbers = [names.number(factor, v) for v in values]
    known = sorted(n for n in numbers if n is not None)
    positive = [n for n in known if n > 0]
    if known[0] >= 0 and known[-1] >= _WIDE * positive[0]:
        behind = known[-1] * (known[-1] / positive[0]) ** 0.25
    else:
        behind = known[-1] + 0.25 * (known[-1] - known[0])
    return [behind if n is None else n for n in numbers]


def _interval(data: pd.DataFrame, view: View) -> tuple[pd.Series, pd.Series]:
    """Return the ends of the intervals; both are the mean where there is none."""
    mean = data[view.metric]
    return data[f"{view.metric}_low"].fillna(mean), data[f"{view.metric}_high"].fillna(mean)


def _points(chosen: pd.DataFrame, view: View, layout: Layout, names: Names, places: Mapping[Any, float]) -> list[Point]:
    found = []
    for row in chosen.to_dict("records"):
        level = row.get(layout.x)
        value, low, high = row[view.metric], row["_low"], row["_high"]
        text = f"{names.both(layout.x, level)}: " if layout.x in row else ""
        text += human(value, view.unit)
        if high > low:
            whose = "" if low <= value <= high else " of the median"
            text += f" (95 % interval{whose} {human(low, view.unit)} to {human(high, view.unit)})"
        runs, known = int(row["runs"]), int(row[f"{view.metric}_n"])
        of = f"{known} of " if known < runs else ""
        found.append(Point(places[level], value, low, high, f"{text}, {of}{runs} run{'s' if runs > 1 else ''}"))
    return sorted(found, key=lambda p: p.at)


def _guide(part: pd.DataFrame, reference: Reference, layout: Layout, places: Mapping[Any, float]) -> Guide:
    by_level = part.groupby(layout.x)[reference.column].mean() if layout.x in part else pd.Series(dtype=float)
    points = sorted((places[level], float(value)) for level, value in by_level.items() if math.isfinite(value))
    return Guide(reference.title, reference.style, points)


def _combinations(data: pd.DataFrame, factors: Sequence[str]) -> list[dict[str, Any]]:
    factors = [f for f in factors if f in data]
    if not factors:
        return [{}]
    return data[factors].drop_duplicates().sort_values(factors).to_dict("records")


def _pick(data: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    for factor, value in where.items():
        if factor in data:
            data = data[data[factor] == value]
    return data


def _spaced(ticks: Sequence[tuple[float, str]], kind: str, threshold: float) -> list[tuple[float, str]]:
    """Return the ticks whose texts have room, the first and the last among them."""

    def place(at: float) -> float:
        if kind == "linear":
            return at
        return math.log10(at) if at > 0 and at >= threshold else math.log10(threshold) - 1 + at / threshold

    first, last = place(ticks[0][0]), place(ticks[-1][0])
    room = 0.13 * (last - first)
    kept = [ticks[0]]
    for tick in ticks[1:-1]:
        if place(tick[0]) - place(kept[-1][0]) >= room and last - place(tick[0]) >= room:
            kept.append(tick)
    return [*kept, ticks[-1]]


def _decades(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high; with 2 and 5 between them if they are few, each other if many."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if len(exponents) <= 3:
        found = [m * 10.0**e for e in exponents for m in (1, 2, 5)]
    else:
        found = [10.0**e for e in exponents[:: 1 + len(exponents) // 7]]
    return [t for t in found if low / 1.3 <= t <= high * 1.3]


def round_ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers from low to high."""
    span = high - low
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(m for m in (1, 2, 2.5, 5, 10) if span / (m * step) <= 5.5)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]
