# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp soak``: random cases under sanitizers, until the time is over."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..development.soak import Fault


@click.command(name="soak")
@click.argument("minutes", type=click.FloatRange(min=0, min_open=True), required=False)
@click.option("--seed", type=click.IntRange(1, 4000), default=1, show_default=True, help="Of all that is random.")
@click.option("--only", "names", metavar="DRIVER", multiple=True, help="This driver only; may be repeated.")
@click.option("--list", "listed", is_flag=True, help="List the drivers, and run nothing.")
@click.option("--no-sanitizers", is_flag=True, help="With the build of every day: three times as fast, and less seen.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="processors",
              help="Batches at a time.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out/soak"), show_default=True,
              help="Where soak.json and inputs that fail go.")  # fmt: skip
@json_option
def command(
    minutes: float | None,
    seed: int,
    names: tuple[str, ...],
    listed: bool,
    no_sanitizers: bool,
    jobs: int,
    out: Path,
    as_json: bool,
) -> int:
    """Try random cases for so many MINUTES, with the sanitizers for addresses and undefined behaviour.

    Scenarios have to keep the laws of all scenarios: what is sent arrives once and as it was, figures agree, the same
    run gives the same numbers however it is made, and nothing protected is seen in clear. Suites repeat what they draw
    at random with other seeds: programs of verbs, peers that are hostile, cuts of streams. Fuzz targets take inputs
    that nobody made. Each fault comes with the command that repeats it, with as few parameters or octets as it takes.
    The exit code is 1 if there was one.
    """
    from .._setup import SetupError, builder
    from ..development import soak
    from ..report.output import print_columns, print_json

    chosen = soak.choose(names)
    if listed:
        print_columns([(driver.name, driver.unit) for driver in chosen], ("driver", "of"))
        return 0
    if minutes is None or not math.isfinite(minutes):
        raise click.UsageError("for how many minutes?  ./iwarp soak MINUTES")
    try:
        programs = builder.build()
        tests = programs
        for target in () if no_sanitizers else ("iwarp", "iwarp-test"):
            tests = builder.build("wheel", target, sanitize=True)
    except SetupError as error:
        raise click.ClickException(str(error)) from None
    out.mkdir(parents=True, exist_ok=True)
    place = soak.Place(programs, tests, out.resolve(), not no_sanitizers)
    trial = soak.Soak(chosen, place, seed, 60 * minutes, jobs)
    try:
        tallies = trial.run(_tell)
    finally:  # what whole batches have found stays if somebody interrupts
        path = soak.write(trial.tallies, seed, out)
    found = [fault for tally in tallies.values() for fault in tally.faults]
    if as_json:
        print_json({name: tally.to_json() for name, tally in tallies.items()})
    else:
        units = {driver.name: driver.unit for driver in chosen}
        rows = [(n, f"{t.cases:,} {units[n]}", f"{t.seconds:.0f} s", str(len(t.faults))) for n, t in tallies.items()]
        print_columns(rows, ("driver", "tried", "time", "faults"))
        click.echo(f"{len(found)} faults with seed {seed}; {path}")
    return bool(found)


def _tell(fault: Fault) -> None:
    click.echo(f"{fault.driver}: {fault.text}\n    {fault.command}", err=True)
