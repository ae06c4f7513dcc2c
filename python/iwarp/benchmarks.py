# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks: programs in build/bench that run one stack or the other, and how they are measured.

A program takes ``--stack=mpa`` or ``--stack=tcp``, ``--octets=N`` and what the benchmark adds, and
ends with an error if not all octets arrive.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from .errors import IwarpError, UsageError, did_you_mean

PROGRAMS = Path(__file__).resolve().parent.parent.parent / "build" / "bench"
REPEATS = 5  #: timed runs of each stack, in turn; the quickest counts


@dataclass(frozen=True)
class Benchmark:
    """A program with its arguments, the payload under callgrind and on the clock, the target."""

    program: str
    arguments: tuple[str, ...]
    counted_octets: int
    timed_octets: int
    target: float


@dataclass(frozen=True)
class Result:
    """Cost per octet of payload of both stacks, and their ratio by the measure and by time."""

    ratio: float
    target: float
    ours: float
    plain_tcp: float
    measure: str
    unit: str
    time_ratio: float

    def to_json(self) -> dict:
        return dict(self.__dict__)


BENCHMARKS = {
    "mpa_64k": Benchmark("mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.0),
    "mpa_4m": Benchmark("mpa-bulk", ("--window=4194304",), 40_000_000, 100_000_000, 0.5),
}


def choose(names: Sequence[str]) -> dict[str, Benchmark]:
    """Return the benchmarks of these names, or all."""
    for name in names:
        if name not in BENCHMARKS:
            hint = did_you_mean(name, BENCHMARKS) or f"; there are {', '.join(BENCHMARKS)}"
            raise UsageError(f'there is no benchmark "{name}"{hint}')
    return {name: BENCHMARKS[name] for name in names or BENCHMARKS}


def run(benchmarks: dict[str, Benchmark]) -> dict[str, Result]:
    """Measure each benchmark, with a bar on standard error."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        print("iwarp: valgrind is not installed, so that time is measured instead of instructions", file=sys.stderr)
    results = {}
    steps = len(benchmarks) * (2 * REPEATS + (2 if valgrind else 0))
    with tqdm(total=steps, desc="bench", file=sys.stderr, dynamic_ncols=True) as progress:
        for name, benchmark in benchmarks.items():
            progress.set_postfix_str(name)
            seconds = _time(benchmark, progress)
            counts = [_count(valgrind, benchmark, s, progress) for s in ("mpa", "tcp")] if valgrind else None
            ours, plain = counts or seconds
            results[name] = Result(
                ratio=ours / plain,
                target=benchmark.target,
                ours=ours,
                plain_tcp=plain,
                measure="instructions" if counts else "time",
                unit="instructions/octet" if counts else "s/octet",
                time_ratio=seconds[0] / seconds[1],
            )
    return results


def _command(benchmark: Benchmark, stack: str, octets: int) -> list[str]:
    program = PROGRAMS / benchmark.program
    if not program.exists():
        raise IwarpError(f"the benchmark program {program.name} is not built: run `./iwarp build`")
    return [str(program), f"--stack={stack}", f"--octets={octets}", *benchmark.arguments]


def _call(command: Sequence[str]) -> float:
    """Run a program and return the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise IwarpError(f"{Path(command[0]).name} failed: {lines[-1]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _time(benchmark: Benchmark, progress: tqdm) -> list[float]:
    """Return processor seconds per octet of both stacks, less what a run without payload takes."""
    best = {stack: float("inf") for stack in ("mpa", "tcp")}
    for _ in range(REPEATS):
        for stack in best:
            best[stack] = min(best[stack], _call(_command(benchmark, stack, benchmark.timed_octets)))
            progress.update()
    start = min(_call(_command(benchmark, "tcp", 1)) for _ in range(3))
    return [(seconds - start) / benchmark.timed_octets for seconds in best.values()]


def _count(valgrind: str, benchmark: Benchmark, stack: str, progress: tqdm) -> float:
    """Return instructions per octet inside Simulator::Run."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "callgrind"
        options = ["--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=ns3::Simulator::Run()"]
        _call([valgrind, *options, *_command(benchmark, stack, benchmark.counted_octets)])
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
    progress.update()
    instructions = int(found.group(1)) if found else 0
    if not instructions:
        raise IwarpError("callgrind counted nothing in ns3::Simulator::Run")
    return instructions / benchmark.counted_octets
