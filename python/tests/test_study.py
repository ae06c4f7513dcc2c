# SPDX-License-Identifier: GPL-2.0-only
"""What a page says of the runs behind it, on tables whose answer is known."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from iwarp import studies
from iwarp.analysis.comparison import turned
from iwarp.analysis.stats import summarize
from iwarp.report.cells import numbers
from iwarp.report.chart import Names
from iwarp.studies import alignment
from iwarp.studies.basis import basis, cautions_of_runs, idle_bottlenecks
from iwarp.studies.study import Evidence, Request, answer

STUDY = studies.get("alignment")
FACTORS = ["topology", "condition", "alignment", "markers"]
NAMES = Names(STUDY.titles, STUDY.levels, {"loss": "probability"})


def runs(shares, memory=(0.0, 1000.0)):
    """Make three runs for each loss of ``shares``, with that share of the bottleneck, for both senders."""
    rows = [
        {"topology": "abilene", "alignment": aligned,
         "condition": f"{100 * loss:g} % lost" if loss else "nothing added",
         "markers": True, "run": run, "status": "ok", "measured_duration": 0.5 * run,
         "round_trip": 0.01, "bottleneck_share": share, "reassembly_p99": memory[not aligned] * (1 + run / 10),
         "fpdu_aligned_share": 1.0 - loss if aligned else 0.0}
        for loss, share in shares.items() for aligned in (True, False) for run in (1, 2, 3)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.attrs["units"] = {"bottleneck_share": "share", "reassembly_p99": "octets"}
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
    assert found["Varied"] == "Path: nothing added, 1 % lost; Sender: aligned sender, unaligned sender"


def test_cautions_of_runs_are_counted():
    good = pd.DataFrame({"message": ["", "no queue marks", None, "no queue marks", "mind the gap"]})
    assert cautions_of_runs(good) == ["2 of 5 runs: no queue marks", "1 of 5 runs: mind the gap"]
    assert cautions_of_runs(good[:1]) == []


def test_cautions_that_differ_in_numbers_are_one():
    late = "drain_limit: {} of {} messages had not ended; means are not told"
    texts = ["", "queue: no queue marks", f"queue: no queue marks; {late.format(1, 90)}", late.format(2, 91),
             late.format(2, 91)]  # fmt: skip
    assert cautions_of_runs(pd.DataFrame({"message": texts})) == [
        f"3 of 5 runs: {late.format(2, 91)} (numbers differ)", "2 of 5 runs: queue: no queue marks",
    ]  # fmt: skip


def test_idle_bottlenecks_are_warned_of():
    summary = summarize(runs({0.0: 0.9, 0.01: 0.2}), FACTORS, ["bottleneck_share"])
    (warning,) = idle_bottlenecks(STUDY, summary, FACTORS, NAMES)
    assert warning.startswith("In 2 of 4 configurations the busiest link is sending for less than 50 % of the time "
                              "(20 % to 20 %; Path: 1 % lost).")  # fmt: skip
    assert idle_bottlenecks(STUDY, summary[summary["condition"] == "nothing added"], FACTORS, NAMES) == []
    assert idle_bottlenecks(replace(STUDY, least_share=0.0), summary, FACTORS, NAMES) == []


def test_averages_are_of_a_scope_and_judged_together():
    groups, comparisons, averages = answer(STUDY, runs({0.001: 0.9, 0.01: 0.2}), FACTORS)
    assert {c.view.metric for c in comparisons} == {"fpdu_aligned_share", "reassembly_p99"}
    memory = next(a for a in averages if a.view.metric == "reassembly_p99")
    assert memory.where == {"topology": "abilene", "scope": "disturbed, with Markers", "configurations": 2}
    assert memory.test.n == 3 and memory.test.mean == -1200
    assert {q.heading for q, found in groups if found} == {STUDY.questions[0].heading}


@pytest.mark.parametrize("name", ["alignment", "buffers", "compute", "ipsec", "window"])
def test_every_page_says_how_it_began_and_where_it_ends(name):
    study = studies.get(name)
    assert study.warm_up and study.limits and study.answer(Evidence(pd.DataFrame(), (), ())) == []


def test_the_answer_is_a_sentence_and_then_its_points():
    frame = runs({0.0: 0.9, 0.001: 0.9, 0.01: 0.2})
    _, comparisons, averages = answer(STUDY, frame, FACTORS)
    lead, *points = STUDY.answer(Evidence(frame, comparisons, averages))
    assert lead == (
        "100 % of an aligned sender's segments arrive as whole FPDUs where nothing is added to the path, 99 % in the "
        "worst of 3 conditions (1 % lost); 2 of them leave 99.9 % or more."
    )
    (point,) = points
    assert (
        "not aligned changes the reassembly memory" in point and "with Markers, by +1,200 (95 % interval +952" in point
    )


def test_the_worst_condition_is_named_with_those_that_may_be_as_bad():
    kept = {"a": [0.50, 0.52, 0.51, 0.50, 0.53, 0.51], "b": [0.51, 0.50, 0.52, 0.53, 0.50, 0.51], "c": [1.0] * 6}
    kept = {name: pd.Series(values, range(1, 7)) for name, values in kept.items()}
    assert alignment._least(kept)[0] == "a; not shown to differ: b"
    other = {**kept, "b": kept["b"].set_axis([1, 2, 3, 4, 5, 7])}  # not of the same runs
    assert alignment._least(other)[0] == "a"
    assert alignment._least({name: kept[name] for name in ("a", "c")})[0] == "a"


def test_columns_of_topologies_are_of_conditions_that_all_have():
    """Two cases of many connections make the mean of one topology, though what all have is nearly the same."""
    line, bell = runs({0.0: 0.9, 0.01: 0.2}, (100.0, 4200.0)), runs({0.0: 0.9, 0.01: 0.2}, (100.0, 4900.0))
    many = runs({0.02: 0.9}, (100.0, 500_000.0)).assign(condition="200 connections")
    frame = pd.concat([line.assign(topology="point-to-point"), bell.assign(topology="dumbbell"),
                       many.assign(topology="dumbbell")])  # fmt: skip
    _, comparisons, averages = answer(STUDY, frame, FACTORS)
    pages = [
        (name, Evidence(frame[frame["topology"] == name], [c for c in comparisons if c.where["topology"] == name], []))
        for name in ("point-to-point", "dumbbell")
    ]
    rows = alignment._overview(pages).rows
    assert rows["Topology"].tolist() == ["point-to-point", "dumbbell", "dumbbell"]
    assert rows["Conditions"].tolist() == ["1 that all have", "1 that all have", "200 connections"]
    memory = [cell.value for cell in rows["Unaligned pays: memory"]]
    assert memory == pytest.approx([1.2 * 4100, 1.2 * 4800, 1.2 * 499_900])  # octets
    file = numbers(rows)
    low, mean, high = (file[f"Unaligned pays: memory{end}"] for end in (" low", "", " high"))
    assert (low < mean).all() and (mean < high).all()
    assert file["Unaligned pays: memory verdict"].tolist() == [c.verdict for c in rows["Unaligned pays: memory"]]
    assert set(file["Unaligned pays: memory verdict"]) <= {"higher", "open"}


def test_intervals_end_where_shares_do():
    assert str(alignment._share([0.0, 0.001, 0.015])) == "0.533 % (0 % to 2.6 %)"  # 2.083 half-widths above the mean
    assert str(alignment._share([0.4, 0.5, 0.6])) == "50 % ± 25 %"
    assert str(alignment._share([1.0, 1.0])) == "100 %"


def test_all_of_them_are_not_called_more_than_all():
    (lead, *_) = alignment._sum_up([0.99999, 1.0], [(0.5, "1 % lost")], [[], [], [], []])
    assert lead.startswith("Of an aligned sender's segments 100 % arrive as whole FPDUs")


def test_an_interval_without_zero_is_not_said_to_show_nothing():
    _, comparisons, averages = answer(STUDY, runs({0.001: 0.9, 0.01: 0.2}), FACTORS)
    memory = replace(turned(next(a for a in averages if a.view.metric == "reassembly_p99")), verdict="open")
    told = alignment._told("Markers", "the memory", memory)
    assert told.startswith("Markers are not shown to change the memory: +1,200 (") and told.endswith(
        "these are too few runs."
    )
    unclear = replace(memory, test=replace(memory.test, low=-1.0))
    told = alignment._told("It", "the memory, with Markers,", unclear)
    assert told.startswith("It is not shown to change the memory, with Markers: +1,200 (") and told.endswith(
        "pairs of runs."
    )


def test_the_other_side_has_what_one_lacks():
    _, comparisons, _ = answer(STUDY, runs({0.01: 0.2}), FACTORS)
    memory = next(c for c in comparisons if c.view.metric == "reassembly_p99")
    other = turned(memory)
    assert (other.test.mean, other.test.low, other.test.high) == (1200, -memory.test.high, -memory.test.low)
    assert other.treatment.mean == memory.baseline.mean and other.contrast.treatment is False
    assert turned(other).test == memory.test and {memory.verdict, other.verdict} in ({"open"}, {"lower", "higher"})
