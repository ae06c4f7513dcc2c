# SPDX-License-Identifier: GPL-2.0-only
"""The matrix of builds: releases of ns-3, compilers, standards and kinds of build, and what looks at the sources.

A cell is a few commands, one after the other, each of which has to end well; what they print goes into a file. A cell
whose compiler or tool is not there is not available.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UsageError, did_you_mean

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".venv" / "bin" / "python"
WHEELS = {"3.39": (17,), "3.42": (20, 23), "3.43": (20, 23), "3.44": (20, 23)}
#: standards by release: up to 3.41 ns-3's own headers are not valid as C++20, from 3.42 on they are not as C++17
COMPILERS = {"gcc": "g++", "clang": "clang++"}
KINDS = {"release": "Release", "debug": "Debug"}
#: suites, each of another room, that valgrind runs in minutes
SUITES = (
    "mpa-marker", "ddp-header", "rdmap-header", "rdma-rules", "tcp-rack", "ipsec-association", "nvme-pdu",
    "roce-icrc", "tls-record", "decode-framer",
)  # fmt: skip
#: what finds faults without many that are none: ns-3 counts references, which the analyzer of leaks does not follow
TIDY = ",".join((
    "-*", "clang-analyzer-core.*", "bugprone-use-after-move", "bugprone-infinite-loop", "bugprone-sizeof-expression",
    "bugprone-undelegated-constructor", "bugprone-copy-constructor-init",
))  # fmt: skip
CPPCHECK = (
    "--enable=warning,portability", "--quiet", "--error-exitcode=1", "--std=c++17",
    "--suppressions-list=test/cppcheck-suppressions.txt",
)  # fmt: skip
#: with the wheel valgrind sees operator new and not the operator delete that goes with it; sanitizers check both
VALGRIND = ("valgrind", "--quiet", "--error-exitcode=9", "--show-mismatched-frees=no")
PASSED, FAILED, MISSING = "passed", "failed", "not available"


@dataclass(frozen=True)
class Step:
    """A command, in the repository's folder, with what its environment has besides."""

    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """A name, what is done, the program that it needs beside those of every build, and its commands."""

    name: str
    about: str
    needs: str
    steps: Sequence[Step]


@dataclass(frozen=True)
class Result:
    """How a cell ended, in how many seconds; ``said`` is the last line of its last command."""

    cell: Cell
    state: str
    seconds: float = 0.0
    said: str = ""


def cells(tree: Sequence[Path] = (), folders: Sequence[str] = ("model", "helper")) -> list[Cell]:
    """Return all cells, with one for each tree of ns-3's sources, and tools that look at these folders."""
    return [
        *(_parse(release, compiler, standard) for release, standards in WHEELS.items() for compiler in COMPILERS
          for standard in standards),
        *(_build("wheel", compiler, kind) for compiler in COMPILERS for kind in KINDS),
        _build("debian", "gcc", "release"),
        *(_in_tree(path) for path in tree),
        *_analyses(folders),
    ]  # fmt: skip


def choose(names: Iterable[str], known: Sequence[Cell]) -> list[Cell]:
    """Return the cells of these names; all that begin with a name that ends in a hyphen."""
    chosen: dict[str, Cell] = {}
    for name in names:
        found = [c for c in known if c.name == name or (name.endswith("-") and c.name.startswith(name))]
        if not found:
            hint = did_you_mean(name, [cell.name for cell in known])
            raise UsageError(f'there is no cell "{name}"{hint}; see iwarp matrix --list')
        chosen |= {cell.name: cell for cell in found}
    return list(chosen.values())


def run(cell: Cell, directory: Path) -> Result:
    """Run the commands of a cell until one fails; what they print is in ``directory``."""
    if not shutil.which(cell.needs):
        return Result(cell, MISSING, said=f"there is no {cell.needs}")
    begin, said = time.monotonic(), ""
    with (directory / f"{cell.name}.log").open("w") as log:
        for step in cell.steps:
            log.write(f"$ {' '.join(step.words)}\n")
            log.flush()
            done = subprocess.run(
                step.words, cwd=ROOT, env={**os.environ, **step.environment}, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
            )  # fmt: skip
            log.write(done.stdout)
            said = next((line.strip() for line in reversed(done.stdout.splitlines()) if line.strip()), "")
            if done.returncode:
                return Result(cell, FAILED, time.monotonic() - begin, said)
    return Result(cell, PASSED, time.monotonic() - begin, said)


