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
_PORT = 90_000  #: octets of memory of a switch for each of its ports: 9 MB for 100 ports of 10 Gbit/s
SHALLOW = 45_000  #: the same of an incast's switch: half as much, as if other traffic had the rest
_MESSAGE = 65536  #: octets of each message of an incast
_SPARE = 1.25  #: time between rounds of an incast over what the receiver's link needs for one

STORAGE, RPC = "cdf:alistorage2019", "cdf:googlerpc2008"

#: RoCE as deployed, in one place: go-back-N, rates by DCQCN, and links that pause by dynamic thresholds with headroom.
#: Switches mark as in Zhu et al., SIGCOMM 2015, the ceiling in proportion to the rate, a quarter of theirs. A timeout
#: is longer than what pauses of an incast hold packets for.
ROCE = {
    "workload": GO_BACK_N, "roce_congestion": "dcqcn", "pfc_headroom": "auto",
    "marking_threshold": "5kB", "marking_ceiling": "50kB", "marking_probability": 0.01, "mark_at_dequeue": True,
    "IwarpRoceWorkload.Timeout": "4ms",
}  # fmt: skip
#: IRN: selective repeat, a window of one bandwidth-delay product, no pauses; timeouts above what full queues take
IRN = {
    "workload": SELECTIVE, "IwarpRoceWorkload.Timeout": "1ms", "IwarpRoceWorkload.ShortTimeout": "500us",
}  # fmt: skip
#: TCP with ECN over queues that mark from 20 packets on
_IWARP = {"workload": "rdma-write", "ecn": "On", "min_rto": "1ms", "delayed_ack": "200us"}

OURS = "iWARP with DCTCP"
TRANSPORTS: dict[str, dict[str, Any]] = {
    OURS: {**_IWARP, "congestion_control": "TcpDctcp"},
    "iWARP with CUBIC": {**_IWARP, "congestion_control": "TcpCubic"},
    "iWARP with NewReno": {**_IWARP, "congestion_control": "TcpNewReno"},
    "iWARP with BBR": {**_IWARP, "congestion_control": "TcpBbr"},
    "iWARP like E810": {"workload": "rdma-write", "tcp_profile": "e810-like"},
    "RoCE": ROCE,
    "IRN": IRN,
    "RoCE with selective repeat": {**ROCE, "workload": SELECTIVE, "IwarpRoceWorkload.ShortTimeout": "500us"},
    "RoCE without DCQCN": {**ROCE, "roce_congestion": "none", "IwarpRoceWorkload.Window": 2**22},
}
MAIN = (OURS, "RoCE", "IRN")  #: what all paths have
OTHERS = tuple(name for name in TRANSPORTS if name.startswith("iWARP") and name != OURS)

BASE = {
    "workload": "rdma-write", "alignment": True, "rnic": "t5-like", "markers": False, "plain_tcp": False,
    "topology": "leaf-spine", "link_rate": "10Gbps", "access_rate": "10Gbps", "delay": "2us", "access_delay": "2us",
    "mtu": MTU, "queue_size": "4MB", "queue_disc": "threshold", "marking_threshold": "30kB", "buffer_size": 6 * _PORT,
    "queue_depth": 1000, "TcpSocket.ConnTimeout": "10ms",
    "message_sizes": STORAGE, "load": 0.3, "loss": 0.0, "incast_senders": 0,
}  # fmt: skip


