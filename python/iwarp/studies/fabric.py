# SPDX-License-Identifier: GPL-2.0-only
"""Transports in a data centre: iWARP with three congestion controls, and two RoCE-like yardsticks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.selection import select
from ..parameters.quantity import human, number_text
from ..report.cells import number
from ..report.chart import Layout
from ..report.page import Table
from .primaries import answers
from .study import Evidence, Panel, Preset, Question, Study
from .transports import GO_BACK_N, SELECTIVE, by_size, compare_halves, resent_share, sizes_of, slowdown, tell_steadiness

XOFF = 6000  #: octets of a port at which lossless switches have its other end pause
_SHALLOW = 100  #: packets on the leaf-spine: 5 such ports, and about two bandwidth-delay products
_LOAD = 0.5  #: of the hosts' links, at random times
_QUEUE = 270  #: packets: 16 ports of XOFF octets, 2 C D and four frames each

#: 16 windows of a bandwidth-delay product are 288 packets, more than the first queue of the incast and less than others
_NUISANCE = {"queue_size": (1, 1.2, 2), "start_spread": (1, 2, 5)}

_BASE = {
    "workload": "rdma-write",
    "rnic": "t5-like",
    "link_rate": "10Gbps",
    "access_rate": "10Gbps",
    "delay": "5us",
    "access_delay": "5us",
    "queue_size": f"{_QUEUE}p",
    "queue_disc": "threshold",
    "marking_threshold": "65p",
    "pfc_xon": XOFF // 2,
    "ecn": "On",
    "markers": False,
    "queue_depth": 1000,
    "min_rto": "1ms",
    "TcpSocket.ConnTimeout": "10ms",
    "IwarpRoceWorkload.Timeout": "1ms",
    "IwarpRoceWorkload.ShortTimeout": "500us",
    "delayed_ack": "200us",
    "flows": 1,
    "plain_tcp": False,
}
_TCP = {
    "alignment": [True],
    "congestion_control": ["TcpDctcp", "TcpCubic", "TcpBbr"],
    "workload": ["rdma-write"],
    "pfc_xoff": [0],
}
_UNALIGNED = {**_TCP, "alignment": [False], "congestion_control": ["TcpDctcp"]}
_ROCE = {
    "alignment": [True],
    "congestion_control": ["TcpDctcp"],
    "workload": [GO_BACK_N, SELECTIVE],
    "pfc_xoff": [0, XOFF],
}


def _topologies(window: str, warm_up: str, rounds: int, **size: int) -> dict[tuple[str, Any], dict[str, Any]]:
    """Return what goes with each topology: for how long messages arrive at a load, and rounds of an incast."""
    return {
        ("topology", "leaf-spine"): {
            "pattern": "all-to-all", "load": _LOAD, "connections": "pool", "message_sizes": "cdf:alistorage2019",
            "arrival_window": window, "arrival_warm_up": warm_up, "drain_limit": "10ms", "flows": 8,
            "queue_size": f"{_SHALLOW}p", "marking_threshold": "20p", **size,
        },
        ("topology", "star"): {
            "pattern": "incast", "incast_senders": 16, "intervals": "fixed:0.0015", "start_spread": "10us",
            "message_sizes": "fixed:65536", "octets": 65536 * rounds,
        },
    }  # fmt: skip


_TOPOLOGIES = {"topology": ["leaf-spine", "star"]}
_MORE = [{**_TOPOLOGIES, **_UNALIGNED}, {**_TOPOLOGIES, **_ROCE}]

_VIEWS = [
    View("slowdown_p50", "Slowdown, median", higher_is_better=False),
    View("slowdown_p99", "Slowdown, 99th percentile", higher_is_better=False, relevant=0.1),
    View("rnic_memory_peak", "Reassembly memory of the RNICs, peak", higher_is_better=False),
    View("queue_drops", "Dropped by queues", higher_is_better=False),
    View("timeouts", "Timeouts", higher_is_better=False),
    View("pause_share", "Paused, mean of the ends of links", "share",
         "Time for which ends of links paused, over the run and the ends that can.", False),
    View("resent_share", "Sent again", "share", "Payload that was sent again, over what messages have.", False),
]  # fmt: skip


def _layout(x: str, colour: str) -> Layout:
    return Layout(x=x, colour=colour, shape="", rows="topology", columns=())


def name_transport(row: Mapping[str, Any]) -> str:
    """Say what carries the messages of a run."""
    if row["workload"] in (GO_BACK_N, SELECTIVE):
        name = "Go-back-N" if row["workload"] == GO_BACK_N else "Selective repeat"
        return f"{name}, {'PFC' if row['pfc_xoff'] else 'lossy'}"
    control = str(row["congestion_control"]).removeprefix("ns3::").removeprefix("Tcp")
    return f"iWARP {'aligned' if row['alignment'] else 'unaligned'}, {'BBR' if control == 'Bbr' else control.upper()}"


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add shares, and the names of the transports."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    frame["transport"] = [name_transport(row) for _, row in frame.iterrows()]
    if "payload_octets" in frame:
        frame["resent_share"] = resent_share(frame)
        paused = frame["pause_time"] if "pause_time" in frame else 0.0
        frame["pause_share"] = (0.0 * frame["payload_octets"] + paused).fillna(0) / frame["measured_duration"] / [
            _paused_ends(row) for _, row in frame.iterrows()
        ]
        units |= {"resent_share": "share", "pause_share": "share"}
    frame.attrs["units"] = units
    return frame


def _paused_ends(row: Mapping[str, Any]) -> float:
    """Count the ends of links that a switch can have pause: hosts, and switches at both ends of a link."""
    if row["topology"] == "star":
        return float(row["incast_senders"]) + 1
    leaves, spines, hosts = (float(row[name]) for name in ("leaves", "spines", "hosts_per_leaf"))
    return leaves * hosts + 2 * leaves * spines


def _sizes(topology: str, runs: pd.DataFrame) -> list[Table]:
    """Return the slowdown by the size of messages, if they have several."""
    told = sizes_of(runs)
    rows = [{"Transport": name, **by_size(part, told, runs)} for name, part in runs.groupby("transport", sort=False)]
    if len(told) < 2:
        return []
    text = "Median and 99th percentile of the slowdown of messages of up to so many octets; means over the runs."
    return [Table(f"sizes-{topology}", f"{_TITLES[topology]}, by size of message", text, pd.DataFrame(rows))]


def _table(topology: str, runs: pd.DataFrame) -> Table:
    rows = []
    halves = compare_halves(runs)
    for transport, part in runs.groupby("transport", sort=False):
        row = {"Transport": transport}
        row["Slowdown, p50"] = slowdown(part, "slowdown_p50")
        row["Slowdown, p99"] = slowdown(part, "slowdown_p99")
        if transport in halves:
            row["Median, second half over first"] = number(math.exp(halves[transport].mean))
        row["RNIC memory, peak"] = number(part["rnic_memory_peak"].mean(), "octets", form=",.0f")
        row["Dropped packets"] = number(part["queue_drops"].mean(), form=",.0f")
        row["Timeouts"] = number(part["timeouts"].mean())
        row["Sent again"] = number(part["resent_share"].mean(), "share")
        row["Paused"] = number(part["pause_share"].mean(), "share") if part["pfc_xoff"].max() > 0 else "–"
        rows.append(row)
    means = runs.groupby("transport", sort=False)[["slowdown_p99", "rnic_memory_peak", "queue_drops"]].mean()
    sentences = _extremes(topology, runs)
    if halves:
        sentences.append(tell_steadiness(_TITLES[topology], halves))
    unaligned = means[means.index.str.contains("unaligned")]
    aligned = means[means.index.str.contains(" aligned")]
    if len(unaligned) and len(aligned):
        most = [part["rnic_memory_peak"].max() for part in (unaligned, aligned)]
        sentences.append(
            f"{_TITLES[topology]}: RNICs hold up to {most[0]:,.0f} octets for reassembly with unaligned senders, up to "
            f"{most[1]:,.0f} with aligned ones (means of the peaks), and none with RoCE-like ones."
            if max(most) > 0
            else f"{_TITLES[topology]}: no RNIC holds anything for reassembly, whether senders are aligned or not."
        )
    lossless = runs[runs["pfc_xoff"] > 0]
    if len(lossless):
        lost = lossless["queue_drops"].sum()
        sentences.append(
            f"{_TITLES[topology]}: with PFC {'nothing is' if lost == 0 else f'{lost:,.0f} packets are'} dropped, and "
            f"ends of links pause for {human(lossless['pause_share'].mean(), 'share')} of the time on average."
        )
    text = (
        "Slowdown is the time of a message over that which links and headers leave it alone on the empty path; the "
        "mean of the runs' percentiles, ± half of a 95 % interval. Memory is that of RNICs for reassembly; there are "
        "no Markers, so that what follows a hole waits in it whether the sender is aligned or not."
    )
    return Table(f"transports-{topology}", _TITLES[topology], text, pd.DataFrame(rows), sentences)


_TITLES = {"leaf-spine": f"Leaf-spine, all-to-all at a load of {_LOAD}", "star": "Incast of 16 hosts in rounds"}


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return for each topology a table of the transports, and one by sizes of messages."""
    if "slowdown_p99" not in frame:
        return []
    by_topology = [(name, runs) for name, runs in frame.groupby("topology", sort=False) if name in _TITLES]
    return [table for name, runs in by_topology for table in (_table(name, runs), *_sizes(name, runs))]


