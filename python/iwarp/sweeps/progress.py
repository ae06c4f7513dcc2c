# SPDX-License-Identifier: GPL-2.0-only
"""How far a sweep is: a bar on a terminal, a plain line now and then where there is none, or nothing."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from tqdm import tqdm

tqdm.monitor_interval = 0  # no thread beside the one that forks

INTERVAL = 30.0  #: seconds between two plain lines
_quiet = False


def set_quiet(quiet: bool = True) -> None:
    """Have no progress shown in this process, or have it shown again."""
    global _quiet
    _quiet = quiet


def tell(text: str) -> None:
    """Say something of a sweep on standard error, unless nothing is to be shown."""
    if not _quiet:
        print(f"iwarp: {text}", file=sys.stderr)


class Progress:
    """Counts runs that end: update() after each, close() at the end."""

    def __init__(self, title: str, total: int, done: int = 0, file: TextIO | None = None):
        self._title, self._total, self._first, self._done = title, total, done, done
        self._failed = 0
        self._file = file or sys.stderr
        self._started = self._said = time.monotonic()
        self._bar = None
        if not _quiet and self._file.isatty():
            self._bar = tqdm(
                total=total, initial=done, desc=title, unit="run", file=self._file, dynamic_ncols=True, mininterval=0.5
            )

    def update(self, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        if self._bar is not None:
            if failed:
                self._bar.set_postfix(failed=self._failed, refresh=False)
            self._bar.update()
        elif time.monotonic() - self._said >= INTERVAL and self._done < self._total:
            self._say()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            self._say()

    def _say(self) -> None:
        if _quiet:
            return
        self._said = time.monotonic()
        took = self._said - self._started
        failed = f", {self._failed} failed" if self._failed else ""
        left = self._total - self._done
        ended = self._done - self._first
        rest = f", about {duration(took * left / ended)} left" if left and ended else ""
        runs = f"{self._done}/{self._total} runs{failed}"
        print(f"{self._title}: {runs}, {duration(took)}{rest}", file=self._file, flush=True)


def duration(seconds: float) -> str:
    """Return a time as people say it: ``45 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
