# SPDX-License-Identifier: GPL-2.0-only
"""Published figures and closed forms: what the list must hold, what a comparison says, and that ours are in bounds."""

import html
import json
import math
from pathlib import Path

import pandas as pd
import pytest
from iwarp import studies
from iwarp.cli import main
from iwarp.errors import UsageError
from iwarp.studies import reads, validate
from iwarp.sweeps.sweeper import plan

NUMBERS = ("published", "ours", "ours ±", "error [%]", "bound [%]", "runs")
TABLES = Path(__file__).parents[2] / "doc/tables"
EXPERIMENTS = TABLES.parents[1] / "examples/published"
DOCUMENT = TABLES / "validation.csv"
LONG = TABLES / "published.csv"
RATES = TABLES / "reads-connections.csv"
FIGURE = {
    "about": "", "kind": "measured", "use": "held out", "over": {}, "metric": "goodput", "relation": "=",
    "unit": "bit/s", "bound": 0.02, "known": "", "setting": "", "source": "a page", "checked": "page",
}  # fmt: skip


def test_the_list_is_what_it_promises():
    figures = validate.listed("full")
    assert len({figure.name for figure in figures}) == len(figures)
    published = [figure for figure in figures if figure.kind in ("measured", "model")]
    fitted = [figure for figure in figures if figure.use == "fitted"]
    assert len(published) >= 15
    assert 4 * len(fitted) <= len(published) and all(figure.kind == "measured" for figure in fitted)
    for figure in figures:
        assert figure.kind in validate.KINDS and figure.use in validate.USES and figure.checked in validate.CHECKS
        assert figure.source and figure.relation in ("=", "<=", ">=") and figure.value > 0
        stated = all(word in figure.setting for word in ("MTU", "bus"))
        assert stated == (figure.kind == "measured"), f"{figure.name}: MTU, bus and method of its source"
        assert (figure.use == "exact") == (figure.kind == "closed form") == (figure.checked == "")


def test_a_published_experiment_is_a_file_of_parameters_and_on_the_page():
    figures = {figure.name: figure for figure in validate.listed("full")}
    rows = (TABLES.parent / "published.rst").read_text().split("   * - ")
    ours = pd.concat([pd.read_csv(table, index_col="figure")["ours"] for table in (DOCUMENT, LONG)])
    files = sorted(EXPERIMENTS.glob("*.params"))
    assert len(files) >= 11
    for file in files:
        about, source, *lines = file.read_text().splitlines()
        figure = figures[file.stem]
        (row,) = (row for row in rows if f"``{file.stem}``" in row)
        assert all(f"{name}={value}" in row for name, value in figure.over.items()), f"{file.stem}: what it is over"
        assert f"\n     - {ours[file.stem]}\n" in row, f"{file.stem} of doc/published.rst"
        assert (about, source) == (f"# {figure.about}", f"# {figure.source}")
        assert dict(line.split("=", 1) for line in lines) == {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in {**validate._BASE, **figure.parameters}.items()
        }


def test_a_value_is_a_formula_of_numbers():
    assert validate.calculate("10e9*1428/1538") == pytest.approx(9.2848e9, rel=1e-4)
    with pytest.raises(UsageError, match="no formula"):
        validate.calculate("__import__('os')")


@pytest.mark.parametrize(
    ("relation", "ours", "error"),
    [("=", 1.1, 0.1), ("=", 0.9, -0.1), (">=", 1.1, 0), (">=", 0.9, -0.1), ("<=", 1.1, 0.1), ("<=", 0.9, 0)],
)
def test_a_limit_is_kept_on_one_side(relation, ours, error):
    figure = validate.Figure(**{**FIGURE, "name": "x", "parameters": {}, "value": 1.0, "relation": relation})
    assert figure.error(ours) == pytest.approx(error)


