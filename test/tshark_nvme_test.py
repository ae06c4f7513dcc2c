#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""iwarp decode and tshark find the same PDUs of NVMe/TCP, in captures of Linux and in pcap files of the example.

Compared are, for each direction of each connection, all PDUs in their order: common headers, what ICReq and ICResp
settle, commands, completions, transfers, what TermReq PDUs say, and the verdict on digests. Nothing is malformed for
tshark, and in what the example sends no checksum and no digest is wrong, nor does tshark warn of anything.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tshark"))
from merged import Merged
from pdml import ends_of, fields, number

SKIP = 77
ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
EXAMPLE = Path(os.environ.get("IWARP_BUILD_DIR", ROOT / "build")) / "examples" / "iwarp-nvme-tcp"
WARNING = 0x600000  #: severity of tshark's expert information
CAPTURES = ROOT / "test" / "data" / "nvme"
ORACLE = CAPTURES / "digests_mtu1500.pcap"
CONNECT, READY = "0403484c50040000", "090118001c00000016000a00"  # how two PDUs in it begin, at the head of a segment
NAMES = {0: "ic_req", 1: "ic_resp", 2: "h2c_term_req", 3: "c2h_term_req", 4: "capsule_cmd", 5: "capsule_resp",
         6: "h2c_data", 7: "c2h_data", 9: "r2t"}  # fmt: skip
HEADER = {"flags": "flags", "hlen": "hlen", "pdo": "pdo", "wire_length": "plen"}
#: fields of iwarp decode by their names in tshark
FIELDS = {
    "ic_req": {"pfv": "icreq.pfv", "hpda": "icreq.hpda", "dgst": "icreq.digest", "maxr2t": "icreq.maxr2t"},
    "ic_resp": {"pfv": "icresp.pfv", "cpda": "icresp.cpda", "dgst": "icresp.digest", "maxh2cdata": "icresp.maxdata"},
    "h2c_term_req": {},
    "c2h_term_req": {},
    "capsule_resp": {},
    "capsule_cmd": {},
    "h2c_data": {"cccid": "cmd.cid", "ttag": "ttag", "datao": "data.offset", "datal": "data.length"},
    "c2h_data": {"cccid": "cmd.cid", "datao": "data.offset", "datal": "data.length"},
    "r2t": {"cccid": "cmd.cid", "ttag": "ttag", "r2to": "r2t.offset", "r2tl": "r2t.length"},
}
TERM = {"fes": "fes", "phfo": "fei", "phd": "fei", "upfo": "fei"}  #: names of FEI depend on FES
#: fields of commands and completions by the names that other dissectors have for them
COMMAND = {
    "cid": ("nvme.fabrics.cmd.cid", "nvme.cmd.cid"),
    "nsid": ("nvme.cmd.nsid",),
    "fctype": ("nvme.fabrics.cmd.fctype",),
    "qid": ("nvme.fabrics.cmd.connect.qid",),
    "sqsize": ("nvme.fabrics.cmd.connect.sqsize",),
    "kato": ("nvme.fabrics.cmd.connect.kato",),
    "ofst": ("nvme.fabrics.cmd.prop_get_set.offset",),
    "cns": ("nvme.cmd.identify.cns",),
    "slba": ("nvme.cmd.slba",),
    "nlb": ("nvme.cmd.nlb",),
    "sgl1_length": ("nvme.cmd.sgl1.len",),
}
COMPLETION = {"cid": ("nvme.cqe.cid",), "sqhd": ("nvme.cqe.sqhd",), "status": ("nvme.cqe.status",)}
Found = dict[tuple[str, str], list[dict]]  #: by sender and receiver: PDUs in order

