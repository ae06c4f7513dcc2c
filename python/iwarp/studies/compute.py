# SPDX-License-Identifier: GPL-2.0-only
"""What FPDU alignment spares a receiver: operations, memory traffic, time of stages and CPUs (RFC 5044, B.2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..parameters.quantity import human
from ..report.cells import number
from ..report.chart import Layout
from ..report.page import Table
from .networks import NETWORKS, NUISANCES, TITLES, between_two
from .parts import Part, spread_over
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
    "workload": "perf", "perf_order": "Random", "flows": 1, "perf_size": 4096,
    "send_buffer": 65536, "receive_buffer": 65536,
    "MpaTcpSocketFactory.SynBacklog": 8192,  # all connect at once: no SYN is dropped, and sent again after 3 s
}  # fmt: skip
_CACHED = 1024  #: contexts that the RNIC of profile t5-like holds


_ASKED = {"markers": [True, False], "loss": [0.0, 0.01], "reordering": [0.0, 0.02]}  #: on each of the networks
_NUISANCE = {"min_rto": (1, 2, 4), "reordering_delay": (1, 2, 4)}


def _messages(factor: int) -> list[Part]:
    return [
        Part("sizes of messages", {**_KINDS, "rnic": [HARDWARE, SOFTWARE], "message_sizes": [size]},
             {"octets": factor * octets})
        for size, octets in _SIZES
    ]  # fmt: skip


def _connections(levels: Sequence[tuple[int, int]]) -> list[Part]:
    """Return a part for each number of connections, with the messages of each; which one sends next is drawn."""
    return [
        Part("queue pairs that are drawn", {**_KINDS, "perf_qp": [pairs]}, {**_DRAWN, "perf_iterations": messages},
             runs=3)
        for pairs, messages in levels
    ]  # fmt: skip


_VIEWS = [
    View("operations_per_fpdu", "Operations an FPDU", "operations",
         "All operations that RFC 5044 B.2.1 lists, each counted as one, over the FPDUs that were placed.", False,
         relevant=0.05),
    View("operations_per_kib", "Operations a KiB of payload", "operations", "The same over payload.", False),
    View("state_per_segment", "State and partial CRCs, a segment", "operations",
         "Fetches of MPA state, and fetches and stores of partial CRCs, over segments with payload.", False),
    View("crc_runs_per_fpdu", "CRC runs an FPDU", "operations", "CRC computations begun or resumed.", False),
    View("copies_per_fpdu", "DMA commands an FPDU", "operations",
         "Commands that move data to the host, each with its address.", False),
    View("crc_octets", "Octets through the CRC, an octet of payload", "octets", "", False),
    View("memory_traffic", "Memory traffic, an octet of payload", "octets",
         "Octets of parts of FPDUs that are written to the reassembly memory and read again.", False, relevant=0.1,
         absolute=True),
    View("bus_traffic", "Bus traffic to the host, an octet of payload", "octets", "Headers included.", False),
    View("receive_capacity", "What the busiest part can do", "bit/s",
         "Payload over the time for which the busiest part of the receiving RNIC works: the rate at which that part "
         "would be full.", True, relevant=0.05),
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
    frame["busiest"] = busy.where(most > 0, float("nan")).dropna(how="all").idxmax(axis=1).str[len("rnic_busy_") :]
    frame.attrs["units"] = units
    return frame


def _calm(where: Mapping[str, Any] | pd.DataFrame) -> Any:
    return (where["loss"] == 0) & (where["reordering"] == 0)


def _operations(frame: pd.DataFrame) -> Table | None:
    """Return the counts of B.2.1 a segment, side by side."""
    rows = []
    chosen = frame[_pathed(frame)]
    for title, calm in (("in order", True), ("1 % loss and 2 % reordered", False)):
        path = chosen[_calm(chosen)] if calm else chosen[(chosen["loss"] > 0) & (chosen["reordering"] > 0)]
        kinds = {
            (aligned, markers): part for (aligned, markers), part in path.groupby(["alignment", "markers"], sort=False)
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
    if not rows:
        return None
    text = (
        "Operations of RFC 5044 Appendix B.2.1 for each segment with payload, of which there are as many of "
        "classify; octets for the last three. An FPDU in two segments has two copies and two CRC runs."
    )
    return Table("operations", "Operations of a segment", text, pd.DataFrame(rows))


def _loads(frame: pd.DataFrame) -> Table | None:
    """Return how busy each part is, for each octet of payload, and what that means."""
    rows = []
    factors = [
        "topology",
        "rnic",
        "workload",
        "message_sizes",
        "loss",
        "reordering",
        "markers",
        "flows",
        "perf_qp",
        "alignment",
    ]
    for values, runs in frame.groupby(factors, sort=True):
        where = dict(zip(factors, values, strict=True))
        row = {
            "Topology": TITLES.get(where["topology"], where["topology"]),
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
    """Pick the runs over loss, reordering and Markers on the dumbbell."""
    of_mix = (frame["message_sizes"] == _MIXED) & (frame["workload"] == "mpa") & (frame["rnic"] == HARDWARE)
    return of_mix & (frame["topology"] == "dumbbell")


def _many(frame: pd.DataFrame) -> pd.Series:
    return frame["workload"] == "perf"


def _answer(evidence: Evidence) -> list[str]:
    """Say what alignment spares a receiver, whether that rests on assumed figures, and what many connections do."""
    frame = evidence.frame
    if "operations_per_fpdu" not in frame:
        return []
    said = [*primary_answers(evidence.primaries), *_many_connections(frame[_many(frame)])]
    survivors = evidence.table("screening")
    verdicts: dict[bool, list[str]] = {}
    for claim, rows in survivors.groupby("Claim", sort=False) if len(survivors) else ():
        verdicts.setdefault(bool((rows["Whatever the figures are"] == "holds").all()), []).append(claim)
    if verdicts.get(True):
        said.append(f"Whatever the assumed figures of the RNIC are: {'; '.join(verdicts[True])}.")
    if verdicts.get(False):
        said.append(f"Only with some of the assumed figures, as a table below has: {'; '.join(verdicts[False])}.")
    return said


def _many_connections(frame: pd.DataFrame) -> list[str]:
    """Say how often contexts are off chip, with more connections than the cache has entries."""
    more = frame[frame["perf_qp"] > _CACHED]
    if more.empty:
        return []
    missed = more.groupby("perf_qp")["rnic_context_misses"].mean()
    texts = [f"{human(share, 'share')} of the needs with {pairs:,}" for pairs, share in missed.items()]
    return [
        f"Queue pairs that send at random find their context off chip in {' and '.join(texts)}, of which {_CACHED:,} "
        "have theirs on chip."
    ]


def _on_networks(where: Mapping[str, Any]) -> bool:
    """Tell whether a configuration is of the part that is asked of all networks."""
    return where["rnic"] == HARDWARE and where["message_sizes"] == _MIXED and where["workload"] == "mpa"


_LIKE = f"on an RNIC like {HARDWARE}"
_LEVELS = {
    ("alignment", True): "aligned sender",
    ("alignment", False): "unaligned sender",
    **{("topology", name): title for name, title in TITLES.items()},
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
            Part("the path", _PATH), _BASE, runs=6, timeout=600,
            more=[*spread_over("networks", list(NETWORKS), _ASKED, _KINDS, reduction=2),
                  *_messages(1), *_connections([(1, 1000), (100, 40), (1000, 10), (2000, 10), (5000, 5)])],
            screenings=[Screening(HARDWARE, _SCREENED, 4), Screening(SOFTWARE, _SCREENED, 6)],
            nuisance=_NUISANCE, goes_with=between_two,
        ),
        "full": Preset(
            Part("the path", {**_PATH, "loss": [0.0, 0.001, 0.01]}, {"octets": 4_000_000}),
            _BASE, runs=18, timeout=1800,
            more=[*spread_over("networks", list(NETWORKS), _ASKED, _KINDS, {"octets": 4_000_000}), *_messages(10),
                  *_connections([(1, 10_000), (30, 1000), (100, 400), (300, 100), (1000, 40), (2000, 40), (3000, 30),
                                 (5000, 20)])],
            screenings=[Screening(name, {**_SCREENED, "octets": [1_000_000]}, 20)
                        for name in (HARDWARE, "e810-like", SOFTWARE)],
            nuisance=_NUISANCE, goes_with=between_two,
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_SENDERS, metric, what, over, _on_networks, subject="keeping FPDUs aligned with TCP segments")
        for metric, what, over in (
            ("operations_per_fpdu", "the operations that a receiver does for an FPDU", _LIKE),
            ("memory_traffic", "what it moves through its memory for an octet of payload", _LIKE),
            ("receive_capacity", "the rate at which its busiest part would be full", _LIKE),
        )
    ],
    questions=[
        Question(
            "Aligned against unaligned sender",
            _SENDERS,
            [view.metric for view in _VIEWS],
            [
                ("all networks, in order", lambda w: _on_networks(w) and _calm(w)),
                ("all networks, loss or reordering", lambda w: _on_networks(w) and not _calm(w)),
                ("messages of one size, an RNIC", lambda w: w["rnic"] != SOFTWARE and w["message_sizes"] != _MIXED),
                ("messages of one size, host software", lambda w: w["rnic"] == SOFTWARE),
                ("queue pairs that are drawn", lambda w: w["workload"] == "perf"),
            ],
        ),
    ],
    layout=_layout("flows"),
    figures={},
    titles={
        **NUISANCES,
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
        "topology": "Topology",
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
        "have entries: these were tried with the profile's figures alone. Nor is the order of queue pairs: all send "
        "through one pipe."
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
