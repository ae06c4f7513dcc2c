# SPDX-License-Identifier: GPL-2.0-only
"""Charts as specifications of Vega-Lite: the one definition of a figure, from which pages and files are drawn.

A row of data is a point or a place on a guide, with what its facet has in common; what is chosen on a page are rows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from .chart import Axis, Chart, Facet

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  #: a name, which nothing loads
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = {"--": [4, 3], ":": [1, 2], "-": [1, 0]}
_SOFT = "#6b7480"  #: of lines to compare with, readable on both grounds
_WORDS = 27  #: characters of a level in a line
_ASIDE = 1.6  #: points by which lines are moved apart
_TYPES = {"words": "linear", "linear": "linear", "log": "log", "symlog": "symlog"}

Spec = dict[str, Any]


def specify(chart: Chart) -> Spec:
    """Return the specification of a chart, but for the size of its facets and the looks of the ground.

    ``usermeta`` has the factors that facets differ in, as rows name them, and what tells words along an axis.
    """
    worded = chart.x.kind == "words"
    factors = list(dict.fromkeys(title for facet in chart.facets for title in facet.where))
    series = sorted({(line.colour, line.shape) for facet in chart.facets for line in facet.lines})
    rows = [row for facet in chart.facets for row in _rows(facet, chart, factors, series)]
    layers = [_guides(chart), *_points(chart, factors, len(series))]
    if chart.y.unit == "ratio":
        layers.append(_one(worded))
    faceted = len(chart.facets) > 1
    spec: Spec = {
        "$schema": SCHEMA,
        "title": None,
        "data": {"values": rows},
        "usermeta": {
            "title": chart.title,
            "worded": worded,
            "factors": [{"title": title, "field": f"where{k}"} for k, title in enumerate(factors)],
            "series": len(series),
        },
    }
    if not faceted:
        return spec | {"layer": layers}
    heading = {"field": "facet", "type": "nominal", "title": None, "sort": None, "header": {"labelFontWeight": "bold"}}
    return spec | {"facet": heading, "columns": chart.columns, "spec": {"layer": layers}}


def _rows(
    facet: Facet, chart: Chart, factors: Sequence[str], series: Sequence[tuple[int, int]]
) -> list[Mapping[str, Any]]:
    over = chart.y.divisor
    common = {"facet": facet.title} | {f"where{k}": facet.where.get(title, "") for k, title in enumerate(factors)}
    words = dict(chart.x.ticks) if chart.x.kind == "words" else {}

    def place(at: float) -> dict[str, Any]:
        return {"word": words[at]} if words else {"x": _short(at)}

    rows = []
    for number, line in enumerate(facet.lines):
        for point in line.points:
            rows.append({
                **common, "kind": "point", **place(point.at), "text": point.text, "line": number,
                "y": _short(point.value / over), "low": _short(point.low / over), "high": _short(point.high / over),
                "colour": chart.colours[line.colour] if chart.colours else "",
                "shape": chart.shapes[line.shape] if chart.shapes else "", "open": line.shape > 0,
                "joined": line.is_joined and not words, "series": series.index((line.colour, line.shape)),
            })  # fmt: skip
    for guide in facet.guides:
        rows += [{**common, "kind": "guide", **place(x), "y": _short(y / over), "guide": guide.title}
                 for x, y in guide.points]  # fmt: skip
    return rows


def _channels(chart: Chart) -> tuple[Spec, str, str]:
    """Return the channels of places, and the names of those of the value and of its other end."""
    value = {"field": "y", "type": "quantitative", "scale": _scale(chart.y, chart.y.divisor),
             "axis": _axis(chart.y, chart.y.divisor)}  # fmt: skip
    if chart.x.kind == "words":
        texts = [text for _, text in chart.x.ticks]
        along = {"field": "word", "type": "nominal", "sort": texts, "title": chart.x.title or None,
                 "axis": {"labelExpr": _lookup("datum.value", texts, [_wrapped(t) for t in texts]), "labelLimit": 400,
                          "ticks": False, "grid": False}}  # fmt: skip
        return {"x": value, "y": along}, "x", "x2"
    along = {"field": "x", "type": "quantitative", "scale": _scale(chart.x), "axis": _axis(chart.x) | {"grid": False}}
    return {"x": along, "y": value}, "y", "y2"


def _points(chart: Chart, factors: Sequence[str], series: int) -> list[Spec]:
    """Return the layers of points: their intervals, lines through them, and themselves, of which one tells more."""
    places, value, other = _channels(chart)
    names = list(chart.colours) or [""]
    colour = {"field": "colour", "type": "nominal", "title": None,
              "scale": {"domain": names, "range": [COLOURS[k % len(COLOURS)] for k in range(len(names))]},
              **({"legend": None} if len(names) < 2 else {})}  # fmt: skip
    aside: Spec = {}
    if chart.x.kind == "words":
        places = places | {"yOffset": {"field": "series", "type": "ordinal"}}
    elif series > 1:  # a little beside those of other lines
        aside = {"xOffset": {"expr": f"(datum.series - {(series - 1) / 2:g}) * {_ASIDE}"}}
    dashed = {"condition": {"test": "datum.open", "value": DASHES[":"]}, "value": DASHES["-"]}
    told = [("text", chart.title), ("colour", "line"), ("shape", "kind"),
            *((f"where{k}", title) for k, title in enumerate(factors))]  # fmt: skip
    looks: Spec = {
        "color": colour,
        "shape": colour | {"scale": {"domain": names, "range": [SHAPES[k % len(SHAPES)] for k in range(len(names))]}},
        "tooltip": [{"field": field, "title": title} for field, title in told],
    }  # fmt: skip
    line = {"color": colour, "strokeDash": dashed, "detail": [{"field": "line"}]}
    point = {"type": "point", "strokeWidth": 1, "opacity": 1, **aside}
    rule = {"type": "rule", "strokeWidth": 1, **aside}
    ends = places | {value: places[value] | {"field": "low"}, other: {"field": "high"}}
    return [
        _layer("datum.kind == 'point' && datum.high > datum.low", rule, ends | {"color": colour}),
        _layer("datum.kind == 'point' && datum.joined", {"type": "line", "strokeWidth": 1, **aside}, places | line),
        _layer(
            "datum.kind == 'point' && datum.open", point | {"filled": False, "fill": "white"}, places | looks
        ),
        _layer("datum.kind == 'point' && !datum.open", point | {"filled": True}, places | looks),
        *_openness(chart.shapes),
    ]


def _openness(shapes: Sequence[str]) -> list[Spec]:
    """Return a layer without a mark, whose legend says what points that are filled are, and what open ones.

    Strokes of its symbols fill them or not: there is no legend for the opacity of what fills.
    """
    if len(shapes) < 2:
        return []
    legend = {"symbolFillColor": "transparent", "symbolStrokeColor": _SOFT, "symbolType": "circle", "symbolSize": 16}
    width = {"field": "shape", "type": "ordinal", "title": None, "legend": legend,
             "scale": {"domain": list(shapes), "range": [4, *(1 for _ in shapes[1:])]}}  # fmt: skip
    unseen = {"type": "point", "size": 0, "opacity": 0, "aria": False}
    return [_layer("datum.kind == 'point'", unseen, {"strokeWidth": width})]


def _guides(chart: Chart) -> Spec:
    places, _, _ = _channels(chart)
    styles = {guide.title: guide.style for facet in chart.facets for guide in facet.guides if guide.points}
    if not styles:
        return _layer("datum.kind == 'guide'", {"type": "line"}, places)
    dashes = {"field": "guide", "type": "nominal", "title": None, "legend": {"symbolStrokeColor": _SOFT},
              "scale": {"domain": list(styles), "range": [DASHES[style] for style in styles.values()]}}  # fmt: skip
    line = {"type": "line", "strokeWidth": 1.2, "color": _SOFT}
    return _layer("datum.kind == 'guide'", line, places | {"strokeDash": dashes})


def _one(worded: bool) -> Spec:
    """Return a line where two are alike, of which a chart shows the ratio."""
    along = "x" if worded else "y"
    mark = {"type": "rule", "strokeDash": DASHES["--"], "color": _SOFT}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {along: {"datum": 1, "type": "quantitative"}}}


def _layer(chosen: str, mark: Spec, encoding: Spec) -> Spec:
    return {"transform": [{"filter": chosen}], "mark": mark, "encoding": encoding}


def _scale(axis: Axis, divisor: float = 1.0) -> Spec:
    ends = {"domain": [_short(axis.low / divisor), _short(axis.high / divisor)], "nice": False, "zero": False}
    constant = {"constant": axis.threshold} if axis.kind == "symlog" else {}
    return {"type": _TYPES[axis.kind], **ends, **constant}


def _axis(axis: Axis, divisor: float = 1.0) -> Spec:
    values = [_short(at / divisor) for at, _ in axis.ticks]
    texts = [_wrapped(text) for _, text in axis.ticks]
    return {"title": axis.title, "values": values, "labelExpr": _lookup("datum.value", values, texts),
            "labelOverlap": False, "labelLimit": 400}  # fmt: skip


def _lookup(of: str, values: Sequence[Any], texts: Sequence[Any]) -> str:
    """Return an expression of Vega that gives the text of a value."""
    return f"{_literal(texts)}[indexof({_literal(values)}, {of})]"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(value)


def _wrapped(text: str) -> str | list[str]:
    lines = textwrap.wrap(text, _WORDS)
    return lines if len(lines) > 1 else text


def _short(value: float) -> float:
    return float(f"{value:.6g}")
