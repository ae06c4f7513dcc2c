# SPDX-License-Identifier: GPL-2.0-only
"""Programs that a sweep runs: any executable with ``--name=value`` arguments, as those of ns-3 are."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import IwarpError, UsageError
from ..runs.runner import Limits, Measured, die_with_parent, limit_memory, post_mortem
from .subjects import call, compare, identify, inner, plain, unreserved


class Program:
    """An executable to sweep, each run in an empty working directory of its own, removed afterwards."""

    own_directory = True

    def __init__(
        self,
        path: str | Path,
        *arguments: str,
        read: Callable[[str], Mapping[str, Any]] | None = None,
        run: str | None = "RngRun",
    ):
        """Find the program.

        @param path a file, or the name of a command.
        @param arguments what comes before those of the grid; a file among them needs its full path.
        @param read takes what the program wrote to standard output and returns what was measured, by name; it is called
            in the directory in which the program ran. By default each line that is a JSON object is read: a number for
            each name, or ``{"value": …, "unit": …}``.
        @param run the argument that takes the number of the run, ns-3's own by default; None where there is none.
        """
        found = shutil.which(str(path)) if os.sep not in str(path) else str(Path(path).resolve())
        if not found or not os.access(found, os.X_OK) or Path(found).is_dir():
            raise UsageError(f"{path} is no program that can be run: give the path of an executable file")
        self._path = found
        self._arguments = tuple(map(str, arguments))
        self._read = read or read_json_lines
        self.functions = (inner(self._read),)
        self._run = run
        self._identity = _identity(found)
        texts = [self._identity, *self._arguments, str(run), identify(self._read)]
        self.code = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def configure(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = {} if self._run is None else {"run": 1}
        values |= {name: plain(value, name) for name, value in given.items()}
        if self._run in given:
            raise UsageError(f'the number of the run, --{self._run}, is called "run" in a grid')
        return unreserved(values)

    def keep_apart(self, params: dict[str, Any], key: str) -> dict[str, Any]:
        return params

    def units(self, params: Mapping[str, Any]) -> dict[str, str]:
        return {}

    def execute(self, params: Mapping[str, Any], limits: Limits) -> Measured:
        command = [self._path, *self._arguments]
        for name, value in params.items():
            name = self._run if name == "run" and self._run else name
            command.append(f"--{name}={str(value).lower() if isinstance(value, bool) else value}")

        def restrict() -> None:
            die_with_parent()
            limit_memory(limits.octets)

        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            try:
                code = subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, preexec_fn=restrict
                ).returncode
            except OSError as error:
                raise IwarpError(f"{self._path} does not start: {error.strerror}") from None
            if code:
                errors.seek(0)
                raise post_mortem(code, errors.read().decode(errors="replace"), Path(self._path).name)
            out.seek(0)
            text = out.read().decode(errors="replace")
        return call(self._read, text)

    def prepare(self) -> None:
        compare(_identity(self._path), self._identity, f"another {self._path}")


def read_json_lines(text: str) -> dict[str, Any]:
    """Return what the lines that are JSON objects say, the last of each name; or raise UsageError."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found |= json.loads(line)
            except ValueError:
                continue
    if not found:
        raise UsageError("the program printed no line of JSON: give read, a function of what it prints")
    return found


def _identity(path: str) -> str:
    """Return twelve digits that change with an executable, and with the libraries of its own that it links."""
    files = [Path(path)]
    linked = subprocess.run(["ldd", path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if linked.returncode == 0:
        found = re.findall(r"=> (/\S+) \(0x", linked.stdout)
        files += [Path(f) for f in found if not f.startswith(("/lib", "/usr/lib"))]
    sums = [_checksum(file, file.stat().st_mtime_ns, file.stat().st_size) for file in files]
    return hashlib.sha256("".join(sorted(sums)).encode()).hexdigest()[:12]


@functools.cache
def _checksum(file: Path, modified: int, size: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
