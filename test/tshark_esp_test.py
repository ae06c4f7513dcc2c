#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark deciphers and verifies ESP with the keys that GetWiresharkLine() writes.

The packets are those of the suite esp-linux, which makes each of them octet for octet: EspCodec's own and Linux's.
tshark 4.0 knows no extended sequence numbers, so that it finds the ICVs wrong there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SKIP = 77
DATA = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1])) / "test" / "data" / "esp"
ECHOES = {"linux": 4, "answers": 6}  #: echo requests and replies in each capture
FIELDS = ("esp.icv_good", "icmp.checksum.status", "icmpv6.checksum.status", "tcp.len")


def keys() -> dict[str, list[str]]:
    """Return the lines of keys of each capture."""
    lines = defaultdict(list)
    for line in (DATA / "keys.txt").read_text().splitlines():
        name, key = line.split(" ", 1)
        lines[name].append(key)
    return lines


def read(name: str, lines: list[str]) -> list[list[str]]:
    """Return the fields of each packet of a capture."""
    command = ["tshark", "-n", "-r", str(DATA / f"{name}.pcap"), "-T", "fields", "-E", "separator=,"]
    command += ["-d", "tcp.port==5000,data"]  # what Linux sent is no protocol, whatever tshark guesses
    command += ["-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE"]
    for option in (*(f"uat:esp_sa:{line}" for line in lines), "tcp.check_checksum:TRUE"):
        command += ["-o", option]
    for field in FIELDS:
        command += ["-e", field]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split(",") for line in found.splitlines()]


def check(name: str, lines: list[str]) -> list[str]:
    """Return what is wrong with a capture."""
    packets = read(name, lines)
    echoes = sum("1" in (packet[1], packet[2]) for packet in packets)  # status 1: the checksum is good
    octets = sum(int(packet[3]) for packet in packets if packet[3])
    faults = [f"{name}, packet {i}: bad ICV" for i, packet in enumerate(packets, 1) if packet[0] not in ("1", "True")]
    wanted = 2 if name == "linux-gcm-udp" else ECHOES[name.split("-")[0]]
    if echoes != wanted:
        faults.append(f"{name}: {echoes} echoes with a good checksum, not {wanted}")
    if name.startswith("linux-") and name != "linux-gcm-udp" and octets < 3000:
        faults.append(f"{name}: TCP carried {octets} octets, fewer than 3000")
    return faults


def main() -> int:
    if not shutil.which("tshark"):
        print("tshark is not there: skipped")
        return SKIP
    faults = []
    for name, lines in keys().items():
        if not name.endswith("-extended"):
            faults += check(name, lines)
    print("\n".join(faults) or "tshark deciphers every packet, and finds every ICV good")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
