# SPDX-License-Identifier: GPL-2.0-only
"""Soak testing: random scenarios, programs, peers and inputs from one seed, until the time is over.

A *driver* makes batches: a command that tries some random cases, named by numbers that follow from the seed and the
batch's number alone. A batch that fails says by which command its case is repeated, as small as it was made.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import IwarpError, UsageError, did_you_mean

ROOT = Path(__file__).resolve().parents[3]
APART = 1_000_000  #: seeds of cases between those of two soaks
STRIDE = 100_003  #: by which seeds of a suite are shifted, so that no two batches have the same
PATIENCE = 900  #: seconds of a batch after which it hangs
SLICE = 20  #: seconds of a batch of a short soak, where it may choose
SLICES = 50  #: of a long one, so that few of its seconds are those in which batches start
GRACE = 60  #: seconds that batches have to end when the time is over
LONG = 240  #: seconds that no batch takes, unless it is told how many
TRIES = 400  #: of a minimisation of an input
TELLING = re.compile(r"ERROR: |runtime error: |not so: |^test=|NS_\w+ failed|Error: ")  #: of what a program says


@dataclass(frozen=True)
class Fault:
    """What went wrong, and what repeats it."""

    driver: str
    text: str
    command: str


@dataclass
class Tally:
    """What a driver has done: cases, seconds by the clock, faults."""

    cases: int = 0
    seconds: float = 0.0
    faults: list[Fault] = field(default_factory=list)

    def to_json(self) -> dict:
        return {"cases": self.cases, "seconds": round(self.seconds, 1),
                "faults": [{"text": f.text, "command": f.command} for f in self.faults]}  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a batch's process ended; the status is negative for a signal."""

    status: int
    output: str


