# SPDX-License-Identifier: GPL-2.0-only
"""On which networks, and in which conditions of their paths, the alignment study looks; and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Grid = dict[str, list[Any]]

UNDISTURBED = "nothing added"
AHEAD = "MpaStream.FramingAhead"
TOLD = (
    "loss", "reordering", "mtu", "congestion_control", "queue_disc", "rnic", "ecmp", "satellite_hops", "cross_traffic",
    "middlebox", "split_proxy", "impairment", AHEAD,
)  #: parameters, each value of which condition() calls by a name of its own  # fmt: skip

TOPOLOGIES = {
    "point-to-point": (
        "point to point",
        "Four pairs of hosts with a link of their own each, and nothing between them: all that happens to alignment "
        "comes from the link.",
    ),
    "dumbbell": (
        "dumbbell",
        "Four flows of a data centre share one link of 10 Gbit/s. Here congestion controls, jumbo frames, an MTU that "
        "changes in mid-run and RNICs are looked at too.",
    ),
    "star": (
        "star, incast",
        "Fifteen hosts send to the sixteenth over one switch at once, whose queue of 100 packets overflows.",
    ),
    "parking-lot": (
        "parking lot",
        "Three bottlenecks in a row: one flow crosses all of them, each of the others one.",
    ),
    "leaf-spine": (
        "leaf-spine",
        "Eight flows across four leaves and four spines, four equal paths each; by flow, and packet by packet.",
    ),
    "fat-tree": (
        "fat tree",
        "Eight flows across a fat tree of switches with four ports (Al-Fares et al., SIGCOMM 2008), four equal paths "
        "between two pods; by flow, and packet by packet.",
    ),
    "abilene": (
        "Abilene",
        "Four flows across the backbone of Abilene, with the distances of its cities and links of 20 Mbit/s.",
    ),
    "wan": (
        "long link",
        "Four flows share 50 Mbit/s over 5,000 km of fibre, or by a geostationary satellite.",
    ),
    "file:nsfnet": (
        "network like NSFNET, from a file",
        "Four flows across a network that is read from a file, the graph like NSFNET's backbone of 1991 that the "
        "literature on routing has, with links of 20 Mbit/s.",
    ),
}  #: title and what is there

_BOX = {
    "middlebox": ["resegmenting"],
    "middlebox_place": ["receiver"],
    "PathResegmentingMiddlebox.MaxPayload": [700],
}
_BURSTS = {
    "impairment": ["gilbert-elliott"],
    "PathGilbertElliottImpairment.GoodToBad": [0.002],
    "PathGilbertElliottImpairment.BadToGood": [0.2],
}
_PROXY = [name for name in TOPOLOGIES if name != "point-to-point"]  #: where a router stands next to each host
_CENTRE = {"min_rto": "10ms", "delayed_ack": "1ms", "TcpSocket.ConnTimeout": "10ms"}
_CUTS = {"access_rate": "2500Mbps", "link_rate": "2500Mbps"}


def conditions(losses: list[float], incast_many: int) -> list[Grid]:
    """Return what is done to the paths in turn: on every network, then on those where it matters."""
    rnic = {"rnic": ["t5-like"], "Rnic.ReassemblyMemory.Capacity": [0], "loss": [0.0, 0.01]}
    return [
        {"loss": losses},
        {"reordering": [0.02]},
        _BOX,
        {**_BOX, "reordering": [0.02]},
        {"topology": _PROXY, "split_proxy": [True]},
        {"topology": ["dumbbell", "abilene"], "split_proxy": [True], "loss": losses[-1:]},
        {"topology": ["dumbbell"], "congestion_control": ["TcpNewReno", "TcpBbr"], "loss": [0.01]},
        {"topology": ["dumbbell", "star"], "congestion_control": ["TcpDctcp"], "queue_disc": ["threshold"]},
        {"topology": ["dumbbell"], "mtu": [9000], "loss": [0.01]},
        {"topology": ["dumbbell"], "link_schedule": ["2ms:mtu=1000,4ms:mtu=1500"], AHEAD: [0, 4096]},
        {"topology": ["dumbbell", "star"], **rnic},
        {"topology": ["dumbbell"], "flows": [incast_many], "host_pairs": [1], "octets": [6_000_000 // incast_many],
         **rnic},
        {"topology": ["parking-lot"], "cross_traffic": ["udp"], "cross_flows": [4], "cross_rate": ["500Mbps"]},
        {"topology": ["leaf-spine", "fat-tree"], "ecmp": ["random"]},
        {"topology": ["abilene", "wan"], **_BURSTS},
        {"topology": ["abilene"], "impairment": ["jitter"],
         "PathJitterImpairment.Delay": ["ns3::UniformRandomVariable[Min=0|Max=0.001]"]},
        {"topology": ["wan"], "satellite_hops": [1], "distance": [0]},
    ]  # fmt: skip


def special(octets: int, backbone: str, queue: str) -> dict[tuple[str, Any], dict[str, Any]]:
    """Return what goes with each topology.

    @param octets of a flow where several share links @param backbone rate of long links @param queue at them
    """
    fabric = {**_CENTRE, **_CUTS, "flows": 8, "octets": octets // 2}
    long = {"link_rate": backbone, "queue_size": queue, "reordering_delay": "2ms", "TcpSocket.ConnTimeout": "1s"}
    return {
        ("topology", "point-to-point"): {**_CENTRE, **_CUTS},
        ("topology", "dumbbell"): _CENTRE,
        ("topology", "star"): {
            **_CENTRE, "pattern": "incast", "flows": 1, "host_pairs": 8, "access_rate": "10Gbps", "queue_size": "100p",
            "octets": 4 * octets // 15, "marking_threshold": "20p",
        },
        ("topology", "parking-lot"): {**_CENTRE, **_CUTS},
        ("topology", "leaf-spine"): {**fabric, "hosts_per_leaf": 4},
        ("topology", "fat-tree"): fabric,
        ("topology", "abilene"): long,
        ("topology", "wan"): {**long, "link_rate": "50Mbps", "queue_size": "400p", "distance": 5000},
        ("topology", "file:nsfnet"): long,
    }  # fmt: skip


def condition(run: Mapping[str, Any]) -> str:
    """Return what is done to the paths of a run, in words: the same for the same, and only for that."""
    said = []
    if run["rnic"] != "none":
        said.append(f"RNIC {run['rnic']}")
    if run["host_pairs"] == 1 and run["pattern"] == "pairs":
        said.append(f"{run['flows']} connections of two hosts")
    if run["middlebox"] != "none":
        size = run.get("PathResegmentingMiddlebox.MaxPayload")
        cut = run["middlebox"] == "resegmenting" and size == size and size
        said.append(f"re-cut at {size:g} octets" if cut else f"middlebox {run['middlebox']}")
    if run["split_proxy"]:
        said.append("proxies split connections")
    if run["impairment"] != "random":
        said.append({"gilbert-elliott": "loss in bursts"}.get(run["impairment"], run["impairment"]))
    said += [
        f"{100 * run[name]:g} % {what}" for name, what in (("loss", "lost"), ("reordering", "reordered")) if run[name]
    ]
    if run["ecmp"] != "flow":
        said.append({"random": "packets at random over paths"}.get(run["ecmp"], f"packets over paths {run['ecmp']}"))
    if run["link_schedule"]:
        said.append("MTU changes" if "mtu=" in run["link_schedule"] else "links change")
    ahead = run.get(AHEAD)
    if ahead == ahead and ahead:
        said.append(f"FPDUs framed {ahead:,.0f} octets ahead")
    if run["mtu"] != 1500:
        said.append(f"MTU {run['mtu']}")
    if run["cross_traffic"] != "none":
        said.append(f"{run['cross_traffic'].upper()} beside")
    if run["congestion_control"] != "TcpCubic":
        name = run["congestion_control"].removeprefix("ns3::").removeprefix("Tcp")
        said.append(name.upper() if name in ("Bbr", "Dctcp") else name)
    if run["queue_disc"] != "none":
        said.append({"threshold": "queues that mark"}.get(run["queue_disc"], f"queues {run['queue_disc']}"))
    if run["satellite_hops"]:
        said.append("satellite" if run["satellite_hops"] == 1 else f"{run['satellite_hops']} satellites")
    return " + ".join(said) or UNDISTURBED
