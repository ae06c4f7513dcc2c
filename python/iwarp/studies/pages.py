# SPDX-License-Identifier: GPL-2.0-only
"""A study whose levels of one factor, such as the topology, have a page each, behind a first page about all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .. import scenario, version
from ..cells import write_csv
from ..netpicture import describe_network, draw_network
from ..report import Picture, Table, embedded, render, render_page, warnings
from ..runs import Run
from .basis import basis, cautions_of_runs, idle_bottlenecks, seeds_note
from .study import Evidence, Request, Results, draw, gather, make_report, result_of

Overview = Callable[[Sequence[tuple[str, Evidence]]], Table]


@dataclass(frozen=True)
class Page:
    """What the first page says of another: its file, title, network, and the answer there."""

    file: str
    title: str
    about: str
    picture: Picture | None
    answers: Sequence[str]


def write_pages(
    request: Request, frame: pd.DataFrame, planned: Sequence[Run], overview: Overview, about: Mapping[Any, str]
) -> dict[str, Any]:
    """Write all pages and their figures; return the findings for study.json.

    @param overview puts what has been found on the pages, by title, into one table
    @param about what each level is, in a sentence
    """
    results = gather(request, frame, planned)
    order = {("condition", name): name for name in results.frame.get("condition", pd.Series(dtype=str)).unique()}
    results = replace(results, names=replace(results.names, levels={**order, **results.names.levels}))
    factor = results.study.pages
    parts = {level: results.of(level) for level in results.frame[factor].unique()}
    pages = [_write_page(part, level, about.get(level, "")) for level, part in parts.items()]
    table = overview([(page.title, part.evidence) for page, part in zip(pages, parts.values(), strict=True)])
    write_csv(table.rows, request.out / f"{table.name}.csv")
    cautions = [
        *filter(None, [request.caution]),
        *idle_bottlenecks(results.study, results.summary, [factor], results.names),
        *cautions_of_runs(results.good),
    ]
    report = make_report(results, [], cautions=cautions)
    page = render_page(
        "overview.html.j2",
        report=report,
        warnings=warnings(report),
        basis=basis(request, results.frame, results.factors, results.names),
        table=table,
        pages=[(page, embedded(page.picture) if page.picture else "") for page in pages],
        links={page.title: page.file for page in pages},
        provenance=version.provenance(),
        notes=[*results.study.notes, seeds_note(request)],
    )
    (request.out / "report.html").write_text(page)
    return result_of(results)


def _write_page(results: Results, level: Any, about: str) -> Page:
    """Write the page of one level."""
    out = results.request.out
    name = re.sub(r"[^a-z0-9]+", "-", str(level).rsplit("/", 1)[-1].lower()).strip("-")
    title = results.names.level(results.study.pages, level)
    picture = _picture(results, out / f"network-{name}.svg")
    answers = results.study.answer(results.evidence)
    report = make_report(
        results,
        draw(results, out, f"{name}-"),
        title=f"{results.study.title}: {title}",
        lead=about,
        answers=answers,
        back=("report.html", "All topologies"),
        network=picture,
        tables=(),
    )
    path = out / f"report-{name}.html"
    path.write_text(render(report))
    return Page(path.name, title, about, picture, answers)


def _picture(results: Results, path: Path) -> Picture | None:
    """Draw the network of the first run that went well, if any did."""
    good = set(results.good["key"])
    run = next((run for run in results.planned if run.key in good), None)
    if run is None:
        return None
    found = scenario.backend().find_map(run.params)
    return Picture("The network", draw_network(found, path), describe_network(found))
