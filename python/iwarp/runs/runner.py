# SPDX-License-Identifier: GPL-2.0-only
"""Runs in forked children: whatever ends a child becomes an Outcome, never the end of the parent.

ns-3 keeps global state and ends the process on its own fatal errors, so each run has a process of
its own, forked from the one that has loaded the module.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import multiprocessing
import multiprocessing.connection
import numbers
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from ..errors import RunError, UsageError

TIMEOUT = 600.0  #: seconds of wall time that a run may take
MEMORY = 4 << 30  #: octets that a run may allocate
CUT_SHORT = ("crash", "timeout", "memory")  #: statuses of a run that did not come to its end
OUT_OF_MEMORY = "the run needed more memory than its limit"

_fork = multiprocessing.get_context("fork")
_prctl = ctypes.CDLL(None).prctl
_PR_SET_PDEATHSIG = 1
_LONGEST_WAIT = 86400.0  #: seconds
_MOST = 1 << 60  #: seconds or octets that the kernel is told of as a limit

#: What a run gives: metrics by name, the workload's table, cautions.
Measured = tuple[Mapping[str, Any], str, list[str]]


@dataclass(frozen=True)
class Limits:
    """What a run may take: seconds of wall time, octets allocated."""

    seconds: float = TIMEOUT
    octets: float = MEMORY

    def __post_init__(self) -> None:
        """Refuse what is no number above 0; infinity is no limit."""
        for name, value, unit in (("timeout", self.seconds, "seconds"), ("memory", self.octets, "octets")):
            if not isinstance(value, numbers.Real) or isinstance(value, bool) or not value > 0:
                raise UsageError(f"{name}={value} is no limit: give a number of {unit} above 0")


LIMITS = Limits()


@dataclass
class Outcome:
    """How a run ended: status ok, error, crash, timeout or memory; metrics and cautions only when ok."""

    status: str
    message: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    report: str = ""  #: a table for people that the workload makes
    cautions: list[str] = field(default_factory=list)  #: what a reader of the metrics has to know
    wall: float = 0.0
    processor: float = 0.0  #: seconds of a processor that the run itself has had, as far as it came to its end


class Child:
    """One run in a forked process; wait on ``sentinel``, then take ``outcome()``.

    The process is the leader of a group, which ends with it, and is killed when its parent dies.
    """

    def __init__(self, work: Callable[[], Measured], limits: Limits = LIMITS, own_directory: bool = False):
        """Begin ``work`` in a process; ``own_directory`` gives it an empty working directory, removed afterwards."""
        self._log = tempfile.TemporaryFile()
        self._directory = tempfile.TemporaryDirectory(prefix="iwarp-run-") if own_directory else None
        self._limits = limits
        self._started = time.monotonic()
        self._receive, send = _fork.Pipe(duplex=False)
        place = self._directory.name if self._directory else None
        self._process = _fork.Process(target=_child, args=(work, limits, send, self._log.fileno(), place, os.getpid()))
        _alive.add(self)  # before it begins: an interrupt may come before the caller has it
        # Ctrl-C and SIGTERM wait: in the child it would be heard, and Python's hooks around a fork lose it
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        with contextlib.suppress(OSError):  # it does so as well: whoever comes first
            os.setpgid(self._process.pid, self._process.pid)
        send.close()

    @property
    def sentinel(self) -> Connection:
        return self._receive

    @property
    def seconds_left(self) -> float:
        return self._limits.seconds - (time.monotonic() - self._started)

    def wait(self, *others: Connection) -> list[Any]:
        """Wait until it has ended, its time is over or another of these is ready, and return those that are ready."""
        while True:
            ready = multiprocessing.connection.wait([self.sentinel, *others], self.patience)
            if ready or self.seconds_left <= 0:
                return ready

    @property
    def patience(self) -> float:
        """Seconds to wait for it before its time is looked at again: poll() takes no more than some days."""
        return min(max(0.0, self.seconds_left), _LONGEST_WAIT)

    def kill(self) -> None:
        """End the process and what it has started; it leaves no outcome."""
        if self._process.pid:
            self._end_group()
            self._process.join()
        self._close()

    def _end_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _close(self) -> None:
        _alive.discard(self)
        self._receive.close()
        self._log.close()
        if self._directory:
            self._directory.cleanup()

    def outcome(self) -> Outcome:
        """Return how the run ended, ending it when its time is over."""
        late = self.seconds_left <= 0 and not self._receive.poll()
        if late:
            self._end_group()
        try:
            result = None if late else self._receive.recv()
        except EOFError:
            result = None
        self._process.join()
        wall = time.monotonic() - self._started
        if late:
            limit = f"{self._limits.seconds:g} s, its limit"
            result = Outcome("timeout", f"the run took longer than {limit}; timeout (--timeout) sets another")
        elif result is None:
            result = self._post_mortem()
        if result.status == "memory":
            gib = self._limits.octets / 2**30
            result.message = f"{OUT_OF_MEMORY} of {gib:.3g} GiB; memory (--memory) sets another"
        result.wall = wall
        self._close()
        return result

    def _post_mortem(self) -> Outcome:
        self._log.seek(0)
        end = post_mortem(self._process.exitcode or 0, self._log.read().decode(errors="replace"), "the simulator")
        return Outcome(end.status, str(end))


def post_mortem(code: int, log: str, who: str) -> RunError:
    """Return why a process ended: by its exit code (negative for a signal) and what it wrote to standard error."""
    if "bad_alloc" in log or "MemoryError" in log:
        return RunError("memory", OUT_OF_MEMORY)
    end = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return RunError("crash", fatal_text(log) or f"{who} ended with {end}")


def fatal_text(log: str) -> str:
    """Return what ns-3 said when it ended the process, or the last line of standard error."""
    for pattern in (r'\bmsg="(.*?)"(?:, |\n|$)', r'\bcond="(.*?)"(?:, |\n|$)'):
        found = re.findall(pattern, log, re.DOTALL)
        if found:
            return " ".join(found[-1].split())
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("NS_FATAL, terminating")]
    return lines[-1] if lines else ""


def run_once(work: Callable[[], Measured], limits: Limits = LIMITS) -> Outcome:
    """Run once and return how it ended well, or raise UsageError or RunError."""
    child = Child(work, limits)
    try:
        child.wait()
    except BaseException:
        child.kill()
        raise
    outcome = child.outcome()
    if outcome.status == "usage":
        raise UsageError(outcome.message)
    if outcome.status != "ok":
        raise RunError(outcome.status, outcome.message)
    return outcome


_alive: set[Child] = set()  #: children whose outcome nobody has taken yet


@atexit.register
def _kill_what_is_left() -> None:
    """Kill children that an interrupt has left to nobody, which Python would wait for."""
    for child in list(_alive):
        child.kill()


def _child(
    work: Callable[[], Measured], limits: Limits, send: Connection, log: int, place: str | None, parent: int
) -> None:
    """Run in the forked process; its standard streams go to ``log``, so that a pipe stays clean."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends its children
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    _alive.clear()
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = os.fdopen(2, "w", closefd=False)
    faulthandler.disable()  # its dump would hide what ns-3 says
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    seconds = int(min(limits.seconds, _MOST)) + 10  # ends what it leaves behind
    seconds = seconds if hard < 0 else min(seconds, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    limit_memory(_allocated() + limits.octets)
    if place:
        os.chdir(place)
    try:
        metrics, report, cautions = work()
        outcome = Outcome("ok", metrics=metrics, report=report, cautions=cautions)
    except UsageError as error:
        outcome = Outcome("usage", str(error))
    except RunError as error:
        outcome = Outcome(error.status, str(error))
    except MemoryError:
        outcome = Outcome("memory", OUT_OF_MEMORY)
    except Exception as error:
        text = str(error).strip() or type(error).__name__
        outcome = Outcome("memory" if "bad_alloc" in text else "error", text)
    outcome.processor = time.process_time()
    with contextlib.suppress(BrokenPipeError):
        send.send(outcome)
    os._exit(0)  # ns-3's static objects need not be taken apart


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(octets: float) -> None:
    """Let this process, and each that it starts, have so many octets of data at most."""
    octets = int(min(octets, _MOST))
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (octets if hard < 0 else min(octets, hard), hard))


def _allocated() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData:"))
