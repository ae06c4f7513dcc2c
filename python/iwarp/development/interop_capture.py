# SPDX-License-Identifier: GPL-2.0-only
"""What the captures of a case of ``iwarp interop`` have to show, beside what both sides say of themselves."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..runs.decoder import decode
from .interop_machine import ADDRESSES

_LINKS = {1: 14, 101: 0}  #: octets of headers of Ethernet and of IP alone, by libpcap's numbers
_LEAST = 40  #: octets of a packet that is looked at
_TCP, _ESP = 6, 50  #: protocols of IP
_SIDES = ("machine", "simulation")


@dataclass(frozen=True)
class Shows:
    """What is to be seen of a connection; nothing is asked for by what is empty or None.

    Members of frames and messages are named as ``iwarp decode --json`` names them. Where it says nothing else, the
    machine's capture is looked at.
    """

    request: Mapping[str, object] = field(default_factory=dict)  #: members of the Request
    reply: Mapping[str, object] | None = field(default_factory=dict)  #: members of the Reply; None: there is none
    crc: bool | None = None  #: all FPDUs carry a CRC, or none does
    first: Mapping[str, object] = field(default_factory=dict)  #: members of the Initiator's first message
    reads: tuple[int, int] | None = None  #: most RDMA Reads of the Initiator's at a time, at least and at most
    disturbed: bool = False  #: in either capture something came again, or out of order
    largest: tuple[int, int] | None = None  #: octets of the largest IP packet of each side, at least and at most
    closes: str = ""  #: whose FIN is the first, "machine" or "simulation"
    sealed: bool = False  #: each side sends ESP, and no TCP in the clear


NOTHING = Shows()


def lacks(shows: Shows, machine: Path, simulation: Path) -> Iterator[str]:
    """Say what captures do not show: the machine's, and that of the simulation's host."""
    if shows == NOTHING:
        return
    try:
        if shows.sealed:
            yield from _lacks_seal(machine, simulation)
            return
        events = list(decode(machine))
        yield from _lacks_frames(shows, events)
        if shows.crc is not None:
            yield from _lacks_crc(shows.crc, events[-1])
        if shows.reads:
            yield from _lacks_reads(*shows.reads, events)
        if shows.disturbed and not _disturbances(events[-1]) + _disturbances(list(decode(simulation))[-1]):
            yield "nothing came again or out of order"
        if shows.largest:
            yield from _lacks_sizes(*shows.largest, machine)
        if shows.closes:
            yield from _lacks_fin(shows.closes, machine)
    except (OSError, UsageError, struct.error, LookupError) as error:
        yield f"a capture cannot be read: {error}"


def _lacks_frames(shows: Shows, events: list[dict[str, Any]]) -> Iterator[str]:
    request, reply = (next((e for e in events if e["event"] == kind), None) for kind in ("request", "reply"))
    messages = (e for e in events if e.get("layer") == "rdmap" and request and e["from"] == request["from"])
    first = next((e for e in messages if e["event"] not in ("error", "note")), None)
    if shows.reply is None and reply:
        yield "there is a Reply"
    for what, wanted, found in (
        ("Request", shows.request, request),
        ("Reply", shows.reply or {}, reply),
        ("first message of the Initiator", shows.first, first),
    ):
        if wanted and found is None:
            yield f"there is no {what}"
            continue
        for member, value in wanted.items():
            if found.get(member) != value:
                yield f"the {what} has {member} {found.get(member)} rather than {value}"


def _lacks_crc(wanted: bool, summary: dict[str, Any]) -> Iterator[str]:
    directions = _directions(summary)
    if not directions or not all(d["fpdus"] for d in directions):
        yield "there are not FPDUs of both sides"
    for one in directions:
        fitting = one["crc_good" if wanted else "crc_off"]
        if fitting != one["fpdus"]:
            yield f"{fitting} of {one['fpdus']} FPDUs from {one['from']} {'have' if wanted else 'are without'} a CRC"


def _lacks_reads(least: int, most: int, events: list[dict[str, Any]]) -> Iterator[str]:
    initiator = next((e["from"] for e in events if e["event"] == "request"), "")
    waiting = found = 0
    for event in events:
        if event["event"] == "read_request" and event["from"] == initiator:
            waiting += 1
            found = max(found, waiting)
        elif event["event"] == "read_response" and event["to"] == initiator:
            waiting -= 1
    if not least <= found <= most:
        yield f"the most RDMA Reads of the Initiator at a time are {found} rather than {least} to {most}"


def _disturbances(summary: dict[str, Any]) -> int:
    return sum(one["out_of_order"] + one["duplicates"] for one in _directions(summary))


def _directions(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [direction for connection in summary["connections"] for direction in connection["directions"]]


def _lacks_sizes(least: int, most: int, capture: Path) -> Iterator[str]:
    largest = dict.fromkeys(_SIDES, 0)
    for side, size, _ in _packets(capture):
        largest[side] = max(largest[side], size)
    for side, size in largest.items():
        if not least <= size <= most:
            yield f"the {side}'s largest IP packet has {size} octets rather than {least} to {most}"


def _lacks_fin(wanted: str, capture: Path) -> Iterator[str]:
    for side, _, packet in _packets(capture):
        tcp = 4 * (packet[0] & 0xF)  # of IPv4
        is_fin = packet[0] >> 4 == 4 and _protocol(packet) == _TCP and packet[tcp + 13] & 1
        if is_fin:
            if side != wanted:
                yield f"the first FIN is the {side}'s"
            return
    yield "there is no FIN"


def _lacks_seal(machine: Path, simulation: Path) -> Iterator[str]:
    # what a side has received and opened may be in its capture once more: only what it sends counts
    for side, capture in zip(_SIDES, (machine, simulation), strict=True):
        protocols = {_protocol(packet) for whose, _, packet in _packets(capture) if whose == side}
        if _TCP in protocols:
            yield f"the {side} sends TCP in the clear"
        if _ESP not in protocols:
            yield f"the {side} sends no ESP"


def _packets(capture: Path) -> Iterator[tuple[str, int, bytes]]:
    """Yield whose each IP packet is, its size, and what was captured of it.

    The machine's tcpdump cuts packets to the MTU that there was when it began.
    """
    machine = {ipaddress.ip_address(address).packed for address in ADDRESSES}
    octets = capture.read_bytes()
    link = _LINKS[struct.unpack_from("<I", octets, 20)[0]]
    at = 24
    while at + 16 <= len(octets):
        length, whole = struct.unpack_from("<II", octets, at + 8)
        packet = octets[at + 16 + link : at + 16 + length]
        at += 16 + length
        if len(packet) >= _LEAST:
            source = packet[12:16] if packet[0] >> 4 == 4 else packet[8:24]
            yield _SIDES[source not in machine], whole - link, packet


def _protocol(packet: bytes) -> int:
    return packet[9 if packet[0] >> 4 == 4 else 6]