SMALL, LARGE = "--sizes=fixed:20480", "--sizes=fixed:300032"
NO_ADMIN = "--admin=false"
#: arguments of the example, and how many PDUs of each kind the host and the target of a case are to send: a command is
#: of 40 blocks or of 586, which one H2CData or C2HData takes, and without Connect each command has a response
CASES: list[tuple[list[str], dict[str, int], dict[str, int]]] = [
    ([NO_ADMIN, SMALL, "--reads=0", "--requests=9"], {"ic_req": 1, "capsule_cmd": 9, "h2c_data": 9},
     {"ic_resp": 1, "r2t": 9, "capsule_resp": 9}),
    ([NO_ADMIN, LARGE, "--reads=0", "--requests=4", "--inCapsule=0", "--ipv6=true", "--dataDigest=false"],
     {"ic_req": 1, "capsule_cmd": 4, "h2c_data": 4}, {"ic_resp": 1, "r2t": 4, "capsule_resp": 4}),
    ([NO_ADMIN, SMALL, "--reads=0", "--requests=9", "--inCapsule=32768", "--queues=3"],
     {"ic_req": 3, "capsule_cmd": 9}, {"ic_resp": 3, "capsule_resp": 9}),
    ([NO_ADMIN, SMALL, "--reads=1", "--requests=9", "--headerDigest=false", "--mtu=9000"],
     {"ic_req": 1, "capsule_cmd": 9}, {"ic_resp": 1, "c2h_data": 9, "capsule_resp": 9}),
    ([NO_ADMIN, LARGE, "--reads=1", "--requests=4", "--align=false", "--ipv6=true"],
     {"ic_req": 1, "capsule_cmd": 4}, {"ic_resp": 1, "c2h_data": 4, "capsule_resp": 4}),
    ([NO_ADMIN, SMALL, "--reads=1", "--requests=9", "--plain=true", "--headerDigest=false", "--dataDigest=false"],
     {"ic_req": 1, "capsule_cmd": 9}, {"ic_resp": 1, "c2h_data": 9, "capsule_resp": 9}),
]  # fmt: skip
#: with an admin queue and with requests of both kinds: PDUs are compared, not counted
MIXED = [["--requests=20", "--backed=true", "--queues=2"], ["--requests=20", "--hosts=3", "--ipv6=true"]]


@dataclass
class Dissected:
    """What tshark finds in a capture."""

    pdus: Found = field(default_factory=dict)
    malformed: int = 0  #: frames
    complaints: list[str] = field(default_factory=list)  #: of frames: warnings, wrong checksums


def dissect(merged: Merged, captures: int, checksums: bool = False) -> list[Dissected]:
    """Return what tshark finds in each capture, and with checksums whether these are good."""
    command = ["tshark", "-n", "-r", str(merged.path), "-d", "tcp.port==4420,nvme-tcp", "-o",
               "tcp.reassemble_out_of_order:TRUE", "-o", "nvme-tcp.check_hdgst:TRUE", "-o",
               "nvme-tcp.check_ddgst:TRUE", "-T", "pdml"]  # fmt: skip
    for layer in ("tcp", "ip") if checksums else ():
        command += ["-o", f"{layer}.check_checksum:TRUE"]
    found = [Dissected() for _ in range(captures)]
    packets = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for _, packet in ElementTree.iterparse(process.stdout):
            if packet.tag != "packet":
                continue
            capture = found[merged.capture_of(packets)]
            capture.complaints += complaints(packet)
            items: list[dict] = []
            for proto in packet.iter("proto"):
                known = fields(proto)
                capture.malformed += proto.get("name") == "_ws.malformed"
                if proto.get("name") == "nvme-tcp":
                    items.append(tshark_pdu(known))
                if proto.get("name") in ("nvme-tcp", "nvme") and items:
                    items[-1].update(tshark_command(known))
                if proto.get("name") == "fake-field-wrapper" and items:
                    items[-1].update(tshark_term(known))
            if items:
                capture.pdus.setdefault(ends_of(packet, merged.original), []).extend(items)
            packets += 1
            packet.clear()
    return found


def complaints(packet: ElementTree.Element) -> list[str]:
    """Return what tshark has against a frame: checksums that are not good, and warnings."""
    found = []
    for entry in packet.iter("field"):
        name, shown = entry.get("name"), entry.get("show", "")
        if name in ("tcp.checksum.status", "ip.checksum.status") and shown != "1":
            found.append(f"{name} {shown}, not 1 (good)")
        elif name == "_ws.expert":
            known = fields(entry)
            if number(known["_ws.expert.severity"]) >= WARNING:
                found.append(known["_ws.expert.message"].get("show", ""))
    return found


def tshark_pdu(known: dict[str, ElementTree.Element]) -> dict:
    """Return a PDU's header and the verdict on its digests."""
    name = NAMES[number(known["nvme-tcp.type"])]
    pdu = {"event": name}
    pdu |= {ours: number(known[f"nvme-tcp.{theirs}"]) for ours, theirs in HEADER.items()}
    pdu |= {ours: number(known[f"nvme-tcp.{theirs}"]) for ours, theirs in FIELDS[name].items()}
    verdicts = {
        known[f"nvme-tcp.{d}.status"].get("show") for d in ("hdgst", "ddgst") if f"nvme-tcp.{d}.status" in known
    }
    pdu["digest"] = "off" if not verdicts else "good" if verdicts == {"1"} else "bad"
    return pdu


