# SPDX-License-Identifier: GPL-2.0-only
"""One HTML page of a study that loads nothing from elsewhere: the answer, then figures, tables and provenance."""

from __future__ import annotations

import base64
import contextlib
import functools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
import vl_convert

from ..analysis.findings import Comparison, Finding, View, effect_text, seen_text, standing_text
from ..analysis.stats import Estimate, cell
from ..parameters.quantity import number_text, scale
from . import chart
from .latex import citation, tabular
from .vega import specify

_UNIT = re.compile(r"(?<=\d) (?=([KMG]iB|[kMG]?bit/s|[nµm]?s|octets|times)\b|%)")
LIBRARY = "vega.min.js"  #: beside the pages, which have its name
SURENESS = {
    "clear": ("clear", "A difference in every configuration."),
    "partly": ("in some", "A difference in some configurations; in others none was shown, or the values are equal."),
    "average": ("on average", "A difference on average over the configurations, in none of them by itself."),
    "mixed": ("mixed", "It goes one way in some configurations and the other way in others."),
    "open": ("not shown", "No difference was shown; one smaller than what would have been seen is possible."),
    "none": ("no difference", "Both are equal in every run."),
    "unknown": ("few runs", "It takes two pairs of runs to tell: ask for more with --runs."),
}


@dataclass(frozen=True)
class Picture:
    """An SVG file, with a PDF beside it, what it shows and how to read it; a page's script draws its chart alive."""

    title: str
    path: Path
    caption: str
    chart: chart.Chart | None = None

    def embedded(self) -> str:
        """Return the file as text that a page can hold."""
        return base64.b64encode(self.path.read_bytes()).decode()

    def data(self) -> dict[str, Any]:
        """Return the chart for the page's script."""
        return specify(self.chart) if self.chart else {}


@dataclass(frozen=True)
class Table:
    """What a study computes from its runs besides means: written to ``<name>.csv`` and ``.tex``, shown with its text.

    ``sentences`` say what it shows.
    """

    name: str
    title: str
    text: str
    rows: pd.DataFrame
    sentences: Sequence[str] = ()


@dataclass
class Report:
    """All that a page says."""

    title: str
    lead: str
    answers: Sequence[str]  #: what the study found: one plain sentence, then the points behind it
    basis: Sequence[tuple[str, str]]  #: what that rests on: runs, their length, what was varied
    in_short: Sequence[tuple[str, Sequence[str]]]
    findings: Sequence[tuple[str, Sequence[Finding]]]
    comparisons: Sequence[Comparison]
    pictures: Sequence[Picture]
    summary: pd.DataFrame
    factors: Sequence[str]
    views: Sequence[View]
    names: chart.Names
    constants: Mapping[str, Any]
    failures: pd.DataFrame
    provenance: Mapping[str, str]
    command: str
    notes: Sequence[str] = field(default_factory=list)
    cautions: Sequence[str] = field(default_factory=list)  #: what the study itself warns of
    tables: Sequence[Table] = ()
    key: Picture | None = None  #: the one of ``pictures`` that stands beside the answer
    files: Sequence[str] = ()  #: data beside the page, which links to them
    network: Picture | None = None
    families: tuple[int, int] = (0, 0)  #: comparisons, and averages, that are corrected together, over all pages
    back: tuple[str, str] | None = None  #: file and name of the page that this belongs to

    @property
    def citation(self) -> str:
        """Return what BibTeX takes to cite these runs."""
        return citation(self.title, self.command, self.provenance)

    @property
    def others(self) -> list[Picture]:
        """Return the pictures but the key one."""
        return [p for p in self.pictures if p is not self.key]


def warnings(report: Report) -> list[str]:
    """Return what a reader has to know before believing the numbers; empty when there is nothing."""
    found = list(report.cautions)
    n = len(report.comparisons)
    few = sum(c.verdict == "unknown" for c in report.comparisons)
    if few:
        found.append(
            f"{few} of {n} comparisons rest on less than two pairs of good runs, which give no interval: "
            "ask for at least five with --runs."
        )
    broken = {c.broken for c in report.comparisons} - {0}
    if broken:
        part = sum(c.broken > 0 for c in report.comparisons)
        found.append(
            f"In {part} of {n} comparisons pairs are broken, since one of the two runs failed or measured nothing; its "
            "partner is left out too, so that they rest on the runs that went well on both sides."
        )
    if len(report.failures):
        by_status = report.failures["status"].value_counts()
        kinds = ", ".join(f"{k} {status}" for status, k in by_status.items())
        runs = "1 run" if len(report.failures) == 1 else f"{len(report.failures)} runs"
        found.append(f"{runs} failed ({kinds}); no mean has them; they are listed below.")
    return found