def test_each_figure_meets_its_own_run(fake, monkeypatch):
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    figures = [
        validate.Figure(**{**FIGURE, "name": "good", "parameters": {"loss": "0"}, "value": 1e9}),
        validate.Figure(**{**FIGURE, "name": "far", "parameters": {"loss": "0.05"}, "value": 1e9}),
        validate.Figure(**{**FIGURE, "name": "limit", "parameters": {"loss": "0"}, "value": 0.9e9, "relation": ">="}),
        validate.Figure(**{**FIGURE, "name": "broken", "parameters": {"loss": "0.1"}, "value": 1e9}),
    ]
    planned = plan([{"topology": "dumbbell", **figure.parameters} for figure in figures], 2)
    rows = [
        {"key": run.key, "status": "error" if run.params["loss"] == 0.1 else "ok",
         "goodput": 1e9 - 1e10 * run.params["loss"] + 1e3 * run.params["run"]}
        for run in planned
    ]  # fmt: skip
    table = validate.compare(figures, planned, pd.DataFrame(rows)).set_index("figure")
    assert table["runs"].tolist() == [2, 2, 2, 0]
    assert table["within"].tolist() == [True, False, True, False]
    assert table.at["far", "error [%]"] == pytest.approx(-50, rel=1e-3) and table.at["limit", "error [%]"] == 0
    text = "\n".join(validate.lines(table.reset_index()))
    assert "2 of 4 figures are within their bounds" in text
    assert "OUTSIDE" in text and "failed" in text and "a page" in text


def test_a_ratio_is_of_two_runs_with_one_number(fake, monkeypatch):
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    figure = validate.Figure(
        **{**FIGURE, "name": "x", "parameters": {"loss": "0.05"}, "over": {"loss": "0"}, "value": 3.0, "unit": "ratio"}
    )
    planned = plan([{"topology": "dumbbell", "loss": loss} for loss in ("0.05", "0")], 3)
    rows = [
        {"key": run.key, "status": "error" if run.params == planned[-1].params else "ok",
         "goodput": run.params["run"] * (3e9 if run.params["loss"] else 1e9)}
        for run in planned
    ]  # fmt: skip
    (row,) = validate.compare([figure], planned, pd.DataFrame(rows)).to_dict("records")
    assert (row["ours"], row["runs"], row["within"], row["over"]) == (3.0, 2, True, "loss=0")


def test_a_known_failure_is_shown_as_one_and_has_to_be_one(fake, monkeypatch):
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    figures = [
        validate.Figure(**{**FIGURE, "name": name, "parameters": {"loss": loss}, "value": 1e9, "known": known})
        for name, loss, known in (("far", "0.05", "another machine"), ("mended", "0", "once it was"))
    ]
    planned = plan([{"topology": "dumbbell", **figure.parameters} for figure in figures], 1)
    rows = [{"key": run.key, "status": "ok", "goodput": 1e9 - 1e10 * run.params["loss"]} for run in planned]
    table = validate.compare(figures, planned, pd.DataFrame(rows))
    assert table["within"].tolist() == [False, True]
    said = validate.in_short(table)
    assert "far is not: another machine." in said and any(s.startswith("mended is within its bound") for s in said)
    assert validate.readable(table)["within"].tolist() == ["no: another machine", "yes"]


def test_a_figure_that_was_not_asked_for_has_no_row(fake, monkeypatch):
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    figures = [
        validate.Figure(**{**FIGURE, "name": name, "parameters": {"loss": loss}, "value": 1e9})
        for name, loss in (("asked", "0"), ("not", "0.1"))
    ]
    planned = plan([{"topology": "dumbbell", "loss": "0"}], 1)
    table = validate.compare(figures, planned, pd.DataFrame([{"key": planned[0].key, "status": "ok", "goodput": 1e9}]))
    assert table["figure"].tolist() == ["asked"]
    assert not any("were fitted to" in sentence for sentence in validate.in_short(table))


def test_the_long_list_is_that_of_its_documented_table():
    table = pd.read_csv(LONG, index_col="figure")
    figures = {figure.name: figure for figure in validate.listed("full")[len(validate.read()):]}
    assert table.index.tolist() == list(figures)
    for name, row in table.iterrows():
        assert row["within"].startswith("no: " if figures[name].known else "yes"), name


