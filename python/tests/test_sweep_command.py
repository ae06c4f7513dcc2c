# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp sweep``, ``merge`` and ``export`` on the command line."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from iwarp.commands.sweep import _function
from iwarp.sweeps.subjects import FunctionSubject
from sweep_subjects import write_program

MODEL = """
import random

def simulate(load: float, servers: int = 1, run: int = 1) -> dict:
    return {"delay": float(load) / int(servers) + random.Random(run).random(), "fine": True}
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return f"{path}:simulate"


def test_the_scenario_is_swept(cli, tmp_path):
    code, out, _ = cli("sweep", "loss=0,0.01", "MpaStream.SilentDrop=true,false", "--runs", 2, "--out", tmp_path / "s",
                       "--show", "goodput")  # fmt: skip
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["loss", "MpaStream.SilentDrop", "goodput", "runs"]
    assert "1 Gbit/s" in lines[1] and lines[1].endswith("2") and lines[-2] == "8 runs, 0 failed"
    code, out, _ = cli("sweep", "--json", "loss=0,0.01", "--runs", "1", "--out", tmp_path / "s")
    assert json.loads(out) == {"out": str(tmp_path / "s"), "rows": 2, "failed": 0}


def test_a_mean_of_which_runs_lack_values_says_of_how_many_it_is(cli, tmp_path):
    path = tmp_path / "lacking.py"
    path.write_text("def simulate(load: float, run: int = 1) -> dict:\n"
                    "    return {'delay': float('nan') if float(load) > 2 and run == 2 else run}\n")  # fmt: skip
    ask = ["--function", f"{path}:simulate", "load=1,3", "--runs", 3, "--out", tmp_path / "s", "--show", "delay"]
    code, out, _ = cli("sweep", *ask)
    lines = out.splitlines()
    assert code == 0 and "(" not in lines[1] and lines[1].split()[:2] == ["1", "2"] and "(2 of 3 runs)" in lines[2]


def test_a_function_and_a_program_are_swept(cli, model, tmp_path):
    code, out, _ = cli(
        "sweep", "--function", model, "load=1,3", "servers=1,2", "--out", tmp_path / "f", "--show", "delay"
    )
    assert code == 0 and len(out.splitlines()) == 7
    program = write_program(tmp_path / "model", "print(json.dumps({'x': float(given['Loss-Rate'])}))\n")
    code, _, _ = cli("sweep", "--program", program, "Loss-Rate=0.5", "--runs", 3, "--out", tmp_path / "p")
    assert code == 0 and pd.read_parquet(tmp_path / "p" / "runs.parquet")["x"].tolist() == [0.5] * 3


def test_designs_and_intervals_are_asked_for(cli, model, tmp_path):
    code, _, _ = cli(
        "sweep", "--function", model, "load=0.1..10:log", "servers=1..4", "--sobol", 8, "--out", tmp_path / "d"
    )
    rows = pd.read_parquet(tmp_path / "d" / "runs.parquet")
    assert code == 0 and len(rows) == 8 and rows["load"].between(0.1, 10).all() and set(rows["servers"]) <= {1, 2, 3, 4}
    code, _, _ = cli("sweep", "loss=0,0.01", "delay=1ms..2ms", "--latin", 4, "--out", tmp_path / "l")
    assert code == 0 and pd.read_parquet(tmp_path / "l" / "runs.parquet")["delay"].between(0.001, 0.002).all()
    code, out, _ = cli("sweep", "--function", model, "load=1", "--until", "delay=5%", "--most", 9, "--budget", 8,
                       "--json",
                       "--out", tmp_path / "u")  # fmt: skip
    assert code == 0 and json.loads(out)["rows"] == 8
    code, out, _ = cli("sweep", "--function", model, "load=1", "--until", "delay=0.0001%", "--most", 9,
                       "--budget", "1ns",
                       "--json", "--out", tmp_path / "t")  # fmt: skip
    assert code == 0 and json.loads(out)["rows"] == 5  # what each configuration begins with


def test_parts_are_merged_and_exported(cli, tmp_path):
    for part in ("1/2", "2/2"):
        code, _, _ = cli("sweep", "loss=0,0.01", "--runs", 3, "--shard", part, "--out", tmp_path / part[0])
        assert code == 0
    code, out, _ = cli("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "all")
    assert code == 0 and out.splitlines()[0] == "6 runs, 0 failed"
    assert cli("export", tmp_path / "all", tmp_path / "runs.csv")[0] == 0
    assert "goodput [bit/s]" in pd.read_csv(tmp_path / "runs.csv")


def test_the_parts_of_a_study_make_its_report(cli, tmp_path):
    asked = ("study", "--set", "loss=0,0.01", "--set", "reordering=0", "--topology", "star", "--runs", 2, "--json")
    rows = 0
    for part in ("1/2", "2/2"):
        code, out, _ = cli(*asked, "--shard", part, "--out", tmp_path / part[0])
        assert code == 0 and not (tmp_path / part[0] / "report.html").exists()
        rows += json.loads(out)["rows"]
    assert cli("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "all")[0] == 0
    pids = set(pd.read_parquet(tmp_path / "all" / "runs.parquet")["pid"])
    code, out, _ = cli("study", "--resume", tmp_path / "all", "--json")
    assert code == 0 and json.loads(out)["rows"] == rows and (tmp_path / "all" / "report.html").exists()
    assert set(pd.read_parquet(tmp_path / "all" / "runs.parquet")["pid"]) == pids  # nothing ran again


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["loss"], "NAME=VALUE"),
        (["loss=0", "loss=0.01"], "loss is given twice"),
        (["loss=1", "--sobol", "8", "--latin", "8"], "choose one"),
        (["loss=1", "--cluster", "tcp://x:1", "--slurm", "2"], "choose one"),
        (["loss=1", "--program", "x", "--function", "y"], "choose one"),
        (["loss=1", "--function", "nothing"], "FILE:NAME"),
        (["loss=1..2:square", "--sobol", "8"], "A..B or A..B:log"),
        (["loss=1", "--until", "goodput"], "METRIC=N%"),
        (["loss=1", "--budget", "1", "--runs", "3"], "--budget is what --until may take: give --until too"),
        (["loss=1", "--most", "5"], "--most is what --until may take: give --until too"),
        (["loss=1", "--shard", "²/²"], "is none"),
        (["loss=1", "--until", "goodput=5%", "--budget", "²"], "neither a number of runs nor a time"),
        (["loss=1", "--out", ""], "is empty"),
        (["loss=0.1", "--show", "goodputt", "--out", "{out}"], 'did you mean "goodput"'),
    ],
)
def test_what_makes_no_sense_is_a_line(cli, tmp_path, arguments, says):
    code, _, error = cli("sweep", *(a.replace("{out}", str(tmp_path)) for a in arguments))
    assert code == 2 and says in error.splitlines()[-1]


def test_a_metric_that_no_run_has_is_told_before_the_runs(cli, tmp_path):
    for arguments, says in (
        (["--show", "goodputt"], 'did you mean "goodput"'),
        (["--until", "goodputt=5%"], 'did you mean "goodput"'),
        (["--show", "loss"], "(a parameter)"),
    ):
        code, _, error = cli("sweep", "loss=0.1", *arguments, "--out", tmp_path / "none")
        assert code == 2 and says in error and not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def simulate(:\n", "model.py is no Python: "),
        ("import nothing_so_called\n", "No module named 'nothing_so_called' (model.py:1)"),
        ("x = 1\ny = 1 / 0\n", "ZeroDivisionError: division by zero (model.py:2)"),
    ],
)
def test_a_file_that_is_no_module_is_a_line(cli, tmp_path, text, says):
    (tmp_path / "model.py").write_text(text)
    code, _, error = cli("sweep", "--function", f"{tmp_path / 'model.py'}:simulate", "load=1")
    assert code == 2 and says in error and "Traceback" not in error


def test_a_parameter_of_a_function_is_not_shown_as_a_mean(cli, model, tmp_path):
    for ask in (["--show", "load"], ["--show", "load", "--until", "delay=5%"]):
        code, _, error = cli("sweep", "--function", model, "load=1", *ask, "--out", tmp_path / "l")
        assert code == 2 and '"load" is a parameter' in error and "measured_load" in error
    assert not (tmp_path / "l").exists()


@pytest.mark.parametrize("ask", [["--show", "delayy"], ["--until", "delayy=5%"]])
def test_what_a_function_does_not_measure_is_told_after_the_first_run(cli, model, tmp_path, ask):
    code, _, error = cli(
        "sweep", "--function", model, "load=1,2,3,4,5,6,7,8", *ask, "--jobs", 1, "--out", tmp_path / "l"
    )
    assert code == 2 and 'has not measured "delayy" (did you mean "delay"?)' in error
    assert len(pd.read_parquet(tmp_path / "l" / "runs.parquet")) == 1


@pytest.mark.parametrize("name", ["json.py", "numbers.py", "iwarp.py", "a.b.py", "model.txt"])
def test_a_file_may_be_called_as_a_module_is(cli, tmp_path, name):
    before = {module: sys.modules.get(module) for module in ("json", "numbers", "iwarp")}
    (tmp_path / name).write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Half:\n    x: float\n"
        "def simulate(x): return {'y': Half(float(x) / 2).x}\n"
    )
    code, _, _ = cli("sweep", "--function", f"{tmp_path / name}:simulate", "x=3", "--out", tmp_path / "out")
    assert code == 0 and pd.read_parquet(tmp_path / "out" / "runs.parquet")["y"].tolist() == [1.5]
    assert before == {module: sys.modules.get(module) for module in before}


def test_a_function_of_a_file_can_be_sent_to_workers_that_lack_it(tmp_path):
    cluster = pytest.importorskip("iwarp.sweeps.cluster")
    path = tmp_path / "json.py"
    path.write_text("FACTOR = 2\ndef twice(x): return FACTOR * x\ndef simulate(x): return {'y': twice(x)}\n")
    payload = cluster._pickled(FunctionSubject(_function(f"{path}:simulate", "--function")))
    path.unlink()
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)._function(21))"
    done = subprocess.run([sys.executable, "-c", code], input=payload, capture_output=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})  # fmt: skip
    assert done.stdout == b"{'y': 42}\n"


def test_a_function_that_is_not_there(cli, model):
    code, _, error = cli("sweep", "--function", model.replace("simulate", "simulat"), "load=1")
    assert code == 2 and 'has no function "simulat"' in error


def test_a_sweep_whose_runs_all_fail_is_a_failure(cli, tmp_path):
    code, out, error = cli("sweep", "behaviour=exception", "--out", tmp_path)
    assert code == 1 and "every run failed: the peer went away" in error and "1 runs, 1 failed" in out
