# SPDX-License-Identifier: GPL-2.0-only
"""Runs that are one run told again: no test is made over them, and a page says so."""

import numpy as np
import pandas as pd
from iwarp.analysis.comparison import Contrast, View, compare
from iwarp.analysis.primary import Primary, examine
from iwarp.analysis.replication import COLUMN, alike, caution

TIME = View("time", "Time", "s")
SENDER = Contrast("aligned", True, False, "an aligned sender", "an unaligned sender")
FACTORS = ["topology", "aligned"]


def runs(again, drops=40, number=6, seed=1):
    """Make runs of two senders on two networks; those in ``again`` have the same course of events in every run."""
    rng = np.random.default_rng(seed)
    rows = [
        {"topology": topology, "aligned": aligned, "run": run, "status": "ok", "segments_sent": 1000.0,
         "retransmitted_octets": 1448.0 * drops, "queue_drops": drops + (not same and float(rng.integers(1000))),
         "time": (1.0 if aligned else 2.08) * np.exp(rng.normal(0, 1e-4 if same else 0.05))}
        for topology in ("abilene", "star") for aligned in (True, False) for run in range(1, number + 1)
        for same in [(topology, aligned) in again]
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    return frame.assign(**{COLUMN: alike(frame, FACTORS)})


def test_one_run_told_again_has_no_p():
    # 2.08 times, the same in six runs: an interval of 1e-4 about one course of events
    frame = runs({("abilene", True), ("abilene", False)})
    (there,) = (c for c in compare(frame, SENDER, TIME, FACTORS) if c.where["topology"] == "abilene")
    (other,) = (c for c in compare(frame, SENDER, TIME, FACTORS) if c.where["topology"] == "star")
    assert there.verdict == "unknown" and there.test.n == 1 and np.isnan(there.test.p)
    assert other.verdict == "lower" and other.test.n == 6
    (text,) = caution(frame, FACTORS)
    assert text.startswith("In 2 of 4 configurations all runs have the same segments")


def test_one_side_is_enough():
    frame = runs({("abilene", False)})
    found = {c.where["topology"]: c.verdict for c in compare(frame, SENDER, TIME, FACTORS)}
    assert found == {"abilene": "unknown", "star": "lower"}


def test_a_pooled_comparison_leaves_it_out():
    frame = runs({("abilene", True), ("abilene", False)})
    primary = Primary(SENDER, "time", "the time", "anywhere")
    (pooled,) = examine(frame, [primary], {"time": TIME}, FACTORS)
    assert pooled.whole.test.n == 6 and pooled.is_shown
    alone = frame[frame["topology"] == "abilene"]
    (pooled,) = examine(alone, [primary], {"time": TIME}, FACTORS)
    assert not pooled.is_shown and np.isnan(pooled.whole.test.p)


def test_calm_runs_and_random_ones_are_replications():
    calm = runs(set(), drops=0).assign(queue_drops=0.0)
    for frame in (calm, runs(set())):
        assert not alike(frame, FACTORS).any() and caution(frame.assign(**{COLUMN: False}), FACTORS) == []


def test_failed_runs_and_single_ones_say_nothing():
    frame = runs({("abilene", True)})
    chosen = (frame["topology"] == "abilene") & frame["aligned"]
    frame.loc[chosen & (frame["run"] == 3), ["status", "queue_drops"]] = ["crash", np.nan]
    assert alike(frame, FACTORS).sum() == 5
    assert not alike(frame[frame["run"] == 1], FACTORS).any()
