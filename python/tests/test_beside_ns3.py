# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's own Python bindings and this package in one process, which reads all of ns-3's headers (nightly_beside_ns3:
the other way round)."""

import subprocess
import sys
from pathlib import Path

import pytest
from iwarp.errors import IwarpError
from iwarp.runs import loader

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


BOTH = ("import iwarp; iwarp.load().IwarpScenario", "from ns import ns")


def load_and_run(*loads):
    """Load both in a process of its own, and use both."""
    lines = [
        *loads,
        "import iwarp; print(iwarp.run(octets=300_000)['payload_octets'] > 0)",
        "print(ns.IwarpScenario.GetTypeId().GetName(), ns.Seconds(2).GetSeconds(), len(iwarp.params()) > 20)",
    ]
    path = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parent.parent)!r})"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([path, *lines])], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["True", "ns3::IwarpScenario", "2.0", "True"], done.stderr


def test_this_package_first():
    load_and_run(*BOTH)
