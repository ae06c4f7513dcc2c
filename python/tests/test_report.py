# SPDX-License-Identifier: GPL-2.0-only
"""The words of a report against data whose answer is known by construction."""

import dataclasses
import re

import pandas as pd
import pytest

from iwarp import plots
from iwarp.findings import Contrast, Finding, View, compare, describe, in_short
from iwarp.report import Picture, Report, render, warnings
from iwarp.stats import summarize

GOODPUT = View("goodput", "Goodput", "bit/s", "What the application gets.", True)
SENDER = Contrast("alignment", "aligned", "unaligned", "an aligned sender", "an unaligned sender")
FACTORS = ["alignment", "loss"]


def table(aligned, unaligned):
    """Make a summary from values by loss: ``{0.01: [1, 2, 3]}``."""
    rows = [
        {"alignment": sender, "loss": loss, "status": "ok", "goodput": value, "run": run + 1, "message": ""}
        for sender, data in (("aligned", aligned), ("unaligned", unaligned))
        for loss, values in data.items()
        for run, value in enumerate(values)
    ]
    frame = pd.DataFrame(rows)
    frame.attrs["units"] = {"goodput": "bit/s", "loss": "probability"}
    return summarize(frame, FACTORS, ["goodput"])


def compared(aligned, unaligned):
    return compare(table(aligned, unaligned), SENDER, GOODPUT, FACTORS)


def test_clear_difference():
    found = describe(compared({0: [2e9, 2.01e9, 1.99e9], 0.01: [4e8, 4e8, 4e8]}, {0: [1e9, 1e9, 1e9], 0.01: [2e8] * 3}))
    assert (found.sureness, found.direction) == ("clear", "higher")
    assert found.effect == "1.2 Gbit/s against 600 Mbit/s"
    assert [line.text for line in found.lines] == [
        "Higher in all 2 configurations (median 2 times). 400 Mbit/s to 2 Gbit/s against 200 Mbit/s to 1 Gbit/s."
    ]


def test_overlap_is_said_and_counted():
    scopes = [("no loss", lambda where: where["loss"] == 0), ("loss", lambda where: where["loss"] > 0)]
    found = describe(
        compared({0: [2, 2], 0.01: [4, 5], 0.1: [3, 3]}, {0: [1, 1], 0.01: [4.1, 5.1], 0.1: [1, 1]}), scopes
    )
    assert (found.sureness, found.direction) == ("partly", "higher")
    assert [(line.scope, line.sureness) for line in found.lines] == [("no loss", "clear"), ("loss", "partly")]
    assert found.lines[1].text.startswith(
        "Higher in 1 of 2 configurations (median 3 times); "
        "no difference shown in 1 of 2 configurations, where the 95 % intervals overlap."
    )


def test_both_directions_are_mixed():
    found = describe(compared({0: [2, 2], 0.01: [1, 1]}, {0: [1, 1], 0.01: [2, 2]}))
    assert (found.sureness, found.direction) == ("mixed", "both")
    assert found.lines[0].text.startswith("Lower in 1 of 2 configurations (median 0.5 times); higher in 1 of 2")


def test_equal_everywhere_is_no_overlap():
    comparisons = compared({0: [5, 5]}, {0: [5, 5]})
    assert [c.verdict for c in comparisons] == ["same"]
    found = describe(comparisons)
    assert found.sureness == "none" and found.lines[0].text == "Equal in every run: 5 bit/s."


def test_a_single_run_gives_no_verdict():
    comparisons = compared({0: [5]}, {0: [50]})
    assert [c.verdict for c in comparisons] == ["unknown"]
    found = describe(comparisons)
    assert found.sureness == "unknown" and "gives no interval" in found.lines[0].text


def test_one_in_twenty_may_be_chance():
    noise = {loss: [1.0, 2.0] for loss in range(1, 20)}
    found = describe(compared({0: [2, 2], **noise}, {0: [1, 1], **noise}))
    assert found.sureness == "open" and "as few as chance alone gives" in found.lines[0].text
    steady = {loss: [1.0, 1.0] for loss in range(1, 20)}
    found = describe(compared({0: [2, 2], **steady}, {0: [1, 1], **steady}))
    assert found.sureness == "partly" and "chance" not in found.lines[0].text


def test_shares_are_compared_in_percentage_points():
    view = View("goodput", "Whole FPDUs", "share", "")
    found = describe(compare(table({0: [1.0, 1.0]}, {0: [0.25, 0.25]}), SENDER, view, FACTORS))
    assert found.lines[0].text == "Higher in the one configuration (median 75 percentage points). 100 % against 25 %."