def test_no_bound_is_so_wide_that_it_cannot_fail():
    for figure in validate.listed("full"):
        assert figure.bound <= 0.25, figure.name
        assert not figure.known or figure.kind == "measured"


def test_the_file_holds_numbers_with_their_units(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    figures = [
        validate.Figure(**{**FIGURE, "name": "x", "parameters": {"loss": loss}, "value": 1e9}) for loss in ("0", "0.1")
    ]
    planned = plan([{"topology": "dumbbell", "loss": loss} for loss in ("0", "0.1")], 1)
    frame = pd.DataFrame([{"key": planned[0].key, "status": "ok", "goodput": 1.05e9}])
    validate.compare(figures, planned, frame).to_csv(tmp_path / "validate.csv", index=False)
    table = pd.read_csv(tmp_path / "validate.csv")
    assert all(pd.api.types.is_numeric_dtype(table[name]) for name in NUMBERS)
    assert table["published"].tolist() == [1e9, 1e9] and table["unit"].tolist() == ["bit/s", "bit/s"]
    assert table["error [%]"].tolist()[0] == pytest.approx(5) and table["bound [%]"].tolist() == [2, 2]
    assert table["within"].tolist() == [False, False] and math.isnan(table["ours"][1])


def rates_of(out):
    """Return the rates of READs that a study in its directory found, as texts; no more than what bounds them."""
    planned = plan([{name: values[0] for name, values in grid.items()} for grid in reads.grids()], 1)
    measured = reads.measure(planned, pd.read_parquet(out / "runs.parquet"))
    assert len(measured) == len(reads.PAIRS) * len(reads.settings())
    for row in measured.to_dict("records"):
        fetch = 500e-9 + 8 * (24 + 375 + 24) / 57.88e9  # s: a request, and a context with its header, over the bus
        missed = max(0, 1 - row[reads.ENTRIES] / row["perf_qp"])  # of a READ, in each RNIC, once at least
        scheduled = 1 / 100e-9  # segments a second
        assert row["rate"] <= min(scheduled, row[reads.FETCHES] / (missed * fetch) if missed else math.inf)
    return reads.tabulate(measured).rows.astype(str)


def test_the_simulator_is_within_all_bounds(tmp_path, capfd):
    code = main(["study", "validate", "--out", str(tmp_path), "--json"])
    out, err = capfd.readouterr()
    result = json.loads(out)
    assert result["outside"] == [] and result["failed"] == 0, "\n".join(result["lines"])
    assert code == 0, err
    table = pd.read_csv(tmp_path / "validate.csv", keep_default_na=False, na_values={"ours": "", "ours ±": ""})
    assert table["figure"].tolist() == [figure.name for figure in validate.read()]
    assert all(pd.api.types.is_numeric_dtype(table[name]) for name in NUMBERS)
    readable = validate.readable(table)
    readable.to_csv(tmp_path / DOCUMENT.name, index=False)
    documented = pd.read_csv(DOCUMENT, keep_default_na=False)
    assert documented.to_dict("records") == readable.to_dict("records"), (
        f"copy {tmp_path / DOCUMENT.name} to {DOCUMENT}"
    )
    rates = rates_of(tmp_path)
    rates.to_csv(tmp_path / RATES.name, index=False)
    stated = pd.read_csv(RATES, dtype=str).to_dict("records")
    assert stated == rates.to_dict("records"), f"copy {tmp_path / RATES.name} to {RATES}"
    page = html.unescape((tmp_path / "report.html").read_text())
    assert reads.TITLE in page and all(sentence in page for sentence in reads.BASIS)
    assert all(figure.name in page and figure.source in page for figure in validate.read())
    assert (tmp_path / "validate.svg").stat().st_size > 10_000 and (tmp_path / "validate.pdf").exists()
    saved = json.loads((tmp_path / "study.json").read_text())
    assert saved["state"] == "done" and studies.get("validate").name == saved["study"]
