# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp topology``: a map of a network made into the files of topology ``file``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="topology")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("prefix", metavar="PREFIX", type=click.Path(path_type=Path))
@click.option("--delay", metavar="TIME",
              help="Propagation delay of links of which the place of an end is not known, such as 1ms.")  # fmt: skip
def command(file: Path, prefix: Path, delay: str | None) -> None:
    """Make FILE, a map in GraphML or GML such as those of the Internet Topology Zoo, into PREFIX-nodes.csv and
    PREFIX-links.csv, for runs with topology=file:PREFIX."""
    from ..network.graph import read_graph

    graph = read_graph(file, delay)
    nodes, links = graph.write(prefix)
    for note in graph.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{nodes}: {len(graph.cities)} routers")
    click.echo(f"{links}: {len(graph.lines)} links")
