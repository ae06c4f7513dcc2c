# SPDX-License-Identifier: GPL-2.0-only
"""What a lost segment costs receivers of records over TCP: software, autonomous offloads, and RNICs that place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..parameters.quantity import human
from ..report.cells import Cell, number
from ..report.chart import Layout, Reference
from ..report.page import Table
from .alignment_conditions import BOX, BURSTS, TOLD, UNDISTURBED
from .alignment_conditions import condition as named
from .networks import NETWORKS, NUISANCES, TITLES, across
from .parts import Part
from .primaries import answers
from .study import Evidence, Panel, Preset, Question, Study

RECEIVER, RESYNC, HEADS = "Rnic.Receiver", "Rnic.RxRecords.Resync", "Rnic.RxRecords.AlignedHeads"
ANSWER = "Rnic.RxRecords.AnswerTime"
_ANSWER = 10e-6  #: seconds, of the profile
RECORD = "tls_max_record"
ONE_SEGMENT = 1300  #: octets of content of a record that fits a segment, 22 more with TLS's own
_FULL_RECORD = 16384
_MESSAGE = _FULL_RECORD - 12  #: octets of a message that fills a record, with its header
_RATE = 10_000_000_000  #: bit/s
_TLS_OCTETS = 22  #: head, type and tag of a record
_PDU_OCTETS = 32  #: head and digests of a PDU with data
SOFTWARE, SEARCHING, TOLD_WHERE, HEADS_FIRST, TOE, PLACING = (
    "host software",
    "autonomous, searching",
    "autonomous, told by software",
    "autonomous, searching at segments' beginnings",
    "TCP in the adapter",
    "placing RNIC",
)

_BASE = {
    "workload": "tls",
    "rnic": "connectx7-like",
    "link_rate": _RATE,
    "loss": 0.0,
    RECEIVER: "Autonomous",
    RECORD: _FULL_RECORD,
    "alignment": True,
    "markers": True,
    "flows": 4,
    "host_pairs": 0,
    "spread_starts": True,
    "send_buffer": 524_288,
    "receive_buffer": 262_144,
    "plain_tcp": False,
}
_ARMS = {"alignment": [True, False], RECEIVER: ["Autonomous", "HostSoftware"]}
_SIZES = {RECORD: [ONE_SEGMENT, _FULL_RECORD]}
_NUISANCE = {"queue_size": (1, 1.5, 2), "receive_buffer": (1, 1.5, 2)}
_REQUEST = 65_536  #: octets of a request of NVMe/TCP, unless it is asked how they matter
_NVME = {"workload": ["nvme-tcp"], "message_sizes": [f"fixed:{_REQUEST}"]}
_WRITES = {"nvme_read_share": 0, "nvme_admin_queue": False}
_DISTURBANCES = [
    Part("loss", {"loss": [0.01]}),
    Part("loss in bursts", {"topology": ["dumbbell", "star", "abilene", "wan"], **BURSTS}),
    Part("reordering", {"reordering": [0.02]}),
    Part("boxes that cut segments, with loss", {**BOX, "loss": [0.01]}),
]


def _shared_by(flows: int) -> dict[str, Any]:
    """Return what goes with so many connections of two hosts: messages of a full record at half of the link's rate, all
    together; each connection has four at least, and the first of each does not count."""
    return {"host_pairs": 1, "load": 0.5, "message_sizes": f"fixed:{_MESSAGE}", "warm_up": _MESSAGE,
            "octets": _MESSAGE * max(4, 160 // flows), "start_spread": max(100, 2 * flows) * 1e-6}  # fmt: skip


def _parts(
    losses: list[float], reorderings: list[float], flows: list[int], rates: list[str], octets: int
) -> list[Part]:
    """Return what is asked of the dumbbell alone."""
    here = {"topology": ["dumbbell"]}
    autonomous = {RECEIVER: ["Autonomous"]}
    return [
        Part("nothing added", {**here, **_SIZES, **_ARMS}),
        Part("receivers by loss",
             {**here, "loss": losses, RECEIVER: ["Autonomous", "HostSoftware", "StoreAndForward"]}),
        Part("ways back by loss", {**here, "loss": losses, **autonomous, RESYNC: ["Software"]}),
        Part("heads at the beginnings of segments",
             {**here, **_SIZES, "loss": losses[-1:], "alignment": [True], **autonomous, HEADS: [True]}),
        Part("RNICs that place, by loss",
             {**here, "workload": ["mpa"], "loss": losses, RECEIVER: ["FlowThrough"], "alignment": [True, False],
              "markers": [True, False]}),
        Part("RNICs that place, by reordering",
             {**here, "workload": ["mpa"], "reordering": reorderings, RECEIVER: ["FlowThrough"], "alignment": [True],
              "markers": [True, False]}),
        Part("NVMe/TCP by loss",
             {**here, **_NVME, "loss": losses, "alignment": [True, False], RECEIVER: ["Autonomous", "HostSoftware"]},
             _WRITES),
        Part("NVMe/TCP on all networks",
             {**_NVME, "topology": list(NETWORKS), "loss": losses[-1:], "alignment": [True, False],
              RECEIVER: ["Autonomous"]}, _WRITES),
        *(Part(f"requests of NVMe/TCP of {size:,} octets",
               {**here, **_NVME, "message_sizes": [f"fixed:{size}"], "loss": losses[-1:], "alignment": [True, False],
                RECEIVER: ["Autonomous", "HostSoftware"]},
               {**_WRITES, "octets": max(octets, 4 * size), "warm_up": max(octets, 4 * size) // 2})
          for size in (512, 4096, 1_048_576)),
        Part("sizes of records",
             {**here, "loss": losses[-1:], RECORD: [512, 1300, 4096], **_ARMS}),
        Part("time of an answer",
             {**here, "loss": losses[-1:], **autonomous, ANSWER: ["1us", "100us"]}),
        Part("rates of the link", {**here, "loss": losses[1:2], "link_rate": rates, **autonomous},
             {"access_rate": "400Gbps", "octets": 2 * octets}),
        *(Part(f"{many:,} connections", {**here, "loss": losses[-1:], "flows": [many], **_ARMS}, _shared_by(many),
               runs=3)
          for many in flows),
        Part("queues that mark", {**here, "congestion_control": ["TcpDctcp"], "queue_disc": ["threshold"], **_ARMS}),
    ]  # fmt: skip


_VIEWS = [
    View("rnic_offload_share", "Octets that the adapter worked on", relevant=0.01),
    View("cpu_per_octet", "Time of CPUs an octet", "s",
         "Time of the receiving host's CPUs over the octets of payload that came.", False, True, relevant=0.02),
    View("software_octets", "Octets that CPUs work on, an octet of payload", "ratio",
         "Octets that CPUs decipher, encipher again or compute a CRC of, over the octets of payload.", False),
    View("rnic_offload_absent_octets", "Octets left out, each time", higher_is_better=False, log=True),
    View("rnic_offload_absent_time", "Time until the adapter works again", higher_is_better=False, log=True),
    View("rnic_memory_p99", "Memory, 99th percentile", higher_is_better=False, log=True),
    View("bus_octets", "Octets to the host, an octet of payload", "ratio",
         "Octets on the bus towards the receiving host over the octets of payload.", False),
    View("message_time_mean", "Time of a message, mean", higher_is_better=False, log=True, relevant=0.02),
    View("goodput", "Goodput", higher_is_better=True, log=True),
]  # fmt: skip


def name_receiver(run: Mapping[str, Any]) -> str:
    """Say what receives the records of a run."""
    kind = run[RECEIVER]
    if kind != "Autonomous":
        return {"HostSoftware": SOFTWARE, "StoreAndForward": TOE}.get(kind, PLACING)
    if run.get(RESYNC) == "Software":
        return TOLD_WHERE
    return HEADS_FIRST if run.get(HEADS) is True else SEARCHING


def name_records(run: Mapping[str, Any]) -> str:
    """Say whose records those of a run are."""
    if run["workload"] == "mpa":
        return "MPA with Markers" if run["markers"] else "MPA"
    return {"tls": "TLS", "nvme-tcp": "NVMe/TCP"}.get(run["workload"], run["workload"])


def count_request(run: Mapping[str, Any]) -> int:
    """Return the octets of a request of NVMe/TCP, each in one PDU where it is longer than a capsule's; 0 of others."""
    return int(run["message_sizes"].removeprefix("fixed:")) if run["workload"] == "nvme-tcp" else 0


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add names of receivers, records and conditions, and what the study speaks of for an octet of payload."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    runs = frame.to_dict("records")
    frame["receiver"] = [name_receiver(run) for run in runs]
    frame["records"] = [name_records(run) for run in runs]
    frame["condition"] = [named({**run, "rnic": "none"}) for run in runs]
    frame["request"] = [count_request(run) for run in runs]
    frame["answer"] = frame[ANSWER].fillna(_ANSWER) if ANSWER in frame else _ANSWER
    units |= {"answer": "s", "request": "octets"}
    if "payload_octets" in frame:
        moved = frame["payload_octets"].where(frame["payload_octets"] > 0)
        for name, over, unit in (
            ("cpu_per_octet", "rnic_cpu_time", "s"),
            ("bus_octets", "rnic_octets_to_host", "ratio"),
        ):
            if over in frame:
                frame[name] = frame[over] / moved
                units[name] = unit
        if "rnic_op_cipher_octets" in frame:
            by_cpus = frame[RECEIVER].isin(["Autonomous", "HostSoftware"])
            worked = frame["rnic_op_cipher_octets"] + frame["rnic_op_crc_octets"]
            frame["software_octets"] = worked.where(by_cpus, 0.0) / moved
            units["software_octets"] = "ratio"
    frame["bound"] = [find_bound(run) for run in runs]
    units["bound"] = "share"
    frame.attrs["units"] = units
    return frame


