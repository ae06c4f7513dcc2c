# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp conformance``: requirements against tests."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="conformance")
@click.option("--rows", is_flag=True, help="List every requirement with its state and tests.")
@json_option
def command(rows: bool, as_json: bool) -> None:
    """Count the requirements of RFC 5044, 5041 and 6581 that tests name, by their level."""
    from .. import conformance
    from ..output import print_columns, print_json

    found = conformance.collect()
    counts = conformance.summary(found)
    if as_json:
        print_json(counts)
    elif rows:
        for row in found:
            click.echo(f"{row.id}  {row.level}  {row.state}  {', '.join(row.tests) or row.reason}".rstrip())
    else:
        header = ("level", "rows", "tested", "out of scope", "untested")
        print_columns([(level, *map(str, of_level.values())) for level, of_level in counts.items()], header)
