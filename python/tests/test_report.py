# SPDX-License-Identifier: GPL-2.0-only
"""The words of a report against data whose answer is known by construction."""

import math
import re

import numpy as np
import pandas as pd
from iwarp.analysis.findings import Contrast, Finding, View, compare, describe, group, in_short
from iwarp.analysis.stats import summarize
from iwarp.report import chart, plots
from iwarp.report.page import Picture, Report, data_files, render, warnings

GOODPUT = View("goodput", "Goodput", "bit/s", "What the application gets.", True)
SENDER = Contrast("alignment", "aligned", "unaligned", "an aligned sender", "an unaligned sender")
FACTORS = ["alignment", "loss"]


def runs(aligned, unaligned):
    """Make runs of values by loss: ``{0.01: [1, 2, 3]}``."""
    rows = [
        {"alignment": sender, "loss": loss, "status": "ok", "goodput": value, "run": run + 1, "message": ""}
        for sender, data in (("aligned", aligned), ("unaligned", unaligned))
        for loss, values in data.items()
        for run, value in enumerate(values)
    ]
    frame = pd.DataFrame(rows)
    frame.attrs["units"] = {"goodput": "bit/s", "loss": "probability"}
    return frame


def compared(aligned, unaligned, view=GOODPUT):
    return compare(runs(aligned, unaligned), SENDER, view, FACTORS)


def described(aligned, unaligned, scopes=(), view=GOODPUT):
    return describe(group(compared(aligned, unaligned, view), scopes))


def test_clear_difference():
    found = described({0: [2e9, 2.01e9, 1.99e9], 0.01: [4e8] * 3}, {0: [1e9, 1e9, 1e9], 0.01: [2e8] * 3})
    assert (found.sureness, found.direction) == ("clear", "higher")
    text = "On average over the 2 configurations 2 times (95 % interval 1.99 to 2.01). Higher in all 2 configurations. "
    assert [line.text for line in found.lines] == [text + "400 Mbit/s to 2 Gbit/s against 200 Mbit/s to 1 Gbit/s."]
    assert found.effect == "on average 2 times (95 % interval 1.99 to 2.01)"


def test_what_is_not_shown_is_said_with_what_would_have_been_seen():
    scopes = [("no loss", lambda where: where["loss"] == 0), ("loss", lambda where: where["loss"] > 0)]
    aligned = {0: [2] * 6, 0.01: [4, 5, 6], 0.1: [3] * 6}
    found = described(aligned, {0: [1] * 6, 0.01: [5, 4, 5.5], 0.1: [1] * 6}, scopes)
    assert (found.sureness, found.direction) == ("partly", "higher")
    assert [(line.scope, line.sureness) for line in found.lines] == [("no loss", "clear"), ("loss", "partly")]
    assert (
        "Higher in 1 of 2 configurations; no difference shown in 1 of 2 configurations, where " in found.lines[1].text
    )
    # log ratios -0.223, 0.223, 0.087: s = 0.229; 5.65 standard errors are seen in 80 % (two-sided, 2 degrees)
    assert "where 1.03 times (95 % interval 0.583 to 1.82) was measured and 2.1 times would have been seen" in (
        found.lines[1].text
    )


def test_both_directions_are_mixed():
    found = described({0: [2] * 4, 0.01: [1] * 4}, {0: [1] * 4, 0.01: [2] * 4})
    assert (found.sureness, found.direction) == ("mixed", "both")
    assert "Lower in 1 of 2 configurations; higher in 1 of 2" in found.lines[0].text


def test_equal_everywhere_is_no_difference():
    assert [c.verdict for c in compared({0: [5, 5]}, {0: [5, 5]})] == ["same"]
    found = described({0: [5, 5]}, {0: [5, 5]})
    assert found.sureness == "none" and found.lines[0].text == "Equal in every run: 5 bit/s."


def test_a_single_run_gives_no_verdict():
    assert [c.verdict for c in compared({0: [5]}, {0: [50]})] == ["unknown"]
    found = described({0: [5]}, {0: [50]})
    assert found.sureness == "unknown" and "give no interval" in found.lines[0].text


def test_broken_pairs_are_counted():
    found = described({0: [2, 2, 2, math.nan], 1: [math.nan]}, {0: [1, 1.1, 1, 1], 1: [3]})
    assert "2 pairs broken by a failed run or a missing value." in found.lines[0].text
    assert "less than two pairs of good runs, which give no interval, in 1 of 2 configurations" in found.lines[0].text


def test_what_only_the_average_shows_is_said_so():
    rng = np.random.default_rng(7)
    a, b = ({k: np.exp(rng.normal(shift, 0.05, 6)) for k in range(24)} for shift in (0.025, 0.0))
    found = described(a, b)
    assert (found.sureness, found.direction) == ("average", "higher")
    start = "Higher with an aligned sender on average, though shown in no configuration by itself"
    assert in_short("an aligned sender", [found]) == [f"{start}: goodput ({found.effect})."]


def test_shares_are_compared_in_percentage_points():
    view = View("goodput", "Whole FPDUs", "share", "")
    found = described({0: [1.0] * 3}, {0: [0.25] * 3}, view=view)
    assert found.lines[0].text == "Higher in the one configuration, +75 percentage points. 100 % against 25 %."
    found = described({0: [0.1, 0.2, 0.0]}, {0: [0.25, 0.3, 0.2]}, view=view)
    assert "\N{MINUS SIGN}15 percentage points (95 % interval \N{MINUS SIGN}27.4 to \N{MINUS SIGN}2.58)" in found.effect


