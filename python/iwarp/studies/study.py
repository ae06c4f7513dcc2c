# SPDX-License-Identifier: GPL-2.0-only
"""What a study is, and how one is conducted: plan, run, summarise, draw, put into words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import plots, scenario, version
from ..errors import UsageError
from ..findings import Comparison, Contrast, Finding, Group, View, compare, describe, group, in_short, judge
from ..quantity import human, number_text
from ..report import Picture, Report, Table, render
from ..screening import Screening
from ..stats import summarize
from ..store import Store, write_parquet
from ..sweeper import Run, execute, plan


@dataclass(frozen=True)
class Preset:
    """How much of a study: the levels of each factor, other parameters, seeds, limits.

    ``special`` holds parameters that go with one level of a factor, ``more`` further grids: what they
    do not name has the values of ``fixed``. A point of ``screenings`` runs once, and counts in tables only.
    """

    grid: Mapping[str, Sequence[Any]]
    fixed: Mapping[str, Any]
    runs: int
    timeout: float
    special: Mapping[tuple[str, Any], Mapping[str, Any]] = field(default_factory=dict)
    more: Sequence[Mapping[str, Sequence[Any]]] = ()
    screenings: Sequence[Screening] = ()


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
    layout: plots.Layout
    caption: str
    where: Callable[[pd.DataFrame], pd.Series]
    references: Sequence[plots.Reference] = ()


@dataclass(frozen=True)
class Evidence:
    """What a study has found, for its plain answer: the good runs, comparisons, their averages over scopes, tables."""

    frame: pd.DataFrame
    comparisons: Sequence[Comparison]
    averages: Sequence[Comparison]
    tables: Sequence[Table] = ()

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
    questions: Sequence[Question] = ()
    layout: plots.Layout | None = None
    figures: Mapping[str, str] = field(default_factory=dict)  #: caption by metric
    titles: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[tuple[str, Any], str] = field(default_factory=dict)
    derive: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    notes: Sequence[str] = field(default_factory=tuple)
    factors: Sequence[str] = ()  #: more that tell configurations apart, those of the grids' ``more``
    panels: Sequence[Panel] = ()
    conclude: Callable[[pd.DataFrame], Sequence[Table]] = lambda frame: ()  #: of the good runs
    answer: Callable[[Evidence], Sequence[str]] = lambda evidence: ()  #: the answer in one sentence, then its points
    figured: Callable[[pd.DataFrame], pd.Series] = lambda frame: pd.Series(True, index=frame.index)  #: in ``figures``
    least_share: float = 0.0  #: of the bottleneck, below which a configuration is warned of
    warm_up: str = ""  #: what of a run's beginning counts, in a sentence
    limits: str = ""  #: what the conclusions do not cover, in a sentence or two
    write: Callable[[Request, pd.DataFrame, Sequence[Run]], dict[str, Any]] | None = None  #: a page of its own
    screen: Callable[[pd.DataFrame, Sequence[Screening]], Sequence[Table]] = lambda frame, screenings: ()  #: likewise


@dataclass
class Request:
    """What is asked for: the grids with every change made to them, the seeds, the directory."""

    study: Study
    preset: str
    grids: list[dict[str, list[Any]]]
    runs: int
    out: Path
    command: str

    def save(self, **more: Any) -> None:
        """Write study.json, from which the study can be resumed, in one step."""
        self.out.mkdir(parents=True, exist_ok=True)
        saved = {
            "study": self.study.name,
            "preset": self.preset,
            "grids": self.grids,
            "runs": self.runs,
            "command": self.command,
            "provenance": version.provenance(),
            **more,
        }
        path = self.out / "study.json"
        temporary = path.with_suffix(".json.new")
        temporary.write_text(json.dumps(saved, indent=1) + "\n")
        temporary.replace(path)


def build_grids(study: Study, preset: str, changes: Mapping[str, Sequence[Any]]) -> list[dict[str, list[Any]]]:
    """Return the preset's grids with ``changes`` in place of its values, each value in its own type.

    There is one for each level that has special parameters, and one for the rest. Further grids keep to their own
    levels: of a parameter that they name, those that are asked for, and without such they are left out; of one that the
    first grid varies and they do not, the one that they have if it is asked for.
    """
    params = scenario.backend().params
    chosen = study.presets[preset]
    changes = params.canonical(changes)
    if "run" in changes:
        raise UsageError('"run" counts the replications: use --runs N')

    def parsed(levels: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        named = params.canonical(levels).items()
        return {name: list(dict.fromkeys(params[name].parse(v) for v in values)) for name, values in named}

    fixed = parsed({name: [value] for name, value in chosen.fixed.items()})
    asked = parsed(changes)
    varied = parsed(chosen.grid)
    points = [
        (screening.grid, parsed({name: [value] for name, value in point.items()}))
        for screening in chosen.screenings
        if screening.profile in asked.get("rnic", [screening.profile])
        for point in screening.points()
    ]
    grids = []
    for levels, point in [(levels, {}) for levels in (chosen.grid, *chosen.more)] + points:
        own = parsed(levels)
        grid = {**fixed, **own, **asked, **point}
        if levels is not chosen.grid and not point:
            before = {name: fixed[name] for name in varied if name in fixed} | own
            kept = {name: [v for v in asked[name] if v in before[name]] for name in before.keys() & asked.keys()}
            grid |= {name: values for name, values in kept.items() if values or name in own}
        for (factor, level), special in chosen.special.items():
            if level in grid[factor]:
                own = {name: [params[name].parse(value)] for name, value in special.items() if name not in changes}
                grids.append({**grid, factor: [level], **own})
                grid = {**grid, factor: [v for v in grid[factor] if v != level]}
        grids.append(grid)
    return [g for g in grids if all(g.values())]


def conduct(request: Request, jobs: int | None = None) -> dict[str, Any]:
    """Run what is missing, write everything into the directory, and return what ``--json`` prints."""
    study = request.study
    points = [g for g in request.grids if _is_point(request, {name: values[0] for name, values in g.items()})]
    planned = plan([g for g in request.grids if g not in points], request.runs)
    planned += plan(points, 1) if points else []
    with Store(request.out) as store:
        request.save(state="running")
        execute(planned, store, jobs=jobs, timeout=study.presets[request.preset].timeout, title=study.name)
        frame = store.frame(run.key for run in planned)
        store.consolidate()
    result = (study.write or write_results)(request, frame, planned)
    failed = int((frame["status"] != "ok").sum())
    found = {"out": str(request.out), "report": str(request.out / "report.html"), "rows": len(frame), "failed": failed}
    request.save(state="done", **found, **result)
    return found | {name: result[name] for name in ("lines", "outside") if name in result}


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


def write_results(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> dict[str, Any]:
    """Write summary, figures and report, and return the findings for study.json."""
    metrics = scenario.backend().metrics
    study, out = request.study, request.out
    study = replace(study, views=[view.described(metrics) for view in study.views])
    factors = varied(study, request.grids)
    frame = study.derive(frame)
    failures = frame[frame["status"] != "ok"]
    surviving, frame, planned = _screened(request, frame, planned)
    good = frame[frame["status"] == "ok"]
    tables = [*study.conclude(good), *surviving]
    names = plots.Names(study.titles, study.levels, frame.attrs["units"])
    views = [v for v in study.views if v.metric in frame]
    summary = summarize(frame, factors, _metrics(frame, planned))
    summary.to_csv(out / "summary.csv", index=False)
    write_parquet(summary, out / "summary.parquet")
    findings, comparisons, averages = answer(study, frame, factors)
    for name, rows in (("comparisons", comparisons), ("averages", averages)):
        pd.DataFrame([c.to_row() for c in rows]).to_csv(out / f"{name}.csv", index=False)
    pictures = _pictures(study, summary, views, names, out)
    for table in tables:
        table.rows.to_csv(out / f"{table.name}.csv", index=False)
    report = Report(
        title=study.title,
        lead=study.lead,
        answers=study.answer(Evidence(good, comparisons, averages, tables)),
        basis=basis(request, frame, factors, names),
        cautions=[*idle_bottlenecks(study, summary, factors, names), *cautions_of_runs(good)],
        in_short=[
            (q.heading, in_short(q.contrast.treatment_name, f))
            for q in study.questions
            for h, f in findings
            if h == q.heading
        ],
        findings=findings,
        comparisons=comparisons,
        tables=tables,
        pictures=pictures,
        summary=summary,
        factors=factors,
        views=views,
        names=names,
        constants=_constants(planned, factors),
        failures=failures,
        provenance=version.provenance(),
        command=request.command,
        notes=[*study.notes, _seeds_note(request)],
    )
    (out / "report.html").write_text(render(report))
    return {
        "findings": {heading: [asdict(f) for f in found] for heading, found in findings},
        "comparisons": len(comparisons),
        "not_shown": sum(c.verdict == "open" for c in comparisons),
    }


def _pictures(
    study: Study, summary: pd.DataFrame, views: Sequence[View], names: plots.Names, out: Path
) -> list[Picture]:
    """Draw the figures and panels for which there are values."""
    pictures = []
    drawn = summary[study.figured(summary)]
    for view in views:
        if view.metric in study.figures and drawn[view.metric].notna().any():
            path = plots.figure(drawn, view, study.layout, names, out / f"{view.metric}.png")
            pictures.append(Picture(view.title, path, study.figures[view.metric]))
    for number, panel in enumerate(study.panels, 1):
        part = summary[panel.where(summary)]
        view = next((v for v in views if v.metric == panel.metric), None)
        if view and part[panel.metric].notna().any():
            path = out / f"figure-{number}-{panel.metric}.png"
            plots.figure(part, view, panel.layout, names, path, panel.references)
            pictures.append(Picture(panel.title, path, panel.caption))
    return pictures


def answer(
    study: Study, frame: pd.DataFrame, factors: Sequence[str]
) -> tuple[list[tuple[str, list[Finding]]], list[Comparison], list[Comparison]]:
    """Return the findings under each question, every comparison behind them, and their averages over scopes.

    All comparisons of a study are one family, which judge() corrects for its size; all averages are another.
    """
    views = {v.metric: v for v in study.views if v.metric in frame}
    asked = [(q, views[m]) for q in study.questions if q.contrast.factor in factors for m in q.metrics if m in views]
    compared = [compare(frame, question.contrast, view, factors) for question, view in asked]
    everything = judge([c for comparisons in compared for c in comparisons])
    rest = iter(everything)
    compared = [[next(rest) for _ in comparisons] for comparisons in compared]
    groups = [group(found, question.scopes) for (question, _), found in zip(asked, compared, strict=True)]
    averages = judge([g.average for found in groups for g in found if g.average])
    rest = iter(averages)
    findings: dict[str, list[Finding]] = {}
    for (question, _), found in zip(asked, groups, strict=True):
        finding = describe([Group(g.scope, g.comparisons, next(rest) if g.average else None) for g in found])
        if finding:
            findings.setdefault(question.heading, []).append(finding)
    return list(findings.items()), everything, averages


def basis(request: Request, frame: pd.DataFrame, factors: Sequence[str], names: plots.Names) -> list[tuple[str, str]]:
    """Return what the conclusions rest on: runs, their length, warm-up, share of the bottleneck, what was varied."""
    good = frame[frame["status"] == "ok"]
    each = "one run" if request.runs == 1 else f"{request.runs} runs, compared in pairs of the same number"
    found = [("Runs", f"{each}, of each of {frame.groupby(list(factors), dropna=False).ngroups} configurations")]
    for column, title, unit in (
        ("measured_duration", "Length of a run", "s"),
        ("bottleneck_share", "Share of the bottleneck", "share"),
    ):
        if column in good and good[column].notna().any():
            low, middle, high = (human(float(good[column].quantile(q)), unit) for q in (0, 0.5, 1))
            of = " of the time, in which the busiest link is sending" if unit == "share" else " simulated"
            found.append((title, f"{low} to {high}{of}; half of the runs have {middle} or less"))
    if "round_trip" in good and "measured_duration" in good:
        trips = (good["measured_duration"] / good["round_trip"]).replace([np.inf], np.nan)
        if trips.notna().any():
            found.append(("In round trips", f"{number_text(trips.min(), 2)} to {number_text(trips.max(), 2)}"))
    if request.study.warm_up:
        found.append(("Warm-up", request.study.warm_up))
    levels = {f: dict.fromkeys(frame[f].tolist()) for f in factors}
    several = [
        f"{names.title(f)}: {', '.join(names.level(f, v) for v in levels[f])}" for f in factors if len(levels[f]) > 1
    ]
    found.append(("Varied", "; ".join(several) if several else "nothing"))
    if request.study.limits:
        found.append(("Limits", request.study.limits))
    found.append(("Not varied", "all else. What is said here holds for the values at the end of this page, and nobody "
                                "has looked beyond them or beyond the levels above."))  # fmt: skip
    return found


def idle_bottlenecks(study: Study, summary: pd.DataFrame, factors: Sequence[str], names: plots.Names) -> list[str]:
    """Return a warning of the configurations in which no link is busy, so that something else limits the flows."""
    if not study.least_share or "bottleneck_share" not in summary:
        return []
    idle = summary[summary["bottleneck_share"] < study.least_share]
    if idle.empty:
        return []
    shares = f"{human(idle['bottleneck_share'].min(), 'share')} to {human(idle['bottleneck_share'].max(), 'share')}"
    common = [
        f"{names.title(f)}: {', '.join(names.level(f, v) for v in sorted(idle[f].unique().tolist()))}"
        for f in factors
        if idle[f].nunique() < summary[f].nunique()
    ]
    return [
        f"In {len(idle)} of {len(summary)} configurations the busiest link is sending for less than "
        f"{human(study.least_share, 'share')} of the time ({shares}"
        + (f"; {'; '.join(common)}" if common else "")
        + "). What limits there is not the link but TCP's answer to loss, an RNIC or the length of the run: take "
        "goodput and times of these for what they are, and not for those of a link in full use."
    ]


def cautions_of_runs(good: pd.DataFrame) -> list[str]:
    """Return what the runs themselves warn of, each with the number of them that do."""
    said = good["message"].fillna("")
    return [f"{number} of {len(good)} runs: {text}" for text, number in said[said != ""].value_counts().items()]


def varied(study: Study, grids: Sequence[Mapping[str, Sequence[Any]]]) -> list[str]:
    """Return the factors of the grids: what has several levels in one, and what the study always names."""
    layout = study.layout
    always = [layout.rows, *layout.columns, layout.x, layout.shape, layout.colour, *study.factors]
    several = dict.fromkeys(name for grid in grids for name, values in grid.items() if len(values) > 1)
    return [f for f in dict.fromkeys(always) if f in grids[0]] + [n for n in several if n not in always]


def _constants(planned: Sequence[Run], factors: Sequence[str]) -> dict[str, str]:
    """Return the other parameters as text; one that goes with a level of a factor has several values."""
    params = scenario.backend().params
    texts = {}
    for name in dict.fromkeys(name for run in planned for name in run.params):
        if name not in factors and name != "run":
            values = dict.fromkeys(run.params[name] for run in planned if name in run.params)
            unit = params[name].unit if params[name].type in ("time", "rate") else ""
            texts[name] = " or ".join(human(v, unit) if unit else str(v) for v in values)
    return texts


def _metrics(frame: pd.DataFrame, planned: Sequence[Run]) -> list[str]:
    """Return the columns that were measured: numbers that are no parameter."""
    known = {"key", "code", "status", "message"}.union(*(run.params for run in planned))
    return [c for c in frame if c not in known and pd.api.types.is_numeric_dtype(frame[c])]


def _seeds_note(request: Request) -> str:
    seed = request.grids[0].get("seed", [scenario.backend().params["seed"].default])
    runs = "run 1" if request.runs == 1 else f"runs 1 to {request.runs}"
    return (
        f"Random numbers: ns-3 seed {', '.join(map(str, seed))}, {runs}. The same run number gives every "
        "configuration the same random streams; the same library and parameters give the same numbers again."
    )
