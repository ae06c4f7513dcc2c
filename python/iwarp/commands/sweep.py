# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp sweep``: the scenario, a function or a program for every combination of values."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import click

from ._options import (
    Place, cluster_options, json_option, limit_options, limits_of, place_of, split_settings, split_values,
)  # fmt: skip


@click.command(name="sweep")
@click.argument("settings", nargs=-1, required=True, metavar="NAME=V,...")
@click.option(
    "--program", metavar="PATH", help="Sweep an executable, which prints JSON lines, instead of the scenario."
)
@click.option("--read", metavar="FILE:NAME", help="What the program prints is for this function of a Python file.")
@click.option("--number", metavar="NAME", help="The program's argument with the number of the run.", default="RngRun",
              show_default=True)  # fmt: skip
@click.option("--function", metavar="FILE:NAME", help="Sweep a function of a Python file instead.")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each configuration, with different random numbers.")
@click.option("--until", metavar="METRIC=N%", help="Repeat until the mean's 95 % interval is within so much of it.")
@click.option("--most", type=click.IntRange(min=2), help="Runs of a configuration that --until may ask for.",
              show_default="100")  # fmt: skip
@click.option(
    "--budget", metavar="RUNS|TIME", help="What --until may take: runs in all, or their time together, as 2h."
)
@click.option("--sobol", "sobol", type=click.IntRange(min=1), metavar="POINTS", help="A Sobol design; a power of two.")
@click.option("--latin", "latin", type=click.IntRange(min=1), metavar="POINTS", help="A Latin hypercube.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at a time; by default one a processor.")
@limit_options
@cluster_options
@click.option("--out", type=Place(), metavar="DIR", help="Where results go.")
@click.option("--show", metavar="METRIC,...", help="Print the means of these, one line a configuration.")
@json_option
def command(settings: tuple[str, ...], out: Path | None, show: str | None, as_json: bool, **options: Any) -> None:
    """Run every combination of values, and keep a row for each run in DIR/runs.parquet.

    A range of a design is written A..B, or A..B:log. Asked for again with the same --out, a sweep goes on where it was.
    """
    from ..report.output import print_columns, print_json
    from ..sweeps.sweeper import run_sweep

    grid = _grid(settings, options.pop("sobol"), options.pop("latin"))
    subject = _subject(**{name: options.pop(name) for name in ("program", "read", "number", "function")})
    asked = _asked(**options)
    out = out or Path("out") / f"sweep-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        frame = run_sweep(subject, grid, out=out, measures=_listed(show), **asked)
    except KeyboardInterrupt:
        click.echo(f"iwarp: interrupted; go on with the same command and --out {shlex.quote(str(out))}", err=True)
        raise click.exceptions.Exit(1) from None
    failed = int((frame["status"] != "ok").sum())
    if as_json:
        print_json({"out": str(out), "rows": len(frame), "failed": failed})
    else:
        if show and failed < len(frame):
            rows = _means(frame, show)
            print_columns(rows[1:], rows[0])
        click.echo(f"{len(frame)} runs, {failed} failed")
        click.echo(f"results: {out / 'runs.parquet'}")
    if failed == len(frame):
        raise click.ClickException(f"every run failed: {frame['message'].iloc[0]}")


def _grid(settings: tuple[str, ...], sobol: int | None, latin: int | None) -> Any:
    from ..sweeps.designs import Range, latin_hypercube
    from ..sweeps.designs import sobol as sobol_points

    if sobol and latin:
        raise click.UsageError("--sobol and --latin are two designs: choose one")
    grid: dict[str, Any] = {name: split_values(text) for name, text in split_settings(settings, dashes=False).items()}
    if not (sobol or latin):
        return grid
    for name, values in grid.items():
        low, dots, high = values[0].partition("..")
        if len(values) == 1 and dots:
            high, _, scale = high.partition(":")
            if scale not in ("", "log"):
                raise click.UsageError(f"{name}={values[0]}: a range is A..B or A..B:log")
            grid[name] = Range(_number(low), _number(high), log=scale == "log")
    return sobol_points(grid, sobol) if sobol else latin_hypercube(grid, latin)


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _subject(program: str | None, read: str | None, number: str, function: str | None) -> Any:
    from ..sweeps.program import Program
    from ..sweeps.subjects import FunctionSubject, ScenarioSubject

    if program and function:
        raise click.UsageError("--program and --function are two things to sweep: choose one")
    if read and not program:
        raise click.UsageError("--read is for what a --program prints")
    if program:
        return Program(program, read=_function(read, "--read") if read else None, run=number)
    return FunctionSubject(_function(function, "--function")) if function else ScenarioSubject()


