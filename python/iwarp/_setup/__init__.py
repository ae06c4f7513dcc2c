# SPDX-License-Identifier: GPL-2.0-only
"""Sets up and builds a clone of the repository, with the standard library alone.

``./iwarp`` runs this as a script before there is a ``.venv``; ``iwarp build`` and ``iwarp test`` import it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


class SetupError(Exception):
    """The clone could not be set up or built; the message says what to do."""


def say(message: str) -> None:
    """Tell the user what goes on: standard output is for results."""
    print(f"iwarp: {message}", file=sys.stderr, flush=True)


def is_writable() -> bool:
    """Return whether this clone can be set up and built: it may be another user's, or mounted read-only."""
    build = ROOT / "build"
    return os.access(build if build.exists() else ROOT, os.W_OK)


LOCKS: list[int] = []  # descriptors of the lock, while we hold it


def call(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command without input, what it prints on standard error.

    It shares our lock, so that if we are killed the next call waits until it has ended as well.
    """
    options.setdefault("stdout", sys.stderr)
    return subprocess.run(command, stdin=subprocess.DEVNULL, text=True, pass_fds=LOCKS, **options)


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Let one process at a time set up and build this clone; who holds the lock may ask again."""
    if LOCKS:
        yield
        return
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another ./iwarp is setting this clone up: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        LOCKS.append(file.fileno())
        try:
            yield
        finally:
            LOCKS.remove(file.fileno())
