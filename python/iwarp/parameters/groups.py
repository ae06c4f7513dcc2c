# SPDX-License-Identifier: GPL-2.0-only
"""Which group of a list a parameter belongs to, for people who look for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .schema import Param

#: title by name, in the order of the list, and what the names or targets of its parameters begin with
GROUPS: Mapping[str, tuple[str, str]] = {
    "workload": ("What is sent",
        r"workload|flows|duration|start_spread|spread_starts|plain_tcp|Iwarp\w*Workload|Rdma|App|Cdf|Perf|Roce"),
    "network": (
        "The network",
        r"topology|ecmp|ipv6|flow_labels|pattern|incast_senders|host_pairs|cable_spread|link_schedule|"
        r"Iwarp\w*Topology|IwarpNetwork"
    ),
    "path": ("What happens on the path",
        r"impairment|reordering_delay|middlebox|split_proxy|cross_|Path|TcpSplit|BitError"),
    "tls": ("TLS", r"Tls"),
    "mpa": ("MPA, DDP and RDMAP", r"MpaStream|MpaTcpSocket\.(Alignment|Packing)|Mpa(?!Tcp)|Ddp|Rdmap|Iwarp\w*Stream"),
    "tcp": ("TCP", r"congestion_control|tcp_profile|window_|Tcp|MpaTcp|Rfc9293"),
    "rnic": ("The RNIC", r"rnic|esp_engine|Rnic|Esp"),
    "ipsec": ("IPsec", r"ipsec|cipher|replay_window|extended_sequence|key_exchange|association_|Ipsec|Ike"),
    "run": ("The run", r"seed|run|check_interval|time_limit|pcap|tolerate_lost"),
    "other": ("Other classes", r""),
}  # fmt: skip


def group_of(param: Param) -> str:
    """Return the name of a parameter's group."""
    key = param.target or param.name
    return next(name for name, (_, pattern) in GROUPS.items() if re.match(pattern, key))


def grouped(params: Iterable[Param]) -> dict[str, list[Param]]:
    """Return parameters by groups, in the order of the groups; none is empty."""
    found: dict[str, list[Param]] = {name: [] for name in GROUPS}
    for param in params:
        found[group_of(param)].append(param)
    return {name: members for name, members in found.items() if members}
