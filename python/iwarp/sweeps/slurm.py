# SPDX-License-Identifier: GPL-2.0-only
"""Slurm's jobs as workers of a Dask cluster: as many as were asked for, also when some end before the sweep."""

from __future__ import annotations

import getpass
import re
import subprocess
import time
from typing import Any

from distributed.core import Status

from ..errors import IwarpError, UsageError
from ..version import installing

INTERVAL = 10.0  #: seconds between two looks at Slurm's queue
_ROUNDS = 2  #: of as many jobs as were asked for, none of which has brought a worker, before we give up


class SlurmJobs:
    """Jobs that dask-jobqueue has submitted, each with its worker; whoever waits for them calls attend().

    A job ends at its walltime, with its node, or when somebody cancels it, and dask-jobqueue submits no other.

    @param place ``slurm:20`` for 20 jobs; what each asks for is in Dask's own configuration, jobqueue.yaml.
    """

    def __init__(self, place: str):
        jobs = place.partition(":")[2]
        if not re.fullmatch("[0-9]{1,18}", jobs) or int(jobs) < 1:
            raise UsageError(f'"{place}" does not say how many jobs: give slurm:20 for 20 of them')
        self._jobs = int(jobs)
        self._fruitless: list[str] = []
        self._came: set[str] = set()
        self._looked = time.monotonic()
        self.cluster = _cluster()
        self.cluster.scale(jobs=self._jobs)

    def attend(self) -> None:
        """Submit a job for each that has ended; raise IwarpError if none of them brings a worker."""
        workers = {str(worker["name"]) for worker in self.cluster.scheduler_info["workers"].values()}
        self._came |= workers
        if time.monotonic() - self._looked < INTERVAL:
            return
        self._looked = time.monotonic()
        jobs = dict(self.cluster.workers)  # before we ask; those that are being submitted are not among them
        queue = _queue()
        if queue is None:
            return
        for name, job in jobs.items():
            if job.job_id not in queue:
                self._count(name, job)
                self.cluster.loop.add_callback(self._forget, name)
        if not workers and len(self._fruitless) >= _ROUNDS * self._jobs:
            raise IwarpError(f"no job of Slurm brings a worker: {self._fruitless[-1]}")
        self.cluster.scale(jobs=self._jobs)

    def _forget(self, name: str) -> None:
        job = self.cluster.workers.pop(name, None)
        if job is not None:
            job.status = Status.closed

    def _count(self, name: str, job: Any) -> None:
        """Remember a job that has ended, or was refused, if no worker came of it."""
        if any(worker == name or worker.startswith(f"{name}-") for worker in self._came):
            self._fruitless.clear()
        elif job.job_id:
            where = "what it wrote says why, in jobqueue.slurm.log-directory or slurm-NUMBER.out"
            self._fruitless.append(f"job {job.job_id} ended before it had one; {where}")
        else:
            self._fruitless.append(job.refusal)


def _queue() -> set[str] | None:
    """Return the numbers of our jobs that wait or run, or None where Slurm does not say."""
    try:
        said = subprocess.run(
            ["squeue", "--noheader", "--user", getpass.getuser(), "--format", "%A"],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return set(said.stdout.split())


def _cluster() -> Any:
    try:
        from dask_jobqueue import SLURMCluster

        class Job(SLURMCluster.job_cls):
            """A job that keeps what Slurm says where it takes none, of which nobody else would hear."""

            async def start(self) -> None:
                try:
                    await super().start()
                except (OSError, RuntimeError) as error:
                    said = str(error).partition("stderr:")
                    self.refusal = " ".join((said[2] or said[0]).split())
                    self.status = Status.running

            async def close(self) -> None:
                await super().close()
                self.status = Status.closed

        return SLURMCluster(job_cls=Job)
    except ImportError as error:
        how = installing("cluster", '"iwarp[cluster]"')
        raise IwarpError(f"Slurm needs dask-jobqueue: run `{how}` ({error})") from None
    except (ValueError, TypeError, RuntimeError) as error:
        text = " ".join(str(error).split())
        raise UsageError(f"Dask's jobqueue.yaml has to say what a job of Slurm gets: {text}") from None
