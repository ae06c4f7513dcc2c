# SPDX-License-Identifier: GPL-2.0-only
"""Runs in forked children: whatever ends a child becomes an Outcome, never the end of the parent.

ns-3 keeps global state and ends the process on its own fatal errors, so each run has a process of
its own, forked from the one that has loaded the module.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from . import scenario
from .errors import RunError, UsageError
from .quantity import Quantity

TIMEOUT = 600.0  #: seconds of wall time that a run may take
MEMORY = 4 << 30  #: octets that a run may allocate

_fork = multiprocessing.get_context("fork")


@dataclass
class Outcome:
    """How a run ended: status ok, error, crash, timeout or memory; metrics and cautions only when ok."""

    status: str
    message: str = ""
    metrics: dict[str, Quantity] = field(default_factory=dict)
    report: str = ""  #: a table for people that the workload makes
    cautions: list[str] = field(default_factory=list)  #: what a reader of the metrics has to know
    wall: float = 0.0


class Child:
    """One run in a forked process; wait on ``sentinel``, then take ``outcome()``."""

    def __init__(self, params: Mapping[str, Any], timeout: float = TIMEOUT, memory: int = MEMORY):
        self._log = tempfile.TemporaryFile()
        self._timeout = timeout
        self._started = time.monotonic()
        self._receive, send = _fork.Pipe(duplex=False)
        self._process = _fork.Process(target=_child, args=(dict(params), timeout, memory, send, self._log.fileno()))
        # Ctrl-C and SIGTERM wait: in the child it would be heard, and Python's hooks around a fork lose it
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        send.close()

    @property
    def sentinel(self) -> Connection:
        return self._receive

    @property
    def seconds_left(self) -> float:
        return self._timeout - (time.monotonic() - self._started)

    def kill(self) -> None:
        """End the process; it leaves no outcome."""
        self._process.kill()
        self._process.join()
        self._receive.close()
        self._log.close()

    def outcome(self) -> Outcome:
        """Return how the run ended, ending it when its time is over."""
        late = self.seconds_left <= 0 and not self._receive.poll()
        if late:
            self._process.kill()
        try:
            result = None if late else self._receive.recv()
        except EOFError:
            result = None
        self._process.join()
        wall = time.monotonic() - self._started
        if late:
            result = Outcome("timeout", f"the run took longer than {self._timeout:g} s")
        elif result is None:
            result = self._post_mortem()
        result.wall = wall
        self._receive.close()
        self._log.close()
        return result

    def _post_mortem(self) -> Outcome:
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        if "bad_alloc" in log or "MemoryError" in log:
            return Outcome("memory", "the run needed more memory than its limit")
        code = self._process.exitcode or 0
        end = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Outcome("crash", fatal_text(log) or f"the simulator ended with {end}")


def fatal_text(log: str) -> str:
    """Return what ns-3 said when it ended the process, or the last line of standard error."""
    for pattern in (r'\bmsg="(.*?)"(?:, |\n|$)', r'\bcond="(.*?)"(?:, |\n|$)'):
        found = re.findall(pattern, log, re.DOTALL)
        if found:
            return " ".join(found[-1].split())
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("NS_FATAL, terminating")]
    return lines[-1] if lines else ""


def run_once(params: Mapping[str, Any], timeout: float = TIMEOUT, memory: int = MEMORY) -> Outcome:
    """Run once and return how it ended well, or raise UsageError or RunError."""
    child = Child(params, timeout, memory)
    try:
        multiprocessing.connection.wait([child.sentinel], timeout)
    except BaseException:
        child.kill()
        raise
    outcome = child.outcome()
    if outcome.status == "usage":
        raise UsageError(outcome.message)
    if outcome.status != "ok":
        raise RunError(outcome.status, outcome.message)
    return outcome


def _child(params: dict[str, Any], timeout: float, memory: int, send: Connection, log: int) -> None:
    """Run in the forked process; its standard streams go to ``log``, so that a pipe stays clean."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends its children
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = os.fdopen(2, "w", closefd=False)
    faulthandler.disable()  # its dump would hide what ns-3 says
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = int(timeout) + 10  # ends it should the parent be gone by then
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    _limit_memory(memory)
    try:
        metrics, report, cautions = scenario.backend().execute(params)
        outcome = Outcome("ok", metrics=metrics, report=report, cautions=cautions)
    except UsageError as error:
        outcome = Outcome("usage", str(error))
    except MemoryError:
        outcome = Outcome("memory", "the run needed more memory than its limit")
    except Exception as error:
        text = str(error).strip() or type(error).__name__
        outcome = Outcome("memory" if "bad_alloc" in text else "error", text)
    with contextlib.suppress(BrokenPipeError):
        send.send(outcome)
    os._exit(0)  # ns-3's static objects need not be taken apart


def _limit_memory(octets: int) -> None:
    with open("/proc/self/status") as status:
        used = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData:"))
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = used + octets
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))
