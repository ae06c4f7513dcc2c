#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios have the same metrics in one process without MPI and in one, two and four ranks.

test/ranks-test.sh runs it. Each value is compared as it is printed, to the last digit, but ``events``: each rank has
some for itself. The scenarios are those below and the recorded ones (recorded_scenarios.py), of which those that ranks
cannot share out are refused by a parameter's name.

usage: ranks_scenarios.py TREE [NAME...], where TREE was built with --enable-mpi
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import recorded_scenarios
from iwarp.errors import IwarpError
from iwarp.runs import ranks

COUNTS = (1, 2, 4)
FEWEST_RECORDED = 40  #: recorded scenarios that ranks can share out
COMMON = {"PlainTcp": "false", "Octets": "0", "Duration": "1ms", "CableSpread": "100ns"}
LEAF_SPINE = {"Topology": "leaf-spine", "Leaves": "4", "Spines": "2", "HostsPerLeaf": "2", "Pattern": "permutation"}
LEAF_SPINE |= {"Delay": "1us", "AccessDelay": "500ns"}
BY_OCTETS = {"Octets": "300000", "Duration": "0s", "CheckInterval": "20us"}
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
    "leaf-spine, by octets, losses": LEAF_SPINE | BY_OCTETS | {"Workload": "rdma-write", "Loss": "0.01"},
    "fat-tree, by octets, t5-like": FAT_TREE | BY_OCTETS | {"Workload": "send", "Rnic": "t5-like"},
    "leaf-spine, some lost": LEAF_SPINE
    | BY_OCTETS
    | {"Loss": "0.2", "TolerateLost": "true", "DataRetries": "3", "MinRto": "1ms", "DelayedAck": "500us"}
    | {"CheckInterval": "50ms"},
}


def measure(settings: dict[str, str], tree: Path, count: int | None) -> dict[str, str]:
    """Return the metrics of a run as texts."""
    answer = ranks.execute(settings, tree, count)
    if "metrics" not in answer:
        raise IwarpError(str(answer))
    return {metric["name"]: repr(metric["value"]) for metric in answer["metrics"] if metric["name"] != "events"}


def checker(tree: Path) -> Callable[[dict[str, str]], str]:
    """Return what says by which parameter settings are refused; "" if they are not."""
    function = ctypes.CDLL(str(ranks.find_library(tree)), ctypes.RTLD_GLOBAL).iwarp_check_ranks
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t]

    def check(settings: dict[str, str]) -> str:
        texts = [text.encode() for pair in settings.items() for text in pair]
        return function((ctypes.c_char_p * len(texts))(*texts), len(texts)).decode()

    return check


def recorded() -> dict[str, dict[str, str]]:
    """Return the recorded scenarios, with the names of attributes, as ranks can run those that they can."""
    table = {}
    for name, params in recorded_scenarios.scenarios().items():
        settings = recorded_scenarios.as_attributes(params | {"plain_tcp": False})
        settings |= {"CableSpread": "100ns"} | ({} if "Duration" in settings else {"CheckInterval": "100us"})
        table[f"recorded: {name}"] = settings
    return table


def compare(name: str, settings: dict[str, str], tree: Path) -> int:
    """Compare a run in one process with runs in ranks; print and count the metrics that differ."""
    failed = 0
    alone = measure(settings, tree, None)
    if float(alone["payload_octets"]) <= 0:
        raise IwarpError("nothing came")
    for count in COUNTS:
        found = measure(settings, tree, count)
        for metric in sorted(alone.keys() | found.keys()):
            if alone.get(metric) != found.get(metric):
                failed += 1
                print(f"{name}, {count} ranks: {metric} is {found.get(metric)}, alone {alone.get(metric)}")
    return failed


def main() -> int:
    tree = Path(sys.argv[1])
    table = {name: COMMON | settings for name, settings in SCENARIOS.items()} | recorded()
    chosen = {name: table[name] for name in sys.argv[2:] or table}
    refusal = checker(tree)
    refused = {name: said for name, settings in chosen.items() if (said := refusal(settings))}
    failed = 0
    for name, settings in chosen.items():
        if said := refused.get(name):
            parameter = said.partition(":")[0]
            if not parameter.isidentifier() or not name.startswith("recorded: "):
                failed += 1
                print(f"{name}: refused, not by a parameter of a recorded scenario: {said}")
            continue
        try:
            failed += compare(name, settings, tree)
        except IwarpError as error:
            failed += 1
            print(f"{name}: {error}")
    compared = len(chosen) - len(refused)
    if chosen == table and compared < len(SCENARIOS) + FEWEST_RECORDED:
        failed += 1
        print(f"only {compared} were compared; refused: {refused}")
    answer = ranks.execute(COMMON | FAT_TREE | {"Mtu": "9000"}, tree, 2)
    if "Mtu" not in answer.get("error", ""):
        failed += 1
        print(f"jumbo frames are not refused: {answer}")
    print(f"{compared} scenarios, {failed} differences, {len(refused)} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
