# SPDX-License-Identifier: GPL-2.0-only
"""Causes that a study declares with runs that lack them: one is stated only if the effect is smaller without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .comparison import Comparison, Contrast, View, compare, judge
from .primary import pool
from .stats import LEVEL, PairedTest, holm, paired_test


@dataclass(frozen=True)
class Cause:
    """Why a contrast changes a metric: ``because`` in words, and where it does not hold.

    ``present`` picks configurations with the cause, ``absent`` those that lack it and are otherwise the same, which
    ``without`` names.
    """

    contrast: Contrast
    metric: str
    what: str  #: the metric, as in a sentence
    over: str  #: where the effect is looked at, as in a sentence
    because: str
    without: str
    present: Callable[[Mapping[str, Any]], bool]
    absent: Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Explained:
    """The effect with its cause and without, and run by run how much of it the cause is (the difference of both)."""

    cause: Cause
    present: Comparison
    absent: Comparison
    due: PairedTest
    lacking: bool = False  #: one side lacks values somewhere, where it may be worst
    corrected: float = float("nan")  #: p of ``due`` among all causes of a study

    @property
    def is_stated(self) -> bool:
        """Return whether there is an effect, and less of it without the cause, and no value of either is missing."""
        shown = self.present.verdict in ("lower", "higher") and self.corrected < LEVEL and self.due.agree
        return shown and not self.lacking and abs(self.absent.test.mean) < abs(self.present.test.mean)


def explain(
    frame: pd.DataFrame, causes: Sequence[Cause], views: Mapping[str, View], factors: Sequence[str]
) -> list[Explained]:
    """Return what the runs say of those causes for which there are runs with them and without."""
    found = []
    for cause in causes:
        apart = [cause.contrast.factor, *(f for f in factors if f != cause.contrast.factor)]
        if cause.metric not in views or not set(apart) <= set(frame):
            continue
        compared = compare(frame, cause.contrast, views[cause.metric], apart)
        lacking = any(c.broken for c in compared if cause.present(c.where) or cause.absent(c.where))
        present, absent = (pool([c for c in compared if pick(c.where)]) for pick in (cause.present, cause.absent))
        if present is None or absent is None or present.relative != absent.relative:
            continue
        of_run = dict(zip(absent.runs, absent.test.differences, strict=True))
        both = [(d, of_run[r]) for r, d in zip(present.runs, present.test.differences, strict=True) if r in of_run]
        if len(both) > 1:
            differences = np.array([a - b for a, b in both])
            found.append(Explained(cause, present, absent, paired_test(differences, False), lacking))
    shown = judge([e.present for e in found])
    corrected = holm([e.due.p for e in found])
    return [replace(e, present=whole, corrected=float(p)) for e, whole, p in zip(found, shown, corrected, strict=True)]
