# SPDX-License-Identifier: GPL-2.0-only
"""What a study is, and how one is conducted: plan, run, summarise, draw, put into words."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis import replication
from ..analysis.cause import Cause, Explained, explain
from ..analysis.findings import Comparison, Contrast, Finding, Group, View, compare, describe, explore, group, in_short
from ..analysis.nuisance import blocks
from ..analysis.primary import Pooled, Primary, examine
from ..analysis.stats import beside, summarize
from ..report import plots
from ..report.cells import write_table
from ..report.chart import Chart, Layout, Names, Reference, build
from ..report.page import Picture, Report, Table, data_files, write_report
from ..runs import scenario
from ..runs.provenance import provenance
from ..sweeps.progress import tell
from ..sweeps.rows import headed
from ..sweeps.run import Run
from ..sweeps.store import Store, write_parquet
from ..sweeps.sweeper import connect, execute, part, plan
from .basis import basis, cautions_of_runs, constants, idle_bottlenecks, seeds_note, untested_nuisances
from .networks import GoesWith
from .pilot import too_few
from .primaries import draw_effects, of_level, tabulate
from .screening import Screening

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Preset:
    """How much of a study: the levels of each factor, other parameters, seeds, limits.

    ``special`` holds parameters that go with one level of a factor, ``conditions`` what is in place of levels of
    ``grid`` and ``fixed`` in turn, ``more`` further grids: what they do not name has the values of ``fixed``; those
    that are a Part have a title. ``goes_with`` says what goes with a topology, less what a part names. A point of
    ``screenings`` runs once, and counts in tables only. ``timeout`` is seconds of wall time after which a run counts
    as one that hangs: 20 times or more what the longest one needs of a processor, of which a busy machine gives it a
    share. ``nuisance`` has multiples of parameters' values that go with the number of the run, by a Latin square
    (latin()): they cost no runs, all levels of the factors of a run share them, and an effect is told as one number
    only if it survives each.
    """

    grid: Mapping[str, Sequence[Any]]
    fixed: Mapping[str, Any]
    runs: int
    timeout: float
    special: Mapping[tuple[str, Any], Mapping[str, Any]] = field(default_factory=dict)
    conditions: Sequence[Mapping[str, Sequence[Any]]] = ()
    more: Sequence[Mapping[str, Sequence[Any]]] = ()
    screenings: Sequence[Screening] = ()
    nuisance: Mapping[str, Sequence[float]] = field(default_factory=dict)
    goes_with: GoesWith | None = None


@dataclass(frozen=True)
class Question:
    """A contrast with the metrics that it is asked of; ``scopes`` split the configurations."""

    heading: str
    contrast: Contrast
    metrics: Sequence[str]
    scopes: Sequence[tuple[str, Callable[[Mapping[str, Any]], bool]]] = ()


@dataclass(frozen=True)
class Panel:
    """A figure of part of the configurations: those that ``where`` picks of a summary, in a layout of its own."""

    title: str
    metric: str
    layout: Layout
    caption: str
    where: Callable[[pd.DataFrame], pd.Series]
    references: Sequence[Reference] = ()


@dataclass(frozen=True)
class Evidence:
    """What a study has found, for its plain answer: the good runs, comparisons, averages over scopes, tables.

    ``primaries`` are the declared comparisons, with the levels of their factor, ``causes`` what runs without a cause
    show of it.
    """

    frame: pd.DataFrame
    comparisons: Sequence[Comparison]
    averages: Sequence[Comparison]
    tables: Sequence[Table] = ()
    primaries: Sequence[Pooled] = ()
    causes: Sequence[Explained] = ()

    def average(self, metric: str, scope: str, factor: str) -> Comparison | None:
        """Return the average of a metric's comparisons in a scope."""
        return next(
            (a for a in self.averages
             if (a.view.metric, a.where["scope"], a.contrast.factor) == (metric, scope, factor)), None
        )  # fmt: skip

    def table(self, name: str) -> pd.DataFrame:
        """Return the rows of one of the tables; none where the runs do not give it."""
        return next((t.rows for t in self.tables if t.name == name), pd.DataFrame())


