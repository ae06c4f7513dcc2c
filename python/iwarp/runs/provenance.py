# SPDX-License-Identifier: GPL-2.0-only
"""The versions that go with every result: of the package, its clone, the library, ns-3."""

from __future__ import annotations

from ..version import __version__, commit
from .scenario import backend


def provenance() -> dict[str, str]:
    """Return the versions by name."""
    simulator = backend()
    return {
        "iwarp": __version__,
        "commit": commit(),
        "library": simulator.code_id,
        "ns3": simulator.ns3_version,
    }
