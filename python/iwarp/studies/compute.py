# SPDX-License-Identifier: GPL-2.0-only
"""What FPDU alignment spares a receiver: operations, memory traffic, time of stages and CPUs (RFC 5044, B.2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..findings import Contrast, View
from ..plots import Layout
from ..quantity import human, number_text
from ..report import Table
from ..screening import Claim, Screening, tabulate
from ..stats import estimate
from .study import Panel, Preset, Question, Study

CLOCK = 3e9  #: cycles a second of the CPUs that profile siw-like stands for
HARDWARE, SOFTWARE = "t5-like", "siw-like"

#: what B.2.1 lists for each segment, whether it is aligned or not, and for FPDUs; each counts as one
OPERATIONS = (
    "link_crc", "ip", "tcp_checksum", "classify", "align_check", "state_fetch", "marker_search", "length_read",
    "partial_crc_fetch", "partial_crc_store", "crc_run", "crc_check", "address_computation", "copy",
)  # fmt: skip
#: the parts of a receiving RNIC whose busy times compete for being the bottleneck
PARTS = ("rx_mac", "rx_tcp", "rx_classify", "rx_mpa", "rx_crc", "rx_place", "memory", "to_host", "cpu")

_KINDS = {"alignment": [True, False]}
_MIXED = "ns3::ExponentialRandomVariable[Mean=8192]"
_BASE = {
    "rnic": HARDWARE,
    "flows": 10,
    "host_pairs": 1,
    "message_sizes": _MIXED,
    "octets": 400_000,
    "loss": 0.0,
    "reordering": 0.0,
    "markers": True,
    "link_rate": "40Gbps",
    "access_rate": "100Gbps",
    "delay": "10us",
    "queue_size": "20000p",
    "start_spread": "20us",
    "send_buffer": 262144,
    "receive_buffer": 262144,
    "min_rto": "10ms",
    "delayed_ack": "1ms",
    "plain_tcp": False,
}
_PATH = {**_KINDS, "markers": [True, False], "loss": [0.0, 0.01], "reordering": [0.0, 0.02]}
_SIZES = [("fixed:256", 100_000), ("fixed:740", 200_000), ("fixed:4096", 400_000), ("fixed:65536", 400_000)]
_SCREENED = {**_KINDS, "flows": [4], "octets": [400_000], "reordering": [0.0, 0.02]}
_MANY = {"send_buffer": [65536], "receive_buffer": [65536], "start_spread": ["20ms"]}


def _messages(factor: int) -> list[dict]:
    return [
        {**_KINDS, "rnic": [HARDWARE, SOFTWARE], "message_sizes": [size], "octets": [factor * octets]}
        for size, octets in _SIZES
    ]


def _connections(levels: Sequence[tuple[int, int]]) -> list[dict]:
    """Return a grid for each number of connections, with the octets of each connection."""
    return [
        {**_KINDS, "flows": [flows], "octets": [octets], **(_MANY if flows > 100 else {})} for flows, octets in levels
    ]


_VIEWS = [
    View("operations_per_fpdu", "Operations an FPDU", "operations",
         "All operations that RFC 5044 B.2.1 lists, each counted as one, over the FPDUs that were placed.", False),
    View("operations_per_kib", "Operations a KiB of payload", "operations", "The same over payload.", False),
    View("state_per_segment", "State and partial CRCs, a segment", "operations",
         "Fetches of MPA state, and fetches and stores of partial CRCs, over segments with payload.", False),
    View("crc_runs_per_fpdu", "CRC runs an FPDU", "operations", "CRC computations begun or resumed.", False),
    View("copies_per_fpdu", "DMA commands an FPDU", "operations",
         "Commands that move data to the host, each with its address.", False),
    View("crc_octets", "Octets through the CRC, an octet of payload", "octets", "", False),
    View("memory_traffic", "Memory traffic, an octet of payload", "octets",
         "Octets of parts of FPDUs that are written to the reassembly memory and read again.", False),
    View("bus_traffic", "Bus traffic to the host, an octet of payload", "octets", "Headers included.", False),
    View("receive_capacity", "What the busiest part can do", "bit/s",
         "Payload over the time for which the busiest part of the receiving RNIC works: the rate at which that part "
         "would be full.", True),
    View("occupancy", "Occupancy of the busiest part", "share",
         "The time for which it works over the time from the first octet to the last.", False),
    View("cycles_per_octet", "CPU cycles an octet", "cycles",
         "Time of the receiving host's CPUs for copies, CRC and packets, at 3 GHz, over payload.", False),
    View("message_time_mean", "Time of a message, mean", higher_is_better=False, log=True),
    View("goodput", "Goodput", higher_is_better=True),
]  # fmt: skip


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add operations, traffic and times over FPDUs, segments and octets."""
    if "rnic_op_copy" not in frame:
        return frame
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    op = {name.removeprefix("rnic_op_"): frame[name] for name in frame if name.startswith("rnic_op_")}
    fpdus = op["length_read"].where(op["length_read"] > 0)
    segments = op["classify"].where(op["classify"] > 0)
    payload = frame["payload_octets"].where(frame["payload_octets"] > 0)
    busy = frame[[f"rnic_busy_{part}" for part in PARTS if f"rnic_busy_{part}" in frame]]
    most = busy.max(axis=1)
    operations = sum(op[name] for name in OPERATIONS)
    new = {
        "operations_per_fpdu": (operations / fpdus, "operations"),
        "operations_per_kib": (1024 * operations / payload, "operations"),
        "state_per_segment": (
            (op["state_fetch"] + op["partial_crc_fetch"] + op["partial_crc_store"]) / segments, "operations"),
        "crc_runs_per_fpdu": (op["crc_run"] / fpdus, "operations"),
        "copies_per_fpdu": (op["copy"] / fpdus, "operations"),
        "crc_octets": (op["crc_octets"] / payload, "octets"),
        "memory_traffic": ((op["local_store"] + op["local_load"]) / payload, "octets"),
        "bus_traffic": (frame["rnic_octets_to_host"] / payload, "octets"),
        "receive_capacity": (8 * payload / most.where(most > 0), "bit/s"),
        "occupancy": (most / frame["measured_duration"], "share"),
        "cycles_per_octet": ((frame["rnic_cpu_time"] * CLOCK / payload).where(frame["rnic_cpu_time"] > 0), "cycles"),
    }  # fmt: skip
    for name, (values, unit) in new.items():
        frame[name], units[name] = values, unit
    frame["busiest"] = busy.where(most > 0, float("nan")).dropna(how="all").idxmax(axis=1).str[len("rnic_busy_"):]
    frame.attrs["units"] = units
    return frame


