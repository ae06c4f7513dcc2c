# SPDX-License-Identifier: GPL-2.0-only
"""Whole studies replayed with arms that are equal, or differ by what was put in: values are those of real runs.

A pilot (pilot.py) has real runs of each study. A replay has them in another order, each run whole, so that what
runs of a number have in common over all configurations stays, as do clusters, tails and the different spreads of
configurations. What is left of each configuration, less its mean, is put on the mean of all arms of its environment,
and arms are exchanged at random in each run: all of them are equal then.

A study without a pilot is replayed with a few stored values (claims_of_few()).
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
from iwarp import studies
from iwarp.analysis.findings import describe, in_short
from iwarp.analysis.nuisance import blocks
from iwarp.analysis.primary import POOLED, examine
from iwarp.analysis.stats import paired_test
from iwarp.report.chart import Names
from iwarp.runs import scenario
from iwarp.studies import alignment
from iwarp.studies.primaries import of_level
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Evidence, Request, conclude, planned_runs

DATA = Path(__file__).parent / "data"
NAMES = [path.stem.removeprefix("pilot-") for path in sorted(DATA.glob("pilot-*.parquet"))]
#: what a study compares besides the contrasts of its questions
ARMS = {"ipsec": ("condition", "esp_engine", "cipher", "ipsec_sharing"), "alignment": ("alignment", "markers")}
_CLAIM = re.compile(
    r"\b(lowers?|raises?|changes?|makes? (?!no)|Higher with|Lower with|depends on|because|times as much|"
    r"(more|less) on [1-9])\b"
)
KINDS = ("primary", "exploratory", "averages", "causes", "overview")
_DENIED = re.compile(r"not shown|no difference|No difference|too few|Too few|undecided|equivalent|as it is")


def read(name):
    """Return a study, its pilot, the factors that tell configurations apart, and its arms."""
    study = studies.get(name)
    frame = pd.read_parquet(DATA / f"pilot-{name}.parquet")
    nuisance = list(study.presets["quick"].nuisance)
    metrics = {view.metric for view in study.views}
    contrasts = {c.contrast.factor for c in (*study.primaries, *study.questions, *study.causes)}
    apart = [c for c in frame if c not in metrics | {"run", "status", *nuisance} and not c.startswith("rnic_op_")]
    factors = [c for c in apart if c in _factors(study) or c in contrasts]
    return study, frame, factors, sorted(contrasts | set(ARMS.get(name, ())))


def _factors(study):
    layout = study.layout
    return [layout.rows, *layout.columns, layout.x, layout.shape, layout.colour, *study.factors, "topology"]


class Replay:
    """Runs drawn anew from a pilot's, with arms made equal."""

    def __init__(self, name):
        self.study, self.frame, self.factors, self.arms = read(name)
        good = self.frame[self.frame["status"] == "ok"]
        # what lacks a run has a mean over others, which would be a difference; points of a screening run once
        count = good.groupby(self.factors, dropna=False)["run"].transform("size")
        self.frame = good[count == good["run"].nunique()].reset_index(drop=True)
        metrics = scenario.backend().metrics
        self.views = {view.metric: view.described(metrics) for view in self.study.views if view.metric in self.frame}
        self.runs = np.sort(self.frame["run"].unique())
        named = self.frame[self.factors].astype(str)
        self._configuration = named.agg("|".join, axis=1)
        environment = named[[f for f in self.factors if f not in self.arms]]
        self._environment = environment.agg("|".join, axis=1) if len(environment.columns) else named.index.map(str)
        self.names = Names(self.study.titles, self.study.levels, {})

    def draw(self, rng, shift=None):
        """Return a frame of as many runs, whose arms are equal but for ``shift``, which is called with it at last."""
        drawn = dict(zip(self.runs, rng.permutation(self.runs), strict=True))
        frame = self.frame.copy()
        order = {}  # one exchange of arms a run and number of arms, the same in all environments and metrics
        for metric in self.views:
            measured = frame.groupby(self._configuration)[metric].transform("count") > 0  # others have no such thing
            places = {}
            for environment, rows in self._configuration[measured].groupby(self._environment[measured]):
                places[environment] = list(dict.fromkeys(rows))
            source = []
            for configuration, environment, run, there in zip(
                self._configuration, self._environment, frame["run"], measured, strict=True
            ):
                arms = places[environment] if there else [configuration]
                if (run, len(arms)) not in order:
                    order[run, len(arms)] = rng.permutation(len(arms))
                source.append((arms[order[run, len(arms)][arms.index(configuration)]], drawn[run]))
            frame[metric] = self._values(metric, source)
        return frame if shift is None else shift(frame)

    def _values(self, metric, source):
        """Return values whose means are those of the environment: what was left of the run and arm that are drawn."""
        values, view = self.frame[metric].astype(float), self.views[metric]
        relative = ~(values <= 0).groupby(self._environment).transform("any") & (view.unit != "share") & ~view.absolute
        plain = np.where(relative, np.log(values.where(values > 0, 1.0)), values)
        plain = pd.Series(plain, index=values.index).where(values.notna())
        means = plain.groupby(self._configuration).transform("mean")
        left = dict(zip(zip(self._configuration, self.frame["run"], strict=True), plain - means, strict=True))
        whole = means.groupby(self._environment).transform("mean")
        found = whole + np.array([left.get(place, np.nan) for place in source])
        return np.where(relative, np.exp(found.where(relative, 0.0)), found)


