# SPDX-License-Identifier: GPL-2.0-only
"""One run on several processors: mpirun starts a process for each rank (rank), with the library of an ns-3 source tree
that was built with MPI."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import RunError, UsageError
from . import runner

#: OpenMPI starts more processes than there are processors, in release 4 and from 5 on
_ANY_NUMBER = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def find_library(tree: Path) -> Path:
    """Return the library of this module in an ns-3 source tree; raise UsageError where it is not built there."""
    for path in sorted((tree / "build" / "lib").glob("libns3*-iwarp*.so")):
        if re.fullmatch(r"libns3[0-9.]*-iwarp(-(default|debug|release|optimized|minsizerel))?\.so", path.name):
            return path
    raise UsageError(f"--ns3 {tree}: the module is not built there: run `./iwarp build --ns3 {tree}`")


def _reason(log: str) -> str:
    """Return why ranks ended, by what they and mpirun, whose words stand between rules, wrote to standard error."""
    ranks_said = re.sub(r"^-{20,}\n.*?^-{20,}\n", "", log, flags=re.MULTILINE | re.DOTALL)
    mpirun_said = re.search(r"^-{20,}\n(.*?)\n(?:\n|-{20,})", log, re.MULTILINE | re.DOTALL)
    return runner.fatal_text(ranks_said) or (" ".join(mpirun_said[1].split()) if mpirun_said else "")


def execute(settings: Mapping[str, str], tree: Path, count: int | None) -> dict[str, Any]:
    """Run in ``count`` ranks, or in one process without MPI, and return what iwarp_run() of the C interface does.

    Times are in femtoseconds in both.
    """
    library = find_library(tree)
    if count is not None and shutil.which("mpirun") is None:
        raise UsageError("--ranks: there is no mpirun; install an MPI such as Debian's openmpi-bin")
    with tempfile.TemporaryDirectory(prefix="iwarp-ranks-") as folder:
        task = Path(folder) / "task.json"
        answer = Path(folder) / "answer.json"
        task.write_text(json.dumps({"settings": settings, "alone": count is None}))
        command = [sys.executable, str(Path(__file__).with_name("rank.py")), str(library), str(task), str(answer)]
        if count is not None:
            command = ["mpirun", "-n", str(count), *command]
        folders = filter(None, [str(library.parent), os.environ.get("LD_LIBRARY_PATH")])
        paths = {"LD_LIBRARY_PATH": os.pathsep.join(folders)}
        done = subprocess.run(
            command, env={**os.environ, **_ANY_NUMBER, **paths}, capture_output=True, text=True, errors="replace",
            check=False,
        )  # fmt: skip
        if not answer.exists():
            raise RunError("crash", f"a rank ended early: {_reason(done.stderr) or f'exit code {done.returncode}'}")
        return json.loads(answer.read_text())
