# SPDX-License-Identifier: GPL-2.0-only
"""What a picture can be made of: captures, a directory of a run, and a configuration of a study or sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import UsageError
from ..sweeps.subjects import FILES
from .traces import is_traces

_CAPTURES = (".pcap", ".pcapng", ".cap", ".pcap.gz", ".pcapng.gz")


def captures_in(directory: Path) -> list[Path]:
    """Return the captures of a directory."""
    return sorted(path for path in directory.iterdir() if path.name.endswith(_CAPTURES))


def traces_in(directory: Path) -> Path | None:
    """Return the directory of traces that belongs to a run's: itself, or the one below it."""
    return next((place for place in (directory, directory / "traces") if is_traces(place)), None)


def is_results(directory: Path) -> bool:
    """Tell whether a study or a sweep has written a directory."""
    return any((directory / name).exists() for name in ("runs.parquet", "runs.journal", "study.json"))


def settings_of(
    directory: Path,
    number: int | None,
    parameters: Iterable[str],
    derive: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
) -> tuple[dict[str, Any], str]:
    """Return the settings of the first run of a configuration of a study or sweep, and what tells it apart.

    Configurations are numbered from 1: of a study as in its summary, of a sweep in the order of their values.
    ``parameters`` are those that have short names; ``derive`` adds what a study tells configurations apart by.
    """
    from ..sweeps.store import glance

    frame = glance(directory)
    known = set(parameters)
    if not (directory / "study.json").exists():
        frame = _of_the_scenario(frame, known, directory)
    given = [name for name in frame.columns if name in known or "." in name]
    summary = directory / "summary.parquet"
    if summary.exists():
        configurations = pd.read_parquet(summary)
        configurations = configurations[configurations.columns[: configurations.columns.get_loc("runs")]]
        frame = derive(frame)
    else:
        factors = [name for name in given if name != "run" and frame[name].map(repr).nunique() > 1]
        configurations = frame[factors].drop_duplicates().sort_values(factors) if factors else frame[:1][given]
    if number is None or not 1 <= number <= len(configurations):
        hint = "; summary.csv has one a row" if summary.exists() else ""
        raise UsageError(f"{directory} has {len(configurations)} configurations: choose one with --config N{hint}")
    chosen = configurations.iloc[number - 1]
    rows = frame
    for name, value in chosen.items():
        rows = rows[rows[name].isna() if _missing(value) else rows[name] == value]
    if rows.empty:
        raise UsageError(f"{directory} holds no run of configuration {number}")
    row = rows.sort_values("run", kind="stable").iloc[0]
    settings = {name: _plain(row[name]) for name in given if not _missing(row[name]) and name not in FILES}
    return settings, ", ".join(f"{name}={value}" for name, value in chosen.items())


def _of_the_scenario(frame: pd.DataFrame, known: set[str], directory: Path) -> pd.DataFrame:
    """Return the rows of a sweep of the scenario; raise UsageError where a function or a program was swept.

    Each run of the scenario has a value of every parameter. A merged directory has no plan that tells what was swept.
    """
    from ..sweeps.plan import NAME, Plan

    is_planned = (directory / NAME).exists()
    short = [name for name in known if name in frame.columns]
    is_whole = len(short) == len(known) or (is_planned and "run" in short)
    rows = frame[frame[short].notna().all(axis=1)] if is_whole else frame[:0]
    if rows.empty or (is_planned and not Plan.read(directory).scenario):
        raise UsageError(f"{directory} holds no runs of the scenario, of which alone there are pictures")
    return rows


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def _plain(value: Any) -> Any:
    """Return a value of a table as Python has it."""
    return value.item() if hasattr(value, "item") else value
