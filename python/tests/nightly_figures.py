# SPDX-License-Identifier: GPL-2.0-only
"""Figures of studies and tables of the documentation, made again: those that take long (others: test_study_figures)."""

import documented
import pytest


@pytest.mark.parametrize("name", [name for name in documented.NAMES if not documented.is_brief(name)])
def test_a_figure_is_as_documented(name, tmp_path):
    documented.repeat(name, tmp_path)
