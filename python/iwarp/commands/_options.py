# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands share."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on standard output.")


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where runs are made, and which of them."""
    for option in (
        click.option("--shard", metavar="I/N", help="Make the runs of the I-th of N parts; `iwarp merge` joins them."),
        click.option("--slurm", type=click.IntRange(min=1), metavar="JOBS", help="Run in so many jobs of Slurm."),
        click.option(
            "--cluster", metavar="ADDRESS", help="Run on the workers of a Dask scheduler, as tcp://host:8786."
        ),
    ):
        command = option(command)
    return command


def place_of(cluster: str | None, slurm: int | None) -> str | None:
    """Return where to run, as iwarp.sweep takes it."""
    if cluster and slurm:
        raise click.UsageError("--cluster and --slurm are two places: choose one")
    return f"slurm:{slurm}" if slurm else cluster


def split_settings(settings: Sequence[str], dashes: bool = True) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; a name given twice keeps its last value, and dashes stand for underscores."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.UsageError(f'parameters are given as NAME=VALUE, not "{setting}"')
        found[name.strip().replace("-", "_") if dashes else name.strip()] = value.strip()
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
