# SPDX-License-Identifier: GPL-2.0-only
"""One self-contained HTML page of a study: conclusions, then figures, then tables and provenance."""

from __future__ import annotations

import base64
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from .findings import Comparison, Finding, View
from .plots import Names
from .quantity import number_text, scale
from .stats import Estimate, cell

SURENESS = {
    "clear": ("clear", "The intervals are apart in every configuration."),
    "partly": (
        "in some",
        "The intervals are apart in some configurations; in others they overlap or the values are equal.",
    ),
    "mixed": ("mixed", "It goes one way in some configurations and the other way in others."),
    "open": ("not shown", "The intervals overlap, or are apart as rarely as chance makes them."),
    "none": ("no difference", "Both are equal in every run."),
    "unknown": ("one run", "A single run has no interval: ask for more with --runs."),
}


@dataclass(frozen=True)
class Picture:
    """A PNG file with what it shows and how to read it."""

    title: str
    path: Path
    caption: str


@dataclass(frozen=True)
class Table:
    """What a study computes from its runs besides means: written to ``<name>.csv``, shown with its text."""

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
    in_short: Sequence[tuple[str, Sequence[str]]]
    findings: Sequence[tuple[str, Sequence[Finding]]]
    comparisons: Sequence[Comparison]
    pictures: Sequence[Picture]
    summary: pd.DataFrame
    factors: Sequence[str]
    views: Sequence[View]
    names: Names
    constants: Mapping[str, Any]
    failures: pd.DataFrame
    provenance: Mapping[str, str]
    command: str
    notes: Sequence[str] = field(default_factory=list)
    tables: Sequence[Table] = ()


def warnings(report: Report) -> list[str]:
    """Return what a reader has to know before believing the numbers; empty when there is nothing."""
    found = []
    n = len(report.comparisons)
    overlaps = sum(c.verdict == "overlap" for c in report.comparisons)
    if overlaps:
        found.append(
            f"In {overlaps} of {n} comparisons the 95 % confidence intervals overlap. Take these as “no difference "
            "shown”, not as “no difference”; they are listed below, and more seeds (--runs) narrow the intervals."
        )
    single = sum(c.verdict == "unknown" for c in report.comparisons)
    if single:
        found.append(
            f"{single} of {n} comparisons rest on a single good run, which gives no confidence interval: "
            "ask for at least three with --runs."
        )
    if len(report.failures):
        by_status = report.failures["status"].value_counts()
        kinds = ", ".join(f"{k} {status}" for status, k in by_status.items())
        found.append(f"{len(report.failures)} runs failed ({kinds}) and are in no mean; they are listed below.")
    return found


def render(report: Report) -> str:
    """Return the page as HTML."""
    views = [v for v in report.views if v.metric in report.summary]
    return _template().render(
        report=report,
        warnings=warnings(report),
        sureness=SURENESS,
        pictures=[(p, base64.b64encode(p.path.read_bytes()).decode()) for p in report.pictures],
        overlaps=_overlap_table(report),
        table=_summary_table(report, views),
        views=views,
    )


def _summary_table(report: Report, views: Sequence[View]) -> dict[str, Any]:
    """Return headings and rows of the table of configurations, each column in one unit."""
    headings = [report.names.title(f) for f in report.factors] + ["Runs"]
    scales = []
    for view in views:
        values = report.summary[view.metric].abs()
        middle = values[values > 0].median()  # suits most of a column that spans decades
        divisor, unit = scale(0.0 if math.isnan(middle) else float(middle), view.unit)
        scales.append(divisor)
        headings.append(f"{view.title} [{unit}]" if unit else view.title)
    rows = []
    for _, row in report.summary.iterrows():
        cells = [report.names.level(f, row[f]) for f in report.factors] + [str(row["runs"])]
        cells += [_estimate_text(cell(row, v.metric), d) for v, d in zip(views, scales, strict=True)]
        rows.append(cells)
    return {"headings": headings, "rows": rows, "text_columns": len(report.factors)}


def _overlap_table(report: Report) -> list[list[str]]:
    rows = []
    for c in report.comparisons:
        if c.verdict != "overlap":
            continue
        divisor, unit = scale(max(abs(c.treatment.mean), abs(c.baseline.mean)), c.view.unit)
        where = ", ".join(report.names.both(f, v) for f, v in c.where.items())
        rows.append(
            [
                c.view.title + (f" [{unit}]" if unit else ""),
                where,
                f"{c.contrast.treatment_name}: {_estimate_text(c.treatment, divisor)}",
                f"{c.contrast.baseline_name}: {_estimate_text(c.baseline, divisor)}",
            ]
        )
    return rows


def _estimate_text(value: Estimate, divisor: float) -> str:
    if value.n == 0 or value.mean != value.mean:
        return "n/a"
    text = number_text(value.mean / divisor)
    if value.half == value.half and value.half > 0:
        text += f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{number_text(value.half / divisor, 2)}"
    return text


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("iwarp"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html.j2")
