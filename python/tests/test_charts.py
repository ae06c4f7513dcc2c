# SPDX-License-Identifier: GPL-2.0-only
"""Figures against summaries whose numbers are known: where points stand, how far intervals reach, what files hold."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.findings import View
from iwarp.report import chart, plots, vega
from iwarp.report.chart import Layout, Names, Reference

GOODPUT = View("goodput", "Goodput", "bit/s", "", True)
MEMORY = View("memory", "Memory", "octets", "", False, True)
TIME = View("time", "Time", "s", "", False, True)
SHARE = View("share", "Share", "share", "")
NAMES = Names(
    {"flows": "Connections"}, {("rnic", 0): "no limit"}, {"rate": "bit/s", "delay": "s", "loss": "probability"}
)


def summary(metric, factor, rows, **more):
    """Make a summary of ``{level: (mean, half)}``, the same for both senders, or ``{(level, aligned): …}``."""
    found = []
    for level, (mean, half) in rows.items():
        level, *aligned = level if isinstance(level, tuple) else (level, True, False)
        low, high = max(0.0, mean - half), min(mean + half, 1.0 if metric == "share" else np.inf)
        ends = {f"{metric}_low": low, f"{metric}_high": high, f"{metric}_n": 3}
        found += [{factor: level, "alignment": a, "runs": 3, metric: mean, **ends} for a in aligned]
    return pd.DataFrame(found).assign(**more)


def built(view, factor, rows, names=NAMES, columns=(), references=(), **more):
    layout = Layout(factor, "alignment", "", "topology", columns)
    return chart.build(summary(view.metric, factor, rows, **more), view, layout, names, references)


class Drawn:
    """What a specification says of its first facet: axes and rows."""

    def __init__(self, found):
        self.spec = vega.specify(found)
        part = self.spec.get("spec", self.spec)
        self.layers = part["layer"]
        self.encoding = self.layers[1]["encoding"]  # of intervals
        self.rows = self.spec["data"]["values"]

    def points(self, *fields):
        return [tuple(row[f] for f in fields) for row in self.rows if row["kind"] == "point"]

    def texts(self, axis):
        """Return the texts of an axis as its expression has them for its values."""
        return re.findall(r"'([^']*)'", self.encoding[axis]["axis"]["labelExpr"].split("[indexof(")[0])


def drawn(found):
    return Drawn(found)


def test_numbers_stand_where_they_are():
    found = drawn(built(GOODPUT, "flows", {1: (1e9, 0), 10: (2e9, 0), 1000: (3e9, 0)}))
    assert found.encoding["x"]["scale"]["type"] == "log" and found.encoding["y"]["scale"]["type"] == "linear"
    assert found.points("x") == 2 * [(1,), (10,), (1000,)]
    assert found.texts("x") == ["1", "10", "1,000"] and found.encoding["x"]["axis"]["values"] == [1, 10, 1000]
    low, high = found.encoding["x"]["scale"]["domain"]
    assert 0 < low < 1 and 1000 < high


def test_near_numbers_have_a_linear_axis():
    found = drawn(built(GOODPUT, "rate", {5_000_000_000: (1e9, 0), 10_000_000_000: (2e9, 0)}))
    assert found.encoding["x"]["scale"]["type"] == "linear" and found.texts("x") == ["5 Gbit/s", "10 Gbit/s"]


def test_zero_is_on_a_logarithmic_axis_too():
    found = drawn(built(GOODPUT, "loss", {0.0: (1e9, 0), 0.001: (9e8, 0), 0.1: (1e8, 0)}))
    assert (found.encoding["x"]["scale"]["type"], found.encoding["x"]["scale"]["constant"]) == ("symlog", 0.001)
    assert found.texts("x") == ["0 %", "0.1 %", "10 %"] and found.encoding["x"]["axis"]["values"] == [0, 0.001, 0.1]


def test_numbers_in_words_are_numbers():
    names = Names(
        {},
        {("size", "fixed:256"): "256 octets", ("size", "fixed:4096"): "4 KiB", ("size", "fixed:65536"): "64 KiB"},
        {},
    )
    found = built(GOODPUT, "size", {"fixed:256": (1e9, 0), "fixed:4096": (2e9, 0), "fixed:65536": (2e9, 0)}, names)
    assert found.x.kind == "log" and [at for at, _ in found.x.ticks] == [256, 4096, 65536]


def test_fractions_are_numbers():
    names = Names({}, {("window", 1): "1/4", ("window", 2): "1", ("window", 3): "3/2"}, {})
    found = built(GOODPUT, "window", {1: (1e9, 0), 2: (2e9, 0), 3: (2e9, 0)}, names)
    assert found.x.ticks == [(0.25, "1/4"), (1.0, "1"), (1.5, "3/2")]


def test_a_number_among_words_is_a_word():
    names = Names({}, {("kind", "a"): "1", ("kind", "b"): "all", ("kind", "c"): "none"}, {})
    reference = [Reference("formula", "closed form", "--")]
    rows = {"a": (1e9, 0), "b": (2e9, 0), "c": (2e9, 0)}
    found = built(GOODPUT, "kind", rows, names, references=reference, formula=4e9)
    assert found.x.kind == "words" and [len(line.points) for line in found.facets[0].lines] == [3, 3]
    assert len(found.facets[0].guides[0].points) == 3


def test_what_is_no_number_stands_behind_them_and_no_line_leads_to_it():
    found = built(GOODPUT, "rnic", {0: (3e9, 0), 1000: (1e9, 0), 10_000: (2e9, 0), 100_000: (3e9, 0)})
    ticks = found.x.ticks
    assert found.x.kind == "log" and ticks[-1][1] == "no limit" and ticks[-1][0] > 100_000
    assert [len(line.points) for line in found.facets[0].lines] == [3, 1, 3, 1]


def test_a_line_joins_one_point_a_level():
    several = pd.concat([summary("goodput", "flows", {1: (1e9, 0), 10: (mean, 0)}) for mean in (2e9, 3e9)])
    found = chart.build(several, GOODPUT, Layout("flows", "alignment", "", "", ()), NAMES)
    assert [line.is_joined for line in found.facets[0].lines] == [False, False]
    assert set(drawn(found).points("joined")) == {(False,)}
    found = built(GOODPUT, "flows", {1: (1e9, 0), 10: (2e9, 0)})
    assert [line.is_joined for line in found.facets[0].lines] == [True, True]


def test_words_stand_below_each_other():
    found = drawn(built(SHARE, "path", {"nothing added": (1, 0), "1 % lost": (0.5, 0.1)}))
    assert found.encoding["y"]["sort"] == ["1 % lost", "nothing added"] and "yOffset" in found.encoding
    assert (found.encoding["x"]["axis"]["title"], found.encoding["y"]["title"]) == ("Share [%]", "path")
    assert found.points("word", "y") == 2 * [("1 % lost", 50.0), ("nothing added", 100.0)]


@pytest.mark.parametrize("view, rows, scale", [
    (MEMORY, {1: (100, 150), 10: (1e4, 5e3), 100: (1e6, 9.9e5)}, "symlog"),  # an interval that reaches 0
    (MEMORY, {1: (0, 0), 10: (1e4, 5e3), 100: (1e6, 3e5)}, "symlog"),
    (TIME, {1: (1e-5, 8e-6), 10: (1e-4, 5e-5), 100: (1e-3, 9e-4)}, "log"),
    (GOODPUT, {1: (1e9, 2e9), 10: (2e9, 1e8)}, "linear"),
    (SHARE, {1: (0.99, 0.05), 10: (0.01, 0.02)}, "linear"),
])  # fmt: skip
def test_intervals_are_whole(view, rows, scale):
    chosen = built(view, "flows", rows)
    found, over = drawn(chosen), chosen.y.divisor
    assert found.encoding["y"]["scale"]["type"] == scale and found.encoding["y2"] == {"field": "high"}
    low, high = found.encoding["y"]["scale"]["domain"]
    expected = [[max(0, mean - half), mean + half] for mean, half in rows.values()]
    if view is SHARE:
        expected = [[a, min(1, b)] for a, b in expected]
    for ends, right in zip(found.points("low", "high"), 2 * expected, strict=True):
        assert [end * over for end in ends] == pytest.approx(right, rel=1e-5, abs=1e-12)
        assert low <= ends[0] and ends[1] <= high


def test_means_that_are_outside_of_their_intervals_are_in_the_figure():
    """Of values in two clusters the interval is that of the median: 3 of 20 runs wait for a timeout of 200 ms."""
    rows = summary("time", "flows", {1: (0.031, 0), 2: (0.030, 0)}, time_low=0.001003, time_high=0.001007)
    found = chart.build(rows, TIME, Layout("flows", "alignment", "", "topology", ()), NAMES, ())
    low, high = drawn(found).encoding["y"]["scale"]["domain"]
    assert low <= 0.001003 / found.y.divisor and 0.031 / found.y.divisor <= high
    texts = [row["text"] for row in drawn(found).rows if row["kind"] == "point"]
    assert all("95 % interval of the median 1 ms to 1.01 ms" in text for text in texts)


def test_ticks_are_in_engineering_units():
    axis = built(TIME, "flows", {1: (1e-6, 0), 10: (1e-4, 0), 100: (1e-2, 0)}).y
    assert [text for _, text in axis.ticks] == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]
    axis = built(MEMORY, "flows", {1: (1e3, 0), 10: (1e5, 0), 100: (2e6, 0)}).y
    assert axis.title == "Memory [octets]" and "100 k" in [text for _, text in axis.ticks]
    axis = built(GOODPUT, "flows", {1: (1e9, 0), 10: (9.6e9, 0)}).y
    assert axis.title == "Goodput [Gbit/s]" and [text for _, text in axis.ticks] == ["0", "2", "4", "6", "8"]


def test_references_are_lines_through_a_value_a_level():
    rows = {1: (1e9, 0), 10: (2e9, 0)}
    found = built(GOODPUT, "flows", rows, references=[Reference("formula", "closed form", "--")], formula=4e9)
    (guide,) = found.facets[0].guides
    assert guide.points == [(1.0, 4e9), (10.0, 4e9)] and found.y.high > 4e9
    assert drawn(found).layers[0]["encoding"]["strokeDash"]["scale"] == {"domain": ["closed form"], "range": [[4, 3]]}
    assert [row["y"] for row in drawn(found).rows if row["kind"] == "guide"] == [4, 4]


def test_files_fit_a_column_of_a_paper(tmp_path):
    rows = {1: (1e9, 1e8), 10: (2e9, 1e8)}
    plots.figure(built(GOODPUT, "flows", rows), tmp_path / "one.svg")
    both = pd.concat([summary("goodput", "flows", rows, loss=loss) for loss in (0.0, 0.1)])
    layout = Layout("flows", "alignment", "", "", ("loss",))
    plots.figure(chart.build(both, GOODPUT, layout, NAMES), tmp_path / "two.svg")
    for name, points in (("one", 252), ("two", 515.52)):  # 3.5 and 7.16 inches of 72 points, as the IEEE has them
        assert f'width="{points:g}pt"' in (tmp_path / f"{name}.svg").read_text()
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+)", pdf)
        assert float(box) == pytest.approx(points, abs=0.01) and b"/Type3" not in pdf  # fonts that journals refuse


def test_files_are_the_same_each_time(tmp_path):
    found = built(GOODPUT, "flows", {1: (1e9, 1e8), 10: (2e9, 1e8)})
    for name in ("a", "b"):
        plots.figure(found, tmp_path / f"{name}.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("half", [math.nan, 0.1])
def test_a_figure_does_without_some_factors(tmp_path, half):
    rows = summary("goodput", "loss", {0: (1.0, half), 0.01: (0.0, half)})
    layout = Layout("loss", "alignment", "markers", "topology", ("mtu", "reordering"))
    path = plots.figure(chart.build(rows, GOODPUT, layout, NAMES), tmp_path / "a.svg")
    assert path.stat().st_size > 0
    without = chart.build(rows.drop(columns="loss").head(2), GOODPUT, layout, NAMES)
    assert [len(line.points) for line in without.facets[0].lines] == [1, 1] and drawn(without).rows


def test_a_page_gets_values_in_the_unit_of_their_axis():
    found = drawn(built(GOODPUT, "flows", {1: (1e9, 1e8), 10: (2e9, 1e8)}, loss=0.0, topology="star"))
    assert found.encoding["y"]["axis"]["title"] == "Goodput [Gbit/s]"
    assert found.spec["usermeta"]["factors"] == [{"title": "topology", "field": "where0"}]
    assert found.points("where0", "x", "y", "low", "high")[:2] == [("star", 1, 1, 0.9, 1.1), ("star", 10, 2, 1.9, 2.1)]
    line = {"text": [text for (text,) in found.points("text")]}
    assert line["text"][1] == "Connections 10: 2 Gbit/s (95 % interval 1.9 Gbit/s to 2.1 Gbit/s), 3 runs"
