# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of runs, compared: oracles are scipy's paired t test, printed tables, and data whose answer is known."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.comparison import Contrast, View, average, compare, judge
from iwarp.analysis.stats import detectable, holm, paired_test
from scipy import stats as scipy_stats

TIME = View("time", "Time", "s")
SHARE = View("time", "Share", "share")
SENDER = Contrast("aligned", True, False, "an aligned sender", "an unaligned sender")


def frame(aligned, unaligned, lost=()):
    """Make runs of values by configuration: ``{0: [1, 2]}``; runs in ``lost`` are (aligned, configuration, run)."""
    rows = [
        {"aligned": side, "mtu": mtu, "seed": 1, "run": run, "time": float(value),
         "status": "crash" if (side, mtu, run) in lost else "ok"}
        for side, data in ((True, aligned), (False, unaligned))
        for mtu, values in data.items()
        for run, value in enumerate(values, 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def compared(aligned, unaligned, view=TIME, **more):
    return compare(frame(aligned, unaligned, **more), SENDER, view, ["aligned", "mtu"])


def test_pairs_show_what_means_hide():
    # the case: 4.58 s against 4.39 s, twelve seeds; runs differ more than senders do
    rng = np.random.default_rng(1)
    base = 4.39 * np.exp(rng.normal(0, 0.25, 12))
    other = base * 1.04 * np.exp(rng.normal(0, 0.02, 12))
    assert scipy_stats.ttest_ind(np.log(other), np.log(base)).pvalue > 0.5
    (found,) = compared({0: other}, {0: base})
    oracle = scipy_stats.ttest_rel(np.log(other), np.log(base))
    assert found.test.p == pytest.approx(oracle.pvalue) and found.verdict == "higher"
    low, high = oracle.confidence_interval(0.95)
    assert (found.test.low, found.test.high) == pytest.approx((low, high))
    shuffled = frame({0: other}, {0: base}).sample(frac=1, random_state=3)  # pairs go by run, not by place
    (again,) = compare(shuffled, SENDER, TIME, ["aligned", "mtu"])
    assert again.test.p == pytest.approx(oracle.pvalue)


def test_holm_by_the_printed_example():
    # R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    corrected = holm([math.nan, 0.02, 0.9])
    assert math.isnan(corrected[0]) and corrected[1:].tolist() == pytest.approx([0.04, 0.9])


def test_the_smallest_difference_by_the_printed_table():
    # Cohen: a paired t test at 5 %, two-sided, needs 34 pairs for d = 0.5 and 15 for d = 0.8 to have a power of 80 %
    for pairs, effect in ((34, 0.5), (15, 0.8)):
        assert detectable(1.0, pairs, 0.05) < effect < detectable(1.0, pairs - 1, 0.05)
    assert detectable(3.0, 34, 0.05) == pytest.approx(3 * detectable(1.0, 34, 0.05))


@pytest.mark.parametrize(("pairs", "level"), [(5, 0.05), (12, 0.001), (3, 0.01)])
def test_the_smallest_difference_is_found_four_times_in_five(pairs, level):
    rng = np.random.default_rng(4)
    shift = detectable(1.0, pairs, level)
    p = scipy_stats.ttest_1samp(rng.normal(shift, 1.0, (20_000, pairs)), 0, axis=1).pvalue
    assert (p < level).mean() == pytest.approx(0.80, abs=0.01)  # 3.5 standard deviations


def test_equal_settings_differ_no_more_often_than_the_level():
    # studies of 20 configurations, 8 heavy-tailed runs each, the same disturbance for both sides of a pair
    rng = np.random.default_rng(5)
    studies, wrong, wrong_average, wrong_alone = 150, 0, 0, 0
    for _ in range(studies):
        common = rng.standard_t(3, (20, 8)) * 0.3
        a, b = (np.exp(common + rng.standard_t(3, (20, 8)) * 0.1) for _ in range(2))
        found = compared(dict(enumerate(a)), dict(enumerate(b)))
        wrong += any(c.verdict in ("lower", "higher") for c in found)
        wrong_alone += sum(c.test.p < 0.05 for c in found)
        wrong_average += judge([average(found)])[0].verdict in ("lower", "higher")
    bound = scipy_stats.binom.ppf(0.999, studies, 0.05)
    assert wrong <= bound and wrong_average <= bound
    assert wrong_alone > studies / 2  # what a reader gets who looks at each one alone


def test_equal_in_every_run_is_no_difference():
    (found,) = compared({0: [0.1 + 0.2, 5]}, {0: [0.3, 5]})
    assert found.verdict == "same" and found.test.mean == 0


def test_one_pair_tells_nothing():
    (found,) = compared({0: [5]}, {0: [50]})
    assert found.verdict == "unknown" and math.isnan(found.test.p) and math.isnan(found.seen)


def test_a_failed_run_breaks_its_pair():
    found = compared({0: [2, 2.1, 2, 99], 9: [2, 2]}, {0: [1, 1.1, 1, 1], 9: [1, 1]},
                     lost=[(True, 0, 4), (True, 9, 1), (False, 9, 2)])  # fmt: skip
    assert [(c.test.n, c.broken) for c in found] == [(3, 1), (0, 2)]
    assert found[0].treatment.mean == pytest.approx(6.1 / 3) and found[1].verdict == "unknown"
    # a value that a side lacks, or that both lack, is no pair either; one that neither has in any run is no comparison
    (found,) = compared({0: [2, math.nan, 2, math.nan]}, {0: [1, 1, 1, math.nan]})
    assert (found.test.n, found.broken, found.lacks) == (2, 2, (2, 1))
    assert compared({0: [math.nan]}, {0: [math.nan]}) == []


def test_zero_and_shares_are_compared_by_difference():
    (ratio,) = compared({0: [2, 4, 8]}, {0: [1, 2, 4]})
    (zero,) = compared({0: [2, 4, 0]}, {0: [1, 2, 4]})
    (share,) = compared({0: [0.3, 0.5]}, {0: [0.1, 0.2]}, SHARE)
    assert ratio.relative and math.exp(ratio.test.mean) == pytest.approx(2)
    assert not zero.relative and zero.test.mean == pytest.approx(-1 / 3)
    assert not share.relative and share.test.mean == pytest.approx(0.25)


def test_counts_that_agree_by_chance_are_no_proof():
    by_chance = paired_test([1, 1, 1, 1, 1])
    assert by_chance.p == pytest.approx(1 / 16) and math.isnan(by_chance.low)  # the sign test's
    (certain,) = compared({0: [3] * 5}, {0: [2] * 5})
    assert certain.verdict == "higher" and certain.test.p == 2 / 4**5


@pytest.mark.parametrize(("runs", "most"), [(2, 0.125), (3, 0.03125), (5, 2 / 4**5)])
def test_equal_arms_of_few_values_differ_no_oftener_than_p_says(runs, most):
    """Timeouts that a run has none of or one, half of the time each: the exact share of cases that look certain."""
    outcomes = list(itertools.product((0, 1), repeat=2 * runs))
    certain = [o for o in outcomes if len({*o[:runs]}) == len({*o[runs:]}) == 1 and o[0] != o[-1]]
    assert len(certain) / len(outcomes) == most == paired_test([1] * runs, certain=True).p


def test_the_bootstrap_has_a_say():
    data = np.random.default_rng(6).normal(1, 0.5, 30)
    found = paired_test(data)
    assert found.agree and found.bootstrap == pytest.approx((found.low, found.high), abs=0.05)
    assert paired_test(data) == found
    # one value of six turns the mean about: Student's t says 3 %, the bootstrap's interval has 0 in it
    (vetoed,) = compared({0: [0.9, 0.9, 1.2, 0.9, 0.9, -0.5]}, {0: [0] * 6})
    assert vetoed.test.p < 0.04 and not vetoed.test.agree and vetoed.verdict == "open"


def test_what_would_be_seen_is_that_of_the_strictest_level_that_was_not_reached():
    """Of three comparisons one is found; the next one had to be below half of the level (Holm)."""
    sides = {0: [0.5, 0.51, 0.5, 0.49], 1: [0.3, 0.1, 0.2, 0.35], 2: [0.1, 0.4, 0.2, 0.15]}
    found = compared(sides, {k: [0.2, 0.21, 0.19, 0.2] for k in sides}, SHARE)
    assert [c.verdict for c in found] == ["higher", "open", "open"]
    for c in found:
        assert c.seen == pytest.approx(detectable(c.test.spread, 4, 0.05 / 2))


def test_an_average_over_configurations_is_surer_than_each():
    rng = np.random.default_rng(7)
    a, b = ({k: np.exp(rng.normal(shift, 0.05, 6)) for k in range(24)} for shift in (0.04, 0.0))
    found = compared(a, b)
    (mean,) = judge([average(found, "all")])
    assert mean.verdict == "higher" and mean.where == {"scope": "all", "configurations": 24}
    assert sum(c.verdict == "open" for c in found) > 20
    effects = np.mean([np.log(a[k] / b[k]) for k in range(24)], axis=0)
    assert mean.test.p == pytest.approx(scipy_stats.ttest_1samp(effects, 0).pvalue)
    assert average(found[:1]) is None
    broken = compared(a, b, lost=[(True, 5, 1)])
    assert average(broken).where["configurations"] == 23
    longer = compared({**a, 5: [*a[5], 1]}, {**b, 5: [*b[5], 1]}, lost=[(True, 5, 7)])  # six pairs too, a broken one
    assert average(longer).where["configurations"] == 23


def test_each_level_of_a_factor_has_the_same_weight_in_an_average():
    sides = ({k: np.full(3, value) for k, value in enumerate(values)} for values in ([1, 2, 3, 10], [0, 0, 0, 0]))
    found = [replace(c, where={"network": "star" if c.where["mtu"] < 3 else "ring"}) for c in compared(*sides)]
    assert average(found, by="network").test.mean == pytest.approx((2 + 10) / 2)
    assert average(found).test.mean == pytest.approx(4)


def test_a_row_of_the_table_says_all():
    row = compared({0: [2, 4.2, 8]}, {0: [1, 2, 4]})[0].to_row()
    assert row["effect_is"] == "ratio" and row["effect"] == pytest.approx(2 * 1.05 ** (1 / 3)) and row["pairs"] == 3
    assert row["low"] < row["effect"] < row["high"] and row["p_corrected"] == row["p"] and row["mtu"] == 0
