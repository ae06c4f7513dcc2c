# SPDX-License-Identifier: GPL-2.0-only
"""What a page says of a study's primary comparisons: the answer in a sentence, what it depends on, and the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis.cause import Explained
from ..analysis.comparison import Comparison, Contrast
from ..analysis.findings import effect_text, level_text, range_text, seen_text, standing_text
from ..analysis.primary import Pooled
from ..analysis.stats import LEVEL
from ..parameters.quantity import human, number_text
from ..report import plots
from ..report.cells import Cell, number
from ..report.chart import Names
from ..report.effects import effects_chart
from ..report.page import Picture, Table
from .pilot import runs_needed

_TEXT = (
    "Declared before the runs. Effects are pooled run by run over conditions that all levels of the factor in the "
    "second column have, each configuration with the same weight. The pooled comparisons are one family, corrected by "
    "Holm ({family} of them); level by level only those are tested whose pooled effect is shown, as a second family "
    "({opened}). Intervals are those of each comparison by itself. The last columns say how the effects of "
    "configurations differ beyond what their runs explain: the part of the variance of their means, what is "
    "predicted for a further configuration of the kind, and how many runs a pilot says that it takes to see the "
    "smallest effect of interest with a chance of 80 %."
)

_DEPENDENCE = (
    "By how much the effect of a primary comparison is more or less at a level than in the mean over levels, if each "
    "factor adds its part (least squares, run by run; as factors where effects are ratios). Networks and conditions "
    "are a balanced fraction of their combinations, from which each factor's part can be told; what two factors do "
    "together is left in the rest. The share is that of the variance of configurations' effects, less what runs make; "
    "p (F test against how configurations differ from run to run) is corrected by Benjamini and Hochberg for the "
    "factors of a comparison."
)
_TELLING = 0.1  #: share of the variance from which on a factor is named


def sentence(pooled: Pooled) -> str:
    """Return what a primary comparison found in a sentence, without its end."""
    if pooled.depends:
        return _dependence(pooled)
    if pooled.left_out:
        return _lack(pooled)
    said = clause(pooled)
    return said[0].upper() + said[1:] if said.startswith("too few") else f"{_subject(pooled)} {said}"


def clause(pooled: Pooled, known: str = "") -> str:
    """Return what follows the subject of a sentence on what a primary comparison found, if nothing decides it.

    @param known where the sentence has said already that it looks
    """
    found, what = pooled.whole, pooled.primary.what
    over = "" if pooled.primary.over == known else f" {pooled.primary.over}"
    several = _is_several(_subject(pooled))
    if pooled.is_shown:
        return f"{_change(found, what, several)}{over}"
    if found.verdict == "same":
        return f"leave{'' if several else 's'} {what} as it is, run by run,{over}"
    if found.standing == "equivalent":
        text = f"make{'' if several else 's'} no difference of interest to {what}{over}"
        return f"{text}: {effect_text(found)}, {standing_text(found)}"
    if found.verdict == "unknown":
        return f"too few pairs of runs tell what {_subject(pooled, False)} does to {what}{over}"
    why = "undecided" if found.standing == "undecided" else standing_text(found)
    seen = f"{effect_text(found)}, where {seen_text(found)} would have been seen"
    return f"{'are' if several else 'is'} not shown to change {what}{over} ({why}): {seen}"


def _change(found: Comparison, what: str, several: bool) -> str:
    """Say by how much something that is shown goes down or up: per cent of what it was, times, or its unit."""
    test, s = found.test, "" if several else "s"
    lower = test.mean < 0
    verb = f"lower{s}" if lower else f"raise{s}"
    ends = sorted((test.low, test.high), key=abs)
    if not found.relative:
        size = replace(found, test=replace(test, mean=abs(test.mean), low=abs(ends[0]), high=abs(ends[1])))
        return f"{verb} {what} by {effect_text(size).replace('+', '')}"
    if not lower and test.mean > math.log(2):
        return f"{verb} {what} to {effect_text(found)}"
    mean, low, high = (number_text(100 * abs(math.expm1(e))) for e in (test.mean, *ends))
    if math.isnan(test.low) or low == high:
        return f"{verb} {what} by {mean} %"
    return f"{verb} {what} by {mean} % (95 % interval {low} to {high})"


def _subject(pooled: Pooled, begins: bool = True) -> str:
    subject = pooled.primary.subject or pooled.primary.contrast.treatment_name
    return subject if subject[1:2].isupper() or not begins else subject[0].upper() + subject[1:]


def _is_several(subject: str) -> bool:
    return subject == "Markers"


def headline(primaries: Sequence[Pooled]) -> str:
    """Return what the primary comparisons found in one sentence: first those of the first one's subject."""
    first = primaries[0]
    if _stands_alone(first):
        return f"{sentence(first)}."
    alike = [p for p in primaries[1:] if _joins(first, p)]
    return "; it ".join([sentence(first), *(clause(p, first.primary.over) for p in alike)]) + "."


