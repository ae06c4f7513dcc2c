#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark deciphers what the example iwarp-ipsec sent in real mode, with the keys that it wrote, down to MPA's FPDUs.

Without the keys there is ESP and nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples/iwarp-ipsec"
CIPHERS = ("aes-gcm-16-128", "aes-cbc-256/hmac-sha2-256-128", "aes-ctr-128/hmac-sha1-96")
FIELDS = ("esp.icv_good", "tcp.checksum.status", "tcp.len", "iwarp_mpa.ulpdulength", "ip.len")
MESSAGES = 4
OCTETS = MESSAGES * 65536


def read(pcap: Path, keys: list[str]) -> list[list[str]]:
    """Return the fields of each packet."""
    command = ["tshark", "-n", "-r", str(pcap), "-T", "fields", "-E", "separator=/t", "-E", "occurrence=f"]
    command += ["-o", "tcp.check_checksum:TRUE", "-o", "tcp.try_heuristic_first:TRUE"]
    command += ["-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE"]
    for key in keys:
        command += ["-o", f"uat:esp_sa:{key}"]
    for field in FIELDS:
        command += ["-e", field]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in found.splitlines()]


def check(cipher: str, folder: Path) -> list[str]:
    """Return what is wrong with what a cipher sent."""
    keys = folder / "esp_sa"
    options = [f"--cipher={cipher}", "--real=true", f"--messages={MESSAGES}", f"--pcap={folder}/esp", f"--keys={keys}"]
    subprocess.run([str(EXAMPLE), *options], check=True, capture_output=True)
    pcap = folder / "esp-0.pcap"
    packets = read(pcap, keys.read_text().splitlines())
    faults = []
    for i, (icv, checksum, *_) in enumerate(packets, 1):
        if icv not in ("1", "True"):
            faults.append(f"{cipher}, packet {i}: bad ICV")
        if checksum not in ("1", "Good"):
            faults.append(f"{cipher}, packet {i}: no TCP with a good checksum")
    octets = sum(int(packet[2]) for packet in packets if packet[2])
    fpdus = sum(packet[3] != "" for packet in packets)
    if octets < OCTETS:
        faults.append(f"{cipher}: TCP carried {octets} octets, fewer than {OCTETS}")
    if fpdus < OCTETS // 1500:
        faults.append(f"{cipher}: {fpdus} segments with an FPDU")
    if max(int(packet[4]) for packet in packets) > 1500:
        faults.append(f"{cipher}: larger than the link takes")
    if any(packet[2] for packet in read(pcap, [])):
        faults.append(f"{cipher}: TCP is seen without keys")
    return faults


def main() -> int:
    if not shutil.which("tshark"):
        print("tshark is not there: skipped")
        return SKIP
    faults = []
    if subprocess.run([str(EXAMPLE), "--keys=esp_sa"], capture_output=True).returncode != 2:
        faults.append("keys of octets that nobody enciphered")
    for cipher in CIPHERS:
        with tempfile.TemporaryDirectory() as folder:
            faults += check(cipher, Path(folder))
    print("\n".join(faults[:20]) or "tshark deciphers every packet, and finds FPDUs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
