# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp mutants``: whether the tests notice faults that are put into the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..development.mutant_judge import Verdict
    from ..development.mutants import Mutant, Site


@click.command(name="mutants")
@click.option("--room", metavar="ROOM", help="Judge the mutants of this file of test/mutants/ only, or `generated`.")
@click.option("--id", "names", metavar="NAME", multiple=True, help="Judge this mutant only, such as mpa-01.")
@click.option("--generated", metavar="N", type=click.IntRange(0), default=0, help="As many more, made by rules.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Which ones these are.")
@click.option("--quick", is_flag=True, help="With the suites of `./iwarp test --quick` only.")
@click.option("--list", "listing", is_flag=True, help="List the mutants with their numbers, and judge none.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=2, show_default=True, help="Suites at a time.")
@json_option
def command(room: str | None, names: tuple[str, ...], generated: int, seed: int, quick: bool, listing: bool,
            jobs: int, as_json: bool) -> int:  # fmt: skip
    """Judge the tests by faults that they have to notice.

    Each file of test/mutants/ has faults of a room. All are compiled into one library, and IWARP_MUTANT
    in the environment switches one on by its number. A mutant meets the suites in C++ that reach it, the
    quickest first, until one fails; one of the Python package the tests of that. Those that none notices
    are listed, and the exit code is 1, unless the file explains why nobody can notice them.
    """
    from .._setup import SetupError
    from ..development import mutant_operators, mutant_sources, mutants
    from ..report.output import print_json

    every = mutants.load()
    every += mutant_operators.generate(generated, seed, every)
    chosen = _choose(every, room, names)
    numbers = mutant_sources.number(every)
    sites = mutants.check(every)
    if listing:
        _list(chosen, numbers, sites, as_json)
        return 0
    verdicts = []
    try:
        if any(not mutant.is_of_python for mutant in chosen):
            verdicts += _judge_library(sites, chosen, numbers, quick, jobs)
    except SetupError as error:
        raise click.ClickException(str(error)) from None
    if any(mutant.is_of_python for mutant in chosen):
        verdicts += _judge_package(sites, chosen, numbers, quick, jobs)
    if as_json:
        print_json([verdict.to_json() for verdict in verdicts])
    else:
        _show(verdicts, sites)
    return 1 if any(verdict.state == "survives" for verdict in verdicts) else 0


def _judge_library(
    sites: dict[str, list[Site]], chosen: list[Mutant], numbers: dict[str, int], quick: bool, jobs: int
) -> list[Verdict]:
    """Build the library with all mutants and judge those that are chosen by the suites in C++."""
    from ..development import mutant_judge, mutant_sources, slow_tests
    from ..sweeps.progress import tell

    mutant_sources.write(sites, numbers)
    suites = mutant_judge.Suites(mutant_sources.build())
    left_out = set(slow_tests.load()) if quick else set()
    names = [name for name in suites.list() if name not in left_out]
    recorded = mutant_judge.record(suites, mutant_sources.count(numbers), names, jobs, tell)
    ours = [mutant for mutant in chosen if not mutant.is_of_python]
    return mutant_judge.judge_all(ours, numbers, recorded, suites, jobs, tell)


def _judge_package(
    sites: dict[str, list[Site]], chosen: list[Mutant], numbers: dict[str, int], quick: bool, jobs: int
) -> list[Verdict]:
    """Judge those of the Python package by its tests, in a clone with all mutants."""
    from ..development import mutant_judge, mutant_python, mutant_sources
    from ..sweeps.progress import tell

    clone = mutant_python.write(sites, numbers)
    tests = mutant_judge.PythonTests(clone)
    recorded = mutant_judge.record(tests, mutant_sources.count(numbers), mutant_python.list_tests(quick), jobs, tell)
    ours = [mutant for mutant in chosen if mutant.is_of_python]
    return mutant_judge.judge_all(ours, numbers, recorded, tests, jobs, tell)


def _choose(every: list[Mutant], room: str | None, names: tuple[str, ...]) -> list[Mutant]:
    rooms = {mutant.room: None for mutant in every}
    if room is not None and room not in rooms:
        raise click.BadParameter(f"there is no room {room}: choose from {', '.join(rooms)}", param_hint="--room")
    missing = set(names) - {mutant.name for mutant in every}
    if missing:
        raise click.BadParameter(f"there is no mutant {min(missing)}: --list shows them", param_hint="--id")
    return [m for m in every if room in (None, m.room) and (not names or m.name in names)]


def _list(chosen: list[Mutant], numbers: dict[str, int], sites: dict[str, list[Site]], as_json: bool) -> None:
    from ..report.output import print_columns, print_json

    lines = {site.mutant.name: site.line for found in sites.values() for site in found}
    rows = [(numbers[m.name], m.name, f"{m.path}:{lines[m.name]}", m.meaning) for m in chosen]
    titles = ("number", "name", "place", "meaning")
    if as_json:
        print_json([dict(zip(titles, row, strict=True)) for row in rows])
    else:
        print_columns([tuple(map(str, row)) for row in rows], titles)


def _show(verdicts: list[Verdict], sites: dict[str, list[Site]]) -> None:
    from ..report.output import print_columns

    states = ("noticed", "explained", "survives")
    rooms = {verdict.mutant.room: None for verdict in verdicts}
    rows = []
    for title in [*rooms, "all"]:
        of_room = [v for v in verdicts if title in ("all", v.mutant.room)]
        rows.append((title, str(len(of_room)), *(str(sum(v.state == state for v in of_room)) for state in states)))
    print_columns(rows, ("room", "mutants", *states))
    lines = {site.mutant.name: site.line for found in sites.values() for site in found}
    for verdict in verdicts:
        mutant = verdict.mutant
        if verdict.state == "survives":
            known = f" ({mutant.known})" if mutant.known else ""
            click.echo(f"\n{mutant.name} survives {verdict.tried} suites{known}: {mutant.meaning}")
            click.echo(f"  {mutant.path}:{lines[mutant.name]}")
            for mark, text in (("-", mutant.old), ("+", mutant.new)):
                click.echo(f"  {mark} " + text.replace("\n", "\n    "))
