#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark deciphers what the example iwarp-ipsec and runs sent in real mode, with the files of keys that they wrote.

It finds FPDUs in it, and as many segments and octets of TCP as iwarp decode does. Without the keys there is ESP and
nothing else. tshark 4.0 takes the file of ten columns too, and warns. It reads source ports and flow labels that tell
flows apart as one for each direction of a connection, within their ranges.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import iwarp

SKIP = 77
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples/iwarp-ipsec"
CIPHERS = ("aes-gcm-16-128", "aes-cbc-256/hmac-sha2-256-128", "aes-ctr-128/hmac-sha1-96")
RUNS = (
    {"ipsec": "transport"},
    {"ipsec": "tunnel", "ipsec_udp": True, "cipher": "aes-cbc-128/hmac-sha2-512-256"},
    {"ipsec": "transport", "ipv6": True, "flows": 3, "ipsec_sharing": "connection"},
    {"ipsec": "nested", "ipv6": True, "cipher": "null/hmac-sha2-384-192"},
    {"ipsec": "tunnel", "ipv6": True, "key_exchange": True, "association_packets": 100},
    {"ipsec": "tunnel", "ipsec_udp": True, "ipsec_udp_entropy": True, "flows": 3, "host_pairs": 1},
    {"ipsec": "transport", "ipsec_udp": True, "ipsec_udp_entropy": True, "ipv6": True, "flow_labels": True},
    {"ipsec": "tunnel", "ipv6": True, "flow_labels": True, "flows": 3, "host_pairs": 1},
)  #: all of which tshark 4.0 can decipher
FIELDS = (
    "esp.icv_good", "tcp.checksum.status", "tcp.len", "iwarp_mpa.ulpdulength", "ip.len", "tcp.stream", "tcp.srcport",
    "tcp.seq",
)  # fmt: skip
MESSAGES = 4
OCTETS = MESSAGES * 65536


def read(pcap: Path, keys: Path | None) -> list[list[str]]:
    """Return the fields of each packet but for ICMP, which quotes ESP."""
    command = ["tshark", "-n", "-r", str(pcap), "-Y", "!(icmp or icmpv6)", "-T", "fields"]
    command += ["-E", "separator=/t", "-E", "occurrence=l"]
    command += ["-o", "tcp.check_checksum:TRUE", "-o", "tcp.try_heuristic_first:TRUE"]
    command += ["-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE"]
    for field in FIELDS:
        command += ["-e", field]
    with tempfile.TemporaryDirectory() as folder:
        if keys:
            shutil.copy(keys, Path(folder) / "esp_sa")
        environment = {**os.environ, "WIRESHARK_CONFIG_DIR": folder}
        found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return [line.split("\t") for line in found.splitlines()]


def check_entropy(params: dict, pcap: Path) -> list[str]:
    """Return what is wrong with the ports and labels of ESP packets of a run, read without keys."""
    flows = params.get("flows", 1) // params.get("host_pairs", params.get("flows", 1))
    wanted = (
        ("udp.srcport", params.get("ipsec_udp_entropy"), 49152, 65535),
        ("ipv6.flow", params.get("flow_labels"), 1, 0xFFFFF),
    )
    faults = []
    for field, asked, least, most in wanted:
        outer = "(ipv6.nxt == 50 or udp.dstport == 4500) and !(icmp or icmpv6)"
        command = ["tshark", "-n", "-r", str(pcap), "-Y", outer, "-T", "fields", "-E", "occurrence=f", "-E",
                   "separator=/t", "-e", "ip.src", "-e", "ipv6.src", "-e", field]  # fmt: skip
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        seen: dict[str, set[int]] = {}
        for source4, source6, value in (line.split("\t") for line in found):
            seen.setdefault(source4 + source6, set()).add(int(value or "0", 0))
        for source, values in seen.items() if asked else ():
            if len(values) != flows or min(values) < least or max(values) > most:
                faults.append(f"{pcap.name}: {field} of {source}: {sorted(values)} of {flows} flows")
        if asked and len(seen) != 2:
            faults.append(f"{pcap.name}: {field} of {len(seen)} senders")
    return faults


