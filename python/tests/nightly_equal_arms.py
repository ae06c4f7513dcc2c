# SPDX-License-Identifier: GPL-2.0-only
"""Whole studies whose arms are equal, 40 replays of each: a primary difference is claimed on 5 % of pages at most."""

import pytest
from equal_arms import claims
from iwarp import studies
from scipy import stats

NAMES = ["alignment", "buffers", "compute", "fabric", "ipsec", "window"]


@pytest.mark.parametrize("name", NAMES)
def test_equal_arms_are_not_told_apart(name):
    study = studies.get(name)
    found = claims(study, study.presets["quick"].runs, 40)
    print(f"{name}: a difference is claimed in {found} of 40 replays")
    assert found <= stats.binom.ppf(0.999, 40, 0.05)
