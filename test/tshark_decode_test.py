#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""iwarp decode and tshark find the same in captures and in pcap files of the examples.

Compared are, for each direction of each connection, the fields of the startup frames and of all
FPDUs in their order: ULPDU lengths, buffer model, L, STag and TO, QN, MSN and MO, opcodes, the
number of Markers, STags and sizes of Read Requests, and the error of a Terminate; besides, for
each FPDU the verdict on its CRC.

tshark 4.0 knows no RFC 6581, so the enhanced word is private data to it, and takes a Terminate to be
laid out as the RFC has it. The captures where it finds less than there is are named below.
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
from merged import Merged  # noqa: E402
from pdml import ends_of, fields, number  # noqa: E402

SKIP = 77
ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
EXAMPLES = Path(os.environ.get("IWARP_BUILD_DIR", "build")) / "examples"
CAPTURES = ROOT / "test" / "data" / "captures"
ORACLE = CAPTURES / "raw_v2_ok.pcap"
STARTUP = {"revision": "iwarp_mpa.rev", "crc_flag": "iwarp_mpa.crc_flag", "markers_flag": "iwarp_mpa.marker_flag",
           "reject_flag": "iwarp_mpa.rej_flag", "pd_length": "iwarp_mpa.pdlength"}  # fmt: skip
DDP = {"tagged": "iwarp_ddp.tagged_flag", "last": "iwarp_ddp.last_flag", "dv": "iwarp_ddp.dv",
       "stag": "iwarp_ddp.stag", "tagged_offset": "iwarp_ddp.tagged_offset", "qn": "iwarp_ddp.qn",
       "msn": "iwarp_ddp.msn",
       "mo": "iwarp_ddp.mo", "rv": "iwarp_rdma.version", "opcode": "iwarp_rdma.opcode",
       "invalidate_stag": "iwarp_rdma.inval_stag",
       "data_sink_stag": "iwarp_rdma.sinkstag", "data_sink_to": "iwarp_rdma.sinkto",
       "rdma_read_message_size": "iwarp_rdma.rdmardsz",
       "data_source_stag": "iwarp_rdma.srcstag", "data_source_to": "iwarp_rdma.srcto"}  # fmt: skip
#: captures in which tshark finds fewer startup frames and FPDUs, and how many
LESS = {
    "raw_frag_req": 2,  # the Request comes in several segments; without it tshark does not know the Reply
    "rawsrv_frag": 2,  # the Reply does, and so does the first FPDU behind it
    "raw_repkey": 1,  # a Reply that no Request precedes
    "rawsrv_reqkey": 1,  # a second Request, and a Terminate behind it
}
Found = dict[tuple[str, str], list[dict]]  #: by sender and receiver: startup frames and FPDUs, in order
EXAMPLE_RUNS = [
    ("iwarp-two-nodes", ["--sizes=fixed:1100", "--messages=126"]),
    ("iwarp-two-nodes", ["--sizes=fixed:1100", "--messages=126", "--ipv6=true"]),
    ("iwarp-two-nodes", ["--sizes=fixed:60000", "--messages=20", "--markers=false"]),
    ("iwarp-two-nodes", ["--sizes=fixed:60000", "--messages=8", "--mtu=9000"]),
    ("iwarp-two-nodes", ["--sizes=fixed:1100", "--messages=126", "--crc=false", "--markers=false"]),
    ("iwarp-two-nodes", ["--sizes=fixed:1100", "--messages=20", "--hello=hello"]),
    ("iwarp-loss-reordering", ["--sizes=fixed:60000", "--octets=600000", "--markers=false", "--ipv6=true"]),
    ("iwarp-rdma-perf", ["--test=send_bw", "--size=3000", "--iters=20", "--markers=false"]),
    ("iwarp-rdma-perf", ["--test=write_lat", "--size=64", "--iters=20"]),
    ("iwarp-rdma-perf", ["--test=read_bw", "--size=5000", "--iters=20", "--markers=false", "--qp=2"]),
    ("iwarp-rdma-perf", ["--test=atomic_lat", "--iters=20", "--ipv6=true"]),
    ("iwarp-rdma-storage", ["--requests=40", "--sizes=fixed:5000", "--reads=0.5", "--markers=false"]),
    ("iwarp-rdma-storage", ["--requests=40", "--sizes=fixed:1000", "--clients=2", "--ipv6=true", "--markers=false"]),
]
SCENARIO = ["--Markers=false", "--Octets=200000", "--MessageSizes=fixed:5000", "--PlainTcp=false", "--Flows=2"]
EXAMPLE_RUNS += [
    ("iwarp-scenario-run", [f"--Workload={workload}", *SCENARIO])
    for workload in ("mpa", "rdma-write", "rdma-read", "send", "storage")
]
EXAMPLE_RUNS += [
    (
        "iwarp-scenario-run",
        ["--Workload=perf", f"--PerfTest={test}", "--PerfSize=3000", "--PerfIterations=20", *SCENARIO],
    )
    for test in ("send_bw", "write_lat", "read_bw", "atomic_bw")
]


