# SPDX-License-Identifier: GPL-2.0-only
"""What `test/recorded_scenarios.py` asks for: a scenario for each name, and the same octets."""

import sys
from pathlib import Path

import iwarp
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test"))

import recorded_scenarios as recorded

RUN = {"pcap": "abc", "metrics": {"goodput": 1e9, "events": 10.0}}


def test_each_name_has_a_scenario():
    assert recorded.unrecorded(iwarp.params(), recorded.scenarios().values()) == []


@pytest.mark.parametrize("name, value, missing", [
    ("topology", "star", "topology=star"),
    ("topology", "file:nsfnet", "topology=file:PATH"),
    ("workload", "rounds", "workload=rounds"),
    ("middlebox", "icmp-filter", "middlebox=icmp-filter"),
    ("cipher", "aes-cbc-256/none", "cipher=aes-cbc-256/none"),
    ("impairment", "outage", "impairment=outage"),
    ("queue_disc", "pie", "queue_disc=pie"),
    ("ipsec", "nested", "ipsec=nested"),
])  # fmt: skip
def test_a_name_without_scenario_is_told(name, value, missing):
    left = [s for s in recorded.scenarios().values() if value not in str(s.get(name, "")).split("+")]
    assert missing in recorded.unrecorded(iwarp.params(), left)


def test_modes_of_ipsec_are_modelled_and_real():
    for real in (False, True):
        left = [s for s in recorded.scenarios().values() if s.get("ipsec_real", False) != real or "ipsec" not in s]
        told = recorded.unrecorded(iwarp.params(), left)
        modes = [line for line in told if "ipsec_real=" in line]
        assert modes == [f"ipsec={mode}, ipsec_real={real}" for mode in recorded.IPSEC]


def test_each_octet_and_figure_is_compared():
    assert recorded.differences(RUN, RUN) == []
    assert recorded.differences(RUN, RUN | {"pcap": "abd"}) == ["the packets differ"]
    assert recorded.differences(RUN, RUN | {"metrics": {"goodput": 1e9 + 2, "more": 1.0}}) == [
        "events: gone", "goodput: 1000000002.0, recorded 1000000000.0", "more: new",
    ]  # fmt: skip


def test_another_release_has_the_packets_of_the_package_or_its_own():
    other = RUN | {"pcap": "other"}
    fewer = RUN | {"metrics": {"goodput": 1e9, "events": 5.0}}
    ended = {"pcap": "", "metrics": {}, "error": "late"}
    table = {"a": RUN, "b": RUN}
    assert recorded.of_release(table, {}, {"a": RUN, "b": fewer}) == {}
    assert recorded.of_release(table, {"b": "other"}, {"a": RUN, "b": other}) == {}
    assert recorded.of_release(table, {"b": None}, {"a": RUN, "b": ended}) == {}
    assert recorded.of_release(table, {"b": "own"}, {"a": ended, "b": other}) == {
        "a": ["late"], "b": ["the packets differ"],
    }  # fmt: skip
    assert recorded.of_release(table, {"b": None}, {"b": RUN}) == {"b": ["the packets differ"]}
    assert recorded.of_release(table, {}, {"c": RUN}) == {"c": ["it is not recorded"]}


def test_records_are_of_scenarios_that_there_are():
    names = recorded.scenarios().keys()
    assert recorded.read(recorded.TABLE).keys() == names
    releases = recorded.read(recorded.RELEASES)
    assert releases and all(own.keys() <= names for own in releases.values())
