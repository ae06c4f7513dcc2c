# SPDX-License-Identifier: GPL-2.0-only
"""tshark, which knows RoCEv2, reads what RoCE-like transports send: BTH, RETH and AETH, as the messages are."""

import shutil
import struct
import subprocess
import zlib

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
    "infiniband.bth.psn", "infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen",
    "infiniband.aeth.msn", "infiniband.aeth.syndrome.opcode",
    "infiniband.aeth.syndrome.error_code", "infiniband.payload", "infiniband.invariant.crc",
]  # fmt: skip
NOTIFICATION = 0x81  # a CNP
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
    assert [number(p, "infiniband.reth.va") for p in heads] == [SIZE * i for i in range(20)]
    assert {number(p, "infiniband.reth.r_key") for p in heads} == {number(p, "infiniband.bth.destqp") for p in data}
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
    # messages that are complete by then: each has three packets
    assert [number(p, "infiniband.aeth.msn") for p in answers] == [(i + 1) // 3 for i in range(len(answers))]


@pytest.mark.parametrize("workload", ["go-back-n", "selective-repeat"])
def test_what_refuses_a_packet_is_a_nak_of_a_psn_sequence_error(tmp_path, workload):
    found, packets = captured(tmp_path, workload=workload, loss=0.05)
    naks = [p for p in packets if p["infiniband.aeth.syndrome.opcode"] == str(NAK)]
    assert len(naks) == found["roce_naks"] > 0
    assert {number(p, "infiniband.aeth.syndrome.error_code") for p in naks} == {SEQUENCE}


def test_notifications_are_those_of_annex_a17(tmp_path):
    """With a queue that marks everything, each 50 us a CNP."""
    found, packets = captured(tmp_path, workload="go-back-n", roce_congestion="dcqcn", queue_disc="threshold",
                              marking_threshold="2p", **{"IwarpRoceWorkload.Window": 64})  # fmt: skip
    notes = [p for p in packets if number(p, "infiniband.bth.opcode") == NOTIFICATION]
    assert 0 < len(notes) <= found["roce_cnps"]  # the last may be under way at the end
    assert {(p["infiniband.bth.destqp"], number(p, "infiniband.bth.psn"), number(p, "udp.length")) for p in notes} == {
        (notes[0]["infiniband.bth.destqp"], 0, 8 + 12 + 16 + 4)
    }
    data = [p for p in packets if number(p, "infiniband.bth.opcode") in (FIRST, MIDDLE, LAST)]
    assert {p["infiniband.bth.destqp"] for p in data} == {notes[0]["infiniband.bth.destqp"]}


def datagrams(path):
    """Yield the IP datagrams of a pcap file of raw IP."""
    octets = path.read_bytes()
    order = "<" if octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at < len(octets):
        size = struct.unpack_from(order + "I", octets, at + 8)[0]
        yield octets[at + 16 : at + 16 + size]
        at += 16 + size


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("workload", ["go-back-n", "selective-repeat"])
def test_each_packet_has_a_right_icrc(tmp_path, workload, ipv6):
    """The CRC-32 of Ethernet, over ones in place of the link's header and of what routers change (annex A17.3.3)."""
    iwarp.run(topology="point-to-point", flows=1, octets=20 * SIZE, message_sizes=f"fixed:{SIZE}", plain_tcp=False,
              pcap=tmp_path / "x", workload=workload, loss=0.02, ipv6=ipv6)  # fmt: skip
    count = 0
    for path in tmp_path.glob("x*.pcap"):
        for datagram in datagrams(path):
            masked = bytearray(datagram[:-4])
            if ipv6:
                if masked[6] != 17:
                    continue  # ICMPv6
                masked[0] |= 0x0F
                masked[1:4] = b"\xff" * 3
                masked[7] = 0xFF
            else:
                masked[1] = masked[8] = 0xFF
                masked[10:12] = b"\xff" * 2
            udp = 40 if ipv6 else 20
            masked[udp + 6 : udp + 8] = b"\xff" * 2
            masked[udp + 12] = 0xFF
            assert zlib.crc32(b"\xff" * 8 + masked) == int.from_bytes(datagram[-4:], "little")
            count += 1
    assert count > 100


@pytest.mark.parametrize("ipsec", ["none", "transport", "tunnel", "gateway", "nested"])
def test_packets_are_whole_and_protected_wherever_ipsec_is(tmp_path, ipsec):
    """RoCE forbids fragments, so packets leave room for ESP; where hosts have IPsec nothing else leaves them."""
    found = iwarp.run(topology="dumbbell", flows=1, octets=20 * SIZE, message_sizes=f"fixed:{20 * SIZE}", ipsec=ipsec,
                      plain_tcp=False, pcap=tmp_path / "x", workload="go-back-n")  # fmt: skip
    captures = [list(datagrams(path)) for path in sorted(tmp_path.glob("x*.pcap"))]
    ends = captures[0][0][12:16], captures[0][0][16:20]
    # what came is there once more behind a tunnel that ends at the host
    sent = [d for capture, own in zip(captures, ends, strict=True) for d in capture if d[12:16] == own]
    assert len(sent) > found["segments_sent"] > 20 * SIZE / 1500
    assert {datagram[9] for datagram in sent} == {17 if ipsec in ("none", "gateway") else 50}
    assert not [datagram for datagram in sent if datagram[6] & 0x3F or datagram[7]]
    if ipsec in ("none", "gateway"):
        assert all(datagram[6] & 0x40 for datagram in sent)
        # AES-GCM-16: SPI, sequence number, IV and ICV are 32 octets; padding and two of the trailer make multiples of 4
        inside = 1500 if ipsec == "none" else (1500 - 20 - 32) // 4 * 4 - 2
        assert max(len(datagram) for datagram in sent) == inside // 4 * 4  # as payload is
    else:
        assert 1400 < max(len(datagram) for datagram in sent) <= 1500
