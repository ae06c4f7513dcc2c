# SPDX-License-Identifier: GPL-2.0-only
"""The build inside an ns-3 source tree, with the tree's own tools: ./ns3 since 3.36, ./waf before."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import ROOT, SetupError, call, machine, say

SUPPORTED = ((3, 35), (3, 48))


def check(tree: Path) -> str:
    """Return the version of an ns-3 source tree; a SetupError says why the module cannot be built there."""
    try:
        release = (tree / "VERSION").read_text().strip()
    except (OSError, UnicodeDecodeError):
        raise SetupError(f"{tree} is no ns-3 source tree: it has no VERSION file") from None
    if not any((tree / tool).exists() for tool in ("ns3", "waf")):
        raise SetupError(f"{tree} is no whole ns-3 source tree: it has neither ./ns3 nor ./waf")
    number = _number(release)
    if number and number < SUPPORTED[0]:
        raise SetupError(f"{tree} is ns-3 {release}: take 3.35 or later")
    return release


def _number(release: str) -> tuple[int, int] | None:
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found.group(1)), int(found.group(2))) if found else None


def build(tree: Path) -> str:
    """Link the repository into contrib/, build the module there, and return the version of ns-3."""
    release = check(tree)
    number = _number(release)
    if not number or number > SUPPORTED[1]:
        say(f"ns-3 {release} has not been tried: 3.35 to 3.48 are supported")
    _link(tree)
    machine.provide({p: machine.REQUIRED[p] for p in ("g++", "cmake", "libboost-dev")})
    if (tree / "ns3").exists():
        _with_cmake(tree)
    else:
        _with_waf(tree)
    return release


def _link(tree: Path) -> None:
    link = tree / "contrib" / "iwarp"
    if link.exists() and link.resolve() == ROOT:
        return
    if link.exists() and not link.is_symlink():
        raise SetupError(f"{link} is there already and is not this repository: move it away")
    link.unlink(missing_ok=True)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(ROOT)


def _with_cmake(tree: Path) -> None:
    if not (tree / "cmake-cache" / "CMakeCache.txt").exists():
        options = ["-d", "release", "--enable-tests", "--enable-examples"]
        help_text = subprocess.run(["./ns3", "configure", "--help"], cwd=tree, capture_output=True, text=True).stdout
        if "filter-module-examples-and-tests" in help_text:
            options += ["--enable-modules=iwarp", "--filter-module-examples-and-tests=iwarp"]
        else:
            # 3.36 builds its own tests too, they use csma without asking for it, and newer compilers warn of them
            options += ["--enable-modules=iwarp;csma", "--disable-werror"]
        _call(tree, "./ns3", "configure", *options)
        extra = shlex.split(os.environ.get("IWARP_CMAKE_OPTIONS", ""))
        _call(tree, "cmake", "-DIWARP_UNITY=ON", *extra, "cmake-cache")
    else:
        # a tree that its user has configured keeps its settings; the module may be new to it
        _call(tree, "cmake", "cmake-cache")
    if "iwarp" not in (tree / "cmake-cache" / "CMakeCache.txt").read_text():
        raise SetupError(f"{tree} is configured without this module: ./ns3 configure with iwarp in --enable-modules")
    # what ./ns3 build does, which leaves a processor out
    _call(tree, "cmake", "--build", "cmake-cache", "-j", str(os.cpu_count()))


def _with_waf(tree: Path) -> None:
    if not any((tree / "build" / "c4che").glob("*_cache.py")):
        options = ["--cxx-standard=-std=c++17", "--enable-tests", "--enable-examples", "--enable-modules=iwarp"]
        # the warnings of a newer compiler about an older ns-3 are not ours to mend
        _call(tree, _python_for_waf(), "./waf", "configure", "-d", "release", "--disable-werror", *options)
    _call(tree, _python_for_waf(), "./waf", "build")


def _python_for_waf() -> str:
    if sys.version_info < (3, 12):
        return sys.executable
    for name in ("python3.11", "python3.10", "python3.9"):
        if found := shutil.which(name):
            return found
    raise SetupError("waf of ns-3 3.35 needs Python 3.11 or older: install python3.11, or take ns-3 3.36 or later")


def _call(tree: Path, *command: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if call(list(command), cwd=tree, env=environment).returncode != 0:
        raise SetupError(f"`{' '.join(command)}` failed in {tree}: see above")