def find_bound(run: Mapping[str, Any]) -> float:
    """Return the most that an adapter works on under random loss, as share of octets.

    An octet is worked on if neither its own segment is lost nor any other that its record had before, each
    independently: what is sent again comes behind, and what of the record follows the gap passes untouched. At x octets
    from the beginning of a record that lies anywhere in segments of E octets that is (1 - loss)^(1 + x/E) on average,
    which is summed over the record; an aligned record that fits a segment has one alone. Of NVMe/TCP a record is the
    PDU that has a request's data. NaN where something else than random loss is done to the path, and of MPA. It is of
    senders that go on: a segment that is lost last, with nothing behind it, is the next one in order when it is sent
    again.
    """
    elsewhere = run.get("middlebox", "none") != "none" or run.get("impairment") != "random" or run.get("reordering")
    if run["workload"] == "mpa" or elsewhere:
        return math.nan
    emss, loss = float(run.get("emss") or math.nan), float(run["loss"])
    size = float(run[RECORD]) + _TLS_OCTETS if run["workload"] == "tls" else count_request(run) + _PDU_OCTETS
    if loss == 0 or (run["alignment"] and size <= emss):
        return 1 - loss
    decay = -math.log1p(-loss) / emss
    return (1 - loss) * -math.expm1(-decay * size) / (decay * size)


