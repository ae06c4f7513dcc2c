# SPDX-License-Identifier: GPL-2.0-only
"""Cells of tables: what people read, with the number that it stands for, which is what files get."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..parameters.quantity import human, number_text
from .latex import tabular


@dataclass(frozen=True)
class Cell:
    """A text with its number.

    ``half`` is half of an interval round it, or NaN; ``ends`` are the ends of one that it is not in the middle of.
    ``verdict`` says whether a difference is shown, and which, as Comparison.verdict has it.
    """

    text: str
    value: float
    unit: str = ""
    half: float = math.nan
    ends: tuple[float, float] | None = None
    verdict: str = ""

    def __str__(self) -> str:
        return self.text


def number(
    value: float, unit: str = "", half: float = math.nan, form: str = "", digits: int = 3,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Cell:  # fmt: skip
    """Return a cell that reads as people like it, or in the ``form`` of a format specification, as ``,.0f``.

    An interval that would leave ``bounds``, which the value itself cannot pass, is told by its ends, and ends there.
    """

    def text(one: float, digits: int) -> str:
        if math.isnan(one):
            return "n/a"
        if form:
            return format(one, form)
        return human(one, unit, digits) if unit else number_text(one, digits)

    shown = text(value, digits)
    least, most = min(bounds[0], value), max(bounds[1], value)
    if value - half < least or value + half > most:
        shown += f" ({text(max(value - half, least), 2)} to {text(min(value + half, most), 2)})"
        return Cell(shown, value, unit, half)
    return Cell(shown if math.isnan(half) or half == 0 else f"{shown} ± {text(half, 2)}", value, unit, half)


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table of cells as one of numbers, with the unit in the name of a column: ``Goodput [bit/s]``.

    Half intervals have columns of their own, ``… ±``, as have the ends of others, ``… low`` and ``… high``, verdicts,
    ``… verdict``, and each unit, should there be several in one. In a column of numbers a word that stands for none is
    missing.
    """
    columns: dict[str, Sequence[object]] = {}
    for name in rows:
        cells = list(rows[name])
        known = [cell for cell in cells if isinstance(cell, Cell)]
        if not known:
            columns[name] = cells
            continue
        bare, bracket, _ = str(name).partition(" [")
        for unit in dict.fromkeys(cell.unit for cell in known):
            bracketed = f" [{unit}]" if unit else str(name)[len(bare):] if bracket else ""
            of_unit = [cell if isinstance(cell, Cell) and cell.unit == unit else None for cell in cells]
            columns[bare + bracketed] = [cell.value if cell else math.nan for cell in of_unit]
            if not all(math.isnan(cell.half) for cell in of_unit if cell):
                columns[f"{bare} ±{bracketed}"] = [cell.half if cell else math.nan for cell in of_unit]
            if any(cell.ends for cell in of_unit if cell):
                for at, end in enumerate(("low", "high")):
                    columns[f"{bare} {end}{bracketed}"] = [
                        cell.ends[at] if cell and cell.ends else math.nan for cell in of_unit
                    ]
        if any(cell.verdict for cell in known):
            columns[f"{bare} verdict"] = [cell.verdict if isinstance(cell, Cell) else "" for cell in cells]
    return pd.DataFrame(columns)


def write_table(rows: pd.DataFrame, path: Path) -> None:
    """Write a table as comma-separated values, with numbers in place of what people read, and beside it as LaTeX."""
    numbers(rows).to_csv(path, index=False)
    path.with_suffix(".tex").write_text(tabular(rows))
