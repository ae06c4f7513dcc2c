# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp export``: the rows of a sweep as a table for other programs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="export")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
def command(directory: Path, file: Path) -> None:
    """Write the rows of DIR to FILE: .csv with units in the headings, .jsonl, or .parquet."""
    from ..sweeps.rows import export

    export(directory, file)
