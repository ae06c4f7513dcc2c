# SPDX-License-Identifier: GPL-2.0-only
"""Why an aligned sender is slower under loss: the figures of the page on studies (doc/python.rst), run again."""

import math

import pytest

import iwarp
from iwarp.comparison import Comparison, Contrast, View, compare
from iwarp.studies import alignment

ABILENE = {
    "topology": "abilene", "flows": 4, "loss": 0.01, "plain_tcp": False,
    "alignment": [True, False], **alignment.QUICK["topology", "abilene"],
}  # fmt: skip
SENDER = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")


def compared(metrics: tuple[str, ...], runs: int = 24, **changes) -> dict[str, Comparison]:
    """Return the comparison of both senders in one configuration, by metric."""
    frame = iwarp.sweep({**ABILENE, **changes}, runs=runs)
    assert (frame["status"] == "ok").all()
    return {m: compare(frame, SENDER, View(m, m), ["alignment"])[0] for m in metrics}


def per_cent(comparison: Comparison) -> float:
    return 100 * (math.exp(comparison.test.mean) - 1)


def test_an_aligned_sender_is_slower_under_loss_since_its_segments_are_shorter():
    found = compared(("message_time_mean", "segments_sent", "measured_duration"), octets=8_000_000)
    assert 1.3 < per_cent(found["segments_sent"]) < 2.1 and found["segments_sent"].verdict == "higher"
    assert 1.0 < per_cent(found["measured_duration"]) < 4.0 and found["measured_duration"].verdict == "higher"
    assert found["message_time_mean"].verdict == "higher"


@pytest.mark.parametrize(
    "changes",
    [{"markers": False, "message_sizes": "fixed:1000000"}, {"dynamic_mulpdu": True}],
    ids=["messages that fill segments", "FPDUs that fill segments"],
)
def test_an_aligned_sender_with_full_segments_is_no_slower(changes):
    found = compared(("measured_duration", "segments_sent"), **changes)
    assert per_cent(found["segments_sent"]) < 0.2
    assert found["measured_duration"].verdict == "open" and abs(per_cent(found["measured_duration"])) < 2.5


def test_shorter_segments_cost_an_unaligned_sender_as_much():
    short = Contrast("mtu", 1478, 1500, "shorter segments", "full segments")
    frame = iwarp.sweep({**ABILENE, "alignment": [False], "mtu": [1478, 1500]}, runs=24)
    found = compare(frame, short, View("measured_duration", "Duration"), ["mtu"])[0]
    assert found.verdict == "higher" and 1.0 < per_cent(found) < 4.0
