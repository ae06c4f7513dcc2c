# SPDX-License-Identifier: GPL-2.0-only
"""Interoperation with Linux's soft-iWARP driver: cases, each a connection between a simulation and a real machine."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .._setup import ROOT
from ..errors import UsageError, did_you_mean
from .interop_capture import lacks
from .interop_cases import CASES, Case
from .interop_machine import Machine

PROGRAM = ROOT / "build" / "examples" / "iwarp-live"
FIRST_PORT = 7500


@dataclass(frozen=True)
class Outcome:
    """What a case came to: nothing in ``why`` if all was as expected."""

    case: Case
    why: tuple[str, ...]
    seconds: float
    octets: int  #: of packets that the machine saw

    @property
    def good(self) -> bool:
        return not self.why

    def to_json(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {"case": self.case.name, "group": self.case.group, "machine": self.case.machine, "what": self.case.what,
                "as_expected": self.good, "why": list(self.why), "seconds": round(self.seconds, 1),
                "captured_octets": self.octets}  # fmt: skip


def choose(patterns: Iterable[str]) -> list[Case]:
    """Return the cases of these names, or whose name a regular expression matches as a whole; all if there is none."""
    patterns = list(patterns)
    found: set[str] = set()
    for pattern in patterns:
        try:
            matching = {case.name for case in CASES if re.fullmatch(pattern, case.name)}
        except re.error as error:
            raise UsageError(f'"{pattern}" is no regular expression: {error}') from None
        if not matching:
            raise UsageError(f'no case matches "{pattern}"{did_you_mean(pattern, (case.name for case in CASES))}')
        found |= matching
    return [case for case in CASES if not patterns or case.name in found]


def run(cases: list[Case], directory: Path, patience: float) -> Iterator[Outcome]:
    """Boot the machine and run cases in it, one after the other; what was said and captured goes to a directory.

    Time limits are those of a quiet machine times ``patience``. After a case that does not end the machine is booted
    again.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with Machine(patience) as machine:
        for number, case in enumerate(cases):
            outcome, ended = _run_case(case, machine, FIRST_PORT + number, directory, patience)
            yield outcome
            if not ended and case is not cases[-1]:
                machine.boot()


def _run_case(case: Case, machine: Machine, port: int, directory: Path, patience: float) -> tuple[Outcome, bool]:
    begin = time.monotonic()
    for old in directory.glob(f"{case.name}[.-]*"):
        old.unlink()
    arguments = [PROGRAM, *case.live, f"--port={port}", f"--stop={case.seconds * patience}",
                 f"--localPort={machine.ports[1]}", f"--remotePort={machine.ports[0]}",
                 f"--pcap={directory / case.name}"]  # fmt: skip
    machine.limit(case.seconds + 10)
    log = directory / f"{case.name}.simulation.log"
    script = case.script.replace("PORT", str(port))
    if case.machine == "server":
        machine.begin(case.name, script)
        machine.wait_listening(case.name, 20)
    with (
        open(log, "w") as file,
        subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=file, stderr=file) as live,
    ):
        try:
            if case.machine == "client":
                _wait_ready(log, live)
                machine.begin(case.name, script)
            status = live.wait((case.seconds + 30) * patience)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            live.kill()
    of_machine = machine.finish(case.name, case.seconds + 15, directory)
    seconds = time.monotonic() - begin
    why = judge(case, status, of_machine, log.read_text(), _read(directory / f"{case.name}.machine.log"), directory)
    capture = directory / f"{case.name}.machine.pcap"
    octets = capture.stat().st_size if capture.exists() else 0
    return Outcome(case, tuple(why), seconds, octets), of_machine is not None


def judge(case: Case, live: int | None, machine: int | None, live_log: str, machine_log: str,
          captures: Path) -> Iterator[str]:  # fmt: skip
    """Say what is not as expected, by the exit statuses of both sides, None if it did not end, and what they said.

    What the captures show, in that folder, counts besides.
    """
    if live is None:
        yield "the simulation did not end"
    elif case.good is not None and (live == 0) != case.good:
        last = next((line for line in reversed(live_log.splitlines()) if line.startswith("LIVE")), "it ended early")
        yield f"the simulation: {last}"
    if machine is None:
        yield "the machine's script did not end"
    elif case.status is not None and machine != case.status:
        yield f"the machine's script ended with {machine} rather than {case.status}"
    for side, text, patterns in (
        ("simulation", live_log, case.says),
        ("machine", machine_log, case.machine_says),
    ):
        for pattern in patterns:
            if not re.search(pattern, text):
                yield f'the {side} does not say "{pattern}"'
    if "CONTENT BAD" in machine_log:
        yield "the machine got other octets than were sent"
    host = 1 if "--gateway=true" in case.live else 0  # as ns-3 numbers nodes
    yield from lacks(case.shows, captures / f"{case.name}.machine.pcap", captures / f"{case.name}-{host}.pcap")


def _wait_ready(log: Path, live: subprocess.Popen[bytes]) -> None:
    while "READY" not in log.read_text() and live.poll() is None:
        time.sleep(0.02)


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