@dataclass(frozen=True)
class Study:
    """A question about the module, ready to be asked."""

    name: str
    title: str
    lead: str
    presets: Mapping[str, Preset]
    views: Sequence[View] = ()
    primaries: Sequence[Primary] = ()  #: what it is about, declared before its runs; all else is exploratory
    causes: Sequence[Cause] = ()  #: what its page may give as the reason, with runs that lack it
    questions: Sequence[Question] = ()
    layout: Layout | None = None
    figures: Mapping[str, str] = field(default_factory=dict)  #: caption by metric
    titles: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[tuple[str, Any], str] = field(default_factory=dict)
    derive: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    notes: Sequence[str] = field(default_factory=tuple)
    factors: Sequence[str] = ()  #: more that tell configurations apart, those of ``more`` and those that derive() adds
    told: Sequence[str] = ()  #: parameters of which another factor tells
    panels: Sequence[Panel] = ()
    conclude: Callable[[pd.DataFrame], Sequence[Table]] = lambda frame: ()  #: of the good runs
    answer: Callable[[Evidence], Sequence[str]] = lambda evidence: ()  #: the answer in one sentence, then its points
    figured: Callable[[pd.DataFrame], pd.Series] = lambda frame: pd.Series(True, index=frame.index)  #: in ``figures``
    least_share: float = 0.0  #: of the bottleneck, below which a configuration is warned of
    warm_up: str = ""  #: what of a run's beginning counts, in a sentence
    limits: str = ""  #: what the conclusions do not cover, in a sentence or two
    #: further grids that the good runs so far ask for, such as where an answer lies between two levels
    refine: Callable[[pd.DataFrame, Sequence[Mapping]], Sequence[Mapping]] = lambda frame, grids: ()
    write: Callable[[Request, pd.DataFrame, Sequence[Run]], dict[str, Any]] | None = None  #: a page of its own
    screen: Callable[[pd.DataFrame, Sequence[Screening]], Sequence[Table]] = lambda frame, screenings: ()  #: likewise
    pages: str = ""  #: factor whose levels have a page each
    key: str = ""  #: metric whose figure is beside the answer, by default the first one


@dataclass
class Request:
    """What is asked for: the grids with every change made to them, the seeds, the directory."""

    study: Study
    preset: str
    grids: list[dict[str, list[Any]]]
    runs: int
    out: Path
    command: str
    caution: str = ""  #: what the reader of its page has to know before all else
    left_out: Sequence[str] = ()  #: what of the preset a restriction leaves no runs of

    @property
    def cautions(self) -> list[str]:
        """Return what the reader of a page has to know before all else, with what the study was restricted to."""
        gone = f"Restricted: there are no runs of {'; '.join(self.left_out)}." if self.left_out else ""
        return [text for text in (self.caution, gone) if text]

    def save(self, **more: Any) -> None:
        """Write study.json, from which the study can be resumed, in one step."""
        self.out.mkdir(parents=True, exist_ok=True)
        saved = {
            "study": self.study.name,
            "preset": self.preset,
            "grids": self.grids,
            "runs": self.runs,
            "command": self.command,
            "left_out": list(self.left_out),
            "provenance": provenance(),
            **more,
        }
        path = self.out / "study.json"
        temporary = path.with_suffix(".json.new")
        temporary.write_text(json.dumps(saved, indent=1) + "\n")
        temporary.replace(path)


