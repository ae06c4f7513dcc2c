# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp params``: what can be set."""

from __future__ import annotations

import textwrap

import click

from ..parameters.groups import GROUPS
from ..parameters.schema import Param
from ._options import json_option


@click.command(name="params")
@click.argument("part", required=False, default="")
@click.option("--all", "qualified", is_flag=True,
              help="The attributes of every class of the module instead, by qualified name; with PART ns-3's as well.")
@click.option("--group", type=click.Choice(list(GROUPS)), help="Only this group.")
@json_option
def command(part: str, qualified: bool, group: str | None, as_json: bool) -> None:
    """List the scenario's parameters in groups, or those with PART in their names: name, default, range, unit and help.

    Besides short names, NAME=V takes any attribute of any class of the module or of ns-3 by its qualified
    name, such as MpaStream.SilentDrop or TcpSocketBase.MinRto: --all lists them.
    """
    from .. import api
    from ..errors import UsageError
    from ..parameters.groups import grouped
    from ..report.output import print_json

    params = list(api.params(part if qualified else None).values())
    params = [p for p in params if part.lower() in p.name.lower() or part.lower() in p.target.lower()]
    groups = {name: members for name, members in grouped(params).items() if group in (None, name)}
    if as_json:
        print_json([{**p.to_json(), "group": name} for name, members in groups.items() for p in members])
        return
    if not groups:
        among = f" of group {group}" if group else ""
        elsewhere = "" if qualified else "; --all looks at every class"
        raise UsageError(f'no parameter{among} has "{part}" in its name{elsewhere}')
    for number, (name, members) in enumerate(groups.items()):
        click.echo(("\n" if number else "") + f"{GROUPS[name][0]} (--group {name})\n")
        for param in members:
            _print(param)


def _print(param: Param) -> None:
    shown = f"{param.default_text()}  ({param.range_text() or param.kind_text()})"
    click.echo(f"{param.name} = {shown}" + (f"  for {param.target}" if param.target else ""))
    click.echo(textwrap.fill(param.help, 96, initial_indent="    ", subsequent_indent="    "))