def _joins(first: Pooled, other: Pooled) -> bool:
    """Tell whether another comparison has its clause in the sentence of the first one."""
    return not _stands_alone(other) and _subject(first) == _subject(other) and not _is_several(_subject(other))


def _stands_alone(pooled: Pooled) -> bool:
    """Tell whether what is known of a comparison takes a sentence of its own."""
    return pooled.depends or bool(pooled.left_out) or pooled.whole.verdict == "unknown"


def _lack(pooled: Pooled) -> str:
    """Say where one side lacks values, so that nothing is told, and what the rest has."""
    primary, places = pooled.primary, []
    differing = [n for n in pooled.left_out[0].where if len({str(c.where[n]) for c in pooled.configurations}) > 1]
    for c in pooled.left_out:
        sides = zip((primary.contrast.treatment_name, primary.contrast.baseline_name), c.lacks, strict=True)
        lacking = " and ".join(f"of {name} in {n} of {c.test.n + c.broken} runs" for name, n in sides if n)
        where = ", ".join(f"{_spoken(name)} {level_text(name, c.where[name])}" for name in differing)
        places.append(f"with {where}, {lacking}" if where else lacking)
    return (
        f"What {_subject(pooled, False)} does to {primary.what} {primary.over} is not told, since values are missing: "
        f"{'; '.join(places)}. Without that it is {effect_text(pooled.whole)}"
    )


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
    return f"What {_subject(pooled, False)} does to {primary.what} {primary.over} depends on {'; on '.join(told)}"


def moves(pooled: Pooled) -> str:
    """Return how far a shown effect moves over each nuisance factor that it survives; "" without any."""
    told = []
    for nuisance in pooled.nuisances if pooled.is_shown else ():
        means = sorted(e.mean for e in nuisance.levels.values())
        told.append(f"from {range_text(pooled.whole, means[0], means[-1])} with {_spoken(nuisance.factor)}")
    return f"It moves {' and '.join(told)}." if told else ""


def depends(pooled: Pooled) -> str:
    """Return in how many levels of its factor a shown effect is shown by itself; "" where none is asked."""
    if not pooled.opened:
        return ""
    count = {v: sum(c.verdict == v for c in pooled.levels.values()) for v in ("lower", "higher")}
    alike = count[pooled.whole.verdict]
    other = sum(count.values()) - alike
    total = len(pooled.levels)
    rest = total - alike - other
    text = f"By {pooled.primary.by_title}, it is shown on {alike} of {total}, the other way on {other or 'none'}"
    text += f", and not by itself on {rest}" if rest else ""
    if not math.isnan(pooled.spread.low):
        text += f"; in a further configuration of the kind {_predicted(pooled)} is expected"
    return text + "."


def reason(explained: Explained) -> str:
    """Return the sentence on a cause: with it and without; "" where runs without it do not show that it is one."""
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
    """Return the answer: what the primary comparisons found, then what it depends on."""
    if not primaries:
        return []
    first = primaries[0]
    said = [headline(primaries)]
    for pooled in primaries:
        alone = _stands_alone(first) or not _joins(first, pooled)
        if pooled is not first and alone:
            said.append(f"{sentence(pooled)}.")
        about = "" if len(primaries) == 1 else _label(pooled, primaries)
        told = [text for text in (depends(pooled), moves(pooled), varies(pooled)) if text]
        said += [f"{about}: {' '.join(told)}" if about else " ".join(told)] if told else []
    return said


def _label(pooled: Pooled, primaries: Sequence[Pooled]) -> str:
    """Name a primary comparison among others, by what tells it from them."""
    text = pooled.primary.what
    if sum(p.primary.what == text for p in primaries) > 1:
        text = f"{text}, {_subject(pooled, False)}, {pooled.primary.over}"
    return text[0].upper() + text[1:]


def varies(pooled: Pooled) -> str:
    """Say which factors an effect that is shown depends on most, with their shares of how configurations differ."""
    named = [f for f in pooled.dependence if f.corrected < LEVEL and f.share >= _TELLING]
    if not pooled.is_shown or not named:
        return ""
    texts = [f"{_spoken(f.factor)} ({human(f.share, 'share', 2)})" for f in sorted(named, key=lambda f: -f.share)]
    return f"How it differs by configuration goes with {', '.join(texts)}."


def of_level(primaries: Sequence[Pooled], level: object) -> list[Pooled]:
    """Return the primary comparisons as one level of their factor shows them, where the gate is open."""
    return [
        replace(p, whole=p.levels[level], levels={}, opened=0, nuisances=())
        for p in primaries
        if p.opened and level in p.levels
    ]