def test_in_short_puts_the_surest_first():
    findings = [
        Finding("Goodput", [], "", "", "open"),
        Finding("Memory", [], "lower", "1 KiB against 1 MiB", "partly"),
        Finding("FPDU share", [], "higher", "1 against 0", "clear"),
    ]
    assert in_short("an aligned sender", findings) == [
        "Higher with an aligned sender in every configuration: FPDU share (1 against 0).",
        "Lower with an aligned sender in some configurations, never higher: memory (1 KiB against 1 MiB).",
        "No difference shown: goodput.",
    ]


def page(tmp_path, aligned, unaligned, failures=0):
    summary = table(aligned, unaligned)
    comparisons = compare(summary, SENDER, GOODPUT, FACTORS)
    names = plots.Names({"loss": "Loss"}, {}, summary.attrs["units"])
    layout = plots.Layout("loss", "alignment", "markers", "topology", ("mtu",))
    picture = plots.figure(summary, GOODPUT, layout, names, tmp_path / "goodput.png")
    failed = pd.DataFrame([{"alignment": "aligned", "loss": 0.01, "run": 2, "status": "crash", "message": "<on fire>"}])
    report = Report(
        title="A study",
        lead="Of something.",
        in_short=[("Sender", in_short("an aligned sender", [describe(comparisons)]))],
        findings=[("Sender", [describe(comparisons)])],
        comparisons=comparisons,
        pictures=[Picture("Goodput", picture, "More is better.")],
        summary=summary,
        factors=FACTORS,
        views=[GOODPUT],
        names=names,
        constants={"octets": 1000},
        failures=failed.head(failures),
        provenance={"iwarp": "0.1.0", "ns3": "3.44"},
        command="./iwarp study alignment",
        notes=["Seeds 1 to 3."],
    )
    return report, render(report)


def test_page_warns_of_overlap_only_where_there_is_one(tmp_path):
    report, html = page(tmp_path, {0: [2e9, 2.1e9], 0.01: [4e8, 5e8]}, {0: [1e8, 1e8], 0.01: [4.1e8, 5.1e8]})
    # 1 Gbit/s apart by 4 half-widths at loss 0: t(0.975, 1) * 5e7 = 6.4e8
    assert len(warnings(report)) == 1 and "In 1 of 2 comparisons" in html
    assert html.count("Where the intervals overlap</h2>") == 1
    report, html = page(tmp_path, {0: [2e9, 2.01e9]}, {0: [1e8, 1e8]})
    assert warnings(report) == [] and "overlap" not in html.split("</style>")[1]


def test_page_stands_alone(tmp_path):
    _, html = page(tmp_path, {0: [2e9, 2.01e9]}, {0: [1e8, 1e8]}, failures=1)
    assert re.findall(r'(?:src|href)="(?!data:)', html) == [] and "<script" not in html
    assert html.count("data:image/png;base64,") == 1
    assert "1 runs failed (1 crash)" in html or "1 run failed (1 crash)" in html
    assert "&lt;on fire&gt;" in html
    assert "./iwarp study alignment" in html and "3.44" in html
    order = [
        html.index(text) for text in ("What the numbers show", "<img", "Every configuration", "How to reproduce it")
    ]
    assert order == sorted(order)


def test_table_shows_mean_and_interval(tmp_path):
    _, html = page(tmp_path, {0: [9e9, 10e9, 11e9]}, {0: [1e9] * 3})
    assert "Goodput [Gbit/s]" in html and "10\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}2.5" in html  # 4.303 / sqrt(3) = 2.48


def test_missing_level_is_no_comparison():
    assert compared({0: [1, 1]}, {0.01: [2, 2]}) == [] and describe([]) is None


@pytest.mark.parametrize("runs", [1, 3])
def test_figure_is_drawn_without_some_factors(tmp_path, runs):
    summary = table({0: [1.0] * runs, 0.01: [0.0] * runs}, {0: [2.0] * runs})
    names = plots.Names({}, {}, {})
    layout = plots.Layout("loss", "alignment", "markers", "topology", ("mtu", "reordering"))
    path = plots.figure(summary, dataclasses.replace(GOODPUT, log=True), layout, names, tmp_path / "a.png")
    assert path.read_bytes().startswith(b"\x89PNG")
