# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp reproduce``: what the documentation states, made again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..reproduction.rows import Row


@click.command("reproduce")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="List what can be made again, and run nothing.")
@click.option("--full/--quick", default=False, show_default="--quick",
              help="Everything, or what costs little; names say it themselves.")  # fmt: skip
@click.option("--seed", type=click.IntRange(1), default=1, show_default=True,
              help="Seed of the random numbers; all figures of the documentation are those of 1.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out", "reproduce"),
              show_default=True, metavar="DIR", help="Where the page and the tables go.")  # fmt: skip
@json_option
def command(names: tuple[str, ...], listed: bool, full: bool, seed: int, out: Path, as_json: bool) -> None:
    """Make figures and pictures of the documentation again, and write one page that holds both beside each other.

    A figure has the documented value, the new one, their intervals and a verdict: agrees, differs or not
    run. Without names those are made that cost little; --list has the cost of each. The exit code is 1
    if one differs. doc/reproduce.rst says what is claimed and how long it takes.
    """
    from ..reproduction import report, subjects
    from ..report.output import print_columns, print_json

    if listed:
        found = subjects.everything()
        if as_json:
            print_json([{"name": s.name, "kind": s.kind, "page": f"doc/{s.page}.rst", "command": s.command,
                         "cpu_minutes": s.minutes, "quick": s.is_quick} for s in found])  # fmt: skip
            return
        lines = [
            (
                s.name,
                s.kind,
                f"doc/{s.page}.rst",
                "" if s.minutes is None else f"{s.minutes:g}",
                "yes" if s.is_quick else "",
            )
            for s in found
        ]
        print_columns(lines, ("name", "kind", "page", "CPU min", "quick"))
        return
    chosen = subjects.choose(names, full, seed)
    out.mkdir(parents=True, exist_ok=True)
    options = ["--full"] * (full and not names) + [f"--seed={seed}"] * (seed != 1)
    typed = shlex.join(["./iwarp", "reproduce", *names, *options])
    made: list[Row] = []
    for subject in chosen:
        made += report.make(subject, seed, out)
        for row in made:
            if row.subject == subject.name:
                click.echo(f"{row.verdict}: {row.name or row.about}", err=True)
        number = report.counts(report.write(made, seed, typed, out))  # of what is done, should the rest be cut short
    if as_json:
        print_json({**number, "page": str(out / "index.html")})
    else:
        click.echo(", ".join(f"{count} {verdict}" for verdict, count in number.items()))
        click.echo(f"page: {out / 'index.html'}")
    if number[report.DIFFERS]:
        raise click.exceptions.Exit(1)
