# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios for an hour: each ends with metrics or with one line that says why."""

from scenario_fuzz import run_trials


def test_random_scenarios_for_an_hour():
    count, faults = run_trials(first=100_000, trials=1_000_000, seconds=3600)
    assert count > 0 and not faults, faults
