# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks: programs in build/bench that run one stack or the other, and how they are measured.

A program takes ``--stack=mpa``, ``--stack=tcp`` or another, ``--octets=N`` and what the benchmark adds, and
ends with an error if not all octets arrive.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from ..errors import IwarpError, UsageError, did_you_mean

PROGRAMS = Path(__file__).resolve().parents[3] / "build" / "bench"
REPEATS = 5  #: timed runs of each stack, in turn; the quickest counts


@dataclass(frozen=True)
class Benchmark:
    """A program with its arguments, the payload under callgrind and on the clock, the target.

    Without payload to count, time is the measure, that of the whole run, and each stack has
    ``repeats`` runs. The second of the ``stacks`` is what the first is compared with.
    """

    program: str
    arguments: tuple[str, ...]
    counted_octets: int
    timed_octets: int
    target: float
    repeats: int = REPEATS
    stacks: tuple[str, str] = ("mpa", "tcp")

    def runs(self, counting: bool) -> int:
        """Return how many times programs are run."""
        return 2 * self.repeats + (2 if counting and self.counted_octets else 0)

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        """Compare the stacks, by instructions if they can be counted."""
        seconds = _time(self, progress)
        counts = None
        if valgrind and self.counted_octets:
            counts = [_count(valgrind, self, s, progress) for s in self.stacks]
        ours, plain = counts or seconds
        return Result(
            ratio=ours / plain,
            target=self.target,
            ours=ours,
            plain_tcp=plain,
            measure="instructions" if counts else "time",
            unit="instructions/octet" if counts else "s/octet",
            time_ratio=seconds[0] / seconds[1],
        )


@dataclass(frozen=True)
class Growth:
    """Cost per octet with many connections over that with one, without what it takes to set them up."""

    program: str
    connections: int
    octets: int
    target: float
    repeats: int = 2

    def runs(self, counting: bool) -> int:
        return 4 * self.repeats

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        many, one = (self._cost(n, progress) for n in (self.connections, 1))
        return Result(many / one, self.target, many, None, "time", "s/octet", many / one)

    def _cost(self, connections: int, progress: tqdm) -> float:
        best = {octets: float("inf") for octets in (self.octets, connections)}
        for _ in range(self.repeats):
            for octets in best:
                used = _call(_command(self, "mpa", octets, f"--connections={connections}"))
                best[octets] = min(best[octets], used)
                progress.update()
        return (best[self.octets] - best[connections]) / (self.octets - connections)


@dataclass(frozen=True)
class Memory:
    """Memory of a connection: what many take more than one, a segment sent on each."""

    program: str
    connections: int
    octets: int
    target: float

    def runs(self, counting: bool) -> int:
        return 4

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        ours, plain = (self._octets(stack, progress) for stack in ("mpa", "tcp"))
        return Result(ours / plain, self.target, ours, plain, "memory", "octets/connection", None)

    def _octets(self, stack: str, progress: tqdm) -> float:
        used = []
        for n in (self.connections, 1):
            arguments = (f"--connections={n}", "--memory")
            used.append(int(_output(_command(self, stack, n * self.octets, *arguments))))
            progress.update()
        return (used[0] - used[1]) / (self.connections - 1)


@dataclass(frozen=True)
class IdleMemory:
    """Memory of a queue pair that carries nothing, beyond that of its TCP socket, over a limit in octets."""

    program: str
    connections: int
    limit: int
    target: float = 1.0

    def runs(self, counting: bool) -> int:
        return 4

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        pairs, sockets = (self._octets(stack, progress) for stack in ("mpa", "socket"))
        ours = (pairs - sockets) / 2
        return Result(ours / self.limit, self.target, ours, None, "memory", "octets/queue pair", None)

    def _octets(self, stack: str, progress: tqdm) -> float:
        """Return what a connection more takes, both ends together."""
        used = []
        for n in (self.connections, 1):
            used.append(int(_output(_command(self, stack, 0, f"--idle={n}"))))
            progress.update()
        return (used[0] - used[1]) / (self.connections - 1)


@dataclass(frozen=True)
class Result:
    """Cost of both stacks, and their ratio by the measure and by time.

    ``plain_tcp`` and ``time_ratio`` are None where there is no such thing.
    """

    ratio: float
    target: float
    ours: float
    plain_tcp: float | None
    measure: str
    unit: str
    time_ratio: float | None

    def to_json(self) -> dict:
        return dict(self.__dict__)


