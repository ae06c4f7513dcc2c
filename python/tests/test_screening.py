# SPDX-License-Identifier: GPL-2.0-only
"""Screenings by elementary effects, against functions whose effects are known beforehand."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.findings import Contrast, View
from iwarp.parameters.schema import Params, param_from_attribute
from iwarp.report.chart import Layout
from iwarp.studies import screening
from iwarp.studies.restriction import build_grids
from iwarp.studies.screening import Claim, Figure, Screening, judge, tabulate
from iwarp.studies.study import Preset, Request, Study, conduct

ATTRIBUTES = {
    "Rnic.A.Time": ("ns3::TimeValue", "Time +0ns:+1e+09ns", "+100ns"),
    "Rnic.B.Rate": ("ns3::DataRateValue", "DataRate", "80000000000bps"),
    "Rnic.C.Count": ("ns3::UintegerValue", "uint32_t 1:1000", "16"),
    "Rnic.D.Parallel": ("ns3::BooleanValue", "bool", "true"),
}
FIGURES = (
    Figure("A.Time", "100ns", "0ns", "300ns"),
    Figure("B.Rate", "80Gbps", "10Gbps", "80Gbps"),
    Figure("C.Count", "16", "1", "64"),
    Figure("D.Parallel", "true", "false", "true"),
)
SENDERS = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")
SCREENING = Screening("t5-like", {"alignment": [True, False]}, 6)
WEIGHTS = np.array([1.0, -0.5, 0.25, 0.0])


@pytest.fixture(autouse=True)
def known_figures(monkeypatch):
    params = Params([], lambda name: param_from_attribute(name, *ATTRIBUTES[name], "help"))
    monkeypatch.setattr(screening.scenario, "backend", lambda: SimpleNamespace(params=params))
    monkeypatch.setattr(screening, "figures", lambda profile: FIGURES)


def runs(function, **more):
    """Return a frame with the runs of all points: metric 1 aligned, and 2 to the power of the function unaligned."""
    rows = []
    for point, levels in zip(SCREENING.points(), SCREENING.levels(), strict=True):
        for aligned in (True, False):
            value = 1.0 if aligned else 2 ** function(levels)
            rows.append({**point, "alignment": aligned, "run": 1, "cost": value, "reordering": 0.0, **more})
    return pd.DataFrame(rows)


def test_the_levels_of_a_figure():
    thirds = [figure.at(1 / 3) for figure in FIGURES]
    assert thirds == [1e-7, 20_000_000_000, 4, False]  # 300 ns/3; 10 Gbit/s and 1, times the cube root of the range
    assert [f.at(0) for f in FIGURES] == [0.0, 10_000_000_000, 1, False]
    assert [f.at(1) for f in FIGURES] == [3e-7, 80_000_000_000, 64, True]


def test_a_step_changes_one_figure_and_all_are_tried():
    levels = SCREENING.levels().reshape(6, 5, 4)
    assert (np.count_nonzero(np.diff(levels, axis=1), axis=2) == 1).all()
    assert (np.count_nonzero(np.diff(levels, axis=1), axis=1) == 1).all()


def test_the_effects_of_a_line_are_its_slopes():
    effects = SCREENING.effects(SCREENING.levels() @ WEIGHTS)
    assert effects["figure"].tolist() == ["A.Time", "B.Rate", "C.Count", "D.Parallel"]
    assert effects["mu"].tolist() == pytest.approx(WEIGHTS.tolist())
    assert effects["mu_star"].tolist() == pytest.approx(np.abs(WEIGHTS).tolist())
    assert effects["sigma"].tolist() == pytest.approx([0] * 4, abs=1e-12)


def test_effects_of_both_signs_cancel_in_the_mean_only():
    levels = SCREENING.levels()
    effects = SCREENING.effects(levels[:, 0] * (levels[:, 1] - 0.5)).set_index("figure")
    assert abs(effects.loc["A.Time", "mu"]) < effects.loc["A.Time", "mu_star"]
    assert effects.loc["A.Time", "sigma"] > 0.1 and effects.loc["C.Count", "mu_star"] == 0


def test_a_failed_point_takes_its_trajectory_along():
    gains = SCREENING.levels() @ WEIGHTS
    gains[7] = math.nan
    assert SCREENING.effects(gains)["mu"].tolist() == pytest.approx(WEIGHTS.tolist())
    assert SCREENING.effects(np.full(30, math.nan)).empty


def test_points_are_told_from_other_runs():
    assert all(SCREENING.has(point) for point in SCREENING.points())
    assert not SCREENING.has({**SCREENING.points()[0], "rnic": "siw-like"})
    assert not SCREENING.has({"rnic": "t5-like", "Rnic.A.Time": 1e-7})


def test_advantages():
    values = np.array([4.0, 1.0, 1.0005, 2.0]), np.array([2.0, 2.0, 1.0, 2.0])
    assert Claim("", "cost", less=False).advantage(*values).tolist() == [1, -1, 0, 0]
    assert Claim("", "cost").advantage(*values).tolist() == [-1, 1, 0, 0]
    less = Claim("", "cost", ratio=False)
    assert less.advantage(np.array([0.0, 0.0]), np.array([0.5, 0.0])).tolist() == [0.5, 0]


def test_verdicts():
    cases = {
        "holds": [1, 2], "never the other way": [0, 1], "depends": [1, -1], "wrong": [0, -1],
        "makes no difference": [0, 0], "not known": [math.nan],
    }  # fmt: skip
    for verdict, gains in cases.items():
        assert judge(np.array(gains, dtype=float)) == verdict


def test_the_table_says_what_survives_and_what_it_rests_on():
    claims = [Claim("costs less", "cost")]
    conditions = [("in order", {"reordering": 0.0}), ("reordered", {"reordering": 0.02})]
    sure = runs(lambda u: 1 + u @ WEIGHTS)
    unsure = runs(lambda u: u @ WEIGHTS - 0.3, reordering=0.02)
    table = tabulate(pd.concat([sure, unsure]), [SCREENING], conditions, SENDERS, claims)
    assert table.rows["Whatever the figures are"].tolist() == ["holds", "depends"]
    first = table.rows.iloc[0]
    assert [first[name].value for name in ("Points", "Points where it holds", "Points the other way")] == [30, 30, 0]
    rests = "A.Time (+1), B.Rate (\N{MINUS SIGN}0.5), C.Count (+0.25)"
    assert table.rows["Rests most on"].tolist() == [rests, rests]
    gains = SCREENING.levels() @ WEIGHTS
    assert first["Advantage, most"] == f"{2 ** (1 + gains.max()):.4g} times"
    assert table.sentences == [
        "An aligned sender costs less at every point tried (t5-like, in order).",
        "An aligned sender costs less at some points, and at others it is the other way: it rests on assumed figures "
        "(t5-like, reordered).",
    ]


def test_a_run_without_its_partner_counts_for_nothing():
    frame = runs(lambda u: 1.0)
    frame = frame.drop(index=frame.index[1])
    gains = SCREENING.gains(frame, SENDERS, Claim("costs less", "cost"))
    assert math.isnan(gains[0]) and gains[1:].tolist() == [1.0] * 29
    assert tabulate(frame[frame["alignment"]], [SCREENING], [("", {})], SENDERS, [Claim("costs less", "cost")]) is None


def test_points_run_once_and_are_in_no_other_table(monkeypatch, tmp_path):
    import fake as known

    monkeypatch.setattr(known, "ATTRIBUTES", [*known.ATTRIBUTES, ("Rnic", "ns3::StringValue", "std::string", "", "")])
    monkeypatch.setattr(known, "QUALIFIED", {**known.QUALIFIED, **{n: (*a, "") for n, a in ATTRIBUTES.items()}})
    backend = known.FakeBackend()
    monkeypatch.setattr(screening.scenario, "backend", lambda: backend)
    claim = Claim("leaves less in memory", "reassembly_peak")
    few = Screening("t5-like", {"alignment": [True, False]}, 1)
    asked = Study(
        name="asked", title="", lead="", views=[View("goodput", "Goodput")], questions=[], figures={}, titles={},
        levels={}, layout=Layout("loss", "alignment", "markers", "topology", ()), derive=lambda frame: frame,
        presets={"quick": Preset({"alignment": [True, False]}, {"loss": 0.01, "rnic": "t5-like"}, 3, 60.0,
                                 screenings=[few])},
        screen=lambda frame, screenings: [tabulate(frame, screenings, [("loss", {})], SENDERS, [claim])],
    )  # fmt: skip
    grids = build_grids(asked, "quick", {})
    assert len(grids) == 1 + 5 and len(build_grids(asked, "quick", {"rnic": ["siw-like"]})) == 1
    conduct(Request(asked, "quick", grids, 3, tmp_path, "iwarp"), 2)
    assert len(pd.read_parquet(tmp_path / "runs.parquet")) == 2 * 3 + 2 * 5
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert summary["runs"].tolist() == [3, 3]
    survives = pd.read_csv(tmp_path / "screening.csv").iloc[0]
    assert survives["Points where it holds"] == survives["Points"] == 5 and survives["Advantage, least"] == "8 times"
    assert "Whatever the assumed figures are" in (tmp_path / "report.html").read_text()