def _usual(frame: pd.DataFrame) -> pd.Series:
    """Pick what is on the dumbbell, with as many connections as usual."""
    usual = (frame["topology"] == "dumbbell") & (frame["flows"] == _BASE["flows"]) & (frame["answer"] == _ANSWER)
    return usual & (frame["link_rate"] == _RATE) & frame["request"].isin([0, _REQUEST])


def _at_random(frame: pd.DataFrame, what: str) -> pd.Series:
    """Pick paths on which nothing happens but ``what``, a regular expression, to packets at random."""
    return frame["condition"].str.fullmatch(rf"{UNDISTURBED}|[\d.e-]+ % {what}")


def _only_lost(frame: pd.DataFrame) -> pd.Series:
    """Pick of these what has nothing but random loss."""
    return _usual(frame) & _at_random(frame, "lost")


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs by loss, of full records."""
    return frame[_only_lost(frame) & ((frame["records"] != "TLS") | (frame[RECORD] == _FULL_RECORD))]


def _by_loss(frame: pd.DataFrame) -> Table | None:
    rows = []
    for (records, receiver, alignment, loss), runs in _plain(frame).groupby(
        ["records", "receiver", "alignment", "loss"], sort=True
    ):
        rows.append(
            {
                "Records": records,
                "Receiver": receiver,
                "Sender": "aligned" if alignment else "unaligned",
                "Loss": number(loss, "share"),
                **_outcome(receiver, runs),
            }
        )
    if not rows:
        return None
    text = (
        "Four connections on the dumbbell, TLS with records of 16,384 octets, NVMe/TCP with writes of 65,536. An RNIC "
        "that places, and an adapter "
        "that has TCP, work on all octets, as software works on none; what autonomous offloads leave out is done by "
        "CPUs. The closed form is the share of octets that have neither their own segment lost nor one before in their "
        "record, each independently. Times, memory and octets are means of the runs, ± half of a "
        "95 % interval. Records of TLS and FPDUs do not have the same work to be done: compare receivers, and not "
        "protocols."
    )
    return Table("receivers", "Receivers by loss", text, pd.DataFrame(rows))


def _outcome(receiver: str, runs: pd.DataFrame) -> dict[str, Any]:
    """Return the columns that tables of receivers have of some runs."""
    return {
        "Runs": len(runs),
        "The adapter worked on": _worked(receiver, runs),
        "At most, by closed form": number(runs["bound"].mean(), "share") if "autonomous" in receiver else "",
        "CPU time an octet": _mean(runs, "cpu_per_octet", "s"),
        "Deciphered or digested by CPUs": _mean(runs, "software_octets", "ratio"),
        "Memory, 99 % of the time": _mean(runs, "rnic_memory_p99", "octets"),
        "Octets to the host": _mean(runs, "bus_octets", "ratio"),
        "Mean time of a message": _mean(runs, "message_time_mean", "s"),
    }


def _worked(receiver: str, runs: pd.DataFrame) -> Cell:
    if "autonomous" in receiver:
        return _mean(runs, "rnic_offload_share", "share", bounds=(0, 1))
    return number(0.0 if receiver == SOFTWARE else 1.0, "share")


def _mean(runs: pd.DataFrame, metric: str, unit: str, bounds: tuple[float, float] = (0, math.inf)) -> Cell | str:
    if metric not in runs or runs[metric].isna().all():
        return ""
    found = estimate(runs[metric])
    return number(found.mean, unit, found.half, bounds=bounds)


def _markers(frame: pd.DataFrame) -> Table | None:
    """Return what Markers take of the wire, and what they spare of memory, by loss and by reordering."""
    placing = frame[(frame["receiver"] == PLACING) & frame["alignment"].astype(bool) & _usual(frame)]
    placing = placing[_at_random(placing, "(lost|reordered)")]
    rows, sentences = [], []
    for factor, other in (("loss", "reordering"), ("reordering", "loss")):
        found, spared = _weighed(placing[placing[other] == 0], factor)
        rows += [row for row in found if row not in rows]  # the path to which nothing is done is one of both
        if spared:
            level, saved, costs = spared
            sentences.append(
                f"Markers spare a placing RNIC of an aligned sender memory from {human(level, 'share')} {factor} on, "
                f"of the rates tried: {human(saved, 'octets')} for four connections there; they add "
                f"{human(costs, 'share', 2)} to what is sent."
            )
    if not rows:
        return None
    text = "An aligned sender's FPDUs into a placing RNIC, with Markers and without, run by run."
    return Table("markers", "What Markers cost and spare", text, pd.DataFrame(rows), sentences)


def _weighed(runs: pd.DataFrame, factor: str) -> tuple[list[dict[str, Any]], tuple[float, float, float] | None]:
    """Return a row for each level of a factor; and from which level on memory is spared at all of them, how much there
    and what it adds on the wire.
    """
    rows, spared = [], []
    for level, alike in runs.groupby(factor, sort=True):
        both = alike.pivot_table(
            index="run", columns="markers", values=["rnic_memory_p99", "octets_on_wire", "payload_octets"]
        )
        if not {("rnic_memory_p99", True), ("rnic_memory_p99", False)} <= set(both.columns):
            continue
        both = both.dropna()
        wire = both["octets_on_wire"] / both["payload_octets"]
        costs = estimate(wire[True] / wire[False] - 1)
        saved = estimate(both["rnic_memory_p99"][False] - both["rnic_memory_p99"][True])
        rows.append(
            {
                "Path": alike["condition"].iloc[0],
                "Pairs of runs": len(both),
                "Markers add on the wire": number(costs.mean, "share", costs.half),
                "Markers spare of memory": number(saved.mean, "octets", saved.half),
            }
        )
        if saved.mean - saved.half > 0:
            spared.append((level, saved.mean, costs.mean))
        else:
            spared.clear()
    return rows, spared[0] if spared else None


def _by_connections(frame: pd.DataFrame) -> Table | None:
    """Return what adapter and CPUs have to do by the number of connections that share a load."""
    shared = frame[frame["load"] > 0]
    rows = [
        {
            "Connections": number(flows, form=",.0f"),
            "Receiver": receiver,
            "Sender": "aligned" if alignment else "unaligned",
            **_outcome(receiver, runs),
            "Memory a connection, 99 % of the time": number((runs["rnic_memory_p99"] / flows).mean(), "octets"),
        }
        for (flows, receiver, alignment), runs in shared.groupby(["flows", "receiver", "alignment"], sort=True)
    ]
    if not rows:
        return None
    text = (
        "Messages of 16,372 octets, which fill a record of TLS each, come at random times at half of the link's rate, "
        "over all connections of two hosts together, with the greatest loss of the study's. Means of the runs, ± half "
        "of a 95 % interval."
    )
    return Table("connections", "Connections that share a load", text, pd.DataFrame(rows))


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the receivers by loss and by connections, and what Markers cost and spare."""
    if "cpu_per_octet" not in frame:
        return []
    return [table for table in (_by_loss(frame), _by_connections(frame), _markers(frame)) if table]


