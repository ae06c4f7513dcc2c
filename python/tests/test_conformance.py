# SPDX-License-Identifier: GPL-2.0-only
"""Requirements against the record of what the tests have checked."""

import json
from pathlib import Path

import pytest
from iwarp.commands.test import read_report
from iwarp.development import conformance, requirement_record
from iwarp.errors import IwarpError


@pytest.fixture
def clone(tmp_path):
    """A repository with three requirements, one tested and one out of scope."""
    folder = tmp_path / "doc" / "requirements"
    folder.mkdir(parents=True)
    head = "id,section,level,who,requirement,observable\n"
    for name in conformance.CATALOGUES:
        (folder / f"{name}.csv").write_text(head)
    (folder / "mpa.csv").write_text(
        head + "MPA-1-01,1,MUST,both,one,see\nMPA-1-02,1,MUST NOT,both,two,see\nMPA-1-03,1,MAY,both,three *,see\n"
    )
    (folder / "out-of-scope.csv").write_text("id,reason\nMPA-1-02,no such thing\n")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "a-test-suite.cc").write_text("// MPA-1-03 is only mentioned\n")
    (tmp_path / "build").mkdir()
    record(tmp_path, {"a": line(tmp_path, "MPA-1-01")})
    return tmp_path


def line(clone, ids, number=7):
    """What a test prints beside its check, between other lines."""
    place = f"{clone}/test/a-test-suite.cc:{number}"
    return f"PASS a\n\nCOVERS {ids} | {place} | Markers (one | cut)\nPASS b\n"


def record(clone, outputs, whole=True):
    """Keep the record of tests that passed with this output."""
    entries = {test: requirement_record.entry(output, clone) for test, output in outputs.items()}
    requirement_record.update(clone / "build" / requirement_record.NAME, entries, whole)


def covered(clone):
    return {row.id: [str(c) for c in row.checks] for row in conformance.collect(clone) if row.state == "tested"}


def test_counts_by_level_and_state(clone):
    rows = conformance.collect(clone)
    assert [r.state for r in rows] == ["tested", "out_of_scope", "untested"]
    assert [str(check) for check in rows[0].checks] == ["a: Markers (one | cut) (test/a-test-suite.cc:7)"]
    assert list(conformance.summary(rows).items()) == [
        ("MUST", {"rows": 1, "tested": 1, "out_of_scope": 0, "untested": 0}),
        ("MUST NOT", {"rows": 1, "tested": 0, "out_of_scope": 1, "untested": 0}),
        ("MUST and MUST NOT", {"rows": 2, "tested": 1, "out_of_scope": 1, "untested": 0}),
        ("MAY", {"rows": 1, "tested": 0, "out_of_scope": 0, "untested": 1}),
    ]
    page = conformance.to_rst(rows)
    assert "a: Markers (one \\| cut) (a-test-suite.cc:7)" in page and "no such thing" in page and "three \\*" in page


def test_without_a_record_it_says_what_to_run(clone):
    (clone / "build" / requirement_record.NAME).unlink()
    with pytest.raises(IwarpError, match="`./iwarp test`"):
        conformance.collect(clone)


def test_a_record_of_other_sources_is_an_error(clone):
    (clone / "test" / "a-test-suite.cc").write_text("// the check went away\n")
    with pytest.raises(IwarpError, match=r"a-test-suite.cc .*`./iwarp test -R '\^a\$'`"):
        conformance.collect(clone)


def test_an_id_that_no_catalogue_has_is_an_error_with_its_place(clone):
    record(clone, {"a": line(clone, "MPA-1-01 MPA-1-07")})
    with pytest.raises(IwarpError, match="MPA-1-07.*test/a-test-suite.cc:7"):
        conformance.collect(clone)
    (clone / "doc" / "requirements" / "out-of-scope.csv").write_text("id,reason\nMPA-9-99,none\n")
    with pytest.raises(IwarpError, match="MPA-9-99.*out-of-scope.csv"):
        conformance.collect(clone)


def test_a_row_both_covered_and_out_of_scope_is_an_error(clone):
    record(clone, {"a": line(clone, "MPA-1-02")})
    with pytest.raises(IwarpError, match="MPA-1-02 is out of scope .*test/a-test-suite.cc:7"):
        conformance.collect(clone)


def test_a_run_of_some_tests_replaces_their_entries_only(clone):
    record(clone, {"a": line(clone, "MPA-1-01"), "b": line(clone, "MPA-1-03")})
    record(clone, {"b": ""}, whole=False)
    assert list(covered(clone)) == ["MPA-1-01"]
    record(clone, {"b": line(clone, "MPA-1-03 MPA-1-01", 9)}, whole=False)
    assert covered(clone) == {
        "MPA-1-01": [
            "a: Markers (one | cut) (test/a-test-suite.cc:7)",
            "b: Markers (one | cut) (test/a-test-suite.cc:9)",
        ],
        "MPA-1-03": ["b: Markers (one | cut) (test/a-test-suite.cc:9)"],
    }
    record(clone, {"b": line(clone, "MPA-1-03")})
    assert list(covered(clone)) == ["MPA-1-03"]


def test_a_file_that_is_named_from_the_build_directory_is_found(clone):
    record(clone, {"a": line(Path("../.."), "MPA-1-01")})
    assert covered(clone) == {"MPA-1-01": ["a: Markers (one | cut) (test/a-test-suite.cc:7)"]}


def test_only_tests_that_passed_are_recorded(clone):
    text = line(clone, "MPA-1-01").replace("<", "&lt;")
    cases = "".join(
        f'<testcase name="{status}" status="{status}"><system-out>{text}</system-out></testcase>'
        for status in ("run", "fail", "notrun", "disabled")
    )
    report = clone / "report.xml"
    report.write_text(f"<testsuite>{cases}</testsuite>")
    counts = read_report(report, clone / "build" / requirement_record.NAME, whole=True)
    assert counts == {"passed": 1, "failed": 1, "skipped": 2}
    assert list(json.loads((clone / "build" / requirement_record.NAME).read_text())) == ["run"]


def test_the_repository_has_catalogues_with_reasons_for_what_is_left_out():
    reasons, rows = conformance.catalogues()
    assert len(rows) > 700
    assert all(reasons.values())
    assert {row["level"] for row in rows.values()} <= set(conformance.LEVELS)


def test_a_python_test_records_what_it_covers(covers, capsys):
    assert requirement_record.LINE.pattern
    covers("MPA-4.2-06")
    found = requirement_record.LINE.findall(capsys.readouterr().out)
    assert [(ids, case) for ids, _, _, case in found] == [("MPA-4.2-06", "test_a_python_test_records_what_it_covers")]
