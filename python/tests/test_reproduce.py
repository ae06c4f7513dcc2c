# SPDX-License-Identifier: GPL-2.0-only
"""`./iwarp reproduce`: what it lists, when a figure agrees, and the page; experiments are those of the next file."""

import csv
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from iwarp.analysis.stats import Estimate
from iwarp.cli import main
from iwarp.errors import IwarpError
from iwarp.reproduction import figures, published, report, subjects, tables
from iwarp.reproduction.experiment import Experiment, mean
from iwarp.reproduction.rows import AGREES, DIFFERS, NOT_RUN
from iwarp.studies import validate
from scipy import stats

DOC = Path(__file__).resolve().parents[2] / "doc"


def test_each_figure_of_the_table_has_one_experiment_an_interval_and_a_page():
    listed = figures.read()
    assert len(listed) >= 80 and all(f.value >= 0 and f.half > 0 for f in listed.values())
    assert {f.experiment for f in listed.values()} == {experiment.name for experiment in subjects.EXPERIMENTS}
    found = subjects.everything()
    assert not [name for name, times in Counter(s.name for s in found).items() if times > 1]
    assert all((DOC / f"{s.page}.rst").exists() and s.stated() for s in found)
    assert {s.kind for s in found} == {"figures", "table", "validation", "picture"}


#: tables that no subject makes again, and why
NOT_MADE = {
    "study-figures": "experiments make its lines again",
    "rnic-profiles": "what is put in: suite rnic-helper compares it",
    "esp-profiles": "what is put in: suite rnic-helper compares it",
    "tcp-profiles": "what is put in: suite rnic-helper compares it",
    "metrics": "what runs report: test_scenario.py compares it",
    "tcp-mends": "a text whose names test/tcp_scripts_test.py looks for",
    "interop": "needs an emulated machine with Linux: ./iwarp interop",
    "matrix": "needs other releases of ns-3 and takes hours: ./iwarp matrix",
}


def test_each_table_has_a_subject_or_a_reason():
    named = {path.stem for path in (DOC / "tables").glob("*.csv")}
    made = {s.name for s in subjects.everything() if s.kind in ("table", "validation")}
    assert named == made | NOT_MADE.keys() and not made & NOT_MADE.keys()


@pytest.fixture
def table(monkeypatch, tmp_path):
    """A table of two lines, of which another seed may have the first otherwise."""
    (tmp_path / "t.csv").write_text('of,number,text\na,"10 s","x, y"\nb,20 s,z\n')
    monkeypatch.setattr(tables, "DIRECTORY", tmp_path)
    return tables.Table("t", "limits", 0.1, 1, lambda seed: [], {"number": lambda old, new: new[-1] == old[-1]})


def test_lines_of_a_table_are_the_same_texts_or_alike(table):
    assert [(r.name, r.about, r.documented, r.verdict) for r in table.stated()] == [
        ("a", "number; text", "10 s; x, y", NOT_RUN), ("b", "number; text", "20 s; z", NOT_RUN)
    ]  # fmt: skip
    new = [{"of": "a", "number": "11 s", "text": "x, y"}, {"of": "b", "number": "20 s", "text": "z"}]
    assert [r.verdict for r in table.compare(new, 1)] == [DIFFERS, AGREES]
    assert [r.verdict for r in table.compare(new, 2)] == [AGREES, AGREES]
    assert table.compare(new, 1)[0].new == "11 s; x, y"
    other = [{**new[0], "text": "y"}, {**new[1], "number": "20 m"}]
    assert [r.verdict for r in table.compare(other, 2)] == [DIFFERS, DIFFERS]


def test_lines_that_a_table_or_its_runs_do_not_have_differ(table):
    rows = table.compare([{"of": "b", "number": "20 s", "text": "z"}, {"of": "c", "number": "1 s", "text": ""}], 1)
    assert {(r.name, r.documented, r.new, r.verdict) for r in rows} == {
        ("b", "20 s; z", "20 s; z", AGREES), ("c", tables.NO_LINE, "1 s; ", DIFFERS),
        ("a", "10 s; x, y", tables.NO_LINE, DIFFERS),
    }  # fmt: skip


def test_cells_of_another_seed_are_near_or_of_one_kind():
    assert tables._near(0.05, "9,945,202 messages/s", "9,885,843 messages/s") and not tables._near(0.05, "1 s", "2 s")
    assert tables._within(3, "-37.8 %", "-38.2 %") and not tables._within(3, "-37.8 %", "37.8 %")
    assert tables._same_kind("1.87, 4, 0", "2.28, 3, 0") and not tables._same_kind("4, 0, 12", "4, 0, 0")


def test_a_program_that_fails_is_told(monkeypatch, tmp_path):
    program = tmp_path / "bench" / "rnic-figures"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("IWARP_BUILD", str(tmp_path))
    with pytest.raises(IwarpError, match="no memory"):
        tables._printed("waits", 1)


def test_two_samples_may_be_further_apart_than_an_interval_is_wide():
    """Of two samples of 6 runs with one spread s the difference is sqrt(2/6) s times Student's t with 10 degrees."""
    spread = 2.0
    half = stats.t.ppf(0.975, 5) * spread / math.sqrt(6)
    figure = figures.Figure("f", "", 10.0, half, "s", 6, "e")
    assert figure.allowed(1) == half
    assert figure.allowed(2) == pytest.approx(stats.t.ppf(0.995, 10) * spread * math.sqrt(2 / 6))
    assert figure.met_by(10 + half, 1) and not figure.met_by(10 + 1.01 * half, 1)