def _calm(where: Mapping[str, Any] | pd.DataFrame) -> Any:
    return (where["loss"] == 0) & (where["reordering"] == 0)


def _operations(frame: pd.DataFrame) -> Table | None:
    """Return the counts of B.2.1 a segment, side by side."""
    rows, sentences = [], []
    chosen = frame[(frame["rnic"] == HARDWARE) & (frame["message_sizes"] == _MIXED) & (frame["flows"] == 10)]
    for title, calm in (("in order", True), ("1 % loss and 2 % reordered", False)):
        path = chosen[_calm(chosen)] if calm else chosen[(chosen["loss"] > 0) & (chosen["reordering"] > 0)]
        kinds = {
            (aligned, markers): part
            for (aligned, markers), part in path.groupby(["alignment", "markers"], sort=False)
        }
        if (True, True) not in kinds or (False, True) not in kinds:
            continue
        for name in (*OPERATIONS, "crc_octets", "local_store", "local_load"):
            row = {"Path": title, "Operation": name.replace("_", " ")}
            for (aligned, markers), part in sorted(kinds.items(), reverse=True):
                ratio = part[f"rnic_op_{name}"] / part["rnic_op_classify"]
                kind = f"{'aligned' if aligned else 'unaligned'}, {'Markers' if markers else 'no Markers'}"
                row[kind] = number_text(estimate(ratio).mean)
            rows.append(row)
        yes, no = kinds[True, True], kinds[False, True]
        sentences.append(
            f"{title[0].upper()}{title[1:]}, with Markers: an aligned receiver does "
            f"{number_text(yes['operations_per_fpdu'].mean())} operations an FPDU, an unaligned one "
            f"{number_text(no['operations_per_fpdu'].mean())}; it fetches or stores state "
            f"{number_text(yes['state_per_segment'].mean())} and {number_text(no['state_per_segment'].mean())} times a "
            f"segment, and moves {number_text(yes['memory_traffic'].mean())} and "
            f"{number_text(no['memory_traffic'].mean())} octets through its memory for an octet of payload."
        )
    if not rows:
        return None
    text = (
        "Operations of RFC 5044 Appendix B.2.1 for each segment with payload, of which there are as many of "
        "classify; octets for the last three. An FPDU in two segments has two copies and two CRC runs."
    )
    return Table("operations", "Operations of a segment", text, pd.DataFrame(rows), sentences)


