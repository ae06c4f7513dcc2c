# SPDX-License-Identifier: GPL-2.0-only
"""Runs of the scenario itself: two sets of equal settings and different random numbers show no difference."""

import iwarp
import pandas as pd
from iwarp.analysis.comparison import Contrast, View, compare, judge
from scipy import stats as scipy_stats

SETTINGS = {
    "flows": 2, "octets": 300_000, "loss": 0.01, "min_rto": "10ms", "delayed_ack": "1ms", "plain_tcp": False,
    "TcpSocket.ConnTimeout": "10ms", "alignment": [True, False],
}  # fmt: skip
SIDES = Contrast("side", "A", "B", "the first set", "the second set")


def equal_sets(frame: pd.DataFrame, pairs: int) -> list:
    """Return, for each 2 * pairs runs, the comparisons of one half with the other, of every metric."""
    known = {"key", "code", "status", "message", "wall", "run", "seed"}
    metrics = [
        c for c in frame
        if c not in known and pd.api.types.is_float_dtype(frame[c])
        and frame.groupby("alignment")[c].nunique().min() > 1
    ]  # fmt: skip
    numbers = frame["run"] - 1
    frame = frame.assign(set=numbers // (2 * pairs), side=(numbers % (2 * pairs) // pairs).map({0: "A", 1: "B"}))
    frame["run"] = numbers % pairs
    units = frame.attrs.get("units", {})
    return [
        [c for m in metrics for c in compare(one, SIDES, View(m, m, units.get(m, "")), ["side", "alignment"])]
        for _, one in frame.groupby("set")
    ]


def test_two_sets_of_runs_show_no_difference(tmp_path):
    frame = iwarp.sweep(SETTINGS, runs=16)
    assert (frame["status"] == "ok").all()
    (comparisons,) = equal_sets(frame, 8)
    assert len(comparisons) > 20
    assert not [c for c in judge(comparisons) if c.verdict in ("lower", "higher")]


def check_many_sets(sets: int, pairs: int) -> None:
    """Compare many sets: one in twenty differs by itself, as few sets show a difference after correction."""
    many = equal_sets(iwarp.sweep(SETTINGS, runs=2 * pairs * sets), pairs)
    wrong = sum(any(c.verdict in ("lower", "higher") for c in judge(found)) for found in many)
    assert len(many) == sets and wrong <= scipy_stats.binom.ppf(0.999, sets, 0.05)
    alone = [c.test.p < 0.05 for found in many for c in found if c.test.p == c.test.p]
    assert sum(alone) / len(alone) < 0.08  # metrics of a run hang together, so that they do not count by themselves
