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

from ..analysis.ratios import Ratio, measure_ratio
from ..errors import IwarpError, UsageError, did_you_mean

PROGRAMS = Path(__file__).resolve().parents[3] / "build" / "bench"
WIDTH = 0.05  #: how far the end of the interval of a ratio by time may be from it, as a part of it
LEAST_PAIRS, MOST_PAIRS = 4, 20  #: of runs by which that is measured
_LEAST_TIME = 1e-6  #: seconds that a run takes at least, whatever is subtracted
STARTS = 3  #: runs without payload, of which the quickest counts


@dataclass(frozen=True)
class Benchmark:
    """A program with its arguments, the payload under callgrind and on the clock, the target.

    Instructions are the measure where there is payload to count, time otherwise. Time is that of pairs of runs, at
    most so many, and in ``whole`` runs setting up is part of the work. The second of the ``stacks`` is what the first
    is compared with.
    """

    program: str
    arguments: tuple[str, ...]
    counted_octets: int
    timed_octets: int
    target: float
    most: int = MOST_PAIRS
    stacks: tuple[str, str] = ("mpa", "tcp")
    whole: bool = False

    def runs(self, counting: bool) -> int:
        """Return how many times programs are run at most."""
        starts = 0 if self.whole else STARTS
        return 2 * self.most + starts + (2 if counting and self.counted_octets else 0)

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        """Compare the stacks, by instructions if they can be counted."""
        start = 0.0
        if not self.whole:
            start = min(self._time(1, 1, progress) for _ in range(STARTS))
        time = measure_ratio(
            lambda side: max(self._time(side, self.timed_octets, progress) - start, _LEAST_TIME) / self.timed_octets,
            WIDTH,
            LEAST_PAIRS,
            self.most,
        )
        if not (valgrind and self.counted_octets):
            return _by_time(time, self.target, time.second)
        ours, plain = (_count(valgrind, self, s, progress) for s in self.stacks)
        return Result(ours / plain, self.target, ours, plain, "instructions", "instructions/octet", time)

    def _time(self, side: int, octets: int, progress: tqdm) -> float:
        seconds = _call(_command(self, self.stacks[side], octets))
        progress.update()
        return seconds


@dataclass(frozen=True)
class Growth:
    """Cost per octet with many connections over that with one, without what it takes to set them up."""

    program: str
    connections: int
    octets: int
    target: float
    most: int = 6

    def runs(self, counting: bool) -> int:
        return 4 * self.most

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        time = measure_ratio(
            lambda side: self._cost((self.connections, 1)[side], progress), WIDTH, LEAST_PAIRS, self.most
        )
        return _by_time(time, self.target, None)

    def _cost(self, connections: int, progress: tqdm) -> float:
        """Return processor seconds per octet, less what a run takes that sends one on each connection."""
        used = []
        for octets in (self.octets, connections):
            used.append(_call(_command(self, "mpa", octets, f"--connections={connections}")))
            progress.update()
        return max(used[0] - used[1], _LEAST_TIME) / (self.octets - connections)


