# SPDX-License-Identifier: GPL-2.0-only
"""On which networks, and in which conditions, the IPsec study looks at ESP; and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..parameters.quantity import human
from .networks import WITH_GATEWAYS, WITHOUT_GATEWAYS
from .parts import Part, spread_over

GCM = "aes-gcm-16-128"
PLACES = ("transport", "tunnel", "gateway", "nested")
UNDISTURBED = "nothing added"
PAIRS = 64  #: queue pairs whose contexts have little room
ROOM = "IpsecStack.MaxAssociations"
CONTEXTS = "EspEngine.AssociationCache.Entries"
IDLE = "IkeKeying.IdleTime"
ENTROPY = "ipsec_udp_entropy"  #: a source port of ESP in UDP for each flow
TOLD = (
    "ecmp", "ipsec_udp", ENTROPY, "ipv6", "flow_labels", "key_exchange", "association_packets", "reordering",
    "replay_window", "tunnel_dont_fragment", "tunnel_fragments", "dont_fragment", ROOM, IDLE,
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
    "queue_size": "200p",
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
    ENTROPY: False,
    "ipv6": False,
    "flow_labels": False,
    "key_exchange": False,
    "association_packets": 0,
    "tunnel_dont_fragment": "copy",
    "tunnel_fragments": "after",
    "dont_fragment": True,
    ROOM: 0,
    CONTEXTS: 0,
    IDLE: 0.0,
}

_FAST = {"link_rate": "40Gbps", "access_rate": "40Gbps", "send_buffer": 262144, "receive_buffer": 262144,
         "host_pairs": 1, "flows": 8}  # fmt: skip


_DRAWN = {"workload": "perf", "perf_order": "Random", "flows": 1, "perf_qp": PAIRS, "perf_size": 4096,
          "warm_up": 0}  #: messages of queue pairs that are drawn  # fmt: skip


def more(octets: int, crowd: int, losses: list[float], reduction: int) -> list[Part]:
    """Return the further parts: networks, other conditions, ciphers, engines, contexts, pauses, room.

    @param octets of a connection @param crowd connections that share a tenth as many associations
    @param losses besides none @param reduction of what is asked of all networks: one in so many combinations
    """
    dumbbell = {"octets": octets, "warm_up": octets}
    engines = {"ipsec": ["none", "transport"]}
    tunnels = {"ipsec": ["gateway"], "dont_fragment": [False]}
    churn = {"warm_up": 0, "host_pairs": 1, "key_exchange": True, "octets": 4000, "message_sizes": "fixed:2000",
             "intervals": "fixed:0.1", "start_spread": "100ms"}  # fmt: skip
    pauses = {"octets": octets // 10, "intervals": "fixed:0.05", "key_exchange": True, "warm_up": 0}
    asked = {"alignment": [True, False], "loss": [0.0, *losses], "mtu": [1500, 9000]}
    paths = {"topology": ["leaf-spine", "fat-tree"], "ipsec": ["none", "transport", "gateway"], "replay_window": [1024]}
    return [
        *_networks(asked, reduction),
        Part("an association a connection, and routers that hash it",
             {"topology": ["leaf-spine", "fat-tree"], "ipsec": ["none", "transport", "gateway"],
              "ecmp": ["flow", "flow-spi"], "ipsec_sharing": ["connection"]}),
        Part("source ports of UDP for flows", {**paths, "ipsec_udp": [True], ENTROPY: [True]}),
        Part("flow labels, and routers that hash them",
             {**paths, "ipv6": [True], "flow_labels": [True], "ecmp": ["flow-label"]}),
        Part("ESP in UDP", {"ipsec": ["none", *PLACES], "ipsec_udp": [True]}, dumbbell),
        Part("rekeying", {"ipsec": ["none", "transport", "gateway"], "association_packets": [300]},
             {"key_exchange": True, **dumbbell}),
        Part("reordering and the anti-replay window",
             {"ipsec": ["none", "transport", "gateway"], "reordering": [0.01], "replay_window": [64, 1024]}, dumbbell),
        Part("tunnels that cut", {**tunnels, "tunnel_dont_fragment": ["clear"], "tunnel_fragments": ["after", "before"],
                                  "alignment": [True, False]}, dumbbell),
        Part("tunnels that cut, without", {"ipsec": ["none"], "dont_fragment": [False], "alignment": [True, False]},
             dumbbell),
        Part("ciphers", {"ipsec": ["none", "transport"],
                         "cipher": ["null/hmac-sha1-96", "aes-cbc-128/hmac-sha1-96", "aes-cbc-256/hmac-sha2-256-128",
                                    "chacha20-poly1305"]}, dumbbell),
        Part("engines", {**engines, "rnic": ["t5-like", "e810-like"],
                         "esp_engine": ["inline", "t6-like", "connectx6dx-like", "qat-like"]},
             {**_FAST, "octets": octets // 2}),
        Part("engines", {**engines, "rnic": ["siw-like"], "esp_engine": ["inline", "aesni-like", "qat-like"],
                         "cipher": [GCM, "aes-cbc-128/hmac-sha1-96"]}, {**_FAST, "octets": octets // 2}),
        Part("contexts on chip", {"ipsec": ["transport"], "esp_engine": ["connectx6dx-like"],
                                  CONTEXTS: [0, PAIRS // 4, PAIRS, 3 * PAIRS // 2]},
             {**_FAST, **_DRAWN, "octets": octets // 2, "perf_iterations": octets // 20_000,
              "ipsec_sharing": "connection"}),
        Part("idle deletion", {"ipsec": ["transport", "gateway"], IDLE: [0.0, 0.02]}, pauses),
        Part("room for associations", {"flows": [crowd], "ipsec": ["none", "transport"],
                                       "ipsec_sharing": ["connection"], ROOM: [0, crowd // 10]}, churn),
    ]  # fmt: skip


def _networks(asked: Mapping[str, list[Any]], reduction: int) -> list[Part]:
    """Return what is asked of all networks: ESP alone, then senders, loss and MTUs; without tunnels of gateways where
    there is no router, or one.
    """
    parts = []
    for networks, places in ((WITH_GATEWAYS, PLACES), (WITHOUT_GATEWAYS, PLACES[:2])):
        arms = {"ipsec": ["none", *places]}
        alone = {name: levels[:1] for name, levels in asked.items()}
        parts.append(Part("networks, nothing else added", {"topology": networks, **alone, **arms}))
        parts += spread_over("networks, senders, loss and MTUs", networks, asked, arms, reduction=reduction)
    return parts


def condition(run: Mapping[str, Any]) -> str:
    """Return what is done to the paths and associations of a run, in words: the same for the same."""
    said = []
    if run["ecmp"] != "flow":
        hashed = {"flow-spi": "routers hash the SPI", "flow-label": "routers hash flow labels of IPv6"}
        said.append(hashed.get(run["ecmp"], f"packets over paths {run['ecmp']}"))
    if run["ipsec_udp"]:
        said.append("ESP in UDP, a source port for each flow" if run[ENTROPY] else "ESP in UDP")
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
