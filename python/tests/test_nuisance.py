# SPDX-License-Identifier: GPL-2.0-only
"""Effects that one level of a factor nobody asked about decides, with known truth."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.comparison import Contrast, View
from iwarp.analysis.findings import range_text
from iwarp.analysis.nuisance import blocks, sensitivity
from iwarp.analysis.primary import Primary, examine
from iwarp.errors import IwarpError
from iwarp.runs import loader
from iwarp.studies import fabric
from iwarp.studies.primaries import answers
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Request, latin, planned_runs
from scipy import stats

QUEUES = ["270p", "300p", "540p"]
TAIL = View("tail", "Slowdown", "", relevant=0.1)
PRIMARY = Primary(Contrast("ours", True, False, "iWARP", "go-back-N"), "tail", "the slowdown", "in an incast")


def runs(ratios, noise=0.05, number=9, seed=1):
    """Make runs of two transports on two networks; ``ratios`` at each size of the queue, which goes with the run."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"topology": topology, "ours": ours, "run": run, "status": "ok", "queue_size": QUEUES[run % 3],
         "tail": 40 * (ratios[run % 3] if ours else 1.0) * np.exp(rng.normal(0, noise))}
        for topology in ("star", "leaf") for ours in (True, False) for run in range(number)
    )  # fmt: skip


def found(frame):
    return examine(frame, [PRIMARY], {"tail": TAIL}, ["topology", "ours"], blocks(frame, ["queue_size"]))


def test_a_headline_that_flips_between_queues_is_not_one_number():
    (pooled,) = found(runs([0.38, 1.27, 1.25]))
    assert not pooled.is_shown and pooled.depends
    (text, *_) = answers([pooled])
    assert text.startswith("What iWARP does to the slowdown in an incast depends on queue size: 0.3")
    assert all(f"with {queue}" in text for queue in QUEUES) and "1.2" in text


def test_one_that_is_gone_at_one_queue_is_not_one_number_either():
    (pooled,) = found(runs([0.5, 0.5, 1.0]))
    assert not pooled.is_shown and pooled.depends


def test_one_that_survives_every_queue_is_told():
    (pooled,) = found(runs([0.38, 0.45, 0.42]))
    assert pooled.is_shown and answers([pooled])[0].startswith("iWARP lowers the slowdown by 5")


def test_equal_arms_depend_on_nothing():
    claims = sum(p.is_shown or p.depends for seed in range(200) for p in found(runs([1.0] * 3, 0.3, seed=seed)))
    assert claims <= stats.binom.ppf(0.999, 200, 0.05)


def test_an_effect_that_is_not_shown_names_what_changes_it():
    """It is there with one queue and the other way with another, so that nothing is shown pooled."""
    (pooled,) = found(runs([0.5, 1.0, 2.0]))
    assert pooled.depends and pooled.deciding and "depends on queue size: " in answers([pooled])[0]


def test_one_run_a_level_says_nothing_of_it():
    assert sensitivity([1.0, 2.0, 2.0, 1.0], range(4), {"queue": dict(enumerate("aabc"))}) == []


def test_levels_are_what_a_linear_model_says():
    # the intervals of the group means of a one-way model, by hand: pooled spread, N - L degrees of freedom
    differences, levels = [1.0, 1.2, 2.0, 2.4, 3.1, 2.9], {"queue": dict(enumerate("aabbcc"))}
    (one,) = sensitivity(differences, range(6), levels)
    spread = np.sqrt((2 * 0.1**2 + 2 * 0.2**2 + 2 * 0.1**2) / 3)
    half = stats.t.ppf(0.975, 3) * spread / np.sqrt(2)
    assert (one.levels["a"].low, one.levels["a"].high) == pytest.approx((1.1 - half, 1.1 + half))
    assert one.p == pytest.approx(stats.f_oneway([1.0, 1.2], [2.0, 2.4], [3.1, 2.9]).pvalue) and one.holds


def test_two_factors_of_three_levels_are_a_latin_square_over_nine_runs():
    square = latin([3, 3], 9)
    assert sorted(square) == [(a, b) for a in range(3) for b in range(3)]
    assert [[places[k] for places in latin([3, 3], 6)].count(level) for k in (0, 1) for level in range(3)] == [2] * 6


@pytest.mark.parametrize("sizes", [(2, 3), (3, 2), (2, 2), (2, 4), (4, 2), (4, 6), (1, 3)])
def test_two_factors_of_any_levels_have_each_pair_as_often(sizes):
    every = [(a, b) for a in range(sizes[0]) for b in range(sizes[1])]
    assert sorted(latin(sizes, 2 * len(every))) == sorted(2 * every)
    assert sorted(latin(sizes, len(every))) == every


def test_nuisance_factors_cost_no_runs_and_are_those_of_the_run():
    try:
        loader.find()
    except IwarpError as error:
        pytest.skip(str(error))

    def planned(**changes):
        grids = build_grids(fabric.STUDY, "quick", changes)
        return planned_runs(Request(fabric.STUDY, "quick", grids, 9, Path("out"), ""))

    runs = planned()
    assert len(runs) == 16 * 9
    for network, queues in (("star", {"270p", "324p", "540p"}), ("leaf-spine", {"100p", "120p", "200p"})):
        of_run = {}
        for run in runs:
            if run.params["topology"] == network:
                levels = (run.params["queue_size"], run.params["start_spread"])
                assert of_run.setdefault(run.params["run"], levels) == levels
        assert len(set(of_run.values())) == 9 and {queue for queue, _ in of_run.values()} == queues
    asked = planned(queue_size=["400p"])
    assert len(asked) == 16 * 9 and {run.params["queue_size"] for run in asked} == {"400p"}


def test_one_that_few_runs_a_level_do_not_show_is_one_number():
    """Two runs a level show little by themselves; where the levels do not differ the pooled effect is told."""
    (pooled,) = found(runs([0.9, 0.9, 0.9], 0.07, number=6, seed=2))
    assert any(e.p > 0.05 for n in pooled.nuisances for e in n.levels.values())
    assert pooled.is_shown and not pooled.depends
    (_, *more) = answers([pooled])
    assert any("It moves from " in text and "queue size" in text for text in more)


def test_a_range_has_both_ends_in_one_unit():
    (pooled,) = found(runs([0.9, 0.9, 0.9], 0.07, number=6, seed=2))
    small, large = math.log(0.9), math.log(1.5)
    assert range_text(pooled.whole, small, -small) == "−10 to +11.1 %"
    assert range_text(pooled.whole, small, large) == "0.9 to 1.5 times"
