# SPDX-License-Identifier: GPL-2.0-only
"""The Python environment .venv and what is installed in it: groups of requirements, when something needs them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from . import LOCKS, ROOT, SetupError, call, is_writable, lock, machine, say

Result = TypeVar("Result")
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "iwarp-stamp"  #: what each group that is installed was made from
UNFINISHED = VENV / "iwarp-unfinished"
REQUIREMENTS = ROOT / "requirements"

CORE = "core"
# a group, which is a file of requirements/, and the groups that it needs besides CORE
GROUPS: dict[str, tuple[str, ...]] = {
    CORE: (),
    "sweeps": (),
    "bindings": (),
    "cluster": ("sweeps",),
    "docs": ("sweeps", "bindings"),
    "test": ("sweeps", "bindings", "cluster", "docs"),
}


def fingerprint(group: str = CORE) -> str:
    """Return what a group has to have been installed from to be good."""
    text = (REQUIREMENTS / f"{group}.txt").read_text()
    if group == CORE and not VENV.is_symlink():
        text += f"\n{ROOT}"
    return hashlib.sha256(text.encode()).hexdigest()


def lacking(groups: Iterable[str]) -> list[str]:
    """Return which groups, or groups that they need, are not in .venv as requirements/ has them."""
    wanted = {CORE, *groups}.union(*(GROUPS[group] for group in groups))
    installed = _installed() if PYTHON.exists() and not UNFINISHED.exists() else {}
    return [group for group in GROUPS if group in wanted and installed.get(group) != fingerprint(group)]


def _holds(groups: Iterable[str]) -> bool:
    """Return whether .venv has these groups, be it from other requirements or, as a mount is, for another place."""
    wanted = {CORE, *groups}.union(*(GROUPS[group] for group in groups))
    return PYTHON.exists() and not UNFINISHED.exists() and wanted <= _installed().keys()


def provide(*groups: str, beside: Callable[[], Result] = lambda: None) -> Result:
    """Make .venv, or bring these groups of it up to date. Cut short, the next call begins again.

    Where nothing can be written, the groups are taken as they are.

    @param beside what can be done meanwhile, as soon as CORE is there, such as to build.
    @return what that returns.
    """
    if not lacking(groups) or (not is_writable() and _holds(groups)):
        return beside()
    with lock():
        if CORE in lacking(groups):
            _make()
        with _installing(lacking(groups)):
            return beside()


def _make() -> None:
    """Make .venv, with what a run needs."""
    machine.provide(machine.REQUIRED, machine.USEFUL)
    # a folder that was left half-made, or that moved here with the clone, is ours to remove
    if not VENV.is_symlink() and (UNFINISHED.exists() or STAMP.exists() or not PYTHON.exists()):
        shutil.rmtree(VENV, ignore_errors=True)
    if not PYTHON.exists():
        say("making .venv")
        VENV.mkdir()
        UNFINISHED.touch()
        _call([_base_python(), "-m", "venv", str(VENV)], "making .venv")
    UNFINISHED.touch()
    say("installing ns-3 in .venv")
    _call([*_pip(CORE), "--no-deps"], "installing ns-3")
    if not VENV.is_symlink():
        _add_package()
    _stamp([CORE])


@contextlib.contextmanager
def _installing(groups: list[str]) -> Iterator[None]:
    """Install groups while something else is done."""
    if not groups:
        yield
        return
    if "bindings" in groups:
        machine.provide(machine.FOR_BINDINGS)
    long = ", which compiles for some minutes" if "bindings" in groups else ""
    say(f"installing in .venv what is needed for {', '.join(groups)}{long}")
    UNFINISHED.touch()
    pip = subprocess.Popen(_pip(*groups), stdin=subprocess.DEVNULL, stdout=sys.stderr, pass_fds=LOCKS)
    try:
        yield
    except SetupError:
        with contextlib.suppress(SetupError):  # one is told, the first
            _finish(pip, groups)
        raise
    except BaseException:
        pip.wait()
        raise
    _finish(pip, groups)


def _finish(pip: subprocess.Popen[bytes], groups: list[str]) -> None:
    if pip.wait() != 0:
        UNFINISHED.unlink()  # pip leaves things as they were
        raise SetupError(f"installing what is needed for {', '.join(groups)} failed: see above")
    if "bindings" in groups:
        # on its first import cppyy precompiles the headers of the C++ library
        _call([str(PYTHON), "-c", "import cppyy"], "loading cppyy")
    _stamp(groups)


def _installed() -> dict[str, str]:
    try:
        return json.loads(STAMP.read_text())
    except (FileNotFoundError, ValueError):
        return {}


def _stamp(groups: list[str]) -> None:
    """Write down that groups are installed, and that nothing is half done."""
    new = STAMP.with_suffix(".new")
    new.write_text(json.dumps(_installed() | {group: fingerprint(group) for group in groups}))
    new.replace(STAMP)
    UNFINISHED.unlink()


def _pip(*groups: str) -> list[str]:
    files = [part for group in groups for part in ("-r", str(REQUIREMENTS / f"{group}.txt"))]
    return [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q", *files]


def _base_python() -> str:
    """Return the Python outside .venv: we may run from a .venv that is about to be replaced."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


def _add_package() -> None:
    """Let `import iwarp` find the package of this clone."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([str(PYTHON), "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    (Path(site) / "iwarp-clone.pth").write_text(f"{ROOT / 'python'}\n")


def _call(command: list[str], doing: str) -> None:
    if call(command).returncode != 0:
        raise SetupError(f"{doing} failed: see above")
