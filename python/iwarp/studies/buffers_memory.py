# SPDX-License-Identifier: GPL-2.0-only
"""How much reassembly memory is enough for a target: between which sizes it lies, found more closely by further
runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..report.cells import number
from ..report.page import Table

MEMORY = "Rnic.ReassemblyMemory.Capacity"  #: octets of an RNIC's reassembly memory; 0 is no limit
TARGET = "99 % of the goodput"  #: for which the memory is found closely
_FINE = 1.25  #: times what is too little, that is close enough


def kind_of_sender(alignment: bool, markers: bool) -> str:
    """Name a kind of sender."""
    return f"{'aligned' if alignment else 'unaligned'}, {'Markers' if markers else 'no Markers'}"


def brackets(limited: pd.DataFrame) -> Iterator[tuple[bool, bool, float, dict[str, tuple[int, int]]]]:
    """Yield for each kind of sender, aligned and with Markers or not, the goodput without limit, and for each target
    the memory that is not enough and that from which on it is, of the sizes tried; 0 where there is none.
    """
    for (alignment, markers), runs in limited.groupby(["alignment", "markers"], sort=True):
        means = runs.groupby(MEMORY)[["goodput", "drop_share"]].mean()
        if 0 not in means.index or len(means) < 3:
            continue
        best = means.loc[0, "goodput"]
        sizes = means.drop(index=0).sort_index()
        targets = {
            "90 % of the goodput": sizes["goodput"] >= 0.90 * best,
            TARGET: sizes["goodput"] >= 0.99 * best,
            "no drop at all": sizes["drop_share"] == 0,
        }
        found = {}
        for target, good in targets.items():
            enough = good[::-1].cummin()[::-1]  # good from there on, not by chance at one size
            found[target] = (int(max(sizes.index[~enough], default=0)), int(min(sizes.index[enough], default=0)))
        yield bool(alignment), bool(markers), best, found


def refine(limited: pd.DataFrame, grids: Sequence[Mapping[str, Sequence[Any]]]) -> list[dict[str, list[Any]]]:
    """Return grids of the memory between what is not enough for the headline's target and what is, if that is wide."""
    source = next((grid for grid in grids if len(grid[MEMORY]) > 2), None)
    more = []
    for alignment, markers, _, targets in brackets(limited):
        low, high = targets[TARGET]
        if source and low and high > _FINE * low:
            middle = int(float(f"{math.sqrt(low * high):.2g}"))
            more.append({**source, "alignment": [alignment], "markers": [markers], MEMORY: [middle]})
    return more


def _between(low: int, high: int) -> str:
    if not high:
        return f"needs more than {low:,} octets"
    return f"needs between {low:,} and {high:,} octets" if low else f"needs no more than {high:,} octets"


def answers(limited: pd.DataFrame) -> Table | None:
    """Return between which of the sizes tried the memory lies that is as good as any, for three targets."""
    rows, sentences = [], []
    for alignment, markers, best, targets in brackets(limited):
        row: dict[str, Any] = {"Sender": kind_of_sender(alignment, markers)}
        for target, (low, high) in targets.items():
            row[f"for {target}: more than"] = number(low, "octets", form=",") if low else "–"
            row[f"for {target}: at most"] = number(high, "octets", form=",") if high else "more than tried"
        row["Goodput without limit"] = number(best, "bit/s")
        rows.append(row)
        sentences.append(
            f"{row['Sender'].capitalize()}: {TARGET} that unlimited memory gives {_between(*targets[TARGET])} "
            "(100 connections share it, 10 Gbit/s, 1 % loss)."
        )
    if not rows:
        return None
    text = (
        "100 connections at 10 Gbit/s with 1 % loss, memory shared by all of them. The largest of the sizes tried with "
        "which the target is missed, and the next, from which on it is met, in the mean over the runs. Between those "
        f"of {TARGET} sizes are halved until they differ by a quarter at the most."
    )
    return Table("answers", "How much memory for a target", text, pd.DataFrame(rows), sentences)