def _cost_of_a_loss(frame: pd.DataFrame) -> list[str]:
    """Say what a searching adapter leaves out each time, and how long."""
    runs = _plain(frame)
    runs = runs[(runs["receiver"] == SEARCHING) & (runs["records"] == "TLS") & (runs["loss"] > 0)]
    runs = runs[runs["rnic_offload_absences"] > 0]
    said = []
    for loss, alike in runs.groupby("loss", sort=True):
        octets, time = estimate(alike["rnic_offload_absent_octets"]), estimate(alike["rnic_offload_absent_time"])
        said.append(f"at {human(loss, 'share')} loss {human(octets.mean, 'octets')} and {human(time.mean, 's')}")
    if not said:
        return []
    return [f"Each time that a searching adapter loses the records of TLS's 16,384 octets, it leaves out, on average, "
            f"{'; '.join(said)}."]  # fmt: skip


def _bound(frame: pd.DataFrame) -> list[str]:
    """Say what a searching adapter works on, beside its closed form."""
    runs = _plain(frame)
    runs = runs[(runs["receiver"] == SEARCHING) & (runs["loss"] > 0) & (runs["records"] == "TLS")]
    if runs.empty:
        return []
    means = runs.groupby("loss")[["rnic_offload_share", "bound"]].mean()
    texts = [
        f"{human(row['rnic_offload_share'], 'share')} at {human(loss, 'share')} loss, where the closed form of "
        f"segments lost at random leaves {human(row['bound'], 'share')}"
        for loss, row in means.iterrows()
    ]
    return [f"A searching adapter works on {'; '.join(texts)}."]