def dissect(merged: Merged, captures: int) -> list[Found]:
    """Return what tshark finds in each capture."""
    command = ["tshark", "-n", "-r", str(merged.path), "-o", "tcp.try_heuristic_first:TRUE", "-o",
               "tcp.reassemble_out_of_order:TRUE", "-T", "pdml", "-J",
               "ip ipv6 tcp iwarp_mpa iwarp_ddp_rdmap"]  # fmt: skip
    found: list[Found] = [{} for _ in range(captures)]
    packets = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for _, packet in ElementTree.iterparse(process.stdout):
            if packet.tag != "packet":
                continue
            items: list[dict] = []
            for proto in packet.iter("proto"):
                if proto.get("name") == "iwarp_mpa":
                    known = fields(proto)
                    if "iwarp_mpa.pdlength" in known:
                        reply = "iwarp_mpa.rep" in known
                        items.append({"reply": reply} | {name: number(known[field]) for name, field in STARTUP.items()})
                    elif "iwarp_mpa.ulpdulength" in known:
                        items.append(tshark_fpdu(proto, known))
                elif proto.get("name") == "iwarp_ddp_rdmap" and items:
                    known = fields(proto)
                    items[-1].update({name: number(known[field]) for name, field in DDP.items() if field in known})
                    items[-1].update(tshark_terminate(known))
            if items:
                found[merged.capture_of(packets)].setdefault(ends_of(packet, merged.original), []).extend(items)
            packets += 1
            packet.clear()
    return found


def tshark_fpdu(proto: ElementTree.Element, known: dict[str, ElementTree.Element]) -> dict:
    check = known["iwarp_mpa.crc_check"].get("showname", "") if "iwarp_mpa.crc_check" in known else "off"
    return {
        "ulpdu_length": number(known["iwarp_mpa.ulpdulength"]),
        "markers": sum(field.get("name") == "iwarp_mpa.marker_fpduptr" for field in proto.iter("field")),
        "crc": "good" if "(Good CRC32)" in check else "bad" if "(Bad CRC32" in check else check,
    }


def tshark_terminate(known: dict[str, ElementTree.Element]) -> dict:
    """Return the error of a Terminate, in whichever of tshark's many fields it stands."""
    if "iwarp_rdma.term_layer" not in known:
        return {}
    found = {"terminate_layer": number(known["iwarp_rdma.term_layer"])}
    for name, field in known.items():
        if name.startswith("iwarp_rdma.term_etype"):
            found["terminate_type"] = number(field)
        elif name.startswith("iwarp_rdma.term_errcode"):
            found["terminate_code"] = number(field)
    return found


