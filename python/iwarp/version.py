# SPDX-License-Identifier: GPL-2.0-only
"""Which code this is: the package's version, the commit of a clone, the library, ns-3."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

__version__ = "0.1.0"


@functools.cache
def commit() -> str:
    """Return what git calls this clone's commit (``-dirty`` with local changes), or nothing."""
    root = Path(__file__).resolve().parent.parent.parent
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def provenance() -> dict[str, str]:
    """Return the versions that go with every result."""
    from . import scenario

    backend = scenario.backend()
    return {
        "iwarp": __version__,
        "commit": commit(),
        "library": backend.code_id,
        "ns3": backend.ns3_version,
    }
