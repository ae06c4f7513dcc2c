# SPDX-License-Identifier: GPL-2.0-only
"""Every preset of every study is one that the real library takes; nightly_presets.py plans each run of them."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from iwarp import studies
from iwarp.errors import IwarpError
from iwarp.runs import loader, scenario
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Preset
from iwarp.sweeps.sweeper import plan

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

Grid = dict[str, list[Any]]


def telling(preset: Preset, grids: Iterable[Grid]) -> Iterator[Grid]:
    """Leave out the points of screenings but for those with a level of a figure that none before them has."""
    seen: set[tuple[str, str, Any]] = set()
    for grid in grids:
        point = {name: values[0] for name, values in grid.items()}
        if not any(screening.has(point) for screening in preset.screenings):
            yield grid
            continue
        levels = {(point["rnic"], name, value) for name, value in point.items()}
        if not levels <= seen:
            seen |= levels
            yield {name: [value] for name, value in point.items()}


def levels_of(grids: Iterable[Grid]) -> set[tuple[str, Any]]:
    """Return each value of each parameter."""
    return {(name, value) for grid in grids for name, values in grid.items() for value in values}


def first_levels(preset: Preset, grids: Iterable[Grid]) -> list[Grid]:
    """Leave factors that go with the run at their first level: a run has one of them, and not all combinations."""
    return [{**grid, **{n: grid[n][:1] for n in preset.nuisance if n in grid}, "run": [1]} for grid in grids]


@pytest.mark.parametrize("name", studies.NAMES)
def test_presets_can_be_planned(name):
    study = studies.get(name)
    for preset in study.presets:
        grids = build_grids(study, preset, {})
        few = list(telling(study.presets[preset], grids))
        assert levels_of(few) == levels_of(grids)
        assert plan(first_levels(study.presets[preset], few), 1)


def places_of(params: dict[str, Any]) -> tuple[Any, ...]:
    """Return what of a run decides whether something stands where no flow passes."""
    boxed = params.get("middlebox", "none") != "none"
    return (
        params["topology"], params.get("pattern"), params.get("impairment_place"), params.get("split_proxy"),
        boxed and params.get("middlebox_place"), params.get("ipsec"), params.get("link_schedule"),
    )  # fmt: skip


@pytest.mark.parametrize("name", studies.NAMES)
def test_networks_of_presets_are_built(name):
    """What a network has no place for is refused only once it is built."""
    study = studies.get(name)
    preset = study.presets["quick"]
    runs = plan(first_levels(preset, telling(preset, build_grids(study, "quick", {}))), 1)
    for run in {places_of(run.params): run for run in runs}.values():
        assert scenario.backend().find_map(run.params).nodes, run.params["topology"]


@pytest.mark.parametrize("flows", [[1, 100], [10]])
def test_fewer_levels_are_fewer_runs(flows):
    """Grids that have one number of connections are not multiplied by those that the first grid is asked for."""
    study = studies.get("buffers")
    preset = study.presets["quick"]
    every = {run.key for run in plan(first_levels(preset, build_grids(study, "quick", {})), 1)}
    some = plan(first_levels(preset, build_grids(study, "quick", {"flows": flows})), 1)
    assert {run.params["flows"] for run in some} <= {*flows, study.presets["quick"].fixed["flows"]}
    assert len(some) < len(every)
    if 100 in flows:
        assert {run.key for run in some} < every


def test_a_level_that_a_preset_does_not_have_is_run():
    study = studies.get("buffers")
    grids = build_grids(study, "quick", {"flows": [7], "loss": [0.05]})
    runs = plan(first_levels(study.presets["quick"], grids), 1)
    assert {(run.params["flows"], run.params["loss"]) for run in runs} >= {(7, 0.05)}
