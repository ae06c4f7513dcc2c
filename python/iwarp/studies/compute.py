# SPDX-License-Identifier: GPL-2.0-only
"""What FPDU alignment spares a receiver: operations, memory traffic, time of stages and CPUs (RFC 5044, B.2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..parameters.quantity import human, number_text
from ..report.cells import number
from ..report.chart import Layout
from ..report.page import Table
from .primaries import answers as primary_answers
from .screening import Claim, Screening, tabulate
from .study import Evidence, Panel, Preset, Question, Study

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
    "workload": "mpa",
    "perf_qp": 1,
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
    "spread_starts": True,
    "send_buffer": 262144,
    "receive_buffer": 262144,
    "min_rto": "10ms",
    "delayed_ack": "1ms",
    "plain_tcp": False,
}
_PATH = {**_KINDS, "markers": [True, False], "loss": [0.0, 0.01], "reordering": [0.0, 0.02]}
_SIZES = [("fixed:256", 100_000), ("fixed:740", 200_000), ("fixed:4096", 400_000), ("fixed:65536", 400_000)]
_SCREENED = {**_KINDS, "flows": [4], "octets": [400_000], "reordering": [0.0, 0.02]}
_DRAWN = {
    "workload": ["perf"], "perf_order": ["Random"], "flows": [1], "perf_size": [4096],
    "send_buffer": [65536], "receive_buffer": [65536],
    "MpaTcpSocketFactory.SynBacklog": [8192],  # all connect at once: no SYN is dropped, and sent again after 3 s
}  # fmt: skip
_CACHED = 1024  #: contexts that the RNIC of profile t5-like holds


def _messages(factor: int) -> list[dict]:
    return [
        {**_KINDS, "rnic": [HARDWARE, SOFTWARE], "message_sizes": [size], "octets": [factor * octets]}
        for size, octets in _SIZES
    ]


def _connections(levels: Sequence[tuple[int, int]]) -> list[dict]:
    """Return a grid for each number of connections, with the messages of each; which one sends next is drawn."""
    return [{**_KINDS, **_DRAWN, "perf_qp": [pairs], "perf_iterations": [messages]} for pairs, messages in levels]


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
    View("rnic_context_misses", "Context misses", higher_is_better=False),
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
    chosen = frame[_pathed(frame)]
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
                row[kind] = number(estimate(ratio).mean)
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
    factors = ["rnic", "workload", "message_sizes", "loss", "reordering", "markers", "flows", "perf_qp", "alignment"]
    for values, runs in frame.groupby(factors, sort=True):
        where = dict(zip(factors, values, strict=True))
        row = {
            "RNIC": where["rnic"],
            "Messages": "4 KiB, connections drawn at random"
            if where["workload"] == "perf"
            else _LEVELS.get(("message_sizes", where["message_sizes"]), where["message_sizes"]),
            "Loss": number(where["loss"], "share"),
            "Reordered": number(where["reordering"], "share"),
            "Markers": "on" if where["markers"] else "off",
            "Connections": number(where["flows"] * where["perf_qp"], form=","),
            "Sender": "aligned" if where["alignment"] else "unaligned",
            "Busiest": str(runs["busiest"].mode().iloc[0]).replace("_", " ") if runs["busiest"].notna().any() else "",
            "Full at": number(runs["receive_capacity"].mean(), "bit/s"),
        }
        for part in PARTS:
            busy = runs.get(f"rnic_busy_{part}", pd.Series(dtype=float)) / runs["measured_duration"]
            row[f"{part.replace('_', ' ')} busy"] = number(busy.mean(), "share") if busy.notna().any() else ""
        row |= {
            "Memory, octets an octet": number(runs["memory_traffic"].mean()),
            "Bus to host, octets an octet": number(runs["bus_traffic"].mean()),
            "Context misses": number(runs["rnic_context_misses"].mean(), "share"),
        }
        if runs["cycles_per_octet"].notna().any():
            row["CPU cycles an octet"] = number(runs["cycles_per_octet"].mean())
        rows.append(row)
    if not rows:
        return None
    text = (
        "The share of the time from the first octet to the last for which each part works (one engine of it), and the "
        "goodput at which the busiest would be full. Cycles are time of CPUs at 3 GHz."
    )
    table = pd.DataFrame(rows).fillna("")
    told = [name for name in table if any(value != "" for value in table[name])]
    return Table("loads", "What each part of the receiver does", text, table[told])


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
    return (frame["message_sizes"] == _MIXED) & (frame["workload"] == "mpa") & (frame["rnic"] == HARDWARE)


def _many(frame: pd.DataFrame) -> pd.Series:
    return frame["workload"] == "perf"


def _pair(frame: pd.DataFrame, metric: str) -> tuple[float, float]:
    """Return the mean of a metric with an aligned and an unaligned sender."""
    means = frame.groupby("alignment")[metric].mean()
    return means.get(True, float("nan")), means.get(False, float("nan"))


def _answer(evidence: Evidence) -> list[str]:
    """Say what alignment spares, what that is worth, where it costs, and what survives the screening."""
    frame = evidence.frame
    if "operations_per_fpdu" not in frame:
        return []
    usual = frame[_pathed(frame) & _calm(frame) & frame["markers"]]
    if usual["alignment"].nunique() < 2:
        return []
    does, state = _pair(usual, "operations_per_fpdu"), _pair(usual, "state_per_segment")
    moved, able = _pair(usual, "memory_traffic"), _pair(usual, "receive_capacity")
    answers = [
        *primary_answers(evidence.primaries),
        f"Aligned FPDUs spare a receiver {human(1 - does[0] / does[1], 'share')} of its operations and "
        f"{human(1 - moved[0] / moved[1], 'share')} of the traffic of its memory; what it is worth depends on the "
        "RNIC.",
        f"Operations an FPDU, in order with Markers: {number_text(does[0])} aligned, {number_text(does[1])} unaligned. "
        f"State and partial CRCs, a segment: {number_text(state[0])} and {number_text(state[1])}. Octets through "
        f"memory for an octet of payload: {number_text(moved[0])} and {number_text(moved[1])}.",
        f"The busiest part of profile {HARDWARE} would be full at {human(able[0], 'bit/s')} if aligned, at "
        f"{human(able[1], 'bit/s')} if not.",
    ]
    small = frame[(frame["rnic"] == SOFTWARE) & frame["cycles_per_octet"].notna()]
    for size, runs in small.groupby("message_sizes", sort=True):
        aligned, unaligned = _pair(runs, "cycles_per_octet")
        if aligned > 1.1 * unaligned:
            answers.append(f"Alignment costs where messages of {_LEVELS['message_sizes', size]} share segments if not "
                           f"aligned: {number_text(aligned)} CPU cycles an octet instead of {number_text(unaligned)} "
                           f"({SOFTWARE}).")  # fmt: skip
    answers += _many_connections(frame[_many(frame)])
    survivors = evidence.table("screening")
    for claim, rows in survivors.groupby("Claim", sort=False) if len(survivors) else ():
        who = f"{claim[0].upper()}{claim[1:]}"
        if (rows["Whatever the figures are"] == "holds").all():
            answers.append(f"{who}, whatever the assumed figures of the RNIC are.")
        else:
            held = [
                f"{r['Points where it holds']} of {r['Points']} ({r['RNIC']}, {r['Condition']})"
                for _, r in rows.iterrows()
            ]
            answers.append(f"{who} only with some of the assumed figures, at so many of the points: {'; '.join(held)}.")
    return answers


def _many_connections(frame: pd.DataFrame) -> list[str]:
    """Say what misses of contexts do, with more connections than the cache has entries."""
    more = frame[frame["perf_qp"] > _CACHED]
    if more.empty or len(more) == len(frame):
        return []
    missed = more.groupby("perf_qp")["rnic_context_misses"].mean()
    texts = [f"{human(share, 'share')} of the needs with {pairs:,}" for pairs, share in missed.items()]
    fewer, able = (human(part["receive_capacity"].mean(), "bit/s") for part in (frame.drop(more.index), more))
    return [
        f"Queue pairs that send at random find their context off chip in {' and '.join(texts)}, of which {_CACHED:,} "
        f"have theirs on chip; the busiest part would be full at {able}, with fewer queue pairs at {fewer}."
    ]


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
            _PATH, _BASE, runs=3, timeout=600,
            more=[*_messages(1), *_connections([(1, 1000), (100, 40), (1000, 10), (2000, 10), (5000, 5)])],
            screenings=[Screening(HARDWARE, _SCREENED, 4), Screening(SOFTWARE, _SCREENED, 6)],
        ),
        "full": Preset(
            {**_PATH, "loss": [0.0, 0.001, 0.01], "octets": [4_000_000]}, _BASE, runs=10, timeout=1800,
            more=[*_messages(10),
                  *_connections([(1, 10_000), (30, 1000), (100, 400), (300, 100), (1000, 40), (2000, 40), (3000, 30),
                                 (5000, 20)])],
            screenings=[Screening(name, {**_SCREENED, "octets": [1_000_000]}, 20)
                        for name in (HARDWARE, "e810-like", SOFTWARE)],
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_SENDERS, metric, what, f"on profile {HARDWARE}, over all paths",
                lambda w: w["rnic"] == HARDWARE and w["message_sizes"] == _MIXED and w["workload"] == "mpa",
                by="markers", by_title="use of Markers")
        for metric, what in (
            ("receive_capacity", "what the busiest part of the receiver can do"),
            ("operations_per_fpdu", "the operations an FPDU"),
            ("memory_traffic", "the octets through the receiver's memory for an octet of payload"),
        )
    ],
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
        "perf_qp": "Queue pairs, drawn at random",
        "workload": "Workload",
        "loss": "Loss",
        "reordering": "Reordering",
        "rnic": "RNIC",
    },
    levels=_LEVELS,
    derive=derive,
    conclude=conclude,
    screen=screen,
    answer=_answer,
    least_share=0.5,
    warm_up="counts: operations and times are of all segments from the first to the last, connecting and slow start "
    "included, and do not depend on how fast they come; goodput and times of messages do",
    limits=(
        "The kind of receiver is not screened: one that stores and forwards takes each frame through its memory, "
        "aligned or not, and there alignment spares no memory traffic. Nor are caches with more connections than they "
        "have entries: these were tried with the profile's figures alone."
    ),
    factors=["rnic", "message_sizes", "loss", "reordering", "workload", "perf_qp"],
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
        Panel("Context misses over connections", "rnic_context_misses", _layout("perf_qp"),
              "RDMA Writes of 4 KiB, each on a queue pair drawn at random. A cache of C entries then has what the "
              "first segment of a message needs in C/N of the cases.", _many),
        Panel("Memory traffic over connections", "memory_traffic", _layout("perf_qp"), "The same runs.", _many),
        Panel("What the busiest part can do, over connections", "receive_capacity", _layout("perf_qp"),
              "The same runs.", _many),
    ],
    notes=[
        "Screened: the receiver's and the sender's assumed figures, over the ranges that the profiles state.",
        "Many connections are queue pairs of RdmaPerfClient with Order=Random, as many messages under way as there are "
        "queue pairs.",
        "Host software holds first portions until the CRC is checked, as Appendix B.2.1 has it, and copies them twice. "
        "A driver that places them unchecked would copy them once.",
    ],
)  # fmt: skip
