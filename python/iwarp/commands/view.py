# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp view``: a study's report, or a sweep that runs, in the browser."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from ..errors import UsageError
from ..sweeps.plan import Plan
from ._browser import open_page


@click.command(name="view")
@click.argument("directory", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
def command(directory: Path | None) -> None:
    """Open the report in DIR, or the newest one below out/, and print its path.

    While a sweep or a study runs in DIR, or where it has no report, a page is served on this machine until Ctrl-C: what
    is done and failed, how long yet, means so far with their intervals; a click on one shows its parameters, the
    command that repeats a run, and the files that the run left.

    Where there is no browser, the path or the address alone is printed.
    """
    if directory and has_sweep(directory):
        _watch(directory)
        return
    open_page(find(directory) if directory else newest(Path("out")))


def has_sweep(directory: Path) -> bool:
    """Tell whether a directory is to be watched: a sweep runs in it, or has run and left no report."""
    try:
        plan = Plan.read(directory)
    except UsageError:
        return False
    return not (directory / "report.html").is_file() or plan.is_running is True


def _watch(directory: Path) -> None:
    from ..watch.server import Server
    from ..watch.state import Watched

    with Server(Watched(directory)) as server:
        open_page(server.address)
        click.echo("iwarp: Ctrl-C ends it", err=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


def find(directory: Path) -> Path:
    """Return the page of a directory that a study wrote; a page may be given as well."""
    if directory.is_file() and directory.suffix == ".html":
        return directory
    report = directory / "report.html"
    if report.is_file():
        return report
    if not directory.is_dir():
        raise UsageError(f"there is no directory {directory}")
    if (directory / "study.json").exists():
        raise UsageError(f"{directory} has no report yet; go on with: iwarp study --resume {directory}")
    raise UsageError(f"{directory} holds no report.html: give the directory that a study wrote")


def newest(directory: Path) -> Path:
    """Return the page of the study below a directory that was written last."""
    reports = sorted(directory.glob("*/report.html"), key=lambda page: page.stat().st_mtime)
    if not reports:
        raise UsageError(f"there is no report below {directory}/: give the directory that a study wrote")
    return reports[-1]
