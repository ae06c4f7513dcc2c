# SPDX-License-Identifier: GPL-2.0-only
"""Lines through runs: against a hand-worked example, other software, and what they claim about chance."""

import math

import numpy as np
import pytest
from iwarp.analysis.fits import Line, line
from scipy import stats


def test_without_weights_it_is_ordinary_least_squares():
    rng = np.random.default_rng(3)
    x, y = np.repeat([1.0, 2, 5, 9], 3), rng.normal(0, 1, 12)
    found, known = line(x, y), stats.linregress(x, y)
    t = stats.t.ppf(0.975, 10)
    assert found.slope == pytest.approx(known.slope) and found.intercept == pytest.approx(known.intercept)
    assert found.slope_half == pytest.approx(t * known.stderr)
    assert found.intercept_half == pytest.approx(t * known.intercept_stderr)


def test_a_weight_counts_as_so_many_runs():
    once, thrice = line([1, 2, 4], [1.0, 3, 4], [1, 3, 1]), line([1, 2, 2, 2, 4], [1.0, 3, 3, 3, 4])
    assert (once.slope, once.intercept) == pytest.approx((thrice.slope, thrice.intercept))


def test_lack_of_fit_by_hand():
    """Means 2, 3, 8 of two runs each at 0, 1, 2: off the line by 2/3, 4/3, 2/3; each run off its mean by 1."""
    x, y = [0, 0, 1, 1, 2, 2], [1.0, 3, 2, 4, 7, 9]
    found = line(x, y)
    assert (found.slope, found.intercept) == pytest.approx((3, 4 / 3))
    f = (16 / 3 / 1) / (6 / 3)
    assert found.lack == pytest.approx(stats.f.sf(f, 1, 3))


def test_what_cannot_be_tested_is_not():
    assert math.isnan(line([1, 2, 3], [1, 2, 4]).lack) and line([1, 2, 3], [1, 2, 4]).holds() is None
    assert line([1, 1, 2], [1, 1.1, 2]).holds() is None  # two points are always on a line
    assert line([1, 1, 2, 2, 3, 3], [0] * 6).lack == 1
    assert line([1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 4, 4]).lack == 0


@pytest.mark.parametrize("curve", [0, 0.5])
def test_chance_is_as_said(curve):
    """With variances that grow as x: intervals hold the slope 95 times of 100, and 5 lines of 100 are disproved."""
    rng = np.random.default_rng(4)
    x = np.repeat([1.0, 10, 100, 1000], 3)
    held = disproved = 0
    for _ in range(2000):
        found = line(x, 0.6 * x + 1 + curve * np.sqrt(x) + rng.normal(0, np.sqrt(0.01 * x)), 1 / x)
        held += abs(found.slope - 0.6) <= found.slope_half
        disproved += found.holds() is False
    if curve:
        assert disproved / 2000 > 0.9
    else:
        assert held / 2000 == pytest.approx(0.95, abs=0.017)  # 3.5 standard deviations
        assert disproved / 2000 == pytest.approx(0.05, abs=0.017)


def test_slopes_that_two_intervals_leave_together_agree():
    # halves of 0.3 each: their difference has 0.3 times the root of 2 (0.424) at 95 %
    one = Line(1.0, 0.3, 0.0, 0.0, math.nan)
    assert one.agrees(Line(1.42, 0.3, 0.0, 0.0, math.nan)) and Line(1.42, 0.3, 0, 0, math.nan).agrees(one)
    assert not one.agrees(Line(1.43, 0.3, 0.0, 0.0, math.nan))
    assert one.agrees(Line(1.43, 0.3, 0.0, 0.0, math.nan), tests=2)  # each is asked at 97.5 %