def _by_size(frame: pd.DataFrame) -> list[str]:
    """Say how much of NVMe/TCP a searching adapter works on, by the size of requests, where segments are lost."""
    runs = frame[(frame["receiver"] == SEARCHING) & (frame["request"] > 0) & (frame["topology"] == "dumbbell")]
    runs = runs[runs["loss"] == runs["loss"].max()]
    means = runs.groupby("request")[["rnic_offload_share", "bound"]].mean()
    if len(means) < 2:
        return []
    texts = [
        f"{size:,.0f} octets {human(row['rnic_offload_share'], 'share')} (closed form {human(row['bound'], 'share')})"
        for size, row in means.iterrows()
    ]
    return [f"Of NVMe/TCP, at {human(runs['loss'].max(), 'share')} loss on the dumbbell, it works on so much of "
            f"requests of {', '.join(texts)}."]  # fmt: skip


def _answer(evidence: Evidence) -> list[str]:
    said = [*answers(evidence.primaries), *(s for table in evidence.tables for s in table.sentences)]
    if "rnic_offload_absences" in evidence.frame:
        said += _cost_of_a_loss(evidence.frame) + _bound(evidence.frame) + _by_size(evidence.frame)
    return said


def _disturbed(where: Mapping[str, Any]) -> bool:
    return where["condition"] != UNDISTURBED


