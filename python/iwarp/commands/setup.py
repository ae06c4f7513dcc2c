# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp setup``: what some programs need besides what runs and sweeps do."""

from __future__ import annotations

import click

from .._setup import SetupError, environment


@click.command("setup")
@click.argument("groups", nargs=-1, metavar="[GROUP]...",
                type=click.Choice([group for group in environment.GROUPS if group != environment.CORE]))  # fmt: skip
def command(groups: tuple[str, ...]) -> None:
    """Install in .venv what a GROUP of requirements/ names, with what it needs.

    sweeps: sweeps and studies, which other commands install as well. bindings: classes of C++ in Python and runs with
    functions of Python's, by cppyy, which compiles for some minutes. cluster: sweeps on a cluster. docs: the
    documentation. test: the tests. Commands install by themselves what they need.
    """
    try:
        environment.provide(*(groups or ("sweeps",)))
    except SetupError as error:
        raise click.ClickException(str(error)) from None
