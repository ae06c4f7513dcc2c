# SPDX-License-Identifier: GPL-2.0-only
"""Many queue pairs drawn at random: the figures of the page on studies (doc/study-compute.rst), run again."""

import pytest
from documented import check
from iwarp.studies import compute
from test_study_figures import runs_of


@pytest.mark.parametrize(("pairs", "messages"), [(2000, 10), (5000, 5)])
def test_contexts_that_are_off_chip(pairs, messages):
    (grid,) = compute._connections([(pairs, messages)])
    runs = runs_of(compute, **grid | {"alignment": [True]})
    check(f"misses-{pairs}", 100 * runs["rnic_context_misses"].mean())
    # a SYN that is dropped comes again after 3 s
    assert (runs["measured_duration"] < 1).all()
