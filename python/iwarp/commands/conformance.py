# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp conformance``: requirements against what the tests have checked."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="conformance")
@click.option("--rows", is_flag=True, help="List every requirement with its state and the checks that ran for it.")
@json_option
def command(rows: bool, as_json: bool) -> None:
    """Count the requirements of the protocols for which a check ran and passed in the last `./iwarp test`.

    They are those of RFC 5044, 5041, 6581, 5040, 7306 and 8446, and of the NVMe/TCP transport specification;
    doc/requirements says in one row each what they ask for.
    """
    from ..development import conformance
    from ..report.output import print_columns, print_json

    found = conformance.collect()
    counts = conformance.summary(found)
    if as_json and rows:
        print_json(
            [{"id": r.id, "level": r.level, "state": r.state, "checks": [str(c) for c in r.checks]} for r in found]
        )
    elif as_json:
        print_json(counts)
    elif rows:
        for row in found:
            click.echo(f"{row.id}  {row.level}  {row.state}  {row.reason}".rstrip())
            for check in row.checks:
                click.echo(f"    {check}")
    else:
        header = ("level", "rows", "tested", "out of scope", "untested")
        print_columns([(level, *map(str, of_level.values())) for level, of_level in counts.items()], header)
