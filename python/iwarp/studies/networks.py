# SPDX-License-Identifier: GPL-2.0-only
"""The networks of the studies: what each is called, what is there, and which parameters go with it.

A study asks for what goes with a topology either where its flows are spread over pairs of hosts (across()) or where
all of them are between two hosts, into one RNIC (between_two()). A network that is not listed, such as ``file:PATH``,
has what goes with long links or with those of a data centre, by its round trip.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..parameters.schema import resolve
from ..runs import scenario

Grid = Mapping[str, Sequence[Any]]
GoesWith = Callable[[str, Grid, Collection[str]], Mapping[str, Any]]

FLOWS = 4  #: of a network, where nothing else is said; octets of studies are those of one of so many
SLOWER = 500  #: times that links of a backbone are slower than those of 10 Gbit/s
_LONG_FROM = 1e-3  #: seconds of a round trip from which on a network is one of long links

CENTRE = {"min_rto": "10ms", "delayed_ack": "1ms", "TcpSocket.ConnTimeout": "10ms"}
LONG = {"min_rto": "200ms", "delayed_ack": "40ms", "TcpSocket.ConnTimeout": "1s", "reordering_delay": "2ms"}
_SLOW = {"link_rate": "2500Mbps", "access_rate": "2500Mbps"}  #: so that four flows of a link each cost no more


@dataclass(frozen=True)
class Network:
    """A topology as studies have it: title, what is there, flows, and the parameters that make it what it is.

    ``shape`` goes with it in any study, ``spread`` where flows are between several pairs of hosts. Links are ``long``
    if round trips are of milliseconds.
    """

    title: str
    about: str
    flows: int = FLOWS
    long: bool = False
    shape: Mapping[str, Any] = field(default_factory=dict)
    spread: Mapping[str, Any] = field(default_factory=dict)
    gateways: bool = True  #: there are two routers or more, so that tunnels of gateways have somewhere to be
    routers: bool = True


NETWORKS = {
    "point-to-point": Network(
        "point to point",
        "Four pairs of hosts with a link of their own each, and nothing between them: all that happens comes from the "
        "link.",
        spread=_SLOW, gateways=False, routers=False,
    ),
    "dumbbell": Network("dumbbell", "Four flows of a data centre share one link of 10 Gbit/s."),
    "star": Network(
        "star, incast",
        "Fifteen hosts send to the sixteenth over one switch at once, whose queue of 100 packets overflows.",
        flows=15, gateways=False,
        spread={"pattern": "incast", "host_pairs": 8, "access_rate": "10Gbps", "queue_size": "100p",
                "marking_threshold": "20p"},
    ),
    "parking-lot": Network(
        "parking lot",
        "Three bottlenecks in a row: one flow crosses all of them, each of the others one.",
        spread=_SLOW,
    ),
    "leaf-spine": Network(
        "leaf-spine",
        "Eight flows across four leaves and four spines, four equal paths each.",
        flows=8, shape={"hosts_per_leaf": 4}, spread=_SLOW,
    ),
    "fat-tree": Network(
        "fat tree",
        "Eight flows across a fat tree of switches with four ports (Al-Fares et al., SIGCOMM 2008), four equal paths "
        "between two pods.",
        flows=8, spread=_SLOW,
    ),
    "abilene": Network(
        "Abilene",
        "Four flows across the backbone of Abilene, with the distances of its cities and links of 20 Mbit/s.",
        long=True,
    ),
    "wan": Network(
        "long link",
        "Four flows share 50 Mbit/s over 5,000 km of fibre.",
        long=True, shape={"distance": 5000}, spread={"link_rate": "50Mbps", "queue_size": "400p"},
    ),
    "file:nsfnet": Network(
        "network like NSFNET, from a file",
        "Four flows across a network that is read from a file, the graph like NSFNET's backbone of 1991 that the "
        "literature on routing has, with links of 20 Mbit/s.",
        long=True,
    ),
}  # fmt: skip

NUISANCES = {
    "queue_size": "Size of queues",
    "min_rto": "Least timeout",
    "receive_buffer": "Receive window",
    "reordering_delay": "Longest time for which packets are held back",
    "Rnic.PacketBuffer.Capacity": "Packet buffer [octets]",
}  #: titles of what goes with the run
TITLES = {name: network.title for name, network in NETWORKS.items()}
LONG_ONES = [name for name, network in NETWORKS.items() if network.long]
OF_CENTRES = [name for name, network in NETWORKS.items() if not network.long]
WITH_GATEWAYS = [name for name, network in NETWORKS.items() if network.gateways]
WITHOUT_GATEWAYS = [name for name, network in NETWORKS.items() if not network.gateways]
WITH_ROUTERS = [name for name, network in NETWORKS.items() if network.routers]


@functools.cache
def find(topology: str) -> Network:
    """Return the network of that name; of one that is not listed what its links make it."""
    known = NETWORKS.get(topology)
    if known is not None:
        return known
    return Network(str(topology), "", long=round_trip({"topology": topology}) >= _LONG_FROM)


def flows_of(topology: str) -> int:
    """Return the value of ``flows`` that across() has with a topology: in an incast those of each sender."""
    network = find(topology)
    return 1 if network.spread.get("pattern") == "incast" else network.flows


def across(octets: int, backbone: str = "20Mbps", queue: str = "100p", warm_up: int = 0) -> GoesWith:
    """Return what goes with a topology whose flows are spread over pairs of hosts.

    @param octets of each of four flows; more flows have less each @param backbone rate of long links
    @param queue at them @param warm_up octets of each of four flows, if those of a beginning are left out
    """

    def settings(topology: str, grid: Grid, own: Collection[str]) -> dict[str, Any]:
        network = find(topology)
        found: dict[str, Any] = dict(LONG if network.long else CENTRE)
        if network.long:
            found |= {"link_rate": backbone, "queue_size": queue}
        found |= {"flows": flows_of(topology), "octets": FLOWS * octets // network.flows}
        found |= {**network.shape, **network.spread}
        if warm_up:
            found["warm_up"] = FLOWS * warm_up // network.flows
        return {name: value for name, value in found.items() if name not in own}

    return settings


def between_two(topology: str, grid: Grid, own: Collection[str]) -> dict[str, Any]:
    """Return what goes with a topology all of whose flows are between two hosts; rates are the study's."""
    network = find(topology)
    found: dict[str, Any] = {**(LONG if network.long else {}), **network.shape}
    if topology == "star":  # two links of hosts are all there is
        found |= {"access_rate": grid["link_rate"][0], "access_delay": grid["delay"][0] / 2}
    return {name: value for name, value in found.items() if name not in own}


def round_trip(params: Mapping[str, Any]) -> float:
    """Return the propagation delay of the path between the first pair of hosts, there and back, in seconds."""
    backend = scenario.backend()
    found = backend.find_map(resolve(dict(params), backend.params))
    ends = [next(i for i, node in enumerate(found.nodes) if wanted(node)) for wanted in
            (lambda node: node.sends, lambda node: node.receives)]  # fmt: skip
    joined: dict[int, list[tuple[int, float]]] = {}
    for link in found.links:
        joined.setdefault(link.a, []).append((link.b, link.delay))
        joined.setdefault(link.b, []).append((link.a, link.delay))
    reached: dict[int, float] = {}
    border = [(0.0, ends[0])]
    while border and ends[1] not in reached:
        delay, node = heapq.heappop(border)
        if node not in reached:
            reached[node] = delay
            for other, further in joined.get(node, ()):
                heapq.heappush(border, (delay + further, other))
    return 2 * reached[ends[1]]