def ours(pcap: Path) -> Found:
    """Return what iwarp decode finds, as tshark has it."""
    from iwarp import decode

    found: Found = {}
    for event in decode(pcap):
        if "layer" not in event or event["event"] in ("error", "note"):
            continue
        items = found.setdefault((event["from"], event["to"]), [])
        if event["event"] in ("request", "reply"):
            items.append({"reply": event["event"] == "reply"} | {name: int(event[name]) for name in STARTUP})
        elif event["event"] == "fpdu":
            items.append({name: event[name] for name in ("ulpdu_length", "markers", "crc")})
        elif event["event"] == "terminate":
            layer, kind = event["terminate_layer"], event["terminate_type"]
            # tshark takes the octets as the RFC has them
            layer, kind = (kind, layer) if event["terminate_form"] == "mirrored" else (layer, kind)
            items[-1] |= {"terminate_layer": layer, "terminate_type": kind, "terminate_code": event["terminate_code"]}
        else:
            items[-1] |= {name: int(event[name]) for name in DDP if name in event and name not in items[-1]}
    return found


def compare(name: str, theirs: Found, mine: Found, less: int = 0) -> list[str]:
    """Return what is different, if tshark may find ``less`` items fewer."""
    problems = []
    missed = 0
    for ends in sorted(theirs.keys() | mine.keys()):
        a, b = theirs.get(ends, []), mine.get(ends, [])
        at = 0
        for item in a:
            skipped = at
            while skipped < len(b) and b[skipped] != item:
                skipped += 1
            if skipped == len(b):
                problems.append(f"{name} {' > '.join(ends)}: tshark has {item}, we have {b[at:at + 1]}")
                break
            missed += skipped - at
            at = skipped + 1
        else:
            missed += len(b) - at
    if not problems and missed != less:
        problems.append(f"{name}: tshark finds {missed} items less, not {less}")
    return problems


def examples(folder: Path) -> list[Path]:
    """Run the examples and return their pcap files."""
    files: list[Path] = []
    for i, (name, arguments) in enumerate(EXAMPLE_RUNS):
        option = "Pcap" if name == "iwarp-scenario-run" else "pcap"
        command = [str(EXAMPLES / name), f"--{option}={folder / f'run{i}'}", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
        written = sorted(folder.glob(f"run{i}-*.pcap"))
        if not written:
            sys.exit(f"{name} {' '.join(arguments)} wrote no pcap file")
        files += written
    return files


def check_oracle(folder: Path, theirs: Found) -> list[str]:
    """Return a problem if a changed octet goes unseen, whichever of a Send's headers it is in."""
    octets = ORACLE.read_bytes()
    send = octets.index(bytes.fromhex("0076414300000000"))  # ULPDU_Length of 118, DDP control, RDMAP control
    unseen = []
    for at in (send + 1, send + 2, send + 3, send + 15, send + 19):
        changed = folder / "changed.pcap"
        data = bytearray(octets)
        data[at] ^= 1
        data[send - 16 : send - 14] = bytes(2)  # a TCP checksum of 0 is not looked at
        changed.write_bytes(data)
        if not compare(ORACLE.name, theirs, ours(changed)):
            unseen.append(f"octet {at} changed goes unseen")
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
        captures = sorted(CAPTURES.glob("*.pcap"))
        pcaps = [*captures, *examples(Path(folder))]
        dissected = dissect(Merged(pcaps, Path(folder) / "merged.pcapng"), len(pcaps))
        for pcap, theirs in zip(pcaps, dissected, strict=True):
            found = compare(pcap.name, theirs, ours(pcap), LESS.get(pcap.stem, 0))
            problems += found
            print(f"{'FAIL' if found else 'PASS'} {pcap.name}")
        found = check_oracle(Path(folder), dissected[captures.index(ORACLE)])
        problems += found
        print(f"{'FAIL' if found else 'PASS'} changes are seen")
    print("\n".join(problems[:50]))
    return 1 if problems or len(captures) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
