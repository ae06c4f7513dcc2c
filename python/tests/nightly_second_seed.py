# SPDX-License-Identifier: GPL-2.0-only
"""Figures of studies and tables that have something random, with another seed: both may be samples of one."""

import documented
import pytest


@pytest.mark.parametrize("name", [name for name in documented.NAMES if documented.subject(name).seeded])
def test_another_seed_finds_the_same(name, tmp_path):
    documented.repeat(name, tmp_path, seed=2)
