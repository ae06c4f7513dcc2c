# SPDX-License-Identifier: GPL-2.0-only
"""Whole studies whose arms are equal, 40 replays of each: differences are claimed on 5 % of pages at most, of each
kind, and none that no test shows."""

import equal_arms
import pytest
from equal_arms import count_claims
from scipy import stats


@pytest.mark.parametrize("name", equal_arms.NAMES)
def test_equal_arms_are_not_told_apart(name):
    found = count_claims(name, 40)
    print(f"{name}: differences are claimed in so many of 40 replays: {found}")
    assert found.pop("untested") == 0
    assert max(found.values()) <= stats.binom.ppf(0.999, 40, 0.05)
