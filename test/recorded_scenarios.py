#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios run as they did when recorded: each pcap octet for octet, and each metric.

The table test/data/recorded-scenarios.json has, for each scenario below, the SHA-256 of all its pcap files and every
metric. A change that means to keep behaviour leaves it alone; one that corrects a figure writes it anew, and its diff
shows which figures moved.

usage: recorded_scenarios.py [--write] [NAME...]
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).parent / "data" / "recorded-scenarios.json"
TOLERANCE = 1e-9  # of a figure: the last digits depend on the compiler

LOSSY = {"loss": 0.01}
WORKLOADS = ("mpa", "rdma-write", "rdma-read", "send", "storage", "perf")
PERF_TESTS = ("write_bw", "write_lat", "read_bw", "read_lat", "send_bw", "send_lat", "atomic_bw", "atomic_lat")
PROFILES = ("ideal", "t5-like", "e810-like", "siw-like")


def scenarios() -> dict[str, dict]:
    """Return each scenario's parameters by name."""
    table: dict[str, dict] = {}

    def add(name: str, **params) -> None:
        assert name not in table
        table[name] = {"octets": 200_000, "plain_tcp": False, "perf_iterations": 50} | params

    for workload in WORKLOADS:
        add(f"{workload}", workload=workload)
        add(f"{workload}, loss", workload=workload, flows=2, seed=2, **LOSSY)
        add(f"{workload}, t5-like, IPv6", workload=workload, rnic="t5-like", ipv6=True, flows=2)
    add("plain TCP beside", plain_tcp=True, **LOSSY)
    add("backed, all impairments", backed=True, flows=2, loss=0.01, reordering=0.05, duplication=0.02)
    for profile in PROFILES:
        add(f"{profile}, loss, unaligned", rnic=profile, alignment=False, seed=3, workload="rdma-write", **LOSSY)
        add(
            f"{profile}, reordering", rnic=profile, reordering=0.1, flows=3, workload="send", message_sizes="fixed:5000"
        )
    for test in PERF_TESTS:
        add(f"perf {test}", workload="perf", perf_test=test, rnic="t5-like")
    add("perf, small writes, e810-like", workload="perf", perf_test="write_bw", perf_size=16, rnic="e810-like")
    add("perf, software, IPv6", workload="perf", perf_test="send_lat", rnic="siw-like", ipv6=True)

    add("abilene", topology="abilene", flows=4)
    add("abilene, loss, IPv6", topology="abilene", flows=4, ipv6=True, workload="rdma-write", **LOSSY)
    add("abilene, storage, t5-like", topology="abilene", flows=2, workload="storage", rnic="t5-like")
    add("abilene, reads, reordering", topology="abilene", flows=2, workload="rdma-read", reordering=0.05)

    nvme = {"workload": "nvme-tcp", "message_sizes": "fixed:20000"}
    add("nvme-tcp", **nvme)
    add("nvme-tcp, loss, unaligned, backed", **nvme, flows=2, seed=2, alignment=False, backed=True, **LOSSY)
    add("nvme-tcp, ns-3's TCP, IPv6, queues", **nvme, ipv6=True, nvme_protocol="ns3::TcpSocketFactory", nvme_queues=3)

    add("no Markers", markers=False, **LOSSY)
    add("no CRC", crc=False)
    add("unaligned", alignment=False, **LOSSY)
    add("unaligned without Markers", alignment=False, markers=False, reordering=0.05)
    add("no packing", packing=False, message_sizes="fixed:200")
    add("packing", message_sizes="fixed:200", reordering=0.05)
    add("dynamic MULPDU", dynamic_mulpdu=True, message_sizes="fixed:9000")
    add("in order only", out_of_order=False, reordering=0.1)
    add("little reassembly memory", alignment=False, reassembly_memory=6000, reordering=0.2)
    add("IPv6, jumbo frames", ipv6=True, mtu=9000, octets=1_000_000, workload="rdma-write")
    add("least MTU", mtu=576, workload="send", **LOSSY)
    add("no SACK", sack=False, octets=400_000, **LOSSY)
    add("no timestamps", timestamps=False, **LOSSY)
    add("Nagle", no_delay=False, message_sizes="fixed:300")
    add("narrow window", receive_buffer=8192, send_buffer=16384, message_sizes="fixed:3000")
    add("short queue", queue_size="5p", access_rate="100Gbps", octets=1_000_000)
    add("NewReno", congestion_control="TcpNewReno", octets=400_000, **LOSSY)
    add("BBR", congestion_control="TcpBbr", octets=400_000, **LOSSY)
    add("DCTCP", congestion_control="TcpDctcp", octets=400_000, **LOSSY)
    add("window by rate", window_rate="10Gbps", window_rtt="104us", workload="rdma-write", octets=1_000_000)
    add(
        "window by retirement",
        receive_window="retired",
        rnic="t5-like",
        **{"Rnic.HostInterface.WriteRate": "7.5Gbps"},
        octets=2_000_000,
        workload="rdma-write",
    )
    add(
        "RNIC memory",
        rnic="t5-like",
        **{"Rnic.ReassemblyMemory.Capacity": 20_000},
        alignment=False,
        markers=False,
        reordering=0.2,
        flows=3,
        host_pairs=1,
    )
    add(
        "RNIC caches",
        rnic="t5-like",
        **{f"Rnic.{cache}.Entries": 4 for cache in ("ContextCache", "TranslationCache")},
        **{f"Rnic.{cache}.Replacement": "Random" for cache in ("ContextCache", "TranslationCache")},
        flows=12,
        host_pairs=1,
        workload="rdma-write",
        message_sizes="fixed:4000",
        octets=40_000,
    )
    interrupts = {"Rnic.HostInterface.Notify": "Interrupt", "Rnic.HostInterface.InterruptTime": "3us"}
    add("RNIC, interrupts", rnic="t5-like", workload="send", **interrupts)
    add("many connections", flows=64, host_pairs=2, rnic="e810-like", octets=20_000, workload="send")
    add(
        "intervals",
        intervals="ns3::ExponentialRandomVariable[Mean=0.00002]",
        message_sizes="cdf:alistorage2019",
        flows=3,
    )
    add("for a time", octets=0, duration="2ms", flows=2, workload="rdma-write", **LOSSY)
    incast = {"topology": "leaf-spine", "leaves": 3, "hosts_per_leaf": 3, "pattern": "incast", "delay": "2us"}
    marking = {"queue_disc": "threshold", "queue_size": "900000B", "marking_threshold": "300000B"}
    pauses = {"pfc_xoff": 30_000, "pfc_xon": 15_000}
    long = {"workload": "go-back-n", "IwarpRoceWorkload.Window": 300}
    add("pauses", **long, **incast, **marking, **pauses)
    add("pauses, IPv6", workload="rdma-write", ipv6=True, **incast, **marking, **pauses)
    memory = {"buffer_size": 200_000, "pfc_headroom": "auto", "pfc_priorities": "3"}
    classes = {"priorities": 4, "priority_weights": "1,1,1,2", "dscp": 26, "cross_dscp": 8}
    add("shared memory, classes", **long, cross_traffic="udp", **incast, **memory, **classes)
    return table


