#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tshark reads the pcap files of the examples: startup frames, every FPDU, CRC, Markers, checksums.

Anything that tshark calls malformed, a bad checksum, a bad CRC or a warning is a failure. Examples over
queue pairs: each segment of each message, by opcode.

What tshark 4.0 cannot read is left out of what the examples are asked for: it looks for an FPDU at
the head of a segment and for one only if there are Markers, and where an FPDU that holds a Marker
ends exactly where the next Marker is due it counts one too many. With equal FPDUs the latter
happens first behind 127 of them (508 = 4 * 127). Where segments come out of order it reassembles
several into one, so that with Markers only the sender's side of such a path is read for FPDUs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from iwarp.development.requirement_record import covers

sys.path.insert(0, str(Path(__file__).resolve().parent / "tshark"))
from merged import Merged  # noqa: E402

SKIP = 77
EXAMPLES = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples"
FIELDS = (
    "frame.number", "ip.src", "ipv6.src", "tcp.stream", "tcp.seq", "tcp.len", "iwarp_mpa.ulpdulength",
    "iwarp_mpa.marker_fpduptr", "iwarp_mpa.rev", "iwarp_mpa.crc_flag", "iwarp_mpa.marker_flag",
    "iwarp_ddp.tagged_offset", "iwarp_ddp.stag", "iwarp_ddp.last_flag", "iwarp_rdma.opcode", "_ws.malformed",
    "tcp.checksum.status", "ip.checksum.status", "_ws.expert.severity", "_ws.expert.message",
)  # fmt: skip
CHECKSUMS = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
MPA = ["-o", "tcp.try_heuristic_first:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE"]
PLAIN = ["-d", "tcp.port==20049,data"]  #: a payload of zeros is no protocol, whatever it guesses
WARNING = 0x00600000  #: PI_WARN; errors are above, notes and chats below


@dataclass
class Reading:
    """What tshark finds in a file."""

    frames: list[dict[str, list[str]]] = field(default_factory=list)  #: fields of each frame, each with its values
    good: int = 0  #: CRCs
    bad: int = 0


