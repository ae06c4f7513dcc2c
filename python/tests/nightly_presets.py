# SPDX-License-Identifier: GPL-2.0-only
"""Every preset of every study as it is: the real library takes each of its runs."""

import pytest
from iwarp import studies
from iwarp.studies.restriction import build_grids
from iwarp.sweeps.sweeper import plan


@pytest.mark.parametrize("name", studies.NAMES)
def test_presets_can_be_planned_in_full(name):
    study = studies.get(name)
    for preset in study.presets:
        assert plan(build_grids(study, preset, {}), 1)
