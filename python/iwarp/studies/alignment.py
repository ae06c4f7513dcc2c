# SPDX-License-Identifier: GPL-2.0-only
"""What it buys to keep FPDUs aligned with TCP segments (RFC 5044, Appendices A and B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..findings import Contrast, View, effect_text
from ..plots import Layout
from .study import Evidence, Panel, Preset, Question, Study

_KINDS = {"alignment": [True, False], "markers": [True, False]}
_GRID = {
    "topology": ["dumbbell", "abilene"],
    **_KINDS,
    "loss": [0.0, 0.001, 0.01],
    "reordering": [0.0, 0.02],
    "mtu": [1500],
}
_LARGE = {**_GRID, "topology": ["dumbbell"], "reordering": [0.0], "mtu": [9000]}
_BASE = {"flows": 4, "host_pairs": 0, "receivers": 0, "rnic": "none"}


def _rnic(octets: int, incast: int, many: int) -> list[dict]:
    """Return the grids with an RNIC: flows to a receiver each, to one receiver, and many between two hosts."""
    grid = {**_LARGE, "mtu": [1500], "loss": [0.0, 0.01], "rnic": ["t5-like"], "plain_tcp": [False]}
    return [
        {**grid, "octets": [octets]},
        {**grid, "octets": [4 * octets // incast], "flows": [incast], "receivers": [1], "access_rate": ["10Gbps"]},
        {**grid, "octets": [4 * octets // many], "flows": [many], "host_pairs": [1]},
    ]


_VIEWS = [
    View("header_aligned_share", "Segments that begin with an FPDU"),
    View("fpdu_aligned_share", "Segments of whole FPDUs only"),
    View("out_of_order_share", "FPDUs passed out of order", "share",
         "FPDUs that the receiver passed on for placement before the octets in front of them had come, of all FPDUs."),
    View("reassembly_peak", "Reassembly memory, peak", higher_is_better=False, log=True),
    View("reassembly_p99", "Reassembly memory, 99th percentile", higher_is_better=False, log=True),
    View("placement_wait_mean", "Arrival to placement, mean", higher_is_better=False, log=True),
    View("placement_wait_p99", "Arrival to placement, 99th percentile", higher_is_better=False, log=True),
    View("arrival_to_host", "RNIC: arrival to host memory, mean", "s",
         "From a frame's arrival at the RNIC until the host sees what it brought: through the RNIC to TCP, waiting for "
         "placement, and from there to the host; the sum of the three means.", False, True),
    View("rnic_place_delay_mean", "RNIC: from TCP to the host, mean", higher_is_better=False, log=True),
    View("rnic_place_delay_p99", "RNIC: from TCP to the host, 99th percentile", higher_is_better=False, log=True),
    View("goodput", "Goodput", higher_is_better=True, log=True),
    View("goodput_ratio", "Goodput against plain TCP", "ratio",
         "Goodput over that of plain ns-3 TCP with the same payload in the same conditions.", True),
    View("message_time_mean", "Time of a message, mean", higher_is_better=False, log=True),
    View("message_time_p99", "Time of a message, 99th percentile", higher_is_better=False, log=True),
    View("segments_ratio", "Segments against plain TCP", "ratio",
         "Data segments sent, retransmissions included, over those of plain ns-3 TCP for the same payload.", False),
    View("octets_ratio", "Octets on the wire against plain TCP", "ratio",
         "Octets of the IP datagrams that senders sent, over those of plain ns-3 TCP for the same payload.", False),
    View("bottleneck_share", "Share of the bottleneck"),
]  # fmt: skip

_HOW = "Blue circles are the aligned sender, red squares the unaligned one; filled with Markers, open without."

_FIGURES = {
    "header_aligned_share": "What alignment means on the wire: the receiver finds an FPDU's head at once. " + _HOW,
    "fpdu_aligned_share": "Segments that can be placed without waiting for others. FPDUs cut at the edge of a window "
    "or by a window probe show as the part that an aligned sender lacks to 100 %.",
    "out_of_order_share": "Placed before the gap in front of them was filled, which spares reassembly memory. "
    "RFC 5044 allows it with Markers only (filled shapes).",
    "reassembly_peak": "The memory that the receivers must have not to drop anything that arrives.",
    "reassembly_p99": "The memory that is enough for 99 % of the time.",
    "placement_wait_mean": "How long what has arrived waits before it can go to its place.",
    "placement_wait_p99": "The same for the slowest per cent of FPDUs.",
    "goodput": "What the application gets. Compare inside a panel: link, delay and messages are the same there.",
    "goodput_ratio": "One is plain TCP over the same path. MPA startup takes a round trip more, which short transfers "
    "over long distances feel.",
    "bottleneck_share": "How busy the busiest link is. What keeps it idle is TCP's answer to loss, and slow start.",
    "message_time_p99": "What a user of the storage service waits for, queueing at the sender included.",
    "segments_ratio": "One is what plain TCP sends. An FPDU that does not fit leaves room in a segment unused, and so "
    "may ask for more of them.",
    "octets_ratio": "One is what plain TCP sends. FPDU headers, pad, CRC and Markers come on top.",
}


def _derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the ratios that the study speaks of."""
    frame = frame.copy()
    units = dict(frame.attrs["units"])
    for name, over, under, unit in (
        ("out_of_order_share", "fpdus_passed_out_of_order", "fpdus_sent", "share"),
        ("segments_ratio", "segments_sent", "plain_tcp_segments", "ratio"),
        ("octets_ratio", "octets_on_wire", "plain_tcp_octets", "ratio"),
        ("goodput_ratio", "goodput", "plain_tcp_goodput", "ratio"),
    ):
        if over in frame and under in frame:
            frame[name] = frame[over] / frame[under].where(frame[under] > 0)
            units[name] = unit
    if "rnic_place_delay_mean" in frame:
        parts = ["rnic_receive_delay_mean", "placement_wait_mean", "rnic_place_delay_mean"]
        frame["arrival_to_host"] = frame[parts].sum(axis=1, skipna=False)
        units["arrival_to_host"] = "s"
    frame.attrs["units"] = units
    return frame


