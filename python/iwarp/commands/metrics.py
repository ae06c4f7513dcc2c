# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp metrics``: what runs report."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="metrics")
@click.argument("part", required=False, default="")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table that the documentation shows.")
@json_option
def command(part: str, as_csv: bool, as_json: bool) -> None:
    """List what runs may report, all or those with PART in their names: unit, merging of flows, help."""
    from .. import api
    from ..errors import UsageError
    from ..report.output import print_columns, print_csv, print_json

    metrics = [m for m in api.metrics().values() if part.lower() in m.name]
    if not metrics:
        raise UsageError(f'no metric has "{part}" in its name')
    rows = [(m.name, m.unit, m.merge, m.help) for m in metrics]
    heading = ("metric", "unit", "merge", "meaning")
    if as_json:
        print_json([m.to_json() for m in metrics])
    elif as_csv:
        print_csv([heading, *rows])
    else:
        print_columns(rows, heading)
