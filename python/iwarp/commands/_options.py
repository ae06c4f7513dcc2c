# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands share."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on standard output.")


class Place(click.Path):
    """A directory for results; an empty name, which a variable of a shell that is not set leaves, is refused."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("the name of the directory is empty", param, ctx)
        return super().convert(value, param, ctx)


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


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what a run may take."""
    for option in (
        click.option("--memory", type=click.FloatRange(min=0, min_open=True), metavar="GIB",
                     help="GiB that a run may allocate, by default 4."),
        click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                     help="Seconds that a run may take, by default 600."),
    ):  # fmt: skip
        command = option(command)
    return command


def limits_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of limit_options() out of a command's, and return those that are given, memory in octets."""
    timeout, memory = options.pop("timeout"), options.pop("memory")
    return ({} if timeout is None else {"timeout": timeout}) | ({} if memory is None else {"memory": memory * 2**30})


def trace_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is traced, and where to."""
    for option in (
        click.option("--trace-format", type=click.Choice(["parquet", "csv"]), default="parquet", show_default=True,
                     help="Form of its files."),
        click.option("--trace-connection", "trace_connections", metavar="TEXT", multiple=True,
                     help="Trace this connection only, or those with this end (10.0.0.1:49153, or the address alone)."),
        click.option("--trace-node", "trace_nodes", metavar="NAME", multiple=True, help="Trace this node only."),
        click.option("--trace-rows", metavar="N", type=click.IntRange(min=1),
                     help="Most rows of each table, by default 1,000,000; traces.json says how many were left out."),
        click.option("--trace-dir", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
                     help="Write the tables there, with traces.json."),
        click.option("--trace", "trace", metavar="NAME[,NAME]", multiple=True,
                     help="Trace these; `iwarp traces` lists them. NAME:every=10us samples a value."),
    ):  # fmt: skip
        command = option(command)
    return command


def traces_of(options: dict[str, Any]) -> Any:
    """Take the values of trace_options() out of a command's, and return Traces and a directory, or twice None."""
    from ..runs.traces import Traces

    names, directory, rows, nodes, connections, form = (
        options.pop(f"trace{name}") for name in ("", "_dir", "_rows", "_nodes", "_connections", "_format")
    )
    if not names and directory is None and not (rows or nodes or connections):
        return None, None
    if not names or directory is None:
        raise click.UsageError("--trace NAME and --trace-dir DIR go together: what is traced, and where to")
    return Traces(names, rows=rows or Traces.rows, nodes=nodes, connections=connections, format=form), directory


def place_of(cluster: str | None, slurm: int | None) -> str | None:
    """Return where to run, as iwarp.sweep takes it."""
    if cluster and slurm:
        raise click.UsageError("--cluster and --slurm are two places: choose one")
    return f"slurm:{slurm}" if slurm else cluster


def split_settings(settings: Sequence[str], dashes: bool = True) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; dashes stand for underscores."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.UsageError(f'parameters are given as NAME=VALUE, not "{setting}"')
        name = name.strip().replace("-", "_") if dashes else name.strip()
        if name in found:
            raise click.UsageError(f"{name} is given twice; a sweep or a study takes several values as {name}=A,B")
        found[name] = value.strip()
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