def digest(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder, names included."""
    hashed = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        hashed.update(f"{path.name} {path.stat().st_size}\n".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def observe(name: str, params: dict) -> dict:
    """Run a scenario and return what the table keeps of it."""
    import iwarp

    with tempfile.TemporaryDirectory() as folder:
        try:
            result = iwarp.run(**params, pcap=f"{folder}/recorded")
        except iwarp.IwarpError as error:
            return {"pcap": "", "metrics": {}, "error": f"{name}: {error}"}
        return {"pcap": digest(Path(folder)), "metrics": {name: float(value) for name, value in result.items()}}


def differences(old: dict, new: dict) -> list[str]:
    """Return what differs, a line each."""
    lines = [] if old["pcap"] == new["pcap"] else ["the packets differ"]
    before, now = old["metrics"], new["metrics"]
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            lines.append(f"{name}: gone")
        elif name not in before:
            lines.append(f"{name}: new")
        elif not math.isclose(before[name], now[name], rel_tol=TOLERANCE, abs_tol=1e-15):
            lines.append(f"{name}: {now[name]!r}, recorded {before[name]!r}")
    return lines


def write(table: dict[str, dict]) -> None:
    """Write the table, a line a scenario and a line a metric, so that a diff reads well."""
    TABLE.write_text(json.dumps(table, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="record anew")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; all by default")
    arguments = parser.parse_args()
    chosen = scenarios()
    if unknown := set(arguments.names) - set(chosen):
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}")
    if arguments.names:
        chosen = {name: chosen[name] for name in arguments.names}

    import iwarp

    iwarp.params()  # loads the module once, before the threads fork
    # a thread waits for the process that iwarp.run() forks
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seen = dict(zip(chosen, pool.map(observe, chosen, chosen.values()), strict=True))
    if errors := [entry["error"] for entry in seen.values() if "error" in entry]:
        print("\n".join(errors))
        return 1
    recorded = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    if arguments.write:
        kept = scenarios().keys()
        write({name: seen.get(name) or recorded[name] for name in kept if name in seen or name in recorded})
        return 0
    failed = 0
    for name in chosen.keys() | (recorded.keys() if not arguments.names else set()):
        if name not in recorded or name not in seen:
            lines = ["it is not recorded" if name in seen else "it is recorded, and there is none"]
        else:
            lines = differences(recorded[name], seen[name])
        if lines:
            failed += 1
            print("\n".join([f"{name}:", *(f"  {line}" for line in lines)]))
    print(f"{len(chosen) - failed} of {len(chosen)} scenarios as recorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
