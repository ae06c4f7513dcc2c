# SPDX-License-Identifier: GPL-2.0-only
"""Makes what was chosen again, and writes the page, ``reproduce.csv`` and ``reproduce.json``."""

from __future__ import annotations

import dataclasses
import json
import resource
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..errors import IwarpError
from ..report.output import finite
from ..report.page import render_page, write_page
from ..runs.provenance import provenance
from .rows import AGREES, DIFFERS, NOT_RUN, Row
from .subjects import Subject, everything


def make(subject: Subject, seed: int, directory: Path) -> list[Row]:
    """Make a subject again; one that fails differs."""
    stated, before = subject.stated(), _processor_time()
    try:
        rows = subject.make(stated, seed, directory)
    except IwarpError as error:
        rows = [dataclasses.replace(row, new=f"failed: {error}", verdict=DIFFERS) for row in stated]
    seconds = _processor_time() - before
    return [dataclasses.replace(row, seconds=seconds) for row in rows]


def _processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """Return how many rows have each verdict."""
    found = Counter(row.verdict for row in rows)
    return {verdict: found[verdict] for verdict in (AGREES, DIFFERS, NOT_RUN)}


def write(made: Sequence[Row], seed: int, command: str, directory: Path) -> list[Row]:
    """Write page and tables of what was made, with what was not; return all rows."""
    done = {row.subject for row in made}
    rows = [row for s in everything() for row in ([r for r in made if r.subject == s.name] if s.name in done
                                                   else s.stated())]  # fmt: skip
    listed = [{**dataclasses.asdict(row), "seed": seed} for row in rows]
    pd.DataFrame(listed).to_csv(directory / "reproduce.csv", index=False)
    summary = {"command": command, "seed": seed, "provenance": provenance(), **counts(rows), "rows": listed}
    (directory / "reproduce.json").write_text(json.dumps(finite(summary), indent=1) + "\n")
    write_page(_page(rows, seed, command), directory / "index.html")
    return rows


def _page(rows: Sequence[Row], seed: int, command: str) -> str:
    number = counts(rows)
    run = number[AGREES] + number[DIFFERS]
    sentences = [f"{number[AGREES]} of {run} figures that were made again agree with the documentation."]
    if number[DIFFERS]:
        sentences.append("These differ: " + ", ".join(r.name or r.about for r in rows if r.verdict == DIFFERS) + ".")
    sentences.append(f"{number[NOT_RUN]} were not run.")
    pages: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        pages["" if row.verdict == NOT_RUN else row.page].append({**row.texts(), "subject": row.subject})
    return render_page(
        "reproduce.html.j2",
        title="What the documentation states, made again",
        sentences=sentences,
        left=pages.pop("", []),
        pages=pages,
        seed=seed,
        command=command,
        provenance=provenance(),
    )
