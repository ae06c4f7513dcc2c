# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp view``: a study's report in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import UsageError
from ._browser import open_page


@click.command(name="view")
@click.argument("directory", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
def command(directory: Path | None) -> None:
    """Open the report in DIR, or the newest one below out/, and print its path.

    Where there is no browser, the path alone is printed.
    """
    report = find(directory) if directory else newest(Path("out"))
    open_page(report)


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
