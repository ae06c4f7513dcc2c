# SPDX-License-Identifier: GPL-2.0-only
"""The comparison with published figures, made again: lines of doc/tables/validation.csv and published.csv."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import pandas as pd

from ..api import sweep
from ..studies import validate
from ..sweeps.sweeper import plan

RUNS = {"irn-tcp": 4}  #: of figures of which the table has a mean; all others are of one run
TIMEOUT = 3600.0  #: seconds of a run


def make(names: Collection[str], seed: int) -> pd.DataFrame:
    """Return the lines of these figures by name, with the titles of the tables; without runs ours is "failed"."""
    figures = [
        dataclasses.replace(figure, parameters={**figure.parameters, "seed": str(seed)})
        for figure in validate.listed("full")
        if figure.name in names
    ]
    tables = []
    for runs in sorted({RUNS.get(figure.name, 1) for figure in figures}):
        alike = [figure for figure in figures if RUNS.get(figure.name, 1) == runs]
        grids = validate.settings(alike)
        tables.append(validate.compare(alike, plan(grids, runs), sweep(grids, runs=runs, timeout=TIMEOUT)))
    return validate.readable(pd.concat(tables)).set_index("figure")
