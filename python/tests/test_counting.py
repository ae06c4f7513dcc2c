# SPDX-License-Identifier: GPL-2.0-only
"""How `iwarp test` counts cases, on what CTest's reports hold."""

import pytest

from iwarp.commands.test import count

SUITE = """PASS mpa-marker 0.010 s
  PASS positions 0.004 s
  PASS wrap 0.006 s
"""
FAILED_SUITE = """FAIL mpa-marker 0.010 s
  PASS positions 0.004 s
  FAIL wrap 0.006 s
    Test condition: "a" == "b"
"""
NESTED = """PASS outer 0.010 s
  PASS group 0.004 s
    PASS first 0.002 s
    PASS second 0.002 s
  PASS alone 0.001 s
"""


@pytest.mark.parametrize(
    ("status", "output", "expected"),
    [
        ("run", SUITE, (2, 0, 0)),
        ("fail", FAILED_SUITE, (1, 1, 0)),
        ("run", NESTED, (3, 0, 0)),
        ("run", "PASS single 0.000 s\n", (1, 0, 0)),
        # a crash after the first case, before the suite has said anything of itself
        ("fail", "assert failed\n", (0, 1, 0)),
        ("fail", SUITE, (2, 1, 0)),
        ("run", "....\n4 passed in 1.20s\n", (4, 0, 0)),
        ("fail", "==== 1 failed, 3 passed, 2 skipped, 1 xfailed in 61.20s (0:01:01) ====\n", (4, 1, 2)),
        ("fail", "1 error in 0.10s\n", (0, 1, 0)),
        ("run", "", (1, 0, 0)),
        ("fail", "", (0, 1, 0)),
        ("notrun", "", (0, 0, 1)),
    ],
)
def test_count(status, output, expected):
    counts = count(status, output)
    assert (counts["passed"], counts["failed"], counts["skipped"]) == expected