def conduct(request: Request, jobs: int | None = None, cluster: Any = None, shard: str | None = None) -> dict[str, Any]:
    """Run what is missing, write everything into the directory, and return what ``--json`` prints.

    Interrupted, it writes what the runs so far say, and raises KeyboardInterrupt.

    @param cluster, shard as of iwarp.sweep; of a shard there is no report.
    """
    study = request.study
    planned = part(planned_runs(request), shard)
    how = {"jobs": jobs, "timeout": study.presets[request.preset].timeout}
    interrupted = False
    with Store(request.out) as store, connect(cluster) as place:
        request.save(state="running")
        if request.left_out:
            tell(f"no runs of {'; '.join(request.left_out)}")
        try:
            execute(planned, store, cluster=place, **how, title=study.name)
            while not shard and (more := _refined(request, store.frame(run.key for run in planned), planned)):
                execute(more, store, cluster=place, **how, title=f"{study.name}, closer")
                planned += more
        except KeyboardInterrupt:
            interrupted = True
        frame = store.frame(run.key for run in planned)
        store.arrange(run.key for run in planned)
        store.consolidate()
    if interrupted:
        request.caution = f"The study was interrupted: {len(frame)} of {len(planned)} runs are here."
        _write_partly(request, frame, planned)
        request.save(state="interrupted")
        raise KeyboardInterrupt
    failed = int((frame["status"] != "ok").sum())
    if shard:
        return {"out": str(request.out), "rows": len(frame), "failed": failed}
    result = (study.write or write_results)(request, frame, planned)
    found = {"out": str(request.out), "report": str(request.out / "report.html"), "rows": len(frame), "failed": failed}
    request.save(state="done", **found, **result)
    return found | {name: result[name] for name in ("lines", "outside") if name in result}


def planned_runs(request: Request) -> list[Run]:
    """Return the runs that a study begins with."""
    points = [g for g in request.grids if _is_point(request, {name: values[0] for name, values in g.items()})]
    planned = _replicated(request, [g for g in request.grids if g not in points]) + (plan(points, 1) if points else [])
    return list({run.key: run for run in planned}.values())  # grids may have some in common


def _replicated(request: Request, grids: Sequence[Mapping[str, Sequence[Any]]]) -> list[Run]:
    """Return the runs of grids, in which nuisance factors take the level of the number of the run."""
    found = []
    preset = request.study.presets[request.preset]
    for given in grids:
        grid = {name: values for name, values in given.items() if name != "run"}
        runs = min(request.runs, len(given.get("run", ())) or request.runs) if request.runs <= preset.runs else (
            request.runs
        )  # fmt: skip
        names = [n for n in preset.nuisance if len(grid.get(n, ())) > 1]
        levels = [
            tuple(grid[n][at] for n, at in zip(names, places, strict=True))
            for places in latin([len(grid[n]) for n in names], runs)
        ]
        of_level = {
            values: plan({**grid, **{n: [v] for n, v in zip(names, values, strict=True)}}, runs)
            for values in dict.fromkeys(levels)
        }
        alike = zip(*of_level.values(), strict=True)  # in the order of configurations, then of runs
        found += [dict(zip(of_level, runs, strict=True))[levels[runs[0].params.get("run", 1) - 1]] for runs in alike]
    return found


