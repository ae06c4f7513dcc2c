# SPDX-License-Identifier: GPL-2.0-only
"""The commands of iwarp, one line each, known before anything is installed."""

from __future__ import annotations

import re
from pathlib import Path

COMMANDS = {
    "study": "sweep a study's parameters and write tables, plots and report.html",
    "sweep": "run the scenario, a function or a program for every combination of values",
    "merge": "join the results of several directories",
    "export": "write results as CSV, JSON lines or Parquet",
    "view": "open a study's report, or a sweep that runs, in the browser",
    "show": "show what happened to each segment and FPDU of a run or a capture",
    "run": "run the scenario once and print its metrics",
    "topology": "make a GraphML or GML map into the files of topology file:PREFIX",
    "params": "list the scenario's parameters",
    "metrics": "list what runs report",
    "traces": "list what can be traced in a run",
    "decode": "decode the iWARP in a capture file",
    "test": "run every test",
    "mutants": "judge the tests by faults that they have to notice",
    "bench": "measure the cost of the stack against plain ns-3 TCP",
    "soak": "try random cases under sanitizers until the time is over",
    "reproduce": "make figures of the documentation again, and hold both beside each other",
    "conformance": "count the requirements of the RFCs that tests have checked",
    "matrix": "build and test in many forms: releases, compilers, standards, tools",
    "interop": "connect simulations to Linux's soft-iWARP driver in an emulated machine",
    "build": "build against ns-3 from PyPI, from Debian, or in a source tree",
    "setup": "install what bindings, cluster, docs or test need",
}

# what ./iwarp builds before a command: `build` and `test` choose for themselves
TARGETS = {
    "study": "iwarp", "sweep": "iwarp", "run": "iwarp", "params": "iwarp", "metrics": "iwarp", "decode": "iwarp",
    "traces": "iwarp", "show": "iwarp", "reproduce": "iwarp",
    "bench": "iwarp-benches", "interop": "iwarp-live",
}  # fmt: skip

# options, and the groups of requirements that ./iwarp installs for them
OPTIONS = {"--netanim": "bindings", "--cluster": "cluster", "--slurm": "cluster"}

HELP = f"""Usage: ./iwarp COMMAND [OPTION]...

RDMA over TCP for ns-3: studies, runs, tests and builds.

Commands:
{chr(10).join(f"  {name:<12}{text}" for name, text in COMMANDS.items())}

`./iwarp COMMAND --help` explains a command and its options; most take --json. In a clone
of the repository ./iwarp sets itself up on first use: .venv, Debian packages, build.
Results go to standard output, the rest to standard error. The exit code is 0 on success,
1 on failure, 2 on bad usage. `./iwarp --quiet COMMAND` shows no progress, `./iwarp --version` the version.
"""


def groups(command: str, arguments: list[str]) -> list[str]:
    """Return which groups of requirements a call needs; `setup` and `test` choose for themselves, beside a build."""
    given = {argument.partition("=")[0] for argument in arguments}
    chosen = [] if command in ("setup", "test") else ["sweeps"]
    return chosen + [group for option, group in OPTIONS.items() if option in given]


def version() -> str:
    """Return the package's version, which python/iwarp/version.py states."""
    text = (Path(__file__).resolve().parents[1] / "version.py").read_text()
    return re.search(r'^__version__ = "(.+)"', text, re.MULTILINE).group(1)
