# SPDX-License-Identifier: GPL-2.0-only
"""What unaligned connections hold in an RNIC: the figures of the page on studies (doc/study-buffers.rst), run again."""

import pytest
from documented import check, sweep
from iwarp.studies import buffers
from test_study_figures import runs_of

UNALIGNED = {"alignment": False, "markers": True}


@pytest.mark.parametrize(("figure", "loss"), [("k1-0.1-percent", 0.001), ("k1-1-percent", 0.01)])
def test_k1_by_1_to_1000_connections(figure, loss):
    runs = runs_of(buffers, **UNALIGNED, loss=loss, flows=[1, 10, 100, 1000])
    check(figure, buffers.fit(runs, "rnic_memory_mean").slope)


def test_k1_of_runs_that_are_twice_as_long():
    octets = buffers.STUDY.presets["quick"].fixed["octets"]
    runs = runs_of(buffers, **UNALIGNED, loss=0.01, flows=[1, 10, 100], octets=[octets, 2 * octets])
    shorter, longer = (
        buffers.fit(runs[runs["length"] == length], "rnic_memory_mean") for length in (1, 2)
    )  # fmt: skip
    check("k1-to-100", shorter.slope)
    check("k1-to-100-twice", longer.slope)
    assert shorter.agrees(longer)


PATHS = [
    ("k1-40gbps", {"link_rate": "40Gbps"}),
    ("k1-100gbps", {"link_rate": "100Gbps"}),
    ("k1-400gbps", {"link_rate": "400Gbps"}),
    ("k1-400gbps-short", {"link_rate": "400Gbps", "min_rto": "1ms", "delayed_ack": "100us"}),
    ("k1-5us", {"delay": "5us"}),
    ("k1-2ms", {"delay": "2ms"}),
    ("k1-mtu-576", {"mtu": 576}),
    ("k1-mtu-9052", {"mtu": 9052}),
]  #: figures by what is changed of the path


@pytest.mark.parametrize(("figure", "changes"), PATHS)
def test_what_a_connection_holds_over_rates_delays_and_sizes(figure, changes):
    preset = buffers.STUDY.presets["quick"]
    runs = buffers.derive(sweep({**preset.fixed, **UNALIGNED, **changes}, runs=6))
    check(figure, runs["k1"].mean())


def goodput(memory, runs=3, **kind):
    """Return the mean goodput of runs of 100 connections that share memory, in Gbit/s."""
    preset = buffers.STUDY.presets["quick"]
    return sweep({**preset.fixed, **kind, buffers.MEMORY: memory}, runs=runs)["goodput"].mean() / 1e9


def test_what_too_little_memory_leaves():
    check("memory-16k-markers", goodput(16_000, **UNALIGNED))
    check("memory-16k-no-markers", goodput(16_000, alignment=False, markers=False))
    check("memory-unlimited", goodput(0, **UNALIGNED))


SHORT = {"min_rto": "1ms", "delayed_ack": "100us"}  #: timeouts, and ACKs that come before these
RACK = {"rack": True}
SENDERS = [("sack", {}), ("no-sack", {"sack": False}), ("sack-1ms", SHORT), ("rack", RACK)]


@pytest.mark.parametrize(("name", "kind"), SENDERS)
def test_more_memory_is_not_always_better(name, kind):
    aligned = {"alignment": True, "markers": False, "runs": 6, **kind}
    little, more = (goodput(memory, **aligned) for memory in (4_000, 64_000))
    check(f"memory-4k-{name}", little)
    check(f"memory-64k-{name}", more)
    if name in ("sack", "rack"):
        assert (more < little) == (name == "sack")


LITTLE = [
    ("memory-64k-unaligned-sack", 64_000, {"markers": False}),
    ("memory-64k-unaligned-sack-1ms", 64_000, {"markers": False, **SHORT}),
    ("memory-64k-unaligned-rack", 64_000, {"markers": False, **RACK}),
    ("memory-16k-markers-sack", 16_000, {"markers": True}),
    ("memory-16k-markers-rack", 16_000, {"markers": True, **RACK}),
]  #: figures by memory and sender


@pytest.mark.parametrize(("figure", "memory", "kind"), LITTLE)
def test_what_rack_makes_of_little_memory(figure, memory, kind):
    check(figure, goodput(memory, runs=6, alignment=False, **kind))


@pytest.mark.parametrize(
    ("alignment", "markers", "low", "high"),
    [
        (False, True, 100_000, 110_000),
        (False, False, 320_000, 400_000),
        (True, False, 250_000, 320_000),
        (True, True, None, 4_000),
    ],
)
def test_between_which_sizes_the_memory_lies_for_99_percent(alignment, markers, low, high):
    kind = {"alignment": alignment, "markers": markers}
    target = 0.99 * goodput(0, **kind)
    assert goodput(high, **kind) >= target
    assert low is None or goodput(low, **kind) < target
