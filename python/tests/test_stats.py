# SPDX-License-Identifier: GPL-2.0-only
"""Oracles: scipy's own intervals, the printed t table, arithmetic by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.stats import Estimate, cell, count_runs, estimate, interval, summarize
from scipy import stats as scipy_stats


@pytest.mark.parametrize("values", [[1.0, 2.0, 4.0], [3.5, 3.6, 3.1, 3.9, 2.8], [1e9, 1.1e9], list(range(30))])
def test_interval_is_scipys(values):
    found = estimate(values)
    low, high = scipy_stats.t.interval(
        0.95, len(values) - 1, loc=sum(values) / len(values), scale=scipy_stats.sem(values)
    )
    assert found.low == pytest.approx(low) and found.high == pytest.approx(high)


def test_interval_by_the_printed_table():
    # three values 9, 10, 11: s = 1, t(0.975, 2) = 4.303, half = 4.303 / sqrt(3)
    assert estimate([9, 10, 11]).half == pytest.approx(4.303 / math.sqrt(3), rel=1e-4)


def test_few_and_equal_values():
    assert estimate([5]).mean == 5 and math.isnan(estimate([5]).half)
    assert estimate([]).n == 0 and math.isnan(estimate([]).mean)
    assert estimate([0.1] * 7) == Estimate(pytest.approx(0.1), 0.0, 7)
    assert estimate([1.0, math.nan, 3.0]).n == 2


def test_summary_counts_only_good_runs():
    frame = pd.DataFrame(
        {
            "loss": [0, 0, 0, 1, 1],
            "mtu": 1500,
            "status": ["ok", "ok", "crash", "ok", "timeout"],
            "goodput": [1.0, 3.0, math.nan, 7.0, math.nan],
        }
    )
    frame.attrs["units"] = {"goodput": "bit/s", "mtu": "octets"}
    summary = summarize(frame, ["loss", "mtu"], ["goodput"])
    assert summary["goodput"].tolist() == [2.0, 7.0]
    assert summary["runs"].tolist() == [2, 1] and summary["failed"].tolist() == [1, 1]
    assert summary["goodput_ci95"][0] == pytest.approx(12.706, rel=1e-3)  # t(0.975, 1) times 1
    assert math.isnan(summary["goodput_ci95"][1])
    assert summary.attrs["units"] == {"goodput": "bit/s", "goodput_ci95": "bit/s", "goodput_low": "bit/s",
                                       "goodput_high": "bit/s", "mtu": "octets"}


def test_a_mean_says_of_how_many_runs_it_is():
    # a tail that one of three good runs has no value of
    frame = pd.DataFrame({"mtu": 1500, "status": ["ok"] * 3 + ["crash"], "tail": [1.0, math.nan, 3.0, math.nan]})
    summary = summarize(frame, ["mtu"], ["tail"])
    assert (summary["runs"][0], summary["tail_n"][0], summary["tail"][0]) == (3, 2, 2.0)
    assert cell(summary.iloc[0], "tail").n == 2


def test_an_interval_does_not_leave_what_a_link_carries():
    # five runs of a busy link of 10 Gbit/s and a bad one: Student's interval of the mean ends at 10.8 Gbit/s
    goodput, busy = [9.4e9, 9.4e9, 9.3e9, 9.4e9, 9.4e9, 5e9], [1.0, 1.0, 0.99, 1.0, 1.0, 0.54]
    frame = pd.DataFrame(
        {"mtu": 1500, "status": "ok", "goodput": goodput, "goodput_bound": 9.45e9, "bottleneck_share": busy}
    )
    frame.attrs["units"] = {"goodput": "bit/s", "bottleneck_share": "share"}
    assert estimate(goodput).high > 10e9
    summary = summarize(frame, ["mtu"], ["goodput", "bottleneck_share"])
    assert summary["goodput_high"][0] <= 9.5e9 and summary["bottleneck_share_high"][0] <= 1
    assert summary["goodput_low"][0] == pytest.approx(estimate(goodput).low)


def test_an_interval_ends_at_0_only_of_what_is_never_below():
    data = {"wait": [0.0, 0.1, 0.0, 5.0, 0.2, 9.0], "change": [-1.0, 0.5, -2.0, 3.0, 0.1, -4.0]}
    found = summarize(pd.DataFrame({"mtu": 1500, "status": "ok", **data}), ["mtu"], ["wait", "change"])
    assert estimate(data["wait"]).low < 0 and found["wait_low"][0] == 0
    assert found["change_low"][0] == pytest.approx(estimate(data["change"]).low) and found["change_low"][0] < 0


@pytest.mark.parametrize("n", [6, 9, 12, 20])
def test_the_interval_of_two_clusters_has_their_median(n):
    # slowdowns of 13.4, and of 35 with a timeout: the median by order statistics, whatever the shape
    rng, inside, studies = np.random.default_rng(n), 0, 0
    for _ in range(2000):
        values = np.where(rng.random(n) < 0.3, 35.0, 13.4) + rng.normal(0, 0.1, n)
        if np.sum(values > 20) in range(2, n - 1):
            low, high = interval(values)
            assert values.min() <= low <= high <= values.max()
            studies += 1
            inside += low <= 13.4 + 0.1 * scipy_stats.norm.ppf(0.5 / 0.7) <= high
    assert inside >= scipy_stats.binom.ppf(0.001, studies, 0.95)


def test_few_values_in_two_clusters_have_no_interval():
    assert all(map(math.isnan, interval([1.0, 1.1, 9.0, 9.1])))
    assert interval([3.0, 4.0, 5.0]) == pytest.approx((estimate([3.0, 4.0, 5.0]).low, estimate([3.0, 4.0, 5.0]).high))


def test_the_runs_that_it_takes_are_those_of_a_power_analysis():
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for spread, effect, level in ((0.05, 0.02, 0.05), (0.03, 0.02, 0.0125), (0.2, 0.05, 0.05)):
        exact = power.solve_power(effect_size=effect / spread, alpha=level, power=0.8)
        assert count_runs(spread, effect, level) == math.ceil(exact)
    assert count_runs(1e-6, 1.0, 0.05) == 2 and count_runs(1.0, 1e-6, 0.05, most=500) == 500