def draw_effects(primaries: Sequence[Pooled], names: Names, out: Path) -> list[Picture]:
    """Draw the effects of the primary comparisons, pooled and level by level, which the answer states."""
    pictures = []
    for at, found in enumerate(primaries, 1):
        if math.isnan(found.whole.test.mean):
            continue
        levels = [(names.level(found.primary.by, level), c) for level, c in found.levels.items()]
        chart = effects_chart(found.whole.view.title, [("all", found.whole), *(levels if len(levels) > 1 else [])])
        caption = (
            f"What changes with {_versus(found.primary.contrast)}, {found.primary.over}: means of paired runs with "
            "their 95 % intervals."
        )
        path = out / ("primary.svg" if at == 1 else f"primary-{at}.svg")
        pictures.append(Picture(found.whole.view.title, plots.figure(chart, path), caption, chart))
    return pictures


def what_is_special(primaries: Sequence[Pooled], factor: str, level: Any, title: str) -> list[str]:
    """Say of a level of a factor which primary effects differ there from their means over all levels.

    An effect is said to differ if it is shown to depend on the factor, and the level's interval is without 0.
    """
    said = []
    for p in primaries:
        for found in (e for e in p.dependence if e.factor == factor and e.corrected < LEVEL):
            here = next((e for name, e in found.levels.items() if str(name) == str(level)), None)
            if here and (here.low > 0 or here.high < 0):
                shift = replace(p.whole, test=replace(p.whole.test, mean=here.mean, low=here.low, high=here.high))
                said.append(
                    f"What {_versus(p.primary.contrast)} changes in {p.primary.what} differs here from the mean over "
                    f"all {title}: {effect_text(shift)}."
                )
    return said


def tabulate(study: str, primaries: Sequence[Pooled], names: Names) -> list[Table]:
    """Return the table of the primary comparisons, pooled and level by level, and that of what they depend on."""
    rows = []
    for p in primaries:
        what = f"{p.whole.view.title}, {_versus(p.primary.contrast)}"
        rows.append(
            _row(f"{what}, {p.primary.over}", _extent(p), p.whole, p)
            | {"Runs needed": runs_needed(study, p) or ""}
        )
        for level, found in p.levels.items() if len(p.levels) > 1 else ():
            rows.append(
                _row(what, names.both(p.primary.by, level), found, p if p.opened else None) | {"Runs needed": ""}
            )
    if not rows:
        return []
    opened = max(p.opened for p in primaries)
    text = _TEXT.format(family=len(primaries), opened=f"{opened} of them" if opened else "none, as no gate is open")
    table = Table("primary", "Primary comparisons", text, pd.DataFrame(rows))
    return [table, *_tabulate_dependence(primaries, names)]


def _extent(pooled: Pooled) -> str:
    every, part = len(pooled.configurations), pooled.whole.where.get("configurations", 1)
    return f"all ({every} configurations)" if part == every else f"{part} of {every} configurations"


def _tabulate_dependence(primaries: Sequence[Pooled], names: Names) -> list[Table]:
    """Return by how much the effect of each primary comparison differs at each level of each factor."""
    rows = []
    for p in primaries:
        what = f"{p.whole.view.title}, {_versus(p.primary.contrast)}"
        for factor in p.dependence:
            for level, found in factor.levels.items():
                shift = replace(p.whole, test=replace(p.whole.test, mean=found.mean, low=found.low, high=found.high))
                row = shift.to_row()
                rows.append({
                    "Comparison": what,
                    "Factor": names.title(factor.factor),
                    "Level": names.level(factor.factor, level),
                    "Effect against the mean": Cell(
                        effect_text(shift).replace("95 % interval ", ""), row["effect"],
                        "ratio" if p.whole.relative else p.whole.view.unit, ends=(row["low"], row["high"])),
                    "Configurations": found.n,
                    "Share of the factor": human(factor.share, "share", 2),
                    "p of the factor, corrected": number(factor.corrected, digits=2),
                })  # fmt: skip
    return [Table("dependence", "What the effects depend on", _DEPENDENCE, pd.DataFrame(rows))] if rows else []


def _row(what: str, where: str, found: Comparison, pooled: Pooled | None) -> dict[str, object]:
    whole = pooled is not None and found is pooled.whole
    row = found.to_row()
    unit = "ratio" if found.relative else found.view.unit
    return {
        "Comparison": what,
        "Where": where,
        "Effect": Cell(
            effect_text(found).replace("95 % interval ", ""), row["effect"], unit, ends=(row["low"], row["high"])
        ),
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


_SPOKEN = {
    "flows": "number of connections",
    "min_rto": "least timeout",
    "receive_buffer": "receive window",
    "reordering_delay": "time for which packets are held back",
    "retires": "rate of the RNIC",
    "Rnic.PacketBuffer.Capacity": "packet buffer",
}  #: factors whose names say little  # fmt: skip


def _spoken(factor: str) -> str:
    return _SPOKEN.get(factor, factor.replace("_", " "))


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
    return range_text(pooled.whole, pooled.spread.low, pooled.spread.high)
