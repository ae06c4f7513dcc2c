# SPDX-License-Identifier: GPL-2.0-only
"""Causes: stated where a run without one shows less of the effect, with data whose cause is known."""

import numpy as np
import pandas as pd
from iwarp.analysis.cause import Cause, explain
from iwarp.analysis.comparison import Contrast, View
from iwarp.studies.primaries import reason
from scipy import stats

GOODPUT = View("goodput", "Goodput", "bit/s")
TUNNEL = Contrast("esp", True, False, "a tunnel", "none")
CAUSE = Cause(
    TUNNEL, "goodput", "goodput", "on two paths", "it takes one of them", "with one path",
    lambda w: w["paths"] == 2, lambda w: w["paths"] == 1,
)  # fmt: skip


def runs(two, one, noise=0.01, number=6, seed=1):
    """Make runs with a tunnel's ratios of goodput over two paths and over one."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"esp": esp, "paths": paths, "run": run, "status": "ok",
         "goodput": 1e9 * (ratio if esp else 1.0) * np.exp(rng.normal(0, noise))}
        for paths, ratio in ((2, two), (1, one)) for esp in (True, False) for run in range(number)
    )  # fmt: skip


def explained(*args, **more):
    (found,) = explain(runs(*args, **more), [CAUSE], {"goodput": GOODPUT}, ["paths", "esp"])
    return found


def test_a_cause_is_stated_with_what_is_left_without_it():
    # the gateway's 0.806 with two spines, and 0.962 with one
    found = explained(0.806, 0.962)
    assert found.is_stated
    text = reason(found)
    assert text.startswith("A tunnel changes goodput on two paths to 0.8") and "because it takes one of them" in text
    assert text.endswith(").") and ": with one path it is −" in text
    differences = np.array(found.present.test.differences) - np.array(found.absent.test.differences)
    assert np.isclose(found.due.p, stats.ttest_1samp(differences, 0).pvalue)


def test_what_is_there_without_it_has_another_cause():
    for seed in range(20):
        found = explained(0.8, 0.8, seed=seed)
        if found.corrected >= 0.05:
            assert not found.is_stated and reason(found) == ""
    claims = sum(explained(0.8, 0.8, 0.05, seed=seed).is_stated for seed in range(200))
    assert claims <= stats.binom.ppf(0.999, 200, 0.05)


def test_no_effect_has_no_cause_and_more_without_it_neither():
    assert not explained(1.0, 1.0).is_stated
    assert not explained(0.9, 0.6).is_stated
    assert not explained(1.0, 0.7).is_stated


def test_without_runs_that_lack_it_nothing_is_said():
    frame = runs(0.8, 1.0)
    assert explain(frame[frame["paths"] == 2], [CAUSE], {"goodput": GOODPUT}, ["paths", "esp"]) == []
    assert explain(frame, [CAUSE], {}, ["paths", "esp"]) == []


def test_nothing_is_said_where_a_value_of_one_side_is_missing():
    frame = pd.concat([runs(0.8, 0.97).assign(mtu=mtu) for mtu in (1500, 9000)])
    views, factors = {"goodput": GOODPUT}, ["paths", "mtu", "esp"]
    (whole,) = explain(frame, [CAUSE], views, factors)
    assert whole.is_stated
    for paths in (1, 2):
        worst = (frame["paths"] == paths) & (frame["mtu"] == 9000) & frame["esp"] & (frame["run"] == 0)
        (found,) = explain(frame.assign(goodput=frame["goodput"].mask(worst)), [CAUSE], views, factors)
        assert found.lacking and not found.is_stated and reason(found) == ""