def _extremes(topology: str, runs: pd.DataFrame) -> list[str]:
    """Say which transports have the least and the greatest 99th percentile, and whether any two differ; nothing of them
    where some have none in some runs, those with the most messages that had not ended.
    """
    tails = select(runs.assign(tail=np.log(runs["slowdown_p99"])), "transport", "tail")
    if tails.lacking:
        number = runs["run"].nunique()
        few = "; ".join(f"{name} in {absent} of {number} runs" for name, absent in tails.lacking.items())
        what = "whose 99th percentile of the slowdown is the least is not told, since values are missing"
        return [f"{_TITLES[topology]}: {what}: {few}."]
    if tails.values.shape[1] < 2 or tails.values.empty:
        return []
    best, worst = tails.extremes()
    means = np.exp(tails.values.mean())
    found = tails.difference(worst, best)
    number = f"{tails.values.shape[1]} transports"
    ends = f"{number_text(means[best])} ({best}) to {number_text(means[worst])} ({worst})"
    text = f"{_TITLES[topology]}: the 99th percentile of the slowdown, as the runs' geometric mean, is from {ends}"
    if not found.is_shown:
        return [f"{text}; the runs do not show that these differ, as the extremes of {number}."]
    low, high = (number_text(math.exp(end)) for end in (found.low, found.high))
    return [f"{text}, {number_text(math.exp(found.mean))} times as much (95 % interval {low} to {high}, simultaneous "
            f"for all pairs of {number})."]  # fmt: skip


