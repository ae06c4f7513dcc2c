# SPDX-License-Identifier: GPL-2.0-only
"""What became of FPDUs, worked out from a capture near their receiver, by the rules of RFC 5044 and no code of the
module: every octet that came is kept at a set of its own, and after each segment all FPDUs are looked at anew."""

import struct

from pcap_reader import segments

MARKER = 512


def stream_of(path, sender):
    """Return the segments with octets of one sender, and the octets of its stream from 0 on."""
    sent = [s for s in segments(path) if s.ends[0] == sender]
    start = next(s.seq for s in sent if s.flags & 2) + 1
    pieces = [(s.time_ns, (s.seq - start) & 0xFFFFFFFF, s.payload) for s in sent if s.payload]
    octets = bytearray(max(at + len(data) for _, at, data in pieces))
    for _, at, data in pieces:
        octets[at : at + len(data)] = data
    return pieces, bytes(octets)


def fpdus_of(octets, markers):
    """Return first offset and octets of the FPDUs behind the startup frame (RFC 5044 sections 4 and 7.1)."""
    assert octets[:8] == b"MPA ID R"
    base = at = 20 + struct.unpack_from(">H", octets, 18)[0]
    found = []
    while at < len(octets):
        head = at + (4 if markers and (at - base) % MARKER == 0 else 0)
        payload = 2 + struct.unpack_from(">H", octets, head)[0]
        left = payload + -payload % 4 + 4  # with the pad, and the CRC
        end = at
        while left:
            if markers and (end - base) % MARKER == 0:
                end += 4
            end, left = end + 1, left - 1
        found.append((at, end - at))
        at = end
    return base, found


def fates(path, sender, markers):
    """Return, for each FPDU, (first offset, octets, fate, when its first octets came, when it was placed)."""
    pieces, octets = stream_of(path, sender)
    base, places = fpdus_of(octets, markers)
    came = [None] * len(octets)
    placed, early, edge = {}, set(), 0
    for time, at, data in pieces:
        for k in range(at, at + len(data)):
            came[k] = time if came[k] is None else came[k]
        while edge < len(octets) and came[edge] is not None:
            edge += 1
        for number, (begin, size) in enumerate(places):  # ascending, so that each may follow the one before
            if number in placed or None in came[begin : begin + size]:
                continue
            times = set(came[begin : begin + size])
            if begin + size <= edge:
                whole = at <= begin and begin + size <= at + len(data)
                fate = "waited" if max(times) < time else "at once" if whole else "in parts"
            elif markers and number - 1 in early:
                fate = "early, by length"
            elif markers and any((k - base) % MARKER == 0 for k in range(begin, begin + size)):
                fate = "early, by a Marker"
            else:
                continue
            early |= {number} if fate.startswith("early") else set()
            placed[number] = (begin, size, fate, min(times), time)
    return [placed[number] for number in sorted(placed)]
