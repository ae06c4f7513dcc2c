# SPDX-License-Identifier: GPL-2.0-only
"""Every block of doc/sweeps.rst, run in the order of the page, in a directory of its own."""

import importlib
import os
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import dask
import dask_jobqueue  # noqa: F401  its defaults
import pandas as pd
import pytest
import yaml
from iwarp.cli import main
from iwarp.runs.runner import die_with_parent
from sweep_subjects import free_port, pretend_slurm

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "doc" / "sweeps.rst").read_text()
BLOCK = re.compile(r"^\.\. code-block:: (\w+)\n\n((?: {3}.*\n|\n)+)", re.MULTILINE)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with what the page sees of a clone."""
    build = Path(os.environ.get("IWARP_BUILD_DIR", ROOT / "build"))
    (tmp_path / "build").symlink_to(build)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "dask").write_text(f'#!/bin/sh\nexec {sys.executable} -m dask "$@"\n')
    (tmp_path / ".venv" / "bin" / "dask").chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    pretend_slurm(tmp_path / "commands", monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def run_console(text: str, port: int, background: list[subprocess.Popen]) -> None:
    """Run the lines of a block; those of ./iwarp in this process, which has the library loaded."""
    for line in text.strip().splitlines():
        assert line.startswith("$ ")
        words = shlex.split(line[2:].replace("8786", str(port)))
        if words[0] == "./iwarp":
            assert main(words[1:]) == 0, line
        else:
            assert words.pop() == "&"
            background.append(subprocess.Popen(words, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent))


def run_array(script: str) -> None:
    """Run the tasks of a job script of Slurm's, one after the other."""
    Path("iwarp").write_text(f'#!/bin/sh\nexec {sys.executable} -m iwarp "$@"\n')
    Path("iwarp").chmod(0o755)
    count = int(re.search(r"--array=1-(\d+)$", script, re.MULTILINE)[1])
    for task in range(1, count + 1):
        slurm = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": str(count)}
        subprocess.run(["bash", "-e", "-c", script], check=True, env={**os.environ, **slurm})


def test_blocks_run_as_they_stand(place):
    python = ""
    background: list[subprocess.Popen] = []
    port = free_port()
    blocks = [(kind, textwrap.dedent(text)) for kind, text in BLOCK.findall(PAGE)]
    assert {kind for kind, _ in blocks} == {"bash", "console", "python", "yaml"}
    try:
        for kind, text in blocks:
            if kind == "yaml":
                settings = yaml.safe_load(text)["jobqueue"]["slurm"] | {"interface": "lo"}
                dask.config.set({f"jobqueue.slurm.{name}": value for name, value in settings.items()})
            elif kind == "python":
                python += text
            elif kind == "bash":
                run_array(text)
            else:
                run_console(text, port, background)
    finally:
        for process in background:
            process.terminate()
            process.wait()
    Path("sweeps_page.py").write_text(python)
    importlib.import_module("sweeps_page")
    assert len(pd.read_parquet(place / "first" / "runs.parquet")) == 12  # Python's grid is that of the command line
    assert pd.read_csv(place / "whole.csv")["goodput [bit/s]"].gt(0).sum() == 8
    program = pd.read_parquet(place / "program" / "runs.parquet")
    assert (
        program.groupby("loss")["out_of_order"].mean().is_monotonic_increasing and program["out_of_order"].nunique() > 2
    )
    ring = pd.read_parquet(place / "ring" / "runs.parquet").groupby("slow")["goodput"].mean()
    assert ring["1Gbps"] < ring["5Gbps"]
    assert len(pd.read_parquet(place / "space" / "runs.parquet")) == 32
    for name in ("array", "cluster", "slurm"):
        assert (pd.read_parquet(place / name / "runs.parquet")["status"] == "ok").sum() == 8


def test_the_example_runs(place, capsys):
    runpy.run_path(str(ROOT / "examples" / "iwarp-sweep.py"), run_name="__main__")
    assert "1Gbps" in capsys.readouterr().out
