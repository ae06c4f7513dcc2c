#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios run as they did when recorded: each pcap octet for octet, and each metric.

The table test/data/recorded-scenarios.json has, for each scenario below, the SHA-256 of all its pcap files and every
metric. A change that means to keep behaviour leaves it alone; one that corrects a figure writes it anew, and its diff
shows which figures moved. Each name that a parameter takes (a topology, a workload, a mode of IPsec) has a scenario.

With --library the library of another build runs them, such as Debian's or a source tree's, whose ns-3 may be of
another release. test/data/recorded-releases.json has, by release, the SHA-256 of those whose packets its TCP makes
others.

usage: recorded_scenarios.py [--write] [--library PATH] [NAME...]
"""

from __future__ import annotations

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "data" / "recorded-scenarios.json"
RELEASES = TABLE.with_name("recorded-releases.json")
TOLERANCE = 1e-9  # of a figure: the last digits depend on the compiler

LOSSY = {"loss": 0.01}
WORKLOADS = ("mpa", "rdma-write", "rdma-read", "send", "storage", "perf")
PERF_TESTS = ("write_bw", "write_lat", "read_bw", "read_lat", "send_bw", "send_lat", "atomic_bw", "atomic_lat")
PROFILES = ("ideal", "t5-like", "e810-like", "siw-like")
IPSEC = ("transport", "tunnel", "gateway", "nested")
AUTHENTICATION = ("hmac-sha1-96", "hmac-sha2-256-128", "hmac-sha2-384-192", "hmac-sha2-512-256")
KEYS = (128, 192, 256)
CIPHERS = (
    *(f"null/{how}" for how in AUTHENTICATION),
    *(f"aes-cbc-{bits}/{how}" for bits in KEYS for how in ("none", *AUTHENTICATION)),
    *(f"aes-ctr-{bits}/{how}" for bits in KEYS for how in AUTHENTICATION),
    *(f"aes-gcm-{octets}-{bits}" for octets in (8, 12, 16) for bits in KEYS),
    "chacha20-poly1305",
)
ENGINES = ("inline", "lookaside", "software", "t6-like", "connectx6dx-like", "qat-like", "aesni-like")
TCP_PROFILES = ("t3-like", "t5-like", "e810-like", "e810-dctcp-like")

Add = Callable[..., None]
Run = Callable[[Mapping[str, Any]], Mapping[str, Any]]  #: returns the metrics of a scenario


def scenarios() -> dict[str, dict]:
    """Return each scenario's parameters by name."""
    table: dict[str, dict] = {}

    def add(name: str, **params) -> None:
        assert name not in table
        table[name] = {"octets": 200_000, "plain_tcp": False, "perf_iterations": 50} | params

    add_workloads(add)
    add_stream(add)
    add_adapters(add)
    add_fabric(add)
    add_networks(add)
    add_paths(add)
    add_arrivals(add)
    add_security(add)
    return table


def add_workloads(add: Add) -> None:
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
    tls = {"workload": "tls", "tls_write_size": 20_000}
    add("tls", **tls)
    add("tls, real, loss", **tls, tls_real=True, **LOSSY)
    add("tls, growing records, padding", **tls, tls_record_sizing="Growth", tls_padding="Block", ipv6=True)
    add("tls, records in steps, padding, real", **tls, tls_record_sizing="Steps", tls_padding="Maximum", tls_real=True)
    add("rounds", workload="rounds", flows=4, message_sizes="fixed:20000")
    add("selective repeat", workload="selective-repeat", time_limit="50ms", **LOSSY)
    add("go back N, loss, IPv6", workload="go-back-n", ipv6=True, time_limit="50ms", **LOSSY)
    add("perf, queue pairs at random", workload="perf", perf_qp=3, perf_order="Random", perf_size=5000)


def add_stream(add: Add) -> None:
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
        "intervals",
        intervals="ns3::ExponentialRandomVariable[Mean=0.00002]",
        message_sizes="cdf:alistorage2019",
        flows=3,
    )
    add("for a time", octets=0, duration="2ms", flows=2, workload="rdma-write", **LOSSY)
    for profile in TCP_PROFILES:
        add(f"TCP as {profile}", tcp_profile=profile, **LOSSY)
    for probing in ("BlackHole", "Always"):
        add(f"MTU probing, {probing}", mtu_probing=probing, link_schedule="1200us:mtu=1000")


