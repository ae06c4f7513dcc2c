# SPDX-License-Identifier: GPL-2.0-only
"""RDMA over TCP in ns-3: runs, sweeps and studies from Python.

>>> import iwarp
>>> result = iwarp.run(topology="dumbbell", markers=True)
>>> result["goodput"], result["goodput"].unit
>>> table = iwarp.sweep({"loss": [0, 0.01], "markers": [True, False]}, runs=5)
"""

from .api import Result, load, metrics, params, run, sweep
from .decoder import decode
from .designs import Range, latin_hypercube, sobol
from .errors import IwarpError, RunError, UsageError
from .program import Program
from .quantity import Quantity
from .rows import export, merge
from .until import Until
from .version import __version__

__all__ = [
    "IwarpError",
    "Program",
    "Quantity",
    "Range",
    "Result",
    "RunError",
    "Until",
    "UsageError",
    "__version__",
    "decode",
    "export",
    "latin_hypercube",
    "load",
    "merge",
    "metrics",
    "params",
    "run",
    "sobol",
    "sweep",
]
