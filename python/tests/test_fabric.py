# SPDX-License-Identifier: GPL-2.0-only
"""What the fabric study makes of its runs, against numbers that are known beforehand, and two of its runs."""

import re

import number_columns
import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.primary import examine
from iwarp.errors import IwarpError
from iwarp.reproduction.experiment import Sweep
from iwarp.reproduction.fabric import on
from iwarp.runs import loader
from iwarp.studies import fabric

BASE = {
    "status": "ok", "run": 1, "topology": "star", "incast_senders": 16, "leaves": 2, "spines": 2, "hosts_per_leaf": 3,
    "workload": "rdma-write", "alignment": True, "congestion_control": "TcpDctcp", "pfc_xoff": 0,
    "payload_octets": 1e6, "retransmitted_octets": 0.0, "measured_duration": 0.01, "pause_time": float("nan"),
    "slowdown_p50": 2.0, "slowdown_p99": 8.0, "rnic_memory_peak": 0.0, "queue_drops": 0.0, "timeouts": 0.0,
    "size_slowdown_p50_100000": 2.0, "size_slowdown_p99_100000": 8.0,
}  # fmt: skip
ROWS = [
    {},
    {"alignment": False, "rnic_memory_peak": 5000.0, "slowdown_p99": 9.0},
    {"workload": fabric.GO_BACK_N, "queue_drops": 40.0, "retransmitted_octets": 5e5, "slowdown_p99": 16.0},
    {"workload": fabric.SELECTIVE, "queue_drops": 40.0, "retransmitted_octets": 5e4, "slowdown_p99": 4.0},
    {"workload": fabric.GO_BACK_N, "pfc_xoff": fabric.XOFF, "pause_time": 0.017, "slowdown_p99": 5.0},
]


@pytest.fixture
def frame():
    return fabric.derive(pd.DataFrame([{**BASE, **row} for row in ROWS]))


def test_transports_have_names_and_shares(frame):
    assert frame["transport"].tolist() == [
        "iWARP aligned, DCTCP", "iWARP unaligned, DCTCP", "Go-back-N, lossy", "Selective repeat, lossy",
        "Go-back-N, PFC",
    ]  # fmt: skip
    assert frame["resent_share"].tolist() == pytest.approx([0, 0, 0.5, 0.05, 0])
    assert frame["pause_share"].tolist() == pytest.approx([0, 0, 0, 0, 0.1])  # 17 hosts, 10 ms


def test_a_leaf_spine_has_its_hosts_and_both_ends_of_its_links_pause():
    assert fabric._paused_ends({**BASE, "topology": "leaf-spine"}) == 6 + 2 * 4


def test_the_answer_says_what_the_table_does(frame):
    (table,) = fabric.conclude(frame)
    number_columns.check([table])
    assert table.rows["Transport"].tolist() == frame["transport"].tolist()
    assert [cell.value for cell in table.rows["Sent again"]][2:4] == pytest.approx([0.5, 0.05])
    best, memory, paused = table.sentences
    assert "from 4 (Selective repeat, lossy) to 16 (Go-back-N, lossy); the runs do not show" in best  # one run
    assert "up to 5,000 octets for reassembly with unaligned senders, up to 0 with aligned ones" in memory
    assert "with PFC nothing is dropped, and ends of links pause for 10 %" in paused


def test_sizes_have_a_table_of_their_own(frame):
    several = frame.assign(
        topology="leaf-spine", size_slowdown_p50_1000=1.5, size_slowdown_p99_1000=30.0,
        size_slowdown_p50_10=[1.0, *[float("nan")] * 4], size_slowdown_p99_10=[1.0, *[float("nan")] * 4],
    )  # fmt: skip
    whole, sizes = fabric.conclude(several)
    assert not any("octets, " in column for column in whole.rows)
    assert sizes.name == "sizes-leaf-spine"
    each = [f"To {size} octets, {name}" for size in ("1,000", "100,000") for name in ("median", "99th percentile")]
    assert list(sizes.rows) == ["Transport", *each]  # each run has these
    assert list(map(str, sizes.rows.iloc[0])) == ["iWARP aligned, DCTCP", "1.5", "30", "2", "8"]


def replicated(frame, noise, runs=8):
    """Repeat each transport with noise of its own, around a level that a run has in common."""
    rng = np.random.default_rng(3)
    return pd.concat(
        frame.assign(
            run=run,
            slowdown_p99=frame["slowdown_p99"] * np.exp(rng.normal(0, 0.5) + rng.normal(0, noise, len(frame))),
        )
        for run in range(1, runs + 1)
    )


