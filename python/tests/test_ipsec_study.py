# SPDX-License-Identifier: GPL-2.0-only
"""What the IPsec study makes of its runs, against numbers that are known beforehand, and some of its runs."""

import math
from dataclasses import replace

import iwarp
import pandas as pd
import pytest
from iwarp.analysis.comparison import compare
from iwarp.studies import ipsec
from iwarp.studies.ipsec_conditions import (
    BASE,
    CONTEXTS,
    ENTROPY,
    IDLE,
    PAIRS,
    ROOM,
    TOLD,
    UNDISTURBED,
    condition,
    more,
)
from scipy import stats

RUN = {
    **BASE, "status": "ok", "message": "", "goodput": 9e9, "message_time_mean": 1e-4, "header_aligned_share": 1.0,
    "rnic_memory_peak": 0.0, "rnic_packet_buffer_peak": 9000.0, "rnic_ip_reassembly_peak": 0.0, "segments_sent": 1000.0,
    "payload_octets": 1e6, "measured_warm_up": 1e-3, "esp_octets": 0.0, "esp_overhead": 0.0, "esp_packets": 0.0,
    "esp_rekeys": 0.0, "esp_idle_deletes": 0.0, "esp_context_misses": 0.0,
}  # fmt: skip


def frame(*rows, count=3):
    """Return the runs of these, so many of each, of which ESP's goodput falls by what the run's number says."""
    runs = []
    for row in rows:
        for run in range(1, count + 1):
            given = {"ipsec": "none", **RUN, **row, "run": run}
            given["goodput"] *= 1 + 0.001 * run * (given["ipsec"] != "none")
            runs.append(given)
    found = pd.DataFrame(runs)
    found.attrs["units"] = {"goodput": "bit/s"}
    return ipsec.derive(found)


TRANSPORT = {
    "ipsec": "transport",
    "goodput": 8.1e9,
    "esp_octets": 1500.0,
    "esp_overhead": 34.0,
    "esp_packets": 1.0,
    "segments_sent": 1020.0,
}


def test_conditions_have_names_of_their_own():
    names = [
        condition({**BASE, **changes})
        for changes in (
            {}, {"ipsec_udp": True}, {"ipsec_udp": True, ENTROPY: True},
            {"ecmp": "flow-label", "ipv6": True, "flow_labels": True}, {"ecmp": "flow-spi"},
            {"key_exchange": True}, {"key_exchange": True, "association_packets": 1000},
            {ROOM: 50, "key_exchange": True}, {IDLE: 0.02, "key_exchange": True},
            {"reordering": 0.01}, {"reordering": 0.01, "replay_window": 1024},
            {"dont_fragment": False}, {"dont_fragment": False, "tunnel_dont_fragment": "clear"},
        )
    ]  # fmt: skip
    assert names[0] == UNDISTURBED and len(set(names)) == len(names)


def test_panels_need_no_more_than_the_conditions():
    """What they are drawn of are averages, without what a condition stands for."""
    found = frame({}, TRANSPORT, {**TRANSPORT, "key_exchange": True})
    chosen = found[ipsec.STUDY.panels[0].where(found.drop(columns=[*TOLD]))]
    assert set(chosen["condition"]) == {UNDISTURBED} and len(chosen) == 6


def test_nested_associations_add_to_the_same_datagrams_twice():
    found = frame(TRANSPORT, {**TRANSPORT, "ipsec": "nested", "esp_octets": 2 * 1500.0, "esp_overhead": 90.0})
    assert found.groupby("ipsec")["esp_share"].first().tolist() == pytest.approx([0.06, 34 / 1500])


def test_the_cost_has_an_interval_for_all_rows_together():
    found = frame({}, TRANSPORT, {**TRANSPORT, "ipsec": "tunnel"})
    (cost,) = ipsec.conclude(found)
    assert cost.rows["ESP"].tolist() == ["transport", "tunnel"]
    logs = [math.log(0.9 * (1 + 0.001 * run)) for run in (1, 2, 3)]
    mean, spread = sum(logs) / 3, pd.Series(logs).std()
    half = stats.t.ppf(1 - 0.025 / 2, 2) * spread / math.sqrt(3)  # two rows
    low, high = (100 * math.expm1(mean + sign * half) for sign in (-1, 1))
    assert str(cost.rows["Goodput with ESP"][0]) == f"{100 * math.expm1(mean):+.1f} % ({low:+.1f} to {high:+.1f})"
    assert str(cost.rows["Segments"][0]) == "+2.0 %"
    # 1,000 segments of 74 octets beside a megabyte, and 1,020 of 108
    assert str(cost.rows["By octets alone"][0]) == "-3.3 %"


