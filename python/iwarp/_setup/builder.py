# SPDX-License-Identifier: GPL-2.0-only
"""The standalone builds, with CMake and Ninja.

build/ is against the wheel, build-debian/ against Debian's ns-3; with sanitizers it is build-sanitize/ or
build-debian-sanitize/.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import LOCKS, ROOT, SetupError, call, environment, lock, machine, say

FORMS = ("wheel", "debian")
SANITIZERS = "address,undefined"


def directory(form: str, sanitize: bool = False) -> Path:
    """Return the build directory of a form of ns-3, with sanitizers or without."""
    return ROOT / ("build" + ("" if form == "wheel" else f"-{form}") + ("-sanitize" if sanitize else ""))


def build(form: str = "wheel", target: str = "all", sanitize: bool = False) -> Path:
    """Configure if need be, build what changed, and return the build directory."""
    if not (ROOT / "CMakeLists.txt").exists():
        raise SetupError("only a clone of the repository can be built and tested: run its ./iwarp")
    if form == "debian":
        machine.provide(machine.FOR_DEBIANS_NS3)
    place = directory(form, sanitize)
    with lock():
        place.mkdir(exist_ok=True)
        _configure(form, place, [f"-DIWARP_SANITIZE={SANITIZERS}"] if sanitize else [])
        _ninja(place, target)
    return place


def version(place: Path) -> str:
    """Return the version of the ns-3 that a build directory is configured for."""
    found = re.search(r"^IWARP_NS3_VERSION:\w+=(.*)$", (place / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else "unknown"


def _configure(form: str, place: Path, extra: list[str]) -> None:
    cache, stamp = place / "CMakeCache.txt", place / "iwarp-configured"
    # a clone that moved, or a .venv made anew
    options = [f"-DIWARP_NS3={form}", *extra, *shlex.split(os.environ.get("IWARP_CMAKE_OPTIONS", ""))]
    wanted = "\n".join([str(ROOT), environment.fingerprint() if form == "wheel" else "", *options])
    if stamp.exists() and (place / "build.ninja").exists() and stamp.read_text() == wanted:
        return
    if cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in cache.read_text():
        cache.unlink()
        shutil.rmtree(place / "CMakeFiles", ignore_errors=True)
    say(f"configuring {place.name}/ for ns-3 from {'PyPI' if form == 'wheel' else 'Debian'}")
    command = ["cmake", "-S", str(ROOT), "-B", str(place), "-G", "Ninja", *options]
    result = call(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.stderr.write(result.stdout)
        raise SetupError("configuring failed: see above")
    stamp.write_text(wanted)


def _ninja(place: Path, target: str) -> None:
    """Run Ninja and pass on what it says, except that there is nothing to do."""
    terminal = sys.stderr.isatty()
    command = ["ninja", "-C", str(place), target]
    pipe = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True, "errors": "replace"}
    with subprocess.Popen(command, pass_fds=LOCKS, **pipe) as ninja:
        progress = False
        for line in ninja.stdout:
            if line.startswith(("ninja: Entering", "ninja: no work", "[0/")):
                continue
            step = terminal and re.match(r"\[\d+/\d+\] ", line)
            if step:
                width = shutil.get_terminal_size().columns - 1
                sys.stderr.write(f"\r\033[K{line.rstrip()[:width]}")
            else:
                sys.stderr.write(("\n" if progress else "") + line)
            progress = bool(step)
            sys.stderr.flush()
        if progress:
            sys.stderr.write("\r\033[K")
    if ninja.returncode != 0:
        raise SetupError("the build failed: see above")