def test_what_has_not_come_to_rest_is_named(frame):
    """Median slowdowns of a window's halves: the second one's rise with go-back-N alone."""
    rng = np.random.default_rng(5)
    runs = replicated(frame.assign(topology="leaf-spine"), 0.05)
    noise = np.exp(rng.normal(0, 0.05, (2, len(runs))))
    rise = np.where(runs["transport"] == "Go-back-N, lossy", 1.5, 1.0)
    runs = runs.assign(half_slowdown_p50_1=2 * noise[0], half_slowdown_p50_2=2 * noise[1] * rise)
    halves = fabric.compare_halves(runs)
    assert [name for name, test in halves.items() if test.p < 0.05] == ["Go-back-N, lossy"]
    assert np.exp(halves["Go-back-N, lossy"].mean) == pytest.approx(1.5, rel=0.1)
    said = [text for text in fabric.conclude(runs)[0].sentences if "second half" in text]
    assert len(said) == 1 and "with Go-back-N, lossy (1." in said[0] and "not come to rest" in said[0]
    calm = runs[runs["transport"] != "Go-back-N, lossy"]
    assert any("not shown to differ from that of the first, of any of 4 transports" in text
               for text in fabric.conclude(calm)[0].sentences)  # fmt: skip
    assert fabric.compare_halves(frame) == {}


def test_extremes_are_told_apart_only_as_all_pairs_allow(frame):
    """The least and the greatest of many means differ always; all pairs of transports together tell whether any do."""
    (table,) = fabric.conclude(replicated(frame, 0.05))
    text = table.sentences[0]
    assert "(Selective repeat, lossy) to " in text and "(Go-back-N, lossy), " in text
    numbers = re.search(r"([\d.]+) times as much \(95 % interval ([\d.]+) to ([\d.]+)", text)
    ratio, low, high = map(float, numbers.groups())
    assert low <= 4 <= high and ratio == pytest.approx(4, rel=0.05)
    assert text.endswith("simultaneous for all pairs of 5 transports).")
    (table,) = fabric.conclude(replicated(frame, 2.0))
    assert table.sentences[0].endswith("; the runs do not show that these differ, as the extremes of 5 transports.")


def test_no_extremes_are_told_where_one_transport_lacks_values(frame):
    several = replicated(frame, 0.05)
    worst = (several["transport"] == "Go-back-N, lossy") & (several["run"] == several["run"].max())
    # no percentile, or no run that ended well
    for frame in (several.assign(slowdown_p99=several["slowdown_p99"].mask(worst)), several[~worst]):
        (table,) = fabric.conclude(frame)
        assert table.sentences[0].endswith(
            "whose 99th percentile of the slowdown is the least is not told, since values are missing: "
            f"Go-back-N, lossy in 1 of {several['run'].nunique()} runs."
        )


def answered(frame):
    """Return the answer to these runs on both networks."""
    both = pd.concat([frame, frame.assign(topology="leaf-spine")])
    views = {view.metric: view for view in fabric.STUDY.views}
    primaries = examine(both, fabric.STUDY.primaries, views, ["topology", "transport"])
    return fabric._answer(fabric.Evidence(both, [], [], [], primaries))


def test_the_answer_tells_by_how_much_transports_differ(frame):
    texts = answered(replicated(frame, 0.05))
    who, more = texts[0].split(" raises the 99th percentile of the slowdown by ")
    assert who == "Aligned iWARP with DCTCP instead of selective repeat"
    assert 1 + float(more.split()[0]) / 100 == pytest.approx(2, rel=0.05)
    assert all("By network, it is shown on 2 of 2, the other way on none" in text for text in (texts[1], texts[3]))
    less = texts[2].removeprefix(
        "Aligned iWARP with DCTCP instead of go-back-N lowers the 99th percentile of the slowdown by "
    )
    assert 1 - float(less.split()[0]) / 100 == pytest.approx(0.5, rel=0.05)
    assert ["is not shown to change" in text for text in answered(replicated(frame, 3.0))] == [True, True]
    assert all(text.startswith("Too few pairs") for text in answered(frame))  # one run


def test_no_transport_is_nameless():
    for row in ROWS:
        factors = {name: {**BASE, **row}[name] for name in ("alignment", "congestion_control", "workload", "pfc_xoff")}
        assert all(item in fabric.STUDY.levels for item in factors.items())


def test_an_incast_with_pauses_loses_nothing():
    """16 windows of a bandwidth-delay product do not fit the queue: without pauses packets are lost."""
    try:
        loader.find()
    except IwarpError as error:
        pytest.skip(str(error))
    runs = on(Sweep(1), "star", [(fabric.GO_BACK_N, 0), (fabric.SELECTIVE, 0), (fabric.GO_BACK_N, fabric.XOFF)])
    lossy, selective, lossless = (
        runs[name].mean(numeric_only=True) for name in ("Go-back-N, lossy", "Selective repeat, lossy", "Go-back-N, PFC")
    )
    assert lossy["queue_drops"] > 0 and lossy["retransmitted_octets"] > selective["retransmitted_octets"] > 0
    assert lossless["queue_drops"] == 0 == lossless["retransmitted_octets"]
    # the last of the 16 messages of a round ends when all of them have passed the receiver's link: 46 packets of up
    # to 1440 octets, with 44 of headers and 38 of Ethernet, 10 us there and a packet stored and forwarded
    message, path = 8 * (65536 + 16 + 46 * (44 + 38)) / 10e9, 10e-6 + 8 * 1526 / 10e9
    assert lossless["slowdown_p99"] == pytest.approx((16 * message + path) / (message + path), rel=0.02)
