# SPDX-License-Identifier: GPL-2.0-only
"""A study whose arms are equal claims a primary difference on 5 % of its pages at most: those that take seconds."""

import pytest
from equal_arms import claims
from iwarp import studies
from iwarp.errors import IwarpError
from iwarp.runs import loader
from scipy import stats

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


def test_equal_transports_are_not_told_apart():
    study = studies.get("fabric")
    assert claims(study, study.presets["quick"].runs, 40) <= stats.binom.ppf(0.999, 40, 0.05)
