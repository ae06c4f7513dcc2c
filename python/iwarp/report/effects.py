# SPDX-License-Identifier: GPL-2.0-only
"""A figure of effects with their intervals: the paired differences that a page states, pooled and level by level."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..analysis.comparison import Comparison
from ..analysis.findings import effect_text
from .chart import Axis, Chart, Facet, Line, Point, round_ticks


def effects_chart(title: str, effects: Sequence[tuple[str, Comparison]]) -> Chart:
    """Return the chart of effects, by name, of one metric: per cent, or differences in its unit.

    The first has a colour of its own. Those whose kind (ratio or difference) is another are left out.
    """
    relative = effects[0][1].relative
    unit = effects[0][1].view.unit

    def shown(effect: float) -> float:
        return 100 * math.expm1(effect) if relative else 100 * effect if unit == "share" else effect

    points = []
    for name, found in effects:
        if found.relative == relative and not math.isnan(found.test.mean):
            value = shown(found.test.mean)
            ends = [shown(e) if not math.isnan(e) else value for e in (found.test.low, found.test.high)]
            points.append(Point(float(len(points)), value, *ends, f"{name}: {effect_text(found)}"))
    names = [name for name, found in effects if found.relative == relative and not math.isnan(found.test.mean)]
    low, high = min([0.0, *(p.low for p in points)]), max([0.0, *(p.high for p in points)])
    room = 0.06 * (high - low) or 1.0
    what = "change [%]" if relative else "difference [percentage points]" if unit == "share" else f"difference [{unit}]"
    ticks = [(t, f"{t:g}") for t in round_ticks(low - room, high + room)]
    return Chart(
        title,
        Axis("", "words", list(enumerate(names)), -0.5, len(names) - 0.5),
        Axis(f"{title}: {what}", "linear", ticks, low - room, high + room),
        [Facet({}, "", [Line(0, 0, [p]) if k == 0 else Line(1, 0, [p]) for k, p in enumerate(points)], [])],
        1,
        ["pooled", "by itself"],
        [],
    )
