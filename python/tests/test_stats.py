# SPDX-License-Identifier: GPL-2.0-only
"""Oracles: scipy's own intervals, the printed t table, arithmetic by hand."""

import math

import pandas as pd
import pytest
from iwarp.analysis.stats import Estimate, estimate, summarize
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
    assert summary.attrs["units"] == {"goodput": "bit/s", "goodput_ci95": "bit/s", "mtu": "octets"}
