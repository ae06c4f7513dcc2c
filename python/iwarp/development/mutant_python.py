# SPDX-License-Identifier: GPL-2.0-only
"""Mutants of the Python package: a copy of it in which each fault stands beside the truth, and tests that judge it.

``((new) if IwarpMutant(7) else (old))`` takes the place of an expression. The environment is that of mutants in C++
(mutant_sources): IWARP_MUTANT is the number of the one that is on, IWARP_MUTANTS_PASSED a file with an octet for each.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .._setup import ROOT
from . import slow_tests
from .mutants import Site, switched

PLACE = ROOT / "build-mutants" / "clone"
TESTS = "python/tests"
#: tests of the scenario, the documentation and the mutants themselves, which take minutes
LONG = {
    f"python-{name}"
    for name in (
        "documentation", "fuzz", "laws", "mutant-preload", "mutants", "setup", "sweep-doc", "study-figures",
    )  # fmt: skip
}

SWITCH = """\
import builtins
import mmap
import os

_on = int(os.environ.get("IWARP_MUTANT", "-1"))
_file = os.environ.get("IWARP_MUTANTS_PASSED")
if _file and os.path.exists(_file):
    with open(_file, "r+b") as file:
        _passed = mmap.mmap(file.fileno(), 0)
else:
    _passed = bytearray(1 << 16)


def IwarpMutant(number):
    _passed[number] = 1
    return number == _on


builtins.IwarpMutant = IwarpMutant
"""


def write(sites: dict[str, list[Site]], numbers: dict[str, int], place: Path = PLACE) -> Path:
    """Make a clone whose Python package has a switch for each mutant; the rest are links. Return it."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in ("python", "out") and not path.name.startswith(("build-", ".git")):
            (place / path.name).symlink_to(path)
    shutil.copytree(ROOT / "python", place / "python", ignore=shutil.ignore_patterns("__pycache__"))
    for path, found in sites.items():
        if path.endswith(".py"):
            (place / path).write_text(switched((ROOT / path).read_text(), found, numbers))
    (place / "switch").mkdir()
    (place / "switch" / "sitecustomize.py").write_text(SWITCH)
    return place


def list_tests(quick: bool, place: Path = PLACE) -> list[str]:
    """Return the test files of the package that judge: with ``quick`` those that `./iwarp test --quick` runs."""
    left_out = set(slow_tests.load()) if quick else LONG
    names = [path.stem for path in sorted((place / TESTS).glob("test_*.py"))]
    return [name for name in names if name.replace("test_", "python-", 1).replace("_", "-") not in left_out]


def command(name: str, place: Path = PLACE) -> tuple[list[str], dict[str, str]]:
    """Return how a test file is run until its first failure, and what its environment has besides."""
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"{TESTS}/{name}.py"]
    beside = os.environ.get("PYTHONPATH")
    return words, {"PYTHONPATH": os.pathsep.join([str(place / "switch"), *([beside] if beside else [])]),
                   "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
