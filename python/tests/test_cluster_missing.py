# SPDX-License-Identifier: GPL-2.0-only
"""Where Dask is not installed a sweep on a cluster says what to install, and other sweeps run."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ImportError(f"No module named {{name!r}}")


sys.meta_path.insert(0, Missing())
sys.path.insert(0, {python!r})
import iwarp

try:
    iwarp.sweep({{"octets": [1000]}}, cluster={cluster!r})
except iwarp.IwarpError as error:
    print(error)
"""


@pytest.mark.parametrize("cluster", ["slurm:2", "tcp://10.0.0.1:8786"])
def test_a_sweep_on_a_cluster_names_what_is_missing(cluster):
    python = str(Path(__file__).resolve().parents[1])
    code = CODE.format(missing={"dask", "distributed", "dask_jobqueue"}, python=python, cluster=cluster)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("a cluster needs Dask: run `"), done.stderr
