# SPDX-License-Identifier: GPL-2.0-only
"""What the compare study makes of its runs, against differences that are put in, and transports that are equal."""

import re

import number_columns
import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.cause import explain
from iwarp.analysis.primary import examine
from iwarp.studies import compare
from iwarp.studies import compare_paths as paths
from iwarp.studies.study import Evidence
from iwarp.studies.transports import slowdown
from iwarp.sweeps.designs import fraction
from scipy import stats

FACTORS = ["transport", "topology", "message_sizes", "load", "loss", "incast_senders"]
MIXES = compare._QUICK_MIXES
ROW = {
    **paths.BASE, "status": "ok", "run": 1, "leaves": 2, "spines": 2, "hosts_per_leaf": 4, "fat_tree_k": 4,
    "congestion_control": "TcpDctcp", "tcp_profile": "none", "pfc_headroom": "none", "roce_congestion": "none",
    "payload_octets": 1e6, "retransmitted_octets": 0.0, "measured_duration": 0.01, "host_pause_share": float("nan"),
    "slowdown_p50": 2.0, "slowdown_p95": 5.0, "slowdown_p99": 8.0, "rnic_memory_peak": 0.0, "queue_drops": 0.0,
    "timeouts": 0.0, "roce_window": float("nan"),
}  # fmt: skip
CLEAN = fraction({"topology": ["leaf-spine", "fat-tree"], "message_sizes": list(MIXES), "load": [0.3, 0.8]}, 2)
LOSSY = [{"topology": "leaf-spine", "loss": loss} for loss in (0.0001, 0.001, 0.01)]
INCAST = [
    {"topology": "star", "incast_senders": n, "message_sizes": "fixed:65536", "load": 0.0} for n in (8, 16, 32, 64)
]


PLACES = (*CLEAN, *LOSSY, *INCAST)


def runs(effects=None, noise=0.05, count=8, names=compare.MAIN, places=PLACES):
    """Return runs of transports on paths; ``effects`` gives a factor on all slowdowns by transport and kind of path."""
    rng = np.random.default_rng(1)
    rows = []
    for run in range(1, count + 1):
        for path in places:
            kind = "loss" if path.get("loss") else "incast" if path.get("incast_senders") else "clean"
            shared = np.exp(rng.normal(0, 0.3))
            for name in names:
                factor = shared * (effects or {}).get((name, kind), 1.0) * np.exp(rng.normal(0, noise))
                few = path.get("message_sizes", "") in MIXES[1::2]  # of these no 99th percentile is told
                slow = {
                    "slowdown_p50": 2 * factor,
                    "slowdown_p95": float("nan") if few else 5 * factor,
                    "slowdown_p99": float("nan") if few else 8 * factor,
                }
                memory = (540_000, 1_080_000)[(run - 1) % 2]
                rows.append({**ROW, **path, **paths.TRANSPORTS[name], **slow, "run": run, "buffer_size": memory})
    frame = pd.DataFrame(rows)
    frame.attrs["units"] = {}
    return compare.derive(frame)


def primaries_of(frame):
    return examine(frame, compare.STUDY.primaries, {view.metric: view for view in compare.STUDY.views}, FACTORS)


def answered(frame):
    return compare.answer(Evidence(frame, [], [], [], primaries_of(frame)))


def test_each_transport_is_known_by_its_settings():
    for name, settings in paths.TRANSPORTS.items():
        assert paths.name_transport({**ROW, **settings}) == name
    assert paths.name_transport({**ROW, **paths.ROCE, "pfc_headroom": "none", "pfc_xoff": 9000}) == "RoCE"
    assert paths.name_transport({**ROW, "congestion_control": "ns3::TcpBbr"}) == "iWARP with BBR"
    assert paths.name_transport({**ROW, "congestion_control": "TcpVegas"}) not in paths.TRANSPORTS