def _function(place: str, option: str) -> Any:
    """Return the function at ``FILE:NAME``."""
    from ..sweeps.subjects import where

    file, colon, name = place.rpartition(":")
    if not colon or not Path(file).is_file():
        raise click.UsageError(f'{option} takes FILE:NAME, as model.py:simulate, not "{place}"')
    # a name that no other module has, and by which those find it who ask a function for its module
    name_of_its_own = f"file_{hashlib.sha256(os.fsencode(Path(file).resolve())).hexdigest()[:12]}_{Path(file).stem}"
    loader = importlib.machinery.SourceFileLoader(name_of_its_own, file)  # whatever the file's name ends with
    spec = importlib.util.spec_from_loader(name_of_its_own, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        place = f"{Path(error.filename or file).name}:{error.lineno}"
        raise click.UsageError(f"{file} is no Python: {error.msg} ({place})") from None
    except Exception as error:
        raise click.UsageError(f"{file} cannot be loaded: {where(error, file)}") from None
    if not hasattr(module, name):
        raise click.UsageError(f'{file} has no function "{name}"')
    return getattr(module, name)


def _asked(
    until: str | None, most: int | None, budget: str | None, runs: int | None, cluster: str | None, slurm: int | None,
    **others: Any,
) -> dict[str, Any]:  # fmt: skip
    from ..sweeps.until import Until

    limits = limits_of(others)
    asked = {**others, "cluster": place_of(cluster, slurm)}
    for option, given in (("--budget", budget), ("--most", most)):
        if given and not until:
            raise click.UsageError(f"{option} is what --until may take: give --until too, or --runs")
    if until:
        metric, equals, share = until.partition("=")
        if not equals or not share.endswith("%") or not isinstance(_number(share[:-1]), (int, float)):
            raise click.UsageError(f'--until takes METRIC=N%, as goodput=5%, not "{until}"')
        asked["until"] = Until(metric.replace("-", "_"), relative=_number(share[:-1]) / 100, budget=budget,
                               **({"most": most} if most else {}))  # fmt: skip
    return asked | limits | ({"runs": runs} if runs else {})


def _listed(show: str | None) -> list[str]:
    return [name.strip().replace("-", "_") for name in show.split(",")] if show else []


def _means(frame: Any, show: str) -> list[list[str]]:
    """Return a line for each configuration: what varies, then the means and halves of their intervals, with how many
    runs have a value where some have none.
    """
    from ..analysis.stats import group, is_numeric
    from ..errors import UsageError, did_you_mean
    from ..parameters.quantity import human

    metrics = _listed(show)
    measured = [name for name in frame if name not in frame.attrs["parameters"]]
    for metric in metrics:
        if metric not in measured:
            raise UsageError(f'no run has measured "{metric}"{did_you_mean(metric, measured)}')
        if not is_numeric(frame[metric]):
            raise UsageError(f"{metric} is no number, so that it has no mean to show")
    factors = frame.attrs["varied"]
    units = frame.attrs["units"]
    rows = [[*factors, *metrics, "runs"]]
    for one in group(frame, factors or ["code"], metrics):
        shown = []
        for metric in metrics:
            found, _ = one.found[metric]
            text = " ± ".join(human(value, units.get(metric, ""), decimal=True) for value in (found.mean, found.half))
            shown.append(text if found.n in (0, one.runs) else f"{text} ({found.n} of {one.runs} runs)")
        rows.append([*map(str, one.values if factors else ()), *shown, str(one.runs)])
    return rows
