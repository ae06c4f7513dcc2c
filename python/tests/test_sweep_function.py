# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps of a function of the user's: the same rows, store, limits as of the scenario."""

import functools
import os
import sys

import iwarp
import pandas as pd
import pytest
import sweep_subjects
from iwarp.analysis.stats import summarize
from iwarp.commands.sweep import _means
from iwarp.errors import UsageError
from iwarp.sweeps.subjects import FunctionSubject
from iwarp.watch.state import Watched
from sweep_subjects import await_end, fail, queue


def test_a_function_is_swept_as_the_scenario_is(tmp_path):
    grid = {"load": [0.5, 0.75], "servers": [1, 2]}
    frame = iwarp.sweep(queue, grid, runs=3, jobs=2, out=tmp_path)
    assert len(frame) == 12 and (frame["status"] == "ok").all() and frame["pid"].nunique() == 12
    assert frame.attrs["units"]["delay"] == "s"
    assert frame["measured_load"].tolist() == [2 * load for load in frame["load"]]
    # random numbers are common: the noise of a run is that of every other configuration's run of this number
    noise = frame["delay"] - 100 / (1 - frame["load"]) / frame["servers"]
    assert noise.round(9).groupby(frame["run"]).nunique().tolist() == [1, 1, 1]
    again = iwarp.sweep(queue, {**grid, "servers": [1, 2, 4]}, runs=3, out=tmp_path)
    kept = frame.merge(again, on="key")
    assert len(kept) == 12 and (kept["pid_x"] == kept["pid_y"]).all() and len(again) == 18
    assert os.getpid() not in set(again["pid"])


def test_failures_of_a_function_are_rows():
    grid = {"how": ["", "raise", "text", "list", "exit", "abort", "memory"]}
    frame = iwarp.sweep(fail, grid, jobs=4, memory=256 << 20).set_index("how")
    assert frame["status"].to_dict() == {
        "": "ok", "raise": "error", "text": "error", "list": "error", "exit": "crash", "abort": "crash",
        "memory": "memory",
    }  # fmt: skip
    message = frame["message"]
    assert message["raise"].startswith("ZeroDivisionError: nothing to divide by (sweep_subjects.py:")
    assert "returned str: it has to return a dict" in message["text"] and message["list"].startswith("x is list")
    assert "exit code 7" in message["exit"] and "SIGABRT" in message["abort"]
    assert "more memory than its limit" in message["memory"]
    (late,) = iwarp.sweep(fail, {"how": "hang"}, timeout=0.5).to_dict("records")
    assert late["status"] == "timeout" and "longer than 0.5 s" in late["message"]