def test_shares_are_of_what_was_there():
    rows = [{**ROW, **paths.ROCE, "host_pause_share": 0.25, "retransmitted_octets": 5e5}, ROW]
    frame = compare.derive(pd.DataFrame(rows))
    assert frame["host_pause_share"].tolist() == [0.25, 0]  # nothing can pause
    assert frame["resent_share"].tolist() == [0.5, 0]


def test_the_answer_names_the_paths_on_which_each_wins():
    """RoCE is put at twice the slowdown with loss and half of it in incasts, IRN at the same everywhere."""
    texts = answered(runs({("RoCE", "loss"): 2.0, ("RoCE", "incast"): 0.5}))
    roce, irn = texts[:2]
    won, lost, *rest = roce.split("; ")
    assert won.startswith("Against RoCE: messages of iWARP are delayed less with random loss (99th percentile, ")
    assert float(re.search(r"percentile, ([\d.]+) times", won)[1]) == pytest.approx(0.5, rel=0.05)
    assert lost.startswith("they are delayed more in incasts (99th percentile, ")
    assert float(re.search(r"percentile, ([\d.]+) times", lost)[1]) == pytest.approx(2, rel=0.05)
    assert "on clean paths" in " ".join(rest) and "less" not in irn and "more" not in irn
    assert irn.startswith("Against IRN: no difference of interest")


def test_nothing_is_claimed_of_few_or_noisy_runs():
    for frame in (runs(count=1), runs({("RoCE", "loss"): 1.05}, noise=2.0)):
        for text in answered(frame)[:2]:
            assert "delayed" not in text and "undecided" in text


def test_an_effect_that_the_queues_decide_is_no_number():
    frame = runs()
    short = (frame["buffer_size"] == 540_000) & (frame["transport"] == "RoCE") & (frame["loss"] > 0)
    frame.loc[short, "slowdown_p99"] *= 8
    levels = {"buffer_size": dict(zip(frame["run"], frame["buffer_size"], strict=True))}
    views = {view.metric: view for view in compare.STUDY.views}
    found = examine(frame, compare.STUDY.primaries, views, FACTORS, levels)
    assert "which one is delayed less goes with the queues with random loss" in compare.verdict("RoCE", found)


def test_go_back_n_is_named_as_the_cause_only_with_runs_that_lack_it():
    places = [{"topology": "leaf-spine", "loss": loss} for loss in (0.0, 0.01)]
    names = ("RoCE", "RoCE with selective repeat")
    views = {view.metric: view for view in compare.STUDY.views}
    for slow, stated in (({("RoCE", "loss"): 5.0}, True), ({(n, "loss"): 5.0 for n in names}, False)):
        (found,) = explain(runs(slow, places=places, names=names), compare.STUDY.causes, views, FACTORS)
        assert found.is_stated == stated
    assert explain(runs(places=places, names=names[:1]), compare.STUDY.causes, views, FACTORS) == []


def test_tables_say_what_runs_met():
    by_size = {f"size_slowdown_{q}_{size}": 1.5 for q in ("p50", "p99") for size in (1000, 10000)}
    frame = runs(count=2).assign(half_slowdown_p50_1=2.0, half_slowdown_p50_2=2.0, **by_size)
    frame.loc[frame["transport"] == "IRN", "roce_window"] = 23
    tables = compare.STUDY.conclude(frame)
    number_columns.check(tables)
    assert [table.name for table in tables] == ["paths-clean", "paths-loss", "paths-incast", "sizes", "state"]
    clean, loss, incast = (table.rows for table in tables[:3])
    assert set(clean["Messages"]) == {"AliStorage", "WebSearch, a tenth", "FB_Hadoop", "RPCs"}
    assert list(dict.fromkeys(map(str, loss["Loss"]))) == ["0.01 %", "0.1 %", "1 %"] and len(incast) == 4 * 3
    assert set(clean["Slowdown, 99th percentile"].map(str)) >= {"n/a"} and len(clean) == 4 * 3
    state = tables[4].rows
    assert state[state["Transport"] == "IRN"]["Octets"].iloc[0].value == 5 * 3  # 23 bits in 3 octets
    assert all("not shown to differ" in text for table in tables[:1] for text in table.sentences)


