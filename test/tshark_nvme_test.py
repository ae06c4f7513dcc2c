#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""iwarp decode and tshark find the same PDUs of NVMe/TCP, in captures of Linux and in pcap files of the example.

Compared are, for each direction of each connection, all PDUs in their order: common headers, what ICReq and ICResp
settle, commands, completions, transfers, and the verdict on digests. Nothing is malformed for tshark.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tshark"))
from merged import Merged

SKIP = 77
ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
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
    "h2c_term_req": {"fes": "h2ctermreq.fes"},
    "c2h_term_req": {"fes": "c2htermreq.fes"},
    "capsule_resp": {},
    "capsule_cmd": {},
    "h2c_data": {"cccid": "cmd.cid", "ttag": "ttag", "datao": "data.offset", "datal": "data.length"},
    "c2h_data": {"cccid": "cmd.cid", "datao": "data.offset", "datal": "data.length"},
    "r2t": {"cccid": "cmd.cid", "ttag": "ttag", "r2to": "r2t.offset", "r2tl": "r2t.length"},
}
FEI = ("phfo", "phd", "upfo")  #: names of FEI, by FES
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


def dissect(merged: Merged, captures: int) -> tuple[list[Found], list[int]]:
    """Return what tshark finds in each capture, and how many malformed frames it tells of."""
    command = ["tshark", "-n", "-r", str(merged.path), "-d", "tcp.port==4420,nvme-tcp", "-o",
               "tcp.reassemble_out_of_order:TRUE", "-o", "nvme-tcp.check_hdgst:TRUE", "-o",
               "nvme-tcp.check_ddgst:TRUE", "-T", "pdml"]  # fmt: skip
    found: list[Found] = [{} for _ in range(captures)]
    malformed = [0] * captures
    packets = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for _, packet in ElementTree.iterparse(process.stdout):
            if packet.tag != "packet":
                continue
            capture = merged.capture_of(packets)
            items: list[dict] = []
            for proto in packet.iter("proto"):
                known = fields(proto)
                malformed[capture] += proto.get("name") == "_ws.malformed"
                if proto.get("name") == "nvme-tcp":
                    items.append(tshark_pdu(known))
                if proto.get("name") in ("nvme-tcp", "nvme") and items:
                    items[-1].update(tshark_command(known))
            if items:
                found[capture].setdefault(ends_of(packet, merged.original), []).extend(items)
            packets += 1
            packet.clear()
    return found, malformed


def fields(element: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return the fields below an element, the first of each name."""
    by_name: dict[str, ElementTree.Element] = {}
    for field in element.iter("field"):
        by_name.setdefault(field.get("name", ""), field)
    return by_name


def number(field: ElementTree.Element) -> int:
    return int(field.get("show", ""), 0)


def ends_of(packet: ElementTree.Element, original: dict[str, str]) -> tuple[str, str]:
    """Return sender and receiver of a packet as iwarp decode writes them."""
    known = fields(packet)
    ends = []
    for side in ("src", "dst"):
        version = "ip" if f"ip.{side}" in known else "ipv6"
        host = original[known[f"{version}.{side}"].get("show", "")]
        ends.append(f"{host if version == 'ip' else f'[{host}]'}:{known[f'tcp.{side}port'].get('show')}")
    return ends[0], ends[1]


def tshark_pdu(known: dict[str, ElementTree.Element]) -> dict:
    """Return a PDU's header and the verdict on its digests."""
    name = NAMES[number(known["nvme-tcp.type"])]
    pdu = {"event": name}
    pdu |= {ours: number(known[f"nvme-tcp.{theirs}"]) for ours, theirs in HEADER.items()}
    pdu |= {ours: number(known[f"nvme-tcp.{theirs}"]) for ours, theirs in FIELDS[name].items()}
    if name.endswith("term_req"):
        prefix = name.replace("_", "")
        for fei in FEI:
            if f"nvme-tcp.{prefix}.{fei}" in known:
                pdu["fei"] = number(known[f"nvme-tcp.{prefix}.{fei}"])
    verdicts = {
        known[f"nvme-tcp.{d}.status"].get("show") for d in ("hdgst", "ddgst") if f"nvme-tcp.{d}.status" in known
    }
    pdu["digest"] = "off" if not verdicts else "good" if verdicts == {"1"} else "bad"
    return pdu


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


def main() -> int:
    if shutil.which("tshark") is None:
        print("tshark is not installed: skipped")
        return SKIP
    try:
        import cppyy  # noqa: F401
    except ImportError:
        print("this Python has no cppyy: skipped")
        return SKIP
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        pcaps = sorted(CAPTURES.glob("*.pcap"))
        dissected, malformed = dissect(Merged(pcaps, Path(folder) / "merged.pcapng"), len(pcaps))
        for pcap, theirs, bad in zip(pcaps, dissected, malformed, strict=True):
            found = compare(pcap.name, theirs, ours(pcap))
            found += [f"{pcap.name}: tshark finds {bad} malformed frames"] if bad else []
            problems += found
            print(f"{'FAIL' if found else 'PASS'} {pcap.name}: {sum(map(len, theirs.values()))} PDUs")
        found = check_changes(Path(folder), dissected[pcaps.index(ORACLE)])
        problems += found
        print(f"{'FAIL' if found else 'PASS'} changes are seen")
    print("\n".join(problems[:50]))
    return 1 if problems or len(pcaps) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
