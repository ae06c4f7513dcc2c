# SPDX-License-Identifier: GPL-2.0-only
"""Numbers that know their unit, and how people like to read them."""

from __future__ import annotations

import math

_PREFIXED = {"s", "bit/s", "octets/s"}
_PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"),
             (1e-12, "p")]  # fmt: skip
_BINARY = [(2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")]
_DECIMAL = [(10**9, "GB"), (10**6, "MB"), (10**3, "kB")]


class Quantity(float):
    """A float with a ``unit``; arithmetic gives plain floats."""

    unit: str

    def __new__(cls, value: float, unit: str = "") -> Quantity:
        self = super().__new__(cls, value)
        self.unit = unit
        return self

    def __getnewargs__(self) -> tuple[float, str]:
        return float(self), self.unit

    def __repr__(self) -> str:
        return f"{float(self):.6g} {self.unit}".rstrip()

    def __str__(self) -> str:
        return human(float(self), self.unit, decimal=True)

    def to_json(self) -> dict:
        """Return ``{"value": …, "unit": …}``; a value that JSON cannot carry is None."""
        return {"value": float(self) if math.isfinite(self) else None, "unit": self.unit}


def scale(largest: float, unit: str, decimal: bool = False) -> tuple[float, str]:
    """Return the divisor and the unit's name that suit a value of this size (for an axis).

    Octets are told in KiB and MiB, as memory is, or ``decimal``: in kB and MB, as rates and what is asked for are.
    """
    size = abs(largest)
    if unit == "share":
        return 0.01, "%"
    if not math.isfinite(size) or size == 0:
        return 1.0, unit
    if unit == "octets":
        for factor, name in _DECIMAL if decimal else _BINARY:
            if size >= (2 * factor if name in ("KiB", "kB") else factor):
                return float(factor), name
    elif unit in _PREFIXED:
        for factor, prefix in _PREFIXES:
            if size >= factor * (1 - 1e-9) and not (unit == "s" and factor > 1):
                return factor, prefix + unit
    return 1.0, unit


def human(value: float, unit: str = "", digits: int = 3, decimal: bool = False) -> str:
    """Return ``value`` with a prefix that suits its size, as ``9.1 Gbit/s`` or ``12 %``; see scale() for octets."""
    if value is None or math.isnan(value):
        return "n/a"
    divisor, name = scale(value, "" if unit == "ratio" else unit, decimal)
    number = number_text(value / divisor, digits)
    return f"{number} {name}".rstrip()


def number_text(number: float, digits: int = 3) -> str:
    """Return ``number`` with ``digits`` significant digits, without an exponent where it is readable."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    if abs(number) >= 10**digits:
        return f"{number:,.0f}" if abs(number) < 1e9 else f"{number:.{digits}g}"
    text = f"{number:.{digits}g}"
    return text if "e" not in text or abs(number) < 1e-4 else f"{float(text):,.0f}"  # rounded up to 10**digits
