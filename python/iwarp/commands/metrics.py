# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp metrics``: what runs report."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="metrics")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table that the documentation shows.")
@json_option
def command(as_csv: bool, as_json: bool) -> None:
    """List what runs may report: name, unit, how the values of several flows merge, and help."""
    from .. import api
    from ..output import print_columns, print_csv, print_json

    rows = [(m.name, m.unit, m.merge, m.help) for m in api.metrics().values()]
    heading = ("metric", "unit", "merge", "meaning")
    if as_json:
        print_json([m.to_json() for m in api.metrics().values()])
    elif as_csv:
        print_csv([heading, *rows])
    else:
        print_columns(rows, heading)