def test_a_grid_names_the_parameters_of_the_function():
    for grid, says in [
        ({"laod": 0.5}, 'no parameter "laod" (did you mean "load"?)'),
        ({"servers": 2}, "needs load"),
        ({"load": [{"a": 1}]}, "cannot be kept in a table"),
        ({"load": []}, "at least one value"),
    ]:
        with pytest.raises(UsageError) as error:
            iwarp.sweep(queue, grid)
        assert says in str(error.value)
    with pytest.raises(UsageError, match='let the function have a parameter "run"'):
        iwarp.sweep(lambda x: {"y": x}, {"x": 1}, runs=2)
    with pytest.raises(UsageError, match='column "status" of its own'):
        iwarp.sweep(lambda status: {}, {"status": 1})
    with pytest.raises(UsageError, match="the grid is missing"):
        iwarp.sweep(queue)
    with pytest.raises(UsageError, match="give a function"):
        iwarp.sweep(print, {"x": 1})


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 10**400, "\udcff"])
def test_what_a_table_cannot_keep_is_refused_before_the_runs(tmp_path, value):
    with pytest.raises(UsageError, match="for a table|kept in a table"):
        iwarp.sweep(lambda x: {"y": 1}, {"x": value}, out=tmp_path / "out")
    with pytest.raises(UsageError, match="kept in a table"):
        iwarp.sweep(lambda **given: {"y": 1}, {"\udcff": 1}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_scenario_keeps_no_text_that_a_table_cannot(fake, tmp_path):
    with pytest.raises(UsageError, match="kept in a table"):
        iwarp.sweep({"pcap": "\udcff"}, out=tmp_path / "out")


def test_what_a_function_returns_that_a_table_cannot_keep_is_an_error(tmp_path):
    def measure(how):
        if how == "raise":
            raise OSError("\udcff is not there")
        return {"y": 10**400} if how == "large" else {"\udcff": 1} if how == "name" else {"y": "\udcff"}

    frame = iwarp.sweep(measure, {"how": ["raise", "large", "name", "text"]}, out=tmp_path)
    assert (frame["status"] == "error").all() and r"\udcff" in frame["message"].iloc[0]
    assert len(pd.read_parquet(tmp_path / "runs.parquet")) == 4


def counted(runs: int, failed: str, y_n: int, run: int = 1) -> dict:
    return {"y": 10 * runs + run, "y_low": 1, "failed_n": 2}


def test_parameters_may_be_called_as_statistics_are(tmp_path):
    frame = iwarp.sweep(counted, {"runs": [5, 6], "failed": ["a", "b"], "y_n": 7}, runs=2, out=tmp_path)
    lines = _means(frame, "y,y_low")
    assert [line[:2] + line[-1:] for line in lines] == [
        ["runs", "failed", "runs"], *([str(n), w, "2"] for n in (5, 6) for w in "ab")
    ]  # fmt: skip
    assert lines[1][2].startswith("51.5 ±")
    points = Watched(tmp_path).state("y")["points"]
    assert [p["where"] for p in points] == [{"runs": str(n), "failed": w} for n in (5, 6) for w in "ab"]
    assert {(p["runs"], p["failed"]) for p in points} == {(2, 0)} and points[0]["mean"] == 51.5
    for factors, metrics in ((["runs"], ["y"]), (["failed"], ["y"]), (["y_n"], ["y"]), (["run"], ["y", "y_low"])):
        with pytest.raises(UsageError, match="a summary has a column"):
            summarize(frame, factors, metrics)


def test_a_function_may_take_any_name():
    frame = iwarp.sweep(lambda **given: {"names": len(given), "fine": True}, [{"a": 1, "b": "x"}, {"a": "text"}])
    assert frame["names"].tolist() == [3, 2] and frame["fine"].tolist() == [True, True]  # run is among them


def test_values_of_two_types_are_kept(tmp_path):
    grid = {"x": [1, "all"]}
    first = iwarp.sweep(lambda x: {"text": str(x)}, grid, out=tmp_path)
    assert pd.read_parquet(tmp_path / "runs.parquet")["x"].tolist() == ["1", "all"]
    assert first["text"].tolist() == ["1", "all"]


def test_another_function_makes_other_rows(monkeypatch):
    def code():
        return FunctionSubject(queue).code

    assert code() == code() and FunctionSubject(fail).code != code()
    before = code()
    monkeypatch.setattr(sweep_subjects, "BASE", 200)  # a constant of a function that it calls
    assert code() != before
    monkeypatch.setattr(sweep_subjects, "BASE", 100)
    assert code() == before
    partials = {FunctionSubject(functools.partial(queue, servers=n)).code for n in (1, 2)}
    assert len(partials | {before}) == 3
    lambdas = [FunctionSubject(f).code for f in (lambda x: {"y": x}, lambda x: {"y": 2 * x})]
    assert lambdas[0] != lambdas[1]


def test_what_a_run_started_ends_with_it(tmp_path):
    """A run that takes too long leaves no process behind."""
    pids = tmp_path / "pids"

    def parent(run=1):
        child = os.fork()
        if not child:
            read, _ = os.pipe()
            os.read(read, 1)
        pids.write_text(str(child))
        os.waitpid(child, 0)
        return {}

    assert iwarp.sweep(parent, {"run": 1}, timeout=10)["status"].tolist() == ["timeout"]
    await_end(int(pids.read_text()))


FACTOR = 2


def _scaled(x):
    return FACTOR * x


def inside(x: int) -> dict:
    return {"y": sum(_scaled(i) for i in range(x)), "z": (lambda: _scaled(x))()}


OPTIONS = {"fast", "safe"}


@functools.cache
def _cached(x):
    return FACTOR * x


_bound = functools.partial(_scaled)


def _defaulting(x, factor=FACTOR):
    return factor * x


class _Cost:
    @staticmethod
    def of(x):
        return FACTOR * x


def by_cache(x: int) -> dict:
    return {"y": _cached(x)}


def by_partial(x: int) -> dict:
    return {"y": _bound(x)}


def by_method(x: int) -> dict:
    return {"y": _Cost.of(x)}


def by_set(x: int) -> dict:
    return {"y": x * len(OPTIONS)}


def by_default(x: int) -> dict:
    return {"y": _defaulting(x)}


@pytest.mark.parametrize("function", [by_cache, by_partial, by_method])
def test_what_a_function_uses_behind_something_is_of_its_code(function, monkeypatch):
    before = FunctionSubject(function).code
    assert before == FunctionSubject(function).code
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3)
    assert FunctionSubject(function).code != before


def test_sets_and_defaults_that_a_function_uses_are_of_its_code(monkeypatch):
    codes = [FunctionSubject(function).code for function in (by_set, by_default)]
    monkeypatch.setattr(sys.modules[__name__], "OPTIONS", {"safe"})
    monkeypatch.setattr(_defaulting, "__defaults__", (3,))
    assert all(FunctionSubject(f).code != code for f, code in zip((by_set, by_default), codes, strict=True))


def test_what_a_function_uses_in_a_comprehension_or_a_lambda_is_of_its_code(monkeypatch):
    before = FunctionSubject(inside).code
    assert before == FunctionSubject(inside).code
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3)
    assert FunctionSubject(inside).code != before
