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
