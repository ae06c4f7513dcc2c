# SPDX-License-Identifier: GPL-2.0-only
"""What a page says of the runs behind it, on tables whose answer is known."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from iwarp import plots, studies
from iwarp.stats import summarize
from iwarp.studies.study import Evidence, Request, answer, basis, cautions_of_runs, idle_bottlenecks

STUDY = studies.get("alignment")
FACTORS = ["topology", "alignment", "loss", "markers", "reordering", "rnic", "host_pairs", "receivers"]
NAMES = plots.Names(STUDY.titles, STUDY.levels, {"loss": "probability"})


def runs(shares, memory=(0.0, 1000.0)):
    """Make three runs for each loss of ``shares``, with that share of the bottleneck, for both senders."""
    rows = [
        {"topology": "abilene", "alignment": aligned, "loss": loss, "markers": True, "reordering": 0.0, "rnic": "none",
         "host_pairs": 0, "receivers": 0, "run": run, "status": "ok", "measured_duration": 0.5 * run,
         "round_trip": 0.01, "bottleneck_share": share, "reassembly_peak": memory[not aligned] * (1 + run / 10)}
        for loss, share in shares.items() for aligned in (True, False) for run in (1, 2, 3)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.attrs["units"] = {"bottleneck_share": "share", "reassembly_peak": "octets"}
    return frame


def test_a_page_says_what_it_rests_on():
    request = Request(STUDY, "quick", [], 3, Path("out"), "")
    found = dict(basis(request, runs({0.0: 0.9, 0.01: 0.2}), FACTORS, NAMES))
    assert found["Runs"] == "3 runs, compared in pairs of the same number, of each of 4 configurations"
    assert found["Length of a run"] == "500 ms to 1.5 s simulated; half of the runs have 1 s or less"
    assert found["In round trips"] == "50 to 150"
    assert found["Share of the bottleneck"].startswith("20 % to 90 % of the time")
    assert "slow start" in found["Warm-up"]
    assert found["Limits"] == STUDY.limits
    assert found["Varied"] == "Sender: aligned sender, unaligned sender; Loss: 0 %, 1 %"


def test_cautions_of_runs_are_counted():
    good = pd.DataFrame({"message": ["", "no queue marks", None, "no queue marks", "mind the gap"]})
    assert cautions_of_runs(good) == ["2 of 5 runs: no queue marks", "1 of 5 runs: mind the gap"]
    assert cautions_of_runs(good[:1]) == []


def test_idle_bottlenecks_are_warned_of():
    summary = summarize(runs({0.0: 0.9, 0.01: 0.2}), FACTORS, ["bottleneck_share"])
    (warning,) = idle_bottlenecks(STUDY, summary, FACTORS, NAMES)
    assert warning.startswith("In 2 of 4 configurations the busiest link is sending for less than 50 % of the time "
                              "(20 % to 20 %; Loss: 1 %).")  # fmt: skip
    assert idle_bottlenecks(STUDY, summary[summary["loss"] == 0], FACTORS, NAMES) == []
    assert idle_bottlenecks(replace(STUDY, least_share=0.0), summary, FACTORS, NAMES) == []


def test_averages_are_of_a_scope_and_judged_together():
    findings, comparisons, averages = answer(STUDY, runs({0.001: 0.9, 0.01: 0.2}), FACTORS)
    assert {c.view.metric for c in comparisons} == {"bottleneck_share", "reassembly_peak"}
    memory = next(a for a in averages if a.view.metric == "reassembly_peak")
    assert memory.where == {"scope": "loss or reordering, with Markers", "configurations": 2}
    assert memory.test.n == 3 and memory.test.mean == -1200
    heading, found = findings[0]
    assert heading == STUDY.questions[0].heading and len(found) == 2


@pytest.mark.parametrize("name", ["alignment", "buffers", "compute", "window"])
def test_every_page_says_how_it_began_and_where_it_ends(name):
    study = studies.get(name)
    assert study.warm_up and study.limits and study.answer(Evidence(pd.DataFrame(), (), ())) == []


def test_the_answer_is_a_sentence_and_then_its_points():
    frame = runs({0.001: 0.9, 0.01: 0.2})
    frame["goodput"] = 1e9 * (1 + ((7 * frame["run"] + 3 * frame["alignment"]) % 5) / 100)
    _, comparisons, averages = answer(STUDY, frame, FACTORS)
    lead, *points = STUDY.answer(Evidence(frame, comparisons, averages))
    assert lead == (
        "In some settings an aligned sender lowers reassembly memory at its peak; it is not shown that it changes "
        "goodput."
    )
    (point,) = points
    assert point.startswith("Reassembly memory at its peak (loss or reordering, with Markers): \N{MINUS SIGN}1,200 ")
