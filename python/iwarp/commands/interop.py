# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp interop``: simulations against Linux's soft-iWARP driver in an emulated machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..development.interop import Outcome
    from ..development.interop_cases import Case


@click.command(name="interop")
@click.option("--list", "listing", is_flag=True, help="List the cases, and run none.")
@click.option("--case", "patterns", metavar="NAME|REGEX", multiple=True, help="Run these only.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/interop"),
    show_default=True,
    help="Where logs and captures go, those of a case with its name before them.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=1),
    default=1.0,
    show_default=True,
    help="Factor on the time limits, for a machine that is busy.",
)
@json_option
def command(listing: bool, patterns: tuple[str, ...], directory: Path, patience: float, as_json: bool) -> int:
    """Connect simulations to Linux's soft-iWARP driver (siw), in real time, and compare with what is expected.

    Linux runs in a machine that QEMU emulates. It is built of Debian's packages by the first run, which root has to
    make, and kept in ~/.cache/iwarp. Each case leaves two logs and two captures, of both sides. The exit code is 1 if
    a case is not as expected.
    """
    from .._setup import SetupError
    from ..development import interop
    from ..report.output import print_json

    cases = interop.choose(patterns)
    if listing:
        _print_list(cases, as_json)
        return 0
    outcomes = []
    if not as_json:
        click.echo(_line(("case", "machine", "", "time", "what")))
    try:
        for outcome in interop.run(cases, directory.resolve(), patience):
            outcomes.append(outcome)
            if not as_json:
                _print_outcome(outcome)
    except SetupError as error:
        raise click.ClickException(str(error)) from None
    failed = sum(not outcome.good for outcome in outcomes)
    if as_json:
        print_json([outcome.to_json() for outcome in outcomes])
    else:
        click.echo(f"{len(outcomes) - failed} as expected, {failed} not; logs and captures are in {directory}")
    return 1 if failed else 0


_WIDTHS = (32, 9, 17, 9, 0)  # lines are printed one by one, as cases end


def _line(cells: tuple[str, ...]) -> str:
    return "".join(text.ljust(width) for text, width in zip(cells, _WIDTHS, strict=True)).rstrip()


def _print_outcome(outcome: Outcome) -> None:
    verdict = "as expected" if outcome.good else "NOT as expected"
    case = outcome.case
    click.echo(_line((case.name, case.machine, verdict, f"{outcome.seconds:.1f} s", case.what)))
    for reason in outcome.why:
        click.echo(f"    {reason}")


def _print_list(cases: list[Case], as_json: bool) -> None:
    from ..report.output import print_columns, print_json

    if as_json:
        print_json([{"case": c.name, "group": c.group, "machine": c.machine, "what": c.what} for c in cases])
    else:
        print_columns([(c.name, c.group, c.machine, c.what) for c in cases], ("case", "group", "machine", "what"))
