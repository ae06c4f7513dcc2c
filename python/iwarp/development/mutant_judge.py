# SPDX-License-Identifier: GPL-2.0-only
"""Judges mutants: which of the test suites that reach a fault notices it first.

A pass without any fault says how long each suite takes, and which mutants it passes; then each mutant meets the suites
that do, the quickest first, until one fails, crashes, or takes ten times as long as without the fault.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from .._setup import builder
from ..errors import IwarpError
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


def list_suites() -> list[str]:
    """Return all suites of the test runner."""
    return subprocess.run([RUNNER, "--list"], capture_output=True, text=True, check=True).stdout.split()


def run_suite(name: str, library: Path, limit: float | None = None, **variables: str) -> tuple[bool, float]:
    """Run a suite with the library of a folder; return whether it passed, and its processor time in seconds.

    Without a limit, in seconds of processor time, it has an hour.
    """
    seconds = int(limit or 3600) + 1
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), **variables}
    command = f'ulimit -v {MEMORY}; ulimit -t {seconds}; ulimit -c 0; exec "$0" --suite={name} --fullness=QUICK'
    with tempfile.TemporaryDirectory(prefix="iwarp-mutant-") as place:
        environment["TMPDIR"] = place
        process = subprocess.Popen(
            ["sh", "-c", command, str(RUNNER)], cwd=place, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
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


def record(count: int, library: Path, names: Iterable[str], jobs: int, tell: Callable[[str], None]) -> list[Suite]:
    """Run suites without any fault, and return them with what they pass, the quickest first.

    What was found is kept beside the library, until it or the runner is another.
    """
    file = library.parent / "suites.json"
    state = [[path.stat().st_size, path.stat().st_mtime_ns] for path in (RUNNER, (library / "libiwarp.so").resolve())]
    kept: dict[str, list] = {}
    if file.exists():
        text = json.loads(file.read_text())
        kept = text["suites"] if text["state"] == state else {}
    missing = [name for name in names if name not in kept]
    with ThreadPoolExecutor(jobs) as workers:
        for name, seconds, passed in workers.map(lambda one: _record(one, count, library), missing):
            kept[name] = [seconds, passed]
    tell(f"{len(missing)} suites without a mutant: {sum(kept[name][0] for name in missing):.0f} s of processors")
    file.write_text(json.dumps({"state": state, "suites": kept}))
    suites = [Suite(name, kept[name][0], frozenset(kept[name][1])) for name in names]
    return sorted(suites, key=lambda suite: (suite.seconds, suite.name))


def _record(name: str, count: int, library: Path) -> tuple[str, float, list[int]]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(count))
        file.flush()
        passed, seconds = run_suite(name, library, IWARP_MUTANTS_PASSED=file.name)
        octets = Path(file.name).read_bytes()
    if not passed:
        raise IwarpError(f"the suite {name} fails without any mutant: ./iwarp test -R '^{name}$'")
    return name, round(seconds, 3), [number for number, octet in enumerate(octets) if octet]


def judge(number: int, mutant: Mutant, suites: list[Suite], library: Path) -> Verdict:
    """Run the suites that pass a mutant with it on, until one notices it."""
    tried, spent = 0, 0.0
    for suite in suites:
        if number not in suite.passed:
            continue
        tried += 1
        limit = PATIENCE * (suite.seconds + 1)
        passed, seconds = run_suite(suite.name, library, limit, IWARP_MUTANT=str(number))
        spent += seconds
        if not passed:
            return Verdict(mutant, suite.name, tried, spent)
    return Verdict(mutant, "", tried, spent)


def judge_all(
    chosen: Iterable[Mutant], numbers: dict[str, int], suites: list[Suite], library: Path, jobs: int,
    tell: Callable[[str], None],
) -> list[Verdict]:  # fmt: skip
    """Judge mutants by the numbers that the library has for them, and return what came of each."""
    verdicts = []
    with ThreadPoolExecutor(jobs) as workers:
        tasks = [workers.submit(judge, numbers[mutant.name], mutant, suites, library) for mutant in chosen]
        for task in tasks:
            verdict = task.result()
            verdicts.append(verdict)
            if verdict.state == "survives" or len(verdicts) % EACH == 0:
                tell(f"{len(verdicts)} of {len(tasks)} mutants judged; {verdict.mutant.name} {verdict.state}")
    return verdicts
