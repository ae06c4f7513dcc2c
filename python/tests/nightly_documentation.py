# SPDX-License-Identifier: GPL-2.0-only
"""The commands of the documentation that take long."""

import pytest
from doc_blocks import RUN, chosen


@pytest.mark.parametrize("block", chosen("nightly"))
def test_a_long_block_runs(block, tmp_path):
    RUN[block.language](block, tmp_path)
