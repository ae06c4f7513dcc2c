# SPDX-License-Identifier: GPL-2.0-only
"""The Python environment .venv and what is installed in it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from . import ROOT, SetupError, call, lock, machine, say

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "iwarp-stamp"
UNFINISHED = VENV / "iwarp-unfinished"


def fingerprint() -> str:
    """Return what .venv has to have been made from to be good."""
    text = f"{(ROOT / 'requirements.txt').read_text()}\n{ROOT if not VENV.is_symlink() else ''}"
    return hashlib.sha256(text.encode()).hexdigest()


def ready() -> bool:
    """Return whether .venv is whole and up to date."""
    try:
        return STAMP.read_text() == fingerprint() and PYTHON.exists() and not UNFINISHED.exists()
    except FileNotFoundError:
        return False


def provide() -> None:
    """Make .venv, or bring it up to date. Cut short, the next call begins again."""
    if ready():
        return
    with lock():
        if ready():
            return
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
        say("installing the requirements in .venv; one of them is compiled, which takes some minutes")
        pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        _call([*pip, "-r", str(ROOT / "requirements.txt")], "installing the requirements")
        # on its first import cppyy precompiles the headers of the C++ library
        _call([str(PYTHON), "-c", "import cppyy"], "loading cppyy")
        if not VENV.is_symlink():
            _add_package()
        STAMP.write_text(fingerprint())
        UNFINISHED.unlink()


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
