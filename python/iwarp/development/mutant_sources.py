# SPDX-License-Identifier: GPL-2.0-only
"""One build for all mutants: a copy of the sources in which each fault stands beside the truth, behind a switch.

The environment's IWARP_MUTANT is the number of the mutant that is on, and IWARP_MUTANTS_PASSED a file with an octet for
each, which becomes 1 where a process has passed the place. The library alone is built anew: the test runner of build/
loads it in place of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from .._setup import ROOT, builder
from . import mutants
from .mutants import Mutant, Site

PLACE = ROOT / "build-mutants"
ROOM = 1024  #: numbers for which the switch is the same file
LINKED = (".venv", "CMakeLists.txt", "bench", "cmake", "data", "doc", "examples", "python", "test")

HEADER = """\
#ifndef IWARP_MUTANT_H
#define IWARP_MUTANT_H
extern int g_iwarpMutant;                    // the mutant that is on
extern unsigned char* g_iwarpMutantsPassed;  // an octet for each
inline bool
IwarpMutant(int number)
{
    g_iwarpMutantsPassed[number] = 1;
    return number == g_iwarpMutant;
}
#endif
"""
SWITCH = """\
#include "iwarp-mutant.h"
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char g_iwarpMutantsOwn[%(count)d];
int g_iwarpMutant = -1;
unsigned char* g_iwarpMutantsPassed = g_iwarpMutantsOwn;
__attribute__((constructor(101))) static void
SetIwarpMutant()
{
    const char* number = std::getenv("IWARP_MUTANT");
    g_iwarpMutant = number ? std::atoi(number) : -1;
    const char* name = std::getenv("IWARP_MUTANTS_PASSED");
    const int file = name ? open(name, O_RDWR) : -1;
    if (file >= 0)
    {
        void* shared = mmap(nullptr, %(count)d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        g_iwarpMutantsPassed = shared == MAP_FAILED ? g_iwarpMutantsOwn : static_cast<unsigned char*>(shared);
        close(file);
    }
}
"""


def number(chosen: list[Mutant], place: Path = PLACE) -> dict[str, int]:
    """Return the number of each mutant by its name: as in the build that is there, so that little is compiled anew."""
    file = place / "numbers.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    names = [mutant.name for mutant in chosen]
    numbers = {name: known[name] for name in names if name in known}
    free = iter(sorted(set(range(len(names))) - set(numbers.values())))
    return numbers | {name: next(free) for name in names if name not in numbers}


def count(numbers: dict[str, int]) -> int:
    """Return how many numbers a build has room for."""
    return (max(numbers.values(), default=0) // ROOM + 1) * ROOM


def write(sites: dict[str, list[Site]], numbers: dict[str, int], place: Path = PLACE) -> None:
    """Write the sources with a switch at each site."""
    source = place / "src"
    source.mkdir(parents=True, exist_ok=True)
    for name in LINKED:
        _link(source / name, ROOT / name)
    kept = set()
    for path in [found for folder in ("model", "helper") for found in (ROOT / folder).rglob("*.*")]:
        name = str(path.relative_to(ROOT))
        kept.add(source / name)
        if name in sites:
            text = mutants.switched(path.read_text(), sites[name], numbers)
            _write(source / name, f'#include "ns3/iwarp-mutant.h"\n#line 1 "{path}"\n{text}')
        else:
            _write(source / name, path.read_text())  # a link would hide from compilers that it may become a fault
    own = source / "model" / "util" / "iwarp-mutant"
    _write(own.with_suffix(".cc"), SWITCH % {"count": count(numbers)})
    _write(own.with_suffix(".h"), HEADER)
    for path in [found for folder in ("model", "helper") for found in (source / folder).rglob("*.*")]:
        if path not in kept and path.stem != own.name:
            path.unlink()
    _write(place / "numbers.json", json.dumps(numbers))


def build(place: Path = PLACE) -> Path:
    """Build the library of the mutants and the runner that goes with it, and return the folder of the library."""
    builder.build(target="iwarp-test")
    options = ["-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g0 -DNDEBUG", "-DIWARP_EXTRAS=OFF", "-Wno-dev"]
    builder.build_elsewhere(place / "src", place, "iwarp", options)
    return place / "lib"


def _link(path: Path, to: Path) -> None:
    if path.is_symlink() and path.readlink() == to:
        return
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


def _write(path: Path, text: str) -> None:
    """Write a file that has changed, so that no other is compiled again."""
    if path.is_symlink():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
