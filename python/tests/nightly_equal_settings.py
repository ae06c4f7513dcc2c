# SPDX-License-Identifier: GPL-2.0-only
"""Equal settings, compared forty times: differences are found no more often than the level says."""

from test_equal_settings import check_many_sets


def test_many_sets_of_equal_settings():
    check_many_sets(sets=40, pairs=6)
