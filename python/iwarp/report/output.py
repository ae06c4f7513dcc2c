# SPDX-License-Identifier: GPL-2.0-only
"""How results are shown: JSON for machines, aligned columns for people, HTML for notebooks."""

from __future__ import annotations

import csv
import html
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from ..parameters.quantity import Quantity
from .metric_groups import arrange


def print_json(value: Any) -> None:
    """Print one JSON value; numbers that JSON lacks become null."""
    click.echo(json.dumps(finite(value), ensure_ascii=False))


def print_csv(rows: Sequence[Sequence[str]]) -> None:
    """Print rows as comma-separated values."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    click.echo(out.getvalue(), nl=False)


def print_columns(rows: Sequence[Sequence[str]], headings: Sequence[str] = ()) -> None:
    """Print rows with each column as wide as its widest cell."""
    everything = [headings, *rows] if headings else list(rows)
    if not everything:
        return
    widths = [max(len(row[i]) for row in everything) for i in range(len(everything[0]))]
    for row in everything:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def print_groups(metrics: Mapping[str, Quantity], everything: bool) -> int:
    """Print a run's metrics group by group, all or those that are asked for most; return how many are left out."""
    groups = arrange(metrics, everything)
    names = [name for _, members in groups for name in members]
    width = max(map(len, names), default=0)
    for number, (title, members) in enumerate(groups):
        click.echo(f"{chr(10) if number else ''}{title}:")
        for name, value in members.items():
            click.echo(f"{name.ljust(width)}  {value}")
    return len(metrics) - len(names)


def finite(value: Any) -> Any:
    """Return a value with None for numbers that JSON lacks."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_html(metrics: Mapping[str, Quantity], report: str, cautions: Iterable[str]) -> str:
    """Return a run's metrics as a table, behind the cautions and the table of the workload."""
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(value))}</td></tr>" for name, value in metrics.items()
    )
    notes = "".join(f"<p>caution: {html.escape(text)}</p>" for text in cautions)
    table = f"<table><tr><th>metric</th><th>value</th></tr>{rows}</table>"
    return notes + (f"<pre>{html.escape(report)}</pre>" if report else "") + table
