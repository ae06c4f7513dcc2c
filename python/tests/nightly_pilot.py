# SPDX-License-Identifier: GPL-2.0-only
"""The pilots that say how many runs a study needs: with another seed effects differ from run to run by as much."""

import itertools

import equal_arms
import iwarp
import pytest
from iwarp import studies
from iwarp.analysis.primary import examine
from iwarp.studies import pilot
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import varied
from scipy import stats

RUNS = 6


@pytest.mark.parametrize("name", equal_arms.NAMES)
def test_runs_differ_as_those_of_the_pilot(name):
    study = studies.get(name)
    grids = [g for g in build_grids(study, "quick", {"seed": ["2"]}) if _of_networks(study, g)]
    alone = [{**g, **{n: g[n][:1] for n in study.presets["quick"].nuisance if n in g}} for g in grids]
    frame = iwarp.sweep([{n: v for n, v in g.items() if n != "run"} for g in alone], runs=RUNS)
    frame = study.derive(frame)
    views = {view.metric: view for view in study.views if view.metric in frame}
    for found in examine(frame, study.primaries, views, varied(study, grids, frame), {}):
        stored = pilot.find(name, found.primary)
        ratio = (found.whole.test.spread / stored.spread) ** 2
        low, high = stats.f.ppf([0.0005, 0.9995], RUNS - 1, stored.runs - 1)
        assert low <= ratio <= high, pilot.name_of(found.primary)


def _of_networks(study, grid):
    """Tell whether a grid has a configuration of some primary comparison."""
    names = list(grid)
    places = (dict(zip(names, values, strict=True)) for values in itertools.product(*grid.values()))
    import pandas as pd
    from iwarp.runs import scenario

    defaults = {name: param.default for name, param in scenario.backend().params.items()}
    frame = pd.DataFrame([{**defaults, **place, "run": 1, "status": "ok"} for place in places])
    frame.attrs["units"] = {}
    rows = study.derive(frame).to_dict("records")
    return any(primary.where(row) for primary in study.primaries for row in rows)
