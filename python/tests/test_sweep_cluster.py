# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps on a cluster: scheduler and workers are processes of their own, which tests kill."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import dask
import dask_jobqueue  # noqa: F401  its defaults
import iwarp
import pytest
from iwarp.errors import IwarpError, UsageError
from iwarp.runs.runner import LIMITS, die_with_parent
from iwarp.sweeps import cluster as iwarp_cluster
from iwarp.sweeps import slurm, worker
from iwarp.sweeps.subjects import FunctionSubject
from iwarp.sweeps.sweeper import plan
from sweep_subjects import await_end, await_runs, fail, meet, pretend_slurm, queue, write_program

HERE = Path(__file__).parent
#: what a machine of its own has: the package, not the file with a user's function
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(HERE.parent)}


class Cluster:
    """A scheduler and workers, each with a directory of its own to work in, as on machines of their own."""

    def __init__(self, place: Path):
        self._place = place
        self._processes: list[subprocess.Popen] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for line in self.scheduler.stderr:
            if "Scheduler at:" in line:
                self.address = line.split()[-1]
                break
        self._drain(self.scheduler)
        self.workers = [self.add_worker(n) for n in (1, 2)]

    def add_worker(self, number):
        """Start a worker that does not come again by itself."""
        started = self._start(
            "worker", self.address, "--host", f"127.0.0.{number}", "--nthreads", "1", "--no-nanny", "--no-dashboard"
        )
        self._drain(started)
        return started

    def _start(self, kind, *arguments):
        directory = self._place / f"{kind}-{len(self._processes)}"
        directory.mkdir(parents=True)
        command = [sys.executable, "-m", "dask", kind, *arguments]
        process = subprocess.Popen(
            command, cwd=directory, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent
        )
        self._processes.append(process)
        return process

    def _drain(self, process):
        threading.Thread(target=process.stderr.read, daemon=True).start()

    def close(self):
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    place = tmp_path / "machines"
    place.mkdir()
    with contextlib.closing(Cluster(place)) as made:
        yield made


class Sweep(threading.Thread):
    """A sweep under way, while the test kills what makes it."""

    def __init__(self, *arguments, **named):
        super().__init__(daemon=True)
        self._call = lambda: iwarp.sweep(*arguments, **named)
        self._error = None
        self.start()

    def run(self):
        try:
            self._frame = self._call()
        except BaseException as error:
            self._error = error

    def result(self):
        self.join(300)
        assert not self.is_alive()
        if self._error:
            raise self._error
        return self._frame


def test_the_same_call_with_one_argument_more(cluster, tmp_path):
    grid = {"load": [0.5, 0.75]}
    here = iwarp.sweep(queue, grid, runs=4)
    there = iwarp.sweep(queue, grid, runs=4, cluster=cluster.address, out=tmp_path / "out")
    assert there["key"].tolist() == here["key"].tolist() and there["delay"].tolist() == here["delay"].tolist()
    assert there["pid"].nunique() == 8 and there.attrs["units"] == here.attrs["units"]
    again = iwarp.sweep(queue, {"load": [0.5, 0.6]}, runs=4, out=tmp_path / "out")
    assert again["pid"].tolist()[:4] == there["pid"].tolist()[:4]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["plan.json", "runs.parquet"]
    failed = iwarp.sweep(fail, {"how": ["", "raise", "exit", "memory"]}, cluster=cluster.address, memory=1 << 29)
    assert failed["status"].tolist() == ["ok", "error", "crash", "memory"]
    late = iwarp.sweep(fail, {"how": "hang"}, cluster=cluster.address, timeout=0.5)
    assert late["status"].tolist() == ["timeout"]
    program = write_program(tmp_path / "model", "print(json.dumps({**given, 'cwd': os.getcwd()}))\n")
    frame = iwarp.sweep(program, {"x": [1, 2]}, runs=2, cluster=cluster.address)
    assert frame["measured_x"].tolist() == ["1", "1", "2", "2"] and not any(map(os.path.exists, frame["cwd"]))
    until = iwarp.Until("delay", absolute=0.3, least=3)
    chosen = iwarp.sweep(queue, grid, until=until, cluster=cluster.address)
    assert chosen["delay"].tolist() == iwarp.sweep(queue, grid, until=until)["delay"].tolist()


def test_workers_that_are_killed_lose_nothing(cluster, tmp_path):
    place = tmp_path / "runs"
    place.mkdir()
    sweep = Sweep(meet, {"place": str(place), "number": list(range(6))}, cluster=cluster.address, out=tmp_path / "out")
    under_way = await_runs(place, 2)
    for process in cluster.workers:
        process.send_signal(signal.SIGKILL)
        process.wait()
    cluster.add_worker(3)
    for pid in under_way:
        await_end(pid)  # none goes on without its worker
    await_runs(place, 1, dead=under_way)
    (place / "go").touch()
    frame = sweep.result()
    assert (frame["status"] == "ok").all() and frame["square"].tolist() == [0, 1, 4, 9, 16, 25]


def test_a_scheduler_that_is_killed_loses_what_was_under_way(cluster, tmp_path):
    place = tmp_path / "runs"
    place.mkdir()
    grid = {"place": str(place), "number": list(range(6))}
    for number in (0, 1):
        (place / f"go-{number}").touch()
    sweep = Sweep(meet, grid, cluster=cluster.address, out=tmp_path / "out")
    await_runs(place, 4)
    cluster.scheduler.send_signal(signal.SIGKILL)
    with pytest.raises(IwarpError, match="has gone; what has ended is kept"):
        sweep.result()
    with contextlib.closing(Cluster(tmp_path / "machines" / "new")) as new:
        (place / "go").touch()
        frame = iwarp.sweep(meet, grid, cluster=new.address, out=tmp_path / "out")
    assert frame["square"].tolist() == [0, 1, 4, 9, 16, 25] and (frame["status"] == "ok").all()
    began = [path.name.split(".")[0] for path in place.glob("begun-*")]
    assert began.count("begun-0") == began.count("begun-1") == 1


