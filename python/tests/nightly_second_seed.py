# SPDX-License-Identifier: GPL-2.0-only
"""Each figure that the documentation states of studies, with another seed: both may be samples of one."""

import documented
import pytest


@pytest.mark.parametrize("name", documented.NAMES)
def test_another_seed_finds_the_same(name, tmp_path):
    documented.repeat(name, tmp_path, seed=2)
