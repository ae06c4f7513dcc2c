# SPDX-License-Identifier: GPL-2.0-only
"""Judges mutants: which of the test suites that reach a fault notices it first.

A pass without any fault says how long each suite takes, and which mutants it passes; then each mutant meets the suites
that do, the quickest first, until one fails, crashes, or takes ten times as long as without the fault.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from .._setup import builder
from ..errors import IwarpError
from . import mutant_python
from .mutants import Mutant

RUNNER = builder.directory("wheel") / "iwarp-test"
MEMORY = 8 << 20  #: KiB of addresses that a suite may use, as a fault may ask for more and more
WAIT = 6  #: times the limit of its processor time that a suite may take by the clock, where others run too
EACH = 50  #: mutants between two lines about how far the work is
PATIENCE = 10  #: times the suite's processor time, and as many seconds more


@dataclass(frozen=True)
class Suite:
    """A test suite: its processor time without a fault, and the numbers of the mutants that it passes."""

    name: str
    seconds: float
    passed: frozenset[int]


@dataclass(frozen=True)
class Verdict:
    """What came of a mutant: the suite that noticed it, or nothing, after how many suites and how much time."""

    mutant: Mutant
    suite: str
    tried: int
    seconds: float

    @property
    def state(self) -> str:
        """Return "noticed", "explained" or "survives"."""
        return "noticed" if self.suite else "explained" if self.mutant.explained else "survives"

    def to_json(self) -> dict[str, object]:
        return {**asdict(self.mutant), "state": self.state, "suite": self.suite, "tried": self.tried,
                "seconds": round(self.seconds, 2)}  # fmt: skip


class Suites:
    """The suites in C++, with the library of a folder in place of their own."""

    def __init__(self, library: Path):
        self.kept = library.parent / "suites.json"
        self.state = [_stamp(RUNNER), _stamp(library / "libiwarp.so")]
        self._before: list[str] = []
        self._variables = {"LD_LIBRARY_PATH": str(library)}

    @staticmethod
    def list() -> list[str]:
        """Return all suites of the test runner."""
        return subprocess.run([RUNNER, "--list"], capture_output=True, text=True, check=True).stdout.split()

    def run(self, name: str, limit: float | None = None, **variables: str) -> tuple[bool, float]:
        """Run a suite; return whether it passed, and its processor time in seconds.

        Without a limit, in seconds of processor time, it has an hour.
        """
        words = [*self._before, str(RUNNER), f"--suite={name}", "--fullness=QUICK"]
        return _run(words, limit, self._variables | variables)


class PreloadedSuites(Suites):
    """The suites in C++, with a library that defines a part of theirs, and is loaded before it."""

    def __init__(self, library: Path):
        self.kept = library.with_suffix(".json")
        self.state = [_stamp(RUNNER), _stamp(library)]
        # not for the shell, which has nothing of ns-3
        self._before, self._variables = ["env", f"LD_PRELOAD={library}"], {}


class PythonTests:
    """The test files of the Python package, in a clone with mutants."""

    def __init__(self, clone: Path):
        self.kept = clone.parent / "tests.json"
        digest = hashlib.sha256()
        for path in sorted((clone / "python").rglob("*.py")):
            digest.update(path.read_bytes())
        self.state = digest.hexdigest()
        self._clone = clone

    def run(self, name: str, limit: float | None = None, **variables: str) -> tuple[bool, float]:
        """Run a test file as Suites.run() does a suite."""
        words, environment = mutant_python.command(name, self._clone)
        # what draws figures reserves terabytes of addresses
        return _run(words, limit, environment | variables, self._clone, memory="unlimited")


def _stamp(path: Path) -> list[int]:
    found = path.resolve().stat()
    return [found.st_size, found.st_mtime_ns]


def _run(
    words: Sequence[str], limit: float | None, variables: dict[str, str], place: Path | None = None,
    memory: int | str = MEMORY,
) -> tuple[bool, float]:
    seconds = int(limit or 3600) + 1
    shell = f'ulimit -v {memory}; ulimit -t {seconds}; ulimit -c 0; exec "$@"'
    with tempfile.TemporaryDirectory(prefix="iwarp-mutant-") as folder:
        process = subprocess.Popen(
            ["sh", "-c", shell, "sh", *words], cwd=place or folder, env={**os.environ, "TMPDIR": folder, **variables},
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        # one that waits for ever takes no processor time
        pid = process.pid
        usage = _wait(process, WAIT * seconds)
        _end_group(pid)
    return process.returncode == 0, usage


def _wait(process: subprocess.Popen[bytes], timeout: float) -> float:
    """Wait for a process, end it after so many seconds, and return its processor time."""
    with ThreadPoolExecutor(1) as waiter:
        future = waiter.submit(os.wait4, process.pid, 0)
        try:
            _, status, usage = future.result(timeout)
        except TimeoutError:
            _end_group(process.pid)
            _, status, usage = future.result()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # all have ended
        os.killpg(pid, signal.SIGKILL)


def record(
    tests: Suites | PythonTests, count: int, names: Iterable[str], jobs: int, tell: Callable[[str], None]
) -> list[Suite]:
    """Run suites without any fault, and return them with what they pass, the quickest first.

    What was found is kept beside what is tested, until it or the runner is another.
    """
    kept: dict[str, list] = {}
    if tests.kept.exists():
        text = json.loads(tests.kept.read_text())
        kept = text["suites"] if text["state"] == tests.state else {}
    missing = [name for name in names if name not in kept]
    with _workers(jobs) as (workers, _):
        for name, seconds, passed in workers.map(lambda one: _record(tests, one, count), missing):
            kept[name] = [seconds, passed]
    tell(f"{len(missing)} suites without a mutant: {sum(kept[name][0] for name in missing):.0f} s of processors")
    tests.kept.write_text(json.dumps({"state": tests.state, "suites": kept}))
    suites = [Suite(name, kept[name][0], frozenset(kept[name][1])) for name in names]
    return sorted(suites, key=lambda suite: (suite.seconds, suite.name))


def _record(tests: Suites | PythonTests, name: str, count: int) -> tuple[str, float, list[int]]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(count))
        file.flush()
        passed, seconds = tests.run(name, IWARP_MUTANTS_PASSED=file.name)
        octets = Path(file.name).read_bytes()
    if not passed:
        known = name.replace("test_", "python-", 1).replace("_", "-")
        raise IwarpError(f"{name} fails without any mutant: ./iwarp test -R '^{known}$'")
    return name, round(seconds, 3), [number for number, octet in enumerate(octets) if octet]


@contextlib.contextmanager
def _workers(jobs: int) -> Iterator[tuple[ThreadPoolExecutor, threading.Event]]:
    """Yield workers, and what tells them that the caller was interrupted: nothing begins after that."""
    stopped = threading.Event()
    with ThreadPoolExecutor(jobs) as workers:
        try:
            yield workers, stopped
        except BaseException:
            stopped.set()
            workers.shutdown(wait=False, cancel_futures=True)
            raise


def judge(
    number: int, mutant: Mutant, suites: list[Suite], tests: Suites | PythonTests, stopped: threading.Event
) -> Verdict:
    """Run the suites that pass a mutant with it on, until one notices it or the judge is stopped."""
    tried, spent = 0, 0.0
    for suite in suites:
        if number not in suite.passed or stopped.is_set():
            continue
        tried += 1
        limit = PATIENCE * (suite.seconds + 1)
        passed, seconds = tests.run(suite.name, limit, IWARP_MUTANT=str(number))
        spent += seconds
        if not passed:
            return Verdict(mutant, suite.name, tried, spent)
    return Verdict(mutant, "", tried, spent)


def judge_all(
    chosen: Iterable[Mutant], numbers: dict[str, int], suites: list[Suite], tests: Suites | PythonTests, jobs: int,
    tell: Callable[[str], None],
) -> list[Verdict]:  # fmt: skip
    """Judge mutants by the numbers that the switches have for them, and return what came of each."""
    verdicts = []
    with _workers(jobs) as (workers, stopped):
        tasks = [workers.submit(judge, numbers[mutant.name], mutant, suites, tests, stopped) for mutant in chosen]
        for task in tasks:
            verdict = task.result()
            verdicts.append(verdict)
            if verdict.state == "survives" or len(verdicts) % EACH == 0:
                tell(f"{len(verdicts)} of {len(tasks)} mutants judged; {verdict.mutant.name} {verdict.state}")
    return verdicts
