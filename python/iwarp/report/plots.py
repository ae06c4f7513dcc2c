# SPDX-License-Identifier: GPL-2.0-only
"""Figures for papers: charts' specifications drawn as SVG and PDF, one or two columns wide."""

from __future__ import annotations

import copy
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import vl_convert

from .chart import Chart
from .vega import COLOURS, SCHEMA, Spec, specify

ONE_COLUMN, TWO_COLUMNS = 252.0, 515.52  #: points of a paper's columns: 3.5 and 7.16 inches of 72
_MOST_COLUMNS = 4  #: facets beside each other
_SIZE = re.compile(r'<svg ([^>]*?)width="([\d.]+)" height="([\d.]+)"')
_FONT = "Liberation Sans, Arial, sans-serif"
LOOKS: Spec = {
    "background": "white",
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {"labelFontSize": 7, "titleFontSize": 8, "titleFontWeight": "normal", "gridColor": "#e3e3e3",
             "gridWidth": 0.5, "domainWidth": 0.6, "tickWidth": 0.6, "tickSize": 3, "titlePadding": 4},
    "legend": {"orient": "top", "labelFontSize": 7, "symbolSize": 30, "columns": 2, "labelLimit": 300, "offset": 4,
               "direction": "horizontal", "columnPadding": 8, "rowPadding": 1},
    "header": {"labelFontSize": 8, "labelPadding": 4},
    "facet": {"spacing": 14},
    "point": {"size": 30},
}  # fmt: skip


def figure(chart: Chart, path: Path) -> Path:
    """Draw a chart and write it as SVG, and as PDF beside it; return the path of the SVG file."""
    across = min(chart.columns, _MOST_COLUMNS)
    spec = specify(chart)
    lines = max((1 + len(text) // 27 for _, text in chart.x.ticks), default=1)
    if spec["usermeta"]["worded"]:
        height = len(chart.x.ticks) * max(14.0, 6.0 * spec["usermeta"]["series"] + 3, 9.0 * lines)
    else:
        height = 110.0
    return fit(spec, ONE_COLUMN if across == 1 else TWO_COLUMNS, across, height, path)


def fit(spec: Spec, width: float, across: int, height: float, path: Path) -> Path:
    """Draw a specification so wide in points, with its parts so high, into files."""
    stacked = {"layout": {"top": {"direction": "vertical" if width <= ONE_COLUMN else "horizontal", "anchor": "start"}}}
    looks = LOOKS | {"legend": LOOKS["legend"] | stacked}
    spec = copy.deepcopy(spec) | {"config": looks, "padding": 2}
    part = spec.get("spec", spec)
    if "columns" in spec:
        spec["columns"] = across
    part["height"] = height
    part["width"] = width / across - 40
    for _ in range(3):  # labels take what room they need: it is known when they are drawn
        svg = vl_convert.vegalite_to_svg(spec)
        drawn = float(_SIZE.search(svg)[2])
        if abs(drawn - width) < 0.5:
            break
        part["width"] = max(20.0, part["width"] + (width - drawn) / across)
    return save(svg, width, path)


def save(svg: str, width: float, path: Path) -> Path:
    """Write an SVG image so wide, in points, and as PDF beside it."""
    found = _SIZE.search(svg)
    drawn, high = float(found[2]), float(found[3])
    box = "" if "viewBox" in svg[:400] else f'viewBox="0 0 {drawn:g} {high:g}" '
    sized = f'<svg {found[1]}{box}width="{width:g}pt" height="{high * width / drawn:g}pt"'
    path.write_text(svg.replace(found[0], sized, 1))
    path.with_suffix(".pdf").write_bytes(vl_convert.svg_to_pdf(svg.replace(found[0], sized.replace('pt"', '"'), 1)))
    return path


def agreement(table: pd.DataFrame, path: Path) -> Path:
    """Draw the error of each figure of a validation, in percent, with its bound; fitted ones are open."""
    kinds = list(dict.fromkeys(table["kind"]))
    rows: list[dict[str, Any]] = [
        {"figure": row["figure"], "kind": row["kind"], "error": None if math.isnan(error) else error,
         "low": -row["bound [%]"], "high": row["bound [%]"], "fitted": row["use"] == "fitted"}
        for _, row in table.iterrows() for error in [float(row["error [%]"])]
    ]  # fmt: skip
    colour = {"field": "kind", "type": "nominal", "title": None,
              "scale": {"domain": kinds, "range": list(COLOURS[: len(kinds)])}}  # fmt: skip
    along = {"field": "figure", "type": "nominal", "sort": None, "title": None,
             "axis": {"labelLimit": 300, "ticks": False, "grid": False}}  # fmt: skip
    most = max(100.0, *(abs(row["error"]) for row in rows if row["error"] is not None))
    error = {"type": "quantitative", "title": "error [%]",
             "scale": {"type": "symlog", "constant": 2, "domain": [-most, most]},
             "axis": {"values": [-100, -20, -5, 0, 5, 20, 100]}}  # fmt: skip
    spec: Spec = {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "encoding": {"y": along},
        "layer": [
            {"mark": {"type": "bar", "opacity": 0.25, "height": 4},
             "encoding": {"x": error | {"field": "low"}, "x2": {"field": "high"}, "color": colour | {"legend": None}}},
            {"mark": {"type": "point", "size": 25, "strokeWidth": 1, "opacity": 1},
             "encoding": {"x": error | {"field": "error"}, "stroke": colour, "fill": colour | {"legend": None},
                          "fillOpacity": {"condition": {"test": "datum.fitted", "value": 0}, "value": 1}}},
        ],
    }  # fmt: skip
    return fit(spec, ONE_COLUMN, 1, 11.0 * len(table), path)
