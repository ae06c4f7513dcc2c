# SPDX-License-Identifier: GPL-2.0-only
"""Runs on a worker of a cluster, each in a process forked from one that has loaded what they share.

A worker has threads, from which a process had better not fork: each that makes runs has a process beside it, this
module run as a program, which has no threads, and which ends its run and itself when the worker is gone.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..errors import IwarpError
from ..runs.runner import Limits
from .run import Entry, Run, begin, make_row

_local = threading.local()


class Lost(Exception):
    """The process that makes runs ended in the middle of one."""


class Runner:
    """The process that makes runs for a thread of a worker."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "iwarp.sweeps.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=2, env=environment,
            )  # fmt: skip
        self._connection = Connection(ours.detach())

    def ask(self, payload: bytes, run: Run, limits: Limits) -> Entry:
        """Have a run made, and return its row."""
        try:
            self._connection.send((payload, run, limits))
            answer = self._connection.recv()
        except (EOFError, OSError) as error:
            raise Lost(f"{type(error).__name__}: {error}") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        self._connection.close()
        self._process.wait()


def perform(payload: bytes, run: Run, limits: Limits, arrivals: Path | None) -> Entry:
    """Make a run: what a worker does for a task. Its row is in ``arrivals`` before anybody is told, if we see that."""
    runner = getattr(_local, "runner", None) or Runner()
    _local.runner = runner
    try:
        row, units = runner.ask(payload, run, limits)
    except Lost:
        runner.close()
        del _local.runner
        raise
    if arrivals is not None:
        _leave(arrivals, row, units)
    return row, units


def _leave(directory: Path, row: dict[str, Any], units: dict[str, str]) -> None:
    """Leave a row in a directory of arrivals, whole or not at all; nothing happens where there is no such directory."""
    if not directory.is_dir():
        return
    temporary = directory / f"{row['key']}.{os.getpid()}.new"
    with temporary.open("w") as file:
        json.dump({"row": row, "units": units}, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(directory / f"{row['key']}.json")


def serve(connection: Connection) -> None:
    """Make one run after the other, until the worker closes the connection."""
    loaded: tuple[bytes, Any] = (b"", None)
    while True:
        try:
            payload, run, limits = connection.recv()
        except EOFError:
            return
        try:
            if payload != loaded[0]:
                subject = pickle.loads(payload)
                subject.prepare()
                loaded = (payload, subject)
        except Exception as error:
            connection.send(
                IwarpError(f"{socket.gethostname()}: {' '.join(str(error).split()) or type(error).__name__}")
            )
            continue
        child = begin(loaded[1], run, limits)
        ready = child.wait(connection)
        if connection in ready:  # the worker has gone
            child.kill()
            return
        connection.send(make_row(loaded[1], run, child.outcome()))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
