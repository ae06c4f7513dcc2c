# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps on a cluster, as tasks of a Dask scheduler: one task is one run, which may run again wherever it was lost."""

from __future__ import annotations

import contextlib
import functools
import queue
import sys
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import IwarpError, UsageError
from ..runs.runner import Limits, Outcome
from ..version import installing
from . import worker
from .run import Entry, Run, make_row
from .subjects import Subject

try:
    import cloudpickle
    from distributed import Client, Future, KilledWorker

    from .slurm import SlurmJobs
except ImportError as error:
    how = installing("cluster", '"iwarp[cluster]"')
    raise IwarpError(f"a cluster needs Dask: run `{how}` ({error})") from None

if TYPE_CHECKING:
    from types import ModuleType

_TRIES = 3  #: of a run whose process was lost, before it counts as failed
_PATIENCE = 1.0  #: seconds after which to look whether the scheduler is still there


class Connection(contextlib.ExitStack):
    """The way to a cluster, opened when there is something to run on it, and closed with what was opened for it.

    @param place see iwarp.sweep: an address, ``slurm:JOBS``, a client or cluster of Dask's.
    """

    def __init__(self, place: Any):
        super().__init__()
        self._place = place
        self._jobs: SlurmJobs | None = None

    def attend(self) -> None:
        """See to what was opened; who waits for runs calls this now and then."""
        if self._jobs is not None:
            self._jobs.attend()

    @functools.cached_property
    def client(self) -> Client:
        place = self._place
        if isinstance(place, Client):
            return place
        if isinstance(place, str) and place.partition(":")[0] == "slurm":
            self._jobs = SlurmJobs(place)
            place = self.enter_context(self._jobs.cluster)
        try:
            return self.enter_context(Client(place))
        except (OSError, ValueError) as error:
            wanted = "give its address, as tcp://host:8786"
            raise UsageError(f"no Dask scheduler answers at {place} ({error}): {wanted}") from None


def run_on_cluster(
    subject: Subject, runs: Sequence[Run], connection: Connection, limits: Limits, arrivals: Path | None
) -> Iterator[Entry]:
    """Run each on a cluster and yield their rows as they end.

    @param arrivals where workers that see it leave their rows, so that none of which we do not hear is lost.
    """
    payload, client = _pickled(subject), connection.client
    address, sweep = client.scheduler.address, uuid.uuid4().hex[:8]
    if not client.scheduler_info(n_workers=-1)["workers"]:
        print(f"iwarp: {address} has no worker yet: waiting for one", file=sys.stderr)
    ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
    pending: dict[str, tuple[Future, Run]] = {}
    for run in runs:
        future = client.submit(
            worker.perform, payload, run, limits, arrivals,
            key=f"iwarp-{sweep}-{run.key}", retries=_TRIES - 1, pure=False,
        )  # fmt: skip
        pending[future.key] = (future, run)
        future.add_done_callback(ended.put)
    try:
        while pending:
            try:
                future = ended.get(timeout=_PATIENCE)
            except queue.Empty:
                future = None
            connection.attend()
            if client.status != "running" or (future and future.status in ("cancelled", "lost")):
                raise _gone(address)
            if future and future.key in pending:
                _, run = pending.pop(future.key)
                try:
                    entry = _entry(future, subject, run)
                except (CancelledError, OSError):  # in the middle of it
                    raise _gone(address) from None
                yield entry
    finally:
        if client.status == "running":
            client.cancel([future for future, _ in pending.values()])


def _gone(address: str) -> IwarpError:
    again = "start one and ask for the same again"
    return IwarpError(f"the Dask scheduler at {address} has gone; what has ended is kept: {again}")


def _entry(future: Future, subject: Subject, run: Run) -> Entry:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, (KilledWorker, worker.Lost)):
        return make_row(subject, run, Outcome("crash", f"the worker was lost each time, of {_TRIES} or more"))
    if isinstance(error, IwarpError):
        raise error
    text = " ".join(f"{type(error).__name__}: {error}".split())
    raise IwarpError(f"the workers cannot run this: {text}; each needs the same iwarp and Python as here")


def _pickled(subject: Subject) -> bytes:
    """Return the subject for workers that lack the file in which a function of the user's is."""
    modules = {m for m in map(_module_of, subject.functions) if m is not None}
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return cloudpickle.dumps(subject)
    except Exception as error:
        raise UsageError(f"what is swept cannot be sent to workers: {type(error).__name__}: {error}") from None
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _module_of(function: Any) -> ModuleType | None:
    name = function.__module__
    return None if name.partition(".")[0] in ("iwarp", "__main__") else sys.modules.get(name)
