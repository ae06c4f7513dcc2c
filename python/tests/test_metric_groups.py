# SPDX-License-Identifier: GPL-2.0-only
"""What ``iwarp run`` prints: metrics in groups, what is asked for most in front, one set of units."""

import re

import iwarp
import pytest
from iwarp.errors import IwarpError
from iwarp.parameters.quantity import Quantity, human
from iwarp.report.metric_groups import GROUPS, arrange, caution_of_idle
from iwarp.runs import loader


def test_each_metric_has_one_group():
    try:
        loader.find()
    except IwarpError:
        pytest.skip("the library is not built")
    known = list(iwarp.metrics())
    assert len(known) > 200
    for name in known:
        titles = [group.title for group in GROUPS if re.fullmatch(group.members, name)]
        assert len(titles) == 1, (name, titles)
    for group in GROUPS:
        for pattern in group.first:
            assert any(re.fullmatch(pattern, name) for name in known if re.fullmatch(group.members, name)), pattern


METRICS = {"events": 9, "duration": 2, "goodput": 1, "rnic_drops_a": 0, "rnic_drops_b": 3, "mine": 4}


def test_what_is_asked_for_most_comes_first():
    assert arrange(METRICS) == [
        ("Goodput and time", {"goodput": 1, "duration": 2}),
        ("RNICs", {"rnic_drops_b": 3}),
        ("Others", {"mine": 4}),
    ]
    everything = arrange(METRICS, everything=True)
    assert [title for title, _ in everything] == ["Goodput and time", "RNICs", "The simulation", "Others"]
    assert {name: value for _, members in everything for name, value in members.items()} == METRICS


def test_a_page_has_one_set_of_units():
    """1 MB that was asked for is not 977 KiB, beside rates in Mbit/s."""
    assert [str(Quantity(n, "octets")) for n in (1_000_000, 10**10, 65_536, 1999)] == [
        "1 MB",
        "10 GB",
        "65.5 kB",
        "1,999 octets",
    ]
    assert human(1_000_000, "octets") == "977 KiB"  # of memory, on studies' pages


def test_an_idle_bottleneck_is_told():
    idle = {"bottleneck_share": Quantity(0.002, "share"), "round_trip": Quantity(0.048, "s")}
    assert caution_of_idle(idle).startswith("the busiest link sends for 0.2 % of the time")
    assert "the longest is 48 ms here" in caution_of_idle(idle)
    assert caution_of_idle({"bottleneck_share": Quantity(0.9, "share")}) == caution_of_idle({}) == ""


def test_the_command_prints_groups(cli, fake):
    code, out, err = cli("run")
    assert code == 0 and out.startswith("Goodput and time:\ngoodput ")
    everything, said = cli("run", "-v")[1:]
    left_out = len(re.findall(r"^\w+  +", everything, re.M)) - len(re.findall(r"^\w+  +", out, re.M))
    assert "prints" not in said and (f"iwarp: -v prints {left_out} more\n" in err) == (left_out > 0)
