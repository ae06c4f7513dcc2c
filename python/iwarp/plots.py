# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a summary: small multiples with error bars, in colours that everyone can tell apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter

from .findings import View, level_text
from .quantity import scale

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
SHAPES = ("o", "s", "^", "D", "v", "P")
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "savefig.dpi": 130,
}


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


def figure(
    summary: pd.DataFrame, view: View, layout: Layout, names: Names, path: Path, references: Sequence[Reference] = ()
) -> Path:
    """Draw one metric over all configurations and write it as PNG.

    Factors of ``layout`` that the summary lacks are left out of the picture.
    """
    references = [r for r in references if r.column in summary]
    data = summary[summary["runs"] > 0].dropna(subset=[view.metric])
    rows = _levels(data, layout.rows, names)
    columns = _column_levels(data, [c for c in layout.columns if c in data])
    logarithmic = is_log(data, view)
    divisor, unit = (1.0, view.unit) if logarithmic else scale(_largest(data, view.metric), view.unit)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(
            len(rows),
            len(columns),
            figsize=_size(data, layout, len(rows), len(columns)),
            sharex=True,
            sharey="row",
            squeeze=False,
            layout="constrained",
        )
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                part = _pick(data, {layout.rows: row, **column})
                _panel(axes[i][j], part, data, view, layout, names, divisor)
                for reference in references:
                    _reference(axes[i][j], part, data, reference, layout, names, divisor)
                if i == 0:
                    axes[i][j].set_title(", ".join(names.both(k, v) for k, v in column.items()))
                if i == len(rows) - 1:
                    axes[i][j].set_xlabel(names.title(layout.x))
                if view.unit == "ratio":
                    axes[i][j].axhline(1.0, color="#555555", linewidth=0.8, linestyle="--")
            _scale_y(axes[i][0], _pick(data, {layout.rows: row}), view, divisor, logarithmic, references)
            if len(rows) > 1:
                axes[i][0].set_ylabel(names.level(layout.rows, row).capitalize())
        label = view.title + (" (log)" if logarithmic else "")
        fig.supylabel(f"{label} [{unit}]" if unit else label, fontsize="medium")
        _legend(fig, data, layout, names, references)
        fig.savefig(path)
        plt.close(fig)
    return path


def _size(data: pd.DataFrame, layout: Layout, rows: int, columns: int) -> tuple[float, float]:
    """Return the inches of a figure: levels that are words need room."""
    worded = _is_worded(data, layout.x)
    panel = max(2.65, 0.85 * data[layout.x].nunique()) if worded else 2.65
    return max(5.0, panel * columns + 0.8), (2.35 + 0.9 * worded) * rows + 1.0


def _is_worded(data: pd.DataFrame, factor: str) -> bool:
    """Tell whether a factor's levels are words, which no line joins."""
    return factor in data and not pd.api.types.is_numeric_dtype(data[factor])


def _panel(
    axes: plt.Axes,
    part: pd.DataFrame,
    data: pd.DataFrame,
    view: View,
    layout: Layout,
    names: Names,
    divisor: float,
) -> None:
    xs, colours, shapes = (_levels(data, f, names) for f in (layout.x, layout.colour, layout.shape))
    series = [(c, s) for c in range(len(colours)) for s in range(len(shapes))]
    worded = _is_worded(data, layout.x)
    for k, (c, s) in enumerate(series):
        chosen = _pick(part, {layout.colour: colours[c], layout.shape: shapes[s]})
        if chosen.empty:
            continue
        chosen = chosen.sort_values(layout.x, key=lambda v: v.map(xs.index)) if layout.x in chosen else chosen
        offset = 0.13 * (k - (len(series) - 1) / 2)
        where = [xs.index(v) + offset for v in chosen[layout.x]] if layout.x in chosen else [offset]
        axes.errorbar(
            where,
            chosen[view.metric] / divisor,
            yerr=chosen[f"{view.metric}_ci95"].fillna(0) / divisor,
            color=COLOURS[c % len(COLOURS)],
            marker=SHAPES[c % len(SHAPES)],
            markerfacecolor=COLOURS[c % len(COLOURS)] if s == 0 else "white",
            markersize=5,
            linewidth=0.7,
            linestyle="" if worded else "-" if s == 0 else ":",
            elinewidth=1.1,
            capsize=2.5,
        )
    turn = {"rotation": 25, "ha": "right", "rotation_mode": "anchor"} if worded else {}
    axes.set_xticks(range(len(xs)), [names.level(layout.x, v) for v in xs], **turn)
    axes.set_xlim(-0.5, len(xs) - 0.5)


def _reference(
    axes: plt.Axes,
    part: pd.DataFrame,
    data: pd.DataFrame,
    reference: Reference,
    layout: Layout,
    names: Names,
    divisor: float,
) -> None:
    """Draw a line through one value a level of x."""
    xs = _levels(data, layout.x, names)
    by_level = part.groupby(layout.x)[reference.column].mean()
    where = [k for k, x in enumerate(xs) if x in by_level.index]
    values = [by_level[xs[k]] / divisor for k in where]
    axes.plot(where, values, color="#555555", linewidth=1.0, linestyle=reference.style, zorder=1)


