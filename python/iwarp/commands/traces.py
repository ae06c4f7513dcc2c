# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp traces``: what can be traced."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import click

from ._options import json_option

COMMON = "Every table begins with time_ns, node, host and connection."


@click.command(name="traces")
@click.argument("part", required=False, default="")
@json_option
def command(part: str, as_json: bool) -> None:
    """List the traces that `iwarp run --trace` takes: those with short names and the trace sources of the module's
    classes, or those with PART in their names, ns-3's too; with kind, columns, units and help."""
    from .. import api
    from ..errors import UsageError
    from ..report.output import print_json

    traces = api.traces(part)
    if as_json:
        print_json(traces)
        return
    if not traces:
        raise UsageError(f'no trace has "{part}" in its name')
    click.echo(COMMON)
    for trace in traces:
        _print(trace)


def _print(trace: Mapping[str, Any]) -> None:
    short = trace["source"] != trace["name"]
    of = f" of {trace['source']}" if short else ""
    standard = ", one of standard" if trace["standard"] else ""
    click.echo(f"\n{trace['name']}  ({trace['kind']}{of}{standard})")
    click.echo(textwrap.fill(trace["help"], 96, initial_indent="    ", subsequent_indent="    "))
    for column in trace["columns"]:
        unit = f" [{column['unit']}]" if column["unit"] else ""
        click.echo(f"    {column['name']}: {column['type']}  {column['help']}{unit}")
