#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark reads both sides of a box that re-cuts TCP segments: one stream, other segments, good checksums."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tshark"))
from merged import Merged  # noqa: E402

SKIP = 77
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples/iwarp-resegmenting"
CHECKSUMS = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
PLAIN = ["-d", "tcp.port==20049,data"]
FIELDS = ("tcp.dstport", "tcp.seq", "tcp.len", "tcp.checksum.status", "ip.checksum.status", "_ws.malformed")
MSS = 1448  #: octets of payload of a full segment over IPv4 with timestamps
OCTETS = 100000
CASES = [
    (most, coalesce, ipv6) for ipv6 in (False, True) for most, coalesce in ((700, 0), (0, 65535), (1000, 65535))
]  #: octets a segment behind the box may have at most, octets that are gathered, the version of IP


@dataclass
class Reading:
    """What tshark finds in a file."""

    segments: list[tuple[int, int]] = field(default_factory=list)  #: sequence numbers and lengths of the sender's data
    streams: dict[bool, str] = field(default_factory=lambda: {False: "", True: ""})  #: the octets of both directions
    problems: list[str] = field(default_factory=list)


def read(pcaps: list[Path]) -> dict[Path, Reading]:
    """Return what tshark finds in each file, which has one stream."""
    readings = {pcap: Reading() for pcap in pcaps}
    merged = Merged(pcaps, pcaps[0].parent / "merged.pcapng")
    command = ["tshark", "-n", "-r", str(merged.path), *CHECKSUMS, *PLAIN, "-T", "fields", "-E", "separator=/t"]
    for name in FIELDS:
        command += ["-e", name]
    for stream in range(len(pcaps)):
        command += ["-z", f"follow,tcp,raw,{stream}"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    followed = next(i for i, line in enumerate(lines) if line.startswith("====="))
    while lines[followed - 1] == "":
        followed -= 1
    for number, line in enumerate(lines[:followed]):
        pcap = pcaps[merged.capture_of(number)]
        port, seq, length, checksum, header, malformed = line.split("\t")
        if malformed or checksum != "1" or header not in ("1", ""):
            text = f"{pcap.name}, frame {number}: malformed {malformed!r}, checksums {checksum} {header}"
            readings[pcap].problems.append(text)
        if port == "20049" and int(length) > 0:
            readings[pcap].segments.append((int(seq), int(length)))
    stream = -1
    for line in lines[followed:]:
        if line.startswith("Filter: tcp.stream eq "):
            stream = int(line.split()[-1])
        octets = line.strip()
        if octets and all(c in "0123456789abcdef" for c in octets):
            readings[pcaps[stream]].streams[line.startswith("\t")] += octets
    return readings


def run(folder: Path, most: int, coalesce: int, ipv6: bool) -> list[Path]:
    """Run the example and return its pcap files, before the box and behind it."""
    prefix = folder / f"case-{most}-{coalesce}-{ipv6}"
    arguments = [f"--max-payload={most}", f"--coalesce={coalesce}", f"--ipv6={str(ipv6).lower()}"]
    subprocess.run(
        [str(EXAMPLE), f"--pcap={prefix}", f"--octets={OCTETS}", "--reordering=0", *arguments],
        check=True, stdout=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    return [Path(f"{prefix}-{side}.pcap") for side in ("before", "behind")]


def check(most: int, coalesce: int, ipv6: bool, before: Reading, behind: Reading) -> list[str]:
    """Return what is wrong with the two files of a run."""
    problems = before.problems + behind.problems
    came, went = before.segments, behind.segments
    if coalesce == 0:
        want = [(seq + at, min(most, size - at)) for seq, size in came for at in range(0, size, most)]
        if went != want:
            problems.append(f"{len(went)} segments behind the box, not {len(want)} of at most {most}")
    else:
        largest = most or MSS - 20 * ipv6
        if sum(size == largest for _, size in went) < 0.8 * len(went) or went == came:
            problems.append(f"few of {len(went)} segments behind the box have {largest} octets")
    if before.streams != behind.streams or len(before.streams[False]) < 2 * OCTETS:
        problems.append("the streams before and behind the box differ")
    return problems


def main() -> int:
    if shutil.which("tshark") is None:
        print("tshark is not installed: skipped")
        return SKIP
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pcaps = {case: run(folder, *case) for case in CASES}
        # what is wrong has to be seen
        octets = bytearray(pcaps[CASES[0]][1].read_bytes())
        octets[len(octets) // 2] ^= 1
        changed = folder / "changed.pcap"
        changed.write_bytes(octets)
        readings = read([*(pcap for pair in pcaps.values() for pcap in pair), changed])
    for case, (before, behind) in pcaps.items():
        found = check(*case, readings[before], readings[behind])
        problems += found
        most, coalesce, ipv6 = case
        print(f"{'FAIL' if found else 'PASS'} at most {most}, gathered {coalesce}, IPv{6 if ipv6 else 4}")
    before = readings[pcaps[CASES[0]][0]]
    if len(readings[changed].problems) != 1 or readings[changed].streams == before.streams:
        problems.append("a changed octet goes unseen")
    print("\n".join(problems[:50]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