@dataclass(frozen=True)
class EventGrowth:
    """Cost of an event in a large network over that in a small one, of so many ``hosts`` each, in instructions.

    The program prints the number of its events. Where instructions cannot be counted, time stands for them, that of
    setting up included.
    """

    program: str
    hosts: tuple[int, int]
    octets: int  #: that a host sends
    target: float
    most: int = 6

    def runs(self, counting: bool) -> int:
        return 2 if counting else 2 * self.most

    def measure(self, valgrind: str | None, progress: tqdm) -> Result:
        if not valgrind:
            time = measure_ratio(lambda side: self._time(side, progress), WIDTH, LEAST_PAIRS, self.most)
            return _by_time(time, self.target, None)
        large, small = (self._count(valgrind, side, progress) for side in (0, 1))
        return Result(large / small, self.target, large, None, "instructions", "instructions/event", None)

    def _command(self, side: int) -> list[str]:
        hosts = self.hosts[side]
        return _command(self, "mpa", self.octets * hosts, f"--hosts={hosts}")

    def _count(self, valgrind: str, side: int, progress: tqdm) -> float:
        instructions, printed = _instructions(valgrind, self._command(side))
        progress.update()
        return instructions / int(printed)

    def _time(self, side: int, progress: tqdm) -> float:
        """Return processor seconds an event."""
        command = self._command(side)
        events = int(_output(command))
        seconds = _call(command)
        progress.update()
        return seconds / events


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

    ``plain_tcp`` and ``time`` are None where there is no such thing.
    """

    ratio: float
    target: float
    ours: float
    plain_tcp: float | None
    measure: str
    unit: str
    time: Ratio | None

    @property
    def settled(self) -> bool:
        """Return whether the ratio by time, if there is one, is known as well as is wanted."""
        return not self.time or self.time.width <= WIDTH

    def to_json(self) -> dict:
        """Return what is printed: of the ratio by time also its interval and the number of pairs."""
        result = {key: value for key, value in self.__dict__.items() if key != "time"}
        time = self.time
        return result | {
            "time_ratio": time and time.value,
            "time_interval": time and [time.low, time.high],
            "pairs": time and time.pairs,
            "settled": self.settled,
        }


def _by_time(time: Ratio, target: float, plain: float | None) -> Result:
    return Result(time.value, target, time.first, plain, "time", "s/octet", time)


def _connections(number: int, counted: int, octets: int, target: float, most: int = MOST_PAIRS) -> Benchmark:
    """Return the benchmark of so many octets over that many connections, their setting up included."""
    arguments = (f"--connections={number}",)
    return Benchmark("mpa-connections", arguments, counted, octets, target, most, whole=True)


Kind = Benchmark | Growth | EventGrowth | Memory | IdleMemory

BENCHMARKS: dict[str, Kind] = {
    "mpa_64k": Benchmark("mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 0.65),
    "mpa_4m": Benchmark("mpa-bulk", ("--window=4194304",), 40_000_000, 100_000_000, 0.4),
    "rdma_write_64k": Benchmark("rdma-write-bulk", ("--window=65536",), 8_000_000, 100_000_000, 0.7),
    # hosts at load 0.5, 64 of them; segments have as many octets with both, so that octets stand for them
    "fabric_64": Benchmark("fabric-bulk", (), 12_000_000, 20_000_000, 0.9),
    # as many octets a host, so that its connections are no greater part
    "fabric_256": Benchmark("fabric-bulk", ("--hosts=256",), 48_000_000, 80_000_000, 0.9),
    "fabric_growth": EventGrowth("fabric-bulk", (1024, 16), 32_000, 1.5),
    # IPsec that lets TCP by, and modelled ESP, against hosts without IPsec, of which no hook is there
    "esp_off": Benchmark("mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.01, stacks=("bypass", "mpa")),
    "esp_modelled": Benchmark("mpa-bulk", ("--window=65536",), 8_000_000, 100_000_000, 1.15, stacks=("esp", "mpa")),
    # a run with the standard traces taken down against the same without
    "traces": Benchmark("traced-run", (), 8_000_000, 40_000_000, 1.15, stacks=("traced", "untraced")),
    "connections_1": _connections(1, 20_000_000, 200_000_000, 0.8),
    "connections_100": _connections(100, 20_000_000, 200_000_000, 0.8),
    # too long for callgrind
    "connections_1000": _connections(1000, 0, 200_000_000, 0.35),
    "connections_10000": _connections(10000, 0, 100_000_000, 0.05, 6),
    "octet_cost_growth": Growth("mpa-connections", 10000, 100_000_000, 1.5),
    "memory_per_connection": Memory("mpa-connections", 4000, 1448, 1.15),
    # 10,000 queue pairs, of at most 3 KiB each
    "memory_per_idle_qp": IdleMemory("rdma-write-bulk", 5000, 3072),
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
    # without a terminal, a plain line for each benchmark
    with tqdm(total=steps, desc="bench", file=sys.stderr, dynamic_ncols=True, disable=None) as progress:
        for name, benchmark in benchmarks.items():
            progress.set_postfix_str(name)
            if progress.disable:
                print(f"iwarp: {name}", file=sys.stderr, flush=True)
            end = progress.n + benchmark.runs(bool(valgrind))
            results[name] = benchmark.measure(valgrind, progress)
            progress.update(end - progress.n)  # what was not needed
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


def _count(valgrind: str, benchmark: Benchmark, stack: str, progress: tqdm) -> float:
    """Return instructions per octet inside Simulator::Run."""
    instructions, _ = _instructions(valgrind, _command(benchmark, stack, benchmark.counted_octets))
    progress.update()
    return instructions / benchmark.counted_octets


def _instructions(valgrind: str, command: Sequence[str]) -> tuple[int, str]:
    """Run a program and return its instructions inside Simulator::Run, and what it prints."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "callgrind"
        options = ["--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=ns3::Simulator::Run()"]
        printed = _output([valgrind, *options, *command])
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
    instructions = int(found.group(1)) if found else 0
    if not instructions:
        raise IwarpError("callgrind counted nothing in ns3::Simulator::Run")
    return instructions, printed