def _bare(where: Mapping[str, Any]) -> bool:
    return where["rnic"] == "none"


def _calm(where: Mapping[str, Any]) -> bool:
    return _bare(where) and where["loss"] == 0 and where["reordering"] == 0


def _harmed(where: Mapping[str, Any]) -> bool:
    return _bare(where) and not _calm(where)


def _plain(frame: pd.DataFrame) -> pd.Series:
    return frame["rnic"] == "none"


_CALM = ("no loss, no reordering", _calm)
_RNIC = [
    ("an RNIC, a receiver for each flow", lambda w: not _bare(w) and w["host_pairs"] == w["receivers"] == 0),
    ("an RNIC, incast", lambda w: not _bare(w) and w["receivers"] == 1),
    ("an RNIC, many connections of two hosts", lambda w: not _bare(w) and w["host_pairs"] == 1),
]
_SENDER_SCOPES = [
    _CALM,
    ("loss or reordering, with Markers", lambda w: _harmed(w) and w["markers"]),
    ("loss or reordering, without Markers", lambda w: _harmed(w) and not w["markers"]),
    *_RNIC,
]


_ANSWERED = {
    "reassembly_peak": "reassembly memory at its peak",
    "message_time_mean": "time of a message",
    "rnic_place_delay_mean": "time from TCP to the host in an RNIC",
    "segments_ratio": "segments sent",
    "goodput": "goodput",
}


def _answer(evidence: Evidence) -> list[str]:
    """Say what an aligned sender lowers, raises and leaves, then each difference that is shown on average."""
    points: list[str] = []
    changes: dict[str, list[str]] = {"lowers": [], "raises": [], "": []}
    for metric, title in _ANSWERED.items():
        means = [m for m in (evidence.average(metric, scope, "alignment") for scope, _ in _SENDER_SCOPES) if m]
        shown = [m for m in means if m.verdict in ("lower", "higher")]
        for verb in {"lowers" if m.verdict == "lower" else "raises" for m in shown} if shown else [""] if means else []:
            changes[verb].append(title)
        points += [f"{title[0].upper()}{title[1:]} ({m.where['scope']}): {effect_text(m)}." for m in shown]
        if shown and len(shown) < len(means):
            points[-1] += f" No difference is shown in {len(means) - len(shown)} of {len(means)} settings."
    same = changes.pop("")
    parts = [f"{verb} {_listed(titles)}" for verb, titles in changes.items() if titles]
    lead = [f"in some settings an aligned sender {', and '.join(parts)}"] if parts else []
    lead += [f"it is not shown that {'it' if parts else 'an aligned sender'} changes {_listed(same)}"] if same else []
    return [f"{lead[0][0].upper()}{'; '.join(lead)[1:]}.", *points] if lead else []


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _special(octets: int, rate: str, queue: str) -> dict[tuple[str, Any], dict[str, Any]]:
    """Return what goes with each topology: on Abilene transfers that are many times what its links hold."""
    return {
        ("topology", "dumbbell"): {"min_rto": "10ms", "delayed_ack": "1ms", "TcpSocket.ConnTimeout": "10ms"},
        ("topology", "abilene"): {
            "octets": octets, "link_rate": rate, "queue_size": queue, "reordering_delay": "2ms",
            "TcpSocket.ConnTimeout": "1s",
        },
    }  # fmt: skip


