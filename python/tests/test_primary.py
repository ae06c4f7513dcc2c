# SPDX-License-Identifier: GPL-2.0-only
"""Primary comparisons in their order, and what is said of a difference that is not shown: the truth is known."""

import math

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.comparison import Contrast, View, compare, explore
from iwarp.analysis.findings import effect_text, standing_text
from iwarp.analysis.primary import Primary, examine
from iwarp.analysis.stats import detectable, false_discovery, heterogeneity
from iwarp.report.chart import Names
from iwarp.studies.primaries import answers, draw_effects, what_is_special
from scipy import stats

TIME = View("time", "Time", "s", relevant=0.02)
SENDER = Contrast("aligned", True, False, "an aligned sender", "an unaligned sender")
FACTORS = ["topology", "condition", "aligned"]
PRIMARY = Primary(SENDER, "time", "the time of a message", "disturbed paths", lambda w: w["condition"] != "calm")


def runs(effect, rng, topologies=9, conditions=4, number=6, noise=0.05):
    """Make runs of both senders; ``effect`` has the logarithm of the ratio in a topology and a condition."""
    rows = []
    for t in range(topologies):
        for c in ["calm", *(f"c{k}" for k in range(conditions))]:
            common = rng.standard_t(3, number) * 0.3
            for aligned in (True, False):
                shift = effect(t, c) if aligned else 0.0
                times = np.exp(common + shift + noise * rng.standard_t(3, number))
                rows += [
                    {"topology": f"t{t}", "condition": c, "aligned": aligned, "run": r, "time": v, "status": "ok"}
                    for r, v in enumerate(times, 1)
                ]
    return pd.DataFrame(rows)


def found(frame, primaries=(PRIMARY,)):
    return examine(frame, primaries, {"time": TIME}, FACTORS)


def test_equal_arms_have_primary_differences_no_more_often_than_the_level():
    rng = np.random.default_rng(11)
    studies = 150
    second = Primary(SENDER, "time", "the time", "calm paths", lambda w: w["condition"] == "calm")
    wrong = 0
    for _ in range(studies):
        pooled = found(runs(lambda t, c: 0.0, rng, topologies=4, conditions=2), [PRIMARY, second])
        wrong += any(p.is_shown for p in pooled)
        assert all(c.verdict == "unknown" for p in pooled if not p.is_shown for c in p.levels.values())
    assert wrong <= stats.binom.ppf(0.999, studies, 0.05)


def test_a_planted_difference_of_the_declared_size_is_found():
    rng = np.random.default_rng(12)
    noise, conditions = 0.035, 36
    spread = noise * math.sqrt(3) * math.sqrt(2 / conditions)  # Student's t of 3 degrees has a variance of 3
    assert 0.015 < detectable(spread, 8, 0.05) < TIME.relevant
    shown = [found(runs(lambda t, c: -0.02, rng, number=8, noise=noise))[0].is_shown for _ in range(100)]
    assert sum(shown) >= 80


def test_the_gate_opens_topologies_and_names_their_family():
    rng = np.random.default_rng(13)
    (pooled,) = found(runs(lambda t, c: -0.3 if t < 6 else 0.0, rng, noise=0.02))
    assert pooled.is_shown and pooled.opened == 9
    verdicts = [c.verdict for c in pooled.levels.values()]
    assert verdicts[:6] == ["lower"] * 6 and "higher" not in verdicts
    oracle = np.mean([c.test.differences for c in pooled.configurations], axis=0)
    assert pooled.whole.test.p == pytest.approx(stats.ttest_1samp(oracle, 0).pvalue)
    assert len(pooled.configurations) == 36  # the calm one is not among them


def test_conditions_that_some_topologies_lack_are_not_pooled():
    rng = np.random.default_rng(14)
    frame = runs(lambda t, c: 2.0 if c == "c3" else 0.0, rng)
    frame = frame[(frame["condition"] != "c3") | (frame["topology"] == "t0")]
    (pooled,) = found(frame)
    assert {c.where["condition"] for c in pooled.configurations} == {"c0", "c1", "c2"} and not pooled.is_shown


def test_false_discoveries_are_few_among_what_is_found():
    # 100 comparisons of which 30 differ: the share of wrong ones among those found, in the mean, is below 5 %
    rng = np.random.default_rng(15)
    shares = []
    for _ in range(200):
        p = np.concatenate([rng.random(70), stats.norm.sf(np.abs(rng.normal(3.5, 1, 30))) * 2])
        called = false_discovery(p) < 0.05
        shares.append(called[:70].sum() / max(1, called.sum()))
    assert np.mean(shares) < 0.05
    # R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH")
    assert false_discovery([0.01, 0.04, math.nan, 0.03, 0.005])[[0, 1, 3, 4]].tolist() == pytest.approx(
        [0.02, 0.04, 0.04, 0.02]
    )


