# SPDX-License-Identifier: GPL-2.0-only
"""Each study comes to its report when its runs have all metrics that there are: values are drawn, nothing is run."""

import math
import random

import pandas as pd
import pytest
from iwarp import studies
from iwarp.errors import IwarpError
from iwarp.parameters.quantity import Quantity
from iwarp.runs import loader, scenario
from iwarp.runs.runner import Outcome
from iwarp.studies import study as conducting
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Request, conduct
from iwarp.sweeps.run import make_row
from iwarp.sweeps.subjects import ScenarioSubject

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)


FEW = 6  #: configurations


def drawn(runs, store, **_):
    """Give each run a value of each metric in place of what it would measure: shares below 1, or a segment's octets."""
    for run in runs:
        rng = random.Random(run.key)
        values = {
            metric.name: Quantity(rng.random() if metric.unit == "share" else rng.uniform(1000, 1460), metric.unit)
            for metric in scenario.backend().metrics.values()
        }
        store.add(*make_row(ScenarioSubject(), run, Outcome("ok", metrics=values)))


def in_short(study):
    """Return a study's quick grids with the network that has the fewest configurations, but not too few to compare."""
    whole = build_grids(study, "quick", {})
    names = {name for grid in whole for name in grid.get("topology", ())}
    grids = [build_grids(study, "quick", {"topology": [name]}) for name in names] or [whole]
    sizes = [sum(math.prod(map(len, grid.values())) for grid in one) for one in grids]
    return min((size, str(one), one) for size, one in zip(sizes, grids, strict=True) if size >= FEW)[2]


@pytest.mark.parametrize("name", studies.NAMES)
def test_a_study_comes_to_its_report(name, tmp_path, monkeypatch):
    study = studies.get(name)
    monkeypatch.setattr(conducting, "execute", drawn)
    result = conduct(Request(study, "quick", in_short(study), 2, tmp_path, f"./iwarp study {name}"))
    assert result["failed"] == 0
    assert (tmp_path / "report.html").stat().st_size > 10_000
    page = (tmp_path / "report.html").read_text()
    assert ("not tested: that takes two runs of each" in page) == bool(study.presets["quick"].nuisance)
    assert study.write or len(pd.read_csv(tmp_path / "summary.csv")) > 1
