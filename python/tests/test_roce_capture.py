# SPDX-License-Identifier: GPL-2.0-only
"""tshark, which knows RoCEv2, reads what RoCE-like transports send: BTH, RETH and AETH, as the messages are."""

import shutil
import subprocess

import iwarp
import pytest
from iwarp.errors import IwarpError
from iwarp.runs import loader

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)
if shutil.which("tshark") is None:
    pytest.skip("tshark is not installed", allow_module_level=True)

FIELDS = [
    "ip.src", "udp.dstport", "udp.length", "ip.checksum.status", "_ws.malformed", "infiniband.bth.opcode",
    "infiniband.bth.padcnt", "infiniband.bth.tver", "infiniband.bth.p_key", "infiniband.bth.destqp", "infiniband.bth.a",
    "infiniband.bth.psn", "infiniband.reth.dmalen", "infiniband.aeth.syndrome.opcode",
    "infiniband.aeth.syndrome.error_code", "infiniband.payload", "infiniband.invariant.crc",
]  # fmt: skip
FIRST, MIDDLE, LAST, ONLY, ACKNOWLEDGE = 6, 7, 8, 10, 17  # of a reliable connection's RDMA Write
SIZE = 3001  # octets of a message: three packets with an MTU of 1500, the last padded
PAYLOAD = 1500 - 20 - 8 - 12 - 16 - 4  # IPv4, UDP, BTH, RETH, ICRC
ACK, NAK, SEQUENCE = 0, 3, 0  # upper bits of a syndrome; a NAK's code of a PSN sequence error


def captured(folder, **params):
    """Run, and return the fields of each packet as the sending host has them."""
    found = iwarp.run(topology="point-to-point", flows=1, octets=20 * SIZE, message_sizes=f"fixed:{SIZE}",
                      plain_tcp=False,
                      pcap=folder / "x", **params)  # fmt: skip
    arguments = [word for field in FIELDS for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(min(folder.glob("x*.pcap"))), "-o", "ip.check_checksum:TRUE", "-T", "fields"]
    lines = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    packets = [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in lines]
    assert all(
        p["udp.dstport"] == "4791" and p["ip.checksum.status"] == "1" and not p["_ws.malformed"] for p in packets
    )
    return found, packets


def number(packet, field):
    return int(packet[field], 0)


def test_messages_are_writes_in_packets_of_consecutive_numbers(tmp_path):
    found, packets = captured(tmp_path, workload="go-back-n")
    data = [p for p in packets if number(p, "infiniband.bth.opcode") != ACKNOWLEDGE]
    assert len(data) == found["segments_sent"] == 60
    assert [number(p, "infiniband.bth.opcode") for p in data] == [FIRST, MIDDLE, LAST] * 20
    assert [number(p, "infiniband.bth.psn") for p in data] == list(range(60))
    assert {(p["infiniband.bth.tver"], p["infiniband.bth.p_key"]) for p in data} == {("0", "65535")}
    heads = [p for p in data if p["infiniband.reth.dmalen"]]
    assert [number(p, "infiniband.bth.opcode") for p in heads] == [FIRST] * 20
    assert {number(p, "infiniband.reth.dmalen") for p in heads} == {SIZE}
    rest = SIZE - 2 * PAYLOAD
    assert [number(p, "infiniband.bth.padcnt") for p in data] == [0, 0, -rest % 4] * 20
    lengths = [number(p, "udp.length") - 8 - 12 - 16 * bool(p["infiniband.reth.dmalen"]) - 4 for p in data]
    assert lengths == [PAYLOAD, PAYLOAD, rest + -rest % 4] * 20
    assert all(len(p["infiniband.invariant.crc"]) for p in data)


def test_acknowledgements_have_an_aeth(tmp_path):
    _, packets = captured(tmp_path, workload="go-back-n")
    answers = [p for p in packets if number(p, "infiniband.bth.opcode") == ACKNOWLEDGE]
    assert answers and {number(p, "infiniband.aeth.syndrome.opcode") for p in answers} == {ACK}
    # the PSN of the packet that each of them acknowledges (InfiniBand Architecture, volume 1, 9.7.5.1); the run ends
    # when the last message has come, some answers being under way
    assert [number(p, "infiniband.bth.psn") for p in answers] == list(range(len(answers))) and len(answers) > 40
    assert {number(p, "udp.length") for p in answers} == {8 + 12 + 4 + 4}


@pytest.mark.parametrize("workload", ["go-back-n", "selective-repeat"])
def test_what_refuses_a_packet_is_a_nak_of_a_psn_sequence_error(tmp_path, workload):
    found, packets = captured(tmp_path, workload=workload, loss=0.05)
    naks = [p for p in packets if p["infiniband.aeth.syndrome.opcode"] == str(NAK)]
    assert len(naks) == found["roce_naks"] > 0
    assert {number(p, "infiniband.aeth.syndrome.error_code") for p in naks} == {SEQUENCE}
