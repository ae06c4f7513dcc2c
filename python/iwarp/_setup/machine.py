# SPDX-License-Identifier: GPL-2.0-only
"""What has to be on the machine, and the Debian packages that bring it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Callable
from pathlib import Path

from . import SetupError, call, say

PREFIXES = ("/usr", "/usr/local")


def _header(name: str) -> bool:
    return any((Path(place) / "include" / name).exists() for place in PREFIXES)


def _library(name: str) -> bool:
    return any(any(Path(place).glob(f"lib/**/{name}")) for place in PREFIXES)


def _python_headers() -> bool:
    return (Path(sysconfig.get_path("include")) / "Python.h").exists()


def _venv() -> bool:
    return all(importlib.util.find_spec(m) for m in ("venv", "ensurepip"))


# Debian package: how to see that what it brings is there
REQUIRED: dict[str, Callable[[], object]] = {
    "g++": lambda: shutil.which("c++"),
    "cmake": lambda: shutil.which("cmake"),
    "ninja-build": lambda: shutil.which("ninja"),
    "libboost-dev": lambda: _header("boost/crc.hpp"),
    "python3-venv": _venv,
}
USEFUL: dict[str, Callable[[], object]] = {
    "libisal-dev": lambda: _header("isa-l/crc.h"),
    "libssl-dev": lambda: _header("openssl/evp.h"),
    "ccache": lambda: shutil.which("ccache"),
}
FOR_BINDINGS: dict[str, Callable[[], object]] = {"python3-dev": _python_headers}
FOR_BENCHMARKS: dict[str, Callable[[], object]] = {"valgrind": lambda: shutil.which("valgrind")}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FOR_TESTS: dict[str, Callable[[], object]] = {
    "chromium": lambda: any(map(shutil.which, BROWSERS)),
    "doxygen": lambda: shutil.which("doxygen"),
    "iproute2": lambda: shutil.which("ip"),
    "tshark": lambda: shutil.which("tshark"),
}
FOR_NIGHTLY: dict[str, Callable[[], object]] = {
    "munge": lambda: shutil.which("munged"),
    "slurm-wlm": lambda: all(map(shutil.which, ("slurmctld", "slurmd", "sbatch"))),
}
FOR_DEBIANS_NS3: dict[str, Callable[[], object]] = {
    "libns3-dev": lambda: _library("pkgconfig/ns3-internet.pc"),
    "libgsl-dev": lambda: _header("gsl/gsl_version.h"),
    "pkg-config": lambda: shutil.which("pkg-config"),
}
FOR_INTEROP: dict[str, Callable[[], object]] = {
    "qemu-system-x86": lambda: shutil.which("qemu-system-x86_64"),
    "mmdebstrap": lambda: shutil.which("mmdebstrap"),
    "cpio": lambda: shutil.which("cpio"),
    "gcc": lambda: shutil.which("gcc"),
    "make": lambda: shutil.which("make"),
    "xz-utils": lambda: shutil.which("xz"),
    "kmod": lambda: shutil.which("depmod", path="/usr/sbin:/sbin"),
    "linux-headers-amd64": lambda: any(Path("/lib/modules").glob("*-amd64/build")),
    "libibverbs-dev": lambda: _header("infiniband/verbs.h"),
    "librdmacm-dev": lambda: _header("rdma/rdma_cma.h"),
}


def provide(required: dict[str, Callable[[], object]], useful: dict[str, Callable[[], object]] | None = None) -> None:
    """Install what is missing if we may; otherwise say how, and stop if we cannot do without it."""
    lacking = [package for package, there in required.items() if not there()]
    wanted = [package for package, there in (useful or {}).items() if not there()]
    if not lacking and not wanted:
        return
    line = f"apt-get install {' '.join(lacking + wanted)}"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say(line)
        if _apt_get(lacking + wanted) or not lacking:
            return
        raise SetupError(f"`{line}` failed: run it by hand, then try again")
    if lacking:
        missing = f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing"
        raise SetupError(f"{missing}; on Debian and Ubuntu run: sudo {line}")
    say(f"works better with {', '.join(wanted)}; on Debian and Ubuntu run: sudo {line}")


def advise(command: str) -> str:
    """Return what to do about a command, or a file, that is not there."""
    package = next((p for p in REQUIRED if p.removesuffix("-build") == Path(command).name), "")
    if package:
        return f"on Debian and Ubuntu, apt-get install {package} brings it"
    return "what has been set up is no longer whole; remove .venv and build, and try again"


def _apt_get(packages: list[str]) -> bool:
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")

    def apt_get(*arguments: str) -> bool:
        command = ["apt-get", *arguments]
        return call(command, env=environment).returncode == 0

    install = ["install", "-y", "--no-install-recommends", *packages]
    # the lists may be absent or old: fetch them only if the first try fails
    return apt_get(*install) or (apt_get("update") and apt_get(*install))
