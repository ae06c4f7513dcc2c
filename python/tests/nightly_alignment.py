# SPDX-License-Identifier: GPL-2.0-only
"""Why an aligned sender is slower under loss: the figures of the study's page (doc/study-alignment.rst), run again."""

import math

from documented import check, sweep
from iwarp.analysis.comparison import Comparison, Contrast, View, compare
from iwarp.studies.networks import across
from test_study_figures import dumbbell

ABILENE = {
    "topology": "abilene", "flows": 4, "loss": 0.01, "plain_tcp": False,
    "alignment": [True, False], "octets": 2_000_000, **across(0)("abilene", {}, ("octets",)),
}  # fmt: skip
SENDER = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")


def compared(metrics: tuple[str, ...], runs: int = 24, **changes) -> dict[str, Comparison]:
    """Return the comparison of both senders in one configuration, by metric."""
    frame = sweep({**ABILENE, **changes}, runs=runs)
    frame["segments_a_second"] = frame["segments_sent"] / frame["measured_duration"]
    return {m: compare(frame, SENDER, View(m, m), ["alignment"])[0] for m in metrics}


def per_cent(comparison: Comparison) -> float:
    return 100 * (math.exp(comparison.test.mean) - 1)


def test_an_aligned_sender_is_slower_under_loss_since_its_segments_are_shorter():
    metrics = ("message_time_mean", "segments_sent", "measured_duration", "segments_a_second")
    found = compared(metrics, octets=8_000_000)
    verdicts = {metric: c.verdict for metric, c in found.items()}
    assert verdicts.pop("segments_a_second") == "open" and set(verdicts.values()) == {"higher"}
    check("alignment-segments", per_cent(found["segments_sent"]))
    check("alignment-duration", per_cent(found["measured_duration"]))
    check("alignment-messages", per_cent(found["message_time_mean"]))
    # as many segments a second, each of which carries less
    check("alignment-rate", -per_cent(found["segments_a_second"]))


def test_an_aligned_sender_whose_fpdus_fill_segments_is_no_slower():
    found = compared(("measured_duration", "segments_sent"), markers=False, message_sizes="fixed:1000000")
    assert per_cent(found["segments_sent"]) < 0.2 and found["measured_duration"].verdict == "open"
    check("alignment-filled", per_cent(found["measured_duration"]))


def test_the_memory_that_many_connections_need():
    many = {"rnic": "t5-like", "Rnic.ReassemblyMemory.Capacity": 0, "flows": 200, "host_pairs": 1, "octets": 30_000}
    for figure, alignment in (("memory", False), ("aligned", True)):
        check(f"alignment-many-{figure}", dumbbell(alignment=alignment, **many)["reassembly_p99"] / 1e3)
