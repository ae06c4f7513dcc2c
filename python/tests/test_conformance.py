# SPDX-License-Identifier: GPL-2.0-only
"""The count of requirements that tests name."""

import pytest

from iwarp import conformance
from iwarp.errors import IwarpError

M = "MPA"  # apart, so that the repository's own count does not find these ids


@pytest.fixture
def clone(tmp_path):
    """A repository with three requirements, one tested and one out of scope."""
    folder = tmp_path / "doc" / "requirements"
    folder.mkdir(parents=True)
    head = "id,section,level,who,requirement,observable\n"
    (folder / "mpa.csv").write_text(
        head + f"{M}-1-01,1,MUST,both,one,see\n{M}-1-02,1,MUST,both,two,see\n{M}-1-03,1,MAY,both,three *,see\n"
    )
    for name in ("ddp", "enhanced"):
        (folder / f"{name}.csv").write_text(head)
    (folder / "out-of-scope.csv").write_text(f"id,reason\n{M}-1-02,no such thing\n")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "a-test-suite.cc").write_text(f"// {M}-1-01 holds\n")
    return tmp_path


def test_counts_by_level_and_state(clone):
    rows = conformance.collect(clone)
    assert [r.state for r in rows] == ["tested", "out_of_scope", "untested"]
    assert conformance.summary(rows) == {
        "MUST": {"rows": 2, "tested": 1, "out_of_scope": 1, "untested": 0},
        "MAY": {"rows": 1, "tested": 0, "out_of_scope": 0, "untested": 1},
    }
    page = conformance.to_rst(rows)
    assert "``a-test-suite``" in page and "no such thing" in page and "three \\*" in page


def test_an_id_that_no_catalogue_has_is_an_error(clone):
    (clone / "test" / "a-test-suite.cc").write_text(f"// {M}-1-07\n")
    with pytest.raises(IwarpError, match=f"{M}-1-07"):
        conformance.collect(clone)


def test_the_repository_names_only_requirements_that_exist():
    rows = conformance.collect()
    assert len(rows) > 700
    assert sum(r.state == "tested" for r in rows) > 400
