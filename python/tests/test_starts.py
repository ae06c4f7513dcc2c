# SPDX-License-Identifier: GPL-2.0-only
"""Starts of flows in studies: apart by what lets runs differ in how flows meet, or said to be what is asked."""

import pytest
from iwarp import studies
from iwarp.errors import IwarpError
from iwarp.runs import loader
from iwarp.studies.restriction import build_grids

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


def starts_apart(name: str, point: dict, nuisance) -> bool:
    """Tell whether starts are spread, or a factor of their own, or messages arrive at times of their own."""
    return (
        point.get("spread_starts", False)
        or "start_spread" in nuisance
        or point.get("load", 0) > 0
        or point.get("intervals", "") not in ("", "fixed:0")
    )


@pytest.mark.parametrize("name", [n for n in studies.NAMES if n != "validate"])  # which measures one flow after another
def test_flows_of_each_run_start_apart(name):
    study = studies.get(name)
    for preset, given in study.presets.items():
        for grid in build_grids(study, preset, {}):
            first = {parameter: values[0] for parameter, values in grid.items()}
            assert starts_apart(name, first, given.nuisance), (preset, first)
            assert grid.get("spread_starts", [True]) == [True]
