# SPDX-License-Identifier: GPL-2.0-only
"""What the buffer study computes from its runs, against numbers that are known beforehand."""

import number_columns
import numpy as np
import pandas as pd
import pytest
from iwarp.studies import buffers, buffers_memory
from iwarp.studies.study import Evidence

BASE = {
    "status": "ok", "topology": "dumbbell",
    "delay": 50e-6, "mtu": 1552, "loss": 0.01, "link_rate": 10_000_000_000, "rack": False, buffers.MEMORY: 0,
    "flows": 100, "octets": 150_000, "emss": 1500.0, "alignment": False, "markers": True, "buffer_size_naf": 150_000.0,
    "rnic_memory_holders_peak": 90.0, "segments_dropped": 0.0, "segments_sent": 1000.0, "rnic_drops_memory_full": 0.0,
    "rnic_drops_memory_too_small": 0.0, "goodput": 9e9, "rnic_memory_peak": 120_000.0, "rnic_memory_mean": 75_000.0,
    "rnic_memory_p99": 90_000.0, "rnic_memory_p999": 100_000.0,
}  # fmt: skip
ALIKE = {"delay": 5e-3, "link_rate": 400_000_000_000}


def frame(rows):
    return buffers.derive(pd.DataFrame([{**BASE, **row} for row in rows]))


def memory(n, segments, **row):
    """Return a row of n connections whose memory is so many segments by each statistic."""
    names = ("rnic_memory_mean", "rnic_memory_p99", "rnic_memory_p999", "rnic_memory_peak")
    return {**ALIKE, "flows": n, **{name: 1500 * segments for name in names}, **row}


def tables(rows):
    found = {t.name: t for t in buffers.conclude(frame(rows))}
    number_columns.check(found.values())
    return found


LEVELS = (1, 10, 100, 1000)


def test_the_fit_finds_the_constants_of_the_formula():
    found = tables([memory(n, 0.5 * n + 10) for n in LEVELS for _ in (1, 2)])["fits"]
    row = found.rows.iloc[0]
    assert (row["K1"].value, row["K2"].value) == (pytest.approx(0.5), pytest.approx(10)) and row[
        "The line holds"
    ] == "not disproved"
    assert "holds 0.5 segments for each connection" in found.sentences[0]


def test_a_fit_says_when_the_line_does_not_hold():
    rng = np.random.default_rng(1)
    rows = [memory(n, 0.5 * n + 3 * n**0.5 + rng.normal(0, 0.05 * n**0.5)) for n in LEVELS for _ in range(3)]
    found = tables(rows)["fits"]
    assert set(found.rows["The line holds"]) == {"no"}
    assert any("does not follow the line" in sentence for sentence in found.sentences)


def test_a_few_connections_weigh_as_they_vary():
    """One run of 1,000 connections does not make up for what a thousand times fewer say of K2."""
    rows = [memory(n, 0.5 * n + 0.2) for n in LEVELS for _ in (1, 2)]
    rows[-1] = memory(1000, 530)  # one standard deviation of what 1,000 connections hold
    found = buffers.fit(frame(rows), "rnic_memory_mean")
    assert found.intercept == pytest.approx(0.2, abs=0.2) and found.slope == pytest.approx(0.515, abs=0.002)


def test_whether_longer_runs_say_the_same():
    rng = np.random.default_rng(2)

    def rows(k1, octets):
        return [memory(n, k1 * n + rng.normal(0, 0.1 * n**0.5), octets=octets) for n in LEVELS for _ in range(3)]

    short = rows(0.6, 150_000)
    same, more = tables(short + rows(0.6, 300_000))["steady"], tables(short + rows(0.7, 300_000))["steady"]
    assert set(same.rows["Shown to differ"]) == {"no"} and "not shown" in same.sentences[0]
    assert set(more.rows["Shown to differ"]) == {"yes"} and "how long runs are" in more.sentences[0]
    assert set(map(str, same.rows["Times as long"])) == {"2"}
    assert "steady" not in tables(short)
    # the fits themselves are of runs of one length
    first = tables(short + rows(5.0, 300_000))["fits"].rows.iloc[0]
    assert first["K1"].value == pytest.approx(0.6, abs=0.02)


