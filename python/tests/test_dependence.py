# SPDX-License-Identifier: GPL-2.0-only
"""What an effect depends on, from a fraction of all combinations, against what was put in and against statsmodels."""

import math

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.comparison import Contrast, View, compare
from iwarp.analysis.dependence import find_dependence
from iwarp.analysis.primary import choose_alike, is_balanced
from iwarp.sweeps.designs import fraction
from scipy import stats

TIME = View("time", "Time", "s")
SENDER = Contrast("aligned", True, False, "an aligned sender", "an unaligned sender")
SPACE = {"topology": [f"t{k}" for k in range(9)], "loss": [0, 1], "markers": [True, False], "mtu": [1500, 9000]}
FACTORS = [*SPACE, "aligned"]


def runs(effect, noise=0.02, number=6, seed=1, points=None):
    """Make runs at the points of a half fraction; ``effect`` is the logarithm of the ratio at a point."""
    rng = np.random.default_rng(seed)
    rows = []
    for point in points or fraction(SPACE, 2):
        for run in range(number):
            time = math.exp(rng.normal(0, 0.2))
            ratio = math.exp(effect(point) + rng.normal(0, noise))
            rows += [{**point, "aligned": a, "run": run, "status": "ok", "time": time * (ratio if a else 1)}
                     for a in (True, False)]  # fmt: skip
    return compare(pd.DataFrame(rows), SENDER, TIME, FACTORS)


def test_main_effects_are_those_that_were_put_in():
    found = {f.factor: f for f in find_dependence(runs(
        lambda p: 0.1 * (1 if p["loss"] else -1) + 0.03 * (int(p["topology"][1]) - 4)))}  # fmt: skip
    assert found["loss"].levels[1].mean == pytest.approx(0.1, abs=0.01)
    assert found["loss"].levels[0].low < -0.1 < found["loss"].levels[0].high
    by_network = [found["topology"].levels[f"t{k}"].mean for k in range(9)]
    assert by_network == pytest.approx([0.03 * (k - 4) for k in range(9)], abs=0.02)
    # of the variance: 0.1² and the mean of (0.03 (k - 4))²
    parts = [0.1**2, np.mean([(0.03 * (k - 4)) ** 2 for k in range(9)])]
    assert [found[n].share for n in ("loss", "topology")] == pytest.approx([p / sum(parts) for p in parts], abs=0.03)
    assert found["loss"].corrected < 1e-6 and found["markers"].share < 0.02


def test_shares_are_those_of_an_analysis_of_variance():
    sm = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova").anova_lm
    compared = runs(lambda p: 0.1 * p["loss"] + 0.05 * p["markers"], noise=1e-9)
    frame = pd.DataFrame([{**c.where, "d": c.test.mean} for c in compared])
    table = anova(sm.ols("d ~ C(topology) + C(loss) + C(markers) + C(mtu)", frame).fit(), typ=2)
    whole = ((frame["d"] - frame["d"].mean()) ** 2).sum()
    for factor in find_dependence(compared):
        assert factor.share == pytest.approx(table.loc[f"C({factor.factor})", "sum_sq"] / whole, abs=1e-3)


def test_a_factor_that_does_nothing_has_no_share_of_what_runs_differ_by():
    """Nine topologies that do not matter: noise gives their means 8 of 35 degrees of freedom."""
    found = [find_dependence(runs(lambda p: 0.0, 0.1, number=4, seed=s)) for s in range(40)]
    shares = [f.share for factors in found for f in factors if f.factor == "topology"]
    assert len(shares) == 40 and np.mean(shares) < 8 / 35 / 2


def test_factors_that_do_nothing_are_not_named():
    called = sum(
        any(f.corrected < 0.05 for f in find_dependence(runs(lambda p: 0.0, 0.1, number=4, seed=s))) for s in range(60)
    )
    assert called <= stats.binom.ppf(0.999, 60, 0.05)


def test_factors_that_go_together_are_not_told_apart():
    alike = [{"topology": t, "loss": t == "t0", "markers": m, "mtu": 1500} for t in ("t0", "t1") for m in (True, False)]
    assert find_dependence(runs(lambda p: 0.1, points=alike)) == []


def test_a_fraction_is_balanced_and_pooled_as_a_whole():
    compared = runs(lambda p: 0.0)
    assert is_balanced(compared, "topology") and len(choose_alike(compared, "topology")) == 36
    lacking = [c for c in compared if c.where["topology"] != "t0" or c.where["loss"]]
    assert not is_balanced(lacking, "topology")
