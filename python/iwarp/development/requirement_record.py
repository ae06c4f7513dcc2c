# SPDX-License-Identifier: GPL-2.0-only
"""The record of the checks that cover requirements: what tests that passed have printed while they ran.

A check prints ``COVERS ids | file:line | case`` (test/iwarp-test.h, the fixture ``covers`` of
python/tests/conftest.py). The record lies in the build directory.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import IwarpError

NAME = "iwarp-requirements.json"
LINE = re.compile(r"^COVERS ([^|\n]+) \| ([^|\n]+):(\d+) \| (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Check:
    """A place where an assertion that covers requirements ran, in a test that passed."""

    ids: tuple[str, ...]
    test: str  #: of CTest, for cases in C++ the name of their suite
    case: str  #: title, or function
    file: str  #: relative to the root of the repository
    line: int

    def __str__(self) -> str:
        return f"{self.test}: {self.case} ({self.file}:{self.line})"


def covers(ids: str) -> None:
    """Record, in a script, that the check right before the call covers requirements."""
    place = sys._getframe(1)
    print(f"\nCOVERS {ids} | {place.f_code.co_filename}:{place.f_lineno} | {place.f_code.co_name}")


def entry(output: str, root: Path) -> dict[str, Any]:
    """Return what the record keeps of a test that passed: its checks, and the digests of their files."""
    found = sorted({(place_of(file, root), int(line), ids, case) for ids, file, line, case in LINE.findall(output)})
    checks = [{"ids": ids.split(), "file": file, "line": line, "case": case} for file, line, ids, case in found]
    return {"checks": checks, "sources": {file: _digest(root / file) for file, *_ in found}}


def update(path: Path, entries: Mapping[str, dict[str, Any]], whole: bool) -> None:
    """Put the entries of the tests that ran into the record; a whole run replaces all there is."""
    record = json.loads(path.read_text()) if path.exists() and not whole else {}
    record.update(entries)
    path.write_text(json.dumps({test: record[test] for test in sorted(record) if record[test]["checks"]}, indent=1))


def load(path: Path, root: Path) -> Iterator[Check]:
    """Read the record; one that speaks of files as they are no more is an error."""
    if not path.exists():
        raise IwarpError("there is no record of what the tests have checked: run `./iwarp test`")
    for test, kept in json.loads(path.read_text()).items():
        for file, digest in kept["sources"].items():
            if _digest(root / file) != digest:
                raise IwarpError(f"{file} is not as it was when {test} ran: run `./iwarp test -R '^{test}$'`")
        for check in kept["checks"]:
            yield Check(tuple(check["ids"]), test, check["case"], check["file"], check["line"])


def place_of(file: str, root: Path) -> str:
    """Return the file's path relative to the repository; a compiler cache names it relative to the build directory."""
    path = Path(file)
    if not path.is_absolute():
        path = root.joinpath(*(part for part in path.parts if part != ".."))
    return (
        path.resolve().relative_to(root.resolve()).as_posix() if path.resolve().is_relative_to(root.resolve()) else file
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
