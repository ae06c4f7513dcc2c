# SPDX-License-Identifier: GPL-2.0-only
"""Opens a page where there is a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click


def open_page(page: Path | str) -> None:
    """Print the path or the address of a page, and open it in the browser, if there is one."""
    click.echo(page)
    try:
        webbrowser.get().open(page if isinstance(page, str) else page.resolve().as_uri())
    except webbrowser.Error:
        click.echo("iwarp: no browser was found: open it where there is one", err=True)
