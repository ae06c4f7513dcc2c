# SPDX-License-Identifier: GPL-2.0-only
"""Published measurements, published models and closed forms beside what the simulator makes of the same setting.

``validate.csv`` lists them, a line a figure: where it is from, what is run for it, and how far apart both may be.
``published.csv`` lists those of published experiments whose runs take minutes, which only the full preset makes again.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis.stats import estimate
from ..errors import UsageError
from ..parameters.quantity import human
from ..parameters.schema import resolve
from ..report import plots
from ..report.cells import write_table
from ..report.page import Picture, data_files, render_page, write_page
from ..runs import scenario
from ..runs.provenance import provenance
from ..sweeps.run import Run
from . import reads
from .study import Preset, Request, Study

_LIST = Path(__file__).with_suffix(".csv")
_LONG = _LIST.with_name("published.csv")

# one link between two adapters: the dumbbell's others are so fast that they add a nanosecond a frame
_BASE = {
    "topology": "dumbbell",
    "plain_tcp": False,
    "markers": False,
    "delay": "0us",
    "access_delay": "0us",
    "start_spread": "0us",
    "queue_size": "200000p",
}
KINDS = {
    "measured": "published measurements",
    "model": "published models",
    "closed form": "closed forms",
}
USES = ("fitted", "held out", "exact")
CHECKS = {
    "page": "read on the page",
    "given": "not read again",
    "remembered": "as remembered, not checked",
    "": "",
}


@dataclass(frozen=True)
class Figure:
    """A figure to compare with: ``relation`` is =, or >= and <= where the source gives a limit."""

    name: str
    about: str
    kind: str  #: one of KINDS
    use: str  #: fitted: a profile was made to meet it; held out: it was not; exact: there is nothing to fit
    parameters: Mapping[str, str]
    over: Mapping[str, str]  #: of the run whose metric the other's is divided by, beside the same; {} for none
    metric: str
    relation: str
    value: float
    unit: str
    bound: float  #: largest error, a share: what the source itself may be off by, set before the run
    known: str  #: why ours is outside all the same; "" if it is not to be
    setting: str  #: MTU, bus and method of a measurement, as its source states them, and ours where it does not
    source: str
    checked: str  #: one of CHECKS

    def error(self, ours: float) -> float:
        """Return by which share ours is off; 0 on the right side of a limit, and NaN without ours."""
        off = ours / self.value - 1
        if (self.relation == ">=" and off > 0) or (self.relation == "<=" and off < 0):
            return 0.0
        return off


def read(path: Path = _LIST) -> list[Figure]:
    """Read the list of figures."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Figure(
            **{
                **row,
                "parameters": _words(row["parameters"]),
                "over": _words(row["over"]),
                "value": calculate(row["value"]),
                "bound": float(row["bound"]) / 100,
            }
        )
        for row in rows
    ]


def listed(preset: str) -> list[Figure]:
    """Return the figures that a preset compares."""
    return [*read(), *(read(_LONG) if preset == "full" else [])]


def _words(text: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in text.split())


def calculate(formula: str) -> float:
    """Return the value of a formula of numbers, + - * / and brackets."""
    if not set(formula) <= set("0123456789.e+-*/() "):
        raise UsageError(f'"{formula}" is no formula of numbers')
    return float(pd.eval(formula, engine="python"))


def compare(figures: Sequence[Figure], planned: Sequence[Run], frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row a figure that is asked for, in numbers: the published value and ours in one unit, the error, whether
    it is within its bound."""
    good = frame[frame["status"] == "ok"].set_index("key")
    rows = []
    for figure in figures:
        runs = _find(figure.parameters, planned)
        if not runs:
            continue
        found = _measure(runs, figure.metric, good)
        if figure.over:
            found = found / _measure(_find({**figure.parameters, **figure.over}, planned), figure.metric, good)
        ours = estimate(found.dropna().tolist())
        error = figure.error(ours.mean)
        rows.append(
            {
                "figure": figure.name,
                "about": figure.about,
                "kind": figure.kind,
                "use": figure.use,
                "relation": figure.relation,
                "published": figure.value,
                "ours": ours.mean,
                "ours ±": ours.half,
                "unit": figure.unit,
                "runs": ours.n,
                "error [%]": 100 * error,
                "bound [%]": 100 * figure.bound,
                "within": abs(error) <= figure.bound,  # not so without a number of ours
                "known": figure.known,
                "setting": figure.setting,
                "source": figure.source,
                "checked": figure.checked,
                "metric": figure.metric,
                "parameters": " ".join(f"{k}={v}" for k, v in figure.parameters.items()),
                "over": " ".join(f"{k}={v}" for k, v in figure.over.items()),
            }
        )
    return pd.DataFrame(rows)


def _find(parameters: Mapping[str, str], planned: Sequence[Run]) -> list[Run]:
    """Return the runs with these parameters."""
    asked = {k: v for k, v in resolve({**_BASE, **parameters}, scenario.backend().params).items() if k != "run"}
    return [run for run in planned if {k: v for k, v in run.params.items() if k != "run"} == asked]


def _measure(runs: Sequence[Run], metric: str, good: pd.DataFrame) -> pd.Series:
    """Return a metric of those of the runs that are good, by their numbers."""
    found = {
        run.params["run"]: good.at[run.key, metric] for run in runs if run.key in good.index and metric in good.columns
    }
    return pd.Series(found, dtype=float)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return the same as texts for people, without what few want to know."""
    rows = [
        {
            "figure": row["figure"],
            "what it is": row["about"],
            "theirs": f"{row['relation']} {human(row['published'], row['unit'])}".removeprefix("= "),
            "ours": "failed" if math.isnan(row["ours"]) else human(row["ours"], row["unit"]),
            "error": "" if math.isnan(row["error [%]"]) else f"{row['error [%]']:+.1f} %",
            "bound": f"{row['bound [%]']:g} %",
            "within": "yes" if row["within"] else f"no: {row['known'] or 'not known why'}",
            "use": row["use"],
            "setting": row["setting"],
            "source": "; ".join(filter(None, (row["source"], CHECKS[row["checked"]]))),
        }
        for _, row in table.iterrows()
    ]
    return pd.DataFrame(rows)


def lines(table: pd.DataFrame) -> list[str]:
    """Return a line a figure and what sums them up, for a terminal."""
    texts = readable(table).drop(columns=["what it is", "within", "setting"])
    texts["source"] = texts["source"].mask(~table["within"].astype(bool), "OUTSIDE  " + texts["source"])
    cells = [list(texts.columns), *texts.to_numpy().tolist()]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]) - 1)]
    printed = ["  ".join(c.ljust(w) for c, w in zip(line, (*widths, 0), strict=True)).rstrip() for line in cells]
    return printed + in_short(table)


