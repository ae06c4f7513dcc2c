# SPDX-License-Identifier: GPL-2.0-only
"""Whole studies whose arms are equal: their own configurations, with values of one arm in place of all."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from iwarp.analysis.nuisance import blocks
from iwarp.analysis.primary import examine
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Request, planned_runs

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


def claims(study, runs, replays, seed=1):
    """Return in how many replays a study's page claims any primary difference."""
    frame, rng = shape(study, runs), np.random.default_rng(seed)
    views = {view.metric: view for view in study.views}
    apart = _factors(study, frame)
    levels = blocks(frame, list(study.presets["quick"].nuisance))
    metrics = sorted({primary.metric for primary in study.primaries})
    claimed = 0
    for _ in range(replays):
        found = examine(refill(frame, metrics, rng), study.primaries, views, apart, levels)
        assert len(found) == len(study.primaries)
        claimed += any(p.is_shown or p.depends for p in found)
    return claimed


def _factors(study, frame):
    grid = {**study.presets["quick"].grid}
    for more in itertools.chain(study.presets["quick"].conditions, study.presets["quick"].more):
        grid |= more
    named = [*study.factors, study.layout.x, study.layout.colour, study.layout.shape, study.layout.rows]
    return [f for f in dict.fromkeys([*named, *grid]) if f in frame and f not in study.told]