QUICK = _special(2_000_000, "20Mbps", "100p")
_RNIC_LAYOUT = Layout(x="loss", colour="alignment", shape="markers", rows="topology", columns=("flows",))

STUDY = Study(
    name="alignment",
    title="What FPDU alignment buys",
    lead=(
        "A storage workload runs over MPA (RFC 5044) on MPA-aware TCP. The sender either keeps FPDUs aligned with TCP "
        "segments or lets TCP cut them anywhere; Markers are on or off; the path loses and reorders packets or does "
        "not. Every value comes from packets simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(
            _GRID,
            {**_BASE, "octets": 3_000_000},
            runs=7,
            timeout=120,
            special=QUICK,
            more=[_LARGE, *_rnic(3_000_000, 16, 200)],
        ),
        "full": Preset(
            {**_GRID, "loss": [0.0, 0.0001, 0.001, 0.01]},
            {**_BASE, "octets": 20_000_000},
            runs=20,
            timeout=1800,
            special=_special(20_000_000, "100Mbps", "500p"),
            more=[{**_LARGE, "loss": [0.0, 0.0001, 0.001, 0.01]}, *_rnic(20_000_000, 64, 2000)],
        ),
    },
    views=_VIEWS,
    questions=[
        Question(
            "Aligned against unaligned sender",
            Contrast("alignment", True, False, "an aligned sender", "an unaligned sender"),
            [v.metric for v in _VIEWS],
            _SENDER_SCOPES,
        ),
        Question(
            "Markers on against off",
            Contrast("markers", True, False, "Markers", "no Markers"),
            [
                "out_of_order_share",
                "reassembly_peak",
                "placement_wait_mean",
                "goodput",
                "segments_ratio",
                "octets_ratio",
            ],
            [_CALM, ("loss or reordering", _harmed), *_RNIC],
        ),
    ],
    layout=Layout(x="loss", colour="alignment", shape="markers", rows="topology", columns=("mtu", "reordering")),
    figures=_FIGURES,
    titles={
        "flows": "Flows",
        "receivers": "Receivers",
        "host_pairs": "Pairs of hosts",
        "rnic": "RNIC",
        "mtu": "MTU",
        "loss": "Loss",
        "reordering": "Reordering",
        "markers": "Markers",
        "alignment": "Sender",
        "topology": "Topology",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        ("reordering", 0.0): "no reordering",
        ("reordering", 0.02): "2 % reordered",
        ("topology", "dumbbell"): "dumbbell",
        ("topology", "abilene"): "Abilene",
        ("flows", 4): "4 flows",
        **{("flows", n): f"incast of {n}" for n in (16, 64)},
        **{("flows", n): f"{n} connections" for n in (200, 2000)},
        ("receivers", 0): "a receiver for each flow",
        ("receivers", 1): "one receiver",
        ("host_pairs", 0): "hosts of their own",
        ("host_pairs", 1): "one pair of hosts",
        ("rnic", "none"): "no RNIC",
    },
    derive=_derive,
    factors=["flows", "receivers", "host_pairs", "rnic"],
    figured=_plain,
    answer=_answer,
    least_share=0.5,
    warm_up="counts: goodput and times are of whole transfers, with connecting and slow start",
    limits=(
        "One profile of an RNIC, t5-like, and one mix of messages. 200 or 2,000 connections of two hosts send as their "
        "acknowledgments come, which is neither in turn nor at random, so that what the RNIC's caches miss there is of "
        "these runs alone: the compute study has queue pairs send at random."
    ),
    panels=[
        Panel(
            "With an RNIC: arrival to host memory",
            "arrival_to_host",
            _RNIC_LAYOUT,
            "The mean time from a frame's arrival until the host sees what it brought, for flows with a receiver each, "
            "incast, and many connections of two hosts. " + _HOW,
            lambda frame: ~_plain(frame),
        ),
        Panel(
            "With an RNIC: goodput",
            "goodput",
            _RNIC_LAYOUT,
            "The same runs.",
            lambda frame: ~_plain(frame),
        ),
    ],
    notes=[
        "Unless changed with --set: the dumbbell stands for a data centre of 10 Gbit/s, and its TCP is set so, with a "
        "least retransmission timeout of 10 ms, also while connecting, and ACKs delayed by 1 ms at most. On Abilene, "
        "with the distances of its cities, links have 20 Mbit/s and queues of 100 packets (full preset: 100 Mbit/s, "
        "500 packets), so that a transfer is many times what a link holds; timeouts are 200 ms and 1 s while "
        "connecting, ACKs are delayed by 40 ms, as in Linux. Packets are held back for up to 50 µs on the dumbbell and "
        "2 ms on Abilene. The sizes of messages follow a storage service's (alistorage2019.csv).",
        "Plain TCP carries the same payload in the same conditions, in a run of its own.",
    ],
)