def test_a_prediction_knows_what_its_mean_knows():
    """Three configurations that are the same in each run: their mean is known to a third of the runs' variance."""
    alike = heterogeneity(np.array([[1.0, 2.0, 3.0]] * 3))
    assert (alike.tau, alike.low) == (0, pytest.approx(2 - 12.7062 * math.sqrt(1 / 3), abs=1e-3))  # t of 1 degree


def test_heterogeneity_is_what_was_put_in():
    rng = np.random.default_rng(16)
    taus, shares, inside = [], [], 0
    for _ in range(300):
        true = rng.normal(0.1, 0.05, 21)
        effects = true[:20, None] + rng.normal(0, 0.02, 6) + rng.normal(0, 0.05, (20, 6))
        spread = heterogeneity(effects)
        taus.append(spread.tau**2)
        shares.append(spread.share)
        inside += spread.low <= true[20] <= spread.high
    assert math.sqrt(np.mean(taus)) == pytest.approx(0.05, rel=0.05)
    assert np.mean(shares) == pytest.approx(0.05**2 / (0.05**2 + 0.05**2 / 6), abs=0.03)
    assert 0.92 <= inside / 300 <= 0.98
    equal = [heterogeneity(rng.normal(0, 1, (20, 6))).share for _ in range(100)]
    assert np.mean(equal) < 0.25 and math.isnan(heterogeneity(np.ones((2, 6))).tau)


def one(differences, tests=1):
    """Return the comparison of one configuration with these logarithms of ratios, among so many of nothing."""
    rng = np.random.default_rng(17)
    rows = []
    for k in range(tests):
        effects = differences if k == 0 else rng.normal(0, 1, len(differences))
        for run, effect in enumerate(effects):
            rows += [{"aligned": True, "mtu": k, "run": run, "time": math.exp(effect), "status": "ok"},
                     {"aligned": False, "mtu": k, "run": run, "time": 1.0, "status": "ok"}]  # fmt: skip
    return explore(compare(pd.DataFrame(rows), SENDER, TIME, ["aligned", "mtu"]))[0]


def test_what_is_not_shown_is_undecided_equivalent_or_not_shown_after_correction():
    shape = np.array([-1.0, 1.0, -0.6, 0.6, -0.3, 0.3])
    assert standing_text(one(0.1 * shape)) == "undecided"
    assert standing_text(one(0.005 * shape)) == "equivalent (within ±2 %)"
    assert standing_text(one(0.1 + 0.09 * shape, tests=30)) == "not shown after correction"
    assert standing_text(one(0.1 + 0.01 * shape)) == "shown"


def test_the_smallest_difference_of_a_primary_is_that_of_its_family():
    rng = np.random.default_rng(18)
    (pooled,) = found(runs(lambda t, c: 0.0, rng))
    assert pooled.whole.seen == pytest.approx(detectable(pooled.whole.test.spread, 6, 0.04))