def latin(sizes: Sequence[int], runs: int) -> list[tuple[int, ...]]:
    """Return the places of the levels of factors with so many levels in each run.

    Each level is as often there as others. Two factors of L levels make each pair once in L² runs (a Latin square), two
    of L and M levels in L M runs.
    """
    turns = [math.lcm(*sizes[: at + 1]) for at in range(len(sizes))]  # runs after which a factor begins elsewhere
    return [
        tuple((run + at * (run // turns[at])) % size for at, size in enumerate(sizes)) for run in range(runs)
    ]


def _refined(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> list[Run]:
    """Return the runs that the study asks for besides, none of them planned yet."""
    study = request.study
    grids = study.refine(study.derive(frame[frame["status"] == "ok"]), request.grids)
    known = {run.key for run in planned}
    return [run for run in _replicated(request, grids) if run.key not in known]


def _write_partly(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> None:
    """Write what the runs say that there are, if they are enough for a report."""
    if frame.empty or not (frame["status"] == "ok").any():
        return
    try:
        (request.study.write or write_results)(request, frame, planned)
    except (KeyError, ValueError, IndexError, ZeroDivisionError, ArithmeticError) as error:
        log.warning("these runs are too few for a report: %s", error)


def _is_point(request: Request, params: Mapping[str, Any]) -> bool:
    """Tell whether these are the parameters of a point of a screening."""
    return any(screening.has(params) for screening in request.study.presets[request.preset].screenings)


def _screened(
    request: Request, frame: pd.DataFrame, planned: Sequence[Run]
) -> tuple[Sequence[Table], pd.DataFrame, list[Run]]:
    """Return the tables of the screenings, and what else has run."""
    points = {run.key for run in planned if _is_point(request, run.params)}
    of_points = frame["key"].isin(points)
    tables = request.study.screen(
        frame[of_points & (frame["status"] == "ok")], request.study.presets[request.preset].screenings
    )
    return tables, frame[~of_points], [run for run in planned if run.key not in points]


@dataclass(frozen=True)
class Results:
    """What the runs of a study say: the runs, means of configurations, comparisons, and how all of it is spoken of."""

    request: Request
    study: Study
    planned: Sequence[Run]
    frame: pd.DataFrame  #: all runs but those of screenings
    summary: pd.DataFrame
    factors: Sequence[str]
    views: Sequence[View]
    names: Names
    groups: Sequence[tuple[Question, Sequence[Group]]]
    comparisons: Sequence[Comparison]
    averages: Sequence[Comparison]
    tables: Sequence[Table]
    primaries: Sequence[Pooled]
    causes: Sequence[Explained]
    families: tuple[int, int]  #: comparisons and averages of the whole study, which are corrected together

    @property
    def good(self) -> pd.DataFrame:
        return self.frame[self.frame["status"] == "ok"]

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.good, self.comparisons, self.averages, self.tables, self.primaries, self.causes)

    @property
    def findings(self) -> list[tuple[str, list[Finding]]]:
        """Return the findings under each question."""
        found: dict[str, list[Finding]] = {}
        for question, groups in self.groups:
            finding = describe(groups)
            if finding:
                found.setdefault(question.heading, []).append(finding)
        return list(found.items())

    def of(self, level: Any) -> Results:
        """Return what is of one level of the factor that has pages."""
        factor = self.study.pages
        chosen = {run.key for run in self.planned if run.params[factor] == level}
        return replace(
            self,
            planned=[run for run in self.planned if run.key in chosen],
            frame=self.frame[self.frame["key"].isin(chosen)],
            summary=self.summary[self.summary[factor] == level],
            factors=[f for f in self.factors if f != factor],
            groups=[(q, [g for g in gs if g.comparisons[0].where[factor] == level]) for q, gs in self.groups],
            comparisons=[c for c in self.comparisons if c.where[factor] == level],
            averages=[a for a in self.averages if a.where[factor] == level],
            primaries=of_level(self.primaries, level),
            causes=(),
        )


def write_results(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> dict[str, Any]:
    """Write summary, figures and report, and return the findings for study.json."""
    results = gather(request, frame, planned)
    pictures, effects = draw(results, request.out), draw_effects(results.primaries, results.names, request.out)
    key = effects[0] if effects else key_picture(results.study, pictures)
    pictures = [*effects, *pictures]
    write_report(make_report(results, pictures, key=key), request.out / "report.html")
    return result_of(results)


def gather(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> Results:
    """Compute what the runs say, and write its tables."""
    metrics = scenario.backend().metrics
    study, out = request.study, request.out
    study = replace(study, views=[view.described(metrics) for view in study.views])
    frame = study.derive(frame)
    names = Names(study.titles, study.levels, frame.attrs["units"])
    factors = varied(study, request.grids, frame)
    surviving, frame, planned = _screened(request, frame, planned)
    summary = summarize(frame, factors, _metrics(frame, planned, factors))
    frame = frame.assign(**{replication.COLUMN: replication.alike(frame, factors)})
    good = frame[frame["status"] == "ok"]
    headed(summary, summary.attrs["units"]).to_csv(out / "summary.csv", index=False)
    write_parquet(summary, out / "summary.parquet")
    for table in (frame, good, summary):
        table.attrs = {}  # pandas copies them with every column that is looked at; ``names`` has the units
    found = conclude(study, request.preset, frame, factors, names)
    for name, rows in (("comparisons", found.comparisons), ("averages", found.averages)):
        headed(pd.DataFrame([c.to_row() for c in rows]), names.units).to_csv(out / f"{name}.csv", index=False)
    tables = [*found.tables, *surviving]
    for table in tables:
        write_table(table.rows, out / f"{table.name}.csv")
    views = [v for v in study.views if v.metric in frame]
    return Results(
        request, study, planned, frame, summary, factors, views, names, found.groups, found.comparisons, found.averages,
        tables, found.primaries, found.causes, (len(found.comparisons), len(found.averages)),
    )  # fmt: skip


@dataclass(frozen=True)
class Conclusions:
    """All that the runs of a study say of differences, and its tables."""

    groups: Sequence[tuple[Question, Sequence[Group]]]
    comparisons: Sequence[Comparison]
    averages: Sequence[Comparison]
    primaries: Sequence[Pooled]
    causes: Sequence[Explained]
    tables: Sequence[Table]


def conclude(
    study: Study, preset: str, frame: pd.DataFrame, factors: Sequence[str], names: Names
) -> Conclusions:  # fmt: skip
    """Return what runs say, which have the columns that the study derives; ``factors`` tell configurations apart."""
    groups, comparisons, averages = answer(study, frame, factors)
    good = frame[frame["status"] == "ok"]
    measured = {v.metric: v for v in study.views if v.metric in frame}
    nuisances = blocks(good, list(study.presets[preset].nuisance), names.level)
    primaries = examine(frame, study.primaries, measured, factors, nuisances)
    tables = [*tabulate(study.name, primaries, names), *study.conclude(good)]
    causes = explain(frame, study.causes, measured, factors)
    return Conclusions(groups, comparisons, averages, primaries, causes, tables)


def make_report(results: Results, pictures: Sequence[Picture], **more: Any) -> Report:
    """Return a page of what the runs say; ``more`` is in place of what it would say."""
    study, request, findings = results.study, results.request, results.findings
    said = {
        "title": study.title,
        "lead": study.lead,
        "answers": study.answer(results.evidence),
        "basis": basis(request, results.frame, results.factors, results.names),
        "cautions": [
            *request.cautions,
            *too_few(study.name, results.primaries if not study.pages else ()),
            *untested_nuisances(request, results.good, results.names),
            *idle_bottlenecks(study, results.summary, results.factors, results.names),
            *replication.caution(results.good, results.factors),
            *cautions_of_runs(results.good),
        ],
        "in_short": [
            (q.heading, in_short(q.contrast.treatment_name, f))
            for q in study.questions
            for h, f in findings
            if h == q.heading
        ],
        "notes": [*study.notes, seeds_note(request)],
        "tables": results.tables,
        "key": key_picture(study, pictures),
        "families": results.families,
    }
    return Report(
        **(said | more),
        findings=findings,
        comparisons=results.comparisons,
        pictures=pictures,
        summary=results.summary,
        factors=results.factors,
        views=results.views,
        names=results.names,
        constants=constants(results.planned, results.factors),
        failures=results.frame[results.frame["status"] != "ok"],
        provenance=provenance(),
        command=request.command,
        files=data_files(request.out),
    )


def key_picture(study: Study, pictures: Sequence[Picture]) -> Picture | None:
    """Return the picture that stands beside the answer."""
    chosen = (p for p in pictures if study.key and p.path.stem.endswith(study.key))
    return next(chosen, pictures[0] if pictures else None)


def result_of(results: Results) -> dict[str, Any]:
    """Return the findings for study.json."""
    return {
        "findings": {heading: [asdict(f) for f in found] for heading, found in results.findings},
        "comparisons": len(results.comparisons),
        "not_shown": sum(c.verdict == "open" for c in results.comparisons),
    }


def draw(results: Results, out: Path, prefix: str = "") -> list[Picture]:
    """Draw the figures and panels for which there are values, into files whose names begin with ``prefix``."""
    pictures = []
    study, summary, views, names = results.study, results.summary, results.views, results.names

    def picture(title: str, chart: Chart, name: str, caption: str) -> Picture:
        return Picture(title, plots.figure(chart, out / f"{prefix}{name}.svg"), caption, chart)

    for view, chart in figures(results):
        pictures.append(picture(view.title, chart, view.metric, study.figures[view.metric]))
    for number, panel in enumerate(study.panels, 1):
        part = summary[panel.where(summary)]
        view = next((v for v in views if v.metric == panel.metric), None)
        if view and part[panel.metric].notna().any():
            chart = build(part, view, panel.layout, names, panel.references)
            pictures.append(picture(panel.title, chart, f"figure-{number}-{panel.metric}", panel.caption))
    return pictures


def figures(results: Results) -> list[tuple[View, Chart]]:
    """Return the charts of the study's figures for which there are values."""
    study, summary = results.study, results.summary
    drawn = summary[study.figured(summary)]
    return [
        (view, build(drawn, view, study.layout, results.names))
        for view in results.views
        if view.metric in study.figures and drawn[view.metric].notna().any()
    ]


def answer(
    study: Study, frame: pd.DataFrame, factors: Sequence[str]
) -> tuple[list[tuple[Question, list[Group]]], list[Comparison], list[Comparison]]:
    """Return the groups of each question and metric, every comparison in them, and their averages over scopes.

    All comparisons of a study are one family, which explore() corrects for its size; all averages are another.
    """
    views = {v.metric: v for v in study.views if v.metric in frame}
    asked = [(q, views[m]) for q in study.questions if q.contrast.factor in factors for m in q.metrics if m in views]
    compared = [compare(frame, question.contrast, view, factors) for question, view in asked]
    everything = explore([c for comparisons in compared for c in comparisons])
    rest = iter(everything)
    compared = [[next(rest) for _ in comparisons] for comparisons in compared]
    groups = [_grouped(study, question, found) for (question, _), found in zip(asked, compared, strict=True)]
    averages = explore([g.average for found in groups for g in found if g.average])
    rest = iter(averages)
    judged = [[replace(g, average=next(rest) if g.average else None) for g in found] for found in groups]
    return [(question, found) for (question, _), found in zip(asked, judged, strict=True)], everything, averages


def _grouped(study: Study, question: Question, found: Sequence[Comparison]) -> list[Group]:
    """Return comparisons by the question's scopes, those of each page by themselves."""
    if not study.pages:
        return group(found, question.scopes)
    groups = []
    for level in dict.fromkeys(c.where[study.pages] for c in found):
        for g in group([c for c in found if c.where[study.pages] == level], question.scopes):
            mean = g.average and replace(g.average, where={study.pages: level, **g.average.where})
            groups.append(replace(g, average=mean))
    return groups


def varied(study: Study, grids: Sequence[Mapping[str, Sequence[Any]]], frame: pd.DataFrame) -> list[str]:
    """Return the factors of the runs: what has several levels in a grid, and what the study always names."""
    layout = study.layout
    always = [layout.rows, *layout.columns, layout.x, layout.shape, layout.colour, *study.factors]
    several = dict.fromkeys(
        name for grid in grids for name, values in grid.items() if len(values) > 1 and name != "run"
    )
    derived = [f for f in study.factors if f in frame and f not in scenario.backend().params]
    named = [f for f in dict.fromkeys(always) if f in grids[0] or f in derived]
    nuisances = {n for preset in study.presets.values() for n in preset.nuisance}
    return named + [n for n in several if n not in always and n not in {*study.told, *nuisances, "run"}]


def _metrics(frame: pd.DataFrame, planned: Sequence[Run], factors: Sequence[str]) -> list[str]:
    """Return the columns that were measured: numbers that are no parameter, and no factor that the study derives.

    What has the name of another's interval, such as ``message_time_p50_low`` of one run, is left to runs.parquet.
    """
    known = {"key", "code", "status", "message", *factors}.union(*(run.params for run in planned))
    found = [c for c in frame if c not in known and pd.api.types.is_numeric_dtype(frame[c])]
    ends = {column for metric in found for column in beside(metric)}
    return [c for c in found if c not in ends]
