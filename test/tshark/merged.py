# SPDX-License-Identifier: GPL-2.0-only
"""Many captures as one file, so that tshark, which takes longer to start than to read most of them, starts once.

Hosts of different captures have addresses of their own there, or else tshark would take their streams for one. Checksums
change by the difference, so that a good one is good and a bad one bad.
"""

from __future__ import annotations

import ipaddress
import struct
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

LINK_HEADER = {1: 14, 9: 2, 101: 0}  #: octets by link type: Ethernet, PPP, IP alone
IP = (b"\x08\x00", b"\x86\xdd", b"\x00\x21", b"\x00\x57", b"")  #: how the first two say that IP follows
CHECKSUM = {6: 16, 17: 6, 58: 2}  #: where TCP, UDP and ICMPv6 have theirs


class Merged:
    """A file with all packets of several captures, one capture after the other."""

    def __init__(self, captures: Sequence[Path], path: Path):
        self.path = path
        self.original: dict[str, str] = {}  #: address as in a capture, by address in the file
        self._addresses: dict[tuple[int, bytes], bytes] = {}  # in the file, by capture and address there
        self._ends: list[int] = []  # of each capture, in packets
        packets = 0
        with path.open("wb") as file:
            file.write(struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28))
            blocks = []
            for index, capture in enumerate(captures):
                data = capture.read_bytes()
                magic, link = struct.unpack_from("<I16xI", data)
                assert magic == 0xA1B2C3D4, capture
                file.write(struct.pack("<IIHHII", 1, 20, link, 0, 0, 20))
                at = 24
                while at < len(data):
                    seconds, micro, size, full = struct.unpack_from("<IIII", data, at)
                    frame = self._readdressed(data[at + 16 : at + 16 + size], link, index)
                    at += 16 + size
                    time = seconds * 1_000_000 + micro
                    length = 32 + size + -size % 4
                    head = struct.pack("<IIIIIII", 6, length, index, time >> 32, time & 0xFFFFFFFF, size, full)
                    blocks += [head, frame, bytes(-size % 4), struct.pack("<I", length)]
                    packets += 1
                self._ends.append(packets)
            file.writelines(blocks)

    def capture_of(self, number: int) -> int:
        """Return which capture a packet is of; the first packet is 0."""
        return bisect_right(self._ends, number)

    def _readdressed(self, frame: bytes, link: int, index: int) -> bytes:
        """Return a frame whose hosts have the addresses that they have in the file."""
        data = bytearray(frame)
        ip = LINK_HEADER[link]
        if data[max(ip - 2, 0) : ip] not in IP or len(data) < ip + 40:
            return frame
        version = data[ip] >> 4
        size, first = (4, ip + 12) if version == 4 else (16, ip + 8)
        change = 0
        for at in (first, first + size):
            before = bytes(data[at : at + size])
            data[at : at + size] = after = self._address(index, before)
            change += int.from_bytes(after, "big") - int.from_bytes(before, "big")  # modulo 65535, the sum of the words
        transport = ip + (4 * (data[ip] & 15) if version == 4 else 40)
        protocol = data[ip + (9 if version == 4 else 6)]
        places = [ip + 10] if version == 4 else []
        if protocol in CHECKSUM and (version == 6 or not int.from_bytes(data[ip + 6 : ip + 8], "big") & 0x1FFF):
            places.append(transport + CHECKSUM[protocol])
        for at in places:
            if at + 2 <= len(data):
                total = (int.from_bytes(data[at : at + 2], "big") ^ 0xFFFF) + change
                data[at : at + 2] = (total % 0xFFFF ^ 0xFFFF).to_bytes(2, "big")
        return bytes(data)

    def _address(self, index: int, octets: bytes) -> bytes:
        """Return the address in the file of a host of a capture."""
        known = self._addresses.get((index, octets))
        if known is None:
            before = ipaddress.ip_address(octets)
            after = before
            if not before.is_multicast and not before.is_unspecified:
                number = len(self._addresses) + (0x40000000 if len(octets) == 4 else 0x2001 << 112)
                after = type(before)(number)
            self.original[str(after)] = str(before)
            known = self._addresses[index, octets] = after.packed
        return known