class Place:
    """Where programs and the library are, and in which environment they run."""

    def __init__(self, programs: Path, tests: Path, out: Path, sanitized: bool):
        self.fuzz = programs / "test" / "fuzz"
        self.tests = tests / "iwarp-test"
        self.out = out
        self.environment = dict(os.environ)
        self.scripts = dict(os.environ)
        if sanitized:
            options = {"ASAN_OPTIONS": "detect_stack_use_after_return=1",
                       "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}  # fmt: skip
            self.environment |= options
            # an interpreter keeps what it has until its end
            self.scripts |= options | {"ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": _sanitizer(),
                                       "IWARP_BUILD": str(tests)}  # fmt: skip


def _sanitizer() -> str:
    found = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


class Driver:
    """Makes batches of random cases."""

    size = 1  #: cases of a batch
    unit = "runs"
    weight = 1  #: of its share of the time
    timed = False  #: whether a batch ends by itself when its seconds are over

    def __init__(self, name: str):
        self.name = name

    def command(self, place: Place, first: int, seconds: float) -> tuple[list[str], dict[str, str]]:
        """Return the command of a batch whose first case is numbered so, and its environment."""
        raise NotImplementedError

    def cases(self, ended: Ended) -> int:
        """Return how many cases a batch has tried."""
        return self.size

    def faults(self, place: Place, first: int, ended: Ended) -> Iterator[Fault]:
        """Yield what went wrong in a batch."""
        if ended.status != 0:
            command, _ = self.command(place, first, PATIENCE)
            yield Fault(self.name, _last_words(ended), shlex.join(command))


class Laws(Driver):
    """Laws of all scenarios, asked of random ones: completion, content, conservation, equality, nothing in clear."""

    size = 1000
    unit = "scenarios"
    weight = 8
    timed = True

    def __init__(self, name: str, wild: bool):
        super().__init__(name)
        self._wild = ["--wild"] if wild else []

    def command(self, place: Place, first: int, seconds: float) -> tuple[list[str], dict[str, str]]:
        script = ROOT / "python" / "tests" / "scenario_laws.py"
        return [sys.executable, str(script), *self._wild, "--first", str(first), "--trials", str(self.size),
                "--seconds", f"{seconds:.0f}", "--minimise", "--one"], place.scripts  # fmt: skip

    def cases(self, ended: Ended) -> int:
        found = re.search(r"^(\d+) trials", ended.output, re.MULTILINE)
        return int(found.group(1)) if found else 0

    def faults(self, place: Place, first: int, ended: Ended) -> Iterator[Fault]:
        found = list(re.finditer(r"^seed (\d+)\n((?:    .*\n)+)", ended.output, re.MULTILINE))
        for match in found:
            *laws, command = [line.strip() for line in match.group(2).splitlines()]
            yield Fault(self.name, f"seed {match.group(1)}: {'; '.join(laws)}", command)
        if not found:
            yield from super().faults(place, first, ended)


class Suite(Driver):
    """Random cases of a suite in C++, their seeds shifted."""

    def command(self, place: Place, first: int, seconds: float) -> tuple[list[str], dict[str, str]]:
        shift = first * STRIDE % 2**32
        command = ["env", f"IWARP_TEST_SEED={shift}", str(place.tests), f"--suite={self.name}", "--fullness=QUICK",
                   "--verbose"]  # fmt: skip
        return command, place.environment


class Fuzz(Driver):
    """Random inputs of a fuzz target, made from its seeds."""

    size = 1000
    unit = "inputs"

    def command(self, place: Place, first: int, seconds: float) -> tuple[list[str], dict[str, str]]:
        return [str(place.fuzz / self.name), str(self.size), str(first)], place.environment

    def faults(self, place: Place, first: int, ended: Ended) -> Iterator[Fault]:
        if ended.status == 0:
            return
        command, environment = self.command(place, first, PATIENCE)
        kept = place.out / f"{self.name}-{first}"
        again = _run(command, environment | {"FUZZ_KEEP": str(kept)})
        if again.status == 0:
            yield Fault(self.name, f"does not happen again: {_last_words(ended)}", shlex.join(command))
            return
        minimise(kept, [command[0]], environment)
        yield Fault(self.name, _last_words(again), shlex.join([command[0], str(kept)]))


def minimise(kept: Path, program: Sequence[str], environment: Mapping[str, str]) -> None:
    """Leave out of a file what the program does not need to fail, as far as some hundred tries go."""
    octets = kept.read_bytes()
    trial = kept.with_suffix(".try")
    tries = itertools.count()
    step = max(1, len(octets) // 2)
    while True:
        at, smaller = 0, False
        while at < len(octets) and next(tries) < TRIES:
            fewer = octets[:at] + octets[at + step :]
            trial.write_bytes(fewer)
            if _run([*program, str(trial)], environment).status != 0:
                octets, smaller = fewer, True
            else:
                at += step
        if (step == 1 and not smaller) or next(tries) >= TRIES:
            break
        step = max(1, step // 2)
    trial.unlink(missing_ok=True)
    kept.write_bytes(octets)


def drivers() -> list[Driver]:
    """Return all drivers: the laws, the suites whose seeds can be shifted, the fuzz targets."""
    shifted = []
    for file in sorted((ROOT / "test").glob("*/*-test-suite.cc")):
        text = file.read_text()
        suite = re.search(r'IWARP_TEST_SUITE\(\w+,\s*"([\w-]+)"', text)
        if suite and '"../random-seed.h"' in text:
            shifted.append(Suite(suite.group(1)))
    targets = [Fuzz(file.stem) for file in sorted((ROOT / "test" / "fuzz").glob("fuzz-*.cc"))]
    return [Laws("scenarios", False), Laws("wild-scenarios", True), *shifted,
            *(target for target in targets if target.name != "fuzz-main")]  # fmt: skip


def choose(names: Sequence[str]) -> list[Driver]:
    """Return the drivers with these names, or all."""
    known = {driver.name: driver for driver in drivers()}
    for name in names:
        if name not in known:
            raise UsageError(f'there is no driver "{name}"{did_you_mean(name, known) or "; --list shows them"}')
    return [driver for name, driver in known.items() if not names or name in names]


class Soak:
    """Runs batches of drivers in turn, several at a time, until the time is over."""

    def __init__(self, chosen: Sequence[Driver], place: Place, seed: int, seconds: float, jobs: int):
        self._place, self._seed, self._jobs = place, seed, jobs
        self._end = time.monotonic() + seconds
        self._slice = max(SLICE, min(seconds / SLICES, PATIENCE / 9))
        self._lock = threading.Lock()
        self._chosen = list(chosen)
        self._numbers = {driver.name: itertools.count() for driver in chosen}
        self._running = dict.fromkeys(self._numbers, 0)
        self.tallies = {driver.name: Tally() for driver in chosen}

    def run(self, tell: Callable[[Fault], None] | None = None) -> dict[str, Tally]:
        """Run all; ``tell`` is called with each fault as it is found."""
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                waiting = {pool.submit(self._work, tell) for _ in range(self._jobs)}
                while waiting:  # a signal may have come just before, so that the wait is not to be for ever
                    done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
            except BaseException:
                self._end = time.monotonic()  # no batch begins when somebody has interrupted
                raise
        return self.tallies

    def take(self) -> tuple[Driver, int] | None:
        """Return the driver that has had least time for its weight, and the number of its next batch; None is none."""

        def had(driver: Driver) -> float:
            return (self.tallies[driver.name].seconds + self._slice * self._running[driver.name]) / driver.weight

        with self._lock:
            driver = min(self._chosen, key=had)
            self._running[driver.name] += 1
            return driver, next(self._numbers[driver.name])

    def _work(self, tell: Callable[[Fault], None] | None) -> None:
        while (left := self._end - time.monotonic()) > 0:
            turn = self.take()
            if turn is None:
                return
            driver, number = turn
            first = (self._seed - 1) * APART + number * driver.size + 1
            seconds = min(left, self._slice)
            command, environment = driver.command(self._place, first, seconds)
            before = time.monotonic()
            ended = _run(command, environment, self._end, seconds if driver.timed else LONG)
            if ended is None:
                return  # the time was over before the batch was
            faults = list(driver.faults(self._place, first, ended))
            with self._lock:
                self._running[driver.name] -= 1
                tally = self.tallies[driver.name]
                tally.cases += driver.cases(ended)
                tally.seconds += time.monotonic() - before
                tally.faults += faults
            for fault in faults if tell else ():
                tell(fault)


def _run(
    command: Sequence[str], environment: Mapping[str, str], end: float | None = None, expected: float = PATIENCE
) -> Ended | None:
    """Run a batch; None if it has not ended when ``end`` has come, and the grace behind it, though it may still do.

    @param expected seconds that it takes at the most: the grace later it hangs
    """
    patience = PATIENCE if end is None else min(PATIENCE, max(end - time.monotonic(), 0) + GRACE)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", preexec_fn=_no_core, start_new_session=True) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            if patience < PATIENCE and patience <= expected + GRACE:
                return None
            return Ended(-9, f"has not ended after {patience:.0f} s")
        except BaseException:
            os.killpg(process.pid, 9)
            raise
    return Ended(process.returncode, output)


def _no_core() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _last_words(ended: Ended) -> str:
    """Return the line that says most of what went wrong."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line)]
    words = (telling or lines or ["without a word"])[0 if telling else -1]
    return words if ended.status >= 0 else f"{words} (signal {-ended.status})"


def write(tallies: Mapping[str, Tally], seed: int, out: Path) -> Path:
    """Write what was found as JSON."""
    path = out / "soak.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"seed": seed, "drivers": {n: t.to_json() for n, t in tallies.items()}}, indent=1))
    except OSError as error:
        raise IwarpError(f"{path} cannot be written: {error.strerror}") from None
    return path
