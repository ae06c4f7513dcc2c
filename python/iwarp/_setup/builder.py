# SPDX-License-Identifier: GPL-2.0-only
"""The standalone builds, with CMake and Ninja.

build/ is against the wheel, build-debian/ against Debian's ns-3; with sanitizers it is build-sanitize/ or
build-debian-sanitize/.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from . import LOCKS, ROOT, SetupError, call, environment, is_writable, lock, machine, say

FORMS = ("wheel", "debian")
SANITIZERS = "address,undefined"
SOURCES = ("cmake", "model", "helper", "test", "examples", "bench", "python/tests")  #: what CMake's globs and Ninja see


def directory(form: str, sanitize: bool = False) -> Path:
    """Return the build directory of a form of ns-3, with sanitizers or without."""
    return ROOT / ("build" + ("" if form == "wheel" else f"-{form}") + ("-sanitize" if sanitize else ""))


def build(form: str = "wheel", target: str = "all", sanitize: bool = False, always: bool = False) -> Path:
    """Configure if need be, build what changed, and return the build directory.

    Where no source has changed since the target was last built nothing is run and nobody waited for, unless ``always``,
    for what Ninja alone would see: another compiler, other headers of the system. Where nothing can be written, as on a
    read-only mount, what was built is taken as it is.
    """
    if not (ROOT / "CMakeLists.txt").exists():
        raise SetupError("only a clone of the repository can be built and tested: run its ./iwarp")
    if form == "debian":
        machine.provide(machine.FOR_DEBIANS_NS3)
    place = directory(form, sanitize)
    options = [f"-DIWARP_NS3={form}", *([f"-DIWARP_SANITIZE={SANITIZERS}"] if sanitize else [])]
    options += shlex.split(os.environ.get("IWARP_CMAKE_OPTIONS", ""))
    # a clone that moved, or a .venv made anew
    wanted = "\n".join([str(ROOT), environment.fingerprint() if form == "wheel" else "", *options])
    if not always and _is_built(place, target, _state(wanted)):
        return place
    if not always and not is_writable() and _built(place):
        return place
    with lock():
        state = _state(wanted)  # as it is before Ninja looks
        built = _built(place)
        if always or not _is_built(place, target, state):
            place.mkdir(exist_ok=True)
            _configure(form, place, options, wanted)
            _ninja(place, target)
            (place / "iwarp-built").write_text(json.dumps(built | {target: state}))
    return place


def build_elsewhere(source: Path, place: Path, target: str, options: list[str]) -> None:
    """Build a target of a copy of the sources, which Ninja alone judges."""
    with lock():
        place.mkdir(exist_ok=True)
        options = ["-DIWARP_NS3=wheel", *options]
        _configure("wheel", place, options, "\n".join([str(source), environment.fingerprint(), *options]), source)
        _ninja(place, target)


def _is_built(place: Path, target: str, state: str) -> bool:
    """Return whether a target, which is part of all, was built from these sources."""
    built = _built(place)
    return state in (built.get(target), built.get("all"))


def _built(place: Path) -> dict[str, str]:
    """Return the state of the sources that each target was last built from."""
    if not (place / "build.ninja").exists() or not (place / "lib" / "libiwarp.so").exists():
        return {}
    try:
        return json.loads((place / "iwarp-built").read_text())
    except (FileNotFoundError, ValueError):
        return {}


def _state(wanted: str) -> str:
    """Return what changes with each file of the sources: its name, size and time, and with the configuration."""
    digest = hashlib.sha256(wanted.encode())
    for path in (ROOT / "CMakeLists.txt", ROOT / "python" / "iwarp" / "version.py", *(ROOT / name for name in SOURCES)):
        for name, found in sorted(_files(path)):
            digest.update(f"{name}\0{found.st_size}\0{found.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _files(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    if not path.is_dir():
        yield str(path), path.stat()
        return
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name not in ("__pycache__", "data"):
                    yield from _files(Path(entry.path))
            else:
                yield entry.path, entry.stat(follow_symlinks=False)


def version(place: Path) -> str:
    """Return the version of the ns-3 that a build directory is configured for."""
    found = re.search(r"^IWARP_NS3_VERSION:\w+=(.*)$", (place / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else "unknown"


def _configure(form: str, place: Path, options: list[str], wanted: str, source: Path = ROOT) -> None:
    cache, stamp = place / "CMakeCache.txt", place / "iwarp-configured"
    if stamp.exists() and (place / "build.ninja").exists() and stamp.read_text() == wanted:
        return
    if cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n" not in cache.read_text():
        cache.unlink()
        shutil.rmtree(place / "CMakeFiles", ignore_errors=True)
    if not shutil.which("cmake"):
        raise SetupError(f"cmake is missing: {machine.advise('cmake')}")
    say(f"configuring {place.name}/ for ns-3 from {'PyPI' if form == 'wheel' else 'Debian'}")
    command = ["cmake", "-S", str(source), "-B", str(place), "-G", "Ninja", *options]
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
    if not shutil.which("ninja"):
        raise SetupError(f"ninja is missing: {machine.advise('ninja')}")
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
