# SPDX-License-Identifier: GPL-2.0-only
"""READs against connections: that what is called assumed is, and what the table makes of runs that are known."""

import csv
from pathlib import Path

import number_columns
import pandas as pd
import pytest
from iwarp.studies import reads
from iwarp.sweeps.run import Run

PROFILES = Path(__file__).parents[2] / "doc/tables/rnic-profiles.csv"


def test_what_is_called_assumed_is_so_in_the_profile():
    with PROFILES.open(newline="") as file:
        figures = {f"Rnic.{row['attribute']}": row for row in csv.DictReader(file) if row["profile"] == reads.PROFILE}
    for name, (value, _) in reads.ASSUMED.items():
        assert figures[name]["known"] == "assumed" and int(figures[name]["value"]) == value
        assert int(figures[name]["low"]) <= value // 2 and 2 * value <= int(figures[name]["high"])
    assert (
        figures["Rnic.HostInterface.ReadLatency"]["known"] == figures["Rnic.HostInterface.ReadRate"]["known"] == "cited"
    )
    assert figures["Rnic.HostInterface.ReadLatency"]["value"] == "500ns"
    assert figures["Rnic.TxSchedule.TimePerPacket"]["value"] == "100ns"


def test_each_assumed_figure_is_halved_and_doubled_alone():
    usual, *others = reads.settings()
    assert usual == {name: value for name, (value, _) in reads.ASSUMED.items()}
    factors = [[setting[name] / usual[name] for name in usual] for setting in others]
    assert factors == [[0.5, 1], [2, 1], [1, 0.5], [1, 2]]
    grids = reads.grids()
    assert len(grids) == len(reads.PAIRS) * 5 and all(len(values) == 1 for grid in grids for values in grid.values())


def runs(rates, status="ok"):
    """Return runs with these rates, of 1,000 queue pairs and then of 2,000, and the plan that they are of."""
    points = [(pairs, setting) for pairs in reads.PAIRS[:2] for setting in reads.settings()]
    asked = {"perf_test": "read_bw", "perf_order": "Random"}
    planned = [Run(str(i), {**asked, "perf_qp": pairs, **s}) for i, (pairs, s) in enumerate(points)]
    planned.append(Run("other", {"perf_test": "write_bw"}))
    rows = [
        {"key": str(i), "status": status, "perf_msg_rate": r, "rnic_context_misses": 0.5} for i, r in enumerate(rates)
    ]
    return planned, pd.DataFrame(
        [*rows, {"key": "other", "status": "ok", "perf_msg_rate": 1.0, "rnic_context_misses": 0}]
    )


def test_changes_are_against_the_figures_as_assumed():
    table = reads.tabulate(reads.measure(*runs([10e6] * 5 + [8e6, 6e6, 10e6, 4e6, 8e6])))
    number_columns.check([table])
    assert [str(cell) for cell in table.rows["Queue pairs"]] == ["1,000"] * 5 + ["2,000"] * 5
    assert [cell.value for cell in table.rows["Change"]] == pytest.approx([0] * 6 + [-0.25, 0.25, -0.5, 0])
    assert table.rows["Assumed figures"].tolist()[5:] == [
        "as assumed", "512 contexts on chip in place of 1,024", "2,048 contexts on chip in place of 1,024",
        "4 contexts fetched at a time in place of 8", "16 contexts fetched at a time in place of 8",
    ]  # fmt: skip
    assert table.sentences == [
        "Half or twice an assumed figure makes at most 50 % fewer READs a second, with 2,000 queue pairs (4 contexts "
        "fetched at a time in place of 8)."
    ]


def test_without_runs_there_is_no_table():
    assert reads.tabulate(reads.measure(*runs([1e6] * 10, status="error"))) is None