def add_adapters(add: Add) -> None:
    add(
        "window by retirement",
        receive_window="Retired",
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
    for profile in ("t6-like", "connectx7-like"):
        add(f"{profile}", rnic=profile, workload="rdma-write", **LOSSY)


def add_fabric(add: Add) -> None:
    incast = {"topology": "leaf-spine", "leaves": 3, "hosts_per_leaf": 3, "pattern": "incast", "delay": "2us"}
    marking = {"queue_disc": "threshold", "queue_size": "900000B", "marking_threshold": "300000B"}
    pauses = {"pfc_xoff": 30_000, "pfc_xon": 15_000}
    long = {"workload": "go-back-n", "IwarpRoceWorkload.Window": 300, "time_limit": "50ms"}
    add("pauses", **long, **incast, **marking, **pauses)
    add("pauses, IPv6", workload="rdma-write", ipv6=True, **incast, **marking, **pauses)
    memory = {"buffer_size": 200_000, "pfc_headroom": "auto", "pfc_priorities": "3"}
    classes = {"priorities": 4, "priority_weights": "1,1,1,2", "dscp": 26, "cross_dscp": 8}
    add("shared memory, classes", **long, cross_traffic="udp", **incast, **memory, **classes)
    few = {"marking_threshold": "30000B", "RoceTimely.InitialShare": 0.5}
    for control in ("dcqcn", "timely"):
        add(f"{control}", **long, roce_congestion=control, **incast, **marking | few)
    soon = {f"{disc}QueueDisc.{what}": time for disc in ("CoDel", "FqCoDel")
            for what, time in {"Target": "100us", "Interval": "1ms"}.items()}  # fmt: skip
    soon |= {"PieQueueDisc.QueueDelayReference": "100us", "PieQueueDisc.Tupdate": "100us"}
    soon |= {"PieQueueDisc.MaxBurstAllowance": "0s", "PieQueueDisc.A": 100, "PieQueueDisc.B": 1000}
    for disc in ("red", "codel", "fq-codel", "pie"):
        add(f"queue disc {disc}", queue_disc=disc, ecn="On", flows=4, queue_size="100p", link_rate="500Mbps", **soon)
    add("ECN, accepted only", ecn="AcceptOnly", queue_disc="threshold", marking_threshold="5p")
    small = {"topology": "leaf-spine", "leaves": 2, "spines": 3, "hosts_per_leaf": 2, "octets": 50_000, "delay": "2us"}
    for ecmp in ("random", "round-robin"):
        add(f"equal paths, {ecmp}", ecmp=ecmp, pattern="permutation", **small)
    add("equal paths, flow label", ecmp="flow-label", ipv6=True, flow_labels=True, pattern="all-to-all", **small)
    add("equal paths, SPI", ecmp="flow-spi", ipsec="transport", pattern="all-to-all", **small)


def add_networks(add: Add) -> None:
    add("fat-tree", topology="fat-tree", pattern="permutation", octets=20_000, delay="2us")
    add("nsfnet", topology="file:nsfnet", flows=3, workload="send")
    add("parking lot, PPP", topology="parking-lot", flows=4, framing="ppp", **LOSSY)
    add("point to point, IPv6", topology="point-to-point", ipv6=True, workload="rdma-read")
    add("star, incast", topology="star", pattern="incast", incast_senders=4, workload="rdma-write", queue_size="30p")
    add("wan", topology="wan", workload="storage", distance=1000, **LOSSY)
    add("satellite", topology="wan", satellite_hops=1, octets=50_000)
    change = "1200us:rate=1Gbps,1300us:delay=20us,1400us:down,1450us:up"
    for place in ("sender", "core", "receiver"):
        add(f"links change, {place}", link_schedule=change, link_schedule_place=place, flows=2)


def add_paths(add: Add) -> None:
    """Add impairments, middleboxes, proxies and cross traffic."""
    down = {"PathOutageImpairment.UpTime": "ns3::ExponentialRandomVariable[Mean=0.0003]"}
    down |= {"PathOutageImpairment.DownTime": "ns3::ConstantRandomVariable[Constant=0.00005]"}
    impairments = {
        "bit-error": {"PathBitErrorImpairment.Rate": 1e-6},
        "gilbert-elliott": {"PathGilbertElliottImpairment.GoodToBad": 0.01},
        "jitter": {"PathJitterImpairment.Delay": "ns3::UniformRandomVariable[Min=0|Max=0.00001]"},
        "outage": down,
        "random": {"loss": 0.01, "reordering": 0.02},
    }
    for name, params in impairments.items():
        add(f"impairment {name}", impairment=name, flows=2, tolerate_lost=True, **params)  # a wrong CRC ends one
    joined = {name: value for params in impairments.values() for name, value in params.items()}
    joined["PathBitErrorImpairment.Detected"] = True
    for place, direction in (("sender", "acks"), ("core", "both")):
        add(f"all impairments, {place}, {direction}", impairment="+".join(impairments), impairment_place=place,
            impairment_direction=direction, workload="rdma-write", **joined)  # fmt: skip
    pieces = {"PathResegmentingMiddlebox.PieceSize": "ns3::UniformRandomVariable[Min=100|Max=1400]"}
    for place in ("sender", "core"):
        add(f"resegmenting, {place}", middlebox="resegmenting", middlebox_place=place, **pieces)
    acts = {f"PathAdversaryMiddlebox.{act}": 0.01 for act in ("Change", "ForgeData", "Repeat", "ResetOutside")}
    add("adversary", middlebox="adversary", **acts, tolerate_lost=True, data_retries=5, workload="rdma-write")
    add("adversary, ESP", middlebox="adversary", ipsec="transport", ipsec_real=True, **acts)
    add("ICMP filter", middlebox="icmp-filter", middlebox_place="receiver", mtu_probing="BlackHole",
        link_schedule="1200us:mtu=1000")  # fmt: skip
    add("split proxy", split_proxy=True, workload="rdma-write", **LOSSY)
    add("split proxy, IPv6, unaligned", split_proxy=True, ipv6=True, alignment=False, flows=2)
    for direction in ("acks", "both"):
        add(f"cross traffic, {direction}", cross_traffic="tcp", cross_direction=direction)


def add_arrivals(add: Add) -> None:
    """Add open loops."""
    load = {"load": 0.2, "octets": 0, "arrival_warm_up": "50us", "arrival_window": "300us", "workload": "rdma-write"}
    load |= {"topology": "star", "pattern": "all-to-all", "message_sizes": "fixed:20000", "host_pairs": 2, "flows": 2}
    add("arrivals, pool", arrival_source="pair", connections="pool", **load)
    add("arrivals, own connections", arrival_source="network", connections="own", ideal_time="hpcc", **load)
    add("arrivals, core", load_basis="core", arrivals="on-off", **load | {"topology": "dumbbell", "pattern": "pairs"})


def add_security(add: Add) -> None:
    """Add IPsec: each mode modelled and real, each cipher, each engine."""
    for mode in IPSEC:
        add(f"ipsec {mode}, modelled", ipsec=mode, workload="rdma-write", flows=2, **LOSSY)
    for number, cipher in enumerate(CIPHERS):  # modes in turn, four with IPv4 and four with IPv6
        mode = IPSEC[number % len(IPSEC)]
        add(f"ipsec {mode}, {cipher}", ipsec=mode, ipsec_real=True, cipher=cipher, ipv6=number % 8 >= 4, octets=20_000)
    for number, engine in enumerate(ENGINES):
        add(f"ipsec, {engine}", ipsec=IPSEC[number % len(IPSEC)], esp_engine=engine, octets=50_000)
    small = {"octets": 50_000, "ipsec_real": True, "flows": 3, "host_pairs": 1}
    for sharing in ("policy", "connection"):
        add(f"ipsec, shared by {sharing}", ipsec="transport", ipsec_sharing=sharing, **small)
    add("ipsec in UDP", ipsec="tunnel", ipsec_udp=True, ipsec_udp_entropy=True, **small)
    add("ipsec, keys by messages", ipsec="transport", key_exchange=True, association_octets=30_000, **small)
    add("ipsec, fragments set", ipsec="gateway", tunnel_dont_fragment="set", **small)
    add("ipsec, fragments after", ipsec="gateway", tunnel_dont_fragment="clear", dont_fragment=False, **small)
    add("ipsec, fragments before", ipsec="gateway", tunnel_dont_fragment="clear", dont_fragment=False,
        tunnel_fragments="before", **small)  # fmt: skip


def digest(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder, names included."""
    hashed = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        hashed.update(f"{path.name} {path.stat().st_size}\n".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def as_attributes(params: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as C++ takes them, without asking the library."""
    return {
        name if "." in name else "".join(word.capitalize() for word in name.split("_")): str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for name, value in params.items()
    }


def by_package() -> Run:
    """Return what runs a scenario by the package and its library."""
    import iwarp

    iwarp.params()  # loads the module once, before threads fork
    return lambda params: iwarp.run(**params)


def by_library(place: Path) -> tuple[Run, str]:
    """Return what runs a scenario by another library, and the release of the ns-3 that it has loaded.

    @param place its path, or an ns-3 source tree that the module was built in
    """
    from iwarp.errors import IwarpError
    from iwarp.runs import ranks, runner

    library = ctypes.PyDLL(str(ranks.find_library(place) if place.is_dir() else place), ctypes.RTLD_GLOBAL)
    function = library.iwarp_run
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t]
    release = re.search(r"/libns3(?:\.(\d+))?[\d.]*-core\b.*\.so(?:\.(\d+))?", Path("/proc/self/maps").read_text())

    def measure(params: Mapping[str, Any]) -> runner.Measured:
        texts = [text.encode() for pair in as_attributes(params).items() for text in pair]
        answer = json.loads(function((ctypes.c_char_p * len(texts))(*texts), len(texts)))
        if "metrics" not in answer:
            raise IwarpError(str(answer))
        values = {metric["name"]: metric["value"] for metric in answer["metrics"]}
        return {name: math.nan if value is None else value for name, value in values.items()}, "", []

    def run(params: Mapping[str, Any]) -> Mapping[str, Any]:
        return runner.run_once(lambda: measure(params)).metrics

    return run, f"3.{release[1] or release[2]}" if release else "unknown"


def observe(name: str, params: dict, run: Run) -> dict:
    """Run a scenario and return what the table keeps of it."""
    from iwarp.errors import IwarpError

    with tempfile.TemporaryDirectory() as folder:
        try:
            result = run(params | {"pcap": f"{folder}/recorded"})
        except IwarpError as error:
            return {"pcap": "", "metrics": {}, "error": f"{name}: {error}"}
        return {"pcap": digest(Path(folder)), "metrics": {name: float(value) for name, value in result.items()}}


def observe_all(chosen: Mapping[str, dict], run: Run) -> dict[str, dict]:
    """Run scenarios, as many at a time as there are processors: a thread waits for the process that a run forks."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(chosen, pool.map(lambda name: observe(name, chosen[name], run), chosen), strict=True))


def names_of(param: Any) -> list[str]:
    """Return the names that a parameter takes, if names are what it takes."""
    if param.name == "impairment":
        return param.help.rpartition(": ")[2].split(", ")
    return list(param.range) if param.type == "choice" else []


def unrecorded(params: Mapping[str, Any], table: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names that a parameter takes and no scenario of the table has, and IPsec's modes not really there."""
    table = list(table)
    missing = []
    for name, param in params.items():
        values = [str(scenario.get(name, param.default)) for scenario in table]
        used = {part.partition(":")[0] for value in values for part in value.split("+")}  # file:PATH, and joined names
        missing += [f"{name}={value}" for value in names_of(param) if value.partition(":")[0] not in used]
    used = {(scenario.get("ipsec", "none"), scenario.get("ipsec_real", False)) for scenario in table}
    missing += [
        f"ipsec={mode}, ipsec_real={real}"
        for mode in params["ipsec"].range
        for real in (False, True)
        if mode != "none" and (mode, real) not in used
    ]
    return missing


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


def of_release(recorded: Mapping[str, dict], own: Mapping[str, str | None], seen: Mapping[str, dict]) -> dict:
    """Return what differs, lines by scenario, of runs with another ns-3.

    @param own digests of scenarios whose packets that release makes others, None where they do not come to their end;
        of the others packets and figures are the recorded ones, but for ``events``, which are ns-3's matter
    """
    found = {}
    for name, new in seen.items():
        if name in own:
            lines = [] if (new["pcap"] or None) == own[name] else [new.get("error", "the packets differ")]
        elif "error" in new:
            lines = [new["error"]]
        elif name in recorded:
            lines = [line for line in differences(recorded[name], new) if not line.startswith("events: ")]
        else:
            lines = ["it is not recorded"]
        if lines:
            found[name] = lines
    return found


def write(path: Path, table: dict) -> None:
    """Write a table, a line a scenario and a line a metric, so that a diff reads well."""
    path.write_text(json.dumps(table, indent=1) + "\n")


def read(path: Path) -> dict:
    """Return a table, which is empty before the first has been written."""
    return json.loads(path.read_text()) if path.exists() else {}


def check_library(place: Path, chosen: dict[str, dict], anew: bool) -> int:
    """Compare, or record anew, runs by another library; return the exit code."""
    run, release = by_library(place)
    seen, recorded, releases = observe_all(chosen, run), read(TABLE), read(RELEASES)
    if anew:
        own = {name: seen[name]["pcap"] or None for name in of_release(recorded, {}, seen)}
        write(RELEASES, dict(sorted((releases | {release: own}).items())))
        return 0
    if release not in releases:
        print(f"ns-3 {release} has no record: scenarios are run twice")
        found = of_release(observe_all(chosen, run), {}, seen)
        kept = len(seen.keys() - of_release(recorded, {}, seen).keys())
    else:
        own = releases[release]
        found = of_release(recorded, own, seen)
        kept = len(seen.keys() - own.keys() - found.keys())
    for name, lines in found.items():
        print("\n".join([f"{name}:", *(f"  {line}" for line in lines)]))
    good = len(seen) - len(found)
    print(f"ns-3 {release}: {good} of {len(seen)} scenarios as recorded, {kept} of them as with the package")
    return 1 if found else 0


def check_package(chosen: dict[str, dict], anew: bool, all_of_them: bool) -> int:
    """Compare, or record anew, runs by the package; return the exit code."""
    import iwarp

    if missing := unrecorded(iwarp.params(), scenarios().values()):
        print("\n".join(f"no scenario has {name}" for name in missing))
        return 1
    seen, recorded = observe_all(chosen, by_package()), read(TABLE)
    if errors := [entry["error"] for entry in seen.values() if "error" in entry]:
        print("\n".join(errors))
        return 1
    if anew:
        kept = scenarios().keys()
        write(TABLE, {name: seen.get(name) or recorded[name] for name in kept if name in seen or name in recorded})
        return 0
    failed = 0
    for name in chosen.keys() | (recorded.keys() if all_of_them else set()):
        if name not in recorded or name not in seen:
            lines = ["it is not recorded" if name in seen else "it is recorded, and there is none"]
        else:
            lines = differences(recorded[name], seen[name])
        if lines:
            failed += 1
            print("\n".join([f"{name}:", *(f"  {line}" for line in lines)]))
    print(f"{len(chosen) - failed} of {len(chosen)} scenarios as recorded")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="record anew")
    parser.add_argument("--library", type=Path, metavar="PATH", help="another library, or an ns-3 tree that has one")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; all by default")
    arguments = parser.parse_args()
    chosen = scenarios()
    if unknown := set(arguments.names) - set(chosen):
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}")
    if arguments.names:
        chosen = {name: chosen[name] for name in arguments.names}
    if arguments.library:
        if arguments.write and arguments.names:
            parser.error("a release is recorded as a whole")
        return check_library(arguments.library, chosen, arguments.write)
    return check_package(chosen, arguments.write, not arguments.names)


if __name__ == "__main__":
    sys.exit(main())