def test_effects_that_nuisance_factors_decide_have_a_part_of_the_level():
    """A page claims what is shown pooled, at 4 %, or depends on a nuisance factor, at 1 %: 5 % in all."""
    shape = np.array([-1.0, 1.0, -0.6, 0.6, -0.3, 0.3])
    error = shape.std(ddof=1) / math.sqrt(len(shape))
    for p, shown in ((0.045, False), (0.035, True)):
        effects = shape + error * stats.t.isf(p / 2, len(shape) - 1)
        rows = [
            {"topology": "t", "condition": "c", "aligned": aligned, "run": run, "status": "ok",
             "time": math.exp(0.1 * effect) if aligned else 1.0}
            for run, effect in enumerate(effects) for aligned in (True, False)
        ]  # fmt: skip
        (pooled,) = found(pd.DataFrame(rows))
        assert pooled.whole.test.p == pytest.approx(p) and pooled.is_shown is shown

    rng, levels = np.random.default_rng(20), {name: {} for name in ("queue", "timeout")}
    for run in range(6):
        levels["queue"][run], levels["timeout"][run] = str(run % 3), str((run + run // 3) % 3)
    wrong = 0
    for _ in range(400):
        rows = [
            {"topology": "t", "condition": "c", "aligned": aligned, "run": run, "status": "ok",
             "time": math.exp(0.1 * rng.normal())}
            for run in range(6) for aligned in (True, False)
        ]  # fmt: skip
        (pooled,) = examine(pd.DataFrame(rows), [PRIMARY], {"time": TIME}, FACTORS, levels)
        wrong += pooled.is_shown or pooled.depends
    assert 1 <= wrong <= stats.binom.ppf(0.999, 400, 0.05)


def test_the_figure_shows_what_the_text_states(tmp_path):
    rng = np.random.default_rng(19)
    pooled = found(runs(lambda t, c: -0.3, rng, topologies=3, noise=0.02))
    names = Names({}, {("topology", "t1"): "dumbbell"}, {})
    (picture,) = draw_effects(pooled, names, tmp_path)
    assert [p.path.name for p in draw_effects([*pooled, *pooled], names, tmp_path)] == ["primary.svg", "primary-2.svg"]
    (facet,) = picture.chart.facets
    points = [point for line in facet.lines for point in line.points]
    assert [text for _, text in picture.chart.x.ticks] == ["all", "t0", "dumbbell", "t2"]
    test = pooled[0].whole.test
    assert [points[0].value, points[0].low, points[0].high] == pytest.approx(
        [100 * math.expm1(e) for e in (test.mean, test.low, test.high)]
    )
    assert effect_text(pooled[0].whole) in points[0].text
    mean, low, high = (100 * -math.expm1(e) for e in (test.mean, test.high, test.low))
    assert answers(pooled)[0] == (
        f"An aligned sender lowers the time of a message by {mean:.1f} % (95 % interval {low:.1f} to {high:.1f}) "
        "disturbed paths."
    )
    assert draw_effects([], names, tmp_path) == []


def test_what_is_special_of_a_topology_is_said(tmp_path):
    """The effect of t2 is twice as large as those of t0 and t1: it differs by more than runs do from their mean."""
    rng = np.random.default_rng(21)
    (pooled,) = found(runs(lambda t, c: -0.6 if t == 2 else -0.3, rng, topologies=3, noise=0.02))
    (said,) = what_is_special([pooled], "topology", "t2", "topologies")
    assert said.startswith("What an aligned sender against an unaligned sender changes in the time of a message diff")
    by = float(said.split(": ")[1].split(" times")[0])
    assert by == pytest.approx(math.exp(-0.2), abs=0.02)  # -0.6 against a mean of -0.4
    (pooled,) = found(runs(lambda t, c: -0.3, rng, topologies=3, noise=0.02))
    assert what_is_special([pooled], "topology", "t2", "topologies") == []


def test_values_that_are_missing_where_one_side_is_worst_decide_nothing():
    """The condition that is left out would turn the answer: its values are missing because they are large."""
    rng = np.random.default_rng(21)
    frame = runs(lambda t, c: -2.0 if c == "c2" else 0.2, rng, topologies=1, conditions=3, noise=0.01)
    (whole,) = found(frame)
    assert whole.is_shown and whole.whole.verdict == "lower" and not whole.left_out
    worst = (frame["condition"] == "c2") & ~frame["aligned"] & (frame["run"] > 2)
    (partial,) = found(frame.assign(time=frame["time"].mask(worst)))
    assert partial.whole.test.mean > 0  # of the two that are left, it is the other way round
    assert partial.whole.verdict == "partial" and not partial.is_shown and not partial.depends
    assert [(c.where["condition"], c.lacks) for c in partial.left_out] == [("c2", (0, 4))]
    assert all(c.verdict == "unknown" for c in partial.levels.values())
    (said,) = answers([partial])
    assert said.startswith(
        "What an aligned sender does to the time of a message disturbed paths is not told, since values are missing: "
        f"with condition c2, of an unaligned sender in 4 of 6 runs. Without that it is {effect_text(partial.whole)}"
    ), said
    assert standing_text(partial.whole) == "not told, as values are missing"


def test_runs_that_failed_on_both_sides_are_missing_on_both():
    rng = np.random.default_rng(23)
    frame = runs(lambda t, c: 0.2, rng, topologies=1, conditions=3, noise=0.01)
    both = (frame["condition"] == "c2") & (frame["run"] == 3)
    (partial,) = found(frame.assign(status=frame["status"].mask(both, "error"), time=frame["time"].mask(both)))
    assert [(c.broken, c.lacks) for c in partial.left_out] == [(1, (1, 1))] and not partial.is_shown
    (said,) = answers([partial])
    assert ": with condition c2, of an aligned sender in 1 of 6 runs and of an unaligned sender in 1 of 6 runs." in said


def test_values_that_both_sides_lack_in_some_runs_are_missing():
    """Where both are too bad to measure in some runs, the others would turn the answer."""
    rng = np.random.default_rng(22)
    frame = runs(lambda t, c: 1.5 if c == "c2" else -0.1, rng, topologies=1, conditions=3, noise=0.01)
    assert found(frame)[0].whole.verdict == "higher"
    both = frame["condition"] == "c2"
    (partial,) = found(frame.assign(time=frame["time"].mask(both & (frame["run"] <= 2))))
    assert partial.whole.verdict == "partial" and partial.whole.test.mean < 0 and not partial.is_shown
    assert [(c.where["condition"], c.lacks) for c in partial.left_out] == [("c2", (2, 2))]
    # what neither has in any run is not measured there
    (pooled,) = found(frame.assign(time=frame["time"].mask(both)))
    assert pooled.whole.verdict == "lower" and pooled.whole.where["configurations"] == 2 and not pooled.left_out


def test_only_configurations_of_the_same_runs_are_pooled():
    rng = np.random.default_rng(24)
    frame = runs(lambda t, c: 0.2, rng, topologies=1, conditions=4, noise=0.01)
    gone = frame["condition"].map({"c0": 1, "c1": 6, "c2": 6, "c3": 6}) == frame["run"]
    (pooled,) = found(frame[~gone])
    assert pooled.whole.where["configurations"] == 3 and pooled.whole.runs == (1, 2, 3, 4, 5)
