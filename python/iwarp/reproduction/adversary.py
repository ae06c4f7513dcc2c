# SPDX-License-Identifier: GPL-2.0-only
"""The score of doc/security.rst: what an adversary on the path leaves of four connections, by what protects them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .experiment import Sweep

PATH = {
    "topology": "dumbbell", "flows": 4, "octets": 1_000_000, "link_rate": "1Gbps", "backed": True, "plain_tcp": False,
    "tolerate_lost": True, "middlebox": "adversary", "PathAdversaryMiddlebox.Begin": "1ms",
}  # fmt: skip
PROTECTED: Mapping[str, Mapping[str, Any]] = {
    "CRC": {},
    "neither CRC nor Markers": {"crc": False, "markers": False},
    "ESP, transport mode": {"ipsec": "transport"},
}


@dataclass(frozen=True)
class Acts:
    """What is done to packets, and the attributes of PathAdversaryMiddlebox that do it."""

    about: str
    done: Mapping[str, Any]

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the attributes by their qualified names."""
        return {f"PathAdversaryMiddlebox.{name}": value for name, value in self.done.items()}


_ERRORS = {"IcmpTooBig": 0.05, "IcmpUnreachable": 0.05}
ACTS = (
    Acts("resets outside and elsewhere in the window, 5 % each", {"ResetOutside": 0.05, "ResetInside": 0.05}),
    Acts("ICMP errors with guessed numbers, 5 % each", {**_ERRORS, "IcmpQuote": "Guessed"}),
    Acts("ICMP errors with right numbers, 5 % each", _ERRORS),
    Acts("packets again, 5 %", {"Repeat": 0.05}),
    Acts("fragments mixed, 0.5 %; TCP without checksums", {"MixFragments": 0.005}),
    Acts("a reset with the next number, 0.5 %", {"ResetExact": 0.005}),
    Acts("segments of any octets, 0.5 %", {"ForgeData": 0.005}),
    Acts("a bit changed, 0.5 %", {"Change": 0.005}),
)


def score(sweep: Sweep) -> list[dict[str, str]]:
    """Return the lines of the table: MB delivered, connections lost, wrong octets, by what protects them."""
    grids = [{**PATH, **acts.attributes, **protected} for acts in ACTS for protected in PROTECTED.values()]
    runs = iter(sweep(grids, 1).to_dict("records"))
    return [{"acts, probability per packet": a.about} | {title: _tell(next(runs)) for title in PROTECTED} for a in ACTS]


def _tell(run: Mapping[str, Any]) -> str:
    delivered = f"{run['payload_octets'] / 1e6:.3g}"
    return f"{delivered}, {run['connections_lost']:.0f}, {run['content_errors']:.0f}"
