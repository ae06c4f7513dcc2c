# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps on a real Slurm with two nodes (slurm_machine.py), one of which is killed in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import slurm_machine
import yaml
from iwarp.runs.runner import die_with_parent
from sweep_subjects import write_program

ROOT = Path(__file__).resolve().parents[2]
MISSING = slurm_machine.lacking()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"Slurm needs {', '.join(MISSING)}")

GRID = ("loss=0,0.001,0.01", "octets=2MB", "--runs", "8")
#: a program that says where it runs, and takes as long as the test wants
WAITS = "open('PLACE/' + os.environ['SLURMD_NODENAME'], 'a').close()\n"
WAITS += "while not os.path.exists('PLACE/go'): time.sleep(0.05)\nprint(json.dumps({'x': 1}))\n"


class Machine:
    """A user's shell on a machine with Slurm: what it has set, and commands of iwarp in it."""

    def __init__(self, slurm: slurm_machine.Slurm, place: Path):
        self.slurm, self.place = slurm, place
        self.jobs_ask(queue="short")

    def jobs_ask(self, **settings: object) -> None:
        """Write what Dask's jobs ask for, as doc/sweeps.rst has it."""
        wanted = {"cores": 1, "processes": 1, "memory": "1GB", "walltime": "00:30:00", "interface": "lo"}
        wanted |= {"log-directory": str(self.place / "logs"), **settings}
        (self.place / "dask").mkdir(exist_ok=True)
        (self.place / "dask" / "jobqueue.yaml").write_text(yaml.safe_dump({"jobqueue": {"slurm": wanted}}))

    def iwarp(self, *arguments: str) -> subprocess.Popen:
        environment = {**os.environ, **self.slurm.environment, "PYTHONPATH": str(ROOT / "python")}
        environment["DASK_CONFIG"] = str(self.place / "dask")
        command = [sys.executable, "-m", "iwarp", *arguments]
        return subprocess.Popen(
            command, cwd=self.place, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent
        )


@pytest.fixture
def machine(tmp_path):
    with tempfile.TemporaryDirectory(prefix="slurm-") as place, slurm_machine.Slurm(Path(place)) as slurm:
        yield Machine(slurm, tmp_path)


def wait_for(there: Callable[[], object], process: subprocess.Popen) -> None:
    """Wait until something is there, while a process runs."""
    deadline = time.monotonic() + 60
    while not there():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def finish(process: subprocess.Popen, code: int = 0) -> str:
    _, text = process.communicate(timeout=120)
    assert process.returncode == code, text
    return text


def rows(directory: Path) -> pd.DataFrame:
    """Return the rows of a sweep in the order of its plan, without the time that they took."""
    return pd.read_parquet(directory / "runs.parquet").drop(columns="wall")


def waiting_sweep(machine: Machine) -> subprocess.Popen:
    """Start a sweep of runs that wait for a file ``go``, on two nodes, each of which makes one."""
    program = write_program(machine.place / "model", WAITS.replace("PLACE", str(machine.place)))
    sweep = machine.iwarp("sweep", "x=1,2,3,4", "--program", str(program), "--slurm", "2", "--out", "slurm")
    wait_for(lambda: all((machine.place / node).exists() for node in slurm_machine.NODES), sweep)
    return sweep


def test_a_sweep_ends_although_a_node_is_killed(machine):
    finish(machine.iwarp("sweep", *GRID, "--out", "here"))
    sweep = machine.iwarp("sweep", *GRID, "--cluster", "slurm:2", "--out", "there")
    arrived = machine.place / "there" / "arrived"
    wait_for(lambda: len(machine.slurm.running()) == 2 and arrived.is_dir(), sweep)
    machine.slurm.kill_node("node2")
    finish(sweep)
    pd.testing.assert_frame_equal(rows(machine.place / "there"), rows(machine.place / "here"))
    assert machine.slurm.ask("squeue", "-h", "-t", "PENDING,RUNNING") == ""


def test_a_run_on_a_node_that_is_killed_is_made_on_the_other(machine):
    sweep = waiting_sweep(machine)
    machine.slurm.kill_node("node1")
    (machine.place / "go").touch()
    finish(sweep)
    assert len(rows(machine.place / "slurm")) == 4


def test_jobs_that_end_before_the_sweep_are_submitted_again(machine):
    sweep = waiting_sweep(machine)
    for job in machine.slurm.running():
        machine.slurm.ask("scancel", job)
    (machine.place / "go").touch()
    finish(sweep)
    assert (rows(machine.place / "slurm")["status"] == "ok").all()


def test_jobs_that_bring_no_worker_are_no_reason_to_wait(machine):
    machine.jobs_ask(queue="short", python="/bin/false")
    assert "ended before it had one" in finish(machine.iwarp("sweep", *GRID, "--slurm", "2"), 1)


def test_a_queue_that_is_none_is_told_in_a_line(machine):
    machine.jobs_ask(queue="other")
    text = finish(machine.iwarp("sweep", *GRID, "--slurm", "2"), 1)
    assert "invalid partition" in text and len(text.splitlines()) <= 3
