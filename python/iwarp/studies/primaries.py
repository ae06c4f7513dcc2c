# SPDX-License-Identifier: GPL-2.0-only
"""What a page says of a study's primary comparisons: the answer in a sentence, what it depends on, and the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..analysis.cause import Explained
from ..analysis.comparison import Comparison, Contrast
from ..analysis.findings import effect_text, seen_text, standing_text
from ..analysis.primary import Pooled
from ..parameters.quantity import human
from ..report import plots
from ..report.cells import Cell, number
from ..report.chart import Names
from ..report.effects import effects_chart
from ..report.page import Picture, Table

_TEXT = (
    "Declared before the runs. Effects are pooled run by run over conditions that all levels of the factor in the "
    "second column have, each configuration with the same weight. The pooled comparisons are one family, corrected by "
    "Holm ({family} of them); level by level only those are tested whose pooled effect is shown, as a second family "
    "({opened}). Intervals are those of each comparison by itself. The last columns say how the effects of "
    "configurations differ beyond what their runs explain: the part of the variance of their means, and what is "
    "predicted for a further configuration of the kind."
)


def sentence(pooled: Pooled) -> str:
    """Return what a primary comparison found in a sentence, without its end."""
    subject, found = pooled.primary.contrast.treatment_name, pooled.whole
    what, over = pooled.primary.what, pooled.primary.over
    if pooled.depends:
        return _dependence(pooled)
    subject = subject if subject[1:2].isupper() else subject[0].upper() + subject[1:]
    several = subject.endswith("s")  # as Markers
    if pooled.is_shown:
        by = "" if " times" in effect_text(found) else "by "
        verb = ("change" if by else "make") + ("" if several else "s")
        return f"{subject} {verb} {what} {by}{effect_text(found)} {over}"
    if found.verdict == "same":
        return f"{subject} leaves {what} as it is, run by run, {over}"
    if found.standing == "equivalent":
        text = f"{subject} makes no difference of interest to {what} {over}"
        return f"{text}: {effect_text(found)}, {standing_text(found)}"
    if found.verdict == "unknown":
        return f"Too few pairs of runs tell what {subject[0].lower()}{subject[1:]} does to {what} {over}"
    why = "undecided" if found.standing == "undecided" else standing_text(found)
    is_not = "are not" if several else "is not"
    seen = f"{effect_text(found)}, where {seen_text(found)} would have been seen"
    return f"{subject} {is_not} shown to change {what} {over} ({why}): {seen}"


def _dependence(pooled: Pooled) -> str:
    """Say what an effect is at each level of the nuisance factors that decide it."""
    told = []
    for nuisance in pooled.deciding:
        texts = [
            effect_text(
                replace(pooled.whole, test=replace(pooled.whole.test, mean=e.mean, low=e.low, high=e.high))
            ) + f" with {level}"
            for level, e in nuisance.levels.items()
        ]  # fmt: skip
        told.append(f"{_spoken(nuisance.factor)}: {', '.join(texts)}")
    primary = pooled.primary
    return (
        f"What {primary.contrast.treatment_name} does to {primary.what} {primary.over} depends on {'; on '.join(told)}"
    )


def moves(pooled: Pooled) -> str:
    """Return how far a shown effect moves over each nuisance factor that it survives; "" without any."""
    told = []
    for nuisance in pooled.nuisances if pooled.is_shown else ():
        means = sorted(e.mean for e in nuisance.levels.values())
        told.append(f"from {_at(pooled, means[0])} to {_at(pooled, means[-1])} with {_spoken(nuisance.factor)}")
    return f"It moves {' and '.join(told)}." if told else ""


def depends(pooled: Pooled) -> str:
    """Return in how many levels of its factor a shown effect is shown by itself; "" where none is asked."""
    if not pooled.opened:
        return ""
    count = {v: sum(c.verdict == v for c in pooled.levels.values()) for v in ("lower", "higher")}
    alike = count[pooled.whole.verdict]
    other = sum(count.values()) - alike
    total = len(pooled.levels)
    text = f"By {pooled.primary.by_title}, it goes this way on {alike} of {total} and the other way on {other}"
    rest = len(pooled.levels) - alike - other
    text += f", not shown by itself on {rest}" if rest else ""
    if not math.isnan(pooled.spread.low):
        text += f"; in a further configuration of the kind {_predicted(pooled)} is expected"
    return text + "."


def reason(explained: Explained) -> str:
    """Return the sentence on a cause: with it and without, or "" where the runs without it do not show that it is one.
    """
    if not explained.is_stated:
        return ""
    cause = explained.cause
    subject = cause.contrast.treatment_name
    return (
        f"{subject[0].upper()}{subject[1:]} changes {cause.what} {cause.over} {by_text(explained.present)}, "
        f"because {cause.because}: {cause.without} it is {effect_text(explained.absent)}."
    )


def by_text(comparison: Comparison) -> str:
    """Return an effect as what follows "changes": by so much, or to so many times."""
    text = effect_text(comparison)
    return f"to {text}" if " times" in text else f"by {text}"


def answers(primaries: Sequence[Pooled]) -> list[str]:
    """Return the answer: what the first primary comparison found, then what it depends on and the others."""
    said = []
    for pooled in primaries:
        said += [f"{sentence(pooled)}.", *filter(None, [depends(pooled), moves(pooled)])]
    return said


def of_level(primaries: Sequence[Pooled], level: object) -> list[Pooled]:
    """Return the primary comparisons as one level of their factor shows them, where the gate is open."""
    return [
        replace(p, whole=p.levels[level], levels={}, opened=0, nuisances=())
        for p in primaries
        if p.opened and level in p.levels
    ]


def draw_effects(primaries: Sequence[Pooled], names: Names, out: Path) -> Picture | None:
    """Draw the effects of the first primary comparison, pooled and level by level, which the answer states."""
    if not primaries:
        return None
    first = primaries[0]
    levels = [(names.level(first.primary.by, level), c) for level, c in first.levels.items()]
    effects = [("all", first.whole), *(levels if len(levels) > 1 else [])]
    if math.isnan(first.whole.test.mean):
        return None
    contrast = first.primary.contrast
    chart = effects_chart(first.whole.view.title, effects)
    caption = (
        f"What changes with {_versus(contrast)}, {first.primary.over}: means of "
        "paired runs with their 95 % intervals."
    )
    return Picture(first.whole.view.title, plots.figure(chart, out / "primary.svg"), caption, chart)


def tabulate(primaries: Sequence[Pooled], names: Names) -> list[Table]:
    """Return the table of the primary comparisons, pooled and level by level."""
    rows = []
    for p in primaries:
        what = f"{p.whole.view.title}, {_versus(p.primary.contrast)}"
        rows.append(_row(f"{what}, {p.primary.over}", f"all ({len(p.configurations)} configurations)", p.whole, p))
        for level, found in p.levels.items() if len(p.levels) > 1 else ():
            rows.append(_row(what, names.both(p.primary.by, level), found, p if p.opened else None))
    if not rows:
        return []
    opened = max(p.opened for p in primaries)
    text = _TEXT.format(family=len(primaries), opened=f"{opened} of them" if opened else "none, as no gate is open")
    return [Table("primary", "Primary comparisons", text, pd.DataFrame(rows))]


def _row(what: str, where: str, found: Comparison, pooled: Pooled | None) -> dict[str, object]:
    whole = pooled is not None and found is pooled.whole
    row = found.to_row()
    unit = "ratio" if found.relative else found.view.unit
    return {
        "Comparison": what,
        "Where": where,
        "Effect": Cell(effect_text(found).replace("95 % interval ", ""), row["effect"], unit),
        "Pairs": found.test.n,
        "p, corrected": number(found.corrected, digits=2) if pooled else "",
        "What is known": _known(found, pooled),
        "Of interest": _interest(found),
        "Would be seen": seen_text(found) if not math.isnan(found.seen) else "",
        "Differs by configuration (I²)": human(pooled.spread.share, "share")
        if whole and pooled and not math.isnan(pooled.spread.share)
        else "",
        "Predicted for another": _predicted(pooled) if whole and pooled and not math.isnan(pooled.spread.low) else "",
    }


def _versus(contrast: Contrast) -> str:
    """Name both sides, the second one unless the first is "this instead of that"."""
    treatment, baseline = contrast.treatment_name, contrast.baseline_name
    return treatment if treatment.endswith(f"instead of {baseline}") else f"{treatment} against {baseline}"


def _spoken(factor: str) -> str:
    return factor.replace("_", " ")


def _known(found: Comparison, pooled: Pooled | None) -> str:
    if pooled is None:
        return "not tested"
    if found is pooled.whole and pooled.depends:
        return f"depends on {' and '.join(_spoken(n.factor) for n in pooled.deciding)}"
    return standing_text(found)


def _interest(found: Comparison) -> str:
    view = found.view
    if not view.relevant:
        return ""
    return human(view.relevant, "share" if found.relative or view.unit == "share" else view.unit)


def _predicted(pooled: Pooled) -> str:
    """Return the prediction interval of an effect in words."""
    return f"{_at(pooled, pooled.spread.low)} to {_at(pooled, pooled.spread.high)}"


def _at(pooled: Pooled, mean: float) -> str:
    """Return the text of another mean of the same effect."""
    return effect_text(replace(pooled.whole, test=replace(pooled.whole.test, mean=mean)), interval=False)
