# SPDX-License-Identifier: GPL-2.0-only
"""Ratios of pairs against closed forms, known data and simulation."""

import math
import random

import pytest

from iwarp.analysis.ratios import measure_ratio, ratio_of_pairs

T_975 = {1: 12.7062, 2: 4.30265, 3: 3.18245, 9: 2.26216}  # of the t distribution, by degrees of freedom


def test_closed_form_of_two_pairs():
    """Of two values the standard error is half of their distance."""
    ratio = ratio_of_pairs([(1.0, 2.0), (8.0, 4.0)])
    half = T_975[1] * math.log(4) / 2
    assert ratio.value == pytest.approx(1.0) and ratio.pairs == 2
    assert ratio.high == pytest.approx(math.exp(half), rel=1e-4)
    assert ratio.low == pytest.approx(math.exp(-half), rel=1e-4)
    assert ratio.first == pytest.approx(math.sqrt(8)) and ratio.second == pytest.approx(math.sqrt(8))


def test_known_data():
    """Ratios 0.70, 0.80, 0.75 and 0.90: by hand, mean and deviation of their logarithms are -0.24322 and 0.10686."""
    ratio = ratio_of_pairs([(70, 100), (80, 100), (75, 100), (90, 100)])
    half = T_975[3] * 0.106860 / 2
    assert ratio.value == pytest.approx(math.exp(-0.243215), rel=1e-4)
    assert ratio.low == pytest.approx(math.exp(-0.243215 - half), rel=1e-4)
    assert ratio.width == pytest.approx(math.exp(half) - 1, rel=1e-3)


def test_what_both_sides_share_does_not_count():
    """A machine that is half as fast for some pairs changes nothing; swapped sides have the inverse ratio."""
    pairs = [(3.0, 4.0), (3.1, 4.0), (3.0, 4.1)]
    slow = [(3.0, 4.0), (6.2, 8.0), (30.0, 41.0)]
    assert ratio_of_pairs(slow).value == pytest.approx(ratio_of_pairs(pairs).value)
    assert ratio_of_pairs(slow).width == pytest.approx(ratio_of_pairs(pairs).width)
    swapped = ratio_of_pairs([(b, a) for a, b in pairs])
    assert swapped.value == pytest.approx(1 / ratio_of_pairs(pairs).value)
    assert swapped.low == pytest.approx(1 / ratio_of_pairs(pairs).high)


def test_one_pair_has_no_interval():
    ratio = ratio_of_pairs([(1.0, 4.0)])
    assert ratio.value == pytest.approx(0.25) and math.isnan(ratio.width)


def test_order_cancels_drift():
    """A cost that grows by 1 % with each run is no bias over whole turns of ABBA."""
    asked = []

    def measure(side):
        asked.append(side)
        return (3.0, 4.0)[side] * 1.01 ** len(asked)

    ratio = measure_ratio(measure, 0.0, 2, 8)
    assert asked == [0, 1, 1, 0] * 4
    assert ratio.value == pytest.approx(0.75) and ratio.pairs == 8


def test_stops_when_it_is_known():
    """What never varies needs the least number of pairs; what varies too much ends at the limit."""
    assert measure_ratio(lambda side: 1.0 + side, 0.05, 4, 20).pairs == 4
    chance = random.Random(1)
    wild = measure_ratio(lambda side: chance.lognormvariate(0, 1), 0.05, 4, 12)
    assert wild.pairs == 12 and wild.width > 0.05
    chance = random.Random(1)
    calm = measure_ratio(lambda side: (3.0, 4.0)[side] * chance.lognormvariate(0, 0.03), 0.05, 4, 50)
    assert calm.pairs < 12 and calm.width <= 0.05


def test_interval_holds_the_ratio():
    """Of 400 measurements that stop when the interval is narrow, about 95 % hold the ratio in theirs."""
    chance = random.Random(7)
    held = 0
    for _ in range(400):
        ratio = measure_ratio(lambda side: (3.0, 4.0)[side] * chance.lognormvariate(0, 0.05), 0.05, 4, 40)
        held += ratio.low <= 0.75 <= ratio.high
    assert 350 <= held <= 397  # stopping at a lucky moment costs a few per cent
