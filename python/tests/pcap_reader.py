# SPDX-License-Identifier: GPL-2.0-only
"""A reader of pcap files apart from the module's: frames, IPv4, TCP, and nothing else."""

import struct
from pathlib import Path
from typing import NamedTuple

LINKS = {1: 14, 12: 0, 101: 0, 228: 0}  # octets before IPv4


class Segment(NamedTuple):
    frame: int
    time_ns: int
    ends: tuple  # sender and receiver, each "address:port"
    seq: int
    ack: int
    flags: int
    window: int
    payload: bytes
    length: int
    sack: tuple


def segments(path):
    """Yield the TCP segments of a capture."""
    data = Path(path).read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    (magic,) = struct.unpack_from(order + "I", data)
    unit = 1 if magic == 0xA1B23C4D else 1000
    skip = LINKS[struct.unpack_from(order + "I", data, 20)[0]]
    at, frame = 24, 0
    while at + 16 <= len(data):
        seconds, part, size, _ = struct.unpack_from(order + "4I", data, at)
        octets = data[at + 16 : at + 16 + size]
        at, frame = at + 16 + size, frame + 1
        if skip == 14 and octets[12:14] != b"\x08\x00":
            continue
        ip = octets[skip:]
        if len(ip) < 40 or ip[0] >> 4 != 4 or ip[9] != 6:
            continue
        total = struct.unpack_from(">H", ip, 2)[0] or len(ip)
        tcp = ip[(ip[0] & 15) * 4 : total]
        ports, (seq, ack) = struct.unpack_from(">2H", tcp), struct.unpack_from(">2I", tcp, 4)
        header = (tcp[12] >> 4) * 4
        ends = tuple(f"{'.'.join(map(str, ip[k : k + 4]))}:{port}" for k, port in zip((12, 16), ports, strict=True))
        time, length = seconds * 10**9 + part * unit, total - (ip[0] & 15) * 4 - header
        (window,) = struct.unpack_from(">H", tcp, 14)
        sack = tuple(_blocks(tcp[20:header]))
        yield Segment(frame, time, ends, seq, ack, tcp[13], window, tcp[header:], length, sack)


def _blocks(options):
    """Yield the blocks of SACK."""
    at = 0
    while at < len(options) and options[at]:
        if options[at] == 1:
            at += 1
            continue
        if options[at] == 5:
            yield from struct.iter_unpack(">2I", options[at + 2 : at + options[at + 1]])
        at += options[at + 1]