def _answer(evidence: Evidence) -> list[str]:
    return [*answers(evidence.primaries), *(sentence for table in evidence.tables for sentence in table.sentences)]


_ALIGNED = Contrast("alignment", True, False, "an aligned sender", "an unaligned one")
_OURS = "iWARP aligned, DCTCP"
_AGAINST = {"Selective repeat, lossy": "selective repeat", "Go-back-N, lossy": "go-back-N"}
_METRICS = ["slowdown_p50", "slowdown_p99", "rnic_memory_peak", "queue_drops", "timeouts"]


def _is(topology: str):
    return lambda where: where["topology"] == topology


_SCOPES = [(title, _is(topology)) for topology, title in _TITLES.items()]

STUDY = Study(
    name="fabric",
    title="Transports for RDMA in a data centre",
    lead=(
        "iWARP, with three congestion controls of TCP over queues that mark, and two simple RoCE-like transports "
        "over the same links and the same RNIC's host interface, as the literature compares them: go-back-N and "
        "selective repeat, with a fixed window of one bandwidth-delay product, over queues that drop or with links "
        "that pause. Segments are simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(
            {**_TOPOLOGIES, **_TCP}, _BASE, runs=9, timeout=300, more=_MORE, nuisance=_NUISANCE,
            special=_topologies("10ms", "4ms", 10, leaves=2, spines=2, hosts_per_leaf=3),
        ),
        "full": Preset(
            {**_TOPOLOGIES, **_TCP}, _BASE, runs=18, timeout=3600, more=_MORE, nuisance=_NUISANCE,
            special=_topologies("50ms", "10ms", 100, leaves=4, spines=4, hosts_per_leaf=4),
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(Contrast("transport", _OURS, other, f"aligned iWARP with DCTCP instead of {name}", name),
                "slowdown_p99", "the 99th percentile of the slowdown", "over all networks of this page",
                by_title="network", factors=("topology",))
        for other, name in _AGAINST.items()
    ],
    questions=[
        Question("An aligned sender against an unaligned one", _ALIGNED, _METRICS, _SCOPES),
        Question("DCTCP against CUBIC",
                 Contrast("congestion_control", "TcpDctcp", "TcpCubic", "DCTCP", "CUBIC"), _METRICS, _SCOPES),
        Question("DCTCP against BBR",
                 Contrast("congestion_control", "TcpDctcp", "TcpBbr", "DCTCP", "BBR"), _METRICS, _SCOPES),
        Question("Selective repeat against go-back-N",
                 Contrast("workload", SELECTIVE, GO_BACK_N, "selective repeat", "go-back-N"),
                 ["slowdown_p50", "slowdown_p99", "queue_drops", "resent_share", "timeouts"], _SCOPES),
        Question("iWARP (aligned, DCTCP) against selective repeat",
                 Contrast("workload", "rdma-write", SELECTIVE, "iWARP", "selective repeat"),
                 ["slowdown_p50", "slowdown_p99", "queue_drops", "timeouts"], _SCOPES),
        Question("Links that pause against links that drop",
                 Contrast("pfc_xoff", XOFF, 0, "PFC", "drops"),
                 ["slowdown_p50", "slowdown_p99", "queue_drops", "timeouts"], _SCOPES),
    ],
    layout=_layout("congestion_control", "alignment"),
    figures={},
    titles={
        "alignment": "Sender",
        "congestion_control": "Congestion control",
        "workload": "Transport",
        "pfc_xoff": "Links",
        "topology": "Network",
    },
    levels={
        ("alignment", True): "aligned",
        ("alignment", False): "unaligned",
        ("congestion_control", "TcpDctcp"): "DCTCP",
        ("congestion_control", "TcpCubic"): "CUBIC",
        ("congestion_control", "TcpBbr"): "BBR",
        ("workload", "rdma-write"): "iWARP",
        ("workload", GO_BACK_N): "go-back-N",
        ("workload", SELECTIVE): "selective repeat",
        ("pfc_xoff", 0): "drop",
        ("pfc_xoff", XOFF): "pause (PFC)",
        ("topology", "leaf-spine"): "leaf-spine",
        ("topology", "star"): "incast",
    },
    derive=derive,
    conclude=conclude,
    answer=_answer,
    limits=(
        "The RoCE-like transports are yardsticks, not adapters: fixed windows, no DCQCN or TIMELY, and of the RNIC "
        "only its host interface and packet buffer. On the leaf-spine messages arrive at random times whatever "
        "becomes of those before; each takes one of the eight connections of its hosts that is idle, or a new one "
        "where none is, and those that arrive in a window are followed to their ends, for 10 ms behind it at most. "
        "iWARP begins in slow start where a connection was idle. Timeouts are at least 1 ms for both, above what "
        "full queues take, 10 ms of a connection that opens; selective repeat has 0.5 ms for its last packets. "
        "Queues hold 100 packets at each port of the leaf-spine, about two bandwidth-delay products, and mark from "
        "20 on; for the incast 270 and 65. What is not ECN-capable they drop from there on: acknowledgments of CUBIC "
        "and BBR, and what these send again. Lossless links have one priority and static thresholds."
    ),
    warm_up=(
        "is left out of the leaf-spine: 4 ms, in which messages arrive that do not count, 10 ms in the full preset; "
        "connecting and slow start are part of an incast's runs"
    ),
    factors=["alignment", "congestion_control", "workload", "pfc_xoff"],
    panels=[
        Panel("iWARP: slowdown at the 99th percentile", "slowdown_p99", _layout("congestion_control", "alignment"),
              "Messages of all sizes, by congestion control.", lambda s: s["workload"] == "rdma-write"),
        Panel("RoCE-like: slowdown at the 99th percentile", "slowdown_p99", _layout("pfc_xoff", "workload"),
              "Messages of all sizes, where links drop and where they pause.", lambda s: s["workload"] != "rdma-write"),
        Panel("iWARP: reassembly memory", "rnic_memory_peak", _layout("congestion_control", "alignment"),
              "Most octets in the reassembly memory of all receiving RNICs at any time.",
              lambda s: s["workload"] == "rdma-write"),
        Panel("RoCE-like: drops", "queue_drops", _layout("pfc_xoff", "workload"),
              "Packets that queues dropped.", lambda s: s["workload"] != "rdma-write"),
    ],
)  # fmt: skip