def test_pauses_are_told_where_there_are_any():
    frame = runs(count=2)
    assert not any("pause" in text for table in compare.STUDY.conclude(frame) for text in table.sentences)
    frame.loc[(frame["transport"] == "RoCE") & (frame["incast_senders"] == 64), "host_pause_share"] = 0.2
    told = [text for table in compare.STUDY.conclude(frame) for text in table.sentences if "pause" in text]
    assert told == ["Incasts: hosts that send pause for 5 % of the time with RoCE (in 2 of 8 runs), on average."]


def test_long_flows_have_their_fairness():
    places = [{"topology": "leaf-spine", "incast_senders": 7, "message_sizes": "fixed:65536", "load": 0.0}]
    frame = runs(count=4, places=places).assign(common_goodput=9e9)
    frame["common_fairness"] = np.where(frame["transport"] == "RoCE", 0.7, 1.0)
    (table,) = (table for table in compare.STUDY.conclude(frame) if table.name == "fairness")
    assert [cell.value for cell in table.rows["Jain's index"]] == pytest.approx([1, 0.7, 1])


def test_paths_are_balanced_and_every_transport_meets_the_same_messages():
    preset = compare.STUDY.presets["quick"]
    grids = [preset.grid, *preset.more]
    clean = {(g["topology"][0], g["message_sizes"][0], g["load"][0]) for g in grids if g.title == "clean paths"}
    assert len(clean) == 8
    for at, levels in ((0, 2), (1, 4), (2, 2)):
        assert len({point[at] for point in clean}) == levels
        assert all(sum(p[at] == level for p in clean) == 8 / levels for level in {p[at] for p in clean})
    for path in clean:
        there = [g["workload"][0] for g in grids if (g["topology"][0], g["message_sizes"][0], g["load"][0]) == path]
        assert {"rdma-write", "go-back-n", "selective-repeat"} <= set(there)


def test_windows_bring_what_a_preset_asks_for():
    grid = {"load": [0.8], "message_sizes": [paths.STORAGE], "incast_senders": [0]}
    found = paths.QUICK.goes_with("leaf-spine", grid, ())
    seconds = float(found["arrival_window"].removesuffix("us")) / 1e6
    assert seconds * 8 * 1e10 / 8 * 0.8 == pytest.approx(20e6, rel=1e-3)  # eight hosts of 10 Gbit/s
    assert "load" not in paths.QUICK.goes_with("leaf-spine", grid, ("load",))
    assert paths.QUICK.goes_with("leaf-spine", {**grid, "incast_senders": [7]}, ())["pattern"] == "incast"
    incast = paths.QUICK.goes_with("star", {**grid, "incast_senders": [64]}, ())
    # 46 packets of 1448 octets carry 64 KiB; 1538 octets of link each
    assert float(incast["intervals"].removeprefix("fixed:")) == pytest.approx(
        1.25 * 64 * 46 * 1538 * 8 / 1e10, rel=1e-3
    )


def test_the_interval_of_a_slowdown_is_over_runs():
    """Two loads of other means, and what the configurations of a run have in common: Student's t of the runs' means."""
    rng = np.random.default_rng(5)
    common = rng.normal(0, 0.3, 8)
    frame = pd.DataFrame({"run": run, "tail": mean + common[run]} for run in range(8) for mean in (2.0, 6.0))
    cell = slowdown(frame, "tail")
    low, high = stats.t.interval(0.95, 7, 4 + common.mean(), stats.sem(common))
    assert cell.value == pytest.approx((low + high) / 2) and cell.half == pytest.approx((high - low) / 2)
    assert slowdown(frame.assign(tail=frame["tail"].mask(frame["run"] == 3)), "tail") == "n/a"
