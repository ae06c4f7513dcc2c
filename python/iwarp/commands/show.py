# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp show``: a picture of a run or a capture."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import split_settings

if TYPE_CHECKING:
    from ..pictures.show import Shown


@click.command(name="show")
@click.argument("what", nargs=-1, required=True, metavar="FILE...|DIR|NAME=V...")
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the page there, not below out/show/.")
@click.option("--config", type=click.IntRange(min=1), metavar="N",
              help="Run this configuration of the study or sweep in DIR again.")
@click.option("--port", "ports", multiple=True, type=click.IntRange(1, 65535), metavar="N",
              help="Show the connections of this TCP port, whatever they look like, and no others.")
@click.option("--esp-keys", metavar="FILE", type=click.Path(dir_okay=False),
              help="Open ESP with the keys of this file, Wireshark's esp_sa.")
@click.option("--tls-keys", metavar="FILE", type=click.Path(dir_okay=False),
              help="Open records of TLS with the secrets of this key log (SSLKEYLOGFILE).")
@click.option("--tables", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Write the tables as well, as Parquet files.")
@click.option("--perfetto", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="Write Chrome's trace-event JSON as well, which ui.perfetto.dev opens.")
@click.option("--no-open", is_flag=True, help="Only write the page and print its path.")
def command(
    what: tuple[str, ...], out: Path | None, config: int | None, ports: tuple[int, ...], esp_keys: str | None,
    tls_keys: str | None, tables: Path | None, perfetto: Path | None, no_open: bool
) -> None:  # fmt: skip
    """Show what happened to each segment and FPDU, of captures or of a run, on a page.

    FILEs are captures of the same traffic, made at one place or at several: where it is sent, on the way, and where it
    is received. DIR is a directory of captures and traces of a run (`iwarp run --pcap DIR`), or that of a study or
    sweep, of which --config N runs a configuration again. NAME=V are parameters of a run, as `iwarp run` takes them.

    The page is one file that loads nothing. It is opened in the browser, if there is one, and its path printed.
    """
    from ._browser import open_page

    shown = _make(what, config, ports, {"esp_keys": esp_keys, "tls_keys": tls_keys})
    page = shown.save(out or Path("out") / "show" / f"{_name(shown.title)}.html")
    if tables is not None:
        if shown.tables is None:
            raise click.UsageError("--tables: there is no capture of which to make tables")
        shown.tables.write(tables)
    if perfetto is not None:
        shown.save_perfetto(perfetto)
    if no_open:
        click.echo(page)
    else:
        open_page(page)


def _make(what: tuple[str, ...], config: int | None, ports: tuple[int, ...], keys: dict[str, Any]) -> Shown:
    """Return the picture of what was asked for."""
    from .. import api
    from ..errors import UsageError
    from ..pictures import show, sources

    settings = [word for word in what if "=" in word and not Path(word).exists()]
    paths = [Path(word) for word in what if word not in settings]
    if config is not None and not (len(paths) == 1 and sources.is_results(paths[0])):
        raise click.UsageError("--config N goes with the directory of a study or sweep")
    if settings and paths:
        raise click.UsageError("give captures or the parameters of a run, not both")
    if settings:
        return show.show_run(api.run, split_settings(settings))
    if missing := [path for path in paths if not path.exists() and str(path) != "-"]:
        raise UsageError(f"there is no {missing[0]}; parameters of a run are given as NAME=VALUE")
    if not any(path.is_dir() for path in paths):
        return show.show_captures(paths, ports, **keys)
    if len(paths) > 1:
        raise click.UsageError("give files, or one directory")
    if sources.is_results(paths[0]):
        found, title = sources.settings_of(paths[0], config, api.params(), _derive(paths[0]))
        return show.show_run(api.run, found, title)
    return show.show_directory(paths[0], ports, **keys)


def _derive(directory: Path) -> Callable[..., Any]:
    """Return what a study derives from its runs; nothing of a sweep."""
    from .. import studies

    asked = directory / "study.json"
    return studies.get(json.loads(asked.read_text())["study"]).derive if asked.exists() else lambda frame: frame


def _name(title: str) -> str:
    """Return a title as the name of a file."""
    return re.sub(r"[^\w.=-]+", "-", title).strip("-.")[:80] or "picture"
