# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp params``: what can be set."""

from __future__ import annotations

import textwrap

import click

from ._options import json_option


@click.command(name="params")
@json_option
def command(as_json: bool) -> None:
    """List every scenario parameter: name, type, unit, default, range and help."""
    from .. import api
    from ..output import print_json
    from ..quantity import human
    from ..schema import Param

    def value_text(param: Param) -> str:
        if isinstance(param.default, bool):
            return str(param.default).lower()
        if param.type in ("time", "rate"):
            return human(param.default, param.unit)
        return str(param.default) or '""'

    def range_text(param: Param) -> str:
        if param.choices:
            return "|".join(param.choices)
        if param.range is None:
            return param.type
        low, high = param.minimum, param.maximum
        if high is None:
            return f"{param.type} from {low:g}"
        return f"{param.type} to {high:g}" if low is None else f"{param.type} {low:g} to {high:g}"

    params = list(api.params().values())
    if as_json:
        print_json([p.to_json() for p in params])
        return
    for param in params:
        unit = f" [{param.unit}]" if param.unit and param.type not in ("time", "rate") else ""
        click.echo(f"{param.name} = {value_text(param)}{unit}  ({range_text(param)})")
        click.echo(textwrap.fill(param.help, 96, initial_indent="    ", subsequent_indent="    "))