def test_the_breakdown_names_each_part_once():
    engine = {**TRANSPORT, "esp_engine": "t6-like", "goodput": 4e9}
    rekeyed = {**TRANSPORT, "key_exchange": True, "association_packets": 1000, "esp_rekeys": 7.0}
    contexts = {**TRANSPORT, CONTEXTS: 16, "esp_context_misses": 0.5}
    keys = {**TRANSPORT, "key_exchange": True}
    idle = {**keys, IDLE: 0.02, "esp_idle_deletes": 5.0}
    cost, parts = ipsec.conclude(frame({}, TRANSPORT, engine, rekeyed, contexts, keys, idle))
    assert cost.rows["Condition"].tolist() == [UNDISTURBED]
    assert parts.rows["Part"].tolist() == ["engine", "contexts off chip", "idle deletion", "rekeying"]
    assert str(parts.rows["Goodput"][0]).startswith("-50.6 %")
    assert parts.rows["Seen"].tolist() == [
        "", "50 % of contexts off chip", "5 pairs deleted for being idle", "7 pairs replaced",
    ]  # fmt: skip


def test_the_answer_says_what_is_left_of_alignment_on_every_network():
    changed = {**TRANSPORT, "topology": "wan", "header_aligned_share": 0.995}
    found = frame({}, TRANSPORT, {"topology": "wan"}, changed, count=4)
    factors = ["topology", "condition", "ipsec", "alignment", "loss", "mtu", "rnic", "esp_engine", "cipher", "flows",
               "ipsec_sharing", CONTEXTS]  # fmt: skip
    (view,) = (view for view in ipsec.STUDY.views if view.metric == "header_aligned_share")
    contrast = ipsec.STUDY.questions[0].contrast
    compared = compare(found, contrast, replace(view, unit="share"), factors)
    (lead,) = ipsec.STUDY.answer(ipsec.Evidence(found, compared, [], ipsec.conclude(found)))
    assert lead == (
        "ESP changes the share of an aligned sender's segments that begin with an FPDU by up to 0.5 %, in 1 of 2 "
        "comparisons."
    )
    (lead,) = ipsec.STUDY.answer(ipsec.Evidence(found, [c for c in compared if c.where["topology"] == "dumbbell"], []))
    assert lead.startswith("ESP is not shown to change the share of an aligned sender's segments") and "1 comp" in lead


def test_the_answer_leaves_numbers_of_parts_to_the_table():
    found = frame({}, TRANSPORT, {"esp_engine": "t6-like"}, {**TRANSPORT, "esp_engine": "t6-like", "goodput": 4e9})
    (point,) = ipsec.STUDY.answer(ipsec.Evidence(found, [], [], ipsec.conclude(found)))
    assert point == "What more costs something is in a table: engine."


def runs_with(factor):
    """Return the runs of the quick preset that change a factor, one of each level of it."""
    preset = ipsec.STUDY.presets["quick"]
    (grid,) = (grid for grid in more(600_000, 500, [0.001], 2) if factor in grid)
    settings = {**preset.fixed, **{name: levels[0] for name, levels in grid.items()}, factor: grid[factor]}
    found = iwarp.sweep({**settings, "ipsec": "transport"}, runs=1)
    assert (found["status"] == "ok").all()
    return found.set_index(factor)


def test_contexts_off_chip_are_more_the_less_room_there_is():
    """Of messages that draw their queue pair; those that take turns never find theirs unless all fit."""
    misses = runs_with(CONTEXTS)["esp_context_misses"]
    assert misses[0] == 0
    # two contexts for each queue pair: messages find theirs as 1 - C / 2 N
    assert misses[PAIRS] / misses[PAIRS // 4] == pytest.approx((1 - 1 / 2) / (1 - 1 / 8), rel=0.1)


def test_idle_associations_go_and_nothing_above_notices():
    runs = runs_with(IDLE)
    assert runs.loc[0, "esp_idle_deletes"] == 0 and runs.loc[0.02, "esp_idle_deletes"] > 20
    for metric in ("messages", "payload_octets"):
        assert runs.loc[0.02, metric] == runs.loc[0, metric]
    for metric in ("esp_drops", "timeouts", "retransmitted_octets"):
        assert runs.loc[0.02, metric] == 0
    # a message waits for a round trip over three links, and what four messages take of the CPUs
    waits = runs.loc[0.02, "message_time_mean"] - runs.loc[0, "message_time_mean"]
    assert 40e-6 < waits < 300e-6
