# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp build``: the module against one of the forms of ns-3."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from .._setup import SetupError, builder, tree


@click.command("build")
@click.option("--ns3", "form", default="wheel", show_default=True, metavar="wheel|debian|PATH",
              help="ns-3 from PyPI, from Debian's libns3-dev, or the path of an ns-3 source tree (3.35 to 3.48), "
              "whose contrib/iwarp becomes a link to this repository.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(form: str, as_json: bool) -> None:
    """Build the library, its tests, examples and benchmarks."""
    begin = time.monotonic()
    path = None if form in builder.FORMS else Path(form).expanduser()
    if path is not None:
        if not form or not path.is_dir():
            raise click.UsageError(f'--ns3 "{form}" is neither wheel nor debian nor the path of an ns-3 source tree')
        try:
            tree.check(path)
        except SetupError as error:
            raise click.UsageError(f"--ns3: {error}") from None
    try:
        if path is None:
            place = builder.build(form, always=True)
            version = builder.version(place)
        else:
            place = path.resolve()
            version = tree.build(place)
    except SetupError as error:
        raise click.ClickException(str(error)) from None
    seconds = round(time.monotonic() - begin, 1)
    if as_json:
        result = {"ns3": "path" if path else form, "version": version, "directory": str(place), "seconds": seconds}
        click.echo(json.dumps(result))
    else:
        click.echo(f"built against ns-3 {version} in {place} ({seconds} s)")