def render(report: Report) -> str:
    """Return the page as HTML."""
    views = [v for v in report.views if v.metric in report.summary]
    return render_page(
        "report.html.j2",
        report=report,
        warnings=warnings(report),
        sureness=SURENESS,
        open_ones=_open_table(report),
        table=_summary_table(report, views),
        views=views,
    )


def render_page(template: str, **values: Any) -> str:
    """Return one of the package's templates with its values filled in."""
    return _templates().get_template(template).render(values, library=LIBRARY)


def write_report(report: Report, path: Path) -> None:
    """Write a page, and beside it the library that its script draws with."""
    write_page(render(report), path)


def write_page(text: str, path: Path) -> None:
    """Write the text of a page, and beside it the library that its script draws with."""
    path.write_text(text)
    library = path.with_name(LIBRARY)
    if not library.exists():
        library.write_text(library_text())


@functools.cache
def library_text() -> str:
    """Return Vega, Vega-Lite and Vega-Embed in one script, which takes seconds to make and is kept for the user."""
    version = metadata.version("vl-convert-python")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "iwarp" / f"vega-{version}.min.js"
    with contextlib.suppress(OSError):
        return cache.read_text()
    text = vl_convert.javascript_bundle()
    with contextlib.suppress(OSError):
        cache.parent.mkdir(parents=True, exist_ok=True)
        temporary = cache.with_suffix(f".{os.getpid()}.new")
        temporary.write_text(text)
        temporary.replace(cache)
    return text


def data_files(directory: Path) -> list[str]:
    """Return the names of the files of data in a report's directory."""
    kinds = (".csv", ".parquet", ".tex")
    return sorted(p.name for p in directory.iterdir() if p.suffix in kinds or p.name == "study.json")


def _summary_table(report: Report, views: Sequence[View]) -> dict[str, Any]:
    """Return headings and rows of the table of configurations, each column in one unit."""
    headings = ["No."] + [report.names.title(f) for f in report.factors] + ["Runs"]
    scales = []
    for view in views:
        values = report.summary[view.metric].abs()
        middle = values[values > 0].median()  # suits most of a column that spans decades
        divisor, unit = scale(0.0 if math.isnan(middle) else float(middle), view.unit)
        scales.append(divisor)
        headings.append(f"{view.title} [{unit}]" if unit else view.title)
    rows = []
    for number, row in report.summary.iterrows():
        cells = [str(int(number) + 1)]
        cells += [report.names.level(f, row[f]) for f in report.factors] + [str(row["runs"])]
        for view, divisor in zip(views, scales, strict=True):
            found = cell(row, view.metric)
            text = _estimate_text(found, divisor, (row[f"{view.metric}_low"], row[f"{view.metric}_high"]))
            cells.append(text if found.n in (0, row["runs"]) else f"{text}, {found.n} runs")
        rows.append(cells)
    return {"headings": headings, "rows": rows, "text_columns": 1 + len(report.factors)}


def _open_table(report: Report) -> list[list[str]]:
    """Return the comparisons that showed no difference, with what was measured and what would have been seen."""
    rows = []
    for c in report.comparisons:
        if c.verdict != "open":
            continue
        divisor, unit = scale(max(abs(c.treatment.mean), abs(c.baseline.mean)), c.view.unit)
        where = ", ".join(report.names.both(f, v) for f, v in c.where.items())
        rows.append(
            [
                c.view.title + (f" [{unit}]" if unit else ""),
                where,
                f"{c.contrast.treatment_name}: {_estimate_text(c.treatment, divisor)}",
                f"{c.contrast.baseline_name}: {_estimate_text(c.baseline, divisor)}",
                effect_text(c),
                standing_text(c),
                seen_text(c),
            ]
        )
    return rows


def _estimate_text(value: Estimate, divisor: float, ends: tuple[float, float] = (math.nan, math.nan)) -> str:
    """Return a mean with half of its interval, or with the interval's ends where the mean is not in its middle."""
    if value.n == 0 or value.mean != value.mean:
        return "n/a"
    text = number_text(value.mean / divisor)
    if not any(map(math.isnan, ends)) and not np.allclose(ends, (value.low, value.high)):
        low, high = (number_text(end / divisor, 2) for end in ends)
        return f"{text} ({low} to {high})"
    if value.half == value.half and value.half > 0:
        text += f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{number_text(value.half / divisor, 2)}"
    return text


def keep_units(text: str) -> str:
    """Return a sentence whose numbers do not part from their units at the end of a line."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


@functools.cache
def _templates() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("iwarp.report"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    found.filters["keep_units"] = keep_units
    found.filters["tabular"] = tabular
    return found