def test_the_answer_leaves_numbers_to_the_tables():
    held = {(False, True): 0.5, (True, True): 0.0, (False, False): 1.5, (True, False): 1.0}
    rows = [memory(n, k * n, alignment=a, markers=m) for (a, m), k in held.items() for n in LEVELS for _ in (1, 2)]
    rows += [memory(n, 0.5 * n, octets=300_000) for n in LEVELS]
    found = frame(rows)
    answers = buffers.STUDY.answer(Evidence(found, (), (), buffers.conclude(found)))
    assert answers == [
        "Runs that are twice as long are not shown to have another K1.",
        "Tables below have segments that a connection holds, by loss and number of connections (fits.csv).",
    ]


def test_ratios():
    derived = frame([{"rnic_drops_memory_full": 20.0, "rnic_drops_memory_too_small": 5.0}])
    assert derived["drop_share"][0] == 0.025 and derived["k1"][0] == pytest.approx(75_000 / 150_000)
    assert derived.attrs["units"]["drop_share"] == "share"


def limited(goodput):
    """Return rows of one kind of sender by memory; there are drops below 64,000 octets."""
    return [
        {buffers.MEMORY: m, "goodput": g, "rnic_drops_memory_full": 9.0 if 0 < m < 64_000 else 0.0}
        for m, g in goodput.items()
    ]


def test_the_memory_for_a_target_is_between_two_sizes():
    """Good from the upper one on, and not by chance at a lower one (1,600 octets)."""
    rows = limited({140: 1e9, 1600: 8.95e9, 4000: 5e9, 16_000: 8.2e9, 64_000: 8.95e9, 0: 9e9})
    found = tables(rows)["answers"]
    row = found.rows.iloc[0]
    assert [row[f"for 90 % of the goodput: {end}"].value for end in ("more than", "at most")] == [4000, 16_000]
    assert [row[f"for 99 % of the goodput: {end}"].value for end in ("more than", "at most")] == [16_000, 64_000]
    assert [row[f"for no drop at all: {end}"].value for end in ("more than", "at most")] == [16_000, 64_000]
    assert found.sentences == [
        "Unaligned, markers: 99 % of the goodput that unlimited memory gives needs between 16,000 and 64,000 octets "
        "(100 connections share it, 10 Gbit/s, 1 % loss)."
    ]
    less = tables(limited({100: 9e9, 1000: 9e9, 0: 9e9}))["answers"]
    assert (
        "needs no more than 100 octets" in less.sentences[0]
        and less.rows.iloc[0]["for 90 % of the goodput: more than"] == "–"
    )
    assert "needs more than 1,000 octets" in tables(limited({100: 1e9, 1000: 1e9, 0: 9e9}))["answers"].sentences[0]


def test_what_is_between_is_halved_until_it_is_close():
    """Memory of 300,000 octets is just enough, by definition."""
    sizes = [4_000, 16_000, 64_000, 160_000, 1_000_000, 0]
    grids = [{"alignment": [True, False], "markers": [True, False], "seed": [7], buffers.MEMORY: list(sizes)}]
    for _ in range(8):
        found = frame(limited({m: 9e9 if m == 0 or m >= 300_000 else 8e9 for m in sizes}))
        more = buffers_memory.refine(found, grids)
        if not more:
            break
        (grid,) = more
        assert (grid["alignment"], grid["markers"], grid["seed"]) == ([False], [True], [7])
        sizes += grid[buffers.MEMORY]
    low, high = next(buffers_memory.brackets(found))[3]["99 % of the goodput"]
    assert low < 300_000 <= high <= 1.25 * low and len(sizes) <= 6 + 4
    assert buffers_memory.refine(frame(limited({100: 9e9, 1000: 9e9, 0: 9e9})), grids) == []


def test_the_example_of_the_appendix_is_told_apart():
    same = {**ALIKE, "flows": 10_000, "loss": 0.001, "buffer_size_naf": 15e6}
    rows = [{**same, "rnic_memory_peak": peak} for peak in (6e6, 7e6)]
    found = tables(rows)
    assert set(found) == {"example"}
    assert found["example"].rows.iloc[0]["BufferSizeNAF, K1 = 1"].value == 15_000_000
    assert str(found["example"].rows.iloc[0]["Peak over it"]) == "0.433"
