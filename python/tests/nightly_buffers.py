# SPDX-License-Identifier: GPL-2.0-only
"""Between which sizes the memory lies that unaligned connections need (doc/study-buffers.rst)."""

import pytest
from iwarp.reproduction.buffers import goodput
from iwarp.reproduction.experiment import Sweep


@pytest.mark.parametrize(
    ("alignment", "markers", "low", "high"),
    [
        (False, True, 100_000, 110_000),
        (False, False, 320_000, 400_000),
        (True, False, 250_000, 320_000),
        (True, True, None, 4_000),
    ],
)
def test_between_which_sizes_the_memory_lies_for_99_percent(alignment, markers, low, high):
    def mean(memory):
        return goodput(Sweep(1), memory, alignment=alignment, markers=markers).mean

    target = 0.99 * mean(0)
    assert mean(high) >= target
    assert low is None or mean(low) < target
