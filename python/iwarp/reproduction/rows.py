# SPDX-License-Identifier: GPL-2.0-only
"""A row of the result: what the documentation states, what was measured now, and whether both agree."""

from __future__ import annotations

import math
from dataclasses import dataclass

AGREES, DIFFERS, NOT_RUN = "agrees", "differs", "not run"


@dataclass(frozen=True)
class Row:
    """``documented`` and ``new`` are texts where what is compared is no number."""

    subject: str  #: the name to ask for
    name: str
    about: str
    page: str  #: of doc/, without .rst
    documented: float | str
    unit: str = ""
    documented_half: float = math.nan
    new: float | str = ""
    new_half: float = math.nan
    allowed: float = math.nan  #: how far apart both may be
    verdict: str = NOT_RUN
    seconds: float = math.nan  #: of a processor, for all rows of the subject

    def texts(self) -> dict[str, str]:
        """Return the cells of a table for people."""
        return {
            "Figure": self.name,
            "What it is": self.about,
            "Documented": _text(self.documented, self.documented_half, self.unit),
            "New": _text(self.new, self.new_half, self.unit),
            "May differ by": "" if math.isnan(self.allowed) else f"{self.allowed:.3g} {self.unit}".strip(),
            "Verdict": self.verdict,
        }


def _text(value: float | str, half: float, unit: str) -> str:
    if isinstance(value, str):
        return value
    about = "" if math.isnan(half) else f" ± {half:.2g}"
    return f"{value:.4g}{about} {unit}".strip()
