# SPDX-License-Identifier: GPL-2.0-only
"""The commands and programs of README.md and doc/*.rst, to be run as they stand.

What takes long has a comment before it that says so, and runs nightly; what cannot run as it stands has one that says
why, for the next block: ``.. nightly: REASON``, ``.. not run: REASON``, and in Markdown ``<!-- not run: REASON -->``. A
study is asked how much it would be, and tests are listed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CAPTURE = "test/data/captures/stock_term_read_oob_mtu1500.pcap"
#: what stands for a command in the tests: a pattern, and its replacement
QUICK = [
    (r"(\./iwarp study\b.+)", r"\1 --dry-run"),
    (r"\./iwarp study$", "./iwarp study --help"),  # tries some of 1,800 runs
    (r"\./iwarp test\b.*", "./iwarp test --help"),
    (r"\./iwarp reproduce --full\b.*", "./iwarp reproduce --list"),
    (r"\./iwarp interop\b.*", "./iwarp interop --list"),
    (r"\bdecode FILE\b", f"decode {CAPTURE}"),
    (r"\bshow FILE\b", f"show {CAPTURE} --no-open"),
    (r"\bperf_iterations=100\b", "perf_iterations=10"),
    (r"\bperf_all=true perf_iterations=10\b", "perf_all=true perf_iterations=2"),
    (r"-a -n 10 --markers", "-a -n 2 --markers"),
    (r"(build/examples/iwarp-nvme-tcp --hosts=4)", r"\1 --requests=100"),
    (r"(\./iwarp run loss=0\.1% octets=)10MB", r"\g<1>1MB"),
]


@dataclass(frozen=True)
class Block:
    """Lines of a page under a heading of code; ``mark`` is nightly, not run or nothing."""

    page: str
    line: int
    language: str
    text: str
    mark: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self) -> list[tuple[str, list[str]]]:
        """Return each command with the lines of output that are shown of it."""
        found: list[tuple[str, list[str]]] = []
        prompts = any(line.startswith("$ ") for line in self.text.splitlines())
        for line in self.text.splitlines():
            if found and found[-1][0].endswith("\\"):
                found[-1] = (f"{found[-1][0]}\n{line}", [])
            elif line.startswith("$ ") or (not prompts and line.strip()):
                found.append((line.removeprefix("$ "), []))
            elif found and line.strip():
                found[-1][1].append(line)
        return found


def blocks() -> Iterator[Block]:
    """Yield the blocks of all pages."""
    for path in [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.rst"))]:
        if path.name == "sweeps.rst":  # whose blocks build on each other: test_sweep_doc.py
            continue
        lines = path.read_text().splitlines()
        mark = ""
        for number, line in enumerate(lines):
            if found := re.match(r"(?:\.\.|<!--) (nightly|not run): \S", line):
                mark = found[1]
            elif language := _begins(lines, number):
                text = _body(lines, number)
                yield Block(path.name, number + 1, language, text, mark)
                mark = ""


def _begins(lines: list[str], number: int) -> str:
    line = lines[number]
    if found := re.match(r"\.\. (?:source|code-block|sourcecode)(?:code)?:: (console|python)$", line):
        return found[1]
    if found := re.match(r"```(python|console)$", line):
        return found[1]
    following = "\n".join(lines[number + 1 : number + 4])
    if line.rstrip().endswith("::") and not line.startswith("..") and re.match(r"\n +(\./iwarp|build/)", following):
        return "console"
    if (
        not line.strip()
        and re.match(r"    (git clone|\./iwarp)", following)
        and not lines[number - 1].startswith("    ")
    ):
        return "console"
    return ""


def _body(lines: list[str], number: int) -> str:
    if lines[number].startswith("```"):
        rest = lines[number + 1 :]
        return "\n".join(rest[: rest.index("```")])
    body = []
    for line in lines[number + 1 :]:
        if line.strip() and not line.startswith("   "):
            break
        body.append(line)
    text = "\n".join(body).strip("\n")
    indent = min(len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip())
    return "\n".join(line[indent:] for line in text.splitlines())


def place(directory: Path) -> dict[str, str]:
    """Make a directory look like a clone, with ``./iwarp`` and ``iwarp`` that need no set-up; return its
    environment."""
    for name in ("build", "test", "examples", "doc", "data"):
        if (ROOT / name).exists():
            (directory / name).symlink_to(ROOT / name)
    program = directory / "iwarp"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m iwarp "$@"\n')
    program.chmod(0o755)
    return {
        **os.environ, "PATH": f"{directory}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"),
        "LC_ALL": "C.UTF-8"
    }  # fmt: skip


def run_console(block: Block, directory: Path) -> None:
    """Run the commands of a block one after the other; each has to end well and to print what the page shows of it."""
    environment = place(directory)
    for command, shown in block.commands():
        if command.startswith(("git clone", ".venv/bin/sphinx-build")):  # test/docs_test.py makes the pages
            continue
        for pattern, replacement in QUICK:
            command = re.sub(pattern, replacement, command.partition("  #")[0].rstrip())
        if "tshark" in command and not shutil.which("tshark"):
            pytest.skip("tshark is not installed")
        if command.startswith("build/") and not (directory / command.split()[0]).exists():
            pytest.skip(f"{command.split()[0]} is not built")
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=directory, env=environment, text=True, capture_output=True,
            timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout[-500:]}{done.stderr[-2000:]}"
        printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in shown:
            if line.strip() == "...":
                continue
            wanted, cut, _ = " ".join(line.split()).partition("…")
            hit = any(text.startswith(wanted.strip()) if cut else text == wanted for text in printed)
            assert hit, f"{command}\nprints no such line: {line}\nbut\n" + "\n".join(printed[:40])


def run_python(block: Block, directory: Path) -> None:
    """Run a program in a process of its own, with little to send."""
    environment = place(directory)
    few = (
        "import iwarp\n"
        "_run, _sweep = iwarp.run, iwarp.sweep\n"
        "iwarp.run = lambda params={}, **given: _run({'octets': 20000, 'plain_tcp': False} | params, **given)\n"
        "iwarp.sweep = lambda grid, **more: _sweep({'octets': [20000], 'plain_tcp': [False]} | grid, **more)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", few + block.text],
        cwd=directory,
        env=environment,
        text=True,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]


RUN = {"console": run_console, "python": run_python}


def chosen(mark: str) -> list:
    """Return the blocks with a mark, as parameters of a test."""
    return [pytest.param(block, id=block.name) for block in blocks() if block.mark == mark]
