# SPDX-License-Identifier: GPL-2.0-only
"""The wheel, where there is no compiler, and the source distribution install and run in fresh environments."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_both_distributions_install_and_run():
    # of this clone nothing is to be found
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([ROOT / ".ci" / "release"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-10_000:]
    assert done.stdout.splitlines()[-1] == "14 passed, 0 failed"
