# SPDX-License-Identifier: GPL-2.0-only
"""In which conditions of paths the alignment study looks, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .networks import WITH_ROUTERS
from .parts import Part

UNDISTURBED = "nothing added"
AHEAD = "MpaStream.FramingAhead"
TOLD = (
    "loss", "reordering", "mtu", "congestion_control", "queue_disc", "rnic", "ecmp", "satellite_hops", "cross_traffic",
    "middlebox", "split_proxy", "impairment", AHEAD,
)  #: parameters, each value of which condition() calls by a name of its own  # fmt: skip

BOX = {
    "middlebox": ["resegmenting"],
    "middlebox_place": ["receiver"],
    "PathResegmentingMiddlebox.MaxPayload": [700],
}
BURSTS = {
    "impairment": ["gilbert-elliott"],
    "PathGilbertElliottImpairment.GoodToBad": [0.002],
    "PathGilbertElliottImpairment.BadToGood": [0.2],
}


def conditions(losses: list[float], incast_many: int) -> list[Part]:
    """Return what is done to the paths in turn: on every network, then on those where it matters."""
    rnic = {"rnic": ["t5-like"], "Rnic.ReassemblyMemory.Capacity": [0], "loss": [0.0, 0.01]}
    dumbbell = {"topology": ["dumbbell"]}
    return [
        Part("loss", {"loss": losses}),
        Part("reordering", {"reordering": [0.02]}),
        Part("boxes that cut segments", BOX),
        Part("boxes that cut segments, with reordering", {**BOX, "reordering": [0.02]}),
        Part("proxies that split connections", {"topology": WITH_ROUTERS, "split_proxy": [True]}),
        Part("proxies with loss", {"topology": ["dumbbell", "abilene"], "split_proxy": [True], "loss": losses[-1:]}),
        Part("NewReno and BBR", {**dumbbell, "congestion_control": ["TcpNewReno", "TcpBbr"], "loss": [0.01]}),
        Part("DCTCP over queues that mark",
             {"topology": ["dumbbell", "star"], "congestion_control": ["TcpDctcp"], "queue_disc": ["threshold"]}),
        Part("jumbo frames", {**dumbbell, "mtu": [9000], "loss": [0.01]}),
        Part("an MTU that changes", {**dumbbell, "link_schedule": ["2ms:mtu=1000,4ms:mtu=1500"], AHEAD: [0, 4096]}),
        Part("RNICs", {"topology": ["dumbbell", "star"], **rnic}),
        Part("many connections of two hosts", {**dumbbell, "flows": [incast_many], "host_pairs": [1], **rnic},
             {"octets": 6_000_000 // incast_many}),
        Part("UDP beside the flows",
             {"topology": ["parking-lot"], "cross_traffic": ["udp"], "cross_flows": [4], "cross_rate": ["500Mbps"]}),
        Part("packets at random over equal paths", {"topology": ["leaf-spine", "fat-tree"], "ecmp": ["random"]}),
        Part("loss in bursts", {"topology": ["abilene", "wan"], **BURSTS}),
        Part("jitter", {"topology": ["abilene"], "impairment": ["jitter"],
                        "PathJitterImpairment.Delay": ["ns3::UniformRandomVariable[Min=0|Max=0.001]"]}),
        Part("a satellite", {"topology": ["wan"], "satellite_hops": [1], "distance": [0]}),
    ]  # fmt: skip


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
