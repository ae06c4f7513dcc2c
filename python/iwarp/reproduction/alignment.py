# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-alignment.rst: what is left of alignment on paths, and why an aligned sender is slower."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from ..analysis.comparison import Comparison, Contrast, View, compare
from ..analysis.stats import Estimate
from ..studies.alignment import STUDY
from ..studies.networks import across
from .experiment import Experiment, Measured, Sweep, mean, value

PAGE = "study-alignment"
ABILENE = {
    "topology": "abilene", "flows": 4, "loss": 0.01, "plain_tcp": False,
    "alignment": [True, False], "octets": 2_000_000, **across(0)("abilene", {}, ("octets",)),
}  # fmt: skip
SENDER = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")


def on(sweep: Sweep, topology: str, **changes: Any) -> pd.DataFrame:
    """Return the runs of the quick preset on a topology, with Markers."""
    preset = STUDY.presets["quick"]
    settings = {**preset.fixed, **preset.goes_with(topology, {}, ()), "topology": topology, "markers": True, **changes}
    return sweep(settings, preset.runs)


def recut(sweep: Sweep) -> Measured:
    box = {"middlebox": "resegmenting", "middlebox_place": "receiver", "PathResegmentingMiddlebox.MaxPayload": 700}
    runs = on(sweep, "dumbbell", alignment=True, **box)
    return {
        "alignment-recut-heads": mean(runs["header_aligned_share"], 100),
        "alignment-recut-whole": mean(runs["fpdu_aligned_share"], 100),
        "alignment-recut-memory": mean(runs["reassembly_p99"], 1e-3),
    }


def mtu(sweep: Sweep) -> Measured:
    runs = on(sweep, "dumbbell", alignment=True, link_schedule="2ms:mtu=1000,4ms:mtu=1500")
    return {"alignment-mtu-whole": mean(runs["fpdu_aligned_share"], 100)}


def loss(sweep: Sweep) -> Measured:
    aligned, unaligned = (on(sweep, "dumbbell", alignment=a, loss=0.01)["reassembly_p99"] for a in (True, False))
    return {
        "alignment-loss-memory": mean(unaligned, 1e-3),
        "under loss an aligned sender's receiver needs less than 200 octets": aligned.mean() < 200,
    }


def proxy(sweep: Sweep) -> Measured:
    """All is left of it where the link behind a proxy is the faster one; little, where what it has waits for it."""
    faster, slower = (
        on(sweep, topology, alignment=True, split_proxy=True)["fpdu_aligned_share"] for topology in ("dumbbell", "star")
    )
    return {
        "alignment-proxy-whole": mean(slower, 100),
        "all segments stay aligned behind a proxy whose link is the faster one": faster.mean() == 1,
    }


def _compared(sweep: Sweep, metrics: tuple[str, ...], **changes: Any) -> dict[str, Comparison]:
    """Return the comparison of both senders in one configuration, by metric."""
    frame = sweep({**ABILENE, **changes}, 24)
    frame["segments_a_second"] = frame["segments_sent"] / frame["measured_duration"]
    return {m: compare(frame, SENDER, View(m, m), ["alignment"])[0] for m in metrics}


def _per_cent(found: Comparison, sign: int = 1) -> Estimate:
    centre, low, high = (100 * math.expm1(x) for x in (found.test.mean, found.test.low, found.test.high))
    return value(sign * centre, (high - low) / 2, found.test.n)


def slower(sweep: Sweep) -> Measured:
    """An aligned sender's segments are as many a second, each of which carries less."""
    metrics = ("message_time_mean", "segments_sent", "measured_duration", "segments_a_second")
    found = _compared(sweep, metrics, octets=8_000_000)
    verdicts = {metric: c.verdict for metric, c in found.items()}
    rate = verdicts.pop("segments_a_second")
    return {
        "alignment-segments": _per_cent(found["segments_sent"]),
        "alignment-duration": _per_cent(found["measured_duration"]),
        "alignment-messages": _per_cent(found["message_time_mean"]),
        "alignment-rate": _per_cent(found["segments_a_second"], -1),
        "an aligned sender is shown to be slower under loss": set(verdicts.values()) == {"higher"},
        "its segments are not shown to be fewer a second": rate == "open",
    }


def filled(sweep: Sweep) -> Measured:
    metrics = ("measured_duration", "segments_sent")
    found = _compared(sweep, metrics, markers=False, message_sizes="fixed:1000000")
    return {
        "alignment-filled": _per_cent(found["measured_duration"]),
        "an aligned sender whose FPDUs fill segments sends as many": _per_cent(found["segments_sent"]).mean < 0.2,
        "it is not shown to be slower": found["measured_duration"].verdict == "open",
    }


def many(sweep: Sweep) -> Measured:
    given = {"rnic": "t5-like", "Rnic.ReassemblyMemory.Capacity": 0, "flows": 200, "host_pairs": 1, "octets": 30_000}
    return {
        f"alignment-many-{figure}": mean(on(sweep, "dumbbell", alignment=a, **given)["reassembly_p99"], 1e-3)
        for figure, a in (("memory", False), ("aligned", True))
    }


EXPERIMENTS = (
    Experiment("alignment-recut", PAGE, 0.02, recut),
    Experiment("alignment-mtu", PAGE, 0.02, mtu),
    Experiment("alignment-loss", PAGE, 0.03, loss),
    Experiment("alignment-proxy", PAGE, 0.04, proxy),
    Experiment("alignment-slower", PAGE, 0.9, slower),
    Experiment("alignment-filled", PAGE, 0.25, filled),
    Experiment("alignment-many", PAGE, 0.07, many),
)