def _scale_y(
    axes: plt.Axes,
    data: pd.DataFrame,
    view: View,
    divisor: float,
    logarithmic: bool,
    references: Sequence[Reference],
) -> None:
    """Set one row's vertical axis, which is logarithmic or begins at zero."""
    values = data[view.metric] / divisor
    halves = (data[f"{view.metric}_ci95"] / divisor).fillna(0)
    top = float((values + halves).max())
    for reference in references:
        top = max(top, float(data[reference.column].max()) / divisor)
    if logarithmic and (values > 0).any():
        smallest = float(values[values > 0].min())
        if (values <= 0).any():
            threshold = 10 ** math.floor(math.log10(smallest))
            axes.set_yscale("symlog", linthresh=threshold, linscale=0.5)
            axes.set_ylim(-0.15 * threshold, 2 * top)
            decades = range(round(math.log10(threshold)), math.ceil(math.log10(top)) + 1)
            axes.set_yticks([0, *(10.0**d for d in decades)])
        else:
            axes.set_yscale("log")
            axes.set_ylim(smallest / 2, 2 * top)
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top < 100 * smallest else (1,)))
        axes.yaxis.set_major_formatter(EngFormatter(sep=" "))
        axes.yaxis.set_minor_formatter(NullFormatter())
        return
    if view.unit != "ratio":
        axes.set_ylim(-0.03 * top, 1.08 * top if top > 0 else 1)
    axes.yaxis.set_major_locator(MaxNLocator(5))


def is_log(data: pd.DataFrame, view: View) -> bool:
    """Return whether a metric gets a logarithmic axis: positive values a factor of 30 apart or more."""
    positive = data[view.metric][data[view.metric] > 0]
    return view.log and len(positive) > 0 and positive.max() >= 30 * positive.min()


def _legend(
    fig: plt.Figure, data: pd.DataFrame, layout: Layout, names: Names, references: Sequence[Reference]
) -> None:
    handles = []
    for c, value in enumerate(_levels(data, layout.colour, names)):
        if layout.colour in data:
            look = {"color": COLOURS[c % len(COLOURS)], "marker": SHAPES[c % len(SHAPES)], "linestyle": ""}
            handles.append(Line2D([], [], **look, label=names.both(layout.colour, value)))
    for s, value in enumerate(_levels(data, layout.shape, names)):
        if layout.shape in data:
            fill = "#444444" if s == 0 else "white"
            look = {"color": "#444444", "marker": "o", "markerfacecolor": fill,
                    "linestyle": "" if _is_worded(data, layout.x) else "-" if s == 0 else ":"}  # fmt: skip
            handles.append(Line2D([], [], **look, linewidth=0.8, label=names.both(layout.shape, value)))
    for reference in references:
        handles.append(Line2D([], [], color="#555555", linestyle=reference.style, label=reference.title))
    handles.append(Line2D([], [], color="#444444", marker="|", markersize=9, linestyle="", label="95 % interval"))
    columns = max(2, int(fig.get_figwidth() / 1.9))  # a name takes about that much
    fig.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), columns))


def _levels(data: pd.DataFrame, factor: str, names: Names) -> list[Any]:
    """Return a factor's levels: named ones in their order, then by value, on before off."""
    if factor not in data:
        return [None]
    named = [value for name, value in names.levels if name == factor]

    def place(value: Any) -> tuple:
        return (named.index(value), "") if value in named else (len(named), -value if value is True else value)

    return sorted(data[factor].unique().tolist(), key=place)


def _column_levels(data: pd.DataFrame, factors: Sequence[str]) -> list[dict[str, Any]]:
    if not factors:
        return [{}]
    found = data[list(factors)].drop_duplicates().sort_values(list(factors))
    return found.to_dict("records")


def _pick(data: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    for factor, value in where.items():
        if factor in data:
            data = data[data[factor] == value]
    return data


def _largest(data: pd.DataFrame, metric: str) -> float:
    return float(data[metric].abs().max()) if len(data) else 0.0


def agreement(table: pd.DataFrame, path: Path) -> Path:
    """Draw the error of each figure of a validation, in percent, with its bound; fitted ones are open."""
    kinds = list(dict.fromkeys(table["kind"]))
    colours = dict(zip(kinds, COLOURS, strict=False))
    with plt.rc_context(STYLE | {"axes.grid.axis": "x"}):
        figure, axes = plt.subplots(figsize=(8, 1 + 0.22 * len(table)), layout="constrained")
        for y, (_, row) in enumerate(table.iterrows()):
            colour = colours[row["kind"]]
            axes.plot([-100 * row["bound"], 100 * row["bound"]], [y, y], color=colour, alpha=0.25, linewidth=5)
            face = "none" if row["use"] == "fitted" else colour
            axes.plot(100 * row["error"], y, "o", color=colour, markerfacecolor=face)
        axes.axvline(0, color="#5b6673", linewidth=0.8)
        axes.set_xscale("symlog", linthresh=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:+g} %")
        axes.set_yticks(range(len(table)), table["figure"])
        axes.invert_yaxis()
        axes.set_xlabel("error")
        axes.legend(handles=[Line2D([], [], marker="o", linestyle="", color=colours[k], label=k) for k in kinds])
        figure.savefig(path)
        plt.close(figure)
    return path
