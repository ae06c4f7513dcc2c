# SPDX-License-Identifier: GPL-2.0-only
"""What tshark says of packets as PDML, read field by field."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree


def fields(element: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return the fields below an element, the first of each name."""
    by_name: dict[str, ElementTree.Element] = {}
    for field in element.iter("field"):
        by_name.setdefault(field.get("name", ""), field)
    return by_name


def number(field: ElementTree.Element) -> int:
    """Return the number that a field shows."""
    return int(field.get("show", ""), 0)


def ends_of(packet: ElementTree.Element, original: dict[str, str]) -> tuple[str, str]:
    """Return sender and receiver of a packet as iwarp decode writes them; ``original`` is that of Merged."""
    known = fields(packet)
    ends = []
    for side in ("src", "dst"):
        version = "ip" if f"ip.{side}" in known else "ipv6"
        host = original[known[f"{version}.{side}"].get("show", "")]
        ends.append(f"{host if version == 'ip' else f'[{host}]'}:{known[f'tcp.{side}port'].get('show')}")
    return ends[0], ends[1]
