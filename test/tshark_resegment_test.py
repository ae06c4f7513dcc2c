#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark reads both sides of a box that re-cuts TCP segments: one stream, other segments, good checksums."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples/iwarp-resegmenting"
CHECKSUMS = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
PLAIN = ["-d", "tcp.port==20049,data"]
FIELDS = ("tcp.dstport", "tcp.seq", "tcp.len", "tcp.checksum.status", "ip.checksum.status", "_ws.malformed")
MSS = 1448  #: octets of payload of a full segment over IPv4 with timestamps
OCTETS = 100000


def tshark(pcap: Path, *arguments: str) -> str:
    """Return what tshark prints of a file."""
    command = ["tshark", "-n", "-r", str(pcap), *CHECKSUMS, *PLAIN, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(pcap: Path, problems: list[str]) -> list[tuple[int, int]]:
    """Return sequence numbers and lengths of the sender's data segments."""
    arguments = ["-T", "fields", "-E", "separator=/t"]
    for field in FIELDS:
        arguments += ["-e", field]
    segments = []
    for number, line in enumerate(tshark(pcap, *arguments).splitlines(), 1):
        port, seq, length, checksum, header, malformed = line.split("\t")
        if malformed or checksum != "1" or header not in ("1", ""):
            problems.append(f"{pcap.name}, frame {number}: malformed {malformed!r}, checksums {checksum} {header}")
        if port == "20049" and int(length) > 0:
            segments.append((int(seq), int(length)))
    return segments


def follow(pcap: Path) -> dict[bool, str]:
    """Return the octets of the stream's two directions, as tshark follows it."""
    streams = {False: "", True: ""}
    for line in tshark(pcap, "-q", "-z", "follow,tcp,raw,0").splitlines():
        octets = line.strip()
        if octets and all(c in "0123456789abcdef" for c in octets):
            streams[line.startswith("\t")] += octets
    return streams


def case(folder: Path, most: int, coalesce: int, ipv6: bool) -> list[str]:
    """Run the example and return what is wrong with its pcap files."""
    problems: list[str] = []
    prefix = folder / f"case-{most}-{coalesce}-{ipv6}"
    arguments = [f"--max-payload={most}", f"--coalesce={coalesce}", f"--ipv6={str(ipv6).lower()}"]
    subprocess.run(
        [str(EXAMPLE), f"--pcap={prefix}", f"--octets={OCTETS}", "--reordering=0", *arguments],
        check=True, stdout=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    before, behind = Path(f"{prefix}-before.pcap"), Path(f"{prefix}-behind.pcap")
    came, went = read(before, problems), read(behind, problems)
    if coalesce == 0:
        want = [(seq + at, min(most, size - at)) for seq, size in came for at in range(0, size, most)]
        if went != want:
            problems.append(f"{len(went)} segments behind the box, not {len(want)} of at most {most}")
    else:
        largest = most or MSS - 20 * ipv6
        if sum(size == largest for _, size in went) < 0.8 * len(went) or went == came:
            problems.append(f"few of {len(went)} segments behind the box have {largest} octets")
    first, second = follow(before), follow(behind)
    if first != second or len(first[False]) < 2 * OCTETS:
        problems.append("the streams before and behind the box differ")
    return problems


def main() -> int:
    if shutil.which("tshark") is None:
        print("tshark is not installed: skipped")
        return SKIP
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for ipv6 in (False, True):
            for most, coalesce in ((700, 0), (0, 65535), (1000, 65535)):
                found = case(Path(folder), most, coalesce, ipv6)
                problems += found
                print(f"{'FAIL' if found else 'PASS'} at most {most}, gathered {coalesce}, IPv{6 if ipv6 else 4}")
        # what is wrong has to be seen
        pcap = Path(folder) / "case-700-0-False-behind.pcap"
        octets = bytearray(pcap.read_bytes())
        octets[len(octets) // 2] ^= 1
        pcap.write_bytes(octets)
        seen: list[str] = []
        read(pcap, seen)
        if len(seen) != 1 or follow(pcap) == follow(Path(folder) / "case-700-0-False-before.pcap"):
            problems.append("a changed octet goes unseen")
    print("\n".join(problems[:50]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
