# SPDX-License-Identifier: GPL-2.0-only
"""Every preset of every study is one that the real library takes."""

import pytest

from iwarp import loader, studies
from iwarp.errors import IwarpError
from iwarp.studies.study import build_grids
from iwarp.sweeper import plan

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.mark.parametrize("name", studies.NAMES)
def test_presets_can_be_planned(name):
    study = studies.get(name)
    for preset in study.presets:
        assert plan(build_grids(study, preset, {}), 1)


@pytest.mark.parametrize("flows", [[1, 100], [10]])
def test_fewer_levels_are_fewer_runs(flows):
    """Grids that have one number of connections are not multiplied by those that the first grid is asked for."""
    study = studies.get("buffers")
    every = {run.key for run in plan(build_grids(study, "quick", {}), 1)}
    some = plan(build_grids(study, "quick", {"flows": flows}), 1)
    assert {run.params["flows"] for run in some} <= {*flows, study.presets["quick"].fixed["flows"]}
    assert len(some) < len(every)
    if 100 in flows:
        assert {run.key for run in some} < every


def test_a_level_that_a_preset_does_not_have_is_run():
    study = studies.get("buffers")
    runs = plan(build_grids(study, "quick", {"flows": [7], "loss": [0.05]}), 1)
    assert {(run.params["flows"], run.params["loss"]) for run in runs} >= {(7, 0.05)}
