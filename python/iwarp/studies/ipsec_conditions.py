# SPDX-License-Identifier: GPL-2.0-only
"""On which networks, and in which conditions, the IPsec study looks at ESP; and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..parameters.quantity import human

Grid = dict[str, list[Any]]

GCM = "aes-gcm-16-128"
PLACES = ("transport", "tunnel", "gateway", "nested")
UNDISTURBED = "nothing added"
PAIRS = 64  #: queue pairs whose contexts have little room
ROOM = "IpsecStack.MaxAssociations"
CONTEXTS = "EspEngine.AssociationCache.Entries"
IDLE = "IkeKeying.IdleTime"
TOLD = (
    "ecmp", "ipsec_udp", "key_exchange", "association_packets", "reordering", "replay_window", "tunnel_dont_fragment",
    "tunnel_fragments", "dont_fragment", ROOM, IDLE,
)  #: parameters, each value of which condition() calls by a name of its own  # fmt: skip

BASE = {
    "topology": "dumbbell",
    "rnic": "e810-like",
    "esp_engine": "inline",
    "cipher": GCM,
    "ipsec_sharing": "hosts",
    "flows": 4,
    "host_pairs": 0,
    "workload": "mpa",
    "message_sizes": "ns3::ExponentialRandomVariable[Mean=8192]",
    "alignment": True,
    "loss": 0.0,
    "mtu": 1500,
    "link_rate": "10Gbps",
    "access_rate": "10Gbps",
    "delay": "20us",
    "queue_size": "2000p",
    "send_buffer": 131072,
    "receive_buffer": 131072,
    "min_rto": "10ms",
    "delayed_ack": "1ms",
    "plain_tcp": False,
    "spread_starts": True,
    "ecmp": "flow",
    "reordering": 0.0,
    "reordering_delay": "1ms",
    "replay_window": 64,
    "ipsec_udp": False,
    "key_exchange": False,
    "association_packets": 0,
    "tunnel_dont_fragment": "copy",
    "tunnel_fragments": "after",
    "dont_fragment": True,
    ROOM: 0,
    CONTEXTS: 0,
    IDLE: 0.0,
}

_FAST = {"link_rate": ["40Gbps"], "access_rate": ["40Gbps"], "send_buffer": [262144], "receive_buffer": [262144],
         "host_pairs": [1], "flows": [8]}  # fmt: skip


def special(topologies: Mapping[str, int]) -> dict[tuple[str, Any], dict[str, Any]]:
    """Return what goes with each topology but the dumbbell. @param topologies hosts of a leaf."""
    return {
        ("topology", "leaf-spine"): {"leaves": 4, "spines": 2, "hosts_per_leaf": topologies["leaf-spine"]},
        ("topology", "wan"): {
            "link_rate": "50Mbps", "distance": 2000, "queue_size": "400p", "min_rto": "200ms", "delayed_ack": "40ms",
            "reordering_delay": "100ms",
        },
    }  # fmt: skip


_DRAWN = {"workload": ["perf"], "perf_order": ["Random"], "flows": [1], "perf_qp": [PAIRS], "perf_size": [4096],
          "warm_up": [0]}  #: messages of queue pairs that are drawn  # fmt: skip


def more(octets: int, crowd: int, losses: list[float]) -> list[Grid]:
    """Return the further grids: a single link, other MTUs, conditions, ciphers, engines, contexts, pauses, room.

    @param octets of a connection @param crowd connections that share a tenth as many associations
    @param losses besides none
    """
    engines = {**_FAST, "ipsec": ["none", "transport"], "octets": [octets // 2]}
    tunnels = {"ipsec": ["gateway"], "octets": [octets], "dont_fragment": [False]}
    churn = {"flows": [crowd], "host_pairs": [1], "ipsec_sharing": ["connection"], "key_exchange": [True],
             "ipsec": ["none", "transport"], "octets": [4000], "message_sizes": ["fixed:2000"],
             "intervals": ["fixed:0.1"], "start_spread": ["100ms"], "warm_up": [0]}  # fmt: skip
    pauses = {"octets": [octets // 10], "intervals": ["fixed:0.05"], "key_exchange": [True], "warm_up": [0],
              "ipsec": ["transport", "gateway"]}  # fmt: skip
    paths = {"topology": ["leaf-spine"], "ipsec": ["none", "transport", "gateway"], "octets": [octets]}
    return [
        {**paths, "ecmp": ["flow", "flow-spi"], "ipsec_sharing": ["connection"]},
        {"topology": ["point-to-point"], "ipsec": ["none", "transport", "tunnel"], "alignment": [True, False],
         "loss": [0.0, *losses], "octets": [octets]},
        {"topology": ["point-to-point"], "ipsec": ["none", "transport", "tunnel"], "octets": [octets], "mtu": [9000]},
        {"topology": ["dumbbell", "leaf-spine", "wan"], "ipsec": ["none", *PLACES], "octets": [octets], "mtu": [9000]},
        {"ipsec": ["none", *PLACES], "octets": [octets], "ipsec_udp": [True]},
        {"ipsec": ["none", "transport", "gateway"], "octets": [octets], "key_exchange": [True],
         "association_packets": [300]},
        {"ipsec": ["none", "transport", "gateway"], "octets": [octets], "reordering": [0.01],
         "replay_window": [64, 1024]},
        {**tunnels, "tunnel_dont_fragment": ["clear"], "tunnel_fragments": ["after", "before"],
         "alignment": [True, False]},
        {"ipsec": ["none"], "octets": [octets], "dont_fragment": [False], "alignment": [True, False]},
        {"ipsec": ["none", "transport"], "octets": [octets],
         "cipher": ["null/hmac-sha1-96", "aes-cbc-128/hmac-sha1-96", "aes-cbc-256/hmac-sha2-256-128",
                    "chacha20-poly1305"]},
        {**engines, "rnic": ["t5-like", "e810-like"],
         "esp_engine": ["inline", "t6-like", "connectx6dx-like", "qat-like"]},
        {**engines, "rnic": ["siw-like"], "esp_engine": ["inline", "aesni-like", "qat-like"],
         "cipher": [GCM, "aes-cbc-128/hmac-sha1-96"]},
        {**engines, **_DRAWN, "ipsec": ["transport"], "perf_iterations": [octets // 20_000],
         "ipsec_sharing": ["connection"], "esp_engine": ["connectx6dx-like"],
         CONTEXTS: [0, PAIRS // 4, PAIRS, 3 * PAIRS // 2]},
        {**pauses, IDLE: [0.0, 0.02]},
        {**churn, ROOM: [0, crowd // 10]},
    ]  # fmt: skip


def condition(run: Mapping[str, Any]) -> str:
    """Return what is done to the paths and associations of a run, in words: the same for the same."""
    said = []
    if run["ecmp"] != "flow":
        said.append({"flow-spi": "routers hash the SPI"}.get(run["ecmp"], f"packets over paths {run['ecmp']}"))
    if run["ipsec_udp"]:
        said.append("ESP in UDP")
    if run["association_packets"]:
        said.append(f"rekeyed within {run['association_packets']:,} packets")
    elif run["key_exchange"]:
        said.append("keys by messages")
    if run[IDLE]:
        said.append(f"deleted after {human(run[IDLE], 's')} idle")
    if run[ROOM]:
        said.append(f"room for {run[ROOM]:,} associations")
    if run["reordering"]:
        said.append(f"{100 * run['reordering']:g} % reordered, window of {run['replay_window']:,}")
    if not run["dont_fragment"]:
        said.append("fragments allowed")
    if run["tunnel_dont_fragment"] != "copy":
        said.append(f"tunnels cut {run['tunnel_fragments']} ESP")
    return ", ".join(said) or UNDISTURBED