def test_shares_differ_by_no_more_than_all():
    view = View("goodput", "Whole FPDUs", "share", "")
    (line,) = described({0: [0.0, 1.0, 0.0]}, {0: [0.5, 0.0, 1.0]}, view=view).lines
    assert "more than 100 percentage points would have been seen" in line.text


def test_in_short_puts_the_surest_first():
    findings = [
        Finding("Goodput", [], "", "", "open"),
        Finding("Memory", [], "lower", "1 KiB against 1 MiB", "partly"),
        Finding("FPDU share", [], "higher", "1 against 0", "clear"),
    ]
    assert in_short("an aligned sender", findings) == [
        "Higher with an aligned sender in every configuration: FPDU share (1 against 0).",
        "Lower with an aligned sender in some configurations, shown higher in none: memory (1 KiB against 1 MiB).",
        "No difference shown: goodput.",
    ]


def page(tmp_path, aligned, unaligned, failures=0, answers=("It is so.",)):
    frame = runs(aligned, unaligned)
    summary = summarize(frame, FACTORS, ["goodput"])
    comparisons = compare(frame, SENDER, GOODPUT, FACTORS)
    names = chart.Names({"loss": "Loss"}, {}, summary.attrs["units"])
    layout = chart.Layout("loss", "alignment", "markers", "topology", ("mtu",))
    drawn = chart.build(summary, GOODPUT, layout, names)
    picture = Picture("Goodput", plots.figure(drawn, tmp_path / "goodput.svg"), "More is better.", drawn)
    pd.DataFrame().to_csv(tmp_path / "summary.csv")
    failed = pd.DataFrame([{"alignment": "aligned", "loss": 0.01, "run": 2, "status": "crash", "message": "<on fire>"}])
    finding = describe(group(comparisons))
    report = Report(
        title="A study",
        lead="Of something.",
        answers=answers,
        basis=[("Runs", "three of each")],
        in_short=[("Sender", in_short("an aligned sender", [finding]))],
        findings=[("Sender", [finding])],
        comparisons=comparisons,
        pictures=[picture],
        key=picture,
        files=data_files(tmp_path),
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


def test_page_lists_what_is_not_shown_only_where_there_is_such(tmp_path):
    _, html = page(tmp_path, {0: [2e9, 2.1e9, 2e9], 0.01: [4e8, 5e8, 3e8]}, {0: [1e8] * 3, 0.01: [5e8, 4e8, 4e8]})
    assert html.count("Where no difference is shown</h2>") == 1 and "<summary>1 comparison</summary>" in html
    report, html = page(tmp_path, {0: [2e9, 2.01e9]}, {0: [1e8, 1e8]})
    assert warnings(report) == [] and "Where no difference is shown" not in html


def test_page_warns_of_few_runs_and_broken_pairs(tmp_path):
    report, html = page(tmp_path, {0: [2, 3, math.nan], 1: [5]}, {0: [1, 1, 1], 1: [6]}, failures=1)
    assert [w.split(",")[0] for w in warnings(report)] == [
        "1 of 2 comparisons rest on less than two pairs of good runs",
        "In 1 of 2 comparisons pairs are broken",
        "1 run failed (1 crash); no mean has them; they are listed below.",
    ]
    assert html.count('class="warning"') == 3


def test_means_of_a_part_of_the_runs_say_so(tmp_path):
    lacking = {0: [2e9, 2.1e9, math.nan], 1: [5e9] * 3}
    report, html = page(tmp_path, lacking, {0: [1e9] * 3, 1: [6e9] * 3})
    assert report.summary["runs"].tolist() == [3] * 4
    assert len(re.findall(r"<td[^>]*>[^<]*, 2 runs</td>", html)) == 1 and "2 of 3 runs" in html


def test_the_plain_answer_comes_first(tmp_path):
    _, html = page(tmp_path, {0: [2e9, 2.01e9]}, {0: [1e8, 1e8]})
    order = [html.index(text) for text in ("It is so.", "What this rests on", "three of each", "What the numbers show")]
    assert order == sorted(order)


def test_page_says_all_of_its_study(tmp_path):
    _, html = page(tmp_path, {0: [2e9, 2.01e9]}, {0: [1e8, 1e8]}, failures=1)
    assert html.count("data:image/svg+xml;base64,") == 1
    assert "1 runs failed (1 crash)" in html or "1 run failed (1 crash)" in html
    assert "&lt;on fire&gt;" in html
    assert "./iwarp study alignment" in html and "3.44" in html
    order = [
        html.index(text) for text in ("<img", "What the numbers show", "Every configuration", "How to reproduce it")
    ]
    assert order == sorted(order)


def test_table_shows_mean_and_interval(tmp_path):
    _, html = page(tmp_path, {0: [9e9, 10e9, 11e9]}, {0: [1e9] * 3})
    assert "Goodput [Gbit/s]" in html and "10\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}2.5" in html  # 4.303 / sqrt(3) = 2.48


def test_missing_level_is_no_comparison():
    assert compared({0: [1, 1]}, {0.01: [2, 2]}) == [] and describe([]) is None
