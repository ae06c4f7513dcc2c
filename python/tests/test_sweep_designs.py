# SPDX-License-Identifier: GPL-2.0-only
"""Designs by their defining properties: parts of ranges of a Latin hypercube, dyadic boxes of Sobol's sequence."""

import itertools
import math
from collections import Counter

import iwarp
import pytest
from iwarp.errors import UsageError


def test_a_latin_hypercube_has_a_point_in_each_part_of_each_range():
    space = {
        "loss": iwarp.Range(1e-4, 1e-1, log=True),
        "delay": iwarp.Range("1us", "5us"),
        "kind": ["a", "b", "c"],
        "mtu": 1500,
    }
    points = iwarp.latin_hypercube(space, 12)
    decades = sorted(math.floor(12 * (math.log10(p["loss"]) + 4) / 3) for p in points)
    assert decades == list(range(12))
    assert all(p["delay"].endswith("us") for p in points)
    assert sorted(math.floor(3 * (float(p["delay"][:-2]) - 1)) for p in points) == list(range(12))
    assert sorted(p["kind"] for p in points) == ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    assert {p["mtu"] for p in points} == {1500}
    assert points == iwarp.latin_hypercube({**space, "mtu": [1500]}, 12)  # a list of one is a value
    assert points == iwarp.latin_hypercube(space, 12) != iwarp.latin_hypercube(space, 12, seed=2)


def test_sobols_points_are_even_in_every_dyadic_box():
    """A (0, m, 2)-net: each of the boxes 2^-a by 2^-b with a + b = m holds one of the 2^m points."""
    points = iwarp.sobol({"x": iwarp.Range(0.0, 1.0), "y": iwarp.Range(0.0, 1.0)}, 16)
    for a in range(5):
        boxes = {(math.floor(2**a * p["x"]), math.floor(2 ** (4 - a) * p["y"])) for p in points}
        assert len(boxes) == 16
    assert iwarp.sobol({"x": iwarp.Range(0.0, 1.0), "y": iwarp.Range(0.0, 1.0)}, 32)[:16] == points


def test_whole_numbers_stay_whole_and_reach_both_ends():
    counts = [p["n"] for p in iwarp.sobol({"n": iwarp.Range(1, 4)}, 64)]
    assert {n: counts.count(n) for n in counts} == {1: 16, 2: 16, 3: 16, 4: 16} and all(
        isinstance(n, int) for n in counts
    )
    spread = [p["n"] for p in iwarp.sobol({"n": iwarp.Range(1, 1000, log=True)}, 1024)]
    assert min(spread) == 1 and max(spread) <= 1000 and abs(sum(n < 32 for n in spread) - 512) < 8
    assert iwarp.Range(1, 1000, log=True).value(1 - 1e-12) == 1000
    levels = [p["n"] for p in iwarp.sobol({"n": ["a", "b"]}, 8)]
    assert levels.count("a") == 4


def test_designs_that_make_no_sense_are_refused():
    for make, says in [
        (lambda: iwarp.Range("1us", "1ms"), "are in two units"),
        (lambda: iwarp.Range(2, 1), "there is nothing from 2 to 1"),
        (lambda: iwarp.Range(0, 1, log=True), "has no logarithm"),
        (lambda: iwarp.Range(1, float("inf")), "from 1 to inf is no range"),
        (lambda: iwarp.sweep(lambda x, run: {"y": run}, {"x": [1, 1.0]}, runs=2), "x=1 and x=1.0 are the same"),
        (lambda: iwarp.Range("fast", "slow"), "is no end of a range"),
        (lambda: iwarp.sobol({"x": iwarp.Range(0, 1)}, 12), "as 8 or 16, not 12"),
        (lambda: iwarp.latin_hypercube({"x": iwarp.Range(0, 1)}, 0), "at least 1"),
        (lambda: iwarp.sobol({"x": 3}, 8), "nothing to vary"),
        (lambda: iwarp.sobol({"x": []}, 8), "x has no level"),
    ]:
        with pytest.raises(UsageError, match=says):
            make()


def test_a_design_is_swept(fake):
    frame = iwarp.sweep(iwarp.sobol({"loss": iwarp.Range(0.0, 0.1), "delay": iwarp.Range("1ms", "9ms")}, 8), runs=2)
    assert len(frame) == 16 and frame["loss"].nunique() == 8 and frame["delay"].between(0.001, 0.009).all()


def test_every_two_parameters_of_a_fraction_meet_evenly():
    space = {"topology": [f"t{k}" for k in range(9)], "loss": [0, 0.01], "markers": [True, False], "mtu": [1500, 9000]}
    points = iwarp.fraction({**space, "flows": 4}, 2)
    assert len(points) == 36 and {p["flows"] for p in points} == {4}
    for one, other in itertools.combinations(space, 2):
        met = Counter((p[one], p[other]) for p in points)
        assert set(met.values()) == {36 // len(space[one]) // len(space[other])}
    # one in three, of three levels: a Latin square on each
    points = iwarp.fraction({"topology": space["topology"], "flows": [1, 4, 16], "rate": [1, 2, 3]}, 3)
    assert len(points) == 27 and len({(p["topology"], p["flows"]) for p in points}) == 27


@pytest.mark.parametrize(("space", "reduction"), [({"a": [1, 2]}, 2), ({"a": [1, 2], "b": [1]}, 2), ({}, 3)])
def test_a_fraction_that_cannot_be_is_refused(space, reduction):
    with pytest.raises(UsageError, match="reduction"):
        iwarp.fraction(space, reduction)


def test_points_that_are_equal_are_one():
    asked = iwarp.sobol({"x": [1, 2]}, 8)
    assert len(iwarp.sweep(lambda x, run: {"y": x * run}, asked, until=iwarp.Until("y", relative=9, budget=20))) == 10
