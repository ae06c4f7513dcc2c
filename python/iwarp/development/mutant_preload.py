# SPDX-License-Identifier: GPL-2.0-only
"""Mutants within seconds: sources that stand alone, as a small library that is loaded before libiwarp.

The dynamic linker takes the functions of that library for those of libiwarp, wherever the test runner, the library
itself or another batch of libiwarp's sources calls them; calls within a batch are bound when it is compiled. So the
sources here are those that suites call themselves. None of them registers a class or a log with ns-3, which can be done
once. The switch and the environment are those of mutant_sources.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from .._setup import builder
from ..errors import IwarpError
from . import mutant_judge, mutant_sources, mutants
from .mutant_judge import PreloadedSuites, Verdict
from .mutants import ROOT, Mutant, Site

#: by folder of model/: sources, and the suites that judge their mutants
SUBJECTS = {
    "mpa": (
        ("mpa-enhanced", "mpa-fpdu", "mpa-mulpdu", "mpa-negotiation", "mpa-sender", "mpa-startup", "mpa-startup-frame"),
        ("mpa-enhanced", "mpa-enhanced-error", "mpa-enhanced-examples", "mpa-enhanced-startup", "mpa-fpdu-fault",
         "mpa-marker", "mpa-mulpdu", "mpa-receiver-fit", "mpa-sender", "mpa-startup", "mpa-startup-error"),
    ),
    "ddp": (
        ("ddp-header", "ddp-segmenter", "ddp-stag-table"),
        ("ddp-header", "ddp-receiver-error", "ddp-stag", "rdma-fast-register", "rdma-protection"),
    ),
    "rdmap": (
        ("rdmap-closing", "rdmap-header", "rdmap-terminate"),
        ("rdmap-closing", "rdmap-header"),
    ),
    "tcp": (
        ("tcp-mtu-search", "tcp-rack", "tcp-receive-window", "tcp-sack-blocks"),
        ("tcp-mend", "tcp-mtu-search", "tcp-rack", "tcp-receive-window"),
    ),
    "ipsec/esp": (("esp-codec", "esp-replay-window"), ("esp-codec", "esp-replay-window", "ipsec-association")),
    "nvme": (
        ("nvme-controller", "nvme-controller-machine"), ("nvme-controller", "nvme-machine", "nvme-machine-random"),
    ),
    "path/link": (("path-prefix",), ("path-tcp-segment",)),
    "roce": (("roce-dcqcn-rate", "roce-timely-rate"), ("roce-dcqcn", "roce-timely")),
    "tls": (("tls-protection", "tls-record", "tls-record-sizer"), ("tls-record",)),
    "verbs": (("rdma-memory",), ("rdma-fast-register", "rdma-protection", "rdma-verbs")),
}  # fmt: skip


def list_sources(folder: str) -> list[str]:
    """Return the sources of a folder of model/, as mutants name them."""
    return [f"model/{folder}/{name}.cc" for name in SUBJECTS[folder][0]]


def write(sites: dict[str, list[Site]], numbers: dict[str, int], place: Path) -> Path:
    """Write all sources, with a switch at each site of theirs, into one file, and return it."""
    (place / "iwarp-mutant.h").write_text(mutant_sources.HEADER)
    parts = [mutant_sources.SWITCH % {"count": mutant_sources.count(numbers)}]
    for path in (path for folder in SUBJECTS for path in list_sources(folder)):
        text = mutants.switched((ROOT / path).read_text(), sites.get(path, []), numbers)
        parts.append(f'#line 1 "{ROOT / path}"\n{text}')
    file = place / "preloaded.cc"
    file.write_text("\n".join(parts))
    return file


def build(file: Path) -> Path:
    """Compile the file into a library and return that; IwarpError says what the compiler does if it fails."""
    library = file.with_suffix(".so")
    folders = [word for folder in SUBJECTS for word in ("-iquote", str(ROOT / "model" / folder))]
    # without optimization, which binds calls, and takes longer than the suites gain by it
    words = [*_compiler(), "-O0", "-fPIC", "-shared", "-w", *folders, "-o", str(library), str(file)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise IwarpError(f"the mutants do not compile:\n{done.stderr}")
    return library


def _compiler() -> list[str]:
    """Return the compiler of build/ with the definitions, folders and standard of libiwarp there."""
    commands = json.loads((builder.directory("wheel") / "compile_commands.json").read_text())
    words = shlex.split(next(c["command"] for c in commands if " -o CMakeFiles/iwarp.dir/" in c["command"]))
    kept = [word for word in words if word.startswith(("-D", "-I", "-std="))]
    systems = [part for word, folder in zip(words, words[1:], strict=False) if word == "-isystem"
               for part in (word, folder)]  # fmt: skip
    return [words[0], *kept, *systems]


def judge(every: list[Mutant], place: Path, tell: Callable[[str], None]) -> list[Verdict]:
    """Judge the mutants of the sources here, with the library made in ``place``; one suite runs at a time.

    Those whose place no suite of their folder passes are not judged.
    """
    sites = mutants.check(every)
    numbers = mutant_sources.number(every, place)
    suites = PreloadedSuites(build(write(sites, numbers, place)))
    names = sorted({name for _, names in SUBJECTS.values() for name in names})
    recorded = mutant_judge.record(suites, mutant_sources.count(numbers), names, 1, tell)
    verdicts = []
    for folder, (_, chosen) in SUBJECTS.items():
        judges = [suite for suite in recorded if suite.name in chosen]
        ours = [site.mutant for path in list_sources(folder) for site in sites.get(path, [])]
        verdicts += [mutant_judge.judge(numbers[mutant.name], mutant, judges, suites, threading.Event())
                     for mutant in ours if any(numbers[mutant.name] in suite.passed for suite in judges)]  # fmt: skip
    return verdicts
