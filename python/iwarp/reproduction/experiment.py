# SPDX-License-Identifier: GPL-2.0-only
"""An experiment: the runs that a few figures of one page rest on, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis.stats import Estimate, estimate
from ..api import sweep
from ..errors import IwarpError
from ..studies.restriction import build_grids
from ..studies.study import Request, Study, planned_runs

Measured = Mapping[str, Estimate | bool]  #: by figure, or by a sentence of the page that is true or not


@dataclass(frozen=True)
class Sweep:
    """Runs with a seed, all of which have to go well."""

    seed: int

    def __call__(self, grid: Mapping[str, Any] | Sequence[Mapping[str, Any]], runs: int) -> pd.DataFrame:
        grids = [grid] if isinstance(grid, Mapping) else grid
        found = sweep([{**one, "seed": self.seed} for one in grids], runs=runs)
        failed = found[found["status"] != "ok"]
        if len(failed):
            raise IwarpError(f"{len(failed)} of {len(found)} runs failed: {failed['message'].iloc[0]}")
        return found

    def of_study(self, study: Study, runs: int = 3, **changes: Any) -> pd.DataFrame:
        """Return runs of the first configuration of a study's quick preset, but for changes, with what is derived."""
        preset = study.presets["quick"]
        first = {name: levels[0] for name, levels in preset.grid.items()}
        return study.derive(self({**preset.fixed, **first, **changes}, runs))

    def of_preset(self, study: Study, **changes: Sequence[Any]) -> pd.DataFrame:
        """Return the runs of a study's quick preset that a restriction leaves, as ``./iwarp study`` has them, with what
        is derived."""
        request = Request(study, "quick", build_grids(study, "quick", changes), study.presets["quick"].runs, Path(), "")
        return study.derive(self([run.params for run in planned_runs(request)], 1))


@dataclass(frozen=True)
class Experiment:
    """What measures figures of one page of doc/; ``minutes`` are those of a processor, as measured once; None
    where they were not."""

    name: str
    page: str
    minutes: float | None
    measure: Callable[[Sweep], Measured]


def value(number: float, half: float = math.nan, runs: int = 1) -> Estimate:
    """Return a figure that is no mean of runs, as the slope of a line is none."""
    return Estimate(float(number), float(half), runs)


def mean(values: Iterable[float], times: float = 1.0) -> Estimate:
    """Return the mean of runs, in a unit of which so many are one; raise IwarpError if some have no value: a percentile
    is missing where messages take longest, so the mean of the others is not that of the runs.
    """
    given = [times * one for one in values]
    if missing := sum(math.isnan(one) for one in given):
        raise IwarpError(f"{missing} of {len(given)} runs have no value")
    return estimate(given)
