#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios have the same metrics in one process without MPI and in one, two and four ranks.

test/ranks-test.sh runs it. Each value is compared as it is printed, to the last digit, but ``events``: each rank has
some for itself.

usage: ranks_scenarios.py TREE, which was built with --enable-mpi
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from iwarp.errors import IwarpError
from iwarp.runs import ranks

COUNTS = (1, 2, 4)
COMMON = {"PlainTcp": "false", "Octets": "0", "Duration": "1ms", "CableSpread": "100ns"}
LEAF_SPINE = {"Topology": "leaf-spine", "Leaves": "4", "Spines": "2", "HostsPerLeaf": "2", "Pattern": "permutation"}
LEAF_SPINE |= {"Delay": "1us", "AccessDelay": "500ns"}
FAT_TREE = {"Topology": "fat-tree", "Pattern": "permutation", "Delay": "1us", "AccessDelay": "500ns"}

#: by name
SCENARIOS = {
    "dumbbell": {"Flows": "4", "Delay": "20us"},
    "leaf-spine, writes": LEAF_SPINE | {"Workload": "rdma-write"},
    "leaf-spine, writes, losses": LEAF_SPINE | {"Workload": "rdma-write", "Loss": "0.01"},
    "leaf-spine, sends, t5-like": LEAF_SPINE | {"Workload": "send", "Rnic": "t5-like", "Reordering": "0.02"},
    "leaf-spine, incast, short queues": LEAF_SPINE | {"Pattern": "incast", "QueueSize": "20p", "Flows": "2"},
    "leaf-spine, DCTCP": LEAF_SPINE
    | {"CongestionControl": "TcpDctcp", "QueueDisc": "threshold", "MarkingThreshold": "30p", "Pattern": "all-to-all"},
    "leaf-spine, reads, IPv6": LEAF_SPINE | {"Workload": "rdma-read", "Ipv6": "true"},
    "leaf-spine, load": LEAF_SPINE | {"Workload": "rdma-write", "Load": "0.5", "MessageSizes": "fixed:20000"},
    "fat-tree": FAT_TREE,
    "fat-tree, losses": FAT_TREE | {"Loss": "0.005", "Workload": "rdma-write", "Alignment": "false"},
    "abilene": {"Topology": "abilene", "Flows": "4", "Duration": "60ms", "CableSpread": "1us"},
}


def measure(settings: dict[str, str], tree: Path, count: int | None) -> dict[str, str]:
    """Return the metrics of a run as texts."""
    answer = ranks.execute(settings, tree, count)
    if "metrics" not in answer:
        raise IwarpError(str(answer))
    return {metric["name"]: repr(metric["value"]) for metric in answer["metrics"] if metric["name"] != "events"}


def main() -> int:
    tree = Path(sys.argv[1])
    names = sys.argv[2:] or SCENARIOS
    failed = 0
    for name in names:
        settings = COMMON | SCENARIOS[name]
        try:
            alone = measure(settings, tree, None)
            if float(alone["payload_octets"]) <= 0:
                raise IwarpError("nothing came")
            for count in COUNTS:
                found = measure(settings, tree, count)
                for metric in sorted(alone.keys() | found.keys()):
                    if alone.get(metric) != found.get(metric):
                        failed += 1
                        print(f"{name}, {count} ranks: {metric} is {found.get(metric)}, alone {alone.get(metric)}")
        except IwarpError as error:
            failed += 1
            print(f"{name}: {error}")
    answer = ranks.execute(COMMON | FAT_TREE | {"Mtu": "9000"}, tree, 2)
    if "Mtu" not in answer.get("error", ""):
        failed += 1
        print(f"jumbo frames are not refused: {answer}")
    print(f"{len(names)} scenarios, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