def write(results: Sequence[Result], directory: Path) -> None:
    """Write matrix.csv, matrix.md and matrix.rst: a line a cell."""
    lines = [(r.cell.name, r.cell.about, r.state, f"{r.seconds:.0f}", r.said) for r in results]
    titles = ("cell", "what is done", "result", "seconds", "last line")
    with (directory / "matrix.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([titles, *lines])
    rows = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in (titles, *lines)]
    rows.insert(1, "|" + " --- |" * len(titles))
    (directory / "matrix.md").write_text("\n".join(rows) + "\n")
    (directory / "matrix.rst").write_text(
        ".. list-table::\n   :header-rows: 1\n\n"
        + "".join("".join(f"   {'*' if i == 0 else ' '} - {cell}\n" for i, cell in enumerate(line))
                  for line in (titles, *lines))
    )  # fmt: skip


def _parse(release: str, compiler: str, standard: int) -> Cell:
    form = f"{compiler}-c++{standard}"
    environment = {
        "CXX": COMPILERS[compiler], "IWARP_BUILD_FORM": form, "IWARP_CMAKE_OPTIONS": f"-DCMAKE_CXX_STANDARD={standard}",
    }  # fmt: skip
    return Cell(
        f"parse-{release}-{form}",
        f"the library's sources with the headers of PyPI's ns-3 {release}, warnings being errors",
        COMPILERS[compiler],
        [Step([".ci/compile", "--batches", release], environment)],
    )


def _build(form: str, compiler: str, kind: str) -> Cell:
    name = f"build-{form}-{compiler}-{kind}"
    place = ROOT / f"build-matrix-{form}-{compiler}-{kind}"
    environment = {"CXX": COMPILERS[compiler]}
    steps = [
        Step(["cmake", "-S", ".", "-B", str(place), "-G", "Ninja", f"-DIWARP_NS3={form}", "-DIWARP_EXTRAS=OFF",
              f"-DCMAKE_BUILD_TYPE={KINDS[kind]}"], environment),
        Step(["ninja", "-C", str(place), "iwarp", "iwarp-test"]),
        Step(["ctest", "--test-dir", str(place), "-L", "^suite$", "-j", str(os.cpu_count()), "--no-tests=error"]),
    ]  # fmt: skip
    recorded = [str(PYTHON), "test/recorded_scenarios.py"]
    if form == "wheel":
        steps.append(Step(recorded, {"IWARP_BUILD": str(place)}))
    else:
        steps.append(Step([*recorded, "--library", str(place / "lib" / "libiwarp.so")]))
    about = "library and suites, built and run; the recorded scenarios are the same octets"
    return Cell(name, f"{about}; logs and assertions are on", COMPILERS[compiler], steps)


def _in_tree(tree: Path) -> Cell:
    name, place = re.sub(r"[^\w.]+", "-", tree.resolve().name), str(tree.resolve())
    recorded = [str(PYTHON), "test/recorded_scenarios.py", "--library", place]
    return Cell(f"tree-{name}", f"in the source tree {tree}: built, suites, an example, the recorded scenarios", "c++",
                [Step([".ci/in-tree", place]),
                 Step(recorded, {"LD_LIBRARY_PATH": str(tree.resolve() / "build" / "lib")})])  # fmt: skip


def _analyses(folders: Sequence[str]) -> list[Cell]:
    place = ROOT / "build-matrix-tidy"
    files = [str(path.relative_to(ROOT)) for folder in folders for path in sorted((ROOT / folder).rglob("*.cc"))]
    where = ", ".join(folders)
    configure = ["cmake", "-S", ".", "-B", str(place), "-G", "Ninja", "-DIWARP_UNITY=OFF", "-DIWARP_PCH=OFF"]
    runner = str(ROOT / "build" / "iwarp-test")
    return [
        Cell("clang-tidy", f"sources of {where}, each file alone", "clang-tidy",
             [Step(configure),
              Step(["clang-tidy", "-p", str(place), "--quiet", f"-checks={TIDY}", "--warnings-as-errors=*", *files])]),
        Cell("cppcheck", f"sources of {where}", "cppcheck", [Step(["cppcheck", *CPPCHECK, *files])]),
        Cell("valgrind", "ten suites of build/, without an error of memory", "valgrind",
             [Step([*VALGRIND, runner, f"--suite={suite}"]) for suite in SUITES]),
    ]  # fmt: skip
