# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's own Python bindings, and this package behind them, in one process."""

from test_beside_ns3 import BOTH, load_and_run


def test_ns_first():
    load_and_run(*reversed(BOTH))