_AUTONOMOUS = Contrast("receiver", SEARCHING, SOFTWARE, "an autonomous offload instead of software", "software")
_ALIGNED = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")

_DISTURBED = "on paths with loss, reordering or boxes that cut segments"


def _of_tls(where: Mapping[str, Any]) -> bool:
    return _disturbed(where) and where["records"] == "TLS"


def _searching(size: int):
    return lambda w: _of_tls(w) and w["receiver"] == SEARCHING and w[RECORD] == size


def _of_nvme(where: Mapping[str, Any]) -> bool:
    usual = where["records"] == "NVMe/TCP" and where["request"] == _REQUEST
    return _disturbed(where) and usual and where["receiver"] == SEARCHING


STUDY = Study(
    name="offload",
    title="What offloads of records over TCP lose with a segment",
    lead=(
        "Records of TLS and PDUs of NVMe/TCP go over TCP to a host whose adapter works on them beside TCP (an "
        "autonomous offload), to one without, and to one that has TCP itself; FPDUs of MPA go to an RNIC that places "
        "them. The sender keeps records aligned with TCP segments or not, the path loses, reorders and re-cuts "
        "segments or does not. Every value comes "
        "from packets simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(
            {"topology": list(NETWORKS), **_SIZES, **_ARMS},
            _BASE,
            runs=6,
            timeout=300,
            conditions=_DISTURBANCES,
            more=_parts([0.0, 0.001, 0.01], [0.001, 0.01], [1, 40, 1000], ["25Gbps", "100Gbps"], 160_000),
            goes_with=across(160_000, warm_up=80_000),
            nuisance=_NUISANCE,
        ),
        "full": Preset(
            {"topology": list(NETWORKS), **_SIZES, **_ARMS},
            _BASE,
            runs=18,
            timeout=3600,
            conditions=_DISTURBANCES,
            more=_parts(
                [0.0, 0.0001, 0.001, 0.003, 0.01, 0.03], [0.0001, 0.001, 0.003, 0.01, 0.03], [1, 10, 100, 1000, 10_000],
                ["25Gbps", "40Gbps", "100Gbps", "200Gbps", "400Gbps"], 4_000_000,
            ),
            goes_with=across(4_000_000, "50Mbps", "250p", warm_up=1_000_000),
            nuisance=_NUISANCE,
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_AUTONOMOUS, "cpu_per_octet", "the time of CPUs an octet of TLS", _DISTURBED, _of_tls),
        Primary(_ALIGNED, "rnic_offload_share", "the share of octets that the adapter works on",
                f"with records that fit a segment, {_DISTURBED}", _searching(ONE_SEGMENT),
                subject="keeping records aligned with TCP segments"),
        Primary(_ALIGNED, "rnic_offload_share", "the share of octets that the adapter works on",
                f"with records of 16,384 octets, {_DISTURBED}", _searching(_FULL_RECORD),
                subject="keeping records aligned with TCP segments"),
        Primary(_ALIGNED, "rnic_offload_share", "the share of octets of NVMe/TCP that the adapter works on",
                "on paths with loss", _of_nvme, subject="keeping PDUs aligned with TCP segments"),
    ],
    questions=[
        Question("Autonomous offload against software", _AUTONOMOUS,
                 ["cpu_per_octet", "software_octets", "message_time_mean", "goodput"],
                 [("nothing added to the path", lambda w: w["condition"] == UNDISTURBED),
                  ("disturbed", _disturbed)]),
        Question("Aligned against unaligned sender", _ALIGNED,
                 ["rnic_offload_share", "cpu_per_octet", "message_time_mean"],
                 [("records of TLS that fit a segment", _searching(ONE_SEGMENT)),
                  ("records of TLS of 16,384 octets", _searching(_FULL_RECORD)),
                  ("PDUs of NVMe/TCP", lambda w: w["records"] == "NVMe/TCP" and w["receiver"] == SEARCHING)]),
        Question("Searching against being told by software",
                 Contrast("receiver", SEARCHING, TOLD_WHERE, "an adapter that searches", "one that is told"),
                 ["rnic_offload_share", "cpu_per_octet"]),
        Question("Markers on against off", Contrast("markers", True, False, "Markers", "no Markers"),
                 ["rnic_memory_p99", "message_time_mean"], [("a placing RNIC", lambda w: w["receiver"] == PLACING)]),
    ],
    layout=Layout(x="condition", colour="receiver", shape="alignment", rows="topology", columns=(RECORD,)),
    figures={"rnic_offload_share": "Octets of records that the adapter worked on while they passed."},
    figured=lambda frame: (frame["flows"] <= 15) & (frame["records"] == "TLS"),
    titles={
        **NUISANCES,
        "condition": "Path",
        "receiver": "Receiver",
        "records": "Records",
        "alignment": "Sender",
        "markers": "Markers",
        "topology": "Topology",
        "flows": "Connections",
        "link_rate": "Link rate",
        "loss": "Loss",
        RECORD: "Content of a record at most",
        "request": "Request of NVMe/TCP",
        "answer": "Time of software's answer",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        ("markers", True): "Markers",
        ("markers", False): "no Markers",
        **{("topology", name): title for name, title in TITLES.items()},
    },
    derive=derive,
    conclude=conclude,
    answer=_answer,
    factors=["condition", "receiver", "records", "markers", RECORD, "request", "answer", "flows", "link_rate", "loss"],
    told=[*(name for name in TOLD if name != "loss"), RECEIVER, RESYNC, HEADS, ANSWER, "workload", "message_sizes"],
    panels=[
        Panel("What the adapter worked on, by loss", "rnic_offload_share",
              Layout("loss", "receiver", "alignment", "topology", (RECORD,)),
              "Autonomous offloads on the dumbbell. The dashed line is the share of octets that have neither their own "
              "segment lost nor one before in their record: the most that can be.",
              lambda s: _only_lost(s) & s["receiver"].str.contains("autonomous") & (s["records"] == "TLS"),
              [Reference("bound", "nothing of the record lost before", "--")]),
    ],
    warm_up="is left out: a run starts to count when every connection has carried half as much as it counts of each",
    limits=(
        "One profile of an adapter, connectx7-like, whose figures for CPUs are fitted to two published measurements "
        "and whose time for an answer is assumed (1 to 100 µs are tried). Records of TLS 1.3 hold 1,300 octets, which "
        "fit a segment, or 16,384; MPA's are as long as a segment takes. A receiver that deciphers a record in part "
        "pays for deciphering all of it and for enciphering again what the adapter had done, as Linux does."
    ),
    notes=[
        "The state machine of autonomous offloads is that of Linux's documentation (tls-offload) and of Pismenny et "
        "al., Autonomous NIC Offloads (ASPLOS 2021). Told by software, an adapter learns where a record will begin "
        "once nothing waits to be read; on a stream that always has more it stays out.",
        "Octets that CPUs decipher count twice where the adapter had deciphered a part of the record.",
    ],
)  # fmt: skip
