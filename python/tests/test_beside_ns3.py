# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's own Python bindings and this package in one process, which reads all of ns-3's headers."""

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


@pytest.mark.parametrize("order", ["iwarp first", "ns first"])
def test_beside_all_of_ns3(order):
    """`from ns import ns` and this package work in one process, whichever comes first."""
    lines = ["import iwarp; iwarp.load().IwarpScenario", "from ns import ns"]
    if order == "ns first":
        lines.reverse()
    lines += [
        "import iwarp; print(iwarp.run(octets=300_000)['payload_octets'] > 0)",
        "print(ns.IwarpScenario.GetTypeId().GetName(), ns.Seconds(2).GetSeconds(), len(iwarp.params()) > 20)",
    ]
    path = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parent.parent)!r})"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([path, *lines])], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["True", "ns3::IwarpScenario", "2.0", "True"], done.stderr
