# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps that go on until a mean is known well enough."""

import math
import random

import iwarp
import pandas as pd
import pytest
from iwarp.errors import UsageError
from scipy import stats


def noisy(spread: float, run: int) -> dict:
    return {"x": 10 + random.Random(run).gauss(0, spread)}


def _half(values):
    """Half of Student's interval, from SciPy alone."""
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    return (high - low) / 2


def test_each_configuration_goes_on_until_its_interval_is_narrow(tmp_path):
    until = iwarp.Until("x", relative=0.05, least=4, most=400)
    frame = iwarp.sweep(noisy, {"spread": [0.1, 1.0, 2.0]}, until=until, out=tmp_path)
    groups = {spread: rows for spread, rows in frame.groupby("spread")}
    assert len(groups[0.1]) == 4 < len(groups[1.0]) < len(groups[2.0]) < 400
    for rows in groups.values():
        assert _half(rows["x"]) <= 0.05 * rows["x"].mean()
        assert rows["run"].tolist() == list(range(1, len(rows) + 1))
    shown = len(groups[2.0])
    assert shown / 3 < (2 * 1.96 / 0.5) ** 2 < 3 * shown  # what a normal distribution of this spread needs
    again = iwarp.sweep(noisy, {"spread": [0.1, 1.0, 2.0]}, until=until, out=tmp_path)
    pd.testing.assert_frame_equal(frame, again)  # wall time as well: nothing has run


def test_the_budget_goes_to_those_that_lack_most():
    until = iwarp.Until("x", absolute=0.1, least=3, budget=20)
    counts = iwarp.sweep(noisy, {"spread": [0.0001, 1.0, 8.0]}, until=until)["spread"].value_counts()
    assert counts.sum() == 20 and counts[0.0001] == 3 and counts[8.0] >= counts[1.0]
    most = iwarp.Until("x", absolute=1e-9, least=3, most=7)
    assert most.more([spent(6, 1.0, 1.0)]) == [1]
    assert len(iwarp.sweep(noisy, {"spread": 1.0}, until=most)) == 7


def spent(runs: int, spread: float, wall: float) -> pd.DataFrame:
    """Rows of a configuration whose runs took ``wall`` seconds each."""
    return pd.DataFrame({"x": [10 + spread * (-1) ** n for n in range(runs)], "status": "ok", "wall": wall})


def test_the_budget_can_be_time_that_runs_take():
    narrow, wide, wider = spent(4, 0.001, 10.0), spent(4, 1.0, 10.0), spent(4, 8.0, 5.0)
    rich = iwarp.Until("x", absolute=0.1, least=4).more([narrow, wide, wider])
    assert rich == [0, 4, 4]
    until = iwarp.Until("x", absolute=0.1, least=4, budget="150s")  # 100 s are spent: 20 s for the widest, 30 s left
    assert until.more([narrow, wide, wider]) == [0, 3, 4]
    assert iwarp.Until("x", absolute=0.1, least=4, budget="2min").more([narrow, wide, wider]) == [0, 0, 4]
    assert iwarp.Until("x", absolute=0.1, least=4, budget="100s").more([narrow, wide, wider]) == [0, 0, 0]
    assert iwarp.Until("x", absolute=0.1, least=4, budget="1h").more([narrow, wide, wider]) == rich
    assert until.first(1000) == [4] * 1000  # what they take is known when they have run


def test_what_a_failed_run_measured_decides_nothing():
    rows = spent(4, 0.001, 1.0)
    failed = pd.concat([rows, rows.assign(x=1000.0, status="timeout")])
    assert iwarp.Until("x", absolute=0.1, least=4).more([rows, failed]) == [0, 0]


def test_a_share_of_a_mean_has_no_sign():
    rows = spent(4, 0.001, 1.0)
    assert iwarp.Until("x", relative=0.01, least=4).more([rows, rows.assign(x=-rows["x"])]) == [0, 0]


