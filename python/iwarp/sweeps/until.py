# SPDX-License-Identifier: GPL-2.0-only
"""When a sweep has runs enough."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError, did_you_mean, whole_number
from ..parameters.schema import read_time

if TYPE_CHECKING:
    import pandas as pd

    from ..analysis.stats import Estimate


@dataclass(frozen=True)
class Until:
    """Repeat each configuration until the mean of ``metric`` is known well enough, or the budget is spent.

    That is when half of its 95 % interval is at most ``relative`` times the mean or at most ``absolute``, in the unit
    of the metric. Each configuration has at least ``least`` and at most ``most`` runs. ``budget`` is what all of them
    together may take, a number of runs, or with a unit the time of all runs added up, as ``"2h"``: what it leaves goes
    to the configurations that lack most. An interval that decides when to stop holds its value a little less often than
    95 %, the less so the larger ``least`` is.
    """

    metric: str
    relative: float = 0.0
    absolute: float = 0.0
    least: int = 5
    most: int = 100
    budget: int | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str):
            raise UsageError(f"until {self.metric!r}: give the name of a metric")
        for name, value in (("relative", self.relative), ("absolute", self.absolute)):
            if not isinstance(value, numbers.Real) or not math.isfinite(value):
                raise UsageError(f"until {self.metric}: {name}={value!r} is no number")
        for name, value in (("least", self.least), ("most", self.most)):
            whole_number(f"until {self.metric}: {name}", value)
        if not (self.budget is None or isinstance(self.budget, str)):
            whole_number("budget", self.budget, least=0)
        if not (self.relative > 0 or self.absolute > 0):
            raise UsageError(
                f"until {self.metric}: give relative=0.05, the share of the mean, or absolute, in its unit"
            )
        if not 2 <= self.least <= self.most:
            raise UsageError(f"until {self.metric}: least={self.least} has to be from 2 to most={self.most}")
        if self._left([]) <= 0:
            raise UsageError(f'budget="{self.budget}" is neither a number of runs nor a time, as 2h')

    def first(self, configurations: int) -> list[int]:
        """Return how many runs each configuration begins with; how long they take is not known before."""
        if not self._is_time and self._left([]) < configurations * self.least:
            needed = f"{configurations} configurations of {self.least} runs"
            raise UsageError(f"budget={self.budget} is too small: {needed} need {configurations * self.least}")
        return [self.least] * configurations

    def more(self, configurations: Sequence[pd.DataFrame]) -> list[int]:
        """Return how many runs each configuration gets next, from the rows that it has."""
        from ..analysis.stats import estimate, is_numeric  # SciPy, which nobody waits for who only imports

        column = self._column(configurations)
        for rows in configurations:
            if column in rows and not is_numeric(rows[column]):
                raise UsageError(f'until: "{self.metric}" is text, of which there is no mean; what has ended is kept')
        found = [estimate(rows[column][rows["status"] == "ok"] if column in rows else []) for rows in configurations]
        lacking = [self._lack(estimated) for estimated in found]
        wanted = [self._next(lack, len(rows)) for lack, rows in zip(lacking, configurations, strict=True)]
        left = self._left(configurations)
        for i in sorted(range(len(wanted)), key=lambda i: -lacking[i]):
            cost = configurations[i]["wall"].mean() if self._is_time else 1
            if wanted[i] * cost > left:
                wanted[i] = math.floor(left / cost)
            left -= wanted[i] * cost
        return wanted

    def tell_of_gaps(self, configurations: Sequence[pd.DataFrame]) -> None:
        """Say where runs ended well and none has a value: nothing tells there how many are enough."""
        column = self._column(configurations)
        good = [rows[rows["status"] == "ok"] for rows in configurations]
        empty = sum(len(rows) > 0 and (column not in rows or rows[column].isna().all()) for rows in good)
        if empty:
            some = "no run" if empty == len(good) else f"no run of {empty} of {len(good)} configurations"
            from .progress import tell

            tell(f'until: {some} has a value of "{self.metric}", by which to know how many are enough')

    @property
    def _is_time(self) -> bool:
        return isinstance(self.budget, str) and not re.fullmatch("[0-9]{1,18}", self.budget.strip())

    def _left(self, configurations: Sequence[pd.DataFrame]) -> float:
        """Return what these rows leave of the budget, in seconds if it is a time, else in runs."""
        if self.budget is None:
            return math.inf
        if self._is_time:
            return max(0.0, (read_time(self.budget) or 0.0) - sum(rows["wall"].sum() for rows in configurations))
        return max(0, int(self.budget) - sum(map(len, configurations)))

    def _column(self, configurations: Sequence[pd.DataFrame]) -> str:
        columns = {name for rows in configurations for name in rows if (rows["status"] == "ok").any()}
        for name in (f"measured_{self.metric}", self.metric):
            if name in columns:
                return name
        if columns:
            raise UsageError(f'no run has measured "{self.metric}"{did_you_mean(self.metric, columns)}')
        return self.metric

    def _lack(self, found: Estimate) -> float:
        """Return how many times wider than wanted the interval is; 0 where there is no value to go by."""
        if found.n == 0:
            return 0.0
        wanted = max(self.relative * abs(found.mean), self.absolute)
        if found.half <= wanted:
            return 0.0
        return found.half / wanted if wanted and not math.isnan(found.half) else math.inf

    def _next(self, lack: float, runs: int) -> int:
        """Return how many more: as many as the interval asks for, at most as many again."""
        if lack == 0:
            return 0
        total = runs * min(2.0, lack * lack)
        return min(max(math.ceil(total), runs + 1), self.most) - runs
