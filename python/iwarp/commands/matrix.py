# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp matrix``: the module in many forms of build, and under tools that look at it."""

from __future__ import annotations

from pathlib import Path

import click

from ._options import json_option


@click.command("matrix")
@click.argument("names", nargs=-1, metavar="[CELL]...")
@click.option("--list", "listed", is_flag=True, help="List the cells, and run nothing.")
@click.option("--tree", multiple=True, metavar="PATH", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="A source tree of ns-3, for a cell of its own; may be repeated.")  # fmt: skip
@click.option("--folder", "folders", multiple=True, default=("model", "helper"), show_default=True,
              help="What clang-tidy and cppcheck look at; may be repeated.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out", "matrix"),
              show_default=True, metavar="DIR", help="Where the tables and what the cells print go.")  # fmt: skip
@json_option
def command(
    names: tuple[str, ...], listed: bool, tree: tuple[Path, ...], folders: tuple[str, ...], out: Path, as_json: bool
) -> None:
    """Build and test the module in forms that --list names, one cell after the other, and write a table.

    Cells are releases of ns-3 from PyPI by compiler and C++ standard, whole builds with their suites and
    the recorded scenarios, Debian's ns-3, source trees, clang-tidy, cppcheck and valgrind. A name that ends
    in a hyphen stands for all that begin so, such as parse-3.43-. All cells take hours.
    """
    from ..development import matrix
    from ..report.output import print_columns, print_json

    known = matrix.cells(tree, folders)
    if listed:
        if as_json:
            print_json([{"cell": cell.name, "about": cell.about, "needs": cell.needs} for cell in known])
        else:
            print_columns([(cell.name, cell.about) for cell in known], ("cell", "what is done"))
        return
    if not names:
        raise click.UsageError("all cells take hours: name those to run; --list has them")
    out.mkdir(parents=True, exist_ok=True)
    results = []
    for cell in matrix.choose(names, known):
        results.append(matrix.run(cell, out))
        click.echo(f"{cell.name}: {results[-1].state} ({results[-1].said})", err=True)
        matrix.write(results, out)
    if as_json:
        print_json([{"cell": r.cell.name, "state": r.state, "seconds": round(r.seconds, 1), "said": r.said}
                    for r in results])  # fmt: skip
    else:
        click.echo((out / "matrix.md").read_text(), nl=False)
    failed = [r.cell.name for r in results if r.state == matrix.FAILED]
    if failed:
        raise click.ClickException(f"failed: {', '.join(failed)}; see the files .log in {out}")
