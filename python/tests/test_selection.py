# SPDX-License-Identifier: GPL-2.0-only
"""The best and the worst of several alternatives: how often a difference is claimed, where the truth is known."""

import math

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.selection import Selection
from scipy import stats

SHAPES = {
    "normal": lambda rng, size: rng.normal(0, 0.3, size),
    "heavy tails": lambda rng, size: 0.2 * rng.standard_t(2, size),
    "two modes": lambda rng, size: np.where(rng.random(size) < 1 / 3, 1.0, 0.0) + rng.normal(0, 0.05, size),
    "skewed": lambda rng, size: rng.exponential(0.4, size),
    # alternatives of which each varies in its own way, around the same mean
    "unequal": lambda rng, size: rng.normal(0, 1, size) * np.geomspace(0.05, 1, size[-1]),
}


def studies(shape, runs, number, planted=0.0):
    """Make studies of ten transports: what a run has in common, and each transport's own part."""
    rng = np.random.default_rng(runs)
    for _ in range(number):
        values = rng.normal(0, 0.5, (runs, 1)) + SHAPES[shape](rng, (runs, 10))
        values[:, 0] += planted
        yield Selection(pd.DataFrame(values))


def claims(selection):
    best, worst = selection.extremes()
    return selection.difference(worst, best).is_shown


@pytest.mark.parametrize("runs", [6, 10])
@pytest.mark.parametrize("shape", SHAPES)
def test_ten_equal_transports_have_no_best_one(shape, runs):
    number = 100
    claimed = sum(claims(found) for found in studies(shape, runs, number))
    assert claimed <= stats.binom.ppf(0.999, number, 0.05)


def test_what_a_reader_gets_who_picks_the_extremes_and_looks_at_these_alone():
    alone = 0
    for found in studies("normal", 6, 200):
        best, worst = found.extremes()
        alone += stats.ttest_rel(found.values[worst], found.values[best]).pvalue < 0.05
    assert alone > 60


def test_a_planted_difference_is_found():
    # 1.8 in logarithms is six times as much, with runs that differ by 0.3 * sqrt(2) in each pair
    found = [s.difference(0, 1) for s in studies("normal", 6, 100, planted=1.8)]
    assert sum(d.is_shown for d in found) >= 80
    found = [s.difference(0, 1) for s in studies("normal", 10, 100, planted=0.9)]
    assert sum(d.is_shown for d in found) >= 80
    assert sum(d.low <= 0.9 <= d.high for d in found) >= 95


def test_two_alternatives_are_what_an_exact_test_of_signs_says():
    differences = np.array([1.0, 1.4, 0.7, 1.1, 0.9, 1.3])
    found = Selection(pd.DataFrame({"a": 10 + differences, "b": np.full(6, 10.0)})).difference("a", "b")
    oracle = stats.permutation_test(
        (differences,), lambda d, axis: np.mean(d, axis), permutation_type="samples", vectorized=True
    )
    assert found.p == pytest.approx(oracle.pvalue, abs=0.015) and found.mean == pytest.approx(differences.mean())


def test_values_that_never_vary_differ_by_what_they_do():
    values = pd.DataFrame({"a": [4.0] * 6, "b": [8.0] * 6, "c": [8.0] * 6})
    found = Selection(values)
    assert found.extremes()[0] == "a" and found.difference("b", "a").is_shown
    same = found.difference("b", "c")
    assert (same.mean, same.low, same.high) == (0, 0, 0) and not same.is_shown


def test_one_run_tells_nothing():
    found = Selection(pd.DataFrame({"a": [4.0], "b": [8.0]})).difference("b", "a")
    assert found.mean == 4 and math.isnan(found.p) and not found.is_shown
