# SPDX-License-Identifier: GPL-2.0-only
"""The transports that the compare study sets against each other, and the paths on which it does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..sweeps.designs import fraction
from .parts import Part
from .transports import GO_BACK_N, SELECTIVE

RATE = 10e9  #: bit/s of all links
MTU = 1500
FRAMED = 1538  #: octets of a full packet on an Ethernet
XOFF = 30_000  #: octets of a port of a switch above which it has the other end pause: those of 20 packets
_PORT = 27  #: packets of queue for each port of a lossless switch: XOFF, 2 C D, and four frames
_QUEUE = f"{8 * _PORT}p"  #: of switches with at most 8 ports
_MESSAGE = 65536  #: octets of each message of an incast
_SPARE = 1.25  #: time between rounds of an incast over what the receiver's link needs for one

STORAGE, RPC = "cdf:alistorage2019", "cdf:googlerpc2008"

#: what RoCE is here, in one place: go-back-N over links that pause
ROCE = {"workload": GO_BACK_N, "pfc_xoff": XOFF, "pfc_xon": XOFF // 2}
IRN = {"workload": SELECTIVE, "pfc_xoff": 0}
_IWARP = {"workload": "rdma-write", "pfc_xoff": 0}

OURS = "iWARP with DCTCP"
TRANSPORTS: dict[str, dict[str, Any]] = {
    OURS: {**_IWARP, "congestion_control": "TcpDctcp"},
    "iWARP with CUBIC": {**_IWARP, "congestion_control": "TcpCubic"},
    "iWARP with NewReno": {**_IWARP, "congestion_control": "TcpNewReno"},
    "iWARP with BBR": {**_IWARP, "congestion_control": "TcpBbr"},
    "RoCE": ROCE,
    "IRN": IRN,
    "RoCE with selective repeat": {**ROCE, "workload": SELECTIVE},
}
MAIN = (OURS, "RoCE", "IRN")  #: what all paths have
OTHERS = ("iWARP with CUBIC", "iWARP with NewReno", "iWARP with BBR")

BASE = {
    "workload": "rdma-write", "congestion_control": "TcpDctcp", "alignment": True, "pfc_xoff": 0,
    "rnic": "t5-like", "markers": False, "ecn": "On", "plain_tcp": False,
    "topology": "leaf-spine", "link_rate": "10Gbps", "access_rate": "10Gbps", "delay": "2us", "access_delay": "2us",
    "mtu": MTU, "queue_size": _QUEUE, "queue_disc": "threshold", "marking_threshold": "20p",
    "queue_depth": 1000, "min_rto": "1ms", "delayed_ack": "200us", "TcpSocket.ConnTimeout": "10ms",
    "IwarpRoceWorkload.Timeout": "1ms", "IwarpRoceWorkload.ShortTimeout": "500us",
    "message_sizes": STORAGE, "load": 0.3, "loss": 0.0, "impairment_place": "core", "incast_senders": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """How large a preset is: hosts, payload that arrives in the window of a run, rounds of an incast.

    ``octets`` are those of AliStorage, ``fewer`` those of the other mixes, ``each`` those of each long flow. Messages
    of mixes of which a 99th percentile is told are followed for ``drain_limit``, as a few that have not ended would
    decide it; others for ``cut``.
    """

    leaf_spine: Mapping[str, int]
    fat_tree_k: int
    octets: float
    fewer: float
    warm_up: str
    drain_limit: str
    cut: str
    rounds: int
    each: int

    def hosts(self, topology: str) -> int:
        """Return how many hosts a topology has."""
        return (
            self.fat_tree_k**3 // 4
            if topology == "fat-tree"
            else self.leaf_spine["leaves"] * self.leaf_spine["hosts_per_leaf"]
        )

    def goes_with(self, topology: str, grid: Mapping[str, Sequence[Any]], own: Collection[str]) -> dict[str, Any]:
        """Return what goes with a topology: its size and, by load or senders, how long messages arrive."""
        size = {"fat_tree_k": self.fat_tree_k} if topology == "fat-tree" else dict(self.leaf_spine)
        senders = max(grid["incast_senders"])
        if topology == "star":
            found = self._incast(senders)
        else:
            found = {**size, **(self._long() if senders else self._open_loop(topology, grid))}
        return {name: value for name, value in found.items() if name not in own}

    def _open_loop(self, topology: str, grid: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        octets = self.octets if STORAGE in grid["message_sizes"] else self.fewer
        window = 8 * octets / (self.hosts(topology) * RATE * min(grid["load"]))
        return {
            "pattern": "all-to-all", "connections": "pool", "flows": 4, "arrival_window": f"{1e6 * window:.0f}us",
            "arrival_warm_up": self.warm_up,
            "drain_limit": self.drain_limit if {STORAGE, RPC} & set(grid["message_sizes"]) else self.cut,
        }  # fmt: skip

    def _incast(self, senders: int) -> dict[str, Any]:
        packets = -(-_MESSAGE // (MTU - 52))
        interval = _SPARE * senders * packets * FRAMED * 8 / RATE
        return {
            "pattern": "incast", "flows": 1, "octets": self.rounds * _MESSAGE, "intervals": f"fixed:{interval:.6f}",
            "start_spread": "10us", "queue_size": f"{(senders + 1) * _PORT}p",
        }  # fmt: skip

    def _long(self) -> dict[str, Any]:
        return {"pattern": "incast", "flows": 1, "octets": self.each, "queue_depth": 4, "start_spread": "10us"}


QUICK = Scale(
    {"leaves": 2, "spines": 2, "hosts_per_leaf": 4}, fat_tree_k=4, octets=20e6, fewer=8e6,
    warm_up="500us", drain_limit="30ms", cut="3ms", rounds=6, each=2_500_000,
)  # fmt: skip
FULL = Scale(
    {"leaves": 4, "spines": 4, "hosts_per_leaf": 4}, fat_tree_k=4, octets=60e6, fewer=60e6,
    warm_up="4ms", drain_limit="100ms", cut="30ms", rounds=50, each=20_000_000,
)  # fmt: skip


def parts(
    scale: Scale,
    mixes: Sequence[str],
    loads: Sequence[float],
    losses: Sequence[float],
    degrees: Sequence[int],
    lossy: Collection[str],
    more: Collection[str] = (),
) -> list[Part]:
    """Return the parts of a preset: clean paths, random loss, incasts, long flows, and the transports on each.

    Clean paths are half of the combinations of topologies, mixes and loads, balanced (fraction()).

    @param lossy topologies on which there is random loss too
    @param more topologies on which the other congestion controls of TCP run too
    """
    space = {"topology": ["leaf-spine", "fat-tree"], "message_sizes": list(mixes), "load": list(loads)}
    clean = fraction(space, 2)
    found = []
    for point in clean:
        named = MAIN + (OTHERS if point["topology"] in more else ())
        found += _each("clean paths", point, named)
        if point["message_sizes"] == STORAGE and point["topology"] in lossy:
            found += _each("random loss", {**point, "loss": list(losses)}, MAIN)
            if point["topology"] == "leaf-spine":
                found += _each("random loss", {**point, "loss": [0.0, *losses]}, ["RoCE with selective repeat"])
    for degree in degrees:
        named = MAIN + (OTHERS if degree == degrees[1] else ())
        incast = {"topology": "star", "incast_senders": degree, "message_sizes": f"fixed:{_MESSAGE}", "load": 0.0}
        found += _each("incasts", incast, named)
    senders = scale.hosts("leaf-spine") - 1
    long = {"topology": "leaf-spine", "incast_senders": senders, "message_sizes": f"fixed:{_MESSAGE}", "load": 0.0}
    found += _each("long flows", long, MAIN + OTHERS)
    return found


def _each(title: str, path: Mapping[str, Any], names: Sequence[str]) -> list[Part]:
    """Return a part for each transport on a path."""
    levels = {name: value if isinstance(value, list) else [value] for name, value in path.items()}
    return [Part(title, {**levels, **{k: [v] for k, v in TRANSPORTS[name].items()}}) for name in names]


def name_transport(row: Mapping[str, Any]) -> str:
    """Say what carries the messages of a run: the transport whose settings it has, links that pause by any threshold
    being those that pause.
    """
    key = _key(row)
    return next((name for name, known in _KEYS.items() if known == key), " ".join(map(str, key)))


def _key(row: Mapping[str, Any]) -> tuple:
    control = str(row["congestion_control"]).removeprefix("ns3::") if row["workload"] == "rdma-write" else ""
    return row["workload"], control, bool(row["pfc_xoff"])


_KEYS = {name: _key({**BASE, **settings}) for name, settings in TRANSPORTS.items()}