def test_names_and_options_choose(monkeypatch):
    quick, full = ([s.name for s in subjects.choose((), full, 1)] for full in (False, True))
    assert set(quick) < set(full) == {s.name for s in subjects.everything()}
    assert [s.name for s in subjects.choose(("window", "window"), False, 1)] == ["window"]
    assert "concept-esp" in quick and "concept-esp" not in [s.name for s in subjects.choose((), True, 2)]


@pytest.fixture
def one(monkeypatch):
    """An experiment of two figures of which one is another now, and a claim that holds."""
    listed = {f"f{n}": figures.Figure(f"f{n}", f"what {n} is", 10.0, 0.5, "s", 3, "e") for n in (1, 2)}
    monkeypatch.setattr(figures, "read", lambda: listed)

    def measure(sweep):
        holds = np.bool_(sweep.seed < 7)
        return {"f1": Estimate(10.4, 0.2, 3), "f2": Estimate(11.0 - sweep.seed / 10, 0.2, 3), "it <holds>": holds}

    (subject,) = [subjects._of_experiment(Experiment("e", "limits", 0.1, measure))]
    monkeypatch.setattr(subjects, "everything", lambda: [subject])
    monkeypatch.setattr(report, "everything", lambda: [subject])
    monkeypatch.setattr(report, "provenance", lambda: {"iwarp": "0.1.0"})
    return subject


def test_the_page_holds_both_values_beside_each_other(one, tmp_path, capsys):
    assert main(["reproduce", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "2 agrees, 1 differs, 0 not run" in out and "differs: f2" in err
    page = (tmp_path / "index.html").read_text()
    assert "10 ± 0.5 s" in page and "10.9 ± 0.2 s" in page and "<b>differs</b>" in page and "it &lt;holds&gt;" in page
    with (tmp_path / "reproduce.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == [AGREES, DIFFERS, AGREES]
    saved = json.loads((tmp_path / "reproduce.json").read_text())
    assert saved["differs"] == 1 and saved["rows"][0]["new"] == 10.4 and saved["rows"][2]["allowed"] is None
    assert main(["reproduce", "--seed", "5", "--out", str(tmp_path)]) == 0  # as two samples both may be 0.5 apart
    assert main(["reproduce", "--seed", "7", "--out", str(tmp_path)]) == 1  # the claim does not hold
    capsys.readouterr()
    assert main(["reproduce", "--seed", "5", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "index.html").read_text()
    assert page.count("<code>./iwarp reproduce e --seed=5</code>") == 3  # what repeats each row
    assert "<pre>./iwarp reproduce --seed=5</pre>" in page


def test_what_is_not_made_is_not_run(one, tmp_path):
    assert report.counts(report.write([], 1, "./iwarp reproduce", tmp_path)) == {AGREES: 0, DIFFERS: 0, NOT_RUN: 2}


def test_an_experiment_that_fails_differs(one, tmp_path):
    def fail(rows, seed, directory):
        raise IwarpError("2 of 3 runs failed: no memory")

    failing = subjects.Subject(one.name, one.kind, one.page, one.minutes, True, one.stated, fail)
    rows = report.make(failing, 1, tmp_path)
    assert {row.verdict for row in rows} == {DIFFERS} and "no memory" in rows[0].new


def test_a_mean_is_of_all_runs_or_of_none():
    assert mean([1.0, 3.0], 100).mean == 200
    with pytest.raises(IwarpError, match="1 of 3 runs have no value"):
        mean([1.0, math.nan, 3.0])


def test_a_list_and_names_that_are_none(capsys):
    assert main(["reproduce", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"name", "kind", "page", "command", "cpu_minutes", "quick"} == set(listed[0])
    assert main(["reproduce", "windov"]) == 2
    assert 'did you mean "window"' in capsys.readouterr().err


def test_published_figures_are_made_again_by_as_many_runs_as_their_table_has(fake, monkeypatch):
    """Goodput is 1 Gbit/s less 10 Gbit/s times loss, plus the run in kbit/s: 4 runs have 2.5 kbit/s more on average."""
    monkeypatch.setattr(validate, "_BASE", {"topology": "dumbbell"})
    given = {"about": "", "kind": "measured", "use": "held out", "metric": "goodput", "relation": "=", "bound": 0.02,
             "known": "", "setting": "", "source": "a page", "checked": "page", "unit": "bit/s"}  # fmt: skip
    listed = [
        validate.Figure(name="one", parameters={"loss": "0"}, over={}, value=1e9, **given),
        validate.Figure(name="four", parameters={"loss": "0.05"}, over={}, value=1e9, **given),
        validate.Figure(name="ratio", parameters={"loss": "0.05"}, over={"loss": "0"}, value=0.5, **given),
        validate.Figure(name="other", parameters={"loss": "0.5"}, over={}, value=1, **given),
    ]
    monkeypatch.setattr(validate, "listed", lambda preset: listed)
    monkeypatch.setattr(published, "RUNS", {"four": 4})
    compared = []
    known = validate.compare
    monkeypatch.setattr(validate, "compare", lambda *given: compared.append(known(*given)) or compared[-1])
    for seed in (1, 2):
        found = published.make(["one", "four", "ratio"], seed)
        assert found.index.tolist() == ["one", "ratio", "four"] and set(found["source"]) == {"a page; read on the page"}
        assert [subjects._side(row) for _, row in found.iterrows()] == [True, True, False]
    ours = pd.concat(compared[:2]).set_index("figure")["ours"]
    assert ours["four"] - 0.5e9 == pytest.approx(2500) and ours["one"] - 1e9 == pytest.approx(1000)
