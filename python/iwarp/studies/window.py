# SPDX-License-Identifier: GPL-2.0-only
"""How wide a receive window has to be, and what it does for an RNIC slower than its link (RFC 5041, Appendix A)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..report.cells import number
from ..report.chart import Layout, Reference
from ..report.page import Table
from .networks import NETWORKS, NUISANCES, SLOWER, TITLES, between_two, find, round_trip
from .parts import Part, spread_over
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
    "TcpSocket.ConnTimeout": "10ms",  # an RNIC whose packet buffer is full drops SYNs as well
    "delayed_ack": "200us",
    "rnic": "ideal",
    RATE: _NO_LIMIT,
    BUFFER: _BUFFER,
    "plain_tcp": False,
    "warm_up": 100_000,
}
_LINK = 10_000_000_000  #: bit/s of the dumbbell's link
_WINDOWS = {"2500Mbps": "1/4", "5Gbps": "1/2", "7500Mbps": "3/4", "10Gbps": "1", "15Gbps": "3/2"}
_PARTS = {0.1: "1/10", 0.25: "1/4", 0.5: "1/2", 0.75: "3/4", 0.8: "4/5", 0.9: "9/10", 1.0: "1", 1.5: "3/2", 2.0: "2"}
_MODES = {"receive_window": ["Constant", "Retired"]}
_SLOW_RATES = ["2500Mbps", "5Gbps", "7500Mbps"]
_ASKED = {"flows": [1, 4, 16], RATE: _SLOW_RATES}  #: on each of the networks
#: of the packet buffer, which 4 windows fit and 16 do not, and of the least timeout
_NUISANCE = {BUFFER: (1, 1.1, 1.5), "min_rto": (1, 2, 4)}


def _sizing(round_trips: Sequence[tuple[str, str, str, int]]) -> list[Part]:
    """Return a part for each one-way delay: round-trip time, several hundreds of it, octets that three carry."""
    return [
        Part("windows by round trips", {"delay": [delay], "window_rate": list(_WINDOWS)},
             {"window_rtt": rtt, "duration": duration, "send_buffer": 4_000_000, "queue_depth": 64,
              "warm_up": warm_up}, runs=3)
        for delay, rtt, duration, warm_up in round_trips
    ]  # fmt: skip


def _sized_on(networks: Sequence[str], windows: Sequence[str]) -> Part:
    """Return windows on other networks, each of which has its own round trip (_goes_with())."""
    return Part("windows on other networks", {"topology": list(networks), "window_rate": list(windows)},
                {"send_buffer": 4_000_000, "queue_depth": 64, "warm_up": 400_000}, runs=3)  # fmt: skip


def _goes_with(topology: str, grid: Mapping[str, Sequence[Any]], own: Collection[str]) -> dict[str, Any]:
    """Return what goes with a network: on long links all rates are so many times less, and runs as much longer; and the
    round trip that a window is reckoned with, where the part does not say it.
    """
    found = between_two(topology, grid, own)
    if find(topology).long:
        for name in ("link_rate", RATE, "window_rate"):
            found[name] = [rate // SLOWER for rate in grid[name]]
        found["duration"] = [SLOWER * seconds for seconds in grid["duration"]]
    if "window_rate" in own and "window_rtt" not in own:
        path = {name: grid[name][0] for name in ("delay", "access_delay", "link_rate", "access_rate", "host_pairs")}
        found["window_rtt"] = round_trip({**path, **_single(found), "topology": topology})
    return found


def _single(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a path that have one value."""
    named = ("delay", "access_delay", "access_rate", "distance", "hosts_per_leaf")
    return {name: found[name] for name in named if name in found}


_QUICK = [*_SLOW_RATES, "10Gbps", "20Gbps"]
_FULL = ["1Gbps", *_SLOW_RATES, "8Gbps", "9Gbps", "10Gbps", "20Gbps"]
_SLOW = {**_MODES, "flows": [1, 4, 16]}

