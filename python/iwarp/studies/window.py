# SPDX-License-Identifier: GPL-2.0-only
"""How wide a receive window has to be, and what it does for an RNIC slower than its link (RFC 5041, Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..parameters.quantity import human, number_text
from ..report.cells import number
from ..report.chart import Layout, Reference
from ..report.page import Table
from .primaries import answers
from .study import Evidence, Panel, Preset, Question, Study

_HEADER = 14  #: octets of DDP's header
_FPDU = 6  #: octets that MPA adds to a ULPDU
_WIRE = 38.0  #: octet times that Ethernet takes besides a datagram
_SENT = 26.0  #: of these, until the last octet of its frame has arrived
_BUFFER = 1_000_000
RATE = "Rnic.HostInterface.WriteRate"  #: bit/s at which an RNIC retires what it gets, to its host
BUFFER = "Rnic.PacketBuffer.Capacity"  #: octets of frames on their way through it
_NO_LIMIT = 0

_BASE = {
    "workload": "rdma-write",
    "link_rate": "10Gbps",
    "access_rate": "400Gbps",
    "access_delay": "0us",
    "delay": "25us",
    "mtu": 1500,
    "queue_size": "20000p",
    "octets": 0,
    "duration": "60ms",
    "start_spread": "100us",
    "spread_starts": True,
    "message_sizes": "ns3::ExponentialRandomVariable[Mean=28560]",
    "queue_depth": 4,
    "congestion_control": "TcpNewReno",
    "markers": False,
    "flows": 1,
    "host_pairs": 1,
    "send_buffer": 400_000,
    "receive_buffer": 200_000,
    "window_rate": 0,
    "window_rtt": "0us",
    "receive_window": "Constant",
    "min_rto": "2ms",
    "delayed_ack": "200us",
    "rnic": "ideal",
    RATE: _NO_LIMIT,
    "plain_tcp": False,
    "warm_up": 100_000,
}
_WINDOWS = {"2500Mbps": "1/4", "5Gbps": "1/2", "7500Mbps": "3/4", "10Gbps": "1", "15Gbps": "3/2"}


def _sizing(round_trips: Sequence[tuple[str, str, str, int]]) -> list[dict]:
    """Return a grid for each one-way delay: round-trip time, several hundreds of it, octets that three carry."""
    return [
        {"delay": [delay], "window_rtt": [rtt], "duration": [duration], "window_rate": list(_WINDOWS),
         "send_buffer": [4_000_000], "queue_depth": [64], "warm_up": [warm_up]}
        for delay, rtt, duration, warm_up in round_trips
    ]  # fmt: skip


_QUICK = ["2500Mbps", "5Gbps", "7500Mbps", "10Gbps", "20Gbps"]
_FULL = ["1Gbps", *_QUICK[:3], "8Gbps", "9Gbps", *_QUICK[3:]]
_SLOW = {"receive_window": ["Constant", "Retired"], "flows": [1, 4, 16], BUFFER: [_BUFFER]}

_VIEWS = [
    View("window_share", "Goodput over what the link carries", "share",
         "Payload over what full segments carry on the link, in the time simulated.", True),
    View("common_goodput", "Goodput", higher_is_better=True, relevant=0.02),
    View("drop_share", "Dropped by the RNIC", "share",
         "Frames that the RNIC's packet buffer had no room for, over the segments that were sent.", False),
    View("rnic_packet_buffer_peak", "Not yet retired, peak", higher_is_better=False, log=True),
    View("message_time_mean", "Message time, mean", higher_is_better=False, log=True),
    View("rnic_place_delay_p99", "From TCP to the host, 99th percentile", higher_is_better=False, log=True),
]  # fmt: skip


def _layout(x: str, colour: str, columns: tuple[str, ...] = ()) -> Layout:
    return Layout(x=x, colour=colour, shape="", rows="topology", columns=columns)


def service_rate(frame: pd.DataFrame) -> pd.Series:
    """Return the rate of each RNIC towards its host, bit/s; infinite where it has no limit."""
    return frame[RATE].astype(float).where(frame[RATE] != _NO_LIMIT, np.inf)


def _is_slow(where: Mapping[str, Any]) -> bool:
    """Tell whether the RNIC of a configuration retires less than its link brings."""
    return where[RATE] != _NO_LIMIT and where[RATE] < 0.9 * where["link_rate"]


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the shares that the study speaks of, and what the closed forms say of them."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    if "emss" in frame:
        wire, sent = frame["mtu"] + _WIRE, frame["mtu"] + _SENT
        payload = frame["emss"] - _FPDU - _HEADER
        most = frame["link_rate"] * payload / wire
        frame["window_share"] = frame["common_goodput"] / most
        # a window of whole segments a round trip, in which a full frame and the one that has the ACK
        # sent cross the link
        window = frame["window_rate"] * frame["window_rtt"] / 8
        segments = np.floor(window / frame["emss"] + 1e-9)
        frames = 8 * (wire + sent) * (1 / frame["link_rate"] + 1 / frame["access_rate"])
        round_trip = frame["round_trip"] + frames
        share = segments * wire * 8 / (round_trip * frame["link_rate"])
        frame["window_share_formula"] = share.clip(upper=1).where(window > 0)
        frame["goodput_formula"] = np.minimum(most, service_rate(frame))  # headers do not go to the host
        frame["drop_share"] = frame["rnic_drops_packet_buffer"] / frame["segments_sent"].where(
            frame["segments_sent"] > 0
        )
        frame["buffer"] = float(_BUFFER)
        units |= {"window_share": "share", "drop_share": "share", "buffer": "octets"}
    frame.attrs["units"] = units
    return frame


def _sized(frame: pd.DataFrame) -> pd.Series:
    return frame["window_rate"] > 0


def _served(frame: pd.DataFrame) -> pd.Series:
    return (frame["window_rate"] == 0) & (frame[RATE] != _NO_LIMIT)


def _sizes(frame: pd.DataFrame) -> Table | None:
    rows, sentences = [], []
    sized = frame[_sized(frame)]
    for (rtt, rate), runs in sized.groupby(["window_rtt", "window_rate"], sort=True):
        share, formula = estimate(runs["window_share"]), float(runs["window_share_formula"].mean())
        rows.append(
            {
                "Round trip": number(rtt, "s"),
                "Window": number(rate * rtt / 8, "octets", form=",.0f"),
                "Window over rate times round trip": number(rate / float(runs["link_rate"].mean())),
                "Share of the link": number(share.mean, half=share.half, bounds=(0, 1)),
                "Closed form": number(formula),
                "Difference": number(share.mean / formula - 1, form="+.1%"),
            }
        )
    for rtt, runs in sized.groupby("window_rtt", sort=True):
        shares = runs.groupby("window_rate")["window_share"].mean()
        full = [rate for rate in shares.index if rate <= runs["link_rate"].mean()]
        if len(full) < 2:
            continue
        whole, part = shares[full[-1]], shares[full[0]]
        sentences.append(
            f"With a round trip of {human(rtt, 's')}, a window of {number_text(full[-1] / runs['link_rate'].mean())} "
            f"times rate and round trip carries {human(whole, 'share')} of what the link does; one "
            f"{number_text(full[-1] / full[0])} times narrower {human(part, 'share')}, {number_text(whole / part)} "
            "times less."
        )
    if not rows:
        return None
    text = (
        "The closed form is min(1, W/(rate · round trip)), with the window in whole segments and the round trip with "
        "the frames that it takes besides propagation. Shares are those of the time when all connections have moved "
        "their warm-up, so that connecting and slow start are left out as the closed form does."
    )
    return Table("sizes", "The window for a rate and a round trip", text, pd.DataFrame(rows), sentences)


def _rates(frame: pd.DataFrame) -> Table | None:
    rows, sentences = [], []
    served = frame[_served(frame)]
    for (flows, rate), runs in served.groupby(["flows", RATE], sort=True):
        modes = {mode: part for mode, part in runs.groupby("receive_window")}
        if len(modes) < 2:
            continue
        row = {"Connections": flows, "RNIC retires": number(rate, "bit/s")}
        row["Closed form"] = number(float(runs["goodput_formula"].mean()), "bit/s")
        for mode, part in modes.items():
            goodput = estimate(part["common_goodput"])
            most = float(part["link_rate"].mean())
            row[f"Goodput, {mode.lower()}"] = number(goodput.mean, "bit/s", goodput.half, bounds=(0, most))
        for mode, part in modes.items():
            row[f"Dropped, {mode.lower()}"] = number(part["drop_share"].mean(), "share")
        for mode, part in modes.items():
            row[f"Peak, {mode.lower()}"] = number(part["rnic_packet_buffer_peak"].mean(), "octets", form=",.0f")
        rows.append(row)
    for flows, runs in served.groupby("flows", sort=True):
        slow = runs[service_rate(runs) < 0.9 * runs["link_rate"]]
        drops = slow.groupby("receive_window")["drop_share"].max()
        share = (slow["common_goodput"] / slow["goodput_formula"]).groupby(slow["receive_window"]).min()
        peak = slow.groupby("receive_window")["rnic_packet_buffer_peak"].max()
        if len(drops) < 2:
            continue
        who = "1 connection" if flows == 1 else f"{flows} connections"
        parts = []
        for mode, name in (("Constant", "a constant window"), ("Retired", "a window by retirement")):
            lost = "drops none" if drops[mode] == 0 else f"drops up to {human(drops[mode], 'share')} of the segments"
            least = human(share[mode], "share")
            rate = "" if math.isnan(share[mode]) else f", gets at least {least} of the closed form"
            parts.append(f"with {name} it {lost}{rate} and holds {peak[mode]:,.0f} octets at the most")
        sentences.append(f"{who}, an RNIC slower than its link: {'; '.join(parts)}.")
    if not rows:
        return None
    text = (
        f"The bus to the host is what limits the RNIC; its packet buffer has {_BUFFER:,} octets, and each "
        "connection a window of 200,000 octets, so that the frames of 4 connections fit the buffer, those of 16 do "
        "not. The closed form is the lesser of what the link and the bus carry."
    )
    return Table("rates", "An RNIC slower than its link", text, pd.DataFrame(rows), sentences)


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: windows by rate and round trip, and windows by retirement."""
    if "window_share" not in frame:
        return []
    return [table for table in (_sizes(frame), _rates(frame)) if table]