def _loads(frame: pd.DataFrame) -> Table | None:
    """Return how busy each part is, for each octet of payload, and what that means."""
    rows = []
    factors = ["rnic", "message_sizes", "loss", "reordering", "markers", "flows", "alignment"]
    for values, runs in frame.groupby(factors, sort=True):
        where = dict(zip(factors, values, strict=True))
        row = {
            "RNIC": where["rnic"],
            "Messages": _LEVELS.get(("message_sizes", where["message_sizes"]), where["message_sizes"]),
            "Loss": f"{100 * where['loss']:g} %",
            "Reordered": f"{100 * where['reordering']:g} %",
            "Markers": "on" if where["markers"] else "off",
            "Connections": f"{where['flows']:,}",
            "Sender": "aligned" if where["alignment"] else "unaligned",
        }
        for part in PARTS:
            name = f"rnic_busy_{part}"
            if name in runs and runs[name].notna().any():
                share = (runs[name] / runs["measured_duration"]).mean()
                row[f"{part.replace('_', ' ')} busy"] = human(share, "share")
        row |= {
            "Busiest": str(runs["busiest"].mode().iloc[0]).replace("_", " ") if runs["busiest"].notna().any() else "",
            "Full at": human(runs["receive_capacity"].mean(), "bit/s"),
            "Memory, octets an octet": number_text(runs["memory_traffic"].mean()),
            "Bus to host, octets an octet": number_text(runs["bus_traffic"].mean()),
        }
        if runs["cycles_per_octet"].notna().any():
            row["CPU cycles an octet"] = number_text(runs["cycles_per_octet"].mean())
        rows.append(row)
    if not rows:
        return None
    text = (
        "The share of the time from the first octet to the last for which each part works (one engine of it), and the "
        "goodput at which the busiest would be full. Cycles are time of CPUs at 3 GHz."
    )
    return Table("loads", "What each part of the receiver does", text, pd.DataFrame(rows).fillna(""))


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: operations of a segment, loads of each part."""
    if "operations_per_fpdu" not in frame:
        return []
    return [table for table in (_operations(frame), _loads(frame)) if table]


CLAIMS = [
    Claim("has its receiver do fewer operations an FPDU", "operations_per_fpdu"),
    Claim("has its receiver move fewer octets through its memory for an octet of payload", "memory_traffic",
          ratio=False),
    Claim("leaves the busiest part of its receiver more to spare", "receive_capacity", less=False),
    Claim("has its messages done sooner", "message_time_mean"),
    Claim("gets more goodput", "goodput", less=False),
]  # fmt: skip
_SENDERS = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")
_CONDITIONS = [("in order", {"reordering": 0.0}), ("2 % reordered", {"reordering": 0.02})]


def screen(frame: pd.DataFrame, screenings: Sequence[Screening]) -> list[Table]:
    """Return the table of claims that survive whatever the assumed figures are."""
    table = tabulate(frame, screenings, _CONDITIONS, _SENDERS, CLAIMS)
    return [table] if table else []


def _layout(x: str, columns: tuple[str, ...] = ()) -> Layout:
    return Layout(x=x, colour="alignment", shape="markers", rows="topology", columns=columns)


def _sized(frame: pd.DataFrame) -> pd.Series:
    return frame["message_sizes"] != _MIXED


def _pathed(frame: pd.DataFrame) -> pd.Series:
    return (frame["message_sizes"] == _MIXED) & (frame["flows"] == 10) & (frame["rnic"] == HARDWARE)


def _many(frame: pd.DataFrame) -> pd.Series:
    return (frame["message_sizes"] == _MIXED) & _calm(frame) & frame["markers"] & (frame["rnic"] == HARDWARE)


_LEVELS = {
    ("alignment", True): "aligned sender",
    ("alignment", False): "unaligned sender",
    ("reordering", 0.0): "no reordering",
    ("reordering", 0.02): "2 % reordered",
    ("message_sizes", _MIXED): "8 KiB in the mean",
    **{("message_sizes", size): human(int(size.removeprefix("fixed:")), "octets") for size, _ in _SIZES},
}

STUDY = Study(
    name="compute",
    title="What FPDU alignment spares a receiver",
    lead=(
        "A receiver whose FPDUs are not aligned with TCP segments has to fetch state, to put partial CRCs by, to hold "
        "first portions and to command two copies (RFC 5044, Appendix B.2.1). Operations are counted in segments "
        "simulated in ns\u20113 and turned into time of an RNIC's stages, memory traffic and CPU cycles; a screening "
        "says which conclusions survive whatever the assumed figures of the RNIC are."
    ),
    presets={
        "quick": Preset(
            _PATH, _BASE, runs=3, timeout=300,
            more=[*_messages(1), *_connections([(1, 4_000_000), (100, 40_000), (1000, 16_384), (5000, 16_384)])],
            screenings=[Screening(HARDWARE, _SCREENED, 4), Screening(SOFTWARE, _SCREENED, 6)],
        ),
        "full": Preset(
            {**_PATH, "loss": [0.0, 0.001, 0.01], "octets": [4_000_000]}, _BASE, runs=10, timeout=1800,
            more=[*_messages(10),
                  *_connections([(1, 40_000_000), (30, 1_000_000), (100, 400_000), (300, 100_000), (1000, 65_536),
                                 (3000, 32_768), (5000, 32_768)])],
            screenings=[Screening(name, {**_SCREENED, "octets": [1_000_000]}, 20)
                        for name in (HARDWARE, "e810-like", SOFTWARE)],
        ),
    },
    views=_VIEWS,
    questions=[
        Question(
            "Aligned against unaligned sender",
            _SENDERS,
            [view.metric for view in _VIEWS],
            [
                ("an RNIC, in order", lambda w: w["rnic"] != SOFTWARE and _calm(w)),
                ("an RNIC, loss or reordering", lambda w: w["rnic"] != SOFTWARE and not _calm(w)),
                ("host software, in order", lambda w: w["rnic"] == SOFTWARE),
            ],
        ),
    ],
    layout=_layout("flows"),
    figures={},
    titles={
        "alignment": "Sender",
        "markers": "Markers",
        "message_sizes": "Messages",
        "octets": "Octets a connection",
        "flows": "Connections",
        "loss": "Loss",
        "reordering": "Reordering",
        "rnic": "RNIC",
    },
    levels=_LEVELS,
    derive=derive,
    conclude=conclude,
    screen=screen,
    factors=["rnic", "message_sizes", "loss", "reordering"],
    panels=[
        Panel("Operations over the path", "operations_per_fpdu", _layout("loss", ("reordering",)),
              "Filled with Markers, open without.", _pathed),
        Panel("Memory traffic over the path", "memory_traffic", _layout("loss", ("reordering",)),
              "Without Markers a segment out of order waits in memory, aligned or not.", _pathed),
        Panel("Operations over the size of messages", "operations_per_fpdu", _layout("message_sizes", ("rnic",)),
              "Small FPDUs share segments; those of 740 octets are just too long for two of them to share one.",
              _sized),
        Panel("What the busiest part can do, over the size of messages", "receive_capacity",
              _layout("message_sizes", ("rnic",)),
              "An aligned sender sends more and shorter segments where an FPDU fills little more than half of one "
              "(740 octets): then what is done for each segment weighs more than what alignment spares.", _sized),
        Panel("CPU cycles over the size of messages", "cycles_per_octet", _layout("message_sizes"),
              "Host software: first portions are copied twice.", lambda f: _sized(f) & (f["rnic"] == SOFTWARE)),
        Panel("Memory traffic over connections", "memory_traffic", _layout("flows"),
              "In order, with Markers.", _many),
        Panel("What the busiest part can do, over connections", "receive_capacity", _layout("flows"),
              "In order, with Markers.", _many),
    ],
    notes=[
        "Operations, traffic and busy times count from the first segment to the last, connecting and slow start "
        "included: they are of segments, not of a time, so that warm-up does not weigh on them. Goodput and times of "
        "messages include slow start: runs are short.",
        "Screened: the receiver's and the sender's assumed figures, over the ranges that the profiles state. Not "
        "screened: the kind of receiver. One that stores and forwards takes each frame through its memory, aligned or "
        "not; there alignment spares no memory traffic. Nor the caches with more connections than they have entries.",
        "Host software holds first portions until the CRC is checked, as Appendix B.2.1 has it, and copies them twice. "
        "A driver that places them unchecked would copy them once.",
    ],
)  # fmt: skip
