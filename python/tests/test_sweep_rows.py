# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a sweep on several machines, their rows in one directory, and tables for other programs."""

import json

import iwarp
import pandas as pd
import pytest
from iwarp.errors import UsageError
from iwarp.sweeps.subjects import FunctionSubject
from iwarp.sweeps.sweeper import number

GRID = {"loss": [0, 0.01, 0.02]}


def test_the_parts_of_a_sweep_are_the_whole(fake, tmp_path):
    parts = [iwarp.sweep(GRID, runs=3, shard=f"{n}/4", out=tmp_path / str(n)) for n in range(1, 5)]
    assert [len(part) for part in parts] == [3, 2, 2, 2]
    merged = iwarp.merge([tmp_path / str(n) for n in range(1, 5)], tmp_path / "all")
    assert len(merged) == 9 and merged.attrs["units"]["goodput"] == "bit/s"
    whole = iwarp.sweep(GRID, runs=3, out=tmp_path / "all")
    assert set(whole["pid"]) == set().union(*(part["pid"] for part in parts))  # nothing ran again
    for shard, says in [
        ("5/4", "is none"),
        ("0/4", "is none"),
        ("1", "is none"),
        ("a/b", "is none"),
        ("10/10", "is empty"),
    ]:
        with pytest.raises(UsageError, match=says):
            iwarp.sweep(GRID, runs=3, shard=shard)


def test_of_two_rows_the_good_one_is_kept(fake, tmp_path):
    grid = {"behaviour": ["", "exception"]}
    iwarp.sweep(grid, out=tmp_path / "first")
    execute = fake.execute
    fake.execute = lambda params: execute({**params, "behaviour": ""})
    iwarp.sweep(grid, out=tmp_path / "second")
    for order in (["first", "second"], ["second", "first"]):
        merged = iwarp.merge([tmp_path / name for name in order], tmp_path / "-".join(order))
        assert (merged["status"] == "ok").all() and len(merged) == 2
    with pytest.raises(UsageError, match="holds no results"):
        iwarp.merge([tmp_path / "first", tmp_path / "nothing"], tmp_path / "out")
    assert not (tmp_path / "nothing").exists()


def test_tables_hold_numbers_and_say_their_units(fake, tmp_path):
    frame = iwarp.sweep(GRID, runs=2, out=tmp_path / "out")
    iwarp.export(tmp_path / "out", tmp_path / "runs.csv")
    table = pd.read_csv(tmp_path / "runs.csv")
    found = dict(zip(table["key"], table["goodput [bit/s]"], strict=True))  # in the order in which runs ended
    assert found == dict(zip(frame["key"], frame["goodput"], strict=True)) and "delay [s]" in table
    iwarp.export(frame, tmp_path / "runs.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [line["goodput"] for line in lines] == frame["goodput"].tolist()
    iwarp.export(frame[frame["loss"] == 0], tmp_path / "some.parquet")
    assert len(pd.read_parquet(tmp_path / "some.parquet")) == 2
    for source, file, says in [
        (frame, "runs.xlsx", "is one of .csv"),
        (tmp_path / "nothing", "runs.csv", "holds no results"),
        (frame, "none/runs.csv", "cannot be written"),
    ]:
        with pytest.raises(UsageError, match=says):
            iwarp.export(source, tmp_path / file)


def test_a_file_that_has_changed_makes_other_runs(tmp_path):
    sizes = tmp_path / "sizes.txt"
    sizes.write_text("1000 1\n")
    base = {"mtu": 1500, "sizes": f"cdf:{sizes}"}
    subject = FunctionSubject(lambda mtu, sizes: {"x": 1})
    (before,) = number(subject, base, None)
    assert number(subject, base, None)[0].key == before.key
    sizes.write_text("2000 1\n")
    (after,) = number(subject, base, None)
    assert after.key != before.key and after.params == before.params
    for suffix in ("nodes", "links"):
        (tmp_path / f"map-{suffix}.csv").write_text("a\n")
    of_map = {"mtu": 1500, "sizes": f"file:{tmp_path}/map"}
    (before,) = number(subject, of_map, None)
    (tmp_path / "map-links.csv").write_text("a,b\n")
    assert number(subject, of_map, None)[0].key != before.key
