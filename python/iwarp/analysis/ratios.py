# SPDX-License-Identifier: GPL-2.0-only
"""Ratios of what is measured in pairs, repeated until they are known well enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .stats import estimate


@dataclass(frozen=True)
class Ratio:
    """The geometric mean of ratios of pairs, and the confidence interval that Student's t gives its logarithm.

    ``first`` and ``second`` are the geometric means of either side, whose ratio it is.
    """

    value: float
    low: float
    high: float
    pairs: int
    first: float
    second: float

    @property
    def width(self) -> float:
        """Return by how much of the ratio the interval's upper end is above it; NaN for one pair."""
        return self.high / self.value - 1


def ratio_of_pairs(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """Return the ratio of the first to the second of each pair, all above 0."""
    mean = estimate(math.log(first / second) for first, second in pairs)
    first, second = (math.exp(estimate(math.log(pair[side]) for pair in pairs).mean) for side in (0, 1))
    return Ratio(math.exp(mean.mean), math.exp(mean.low), math.exp(mean.high), mean.n, first, second)


def measure_ratio(measure: Callable[[int], float], width: float, least: int, most: int) -> Ratio:
    """Measure two sides in turn until the interval of their ratio is as narrow as that, and return the ratio.

    The order of sides is ABBA, so that what drifts slowly, such as other load on the machine, meets both alike.

    @param measure called with 0 or 1, returns what that side costs now, above 0
    @param width of the interval that is wanted, see Ratio.width
    @param least pairs before the interval counts, at least 2
    @param most pairs, after which the interval is what it is
    """
    pairs: list[tuple[float, float]] = []
    while len(pairs) < most:
        order = (0, 1) if len(pairs) % 2 == 0 else (1, 0)
        costs = {side: measure(side) for side in order}
        pairs.append((costs[0], costs[1]))
        if len(pairs) >= least and ratio_of_pairs(pairs).width <= width:
            break
    return ratio_of_pairs(pairs)
