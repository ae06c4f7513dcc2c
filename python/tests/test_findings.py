# SPDX-License-Identifier: GPL-2.0-only
"""What is said of an effect over several configurations agrees with the direction that is said beside it."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.findings import Contrast, View, compare, describe, effect_text, group, in_short

MEMORY = View("memory", "Memory", "B", "What is held.", False)
SHARE = View("memory", "Memory", "share", "Of all.", False)
SENDER = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")
SCOPES = [("calm", lambda where: where["loss"] == 0), ("lossy", lambda where: where["loss"] > 0)]


FACTORS = ["alignment", "loss"]


def runs(aligned, unaligned):
    """Make runs of values by loss: ``{0.01: [1, 2, 3]}``."""
    return pd.DataFrame(
        {"alignment": sender, "loss": loss, "status": "ok", "memory": float(value), "run": run}
        for sender, data in ((True, aligned), (False, unaligned))
        for loss, values in data.items()
        for run, value in enumerate(values)
    )


def described(aligned, unaligned, scopes=(), view=MEMORY):
    return describe(group(compare(runs(aligned, unaligned), SENDER, view, FACTORS), scopes))


def spread(factor, width=0.01):
    """Return values whose geometric mean is 1000 octets times a factor; with a width of 2 they tell nothing."""
    return 1000 * factor * np.exp(width * np.array([-1, 1, -0.6, 0.6, -0.3, 0.3]))


ONES = {loss: [1000.0] * 6 for loss in (0, 0.01, 0.1)}


def test_lower_in_some_is_told_by_those_where_the_average_shows_nothing():
    # half the memory with little spread; in another configuration so much spread that the average may be either
    found = described({0: spread(0.5), 0.01: spread(0.8), 0.1: spread(1.2, width=2)}, ONES)
    assert (found.sureness, found.direction) == ("partly", "lower")
    assert "on average" not in found.effect
    assert found.effect == "0.5 to 0.8 times where it is shown"
    assert in_short("Markers", [found]) == [
        "Lower with Markers in some configurations, shown higher in none: memory (0.5 to 0.8 times where it is shown)."
    ]


def test_one_that_is_shown_has_its_own_interval():
    found = described({0: spread(0.5), 0.01: spread(1.1, width=2)}, ONES)
    assert (found.sureness, found.direction) == ("partly", "lower")
    assert found.effect.startswith("0.5 times (95 % interval 0.49") and found.effect.endswith(
        ") in the one that shows it"
    )


def test_an_average_against_the_direction_is_not_told():
    # means of 900 against 700 octets where what is shown is lower: values of 0 leave no ratios
    found = described({0: [0, 10, 5, 0, 12, 5], 0.01: [0, 8000, 10, 0, 20, 2700]},
                      {0: [400, 410, 405, 410, 402, 405], 0.01: [1000] * 6})  # fmt: skip
    assert (found.sureness, found.direction) == ("partly", "lower")
    assert "against" not in found.effect
    assert found.effect.startswith("\N{MINUS SIGN}400 B (95 %") and found.effect.endswith(") in the one that shows it")


def test_the_average_of_a_scope_is_told_of_this_scope():
    """What only averages show is shown on the average of some scopes: the whole of all of them may show nothing."""
    rng = np.random.default_rng(7)
    lossy = [0.01 * n for n in range(1, 25)]
    calm = np.exp(rng.normal(0.2, 0.5, 6))
    aligned = {0: calm, **{loss: np.exp(rng.normal(-0.025, 0.05, 6)) for loss in lossy}}
    unaligned = {0: np.ones(6), **{loss: np.exp(rng.normal(0, 0.05, 6)) for loss in lossy}}
    found = described(aligned, unaligned, SCOPES)
    assert (found.sureness, found.direction) == ("average", "lower")
    assert found.effect.startswith("lossy: on average \N{MINUS SIGN}") and found.effect.count("on average") == 1


@pytest.mark.parametrize("view", [MEMORY, SHARE])
def test_an_average_that_has_the_direction_is_told(view):
    found = described({0: spread(0.0005), 0.01: spread(0.0004)}, {0: spread(0.001, 0.02), 0.01: spread(0.001, 0.02)},
                      view=view)  # fmt: skip
    assert (found.sureness, found.direction) == ("clear", "lower") and found.effect.startswith("on average ")


def test_shares_differ_by_percentage_points():
    (found,) = compare(runs({0: [0.25, 0.26, 0.24]}, {0: [0.2, 0.21, 0.19]}), SENDER, SHARE, FACTORS)
    assert effect_text(found) == "+5 percentage points"


def test_what_is_not_shown_by_an_interval_without_zero_says_why():
    compared = compare(runs({loss: spread(0.9, 0.1) for loss in ONES}, ONES), SENDER, MEMORY, FACTORS)
    (found,) = group(compared)
    assert found.average.verdict == "lower" and all(c.verdict == "open" for c in compared)
    among_many = replace(found, average=replace(found.average, verdict="open"))  # as Holm's correction leaves it
    assert describe([found]).effect.startswith("on average \N{MINUS SIGN}10 % (95 % interval")
    assert describe([among_many]).effect.endswith("), too few runs to tell beside so many comparisons")


def test_what_is_not_shown_is_told_on_average():
    rng = np.random.default_rng(5)
    sides = [{loss: np.exp(rng.normal(0, 0.3, 6)) for loss in (0, 0.01, 0.1)} for _ in range(2)]
    found = described(*sides)
    assert found.sureness == "open" and found.effect.startswith("on average ")
    assert not math.isnan(float(found.effect.split()[2].strip("+\N{MINUS SIGN}")))


def test_a_scope_without_a_pair_says_so():
    """In each pair one side has failed there, or measured nothing."""
    aligned, unaligned = {0: [1.0, 2.0], 0.01: [1.0, math.nan]}, {0: [1.0, 2.0], 0.01: [math.nan, 1.0]}
    found = described(aligned, unaligned, SCOPES)
    (line,) = (line for line in found.lines if line.scope == "lossy")
    assert line.text.startswith("Less than two pairs of good runs") and "against" not in line.text
