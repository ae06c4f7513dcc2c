# SPDX-License-Identifier: GPL-2.0-only
"""Designs: points spread over a space of parameters, as the lists that sweeps take."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError

_QUANTITY = re.compile(r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\D*)$")
_DIGITS = 9  #: of a value, so that another machine's logarithm makes no other configuration


@dataclass(frozen=True)
class Range:
    """The values from ``low`` to ``high``: whole ones if both are, and as dense everywhere, or in their logarithm.

    Both are numbers, or text with a unit, the same for both: ``Range("1us", "1000us", log=True)``.
    """

    low: float | str
    high: float | str
    log: bool = False

    def __post_init__(self) -> None:
        (low, unit), (high, other) = _split(self.low), _split(self.high)
        if unit != other:
            raise UsageError(f"{self.low} and {self.high} are in two units: give both in one")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise UsageError(f"from {self.low} to {self.high} is no range: give two numbers")
        if not low < high:
            raise UsageError(f"there is nothing from {self.low} to {self.high}: the lower end comes first")
        if self.log and low <= 0:
            raise UsageError(f"{self.low} has no logarithm: let the range begin above 0")

    def value(self, share: float) -> int | float | str:
        """Return the value below which this share of the range lies."""
        (low, unit), (high, _) = _split(self.low), _split(self.high)
        whole = isinstance(low, int) and isinstance(high, int)
        end = high + 1 if whole else high
        value = low * (end / low) ** share if self.log else low + (end - low) * share
        value = min(math.floor(value), high) if whole else float(f"{value:.{_DIGITS}g}")
        return f"{value}{unit}" if unit else value


def latin_hypercube(space: Mapping[str, Any], points: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return points of which each parameter has one in each of so many equal parts of its range.

    @param space by parameter: a Range, a list of levels of which each gets as many points, or one value.
    @param seed of the design; the same gives the same points.
    """
    from scipy.stats import qmc

    if points < 1:
        raise UsageError(f"points={points} is out of range: at least 1")
    return _spread(space, lambda varied: qmc.LatinHypercube(varied, rng=seed).random(points))


def sobol(space: Mapping[str, Any], points: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return the first points of a scrambled Sobol sequence: a design that may be doubled, since it keeps its points.

    @param space as of latin_hypercube().
    @param points a power of two, of which the sequence is even.
    """
    from scipy.stats import qmc

    if points < 1 or points & (points - 1):
        below = 1 << max(points.bit_length() - 1, 0) if points > 0 else 1
        raise UsageError(f"a Sobol design has a power of two of points, as {below} or {2 * below}, not {points}")
    return _spread(space, lambda varied: qmc.Sobol(varied, rng=seed).random(points))


def fraction(space: Mapping[str, Any], reduction: int) -> list[dict[str, Any]]:
    """Return one in ``reduction`` of all combinations of levels, in which every two parameters meet evenly.

    A generalized subset design (Surowiec et al. 2017): each level of a parameter has every level of another as often
    as any, if the numbers of levels are multiples of ``reduction`` for all but one of the parameters. Means by level
    are then not mixed with what another parameter does by itself (resolution III), though with what two of them do
    together.

    @param space by parameter: a list of levels, or one value
    """
    import pydoe

    varied = {name: values for name, values in space.items() if isinstance(values, (list, tuple))}
    if len(varied) < 2 or reduction < 2:
        raise UsageError("a fraction takes two parameters that have levels, and a reduction of 2 or more")
    if min(map(len, varied.values())) < reduction:
        raise UsageError(f"reduction={reduction} leaves out levels of a parameter that has fewer")
    rows = pydoe.gsd([len(values) for values in varied.values()], reduction)
    return [
        {**space, **{name: values[at] for (name, values), at in zip(varied.items(), row, strict=True)}} for row in rows
    ]


def _spread(space: Mapping[str, Any], sample: Any) -> list[dict[str, Any]]:
    for name, values in space.items():
        if isinstance(values, (list, tuple)) and not values:
            raise UsageError(f"{name} has no level: give it at least one")
    # one level is one value: it must not change what the others get
    space = {name: v[0] if isinstance(v, (list, tuple)) and len(v) == 1 else v for name, v in space.items()}
    varied = [name for name, values in space.items() if isinstance(values, (Range, list, tuple))]
    if not varied:
        raise UsageError("the space has nothing to vary: give a parameter a Range or a list of levels")
    made = []
    for shares in sample(len(varied)):
        point = dict(space)
        for name, share in zip(varied, shares, strict=True):
            values = space[name]
            point[name] = values.value(float(share)) if isinstance(values, Range) else values[int(share * len(values))]
        made.append(point)
    return made


def _split(end: float | str) -> tuple[float | int, str]:
    """Return the number of an end of a range, and its unit."""
    if not isinstance(end, str):
        return end, ""
    match = _QUANTITY.match(end)
    if not match:
        raise UsageError(f"{end} is no end of a range: give a number, or one with a unit")
    number, unit = match[1], match[2].strip()
    return (int(number) if number.lstrip("+-").isdigit() and not unit else float(number)), unit
