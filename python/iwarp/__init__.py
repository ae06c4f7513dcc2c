# SPDX-License-Identifier: GPL-2.0-only
"""RDMA over TCP in ns-3: runs, sweeps and studies from Python.

>>> import iwarp
>>> result = iwarp.run(topology="dumbbell", markers=True)
>>> result["goodput"], result["goodput"].unit
>>> table = iwarp.sweep({"loss": [0, 0.01], "markers": [True, False]}, runs=5)
"""

from .api import Metric, Param, Result, Traces, TraceTables, define, load, metrics, params, run, sweep, traces
from .errors import IwarpError, RunError, UsageError
from .parameters.quantity import Quantity
from .runs.decoder import decode
from .sweeps.designs import Range, fraction, latin_hypercube, sobol
from .sweeps.program import Program
from .sweeps.rows import export, merge
from .sweeps.until import Until
from .version import __version__

__all__ = [
    "IwarpError",
    "Metric",
    "Param",
    "Program",
    "Quantity",
    "Range",
    "Result",
    "RunError",
    "TraceTables",
    "Traces",
    "Until",
    "UsageError",
    "__version__",
    "decode",
    "define",
    "export",
    "fraction",
    "latin_hypercube",
    "load",
    "merge",
    "metrics",
    "params",
    "run",
    "sobol",
    "sweep",
    "traces",
]