def in_short(table: pd.DataFrame) -> list[str]:
    """Return sentences: how many are within their bounds, and how far off those are that nothing was fitted to."""
    sentences = [f"{int(table['within'].sum())} of {len(table)} figures are within their bounds."]
    known = table[~table["within"].astype(bool) & (table["known"] != "")]
    sentences += [
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not: {reason}."
        for reason, names in known.groupby("known", sort=False)["figure"]
    ]
    mended = table[table["within"].astype(bool) & (table["known"] != "")]
    sentences += [f"{name} is within its bound, and is still listed as one that is not." for name in mended["figure"]]
    for kind, name in KINDS.items():
        part = table[(table["kind"] == kind) & (table["use"] != "fitted")]
        values = part[(part["relation"] == "=") & part["error [%]"].notna()]
        if len(values):
            off = values["error [%]"].abs()
            sentences.append(
                f"{len(values)} {name} that nothing was fitted to: median error {off.median():.2g} %, "
                f"largest {off.max():.2g} % ({values.loc[off.idxmax(), 'figure']})"
                + (f"; {len(part) - len(values)} more are limits." if len(part) > len(values) else ".")
            )
    fitted = table[table["use"] == "fitted"]
    remembered = table[table["checked"] == "remembered"]
    if len(fitted):
        sentences.append(f"{len(fitted)} figures were fitted to: {', '.join(fitted['figure'])}.")
    if len(remembered):
        sentences.append(f"Remembered of their sources and not checked: {', '.join(remembered['figure'])}.")
    return sentences


def write(request: Request, frame: pd.DataFrame, planned: Sequence[Run]) -> dict[str, Any]:
    """Write the tables, the picture and the page; return what study.json and the terminal get."""
    table = compare(listed(request.preset), planned, frame)
    table.to_csv(request.out / "validate.csv", index=False)
    rates = reads.tabulate(reads.measure(planned, frame))
    if rates:
        write_table(rates.rows, request.out / f"{rates.name}.csv")
    drawn = plots.agreement(table, request.out / "validate.svg")
    picture = Picture("Error of each figure", drawn, "A bar is the bound; what a profile was fitted to is open.")
    page = render_page(
        "validate.html.j2",
        title=STUDY.title,
        lead=STUDY.lead,
        rows=[{**a, **b} for a, b in zip(table.to_dict("records"), readable(table).to_dict("records"), strict=True)],
        sentences=in_short(table),
        kinds=KINDS,
        picture=picture,
        rates=rates,
        rates_rest_on=list(reads.BASIS),
        failures=frame[frame["status"] != "ok"].to_dict("records"),
        provenance=provenance(),
        command=request.command,
        files=data_files(request.out),
    )
    write_page(page, request.out / "report.html")
    outside = table.loc[table["within"].astype(bool) == (table["known"] != ""), "figure"].tolist()
    return {"lines": lines(table), "outside": outside}


def _asked(figures: Sequence[Figure]) -> list[dict[str, str]]:
    """Return the parameters of the runs that figures rest on, those that they are over last."""
    over = [{**figure.parameters, **figure.over} for figure in figures if figure.over]
    return [*(dict(figure.parameters) for figure in figures), *over]


def settings(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return all that the runs of figures are given."""
    return [{**_BASE, **asked} for asked in _asked(figures)]


def _preset(name: str, runs: int) -> Preset:
    """Return a preset with a grid a run of each figure, of one combination, and those of READs against connections."""
    first, *others = [{key: [value] for key, value in asked.items()} for asked in _asked(listed(name))]
    return Preset(grid=first, fixed=_BASE, runs=runs, timeout=3600.0, more=[*others, *reads.grids()])


STUDY = Study(
    name="validate",
    title="Published figures and closed forms, and what the simulator makes of them",
    lead=(
        "Each figure is simulated with two hosts and one link between them, or the network of its source. Measurements "
        "that a profile was fitted to say how good the fit is; those held out from it, what the model is worth "
        "elsewhere."
    ),
    presets={"quick": _preset("quick", 1), "full": _preset("full", 10)},
    write=write,
)
