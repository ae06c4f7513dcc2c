# SPDX-License-Identifier: GPL-2.0-only
"""Figures that the documentation states of studies, run again: those that take seconds (the rest in nightly_*.py)."""

import iwarp
import pytest
from documented import check, figures, sweep
from iwarp.errors import IwarpError
from iwarp.runs import loader
from iwarp.studies import alignment, buffers, compute, window

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


def runs_of(study, **changes):
    """Return the runs of one configuration of a quick preset, or of few, with what the study derives."""
    preset = study.STUDY.presets["quick"]
    first = {name: levels[0] for name, levels in preset.grid.items()}
    return study.derive(sweep({**preset.fixed, **first, **changes}, runs=3))


def test_every_figure_of_the_table_has_an_interval_and_a_number():
    assert figures() and all(value >= 0 and half > 0 for value, half in figures().values())


def dumbbell(**changes):
    """Return the means of the runs on the dumbbell of the alignment study, with Markers."""
    return means_on("dumbbell", **changes)


def means_on(topology, **changes):
    preset = alignment.STUDY.presets["quick"]
    settings = {**preset.fixed, **preset.goes_with(topology, {}, ()), "topology": topology, "markers": True, **changes}
    return sweep(settings, runs=preset.runs).mean(numeric_only=True)


def test_what_a_box_leaves_of_alignment():
    box = {"middlebox": "resegmenting", "middlebox_place": "receiver", "PathResegmentingMiddlebox.MaxPayload": 700}
    means = dumbbell(alignment=True, **box)
    check("alignment-recut-heads", 100 * means["header_aligned_share"])
    check("alignment-recut-whole", 100 * means["fpdu_aligned_share"])
    check("alignment-recut-memory", means["reassembly_p99"] / 1e3)


def test_what_an_mtu_that_changes_leaves_of_alignment():
    means = dumbbell(alignment=True, link_schedule="2ms:mtu=1000,4ms:mtu=1500")
    check("alignment-mtu-whole", 100 * means["fpdu_aligned_share"])


def test_what_an_unaligned_sender_costs_under_loss():
    assert dumbbell(alignment=True, loss=0.01)["reassembly_p99"] < 200  # octets
    check("alignment-loss-memory", dumbbell(alignment=False, loss=0.01)["reassembly_p99"] / 1e3)


def test_what_proxies_leave_of_alignment():
    """All of it, where the link behind them is the faster one; little, where what they have waits for it."""
    assert dumbbell(alignment=True, split_proxy=True)["fpdu_aligned_share"] == 1
    check("alignment-proxy-whole", 100 * means_on("star", alignment=True, split_proxy=True)["fpdu_aligned_share"])


def test_operations_of_an_fpdu():
    means = runs_of(compute, alignment=[True, False], markers=True).groupby("alignment").mean(numeric_only=True)
    for name, aligned in (("aligned", True), ("unaligned", False)):
        check(f"operations-{name}", means.loc[aligned, "operations_per_fpdu"])
        check(f"capacity-{name}", means.loc[aligned, "receive_capacity"] / 1e9)
    check("memory-unaligned", means.loc[False, "memory_traffic"])


def test_connections_that_are_drawn_miss_as_the_cache_is_smaller():
    """A cache of C contexts holds that of a queue pair drawn from N in C/N of the cases: misses grow as 1 - C/N."""
    misses = {}
    for pairs in (64, 128):
        grid = {name: levels[0] for name, levels in compute._connections([(pairs, 40)])[0].items()}
        settings = compute.STUDY.presets["quick"].fixed | grid | {"alignment": True, "Rnic.ContextCache.Entries": 32}
        misses[pairs] = iwarp.run(**settings)["rnic_context_misses"]
    assert misses[128] / misses[64] == pytest.approx((1 - 32 / 128) / (1 - 32 / 64), rel=0.05)


def test_a_window_by_retirement_spares_a_slow_rnic_drops():
    runs = runs_of(window, **{window.RATE: "7500Mbps", "flows": 1, "receive_window": ["Constant", "Retired"]})
    means = runs.groupby("receive_window").mean(numeric_only=True)
    for name in ("Constant", "Retired"):
        check(f"window-{name.lower()}", means.loc[name, "common_goodput"] / 1e9)
    check("window-drops", 100 * means.loc["Constant", "drop_share"])
    assert means.loc["Retired", "drop_share"] == 0
    assert (runs["common_goodput"] <= runs["goodput_formula"]).all()


def test_k1_of_few_connections_agrees_with_that_of_many():
    runs = runs_of(buffers, alignment=False, markers=True, loss=0.01, flows=[1, 4, 16])
    found = buffers.fit(runs, "rnic_memory_mean")
    check("k1-1-percent", found.slope, found.slope_half)
