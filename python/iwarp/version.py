# SPDX-License-Identifier: GPL-2.0-only
"""Which code this is: the package's version, and the clone that it is part of."""

from __future__ import annotations

import functools
import shlex
import subprocess
from pathlib import Path

__version__ = "0.1.0"


@functools.cache
def clone() -> Path | None:
    """Return the clone of the repository that this package is part of; None where it is installed."""
    root = Path(__file__).resolve().parent.parent.parent
    return root if (root / "iwarp").is_file() and (root / "model").is_dir() else None


def program() -> str:
    """Return what calls this command line from the current directory: ``./iwarp`` in a clone, ``iwarp`` if
    installed."""
    root = clone()
    if root is None:
        return "iwarp"
    return "./iwarp" if Path.cwd() == root else shlex.quote(str(root / "iwarp"))


def installing(group: str, otherwise: str) -> str:
    """Return the command that installs a group of requirements/: in a clone ``./iwarp setup``, elsewhere pip's."""
    return f"{program()} setup {group}" if clone() else f"pip install {otherwise}"


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
