# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp params``: what can be set."""

from __future__ import annotations

import textwrap

import click

from ._options import json_option


@click.command(name="params")
@click.argument("part", required=False, default="")
@click.option("--all", "qualified", is_flag=True,
              help="The attributes of every class of the module instead, by qualified name; with PART ns-3's as well.")
@json_option
def command(part: str, qualified: bool, as_json: bool) -> None:
    """List the scenario's parameters, or those with PART in their name: name, type, unit, default, range and help.

    Besides short names, --set takes any attribute of any class of the module or of ns-3 by its qualified
    name, such as MpaStream.SilentDrop or TcpSocketBase.MinRto: --all lists them.
    """
    from .. import api
    from ..output import print_json
    from ..quantity import human
    from ..schema import Param

    def value_text(param: Param) -> str:
        if isinstance(param.default, bool):
            return str(param.default).lower()
        if param.type in ("time", "rate") and not isinstance(param.default, str):
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

    params = list(api.params(part if qualified else None).values())
    params = [p for p in params if part.lower() in p.name.lower() or part.lower() in p.target.lower()]
    if as_json:
        print_json([p.to_json() for p in params])
        return
    for param in params:
        unit = f" [{param.unit}]" if param.unit and param.type not in ("time", "rate") else ""
        stands_for = f"  for {param.target}" if param.target else ""
        click.echo(f"{param.name} = {value_text(param)}{unit}  ({range_text(param)}){stands_for}")
        click.echo(textwrap.fill(param.help, 96, initial_indent="    ", subsequent_indent="    "))
