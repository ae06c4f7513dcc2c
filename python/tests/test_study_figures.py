# SPDX-License-Identifier: GPL-2.0-only
"""Figures of studies and tables of the documentation, made again: those that take seconds (others: nightly_figures)."""

import documented
import iwarp
import pytest
from iwarp.errors import IwarpError
from iwarp.reproduction import figures
from iwarp.reproduction.experiment import Sweep
from iwarp.runs import loader
from iwarp.studies import buffers, compute

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.mark.parametrize("name", [name for name in documented.NAMES if documented.is_brief(name)])
def test_a_figure_is_as_documented(name, tmp_path):
    documented.repeat(name, tmp_path)


def test_connections_that_are_drawn_miss_as_the_cache_is_smaller():
    """A cache of C contexts holds that of a queue pair drawn from N in C/N of the cases: misses grow as 1 - C/N."""
    misses = {}
    for pairs in (64, 128):
        grid = {name: levels[0] for name, levels in compute._connections([(pairs, 40)])[0].items()}
        settings = compute.STUDY.presets["quick"].fixed | grid | {"alignment": True, "Rnic.ContextCache.Entries": 32}
        misses[pairs] = iwarp.run(**settings)["rnic_context_misses"]
    assert misses[128] / misses[64] == pytest.approx((1 - 32 / 128) / (1 - 32 / 64), rel=0.05)


def test_k1_of_few_connections_agrees_with_that_of_many():
    runs = Sweep(1).of_study(buffers.STUDY, alignment=False, markers=True, loss=0.01, flows=[1, 4, 16])
    found, many = buffers.fit(runs, "rnic_memory_mean"), figures.read()["k1-1-percent"]
    assert abs(found.slope - many.value) <= found.slope_half + many.half
