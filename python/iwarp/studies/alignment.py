# SPDX-License-Identifier: GPL-2.0-only
"""What it buys to keep FPDUs aligned with TCP segments (RFC 5044, Appendices A and B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..findings import Contrast, View
from ..plots import Layout
from .study import Preset, Question, Study

_GRID = {
    "topology": ["dumbbell", "abilene"],
    "alignment": [True, False],
    "markers": [True, False],
    "loss": [0.0, 0.001, 0.01],
    "reordering": [0.0, 0.02],
    "mtu": [1500, 9000],
}

_VIEWS = [
    View("header_aligned_share", "Segments that begin with an FPDU", "share",
         "Share of data segments sent whose first octet is an FPDU's first octet (or the Marker before it)."),
    View("fpdu_aligned_share", "Segments of whole FPDUs only", "share",
         "Share of data segments sent that begin and end at FPDU boundaries, so that each can be placed by itself."),
    View("out_of_order_share", "FPDUs passed out of order", "share",
         "FPDUs that the receiver passed on for placement before the octets in front of them had come, of all FPDUs."),
    View("reassembly_peak", "Reassembly memory, peak", "octets",
         "The most octets that the receiver held at one time because they could not be placed yet.", False, True),
    View("reassembly_p99", "Reassembly memory, 99th percentile", "octets",
         "Octets held in reassembly memory, exceeded one per cent of the time.", False, True),
    View("goodput", "Goodput", "bit/s",
         "Payload of the messages delivered, over the time from the first octet sent to the last one delivered.",
         True, True),
    View("goodput_ratio", "Goodput against plain TCP", "ratio",
         "Goodput over that of plain ns-3 TCP with the same messages in the same conditions.", True),
    View("segments_ratio", "Segments against plain TCP", "ratio",
         "Data segments sent, retransmissions included, over those of plain ns-3 TCP for the same messages.", False),
    View("octets_ratio", "Octets on the wire against plain TCP", "ratio",
         "Octets of the IP datagrams sent, acknowledgements included, over those of plain ns-3 TCP.", False),
    View("placement_latency_mean", "Arrival to placement, mean", "s",
         "From an octet's arrival at the receiver to its FPDU being passed on for placement.", False, True),
    View("placement_latency_p99", "Arrival to placement, 99th percentile", "s",
         "The same, exceeded by one per cent of the FPDUs.", False, True),
]  # fmt: skip

_HOW = "Blue circles are the aligned sender, red squares the unaligned one; filled with Markers, open without."

_FIGURES = {
    "header_aligned_share": "What the sender makes of alignment: an aligned sender begins every segment with an FPDU. "
    + _HOW,
    "fpdu_aligned_share": "Segments that a receiver can place by themselves. An FPDU cut by a window's edge or a probe "
    "shows here.",
    "out_of_order_share": "Placed before the gap in front of them was filled. Without Markers nothing may be passed "
    "out of order, so open shapes stay at zero.",
    "reassembly_peak": "The memory that a receiver must have not to drop anything.",
    "reassembly_p99": "The memory that is enough 99 % of the time.",
    "goodput": "What the application gets. Compare inside a panel: link, delay and messages are the same there.",
    "segments_ratio": "One is what plain TCP sends; alignment leaves room at the end of segments and may need more of "
    "them.",
    "octets_ratio": "One is what plain TCP sends; headers, pad, CRC and Markers come on top.",
    "placement_latency_mean": "How long arrived octets wait before they can go to their place.",
    "placement_latency_p99": "The slowest per cent of FPDUs.",
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
    frame.attrs["units"] = units
    return frame


def _calm(where: Mapping[str, Any]) -> bool:
    return where.get("loss", 0) == 0 and where.get("reordering", 0) == 0


STUDY = Study(
    name="alignment",
    title="What FPDU alignment buys",
    lead=(
        "A storage workload runs over MPA (RFC 5044) on MPA-aware TCP. The sender either keeps FPDUs aligned with TCP "
        "segments or lets TCP cut them anywhere; Markers are on or off; the path loses and reorders packets or does "
        "not. Every value comes from packets simulated in ns‑3."
    ),
    presets={
        "quick": Preset(_GRID, {"octets": 2_000_000}, runs=3, timeout=60),
        "full": Preset({**_GRID, "loss": [0.0, 0.0001, 0.001, 0.01]}, {"octets": 50_000_000}, runs=10, timeout=1800),
    },
    views=_VIEWS,
    questions=[
        Question(
            "Aligned against unaligned sender",
            Contrast("alignment", True, False, "an aligned sender", "an unaligned sender"),
            [v.metric for v in _VIEWS],
            [("no loss, no reordering", _calm), ("loss or reordering", lambda w: not _calm(w))],
        ),
        Question(
            "Markers on against off",
            Contrast("markers", True, False, "Markers", "no Markers"),
            ["out_of_order_share", "reassembly_peak", "goodput", "octets_ratio", "placement_latency_mean"],
            [("no loss, no reordering", _calm), ("loss or reordering", lambda w: not _calm(w))],
        ),
    ],
    layout=Layout(x="loss", colour="alignment", shape="markers", rows="topology", columns=("mtu", "reordering")),
    figures=_FIGURES,
    titles={
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
    },
    derive=_derive,
)
