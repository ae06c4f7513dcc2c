# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands share."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on standard output.")


def split_settings(settings: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; a name given twice keeps its last value."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.UsageError(f'parameters are given as NAME=VALUE, not "{setting}"')
        found[name.strip().replace("-", "_")] = value.strip()
    return found


def split_values(text: str) -> list[str]:
    """Split values at commas; one that holds commas stands in double quotes: ``"a,b",c``."""
    fields = next(csv.reader([text], skipinitialspace=True), [])
    values = [value.strip() for value in fields if value.strip()]
    if not values:
        raise click.UsageError(f'"{text}" holds no value')
    return values


def join_values(values: Sequence[str]) -> str:
    """Return the text that split_values() takes."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(values)
    return out.getvalue()
