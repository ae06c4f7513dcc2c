# SPDX-License-Identifier: GPL-2.0-only
"""Laws of all scenarios hold for random ones: ten thousand that come to their end, or as many as an hour has, and as
many that may fail as half an hour has."""

import os

from scenario_laws import main


def test_laws_hold_for_ten_thousand(monkeypatch):
    assert ask(monkeypatch, "--first", "1001", "--trials", "10000", "--seconds", "3600") == 0


def test_laws_hold_for_scenarios_that_may_fail(monkeypatch):
    assert ask(monkeypatch, "--wild", "--first", "100000", "--trials", "10000", "--seconds", "1800") == 0


def ask(monkeypatch, *arguments):
    jobs = str(len(os.sched_getaffinity(0)))
    monkeypatch.setattr("sys.argv", ["scenario_laws.py", *arguments, "--jobs", jobs])
    return main()
