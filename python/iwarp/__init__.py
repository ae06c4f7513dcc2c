# SPDX-License-Identifier: GPL-2.0-only
"""RDMA over TCP in ns-3: runs, sweeps and studies from Python.

>>> import iwarp
>>> result = iwarp.run(topology="dumbbell", markers=True)
>>> result["goodput"], result["goodput"].unit
>>> table = iwarp.sweep({"loss": [0, 0.01], "markers": [True, False]}, runs=5)
"""

from .api import Result, load, metrics, params, run, sweep
from .decoder import decode
from .errors import IwarpError, RunError, UsageError
from .quantity import Quantity
from .version import __version__

__all__ = [
    "IwarpError",
    "Quantity",
    "Result",
    "RunError",
    "UsageError",
    "__version__",
    "decode",
    "load",
    "metrics",
    "params",
    "run",
    "sweep",
]
