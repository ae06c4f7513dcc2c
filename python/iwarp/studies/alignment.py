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
    View("header_aligned_share", "Segments that begin with an FPDU"),
    View("fpdu_aligned_share", "Segments of whole FPDUs only"),
    View("out_of_order_share", "FPDUs passed out of order", "share",
         "FPDUs that the receiver passed on for placement before the octets in front of them had come, of all FPDUs."),
    View("reassembly_peak", "Reassembly memory, peak", higher_is_better=False, log=True),
    View("reassembly_p99", "Reassembly memory, 99th percentile", higher_is_better=False, log=True),
    View("placement_wait_mean", "Arrival to placement, mean", higher_is_better=False, log=True),
    View("placement_wait_p99", "Arrival to placement, 99th percentile", higher_is_better=False, log=True),
    View("goodput", "Goodput", higher_is_better=True, log=True),
    View("goodput_ratio", "Goodput against plain TCP", "ratio",
         "Goodput over that of plain ns-3 TCP with the same payload in the same conditions.", True),
    View("message_time_p99", "Time of a message, 99th percentile", higher_is_better=False, log=True),
    View("segments_ratio", "Segments against plain TCP", "ratio",
         "Data segments sent, retransmissions included, over those of plain ns-3 TCP for the same payload.", False),
    View("octets_ratio", "Octets on the wire against plain TCP", "ratio",
         "Octets of the IP datagrams that senders sent, over those of plain ns-3 TCP for the same payload.", False),
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
    frame.attrs["units"] = units
    return frame


def _calm(where: Mapping[str, Any]) -> bool:
    return where["loss"] == 0 and where["reordering"] == 0


_DATA_CENTRE = {("topology", "dumbbell"): {"min_rto": "10ms", "delayed_ack": "1ms"}}
_CALM = ("no loss, no reordering", _calm)

STUDY = Study(
    name="alignment",
    title="What FPDU alignment buys",
    lead=(
        "A storage workload runs over MPA (RFC 5044) on MPA-aware TCP. The sender either keeps FPDUs aligned with TCP "
        "segments or lets TCP cut them anywhere; Markers are on or off; the path loses and reorders packets or does "
        "not. Every value comes from packets simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(_GRID, {"flows": 4, "octets": 2_000_000}, runs=5, timeout=60, special=_DATA_CENTRE),
        "full": Preset(
            {**_GRID, "loss": [0.0, 0.0001, 0.001, 0.01]},
            {"flows": 4, "octets": 20_000_000},
            runs=10,
            timeout=1800,
            special=_DATA_CENTRE,
        ),
    },
    views=_VIEWS,
    questions=[
        Question(
            "Aligned against unaligned sender",
            Contrast("alignment", True, False, "an aligned sender", "an unaligned sender"),
            [v.metric for v in _VIEWS],
            [
                _CALM,
                ("loss or reordering, with Markers", lambda w: not _calm(w) and w["markers"]),
                ("loss or reordering, without Markers", lambda w: not _calm(w) and not w["markers"]),
            ],
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
            [_CALM, ("loss or reordering", lambda w: not _calm(w))],
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
    notes=[
        "Unless changed with --set: the dumbbell stands for a data centre, and its TCP is set so, with a least "
        "retransmission timeout of 10 ms and ACKs delayed by 1 ms at most; over the distances of Abilene they are "
        "200 ms and 40 ms, as in Linux. The sizes of messages follow a storage service's (alistorage2019.csv).",
        "Plain TCP carries the same payload in the same conditions, in a run of its own.",
    ],
)
