# SPDX-License-Identifier: GPL-2.0-only
"""A study whose levels of one factor, such as the topology, have a page each, behind a first page about all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis import replication
from ..report import plots
from ..report.cells import write_table
from ..report.chart import build
from ..report.network_picture import describe_network, draw_network
from ..report.page import Picture, Table, render_page, warnings, write_page, write_report
from ..report.vega import specify
from ..runs import scenario
from ..sweeps.run import Run
from .basis import cautions_of_runs, idle_bottlenecks, untested_nuisances
from .pilot import too_few
from .primaries import answers, draw_effects, what_is_special
from .study import Evidence, Request, Results, draw, figures, gather, make_report, result_of

Overview = Callable[[Sequence[tuple[str, Evidence]]], Table]


@dataclass(frozen=True)
class Page:
    """What the first page says of another: its file, title, network, and the answer there."""

    file: str
    title: str
    about: str
    picture: Picture | None
    answers: Sequence[str]
    special: Sequence[str] = ()  #: in what the primary effects there differ from their means over all pages


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
    pages = [
        replace(
            _write_page(part, level, about.get(level, "")),
            special=what_is_special(results.primaries, factor, level, "topologies"),
        )
        for level, part in parts.items()
    ]
    table = overview([(page.title, part.evidence) for page, part in zip(pages, parts.values(), strict=True)])
    write_table(table.rows, request.out / f"{table.name}.csv")
    cautions = [
        *request.cautions,
        *too_few(results.study.name, results.primaries),
        *untested_nuisances(request, results.good, results.names),
        *idle_bottlenecks(results.study, results.summary, [factor], results.names),
        *replication.caution(results.good, results.factors),
        *cautions_of_runs(results.good),
    ]
    pictures = draw_effects(results.primaries, results.names, request.out) or list(filter(None, [_key(results)]))
    report = make_report(results, pictures, cautions=cautions, key=pictures[0] if pictures else None)
    page = render_page(
        "overview.html.j2",
        report=report,
        answers=[*answers(results.primaries), *table.sentences],
        tables=[table, *(t for t in results.tables if t.name in ("primary", "dependence"))],
        warnings=warnings(report),
        charts=[specify(chart) for _, chart in figures(results)] if len(pages) > 1 else [],
        pages=pages,
        links={page.title: page.file for page in pages},
    )
    write_page(page, request.out / "report.html")
    return result_of(results)


def _key(results: Results) -> Picture | None:
    """Draw the study's key metric over all pages, a point a configuration."""
    study = results.study
    view = next((v for v in results.views if v.metric == study.key), None)
    if view is None or results.summary[view.metric].isna().all():
        return None
    layout = replace(study.layout, x=study.pages, rows="", columns=())
    chart = build(results.summary, view, layout, results.names)
    path = plots.figure(chart, results.request.out / f"all-{view.metric}.svg")
    caption = f"A point for each {results.names.title(study.layout.x).lower()}. {study.figures.get(view.metric, '')}"
    return Picture(view.title, path, caption.strip(), chart)


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
    write_report(report, path)
    return Page(path.name, title, about, picture, answers)


def _picture(results: Results, path: Path) -> Picture | None:
    """Draw the network of the first run that went well, if any did."""
    good = set(results.good["key"])
    run = next((run for run in results.planned if run.key in good), None)
    if run is None:
        return None
    found = scenario.backend().find_map(run.params)
    return Picture("The network", draw_network(found, path), describe_network(found))
