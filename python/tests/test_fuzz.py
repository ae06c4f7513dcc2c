# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios end with metrics or with one line that says why; nightly_fuzz.py runs many more."""

from scenario_fuzz import run_trials


def test_random_scenarios():
    count, faults = run_trials(first=1, trials=400)
    assert count == 400 and not faults, faults