def tshark_term(known: dict[str, ElementTree.Element]) -> dict:
    """Return what is there of a TermReq, which tshark has beside the PDU's header."""
    prefixes = ("nvme-tcp.h2ctermreq.", "nvme-tcp.c2htermreq.")
    return {ours: number(known[p + theirs]) for theirs, ours in TERM.items() for p in prefixes if p + theirs in known}


def tshark_command(known: dict[str, ElementTree.Element]) -> dict:
    """Return what is there of a command or a completion."""
    wanted = COMPLETION if "nvme.cqe.cid" in known else COMMAND
    found = {}
    for name, candidates in wanted.items():
        for candidate in candidates:
            if candidate in known:
                found[name] = number(known[candidate])
                break
    if "nlb" in found:
        found["nlb"] -= 1  # tshark shows how many blocks there are, not the field
    return found


def ours(pcap: Path) -> Found:
    """Return what iwarp decode finds."""
    from iwarp import decode

    found: Found = {}
    for event in decode(pcap):
        if event.get("layer") == "nvme-tcp" and event["event"] not in ("error", "note"):
            found.setdefault((event["from"], event["to"]), []).append(event)
    return found


def compare(name: str, theirs: Found, mine: Found) -> list[str]:
    """Return what is different in PDUs, and in the fields of which tshark knows."""
    problems = []
    for ends in sorted(theirs.keys() | mine.keys()):
        a, b = theirs.get(ends, []), mine.get(ends, [])
        if len(a) != len(b):
            problems.append(f"{name} {' > '.join(ends)}: tshark has {len(a)} PDUs, we have {len(b)}")
        for number_, (one, other) in enumerate(zip(a, b, strict=False)):
            different = {key: (value, other.get(key)) for key, value in one.items() if other.get(key) != value}
            if different:
                problems.append(f"{name} {' > '.join(ends)}: PDU {number_}, {one['event']}: {different}")
    return problems


def check_changes(folder: Path, theirs: Found) -> list[str]:
    """Return a problem if a changed octet goes unseen, in a header, in a digest or in data."""
    octets = ORACLE.read_bytes()
    unseen = []
    for head, offsets in ((CONNECT, (1, 40, 74, 400, 1102)), (READY, (3, 10, 17, 26))):
        at = octets.index(bytes.fromhex(head))
        for offset in offsets:
            changed = folder / "changed.pcap"
            copy = bytearray(octets)
            copy[at + offset] ^= 1
            copy[at - 16 : at - 14] = bytes(2)  # a TCP checksum of 0 is not looked at
            changed.write_bytes(copy)
            if not compare(ORACLE.name, theirs, ours(changed)):
                unseen.append(f"octet {offset} of {head} changed goes unseen")
    return unseen


def check_captures(folder: Path) -> list[str]:
    """Return where tshark and iwarp decode differ in captures of Linux."""
    problems = []
    pcaps = sorted(CAPTURES.glob("*.pcap"))
    dissected = dissect(Merged(pcaps, folder / "captures.pcapng"), len(pcaps))
    for pcap, theirs in zip(pcaps, dissected, strict=True):
        found = compare(pcap.name, theirs.pdus, ours(pcap))
        found += [f"{pcap.name}: tshark finds {theirs.malformed} malformed frames"] if theirs.malformed else []
        problems += told(f"{pcap.name}: {sum(map(len, theirs.pdus.values()))} PDUs", found)
    problems += told("changes are seen", check_changes(folder, dissected[pcaps.index(ORACLE)].pdus))
    return problems if len(pcaps) >= 10 else [*problems, f"{len(pcaps)} captures"]