def found_in(replay, frame):
    """Return which differences a study's pages claim: primary, exploratory, averages; and their sentences."""
    study = replay.study
    found = conclude(study, "quick", frame, replay.factors, replay.names)
    evidence = Evidence(frame, found.comparisons, found.averages, found.tables, found.primaries, found.causes)
    said = [*study.answer(evidence), *(text for table in found.tables for text in table.sentences)]
    for question, groups in found.groups:
        told = describe(groups)
        said += in_short(question.contrast.treatment_name, [told]) if told else []
    overview = []
    if study.pages:
        more, overview = _of_pages(study, frame, found)
        said += more
    shown = {"lower", "higher"}
    return {
        "primary": [p for p in found.primaries if p.is_shown or p.depends],
        "exploratory": [c for c in found.comparisons if c.verdict in shown],
        "averages": [a for a in found.averages if a.verdict in shown],
        "causes": [c for c in found.causes if c.is_stated],
        "overview": [text for text in overview if is_claim(text)],
        "sentences": [text for text in (*said, *overview) if is_claim(text)],
    }


def _of_pages(study, frame, found):
    """Return the sentences of a study's further pages, and those of the table over all of them, a family by itself."""
    said, pages = [], []
    for level, runs in frame.groupby(study.pages, sort=False):
        compared, averages = (
            [c for c in of_all if c.where.get(study.pages) == level] for of_all in (found.comparisons, found.averages)
        )
        evidence = Evidence(runs, compared, averages, (), of_level(found.primaries, level))
        said += study.answer(evidence)
        pages.append((str(level), evidence))
    return said, alignment._overview(pages).sentences


def is_claim(text):
    """Tell whether a sentence claims a difference, in one of its clauses."""
    return any(_CLAIM.search(clause) and not _DENIED.search(clause) for clause in text.split(";"))


def count_claims(name, replays, seed=1):
    """Return in how many of so many replays with equal arms pages claim any difference, by kind.

    ``untested`` are pages with a sentence that claims a difference though no test shows any.
    """
    replay, rng = Replay(name), np.random.default_rng(seed)
    count = dict.fromkeys((*KINDS, "untested"), 0)
    for _ in range(replays):
        found = found_in(replay, replay.draw(rng))
        tested = [kind for kind in KINDS if found[kind]]
        for kind in tested:
            count[kind] += 1
        count["untested"] += bool(found["sentences"]) and not tested
    return count


def share_found(name, primary, runs, replays, seed=1):
    """Return in what share of replays a difference of the size that a primary comparison declares is found.

    Effects pooled run by run are drawn from the pilot's, with either sign, and the difference is put on them.

    @param runs of a replay
    """
    replay, rng = Replay(name), np.random.default_rng(seed)
    nuisance = list(replay.study.presets["quick"].nuisance)
    (found,) = examine(replay.frame, [primary], replay.views, replay.factors, blocks(replay.frame, nuisance))
    left = np.array(found.whole.test.differences) - found.whole.test.mean
    left *= np.sqrt(len(left) / (len(left) - 1))  # of the mean of few
    level = POOLED / len(replay.study.primaries)
    drawn = rng.choice(left, (replays, runs)) * rng.choice([-1, 1], (replays, runs)) + found.whole.of_interest
    return float(np.mean([(test := paired_test(row)).p < level and test.agree for row in drawn]))


#: slowdowns (99th percentile) of go-back-N in an incast, of aligned iWARP on a leaf-spine, and times of messages under
#: loss, over their means: what runs of the studies vary by, with clusters and tails
VARIED = {
    "slowdown_p99": [1.57, 0.61, 0.92, 1.33, 0.48, 1.09, 0.65, 1.71, 0.64, 0.65, 0.65, 0.64, 0.66, 1.69],
    "time": [0.86, 1.12, 0.97, 0.91, 1.31, 0.83, 0.99, 1.04, 1.87, 0.93, 0.95, 1.02, 0.88, 1.01],
}


def shape(study, runs):
    """Return the runs of a study's quick preset, as a frame of their parameters."""
    request = Request(study, "quick", build_grids(study, "quick", {}), runs, Path("out"), "")
    frame = pd.DataFrame([run.params for run in planned_runs(request)])
    frame = frame.assign(status="ok")
    frame.attrs["units"] = {}
    return study.derive(frame)


def refill(frame, metrics, rng):
    """Give each run values that are drawn again from what was stored, with a part that runs of a number share."""
    frame = frame.copy()
    for metric in metrics:
        stored = np.array(VARIED["slowdown_p99" if metric.startswith("slowdown") else "time"])
        common = dict(zip(frame["run"].unique(), rng.choice(stored, frame["run"].nunique()), strict=True))
        frame[metric] = 100 * frame["run"].map(common) * rng.choice(stored, len(frame))
    return frame


def claims_of_few(study, runs, replays, seed=1):
    """Return in how many replays a study's page claims any primary difference."""
    frame, rng = shape(study, runs), np.random.default_rng(seed)
    views = {view.metric: view for view in study.views}
    apart = _factors_of(study, frame)
    levels = blocks(frame, list(study.presets["quick"].nuisance))
    metrics = sorted({primary.metric for primary in study.primaries})
    claimed = 0
    for _ in range(replays):
        found = examine(refill(frame, metrics, rng), study.primaries, views, apart, levels)
        assert len(found) == len(study.primaries)
        claimed += any(p.is_shown or p.depends for p in found)
    return claimed


def _factors_of(study, frame):
    grid = {**study.presets["quick"].grid}
    for more in itertools.chain(study.presets["quick"].conditions, study.presets["quick"].more):
        grid |= more
    named = [*study.factors, study.layout.x, study.layout.colour, study.layout.shape, study.layout.rows]
    return [f for f in dict.fromkeys([*named, *grid]) if f in frame and f not in study.told]
