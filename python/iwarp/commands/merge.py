# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp merge``: the rows of several directories in one."""

from __future__ import annotations

from pathlib import Path

import click

from ._options import Place, json_option


@click.command(name="merge")
@click.argument("directories", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="DIR", type=Place(),
              help="Where all of them go.")  # fmt: skip
@json_option
def command(directories: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Join the rows of the parts of a sweep or study that were run with --shard."""
    from ..report.output import print_json
    from ..sweeps.rows import merge

    frame = merge(directories, out)
    failed = int((frame["status"] != "ok").sum())
    if as_json:
        print_json({"out": str(out), "rows": len(frame), "failed": failed})
    else:
        click.echo(f"{len(frame)} runs, {failed} failed")
        click.echo(f"results: {out / 'runs.parquet'}")