def test_a_client_that_is_killed_is_followed_by_another(cluster, tmp_path):
    place = tmp_path / "runs"
    place.mkdir()
    grid = {"place": str(place), "number": list(range(4))}
    (place / "go-0").touch()
    code = (
        f"import sys; sys.path[:0] = {[str(HERE), str(HERE.parent)]!r}; import iwarp; from sweep_subjects import meet\n"
    )
    code += f"iwarp.sweep(meet, {grid!r}, cluster={cluster.address!r}, out={str(tmp_path / 'out')!r})"
    client = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    await_runs(place, 3)
    client.kill()
    client.wait()
    (place / "go").touch()
    frame = iwarp.sweep(meet, grid, cluster=cluster.address, out=tmp_path / "out")
    assert frame["square"].tolist() == [0, 1, 4, 9]
    assert len(list(place.glob("begun-0.*"))) == 1


def test_a_row_of_which_nobody_hears_is_found(tmp_path):
    """A worker that sees the directory of the results leaves a file there before it tells anybody."""
    (run,) = plan({"load": 0.5}, 1, FunctionSubject(queue))
    arrivals = tmp_path / "out" / "arrived"
    row, _ = worker.perform(iwarp_cluster._pickled(FunctionSubject(queue)), run, LIMITS, arrivals)
    assert not arrivals.exists()  # the machine has no such directory
    arrivals.mkdir(parents=True)
    row, _ = worker.perform(iwarp_cluster._pickled(FunctionSubject(queue)), run, LIMITS, arrivals)
    (arrivals / "cut.json.1.new").write_text('{"row"')
    frame = iwarp.sweep(queue, {"load": 0.5}, out=tmp_path / "out")
    assert frame["pid"].tolist() == [row["pid"]] and not list(arrivals.glob("*.json"))
    worker._local.runner.close()
    del worker._local.runner


def test_a_machine_with_other_code_is_refused(tmp_path):
    program = write_program(tmp_path / "model", "print('{\"x\": 1}')\n")
    subject = iwarp.Program(program)
    (run,) = plan({}, 1, subject)
    payload = iwarp_cluster._pickled(subject)
    write_program(program, "print('{\"x\": 2}')\n")
    with pytest.raises(IwarpError, match=f"this machine has another {program}"):
        worker.perform(payload, run, LIMITS, None)
    worker._local.runner._process.kill()
    with pytest.raises(worker.Lost):
        worker.perform(pickle.dumps(subject), run, LIMITS, None)
    assert not hasattr(worker._local, "runner")


def test_addresses_that_are_none(monkeypatch):
    for place, says in [
        ("nonsense://", "no Dask scheduler answers"),
        ("slurm", "does not say how many jobs"),
        ("slurm:0", "does not say how many jobs"),
    ]:
        with pytest.raises(UsageError, match=says):
            iwarp.sweep(queue, {"load": 0.5}, cluster=place)


def test_jobs_of_slurm_are_workers(tmp_path, monkeypatch):
    """Slurm's two commands, as dask-jobqueue calls them: jobs are submitted, make the runs and are cancelled."""
    log = pretend_slurm(tmp_path / "slurm", monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(HERE.parent))
    wanted = {"cores": 1, "processes": 1, "memory": "1GB", "queue": "short", "walltime": "00:10:00", "interface": "lo"}
    with dask.config.set({f"jobqueue.slurm.{name}": value for name, value in wanted.items()}):
        until = iwarp.Until("delay", absolute=1e-9, least=2, most=4)  # three rounds, one set of jobs
        frame = iwarp.sweep(queue, {"load": 0.5}, until=until, cluster="slurm:2")
    assert (frame["status"] == "ok").all() and len(frame) == 4
    said = log.read_text().splitlines()
    jobs = [line.split()[1] for line in said if line.startswith("submit")]
    assert len(jobs) == 2 and "#SBATCH -p short" in said and "#SBATCH -t 00:10:00" in said
    assert sorted(line.split()[1] for line in said if line.startswith("cancel")) == sorted(jobs)
    with dask.config.set({"jobqueue.slurm.cores": None}), pytest.raises(UsageError, match="jobqueue.yaml"):
        iwarp.sweep(queue, {"load": 0.5}, cluster="slurm:2")


def test_jobs_that_slurm_refuses_are_told(tmp_path, monkeypatch):
    """The words are Slurm's own; nightly_slurm.py has them of a real one."""
    pretend_slurm(tmp_path / "slurm", monkeypatch)
    for name, script in (("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1"), ("squeue", "exit 0")):
        (tmp_path / "slurm" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "slurm" / name).chmod(0o755)
    monkeypatch.setattr(slurm, "INTERVAL", 0.1)
    wanted = {"cores": 1, "processes": 1, "memory": "1GB", "interface": "lo"}
    settings = {f"jobqueue.slurm.{name}": value for name, value in wanted.items()}
    said = "no job of Slurm brings a worker: sbatch: error: invalid partition"
    with dask.config.set(settings), pytest.raises(IwarpError, match=said):
        iwarp.sweep(queue, {"load": [0.5, 0.6]}, cluster="slurm:2")