def tshark(pcap: Path, *arguments: str) -> str:
    """Return what tshark prints of a file."""
    command = ["tshark", "-n", "-r", str(pcap), *CHECKSUMS, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def available_fields() -> list[str]:
    """Return those of FIELDS that this tshark knows, each of them if it is 4.0 or later."""
    lines = subprocess.run(["tshark", "-G", "fields"], check=True, capture_output=True, text=True).stdout.splitlines()
    known = {line.split("\t")[2] for line in lines if line.startswith("F\t")}
    return [name for name in FIELDS if name in known or name.startswith("_ws.")]


def read(pcaps: list[Path], mpa: bool) -> dict[Path, Reading]:
    """Return what tshark finds in each file."""
    readings = {pcap: Reading() for pcap in pcaps}
    fields = available_fields()
    arguments = MPA if mpa else PLAIN
    columns = ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=|"]
    for name in fields:
        columns += ["-e", name]
    merged = Merged(pcaps, pcaps[0].parent / "merged.pcapng")
    for number, line in enumerate(tshark(merged.path, *arguments, *columns).splitlines()):
        values = line.split("\t")
        frame = {f: v.split("|") if v else [] for f, v in zip(fields, values, strict=True)}
        for name in ("ip.src", "ipv6.src"):
            frame[name] = [merged.original[address] for address in frame[name]]
        readings[pcaps[merged.capture_of(number)]].frames.append(frame)
    if mpa:
        number = -1
        for line in tshark(merged.path, *arguments, "-O", "iwarp_mpa").splitlines():
            number += line.startswith("Frame ")
            reading = readings[pcaps[merged.capture_of(max(number, 0))]]
            reading.good += line.count("(Good CRC32)")
            reading.bad += line.count("Bad CRC32")
    return readings


def complain(problems: list[str], pcap: Path, frame: dict[str, list[str]], text: str) -> None:
    problems.append(f"{pcap.name}, frame {frame['frame.number'][0]}: {text}")


def check_frames(pcap: Path, frames: list[dict[str, list[str]]], tolerated: tuple[str, ...]) -> list[str]:
    """Return what tshark finds wrong with any frame; expert texts that begin with ``tolerated`` are let pass."""
    problems: list[str] = []
    for frame in frames:
        if frame["_ws.malformed"]:
            complain(problems, pcap, frame, "malformed")
        if frame["tcp.len"] and frame["tcp.checksum.status"] != ["1"]:
            complain(problems, pcap, frame, f"TCP checksum status {frame['tcp.checksum.status']}, not 1 (good)")
        if frame["ip.src"] and frame["ip.checksum.status"] != ["1"]:
            complain(problems, pcap, frame, f"IP checksum status {frame['ip.checksum.status']}, not 1 (good)")
        for severity, message in zip(frame["_ws.expert.severity"], frame["_ws.expert.message"], strict=False):
            if int(severity, 0) >= WARNING and not message.startswith(tolerated):
                complain(problems, pcap, frame, f"expert: {message}")
    return problems


def check_crcs(pcap: Path, reading: Reading, fpdus: int, crc: bool) -> list[str]:
    """Return whether tshark calls each FPDU's CRC good."""
    if reading.bad or (crc and reading.good != fpdus):
        return [f"{pcap.name}: {reading.good} good and {reading.bad} bad CRCs in {fpdus} FPDUs"]
    return []


def check_startup(pcap: Path, frames: list[dict[str, list[str]]], markers: bool, crc: bool) -> list[str]:
    """Return what is wrong with the Request and the Reply."""
    startup = [frame for frame in frames if frame["iwarp_mpa.rev"]]
    problems = [] if len(startup) == 2 else [f"{pcap.name}: {len(startup)} startup frames, not a Request and a Reply"]
    for frame in startup:
        flags = frame["iwarp_mpa.marker_flag"], frame["iwarp_mpa.crc_flag"], frame["iwarp_mpa.rev"]
        if flags != ([str(int(markers))], [str(int(crc))], ["1"]):
            complain(problems, pcap, frame, f"M, C, Rev are {flags}")
    return problems


def check_markers(pcap: Path, frames: list[dict[str, list[str]]], aligned: bool) -> list[str]:
    """Return what is wrong with FPDUPTRs, given one FPDU a segment, at its head."""
    problems: list[str] = []
    start: dict[str, int] = {}
    for frame in frames:
        if not frame["tcp.len"] or not int(frame["tcp.len"][0]):
            continue
        source = (frame["ip.src"] or frame["ipv6.src"])[0]
        seq, size = int(frame["tcp.seq"][0]), int(frame["tcp.len"][0])
        if frame["iwarp_mpa.rev"]:
            start[source] = seq + size
        elif aligned and frame["iwarp_mpa.ulpdulength"]:
            first = -(seq - start[source]) % 512
            length_field = 4 if first == 0 else 0  # a Marker may stand right before the FPDU
            want = [str(max(at - length_field, 0)) for at in range(first, size, 512)]
            if frame["iwarp_mpa.marker_fpduptr"] != want:
                complain(problems, pcap, frame, f"FPDUPTRs {frame['iwarp_mpa.marker_fpduptr']}, not {want}")
    return problems


def check_messages(pcap: Path, frames: list[dict[str, list[str]]], messages: int, size: int) -> list[str]:
    """Return whether the tagged headers describe all messages, each octet once."""
    got: dict[int, list[tuple[int, int]]] = {}
    for frame in frames:
        headers = zip(
            frame["iwarp_ddp.stag"], frame["iwarp_ddp.tagged_offset"], frame["iwarp_mpa.ulpdulength"], strict=False
        )
        for stag, offset, length in headers:
            got.setdefault(int(stag, 0), []).append((int(offset, 0), int(length) - 14))
    problems = [] if sorted(got) == list(range(messages)) else [f"{pcap.name}: messages {sorted(got)}"]
    for stag, parts in got.items():
        at = 0
        for offset, length in sorted(parts):
            if offset != at:
                problems.append(f"{pcap.name}: message {stag} has {offset} behind {at}")
            at = offset + length
        if at != size:
            problems.append(f"{pcap.name}: message {stag} has {at} octets, not {size}")
    return problems


def run(name: str, prefix: Path, *arguments: str) -> list[Path]:
    """Run an example and return its pcap files."""
    subprocess.run(
        [str(EXAMPLES / name), f"--pcap={prefix}", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=120
    )
    files = sorted(prefix.parent.glob(f"{prefix.name}-*.pcap"))
    if len(files) != 2:
        sys.exit(f"{name} {' '.join(arguments)} wrote {len(files)} pcap files, not 2")
    return files


def check_case(pcaps: list[Path], readings: dict[Path, Reading], want: dict) -> list[str]:
    """Return what is wrong with the pcap files of an example."""
    problems: list[str] = []
    markers, crc = want.get("markers", True), want.get("crc", True)
    for side, pcap in enumerate(pcaps):
        frames = readings[pcap].frames
        problems += check_frames(pcap, frames, want.get("tolerated", ()))
        if not want.get("mpa", True) or side not in want.get("sides", (0, 1)):
            continue
        problems += check_startup(pcap, frames, markers, crc)
        problems += check_crcs(pcap, readings[pcap], want["fpdus"], crc)
        fpdus = sum(len(frame["iwarp_mpa.ulpdulength"]) for frame in frames)
        if fpdus != want["fpdus"]:
            problems.append(f"{pcap.name}: {fpdus} FPDUs, not {want['fpdus']}")
        if not problems:
            problems += check_messages(pcap, frames, want["messages"], want["size"])
            problems += check_markers(pcap, frames, markers and want.get("aligned", True))
    return problems


# what tshark says of a path that loses, and of TCP that closes: no fault of a packet's. A copy that comes when the
# connection is over is reset (RFC 9293 section 3.10.7.1)
LOSSY = (
    "This frame is a (suspected)", "Previous segment", "D-SACK", "ACKed segment that wasn't captured", "Duplicate ACK",
    "This packet has an out-of-order", "This frame is a retransmission", "Connection reset (RST)",
)  # fmt: skip

ONE = ["--sizes=fixed:1100"]
CASES = [
    ("iwarp-two-nodes", [*ONE, "--messages=126"], {"fpdus": 126, "messages": 126, "size": 1100}),
    ("iwarp-two-nodes", [*ONE, "--messages=126", "--ipv6=true"], {"fpdus": 126, "messages": 126, "size": 1100}),
    (
        "iwarp-two-nodes",
        ["--sizes=fixed:60000", "--messages=50", "--markers=false"],
        {"fpdus": 50 * 43, "messages": 50, "size": 60000, "markers": False},
    ),
    (
        "iwarp-two-nodes",
        ["--sizes=fixed:60000", "--messages=8", "--mtu=9000"],
        {"fpdus": 8 * 7, "messages": 8, "size": 60000},
    ),
    (
        "iwarp-two-nodes",
        [*ONE, "--messages=126", "--crc=false", "--markers=false"],
        {"fpdus": 126, "messages": 126, "size": 1100, "crc": False, "markers": False},
    ),
    (
        "iwarp-loss-reordering",
        [*ONE, f"--octets={126 * 1100}", "--loss=0.03", "--reordering=0.05"],
        {"fpdus": 126, "messages": 126, "size": 1100, "aligned": False, "sides": (0,), "tolerated": LOSSY},
    ),
    (
        "iwarp-loss-reordering",
        ["--sizes=fixed:60000", "--octets=600000", "--markers=false", "--ipv6=true"],
        {"fpdus": 10 * 43, "messages": 10, "size": 60000, "markers": False, "tolerated": LOSSY},
    ),
    ("iwarp-plain-application", ["--octets=300000"], {"mpa": False}),
    ("iwarp-plain-application", ["--octets=300000", "--ipv6=true"], {"mpa": False}),
]


# an example, its arguments, and the opcodes that each side is to send, with their numbers of segments:
# 1428 octets of a tagged message fill a segment, 1424 of an untagged one
WRITE, READ_REQUEST, READ_RESPONSE, SEND, ATOMIC_REQUEST, ATOMIC_RESPONSE = 0, 1, 2, 3, 10, 11
RDMA_CASES = [
    (
        "iwarp-rdma-verbs",
        ["--text=as-many-octets-as-a-line-on-a-screen-may-take"],
        {WRITE: 1, READ_REQUEST: 1, ATOMIC_REQUEST: 1, SEND: 1},
        {READ_RESPONSE: 1, ATOMIC_RESPONSE: 1},
    ),
    ("iwarp-rdma-perf", ["--test=write_bw", "--size=5000", "--iters=20"], {WRITE: 80}, {}),
    ("iwarp-rdma-perf", ["--test=write_lat", "--size=5000", "--iters=20"], {WRITE: 80}, {WRITE: 80}),
    # half of the server's 512 receives are free again twice
    ("iwarp-rdma-perf", ["--test=send_bw", "--size=2000", "--iters=520"], {SEND: 1040}, {WRITE: 2}),
    # two octets would do, but are too few for tshark's guess at what a Send carries
    ("iwarp-rdma-perf", ["--test=send_lat", "--size=100", "--iters=20", "--ipv6=true"], {SEND: 20}, {SEND: 20}),
    ("iwarp-rdma-perf", ["--test=read_bw", "--size=5000", "--iters=20"], {READ_REQUEST: 20}, {READ_RESPONSE: 80}),
    ("iwarp-rdma-perf", ["--test=atomic_lat", "--iters=20"], {ATOMIC_REQUEST: 20}, {ATOMIC_RESPONSE: 20}),
    (
        "iwarp-rdma-perf",
        ["--test=read_bw", "--size=3000", "--iters=20", "--qp=3", "--bidirectional=true"],
        {READ_REQUEST: 60, READ_RESPONSE: 180},
        {READ_REQUEST: 60, READ_RESPONSE: 180},
    ),
    (
        "iwarp-rdma-storage",
        ["--requests=20", "--sizes=fixed:5000", "--reads=0"],
        {SEND: 20, READ_RESPONSE: 80},
        {READ_REQUEST: 20, SEND: 20},
    ),
    ("iwarp-rdma-storage", ["--requests=20", "--sizes=fixed:5000", "--reads=1"], {SEND: 20}, {WRITE: 80, SEND: 20}),
    ("iwarp-rdma-storage", ["--requests=20", "--sizes=fixed:1000", "--ipv6=true"], {SEND: 20}, {SEND: 20}),
]


def check_rdma_case(pcaps: list[Path], readings: dict[Path, Reading], want: list[dict[int, int]]) -> list[str]:
    """Return what is wrong with the pcap files of an example over queue pairs."""
    problems: list[str] = []
    for pcap in pcaps:
        frames = readings[pcap].frames
        # the oldest dissectors do not know the enhanced frames of RFC 6581
        problems += check_frames(pcap, frames, ("Unknown revision",))
        problems += check_crcs(pcap, readings[pcap], sum(sum(counts.values()) for counts in want), True)
        for frame in frames:
            if frame["iwarp_mpa.rev"] and frame["iwarp_mpa.rev"] != ["2"]:
                complain(problems, pcap, frame, f"revision {frame['iwarp_mpa.rev']}, not 2")
        got: dict[str, dict[int, int]] = {}
        for frame in frames:
            source = "".join(frame["ip.src"] or frame["ipv6.src"])
            for opcode in frame["iwarp_rdma.opcode"]:
                counts = got.setdefault(source, {})
                counts[int(opcode, 0)] = counts.get(int(opcode, 0), 0) + 1
        # hosts in the order of their addresses
        counted = [got[source] for source in sorted(got)]
        if counted != [counts for counts in want if counts]:
            problems.append(f"{pcap.name}: opcodes {got}, not {want}")
    return problems


# what is wrong has to be seen: a stream cut anywhere, and one octet changed
ORACLE = ["--sizes=fixed:1100", "--octets=138600", "--loss=0", "--reordering=0", "--duplication=0"]
ORACLE_WANT = {"fpdus": 126, "messages": 126, "size": 1100}


def check_oracle(good: list[Path], cut: list[Path], changed: Path, readings: dict[Path, Reading]) -> list[str]:
    """Return a problem if what is wrong goes unseen."""
    problems = []
    if check_case(good, readings, ORACLE_WANT):
        problems.append("a good stream is not read")
    if not check_case(cut, readings, ORACLE_WANT):
        problems.append("FPDUs that begin anywhere in a segment go unseen")
    reading = readings[changed]
    if not check_frames(changed, reading.frames, ()) or not check_crcs(changed, reading, 126, True):
        problems.append("a changed octet goes unseen")
    return problems


def check_all(folder: Path) -> tuple[list[str], list[str]]:
    """Return what is wrong with the pcap files of all examples, and what with those over queue pairs."""
    cases = [run(example, folder / f"case{i}", *arguments) for i, (example, arguments, _) in enumerate(CASES)]
    rdma = [
        run(example, folder / f"rdma{i}", "--markers=false", *arguments)
        for i, (example, arguments, *_) in enumerate(RDMA_CASES)
    ]
    good = run("iwarp-loss-reordering", folder / "good", *ORACLE)
    cut = run("iwarp-loss-reordering", folder / "cut", *ORACLE, "--alignment=false")
    octets = bytearray(good[0].read_bytes())
    octets[len(octets) // 2] ^= 1
    changed = folder / "changed.pcap"
    changed.write_bytes(octets)

    plain = [pcap for case, pcaps in zip(CASES, cases, strict=True) if not case[2].get("mpa", True) for pcap in pcaps]
    others = [pcap for pcaps in [*cases, *rdma, good, cut, [changed]] for pcap in pcaps if pcap not in plain]
    readings = read(plain, False) | read(others, True)

    problems: list[str] = []
    rdma_problems: list[str] = []
    for (example, arguments, want), pcaps in zip(CASES, cases, strict=True):
        problems += told(f"{example} {' '.join(arguments)}", check_case(pcaps, readings, want))
    for (example, arguments, *want), pcaps in zip(RDMA_CASES, rdma, strict=True):
        rdma_problems += told(f"{example} {' '.join(arguments)}", check_rdma_case(pcaps, readings, want))
    problems += told("faults are seen", check_oracle(good, cut, changed, readings))
    return problems, rdma_problems


def told(name: str, problems: list[str]) -> list[str]:
    """Print how it went, and return the problems with the name before each."""
    print(f"{'FAIL' if problems else 'PASS'} {name}")
    return [f"{name}: {problem}" for problem in problems]


def main() -> int:
    if shutil.which("tshark") is None:
        print("tshark is not installed: skipped")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        problems, rdma_problems = check_all(Path(folder))
    assert not problems, "\n".join(problems[:50])
    covers("MPA-4.1-01 MPA-4.1-06 MPA-4.3-04 MPA-4.3-05 MPA-4.3-07")
    assert not rdma_problems, "\n".join(rdma_problems[:50])
    covers("MPA-7.1.1-01 MPA-7.1.1-03 RDMAP-4.1-04 RDMAP-6.1-01")
    return 0


if __name__ == "__main__":
    sys.exit(main())
