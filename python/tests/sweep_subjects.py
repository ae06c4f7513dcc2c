# SPDX-License-Identifier: GPL-2.0-only
"""What tests sweep: functions of a user's, and a program in Python."""

from __future__ import annotations

import os
import random
import select
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import iwarp

BASE = 100
SBATCH = """#!{python} -S
import os, subprocess, sys
job = sys.argv[-1]
text = open(job).read()
process = subprocess.Popen(["/bin/bash", "-c", text], start_new_session=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
asked = [line for line in text.splitlines(True) if line.startswith("#SBATCH")]
open({log!r}, "a").write("submit %d\\n" % process.pid + "".join(asked))
print("Submitted batch job %d" % process.pid)
"""
SCANCEL = """#!{python} -S
import os, signal, sys
for job in sys.argv[1:]:
    os.killpg(int(job), signal.SIGKILL)
    open({log!r}, "a").write("cancel %s\\n" % job)
"""


def queue(load: float, servers: int = 1, run: int = 1) -> dict:
    """Draw one number for the load, the same for each number of servers."""
    noise = random.Random(run).random()
    return {"delay": iwarp.Quantity(_mean(load) / servers + noise, "s"), "load": 2 * load, "pid": os.getpid()}


def _mean(load: float) -> float:
    return BASE / (1 - load)


def fail(how: str = "", run: int = 1) -> dict:
    """Fail as asked."""
    if how == "raise":
        raise ZeroDivisionError("nothing to divide by")
    if how == "text":
        return "no dict"
    if how == "list":
        return {"x": [1]}
    if how == "exit":
        os._exit(7)
    if how == "abort":
        os.abort()
    if how == "hang":
        time.sleep(1000)
    if how == "memory":
        bytearray(1 << 30)
    return {"x": 1}


def meet(place: str, number: int) -> dict:
    """Say that this run is under way, and wait until it may go on: until ``go`` is there, or ``go-NUMBER``."""
    mine = Path(place, f"begun-{number}.{os.getpid()}")
    mine.touch()
    while not (Path(place, "go").exists() or Path(place, f"go-{number}").exists()):
        time.sleep(0.01)
    return {"square": number * number}


def await_runs(place: Path, runs: int, dead: Sequence[int] = ()) -> list[int]:
    """Wait until so many runs of meet() are under way, but for these, and return their processes."""
    deadline = time.monotonic() + 300
    while True:
        pids = [int(path.suffix[1:]) for path in place.glob("begun-*")]
        found = [pid for pid in pids if pid not in dead]
        if len(found) >= runs:
            return found
        assert time.monotonic() < deadline, f"{len(found)} of {runs} runs are under way"
        time.sleep(0.01)


def await_end(pid: int) -> None:
    """Wait until a process that was killed has ended, which is not at once."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ready, _, _ = select.select([process], [], [], 300)
    os.close(process)
    assert ready, f"process {pid} goes on"


def write_program(path: Path, body: str) -> Path:
    """Make an executable of a few lines of Python, with its ``--name=value`` arguments in ``given``."""
    path.write_text(
        f"#!{sys.executable} -S\nimport json, os, sys, time\n"
        "given = dict(a[2:].split('=', 1) for a in sys.argv[1:] if a.startswith('--'))\n" + body
    )
    path.chmod(0o755)
    return path


def pretend_slurm(place: Path, monkeypatch) -> Path:
    """Put Slurm's two commands that dask-jobqueue calls on the path; return where they write what they were asked
    for."""
    place.mkdir()
    log = place / "log"
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (place / name).write_text(text.format(python=sys.executable, log=str(log)))
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    return log


def free_port() -> int:
    """Return a port of this host on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
