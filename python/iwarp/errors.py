# SPDX-License-Identifier: GPL-2.0-only
"""What can go wrong, as Python exceptions whose message says what to do."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable


class IwarpError(RuntimeError):
    """A run, a sweep or the loading of the module failed."""


class UsageError(IwarpError, ValueError):
    """A parameter name, a value or an option that makes no sense."""


class RunError(IwarpError):
    """A run failed; ``status`` is ``error``, ``crash``, ``timeout`` or ``memory``."""

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status = status


def whole_number(name: str, value: object, least: int = 1) -> int:
    """Return a whole number that somebody has given, or raise UsageError."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise UsageError(f"{name}={value!r} is no whole number")
    if value < least:
        raise UsageError(f"{name}={value} is out of range: at least {least}")
    return int(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean "x"?)`` for the known name closest to ``name``, or nothing."""
    by_lower = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return f' (did you mean "{by_lower[close[0]]}"?)' if close else ""