def test_what_never_ends_well_is_not_repeated():
    frame = iwarp.sweep(lambda run: {"x": 1 // 0}, {}, until=iwarp.Until("x", relative=0.1, least=3))
    assert len(frame) == 3 and (frame["status"] == "error").all()
    zero = iwarp.sweep(lambda run: {"x": (-1) ** run}, {}, until=iwarp.Until("x", relative=0.1, least=2, most=6))
    assert len(zero) == 6  # no share of a mean of 0 is wide enough
    assert math.isclose(zero["x"].mean(), 0)


def test_parts_of_a_sweep_keep_the_runs_of_a_configuration_together():
    until = iwarp.Until("x", absolute=0.5, least=3, most=50)
    grid = {"spread": [0.5, 1.0, 2.0]}
    whole = iwarp.sweep(noisy, grid, until=until)
    parts = [iwarp.sweep(noisy, grid, until=until, shard=f"{n}/2") for n in (1, 2)]
    assert sorted(whole["key"]) == sorted([*parts[0]["key"], *parts[1]["key"]])


def test_questions_without_an_answer_are_refused(fake):
    for make, says in [
        (lambda: iwarp.Until("x"), "give relative=0.05"),
        (lambda: iwarp.Until("x", relative=0.1, least=1), "has to be from 2 to most"),
        (lambda: iwarp.Until("x", relative=0.1, budget="soon"), "neither a number of runs nor a time"),
        (lambda: iwarp.Until("x", relative=0.1, budget="1.5"), "neither a number of runs nor a time"),
        (lambda: iwarp.Until("x", relative=0.1, budget="0s"), "neither a number of runs nor a time"),
        (lambda: iwarp.sweep({"loss": 0}, until=iwarp.Until("goodputt", relative=0.1)), 'did you mean "goodput"'),
        (lambda: iwarp.sweep({"loss": 0}, runs=3, until=iwarp.Until("goodput", relative=0.1)), "give one of them"),
        (lambda: iwarp.sweep({"loss": [0, 1]}, until=iwarp.Until("goodput", relative=0.1, budget=9)), "need 10"),
        (lambda: iwarp.sweep({"run": 1}, until=iwarp.Until("goodput", relative=0.1)), "counts the replications"),
    ]:
        with pytest.raises(UsageError, match=says):
            make()


def worded(run: int, word: str = "x") -> dict:
    return {"x": word if run > 1 or word == "x" else None}


@pytest.mark.parametrize("word", ["x", "later"])
def test_text_has_no_mean(tmp_path, word):
    until = iwarp.Until("x", relative=0.1)
    with pytest.raises(UsageError, match='"x" is text, of which there is no mean'):
        iwarp.sweep(worded, {"word": word}, until=until, jobs=1, out=tmp_path)
    with pytest.raises(UsageError, match='"x" is text, of which there is no mean'):
        iwarp.sweep(worded, {"word": word}, until=until, jobs=1, out=tmp_path)


def test_where_no_run_has_a_value_it_is_told(capsys):
    until = iwarp.Until("y", relative=0.1, least=2, most=3)
    iwarp.sweep(nothing, {}, until=until)
    assert 'until: no run has a value of "y"' in capsys.readouterr().err
    iwarp.sweep(lambda k, run: {"y": run if k else None}, {"k": [0, 1]}, until=until)
    assert 'no run of 1 of 2 configurations has a value of "y"' in capsys.readouterr().err
    iwarp.sweep(lambda run: {"y": 1}, {}, until=until)
    assert "has a value" not in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [
    {"relative": "5%"}, {"relative": 0.1, "least": 2.5}, {"relative": 0.1, "most": "9"},
    {"relative": 0.1, "budget": 2.5}, {"relative": 0.1, "budget": "²"},
    {"relative": 0.1, "budget": []}, {"absolute": None}, {"relative": float("nan")},
    {"relative": float("inf")},
])  # fmt: skip
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(UsageError):
        iwarp.Until("x", **wrong)


@pytest.mark.parametrize("wrong", [
    {"runs": "3"}, {"runs": 2.5}, {"runs": 0}, {"runs": True}, {"shard": 3}, {"shard": "²/²"},
    {"shard": "9" * 5000 + "/1"}, {"until": "y=5%"}, {"jobs": "2"}, {"jobs": 0}, {"out": ""},
])  # fmt: skip
def test_wrong_arguments_of_a_sweep_are_refused(wrong):
    with pytest.raises(UsageError):
        iwarp.sweep(nothing, {}, **wrong)


@pytest.mark.parametrize("grid", [5, "a", [5], ["a"]])
def test_what_is_no_grid_is_refused(grid):
    with pytest.raises(UsageError, match="is no grid"):
        iwarp.sweep(nothing, grid)


def broken_or_noisy(kind: str, tries: str, run: int) -> dict:
    with open(tries, "a") as file:
        file.write(f"{kind}\n")
    return {"x": 1 // 0 if kind == "broken" else noisy(2.0, run)["x"]}


def test_what_fails_is_tried_once(tmp_path):
    until = iwarp.Until("x", absolute=0.2, least=3, most=60)
    grid = {"kind": ["broken", "noisy"], "tries": str(tmp_path / "tries")}
    frame = iwarp.sweep(broken_or_noisy, grid, until=until, out=tmp_path / "out")
    tries = (tmp_path / "tries").read_text().split()
    assert tries.count("broken") == 3 and tries.count("noisy") == len(frame) - 3 > 10
    iwarp.sweep(broken_or_noisy, grid, until=until, out=tmp_path / "out")  # asked for again, it may fare better
    assert (tmp_path / "tries").read_text().split()[len(tries) :] == ["broken"] * 3


def nothing(run: int) -> dict:
    return {"y": None}


def test_what_no_run_has_is_no_error_the_second_time_either(tmp_path):
    until = iwarp.Until("y", relative=0.1, least=2)
    first = iwarp.sweep(nothing, {}, until=until, out=tmp_path)
    again = iwarp.sweep(nothing, {}, until=until, out=tmp_path)
    assert len(first) == len(again) == 2 and again["y"].isna().all()
