# SPDX-License-Identifier: GPL-2.0-only
"""Figures for papers and pages: charts as SVG and PDF, one or two columns wide, in colours that all can tell apart."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis as DrawnAxis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from .chart import Axis, Chart, Facet, Guide, Line

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
SHAPES = ("o", "s", "^", "D", "v", "P")
ONE_COLUMN, TWO_COLUMNS = 3.5, 7.16  #: inches of a paper's columns
_MOST_COLUMNS = 4  #: facets beside each other
_WORDS = 27  #: characters of a level in a line
STYLE = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 8,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "lines.linewidth": 0.8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "pdf.fonttype": 42,  # text that journals take and readers can search
    "svg.fonttype": "path",
    "svg.hashsalt": "iwarp",
}


def figure(chart: Chart, path: Path) -> Path:
    """Draw a chart and write it as SVG, and as PDF beside it; return the path of the SVG file."""
    with matplotlib.rc_context(STYLE):
        return save(draw(chart), path)


def save(drawn: Figure, path: Path) -> Path:
    """Write a figure as SVG, and as PDF beside it, the same octets each time."""
    drawn.draw_without_rendering()
    drawn.set_layout_engine(None)  # once is enough for both
    drawn.savefig(path, format="svg", metadata={"Date": None})
    drawn.savefig(path.with_suffix(".pdf"), format="pdf", metadata={"CreationDate": None})
    return path


def draw(chart: Chart) -> Figure:
    """Draw a chart: numbers along x, or words from top to bottom."""
    across = min(chart.columns, _MOST_COLUMNS)
    down = math.ceil(len(chart.facets) / across) or 1
    worded = chart.x.kind == "words"
    width = ONE_COLUMN if across == 1 else TWO_COLUMNS
    handles = _handles(chart)
    legend = min(len(handles), 2 if across == 1 else 4)
    lines = max((len(textwrap.wrap(text, _WORDS)) for _, text in chart.x.ticks), default=1)
    panel = 0.45 + len(chart.x.ticks) * max(0.17, 0.055 * _most_series(chart), 0.12 * lines) if worded else 1.9
    height = down * panel + 0.16 * math.ceil(len(handles) / legend) + 0.45
    drawn = Figure(figsize=(width, height), layout="constrained")
    panels = drawn.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat
    for axes, facet in zip(panels, chart.facets, strict=False):
        _facet(axes, facet, chart)
        axes.set_title(facet.title)
    for axes in list(panels)[len(chart.facets) :]:
        axes.set_axis_off()
    drawn.supxlabel(chart.y.title if worded else chart.x.title, fontsize="medium")
    drawn.supylabel(chart.x.title if worded else chart.y.title, fontsize="medium")
    drawn.legend(handles=handles, loc="outside upper center", ncols=legend, columnspacing=1.2, handletextpad=0.4)
    return drawn


def _facet(axes: Axes, facet: Facet, chart: Chart) -> None:
    worded = chart.x.kind == "words"
    for guide in facet.guides:
        _guide(axes, guide, worded)
    series = sorted({(line.colour, line.shape) for f in chart.facets for line in f.lines})
    for line in facet.lines:
        place = series.index((line.colour, line.shape)) - (len(series) - 1) / 2
        _line(axes, line, place, worded)
    for drawn_axis, axis in ((axes.xaxis, chart.x), (axes.yaxis, chart.y)):
        _scale(axes, (axes.yaxis if drawn_axis is axes.xaxis else axes.xaxis) if worded else drawn_axis, axis)
    if worded:
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y" if worded else "x")
    if chart.y.unit == "ratio":
        (axes.axvline if worded else axes.axhline)(1.0, color="#555555", linewidth=0.8, linestyle="--")


def _line(axes: Axes, line: Line, place: float, worded: bool) -> None:
    """Draw points and their intervals, a little beside those of other lines, but not off their numbers."""
    aside = ScaledTranslation(0 if worded else place * 1.6 / 72, -place * 3.4 / 72 if worded else 0,
                              axes.figure.dpi_scale_trans)  # fmt: skip
    colour = COLOURS[line.colour % len(COLOURS)]
    at, values = [p.at for p in line.points], [p.value for p in line.points]
    ends = [[p.value - p.low for p in line.points], [p.high - p.value for p in line.points]]
    axes.errorbar(
        values if worded else at,
        at if worded else values,
        **{"xerr" if worded else "yerr": ends},
        color=colour,
        marker=SHAPES[line.colour % len(SHAPES)],
        markerfacecolor=colour if line.shape == 0 else "white",
        markersize=3.6,
        markeredgewidth=0.8,
        linestyle="" if worded or not line.is_joined else "-" if line.shape == 0 else ":",
        elinewidth=0.8,
        capsize=1.6,
        clip_on=False,
        transform=axes.transData + aside,
    )


def _guide(axes: Axes, guide: Guide, worded: bool) -> None:
    x, y = zip(*guide.points, strict=True) if guide.points else ((), ())
    axes.plot(*((y, x) if worded else (x, y)), color="#555555", linewidth=0.9, linestyle=guide.style, zorder=1)


def _scale(axes: Axes, drawn: DrawnAxis, axis: Axis) -> None:
    """Give one of the two axes its scale, its range and its ticks."""
    options = {"linthresh": axis.threshold, "linscale": 0.5} if axis.kind == "symlog" else {}
    along_x = drawn is axes.xaxis
    kind = "linear" if axis.kind == "words" else axis.kind
    (axes.set_xscale if along_x else axes.set_yscale)(kind, **options)
    (axes.set_xlim if along_x else axes.set_ylim)(axis.low, axis.high)
    drawn.set_major_locator(FixedLocator([at for at, _ in axis.ticks]))
    drawn.set_major_formatter(FixedFormatter(["\n".join(textwrap.wrap(text, _WORDS)) for _, text in axis.ticks]))
    drawn.set_minor_locator(NullLocator())


def _most_series(chart: Chart) -> int:
    return len({(line.colour, line.shape) for facet in chart.facets for line in facet.lines})


def _handles(chart: Chart) -> list[Line2D]:
    joined = chart.x.kind != "words"
    handles = []
    for c, name in enumerate(chart.colours):
        look = {"color": COLOURS[c % len(COLOURS)], "marker": SHAPES[c % len(SHAPES)], "linestyle": ""}
        handles.append(Line2D([], [], **look, markersize=4, label=name))
    for s, name in enumerate(chart.shapes):
        look = {"color": "#444444", "marker": "o", "markerfacecolor": "#444444" if s == 0 else "white",
                "linestyle": "" if not joined else "-" if s == 0 else ":"}  # fmt: skip
        handles.append(Line2D([], [], **look, markersize=4, label=name))
    guides = {guide.title: guide.style for facet in chart.facets for guide in facet.guides if guide.points}
    handles += [Line2D([], [], color="#555555", linestyle=style, label=title) for title, style in guides.items()]
    if any(p.high > p.low for f in chart.facets for line in f.lines for p in line.points):
        handles.append(Line2D([], [], color="#444444", marker="|", markersize=7, linestyle="", label="95 % interval"))
    return handles


def agreement(table: pd.DataFrame, path: Path) -> Path:
    """Draw the error of each figure of a validation, in percent, with its bound; fitted ones are open."""
    kinds = list(dict.fromkeys(table["kind"]))
    colours = dict(zip(kinds, COLOURS, strict=False))
    with matplotlib.rc_context(STYLE | {"axes.grid.axis": "x"}):
        drawn = Figure(figsize=(ONE_COLUMN, 0.8 + 0.15 * len(table)), layout="constrained")
        axes = drawn.subplots()
        for y, (_, row) in enumerate(table.iterrows()):
            colour = colours[row["kind"]]
            axes.plot([-row["bound [%]"], row["bound [%]"]], [y, y], color=colour, alpha=0.25, linewidth=4)
            face = "none" if row["use"] == "fitted" else colour
            axes.plot(row["error [%]"], y, "o", color=colour, markerfacecolor=face, markersize=4)
        axes.axvline(0, color="#5b6673", linewidth=0.8)
        axes.set_xscale("symlog", linthresh=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:+g} %" if value else "0 %")
        axes.set_yticks(range(len(table)), table["figure"])
        axes.invert_yaxis()
        axes.set_xlabel("error")
        handles = [Line2D([], [], marker="o", linestyle="", color=colours[k], label=k) for k in kinds]
        drawn.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.1)
        return save(drawn, path)
