#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark deciphers the TLS of the example with the key log that it writes: every message and record, none malformed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples" / "iwarp-tls"
FIELDS = ("tls.handshake.type", "tls.alert_message.desc", "_ws.malformed", "_ws.expert.severity", "_ws.expert.message")
WARNING = 0x00600000  #: PI_WARN
TOLERATED = "Connection reset (RST)"  #: an ACK that comes when the connection is over (RFC 9293 section 3.10.7.1)

#: arguments of the example, cipher suite, and handshake messages of both ends in their order
FULL = [1, 2, 8, 11, 15, 20, 20, 4, 4]
RESUMED = [1, 2, 8, 20, 20, 4, 4]
CASES = [
    ([], "0x1301", FULL),
    (["--suites=TLS_AES_256_GCM_SHA384", "--sizing=Growth", "--ipv6=true"], "0x1302", FULL),
    (["--suites=TLS_CHACHA20_POLY1305_SHA256", "--padding=Block", "--alignment=false"], "0x1303", FULL),
    (["--resume=true", "--sizing=Steps", "--protocol=ns3::TcpSocketFactory"], "0x1301", RESUMED),
]
MESSAGES, SIZE = 4, 30000
HEADER = 12  #: octets of an application's header before each message


def tshark(pcap: Path, keys: Path | None, *arguments: str) -> str:
    """Return what tshark prints of a file."""
    command = ["tshark", "-n", "-2", "-r", str(pcap), "-d", "tcp.port==443,tls", "-d", "tls.port==443,data"]
    command += ["-o", "tcp.reassemble_out_of_order:TRUE", "-o", f"tls.keylog_file:{keys or ''}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def values(pcap: Path, keys: Path | None) -> dict[str, list[str]]:
    """Return all values that each field has in a file."""
    arguments = ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=|"]
    for field in FIELDS:
        arguments += ["-e", field]
    found: dict[str, list[str]] = {field: [] for field in FIELDS}
    for line in tshark(pcap, keys, *arguments).splitlines():
        for field, text in zip(FIELDS, line.split("\t"), strict=True):
            found[field] += text.split("|") if text else []
    return found


def stream_octets(pcap: Path, keys: Path) -> bytes:
    """Return what tshark deciphers of the first connection, as its sender has written it."""
    text = tshark(pcap, keys, "-q", "-z", "follow,tls,raw,0")
    return bytes.fromhex("".join(re.findall(r"^\s*([0-9a-f]+)$", text, re.MULTILINE)))


def check(folder: Path, number: int, arguments: list[str], suite: str, messages: list[int]) -> list[str]:
    """Return what is wrong with what the example writes."""
    prefix = folder / f"case{number}"
    command = [str(EXAMPLE), f"--pcap={prefix}", f"--messages={MESSAGES}", f"--sizes=fixed:{SIZE}", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    pcap, keys = sorted(folder.glob(f"{prefix.name}-*.pcap"))[0], folder / f"{prefix.name}-keys"
    name = " ".join(arguments) or "as it is"
    found = values(pcap, keys)
    faults = []
    got = [int(kind) for kind in found["tls.handshake.type"]]
    if got != messages:
        faults.append(f"{name}: handshake messages {got}, not {messages}")
    if found["tls.alert_message.desc"] != ["0", "0"]:
        faults.append(f"{name}: alerts {found['tls.alert_message.desc']}, not close_notify of each end")
    if found["_ws.malformed"]:
        faults.append(f"{name}: malformed")
    notes = zip(found["_ws.expert.severity"], found["_ws.expert.message"], strict=True)
    worse = [message for severity, message in notes if int(severity, 0) >= WARNING and message != TOLERATED]
    faults += [f"{name}: {message}" for message in worse]
    hello = ("-Y", "tls.handshake.type==2", "-T", "fields", "-e", "tls.handshake.ciphersuite")
    suites = tshark(pcap, keys, *hello).split()
    if suites != [suite]:
        faults.append(f"{name}: cipher suite {suites}, not {suite}")
    octets = len(stream_octets(pcap, keys))
    if octets != MESSAGES * (SIZE + HEADER):
        faults.append(f"{name}: {octets} octets deciphered, not {MESSAGES * (SIZE + HEADER)}")
    without = values(pcap, None)
    if [int(kind) for kind in without["tls.handshake.type"]] != [1, 2]:
        faults.append(f"{name}: more than hellos can be read without the keys")
    return faults


def main() -> int:
    if not shutil.which("tshark"):
        print("tshark is not there: skipped")
        return SKIP
    usage = subprocess.run([str(EXAMPLE), "--PrintHelp"], check=True, capture_output=True, text=True).stdout
    if "[false]" in next(line for line in usage.splitlines() if "--real" in line):
        print("this build has no OpenSSL: skipped")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        faults = [fault for number, case in enumerate(CASES) for fault in check(Path(folder), number, *case)]
    print("\n".join(faults) or f"tshark deciphers all of {len(CASES)} runs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