def incast_interval(senders: int, octets: int) -> float:
    """Return the seconds from a round of an incast to the next, of a message of so many octets from each sender."""
    return _SPARE * senders * -(-octets // (MTU - 52)) * FRAMED * 8 / RATE


@dataclass(frozen=True)
class Scale:
    """How large a preset is: hosts, payload that arrives in the window of a run, rounds of an incast.

    ``octets`` are those of AliStorage where there is random loss too, ``fewer`` those of all else, ``each`` those
    of each long flow. Those first messages are followed for ``drain_limit``, as a few that have not ended would decide
    a 99th percentile; those of AliStorage elsewhere for ``tail_limit``, as its 95th is decided late;
    others for ``cut``.
    """

    leaf_spine: Mapping[str, int]
    fat_tree_k: int
    lossy: Collection[str]
    octets: float
    fewer: float
    warm_up: str
    drain_limit: str
    tail_limit: str
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
        size["buffer_size"] = _PORT * self._ports(topology)
        senders = max(grid["incast_senders"])
        if topology == "star":
            found = self._incast(senders)
        else:
            found = {**size, **(self._long() if senders else self._open_loop(topology, grid))}
        return {name: value for name, value in found.items() if name not in own}

    def _ports(self, topology: str) -> int:
        """Return how many ports the largest switch of a topology has."""
        if topology == "fat-tree":
            return self.fat_tree_k
        return max(self.leaf_spine["hosts_per_leaf"] + self.leaf_spine["spines"], self.leaf_spine["leaves"])

    def _open_loop(self, topology: str, grid: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        whole = STORAGE in grid["message_sizes"] and topology in self.lossy
        octets = self.octets if whole else self.fewer
        brief = self.tail_limit if STORAGE in grid["message_sizes"] else self.cut
        window = 8 * octets / (self.hosts(topology) * RATE * min(grid["load"]))
        return {
            "pattern": "all-to-all", "connections": "pool", "flows": 4, "arrival_window": f"{1e6 * window:.0f}us",
            "impairment_place": "core", "arrival_warm_up": self.warm_up,
            "drain_limit": self.drain_limit if whole else brief,
        }  # fmt: skip

    def _incast(self, senders: int) -> dict[str, Any]:
        interval = incast_interval(senders, _MESSAGE)
        return {
            "pattern": "incast", "flows": 1, "octets": self.rounds * _MESSAGE, "intervals": f"fixed:{interval:.6f}",
            "start_spread": "10us", "buffer_size": (senders + 1) * SHALLOW,
        }  # fmt: skip

    def _long(self) -> dict[str, Any]:
        return {"pattern": "incast", "flows": 1, "octets": self.each, "queue_depth": 4, "start_spread": "10us"}


QUICK = Scale(
    {"leaves": 2, "spines": 2, "hosts_per_leaf": 4}, fat_tree_k=4, lossy=("leaf-spine",),
    octets=20e6, fewer=8e6,
    warm_up="500us", drain_limit="60ms", tail_limit="12ms", cut="5ms", rounds=6, each=2_500_000,
)  # fmt: skip
FULL = Scale(
    {"leaves": 4, "spines": 4, "hosts_per_leaf": 4}, fat_tree_k=4, lossy=("leaf-spine", "fat-tree"),
    octets=60e6, fewer=60e6,
    warm_up="4ms", drain_limit="200ms", tail_limit="60ms", cut="30ms", rounds=50, each=20_000_000,
)  # fmt: skip


def parts(
    scale: Scale,
    mixes: Sequence[str],
    loads: Sequence[float],
    losses: Sequence[float],
    degrees: Sequence[int],
    more: Collection[str] = (),
) -> list[Part]:
    """Return the parts of a preset: clean paths, random loss, incasts, long flows, and the transports on each.

    Clean paths are half of the combinations of topologies, mixes and loads, balanced (fraction()).

    @param more topologies on which the other congestion controls of TCP run too
    """
    space = {"topology": ["leaf-spine", "fat-tree"], "message_sizes": list(mixes), "load": list(loads)}
    clean = fraction(space, 2)
    found = []
    for point in clean:
        named = MAIN + (OTHERS if point["topology"] in more else ())
        found += _each("clean paths", point, named)
        if point["message_sizes"] == STORAGE and point["topology"] in scale.lossy:
            found += _each("random loss", {**point, "loss": list(losses)}, MAIN)
            if point["topology"] == "leaf-spine":
                found += _each("random loss", {**point, "loss": [0.0, *losses]}, ["RoCE with selective repeat"])
    for degree in degrees:
        named = (*MAIN, "RoCE without DCQCN", *(OTHERS if degree == degrees[1] else ()))
        incast = {"topology": "star", "incast_senders": degree, "message_sizes": f"fixed:{_MESSAGE}", "load": 0.0}
        found += _each("incasts", incast, named)
    senders = scale.hosts("leaf-spine") - 1
    long = {"topology": "leaf-spine", "incast_senders": senders, "message_sizes": f"fixed:{_MESSAGE}", "load": 0.0}
    found += _each("long flows", long, (*MAIN, "RoCE without DCQCN", *OTHERS))
    return found


def _each(title: str, path: Mapping[str, Any], names: Sequence[str]) -> list[Part]:
    """Return a part for each transport on a path."""
    levels = {name: value if isinstance(value, list) else [value] for name, value in path.items()}
    return [Part(title, {**levels, **{k: [v] for k, v in TRANSPORTS[name].items()}}) for name in names]


def name_transport(row: Mapping[str, Any]) -> str:
    """Say what carries the messages of a run: the transport whose settings it has, links that pause in any way being
    those that pause.
    """
    key = _key(row)
    return next((name for name, known in _KEYS.items() if known == key), " ".join(map(str, key)))


def _key(row: Mapping[str, Any]) -> tuple:
    if row["workload"] == "rdma-write":
        profile = row.get("tcp_profile", "none")
        control = str(row["congestion_control"]).removeprefix("ns3::") if profile == "none" else profile
        return row["workload"], control
    pauses = row.get("pfc_headroom", "none") != "none" or row.get("pfc_xoff", 0) > 0
    return row["workload"], row.get("roce_congestion", "none"), "pauses" if pauses else "drops"


_KEYS = {name: _key({"congestion_control": "", **BASE, **settings}) for name, settings in TRANSPORTS.items()}