def _connections(number: int, octets: int, target: float, repeats: int) -> Benchmark:
    """Return the benchmark of so many octets over that many connections, their setting up included."""
    return Benchmark("mpa-connections", (f"--connections={number}",), 0, octets, target, repeats)


Kind = Benchmark | Growth | Memory | IdleMemory

BENCHMARKS: dict[str, Kind] = {
    "mpa_64k": Benchmark("mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.0),
    "mpa_4m": Benchmark("mpa-bulk", ("--window=4194304",), 40_000_000, 100_000_000, 0.5),
    "rdma_write_64k": Benchmark("rdma-write-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.05),
    # 64 hosts at load 0.5; segments have as many octets with both, so that octets stand for them
    "fabric_64": Benchmark("fabric-bulk", (), 4_000_000, 20_000_000, 1.0, 3),
    # IPsec that lets TCP by, and modelled ESP, against hosts without IPsec, of which no hook is there
    "esp_off": Benchmark(
        "mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.05, stacks=("bypass", "mpa")
    ),
    "esp_modelled": Benchmark(
        "mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.15, stacks=("esp", "mpa")
    ),
    "connections_1": _connections(1, 200_000_000, 1.0, 3),
    "connections_100": _connections(100, 200_000_000, 1.0, 3),
    "connections_1000": _connections(1000, 200_000_000, 0.5, 3),
    "connections_10000": _connections(10000, 100_000_000, 0.3, 1),
    "octet_cost_growth": Growth("mpa-connections", 10000, 100_000_000, 1.5),
    "memory_per_connection": Memory("mpa-connections", 4000, 1448, 1.25),
    # 10,000 queue pairs, of at most 4 KiB each
    "memory_per_idle_qp": IdleMemory("rdma-write-bulk", 5000, 4096),
}


def choose(names: Sequence[str]) -> dict[str, Kind]:
    """Return the benchmarks of these names, or all."""
    for name in names:
        if name not in BENCHMARKS:
            hint = did_you_mean(name, BENCHMARKS) or f"; there are {', '.join(BENCHMARKS)}"
            raise UsageError(f'there is no benchmark "{name}"{hint}')
    return {name: BENCHMARKS[name] for name in names or BENCHMARKS}


def run(benchmarks: Mapping[str, Kind]) -> dict[str, Result]:
    """Measure each benchmark, with a bar on standard error."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        print("iwarp: valgrind is not installed, so that time is measured instead of instructions", file=sys.stderr)
    results = {}
    steps = sum(benchmark.runs(bool(valgrind)) for benchmark in benchmarks.values())
    with tqdm(total=steps, desc="bench", file=sys.stderr, dynamic_ncols=True) as progress:
        for name, benchmark in benchmarks.items():
            progress.set_postfix_str(name)
            results[name] = benchmark.measure(valgrind, progress)
    return results


def _command(benchmark: Kind, stack: str, octets: int, *more: str) -> list[str]:
    program = PROGRAMS / benchmark.program
    if not program.exists():
        raise IwarpError(f"the benchmark program {program.name} is not built: run `./iwarp build`")
    arguments = getattr(benchmark, "arguments", ()) + more
    return [str(program), f"--stack={stack}", f"--octets={octets}", *arguments]


def _output(command: Sequence[str]) -> str:
    """Run a program and return what it prints."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise IwarpError(f"{Path(command[0]).name} failed: {lines[-1]}")
    return done.stdout


def _call(command: Sequence[str]) -> float:
    """Run a program and return the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _output(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _time(benchmark: Benchmark, progress: tqdm) -> list[float]:
    """Return processor seconds per octet of both stacks, less what a run without payload takes.

    Where only time is measured, the whole run counts: setting up is part of the work.
    """
    best = {stack: float("inf") for stack in benchmark.stacks}
    for _ in range(benchmark.repeats):
        for stack in best:
            best[stack] = min(best[stack], _call(_command(benchmark, stack, benchmark.timed_octets)))
            progress.update()
    whole = not benchmark.counted_octets
    start = 0 if whole else min(_call(_command(benchmark, benchmark.stacks[1], 1)) for _ in range(3))
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
