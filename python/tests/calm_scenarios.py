# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios that come to their end: whatever is drawn here together, all that is sent has to arrive.

Paths lose little, links come back, memories hold a window, no time runs out. What does not go together is refused when
the scenario is checked, which is one of the ends that are right.
"""

from __future__ import annotations

import random
from typing import Any

Draw = dict[str, list[Any]]

MESSAGES = ("mpa", "rdma-write", "rdma-read", "send")  #: workloads that move Octets in messages
ROCE = ("go-back-n", "selective-repeat")  #: without TCP, and without content

# a list holds what is drawn, as often as it stands there
ALWAYS: Draw = {
    "workload": [*MESSAGES, *MESSAGES, *MESSAGES, "storage", "storage", "nvme-tcp", "perf", "perf", "rounds", *ROCE],
    "octets": [1, 1000, 3000, 20_000, 60_000, 150_000],
    "flows": [1, 1, 1, 2, 2, 3],
    "ipv6": [False, True],
    "topology": ["dumbbell", "dumbbell", "leaf-spine", "leaf-spine", "abilene", "star", "parking-lot", "fat-tree",
                 "wan", "point-to-point"],
    "seed": [1, 2, 3, 4, 5],
    "plain_tcp": [False] * 5 + [True],
    "backed": [False, True],
}  # fmt: skip

# what a run takes time for, or cannot do without
FIXED = {
    "leaves": 2, "spines": 2, "hosts_per_leaf": 4, "bottlenecks": 2, "perf_iterations": 20, "time_limit": "100s",
}  # fmt: skip

# groups of which some are drawn, each parameter of them in half of the cases
PATH: Draw = {
    "loss": [0.002, 0.01, 0.02, 0.05],
    "reordering": [0.02, 0.1, 0.2],
    "duplication": [0.02, 0.2],
    "reordering_delay": ["50us", "900us", "5ms"],
    "impairment_place": ["sender", "core", "receiver"],
    "impairment_direction": ["data", "acks", "both"],
}
LINKS: Draw = {
    "link_rate": ["100Mbps", "1Gbps", "100Gbps"],
    "delay": ["0s", "1us", "1ms"],
    "mtu": [9000, 1280, 4000, 1320, 1001],
    "queue_size": ["20p", "100p"],
    "queue_disc": ["red", "codel", "fq-codel", "pie", "threshold"],
    "ecn": ["On"],
    "framing": ["ppp"],
    "ecmp": ["random", "round-robin"],
}
CHANGES: Draw = {
    "link_schedule": ["1500us:mtu=1400", "1200us:mtu=1280,3ms:mtu=1500", "1100us:rate=1Gbps", "1300us:down,4ms:up",
                      "1200us:delay=1ms", "1200us:mtu=576", "1200us:mtu=600", "1200us:mtu=1000"],
    "link_schedule_place": ["sender", "core", "receiver"],
    "dont_fragment": [False],
    "mtu_probing": ["BlackHole", "Always"],
}  # fmt: skip
STREAM: Draw = {
    "markers": [False],
    "crc": [False],
    "alignment": [False],
    "packing": [False],
    "out_of_order": [False],
    "dynamic_mulpdu": [True],
    "message_sizes": ["fixed:100", "fixed:1460", "fixed:65536", "ns3::ExponentialRandomVariable[Mean=3000]"],
    "queue_depth": [1, 2, 100],
    "RdmaConnection.RtrSend": [True],
    "RdmaConnection.RtrRead": [False],
    "RdmaConnection.RtrWrite": [False],
    "MpaStream.SilentDrop": [True],
}
TCP: Draw = {
    "congestion_control": ["TcpNewReno", "TcpDctcp", "TcpLinuxReno", "TcpBbr"],
    "timestamps": [False],
    "sack": [False],
    "rack": [True],
    "dsack": [True],
    "no_delay": [False],
    "receive_buffer": [20_000, 65_536],
    "send_buffer": [20_000, 65_536],
    "min_rto": ["10ms"],
    "delayed_ack": ["1ms"],
    "receive_window": ["Retired"],
}
HOSTS: Draw = {
    "rnic": ["ideal", "t5-like", "e810-like", "siw-like"],
    "pattern": ["incast", "permutation"],
    "incast_senders": [2, 3],
    "host_pairs": [1],
    "start_spread": ["0s", "3ms", "10ms"],
    "warm_up": [3000],
    "duration": ["3ms"],
    "split_proxy": [True],
    "cross_traffic": ["udp", "tcp"],
    "middlebox": ["resegmenting"],
    "PathResegmentingMiddlebox.MaxPayload": [500, 1000],
}
TESTS: Draw = {
    "perf_test": ["write_bw", "write_lat", "read_bw", "read_lat", "send_bw", "send_lat", "atomic_bw", "atomic_lat"],
    "perf_size": [1, 8, 1460, 20_000],
    "perf_qp": [2, 3],
    "perf_order": ["Random"],
    "perf_warm_up": [3],
    "storage_inline_threshold": [0, 100_000],
    "storage_read_share": [0.0, 1.0],
    "nvme_read_share": [0.0, 1.0],
    "nvme_in_capsule_size": [0, 65_536],
    "nvme_header_digest": [False],
    "nvme_data_digest": [False],
    "nvme_queues": [2, 5],
    "nvme_admin_queue": [False],
    "nvme_protocol": ["ns3::TcpSocketFactory"],
}
IPSEC: Draw = {
    "ipsec_real": [True],
    "cipher": ["null/hmac-sha1-96", "aes-cbc-128/hmac-sha2-256-128", "chacha20-poly1305", "aes-ctr-256/hmac-sha1-96"],
    "ipsec_sharing": ["policy", "connection"],
    "replay_window": [0, 1024],
    "extended_sequence": [True],
    "ipsec_udp": [True],
    "key_exchange": [True],
    "esp_engine": ["inline", "lookaside", "software"],
    "tunnel_dont_fragment": ["set", "clear"],
    "tunnel_fragments": ["before"],
}
KEYS: Draw = {
    "association_packets": [200],
    "association_octets": [200_000],
    "association_time": ["50ms"],
    "IkeKeying.IdleTime": ["10ms", "100ms"],
    "IkeKeying.ForwardSecrecy": [True],
}
# what an adversary does on the path of ESP that loses nothing: he forges, and repeats
ACTS: Draw = {
    "PathAdversaryMiddlebox.Repeat": [0.001, 0.05],
    "PathAdversaryMiddlebox.ResetOutside": [0.01],
    "PathAdversaryMiddlebox.ResetInside": [0.01],
    "PathAdversaryMiddlebox.ResetExact": [0.001, 0.02],
    "PathAdversaryMiddlebox.ForgeData": [0.001, 0.02],
    "PathAdversaryMiddlebox.RepeatIke": [0.1],
    "PathAdversaryMiddlebox.RepeatOldEsp": [0.01],
}
PLACES = ["transport", "tunnel", "gateway", "nested"]


def draw_calm(seed: int) -> dict[str, Any]:
    """Return the parameters of a scenario."""
    rng = random.Random(f"calm {seed}")
    given = FIXED | {name: rng.choice(values) for name, values in ALWAYS.items()}
    for group in rng.sample([PATH, LINKS, CHANGES, STREAM, TCP, HOSTS, TESTS], rng.choice([0, 1, 2, 2, 3, 4])):
        _draw_group(group, given, rng)
    if given["workload"] == "perf":
        _draw_group(TESTS, given, rng)
    if rng.random() < 0.5 and given["workload"] not in ROCE:
        given["ipsec"] = rng.choice(PLACES)
        given.pop("split_proxy", None)
        _draw_group(IPSEC, given, rng)
        if rng.random() < 0.3:
            _draw_group(CHANGES, given, rng)
        if given.get("key_exchange"):
            _draw_group(KEYS, given, rng)
    _reconcile(given)
    adversary = random.Random(f"adversary {seed}")
    if given.get("ipsec") in ("transport", "tunnel") and "middlebox" not in given and adversary.random() < 0.5:
        _draw_group(ACTS, given, adversary)
        given["middlebox"] = "adversary"
    if given["topology"] == "star":  # nothing is between routers
        for what in ("link_schedule", "impairment", "middlebox"):
            if what in given or f"{what}_place" in given:
                place = given.get(f"{what}_place", "receiver")
                given[f"{what}_place"] = "receiver" if place == "core" else place
    return given


def _draw_group(group: Draw, given: dict[str, Any], rng: random.Random) -> None:
    names = list(group)
    for name in rng.sample(names, rng.randint(1, max(1, len(names) // 2))):
        given[name] = rng.choice(group[name])


def _reconcile(given: dict[str, Any]) -> None:
    """Change what would be refused, or be no fault where it fails."""
    if given["workload"] in ROCE:
        given["backed"] = False
        given.pop("split_proxy", None)
    if given["workload"] in (*ROCE, "rounds"):
        given["plain_tcp"] = False
    schedule = given.get("link_schedule", "")
    if given["ipv6"] and any(f"mtu={mtu}" in schedule for mtu in (576, 600, 1000)):
        given["link_schedule"] = "1200us:mtu=1280"
    if given["workload"] in ROCE and "mtu=" in schedule:  # their queue pairs keep it
        given.pop("link_schedule")
    if given["ipv6"] and given.get("mtu") == 1001:
        given["mtu"] = 1280
    if given.get("ipsec") in ("gateway", "nested") and given["topology"] in ("star", "point-to-point"):
        given["topology"] = "dumbbell"  # there have to be two routers
    if "duration" in given:
        given.pop("warm_up", None)
    if given.get("replay_window") == 0:
        given.pop("extended_sequence", None)
    if "association_time" in given and given["topology"] in ("abilene", "wan"):
        # a successor is due with a fifth left: above two round trips, or four where that of one waits for the other's
        given["association_time"] = "2010ms" if given.get("ipsec") == "nested" else "1250ms"
    if "IkeKeying.IdleTime" in given:  # what is lost of a window has each round trip wait for a pair
        given["IpsecStack.MaxWaiting"] = 1000
    if given.get("key_exchange") and "loss" in given:  # a SYN that waits 4 s has TCP send again after 12 s
        given["IkeKeying.Retry"] = "500ms"
    if "IkeKeying.IdleTime" in given and "loss" in given:  # many messages of key exchange are lost and waited for
        given["time_limit"] = "1000s"
        given.pop("mtu_probing", None)  # that would seem a black hole
    if given["workload"] == "rounds":  # 1,500 of 100 octets, of a round trip each
        given["time_limit"] = "1000s"
    if "cross_traffic" in given:  # it goes on for as long as the flows may take
        given |= {"cross_rate": "20Mbps", "time_limit": "100s" if "loss" in given else "30s"}
    if given.get("cross_traffic") == "tcp":
        given["access_rate" if given["topology"] == "star" else "link_rate"] = "100Mbps"  # it sends all it can
    if "min_rto" in given:
        given["delayed_ack"] = "1ms"
    if given.get("RdmaConnection.RtrRead") is False and given.get("RdmaConnection.RtrWrite") is False:
        given["RdmaConnection.RtrSend"] = True  # one of them has to be there
    if given["plain_tcp"] and "mtu=" in given.get("link_schedule", ""):
        given["plain_tcp"] = False  # ns-3's own TCP knows no path MTU
    if "incast_senders" in given and given.get("pattern") != "incast":
        given["pattern"] = "incast"
    if given["workload"] in ROCE and "pattern" in given:
        given.pop("warm_up", None)  # with no congestion control, most of what all send is sent again
    if "warm_up" in given and "pattern" in given:  # those that are near send until the farthest is warm
        given["access_rate"] = "100Mbps"
        given.setdefault("message_sizes", "fixed:65536")  # which counts as a whole, and may be of megaoctets
    if "warm_up" in given and "loss" in given and given["workload"] in MESSAGES:
        given |= {"access_rate": "5Mbps", "link_rate": "50Mbps"}  # a lost SYN comes again after 3 s, and 6 more
        if "cross_traffic" in given:
            given["cross_rate"] = "1Mbps"
    if given["workload"] == "perf" and "pattern" in given:
        given.setdefault("perf_size", 1460)  # all hosts test at once, through one link with incast
    if given.get("mtu") == 9000 and "mtu=" in given.get("link_schedule", ""):
        given["mtu"] = 4000  # an RNIC's memory has room for parts of FPDUs of all connections
    if given.get("cross_traffic") == "tcp" and given["topology"] in ("abilene", "wan"):
        given["receive_buffer"] = 65_536  # ns-3's TCP looks through all that is in flight for what it sends again
    if given.get("ipsec_sharing") == "connection":
        given.pop("dont_fragment", None)  # fragments overtake the first, which has the ports, on other paths for ever
