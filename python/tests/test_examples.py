# SPDX-License-Identifier: GPL-2.0-only
"""Examples in C++ refuse what they do not understand by a message and exit code 2."""

import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "build" / "examples"
#: examples, but one that takes parameters without a dash
NAMES = sorted(path.name for path in EXAMPLES.glob("iwarp-*") if path.is_file() and path.name != "iwarp-scenario-run")


def refuse(name: str, *arguments: str) -> str:
    """Run an example that has to refuse its arguments, and get what it says."""
    run = subprocess.run([EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2, (arguments, run.returncode, run.stderr)
    return run.stderr


def test_there_are_examples() -> None:
    """The list is that of the build."""
    assert {"iwarp-two-nodes", "iwarp-tcp-bulk", "iwarp-live", "iwarp-rdma-perf"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_that_is_no_option(name: str) -> None:
    """What a user has typed without dashes is not ignored."""
    assert '"octets=5" is no option' in refuse(name, "octets=5")


@pytest.mark.parametrize(("name", "argument", "named"), [
    ("iwarp-tcp-bulk", "--rate=0bps", "--rate more than 0"),
    ("iwarp-tcp-bulk", "--delay=-1s", "--delay a time"),
    ("iwarp-tcp-bulk", "--loss=1", "--loss from 0"),
    ("iwarp-rdma-verbs", "--rate=0bps", "--rate more than 0"),
    ("iwarp-rdma-perf", "--buffer=2147483648", "--buffer 65536 to"),
])  # fmt: skip
def test_a_value_out_of_range(name: str, argument: str, named: str) -> None:
    """Values that no simulation can have are refused, not run."""
    assert named in refuse(name, argument)
