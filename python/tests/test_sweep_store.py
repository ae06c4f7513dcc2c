# SPDX-License-Identifier: GPL-2.0-only
"""What a directory of results keeps: values of several types, one unit a column, rows that others left."""

import json
import math

import iwarp
import pandas as pd
import pytest
from iwarp.errors import IwarpError, UsageError
from iwarp.sweeps.store import Store, glance


def told(x, run: int = 1) -> dict:
    return {"y": "none" if run == 2 else float(run), "sure": None if run == 1 else True, "kind": type(x).__name__}


@pytest.mark.parametrize(
    "values",
    [[1, "auto"], [False, "10ms"], [True, 1], [None, "a"], [0.1, "0.1", True, 3], [2**63, -1, 5], [None, 2]],
)
def test_a_table_is_the_same_whether_resumed_or_not(tmp_path, values):
    whole = iwarp.sweep(told, {"x": values}, runs=4, out=tmp_path / "whole").drop(columns="wall")
    iwarp.sweep(told, {"x": values}, runs=2, out=tmp_path / "out")
    resumed = iwarp.sweep(told, {"x": values}, runs=4, out=tmp_path / "out").drop(columns="wall")
    again = iwarp.sweep(told, {"x": values}, runs=4, out=tmp_path / "out").drop(columns="wall")
    seen = glance(tmp_path / "out").drop(columns="wall")
    for frame in (resumed, again, seen):
        pd.testing.assert_frame_equal(frame, whole, check_like=True)
        for name in ("x", "y", "sure"):
            assert [repr(value) for value in frame[name]] == [repr(value) for value in whole[name]]
    assert len(resumed.groupby("x", dropna=False)) == len(whole.groupby("x", dropna=False))


def test_values_of_two_types_have_means(real_cli, tmp_path):
    path = tmp_path / "model.py"
    path.write_text("def simulate(x=1, run=1): return {'y': run}\n")
    ask = ["--function", f"{path}:simulate", "x=1,auto", "--out", tmp_path / "s", "--show", "y"]
    for runs in (2, 4):
        code, out, _ = real_cli("sweep", *ask, "--runs", runs)
        assert code == 0 and [line.split()[0] for line in out.splitlines()[:3]] == ["x", "1", "auto"]


def in_seconds(n: int = 1) -> dict:
    return {"delay": iwarp.Quantity(n, "s"), "zero": iwarp.Quantity(0, "s")}


def in_milliseconds(n: int = 1) -> dict:
    return {"delay": iwarp.Quantity(1000 * n, "ms"), "zero": 0}


def without_unit(n: int = 1) -> dict:
    return {"delay": n, "zero": None}


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (in_seconds, in_milliseconds, "delay was in s and is now in ms"),
        (in_seconds, without_unit, "delay was in s and is now in no unit"),
        (without_unit, in_milliseconds, "delay was in no unit and is now in ms"),
    ],
)
def test_a_column_has_one_unit(tmp_path, first, second, says):
    iwarp.sweep(first, {"n": 1}, out=tmp_path / "out")
    with pytest.raises(IwarpError, match=rf"{says}.*take another directory \(--out\)"):
        iwarp.sweep(second, {"n": 2}, out=tmp_path / "out")
    kept = iwarp.sweep(first, {"n": [1, 2]}, out=tmp_path / "out")
    assert len(glance(tmp_path / "out")) == len(kept) == 2
    iwarp.sweep(second, {"n": 1}, out=tmp_path / "other")
    with pytest.raises(IwarpError, match="other does not go with the others: "):
        iwarp.merge([tmp_path / "out", tmp_path / "other"], tmp_path / "all")


def test_what_has_no_value_has_any_unit(tmp_path):
    iwarp.sweep(lambda n: {"delay": None if n else iwarp.Quantity(1, "s")}, {"n": [0, 1]}, out=tmp_path)
    frame = iwarp.sweep(lambda n: {"delay": iwarp.Quantity(n, "s") if n else 0}, {"n": [0, 1]}, out=tmp_path)
    assert frame.attrs["units"]["delay"] == "s"


def test_a_row_of_another_unit_that_a_worker_left_is_made_again(tmp_path):
    iwarp.sweep(in_seconds, {"n": 1}, out=tmp_path)
    (tmp_path / "arrived").mkdir()
    row = {"key": "k", "status": "ok", "delay": 5.0}
    (tmp_path / "arrived" / "k.json").write_text(json.dumps({"row": row, "units": {"delay": "ms"}}))
    assert len(iwarp.sweep(in_seconds, {"n": [1, 2]}, out=tmp_path)) == 2 and not (tmp_path / "arrived").exists()


def test_what_no_run_has_is_shown_the_second_time_too(real_cli, tmp_path):
    path = tmp_path / "model.py"
    path.write_text("def simulate(x=1, run=1): return {'y': None, 'sure': None if run == 1 else True}\n")
    ask = ["--function", f"{path}:simulate", "x=1", "--out", tmp_path / "s", "--show", "y,sure", "--runs", 2]
    first = real_cli("sweep", *ask)
    assert first[0] == 0 and "n/a" in first[1] and real_cli("sweep", *ask)[:2] == first[:2]


@pytest.mark.parametrize(
    "line",
    ["null", "5", "[]", '{"row": {}, "units": {}}', '{"row": {"key": "a"}, "units": {}}', '{"row": null, "units": {}}',
     '{"row": {"key": "a", "status": "ok"}}', "\x00\xff"],
)  # fmt: skip
def test_a_line_that_is_no_row_is_left_out(tmp_path, line):
    (tmp_path / "arrived").mkdir()
    (tmp_path / "arrived" / "x.json").write_text(line)
    (tmp_path / "runs.journal").write_bytes(line.encode("latin-1") + b"\n")
    assert glance(tmp_path).empty
    assert len(iwarp.sweep(in_seconds, {"n": 1}, out=tmp_path)) == 1 and len(glance(tmp_path)) == 1


def test_a_table_of_something_else_is_told(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "runs.parquet")
    for look in (Store, glance):
        with pytest.raises(IwarpError, match="is no table of runs"):
            look(tmp_path)


def test_parts_without_a_run_are_told(real_cli, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.journal").touch()
    (tmp_path / "b" / "runs.journal").write_text("null\n")
    code, _, err = real_cli("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "all")
    assert code == 2 and "have no run yet" in err


def test_lines_of_json_tell_infinite_from_missing(tmp_path):
    found = [math.inf, -math.inf, math.nan, 1.0]
    frame = iwarp.sweep(lambda n: {"y": found[n], **({"z": "x"} if n else {})}, {"n": [0, 1, 2, 3]})
    iwarp.export(frame, tmp_path / "runs.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [line["y"] for line in lines] == ["inf", "-inf", None, 1.0]
    assert [line["z"] for line in lines] == [None, "x", "x", "x"]


def test_a_place_that_is_not_there_is_told_by_its_reason(tmp_path):
    frame = iwarp.sweep(in_seconds, {"n": 1}, out=tmp_path / "out")
    with pytest.raises(UsageError, match="cannot be written: .*(non-existent|No such)"):
        iwarp.export(frame, tmp_path / "none" / "x.csv")