_VIEWS = [
    View("window_share", "Goodput over what the link carries", "share",
         "Payload over what full segments carry on the link, in the time simulated.", True),
    View("common_goodput", "Goodput", higher_is_better=True, relevant=0.02),
    View("drop_share", "Dropped by the RNIC", "share",
         "Frames that the RNIC's packet buffer had no room for, over the segments that were sent.", False,
         relevant=0.005),
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
    return 0 < where["retires"] < 0.9


def _share(rate: pd.Series, link: pd.Series) -> pd.Series:
    """Return rates over those of links, without what rounding makes."""
    return (rate.astype(float) / link.astype(float)).round(4)


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the shares that the study speaks of, and what the closed forms say of them."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    frame["retires"] = _share(frame[RATE], frame["link_rate"])
    frame["window"] = _share(frame["window_rate"], frame["link_rate"])
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
        frame["buffer"] = frame[BUFFER].astype(float)
        units |= {"window_share": "share", "drop_share": "share", "buffer": "octets"}
    frame.attrs["units"] = units
    return frame


def _sized(frame: pd.DataFrame) -> pd.Series:
    return frame["window"] > 0


def _served(frame: pd.DataFrame) -> pd.Series:
    return (frame["window"] == 0) & (frame["retires"] > 0)


def _at_rates(frame: pd.DataFrame) -> pd.Series:
    """Pick what is of RNICs of several rates on the dumbbell."""
    return _served(frame) & _at_home(frame)


def _at_home(frame: pd.DataFrame) -> pd.Series:
    """Pick what is of the dumbbell, where each number of connections and rate of the RNIC is looked at."""
    return frame["topology"] == "dumbbell"


def _sizes(frame: pd.DataFrame) -> Table | None:
    rows = []
    for (topology, rtt, window), runs in frame[_sized(frame)].groupby(["topology", "window_rtt", "window"], sort=True):
        share, formula = estimate(runs["window_share"]), float(runs["window_share_formula"].mean())
        rows.append(
            {
                "Topology": TITLES.get(topology, topology),
                "Round trip": number(rtt, "s"),
                "Window": number(float(runs["window_rate"].mean()) * rtt / 8, "octets", form=",.0f"),
                "Window over rate times round trip": number(window),
                "Share of the link": number(share.mean, half=share.half, bounds=(0, 1)),
                "Closed form": number(formula),
                "Difference": number(share.mean / formula - 1, form="+.1%"),
            }
        )
    if not rows:
        return None
    off = [row["Difference"].value for row in rows]
    sentences = [
        f"What a window of a part or a multiple of rate times round trip carries is {min(off):+.1%} to {max(off):+.1%} "
        f"off min(1, W/(rate · round trip)), in {len(rows)} cases."
    ]
    text = (
        "The closed form is min(1, W/(rate · round trip)), with the window in whole segments and the round trip with "
        "the frames that it takes besides propagation. Shares are those of the time when all connections have moved "
        "their warm-up, so that connecting and slow start are left out as the closed form does."
    )
    return Table("sizes", "The window for a rate and a round trip", text, pd.DataFrame(rows), sentences)


def _rates(frame: pd.DataFrame) -> Table | None:
    """Return both windows side by side, the dumbbell first, then what of it the other networks have."""
    rows = []
    served = frame[_served(frame)]
    order = sorted(served["topology"].unique(), key=lambda name: name != "dumbbell")
    for topology in order:
        of_network = served[served["topology"] == topology]
        for (flows, retires), runs in of_network.groupby(["flows", "retires"], sort=True):
            modes = dict(list(runs.groupby("receive_window")))
            if len(modes) > 1:
                rows.append(_both_windows(TITLES.get(topology, topology), flows, retires, runs, modes))
    if not rows:
        return None
    text = (
        f"The bus to the host is what limits the RNIC; its packet buffer has {_BUFFER:,} octets or up to half as many "
        "again, and each connection a window of 200,000 octets, so that the frames of 4 connections fit the buffer, "
        "those of 16 do not. The closed form is the lesser of what the link and the bus carry."
    )
    return Table("rates", "An RNIC slower than its link", text, pd.DataFrame(rows))


def _both_windows(
    title: str, flows: int, retires: float, runs: pd.DataFrame, modes: Mapping[str, pd.DataFrame]
) -> dict[str, Any]:
    """Return a row of what both windows get, drop and hold at one rate of the RNIC."""
    row: dict[str, Any] = {"Topology": title, "Connections": flows}
    row["RNIC retires"] = number(float(runs[RATE].mean()), "bit/s")
    row["Of the link's rate"] = number(retires)
    row["Closed form"] = number(float(runs["goodput_formula"].mean()), "bit/s")
    for mode, part in modes.items():
        goodput = estimate(part["common_goodput"])
        most = float(part["link_rate"].mean())
        row[f"Goodput, {mode.lower()}"] = number(goodput.mean, "bit/s", goodput.half, bounds=(0, most))
    for mode, part in modes.items():
        row[f"Dropped, {mode.lower()}"] = number(part["drop_share"].mean(), "share")
    for mode, part in modes.items():
        row[f"Peak, {mode.lower()}"] = number(part["rnic_packet_buffer_peak"].mean(), "octets", form=",.0f")
    return row


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: windows by rate and round trip, and windows by retirement."""
    if "window_share" not in frame:
        return []
    return [table for table in (_sizes(frame), _rates(frame)) if table]


def _answer(evidence: Evidence) -> list[str]:
    """Say what a window by retirement does for a slow RNIC, then how wide a window has to be."""
    said = [sentence for table in evidence.tables for sentence in table.sentences]
    return [*answers(evidence.primaries), *said]


_WINDOW = Contrast("receive_window", "Retired", "Constant", "a window by retirement", "a constant window")
_LIMITED = "where the RNIC is slower than its link"
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
            Part("rates of the RNIC", {**_SLOW, RATE: _QUICK}), _BASE, runs=6, timeout=300,
            more=[*spread_over("networks", list(NETWORKS), _ASKED, _MODES, reduction=3),
                  *_sizing([("10us", "20us", "10ms", 75_000), ("50us", "100us", "20ms", 375_000),
                            ("200us", "400us", "60ms", 1_500_000)]),
                  _sized_on([name for name in NETWORKS if name != "dumbbell"], ["5Gbps", "10Gbps", "15Gbps"])],
            nuisance=_NUISANCE, goes_with=_goes_with,
        ),
        "full": Preset(
            Part("rates of the RNIC", {**_SLOW, RATE: _FULL}, {"duration": "100ms"}), _BASE, runs=18, timeout=3600,
            more=[*spread_over("networks", list(NETWORKS), _ASKED, _MODES, {"duration": "100ms"}),
                  *_sizing([("10us", "20us", "20ms", 75_000), ("50us", "100us", "100ms", 375_000),
                            ("200us", "400us", "400ms", 1_500_000), ("2ms", "4ms", "2s", 15_000_000)]),
                  _sized_on([name for name in NETWORKS if name != "dumbbell"], list(_WINDOWS))],
            nuisance=_NUISANCE, goes_with=_goes_with,
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_WINDOW, metric, what, over, _is_slow, subject="lowering the window by what an RNIC has not retired")
        for metric, what, over in (
            ("common_goodput", "goodput", _LIMITED),
            ("drop_share", "the share of segments that it drops", _LIMITED),
        )
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
    layout=_layout("window", "receive_window", ("flows",)),
    figures={},
    titles={
        **NUISANCES,
        "window": "Window over rate times round trip",
        "delay": "One-way delay",
        "retires": "The RNIC retires, of the link's rate",
        "receive_window": "Window",
        "flows": "Connections",
        "duration": "Time simulated",
        "warm_up": "Warm-up [octets]",
        "topology": "Topology",
    },
    levels={
        ("window", 0.0): "200,000 octets",
        **{("window", share): text for share, text in _PARTS.items()},
        **{("retires", share): text for share, text in _PARTS.items()},
        ("retires", 0.0): "no limit",
        ("receive_window", "Constant"): "constant window",
        ("receive_window", "Retired"): "window by retirement",
        **{("topology", name): title for name, title in TITLES.items()},
    },
    derive=derive,
    conclude=conclude,
    answer=_answer,
    limits=(
        "The RNIC's bus towards the host is its only limit, with one packet buffer of 1 MB and windows of 200,000 "
        "octets; nothing is lost but there. Other sizes move the number of connections whose windows fit it."
    ),
    warm_up="counts: connecting and slow start are part of the time, which is several hundreds of round trips long",
    factors=["delay", "retires", "window"],
    told=[RATE, "window_rate", "window_rtt", "link_rate"],
    panels=[
        Panel("Goodput over the window", "window_share", _layout("window", "delay"),
              "One connection, an ideal RNIC. The dashed line is the closed form, the mean over the round-trip times.",
              lambda f: _sized(f) & _at_home(f), [Reference("window_share_formula", "min(1, W/(rate · RTT))", "--")]),
        Panel("Goodput over the rate of the RNIC", "common_goodput", _layout("retires", "receive_window", ("flows",)),
              "What programs see in host memory. The dashed line is the lesser of link and RNIC.",
              _at_rates, [Reference("goodput_formula", "closed form", "--")]),
        Panel("Drops over the rate of the RNIC", "drop_share",
              _layout("retires", "receive_window", ("flows",)),
              "Frames that find the packet buffer full; TCP sends them again.", _at_rates),
        Panel("Octets not yet retired", "rnic_packet_buffer_peak",
              _layout("retires", "receive_window", ("flows",)),
              "The peak in the receiving RNIC. The dotted line is the size of its packet buffer.",
              _at_rates, [Reference("buffer", "packet buffer", ":")]),
        Panel("Time of a message", "message_time_mean", _layout("retires", "receive_window", ("flows",)),
              "From posting until the receiving program sees it: it waits for 400,000 octets in the sender's TCP, and "
              "for what the RNIC has not retired.", _at_rates),
        Panel("From TCP to the host", "rnic_place_delay_p99",
              _layout("retires", "receive_window", ("flows",)),
              "Octets that TCP has taken wait in the RNIC: with a constant window up to the packet buffer's size.",
              _at_rates),
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