def run(prefix: Path, arguments: list[str]) -> list[Path]:
    """Run the example and return its pcap files, one a host and one of the target."""
    subprocess.run([str(EXAMPLE), f"--pcap={prefix}", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=120)
    return sorted(prefix.parent.glob(f"{prefix.name}-*.pcap"))


def check_counts(pdus: Found, host: dict[str, int], target: dict[str, int]) -> list[str]:
    """Return where ends of a case have sent other PDUs than they are to send."""
    counts = {host_sends: Counter[str]() for host_sends in (True, False)}
    for (_, receiver), items in pdus.items():
        counts[receiver.endswith(":4420")].update(pdu["event"] for pdu in items)
    wanted = ((True, host), (False, target))
    return [f"{dict(counts[end])}, not {want}" for end, want in wanted if counts[end] != want]


def check_examples(folder: Path) -> list[str]:
    """Return what is wrong in pcap files of the example."""
    runs = [(arguments, run(folder / f"counted{i}", arguments)) for i, (arguments, *_) in enumerate(CASES)]
    runs += [(arguments, run(folder / f"mixed{i}", arguments)) for i, arguments in enumerate(MIXED)]
    pcaps = [pcap for _, files in runs for pcap in files]
    dissected = dict(zip(pcaps, dissect(Merged(pcaps, folder / "examples.pcapng"), len(pcaps), True), strict=True))
    problems = []
    for number_, (arguments, files) in enumerate(runs):
        found = [] if len(files) >= 2 else [f"{len(files)} pcap files"]
        for pcap in files:
            theirs = dissected[pcap]
            found += compare(pcap.name, theirs.pdus, ours(pcap))
            found += [f"{theirs.malformed} malformed frames"] if theirs.malformed else []
            found += theirs.complaints
            found += [f"{pdu['event']} with a bad digest" for pdus in theirs.pdus.values() for pdu in pdus
                      if pdu["digest"] == "bad"]  # fmt: skip
            if number_ < len(CASES):
                found += check_counts(theirs.pdus, *CASES[number_][1:])
        problems += told(f"iwarp-nvme-tcp {' '.join(arguments)}", found)
    return problems


def write_pcap(path: Path, pdus: list[tuple[bool, bytes]]) -> None:
    """Write a capture of a connection: PDUs of the host (true) or of the target, in their order, a segment each."""
    ports, at = {True: 50000, False: 4420}, {True: 0, False: 0}
    segments = [(True, 0x02, b""), (False, 0x12, b""), (True, 0x10, b""), *((end, 0x18, data) for end, data in pdus)]
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for number_, (host, flags, data) in enumerate(segments):
            end, other = (ports[host], at[host]), (ports[not host], at[not host])
            tcp = struct.pack(">HHIIBBHHH", end[0], other[0], end[1], other[1], 5 << 4, flags, 65535, 0, 0)
            size = 20 + len(tcp) + len(data)
            hosts = (bytes((10, 0, 0, 1 if sender else 2)) for sender in (host, not host))
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, number_, 0, 64, 6, 0, *hosts)
            file.write(struct.pack("<IIII", number_, 0, size, size) + ip + tcp + data)
            at[host] += len(data) + (flags & 2) // 2


def check_termination(folder: Path) -> list[str]:
    """Return where tshark and iwarp decode differ in TermReq PDUs, of each FES in either direction."""
    ic_req = struct.pack("<BBBBIHBBI112x", 0, 0, 128, 0, 128, 0, 0, 0, 0)
    ic_resp = struct.pack("<BBBBIHBBI112x", 1, 0, 128, 0, 128, 0, 0, 0, 131072)
    refused = struct.pack("<BBBBI64x", 4, 0, 72, 0, 72)  # of which the PDU tells
    pcaps = []
    for host in (True, False):
        for fes in range(1, 7):
            fei = {1: 4, 3: 0x12345678, 6: 10}.get(fes, 0)  # the offset of a field, the digest received, an offset
            term = struct.pack("<BBBBIHI10x", 2 if host else 3, 0, 24, 0, 24 + len(refused), fes, fei) + refused
            pcaps.append(folder / f"{'h2c' if host else 'c2h'}{fes}.pcap")
            write_pcap(pcaps[-1], [(True, ic_req), (False, ic_resp), (host, term)])
    problems = []
    for pcap, theirs in zip(pcaps, dissect(Merged(pcaps, folder / "terms.pcapng"), len(pcaps)), strict=True):
        found = compare(pcap.name, theirs.pdus, ours(pcap))
        found += (
            [] if sum("fes" in pdu for pdus in theirs.pdus.values() for pdu in pdus) == 1 else ["tshark has no FES"]
        )
        problems += told(f"TermReq {pcap.stem}", found)
    return problems


def told(name: str, problems: list[str]) -> list[str]:
    """Print how it went, and return the problems with the name before each."""
    print(f"{'FAIL' if problems else 'PASS'} {name}")
    return [f"{name}: {problem}" for problem in problems]


def main() -> int:
    if shutil.which("tshark") is None:
        print("tshark is not installed: skipped")
        return SKIP
    try:
        import cppyy  # noqa: F401
    except ImportError:
        print("this Python has no cppyy: skipped")
        return SKIP
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problems = check_captures(folder) + check_examples(folder) + check_termination(folder)
    print("\n".join(problems[:50]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
