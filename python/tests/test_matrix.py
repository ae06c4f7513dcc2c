# SPDX-License-Identifier: GPL-2.0-only
"""`./iwarp matrix`: its cells, how they end, and the tables."""

import csv
import json
import re
from pathlib import Path

import pytest
from iwarp.cli import main
from iwarp.development import matrix
from iwarp.development.matrix import Cell, Step
from iwarp.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]


def test_each_cell_has_a_name_of_its_own_and_commands_that_are_there(tmp_path):
    found = matrix.cells([tmp_path])
    names = [cell.name for cell in found]
    assert len(set(names)) == len(names) and f"tree-{tmp_path.name}" in names
    assert {name.split("-")[1] for name in names if name.startswith("parse-")} == set(matrix.WHEELS)
    for cell in found:
        assert cell.about and cell.steps
        for step in cell.steps:
            assert not step.words[0].startswith(".ci/") or (ROOT / step.words[0]).exists()
    written = "".join(path.read_text() for path in (ROOT / "test").rglob("*.cc"))
    assert len(matrix.SUITES) == 10 and all(re.search(f'"{suite}"', written) for suite in matrix.SUITES)


def test_the_table_of_the_documentation_has_cells_that_there_are():
    with (ROOT / "doc" / "tables" / "matrix.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = {row["cell"] for row in rows}
    trees = [Path(name.removeprefix("tree-")) for name in names if name.startswith("tree-")]
    assert names and names <= {cell.name for cell in matrix.cells(trees)}


def test_names_choose_and_a_hyphen_chooses_many():
    known = matrix.cells()
    assert [cell.name for cell in matrix.choose(["parse-3.43-clang-"], known)] == [
        "parse-3.43-clang-c++20", "parse-3.43-clang-c++23",
    ]  # fmt: skip
    assert [cell.name for cell in matrix.choose(["cppcheck", "cppcheck"], known)] == ["cppcheck"]
    with pytest.raises(UsageError, match='did you mean "valgrind"'):
        matrix.choose(["valgrin"], known)


@pytest.fixture
def three(monkeypatch):
    """Cells that pass, fail at the second of three commands, and lack their tool."""
    found = [
        Cell("good", "says|so", "sh", [Step(["sh", "-c", "echo $WHAT; echo"], {"WHAT": "3 passed"})]),
        Cell("bad", "fails", "sh", [Step(["sh", "-c", f"echo {n}; exit {n - 1}"]) for n in (1, 2, 3)]),
        Cell("gone", "lacks", "no-such-tool", [Step(["no-such-tool"])]),
    ]
    monkeypatch.setattr(matrix, "cells", lambda *given: found)


def test_cells_run_one_after_the_other_into_tables(three, tmp_path, capsys):
    assert main(["matrix", "good", "gone", "--out", str(tmp_path)]) == 0
    assert "| good | says\\|so | passed |" in capsys.readouterr().out
    assert main(["matrix", "good", "bad", "gone", "--json", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert [(cell["state"], cell["said"]) for cell in json.loads(out)] == [
        ("passed", "3 passed"), ("failed", "2"), ("not available", "there is no no-such-tool"),
    ]  # fmt: skip
    assert "failed: bad" in err
    log = (tmp_path / "bad.log").read_text()
    assert "exit 1" in log and "exit 2" not in log
    with (tmp_path / "matrix.csv").open() as file:
        assert [row["result"] for row in csv.DictReader(file)] == ["passed", "failed", "not available"]
    assert "   * - good\n     - says|so\n" in (tmp_path / "matrix.rst").read_text()


def test_all_cells_have_to_be_asked_for(capsys):
    assert main(["matrix"]) == 2
    assert "--list" in capsys.readouterr().err
    assert main(["matrix", "--list"]) == 0
    assert "valgrind" in capsys.readouterr().out