def count(packets: list[list[str]]) -> int:
    """Return how many octets TCP carried, each counted once."""
    ends: dict[tuple[str, str], int] = {}
    total = 0
    parts = sorted((packet[5], packet[6], int(packet[7]), int(packet[2])) for packet in packets)
    for stream, port, seq, length in parts:
        end = max(ends.get((stream, port), 0), seq)
        total += max(seq + length - end, 0)
        ends[stream, port] = max(end, seq + length)
    return total


def check(name: str, packets: list[list[str]]) -> list[str]:
    """Return what is wrong with packets, each of which has to be ESP with TCP in it."""
    faults = []
    for i, (icv, checksum, *_) in enumerate(packets, 1):
        if icv not in ("1", "True"):
            faults.append(f"{name}, packet {i}: bad ICV")
        if checksum not in ("1", "Good"):
            faults.append(f"{name}, packet {i}: no TCP with a good checksum")
    return faults


def check_example(cipher: str, folder: Path) -> list[str]:
    """Return what is wrong with what the example sent with a cipher."""
    options = [f"--cipher={cipher}", "--real=true", f"--messages={MESSAGES}", f"--pcap={folder}/esp"]
    subprocess.run([str(EXAMPLE), *options], check=True, capture_output=True)
    pcap = folder / "esp-0.pcap"
    packets = read(pcap, folder / "esp-esp_sa-4.0")
    faults = check(cipher, packets)
    octets = sum(int(packet[2]) for packet in packets if packet[2])
    fpdus = sum(packet[3] != "" for packet in packets)
    if octets < OCTETS:
        faults.append(f"{cipher}: TCP carried {octets} octets, fewer than {OCTETS}")
    if fpdus < OCTETS // 1500:
        faults.append(f"{cipher}: {fpdus} segments with an FPDU")
    if max(int(packet[4]) for packet in packets) > 1500:
        faults.append(f"{cipher}: larger than the link takes")
    if any(packet[2] for packet in read(pcap, None)):
        faults.append(f"{cipher}: TCP is seen without keys")
    if read(pcap, folder / "esp-esp_sa") != packets:
        faults.append(f"{cipher}: ten columns are read otherwise than eight")
    return faults


def check_run(params: dict, folder: Path) -> list[str]:
    """Return what is wrong with what a run sent."""
    name = " ".join(f"{key}={value}" for key, value in params.items())
    iwarp.run(**params, ipsec_real=True, pcap=str(folder / "run"), octets="200kB", markers=False, warm_up=0,
              plain_tcp=False)  # fmt: skip
    faults = []
    pcaps = sorted(folder.glob("run-*.pcap"))
    for pcap in pcaps:
        packets = read(pcap, folder / "run-esp_sa-4.0")
        # key exchange is in clear, and so is what shows a second time behind the end of a tunnel
        keyed = [packet for packet in packets if packet[0]]
        faults += check(f"{name}, {pcap.name}", keyed)
        faults += check_entropy(params, pcap)
        summary = list(iwarp.decode(pcap))[-1]
        octets = sum(d["octets"] for c in summary["connections"] for d in c["directions"])
        found = len(keyed), sum(packet[2] != "" for packet in packets), count(keyed)
        decoded = summary["esp_opened"], summary["tcp_segments"], octets
        if found != decoded or summary["esp_without_key"] + summary["esp_damaged"] or not octets:
            faults.append(f"{name}, {pcap.name}: packets, segments, octets: tshark {found}, iwarp decode {decoded}")
    return faults if pcaps else [f"{name}: no pcap file"]


def main() -> int:
    if not shutil.which("tshark"):
        print("tshark is not there: skipped")
        return SKIP
    faults = []
    runs = RUNS if importlib.util.find_spec("cppyy") else ()
    for check_one, cases in ((check_example, CIPHERS), (check_run, runs)):
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                faults += check_one(case, Path(folder))
    print("\n".join(faults[:20]) or f"tshark deciphers every packet of {len(CIPHERS)} examples and {len(runs)} runs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