def _answer(evidence: Evidence) -> list[str]:
    """Say what both windows do to one connection of a slow RNIC, then the rest."""
    points = [sentence for table in evidence.tables for sentence in table.sentences]
    if not points:
        return []
    lead = "A window as wide as rate times round trip is enough, and a narrower one costs in proportion"
    served = evidence.frame[_served(evidence.frame)]
    slow = served[service_rate(served) < 0.9 * served["link_rate"]]
    drops = slow.groupby(["receive_window", "flows"])["drop_share"].max()
    if len(drops) and "Retired" in drops and "Constant" in drops:
        spared = [flows for flows, share in drops["Retired"].items() if share == 0 < drops["Constant"].get(flows, 0)]
        if spared:
            lead += (
                f"; a window by retirement spares a slow RNIC all drops of {' and '.join(map(str, spared))} "
                f"connection{'s' if spared != [1] else ''}"
            )
    return [*answers(evidence.primaries), f"{lead}.", *points]


_WINDOW = Contrast("receive_window", "Retired", "Constant", "a window by retirement", "a constant window")
_SLOWER = "RNIC at less than 90 % of the link's rate"

STUDY = Study(
    name="window",
    title="How wide a receive window should be",
    lead=(
        "An RNIC places data at once, so its receive window need not shrink as data comes; its size follows from rate "
        "and round-trip time (RFC 5041, Appendix A). Where the RNIC retires data more slowly than its link brings it, "
        "the appendix advises to lower the window. Both are tried here with segments simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(
            {**_SLOW, RATE: _QUICK}, _BASE, runs=3, timeout=120,
            more=_sizing([("10us", "20us", "10ms", 75_000), ("50us", "100us", "20ms", 375_000),
                          ("200us", "400us", "60ms", 1_500_000)]),
        ),
        "full": Preset(
            {**_SLOW, RATE: _FULL, "duration": ["100ms"]}, _BASE, runs=10, timeout=1800,
            more=_sizing([("10us", "20us", "20ms", 75_000), ("50us", "100us", "100ms", 375_000),
                          ("200us", "400us", "400ms", 1_500_000), ("2ms", "4ms", "2s", 15_000_000)]),
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_WINDOW, metric, what, "where the RNIC is slower than its link", lambda w: _is_slow(w), by="flows",
                by_title="number of connections")
        for metric, what in (("common_goodput", "goodput"), ("drop_share", "the share of segments that the RNIC drops"))
    ],
    questions=[
        Question(
            "A window by retirement against a constant one",
            _WINDOW,
            ["common_goodput", "drop_share", "rnic_packet_buffer_peak", "message_time_mean", "rnic_place_delay_p99"],
            [
                (_SLOWER, _is_slow),
                ("RNIC as fast as its link", lambda w: not _is_slow(w)),
            ],
        ),
    ],
    layout=_layout("window_rate", "receive_window", ("flows",)),
    figures={},
    titles={
        "window_rate": "Window over rate times round trip",
        "delay": "One-way delay",
        RATE: "The RNIC retires [Gbit/s]",
        "receive_window": "Window",
        "flows": "Connections",
        "link_rate": "Link rate",
        "duration": "Time simulated",
        "warm_up": "Warm-up [octets]",
    },
    levels={
        ("window_rate", 0): "200,000 octets",
        **{("window_rate", _rate): _name for _rate, _name in
           zip((2_500_000_000, 5_000_000_000, 7_500_000_000, 10_000_000_000, 15_000_000_000),
               _WINDOWS.values(), strict=True)},
        **{(RATE, int(_rate * 1e9)): number_text(_rate) for _rate in (1, 2.5, 5, 7.5, 8, 9, 10, 20)},
        (RATE, _NO_LIMIT): "no limit",
        ("receive_window", "Constant"): "constant window",
        ("receive_window", "Retired"): "window by retirement",
    },
    derive=derive,
    conclude=conclude,
    answer=_answer,
    limits=(
        "The RNIC's bus towards the host is its only limit, with one packet buffer of 1 MB and windows of 200,000 "
        "octets; nothing is lost but there. Other sizes move the number of connections whose windows fit it."
    ),
    warm_up="counts: connecting and slow start are part of the time, which is several hundreds of round trips long",
    factors=["delay", RATE, "link_rate"],
    panels=[
        Panel("Goodput over the window", "window_share", _layout("window_rate", "delay"),
              "One connection, an ideal RNIC. The dashed line is the closed form, the mean over the round-trip times.",
              _sized, [Reference("window_share_formula", "min(1, W/(rate · RTT))", "--")]),
        Panel("Goodput over the rate of the RNIC", "common_goodput", _layout(RATE, "receive_window", ("flows",)),
              "What programs see in host memory. The dashed line is the lesser of link and RNIC.",
              _served, [Reference("goodput_formula", "closed form", "--")]),
        Panel("Drops over the rate of the RNIC", "drop_share",
              _layout(RATE, "receive_window", ("flows",)),
              "Frames that find the packet buffer full; TCP sends them again.", _served),
        Panel("Octets not yet retired", "rnic_packet_buffer_peak",
              _layout(RATE, "receive_window", ("flows",)),
              "The peak in the receiving RNIC. The dotted line is the size of its packet buffer.",
              _served, [Reference("buffer", "packet buffer", ":")]),
        Panel("Time of a message", "message_time_mean", _layout(RATE, "receive_window", ("flows",)),
              "From posting until the receiving program sees it: it waits for 400,000 octets in the sender's TCP, and "
              "for what the RNIC has not retired.", _served),
        Panel("From TCP to the host", "rnic_place_delay_p99",
              _layout(RATE, "receive_window", ("flows",)),
              "Octets that TCP has taken wait in the RNIC: with a constant window up to the packet buffer's size.",
              _served),
    ],
    notes=[
        "Messages are RDMA Writes of 28,560 octets in the mean, exponentially distributed, without Markers. Goodput "
        "counts messages that were in host memory within the time simulated, after the warm-up of all connections. "
        "Congestion control is NewReno's: a connection with the default, CUBIC, takes longer than these runs to fill a "
        "path of 400 µs.",
        "The RNIC's bus towards the host is its only limit (profile ideal with a rate and a packet buffer); give "
        "others with --set rnic=t5-like.",
    ],
)  # fmt: skip
