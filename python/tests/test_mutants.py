# SPDX-License-Identifier: GPL-2.0-only
"""Mutants: how faults are written down, put beside the truth, made by rules and judged."""

import subprocess
import time

import pytest
from iwarp.development import mutant_judge, mutant_operators, mutant_python, mutant_sources, mutants, slow_tests
from iwarp.errors import IwarpError

SOURCE = """\
int
F(int a, int b)
{
    if (a > b && b > 0)
    {
        a -= b;
    }
    return a > b ? a
                 : b + 1;
}
"""


def made(old, new, context="", name="x-1"):
    """A mutant of the source above."""
    return mutants.Mutant(name, "x", "f.cc", "a fault", old, new, context)


def switched(*chosen):
    """The source above with a switch for each of them, numbered from 0 on."""
    sites = [mutants.place(mutant, SOURCE) for mutant in chosen]
    return mutants.switched(SOURCE, sites, {mutant.name: number for number, mutant in enumerate(chosen)})


def test_all_mutants_of_the_repository_apply():
    every = mutants.load()
    assert len(every) >= 250
    sites = mutants.check(every)
    assert sum(map(len, sites.values())) == len(every)
    assert all(mutant.name.rsplit("-", 1)[0] == mutant.room for mutant in every)


def test_a_room_is_a_file_of_mutants():
    text = """\
# a remark
@ model/a.cc
x-1 the first
- a > b
+ a >= b

x-2 the second
^ void F()
- f(a,
- b);
+
= nobody calls it

x-3 the third
- g();
+ h();
! no test yet
"""
    first, second, third = mutants.parse(text, "x")
    assert first == mutants.Mutant("x-1", "x", "model/a.cc", "the first", "a > b", "a >= b")
    assert (second.old, second.new, second.context) == ("f(a,\nb);", "", "void F()")
    assert third.known == "no test yet" and mutant_judge.Verdict(third, "", 3, 1.0).state == "survives"
    assert second.explained == "nobody calls it" and second.is_statement and not first.is_statement


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- a\n", "test/mutants/x.txt:1: no mutant"),
        ("x-1 has no source\n", "neither a mutant"),
        ("@ a.cc\nx-1 changes nothing\n- a\n+ a\n", "x-1 changes nothing"),
        ("@ a.cc\nx-1 is half a statement\n- a;\n+ a\n", "x-1 replaces a statement"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(text, complaint):
    with pytest.raises(IwarpError, match=complaint):
        mutants.parse(text, "x")


def test_a_mutant_that_no_longer_applies_is_told(tmp_path):
    (tmp_path / "f.cc").write_text(SOURCE)
    chosen = [made("a > c", "a < c"), made("a > b", "a < b", name="x-2"), made("b > 0", "b", name="x-3")]
    with pytest.raises(IwarpError) as error:
        mutants.check([*chosen, mutants.Mutant("x-4", "x", "g.cc", "", "a", "b")], tmp_path)
    assert str(error.value).splitlines() == [
        "mutant x-1 no longer applies: f.cc says no more: a > c",
        "mutant x-2 no longer applies: f.cc says 2 times: a > b",
        "mutant x-4 no longer applies: there is no g.cc",
    ]


def test_ends_of_lines_count_as_blanks_and_a_context_tells_places_apart():
    assert mutants.place(made("a > b ? a : b + 1", "b"), SOURCE).line == 8
    assert mutants.place(made("a > b", "b", context="return"), SOURCE).line == 8
    with pytest.raises(IwarpError, match="does not say"):
        mutants.place(made("a -= b;", "", context="return"), SOURCE)


def test_an_expression_has_to_bind_as_it_stands():
    with pytest.raises(IwarpError, match="no whole expression"):
        mutants.place(made("b + 1", "b - 1"), SOURCE.replace(": b + 1", "* b + 1"))


@pytest.mark.parametrize("old", ["a : b + 1;", "> b && b > 0) { a -= b; }"])
def test_a_statement_is_a_whole_one(old):
    with pytest.raises(IwarpError, match="x-1: .* is no whole statement"):
        mutants.place(made(old, "return b;"), SOURCE.replace("\n                 :", " :"))


def test_faults_stand_beside_the_truth_nested_and_side_by_side():
    text = switched(made("a > b && b > 0", "a > b"), made("b > 0", "true", name="x-2"),
                    made("b > 0", "b < 0", name="x-3"), made("a -= b;", "", name="x-4"))  # fmt: skip
    inner = "(IwarpMutant(2) ? (b < 0) : ((IwarpMutant(1) ? (true) : (b > 0))))"
    assert f"if ((IwarpMutant(0) ? (a > b) : (a > b && {inner})))" in text
    assert "{ if (IwarpMutant(3)) {  } else { a -= b; } }" in text


@pytest.mark.parametrize(("old", "new"), [("!found", "found"), ("found", "!(found)")])
def test_a_condition_that_is_no_bool_is_turned(old, new, tmp_path):
    text = f"bool f(const std::optional<int>& found)\n{{\n    if ({old})\n        return true;\n    return false;\n}}\n"
    change = mutants.switched(text, [mutants.place(made(old, new, "if ("), text)], {"x-1": 0})
    source = tmp_path / "turned.cc"
    source.write_text("#include <optional>\nint on = -1;\nbool IwarpMutant(int number) { return number == on; }\n"
                      f"{change}int main()\n{{\n    const bool truth = f(7);\n    on = 0;\n"
                      "    return f(7) == !truth && f({}) == truth ? 0 : 1;\n}\n")  # fmt: skip
    subprocess.run(["g++", "-std=c++17", "-o", tmp_path / "turned", source], check=True)
    subprocess.run([tmp_path / "turned"], check=True)


def test_faults_that_overlap_are_told():
    sites = [mutants.Site(made("", ""), 20, 50, 4), mutants.Site(made("", "", name="x-2"), 40, 60, 4)]
    with pytest.raises(IwarpError, match=r"mutants x-1 and x-2 overlap at f\.cc:4"):
        mutants.switched(SOURCE, sites, {})


def test_a_build_keeps_the_numbers_of_its_mutants(tmp_path):
    (tmp_path / "numbers.json").write_text('{"x-1": 2, "x-9": 1}')
    chosen = [made("a", "b"), made("b", "a", name="x-2"), made("b", "c", name="x-3")]
    numbers = mutant_sources.number(chosen, tmp_path)
    assert numbers == {"x-1": 2, "x-2": 0, "x-3": 1} and mutant_sources.count(numbers) == 1024


def test_rules_make_the_same_mutants_of_a_seed_and_all_apply():
    every = mutants.load()
    first = mutant_operators.generate(40, 7, every)
    assert len(first) == 40 and first == mutant_operators.generate(40, 7, every)
    assert {mutant.old for mutant in first} != {mutant.old for mutant in mutant_operators.generate(40, 8, every)}
    mutants.check([*every, *first])


def test_a_seed_draws_the_same_where_other_lines_have_changed(monkeypatch):
    def drawn():
        return {(mutant.path, mutant.old, mutant.new) for mutant in mutant_operators.generate(40, 7, [])}

    first, changes = drawn(), mutant_operators._changes
    monkeypatch.setattr(mutant_operators, "_changes", lambda text: changes(text)[1:])
    assert len(first) == 40 and 30 <= len(first & drawn()) < 40


def test_rules_turn_relations_conditions_and_statements():
    changes = {(old, new) for old, new, _ in mutant_operators._changes(SOURCE)}
    assert ("b > 0", "!(0 > b)") in changes and ("a > b && b > 0", "a > b || b > 0") in changes
    assert not list(mutant_operators._changes(SOURCE.replace("int\nF", "constexpr int\nF")))
    getter = "{kind}\nGet()\n{{\n    return m_found;\n}}\n"  # what is no truth has no opposite
    assert not list(mutant_operators._changes(getter.format(kind="Line&")))
    assert [new for _, new, _ in mutant_operators._changes(getter.format(kind="bool"))] == ["!(m_found)"]


def test_a_mutant_meets_suites_that_pass_it_the_quickest_first():
    met = []

    class Tests:
        def run(self, name, limit, **variables):
            met.append((name, limit, variables))
            return name != "slow", 2.0

    suites = [mutant_judge.Suite(name, seconds, frozenset(passed))
              for name, seconds, passed in (("quick", 1, {0, 1}), ("other", 2, {0}), ("slow", 3, {1}))]  # fmt: skip
    verdicts = mutant_judge.judge_all([made("b", "a", name="x-2")], {"x-2": 1}, suites, Tests(), 1, print)
    assert met == [("quick", 20, {"IWARP_MUTANT": "1"}), ("slow", 40, {"IWARP_MUTANT": "1"})]
    assert [(v.suite, v.tried, v.seconds, v.state) for v in verdicts] == [("slow", 2, 4.0, "noticed")]


def test_an_interrupted_judge_begins_nothing_more():
    met = []

    class Tests:
        def run(self, name, limit, **variables):
            met.append(name)
            time.sleep(0.01)
            return True, 0.01

    def tell(text):
        raise KeyboardInterrupt

    many = [made("b", "a", name=f"x-{number}") for number in range(200)]
    numbers = {mutant.name: number for number, mutant in enumerate(many)}
    suites = [mutant_judge.Suite(name, 1, frozenset(range(200))) for name in "abcd"]
    with pytest.raises(KeyboardInterrupt):
        mutant_judge.judge_all(many, numbers, suites, Tests(), 2, tell)
    assert 4 <= len(met) < 200


def test_what_no_suite_notices_survives_unless_it_is_explained():
    silent = made("a", "b")
    assert mutant_judge.Verdict(silent, "", 3, 1.0).state == "survives"
    explained = mutants.Mutant("x-1", "x", "f.cc", "", "a", "b", explained="equal")
    assert mutant_judge.Verdict(explained, "", 3, 1.0).state == "explained"


@pytest.mark.parametrize(("body", "passes"), [("exit 0", True), ("exit 1", False), ("kill -SEGV $$", False),
                                              ("while :; do :; done", False), ("sleep 60", False)])  # fmt: skip
def test_crashes_and_loops_count_as_noticed(monkeypatch, tmp_path, body, passes):
    runner = tmp_path / "runner"
    runner.write_text(f"#!/bin/sh\n{body}\n")
    runner.chmod(0o755)
    monkeypatch.setattr(mutant_judge, "RUNNER", runner)
    monkeypatch.setattr(mutant_judge, "WAIT", 1)
    (tmp_path / "libiwarp.so").touch()
    passed, seconds = mutant_judge.Suites(tmp_path).run("any", 0.5)
    assert passed == passes and seconds < 10


def test_the_command_lists_mutants_with_numbers_and_places(real_cli):
    code, out, _ = real_cli("mutants", "--list", "--room", "mpa")
    assert code == 0 and "mpa-01" in out and "model/mpa/mpa-fpdu.cc:" in out and "ddp-01" not in out
    code, _, err = real_cli("mutants", "--list", "--id", "mpa-0")
    assert code == 2 and "there is no mutant mpa-0" in err
    code, _, err = real_cli("mutants", "--list", "--room", "cellar")
    assert code == 2 and "choose from app, ddp, " in err


def test_a_quick_test_leaves_out_what_there_is(real_cli):
    left_out = slow_tests.load()
    assert len(set(left_out)) == len(left_out)
    suites = set(mutant_judge.Suites.list())
    root = mutants.ROOT
    scripts = {path.stem for path in (root / "test").glob("*.*")}
    modules = [path.stem.removeprefix("test_") for path in (root / "python" / "tests").glob("test_*.py")]
    python = {f"python-{name.replace('_', '-')}" for name in modules}
    fuzz = {name for name in left_out if name.startswith("fuzz-")}
    assert set(left_out) <= suites | scripts | python | fuzz
    code, _, err = real_cli("test", "--quick", "--nightly")
    assert code == 2 and "choose one of them" in err


PYTHON = """\
from __future__ import annotations


def f(a, b):
    \"\"\"Say «what» of a and b.\"\"\"
    return max(a, b + 1) if a > b else -a
"""


def of_python(old, new, name="x-1"):
    """A mutant of the source above."""
    return mutants.Mutant(name, "x", "python/iwarp/f.py", "a fault", old, new)


def test_a_mutant_of_python_is_an_expression():
    chosen = [of_python("max(a, b + 1)", "a"), of_python("b + 1", "b", "x-2"), of_python("a > b", "a >= b", "x-3")]
    sites = [mutants.place(mutant, PYTHON) for mutant in chosen]
    text = mutants.switched(PYTHON, sites, {mutant.name: number for number, mutant in enumerate(chosen)})
    found = {}
    for on in (-1, 0, 1, 2):
        space = {"IwarpMutant": lambda number, on=on: number == on}
        exec(text, space)
        found[on] = [space["f"](3, 3), space["f"](5, 2)]
    assert found == {-1: [-3, 5], 0: [-3, 5], 1: [-3, 5], 2: [4, 5]}
    for old, new, wrong in (
        ("b + 1) if", "b", "whole expression"),
        ("a >", "b >", "whole expression"),
        ("-a", "-", "no expression of Python"),
    ):
        with pytest.raises(IwarpError, match=wrong):
            mutants.place(of_python(old, new), PYTHON)


def test_mutants_of_python_stand_in_a_clone(tmp_path):
    """Whose package alone is a copy; what a test passes is written into a file."""
    every = [mutant for mutant in mutants.load() if mutant.is_of_python]
    assert len(every) >= 60
    numbers = mutant_sources.number(every, tmp_path)
    clone = mutant_python.write(mutants.check(every), numbers, tmp_path / "clone")
    assert (clone / "doc").is_symlink() and not (clone / "python").is_symlink()
    assert "IwarpMutant(" in (clone / "python" / "iwarp" / "analysis" / "stats.py").read_text()
    (clone / "python" / "tests" / "test_one.py").write_text(
        "from iwarp.analysis.stats import holm\n\n\n"
        "def test_one():\n    assert holm([0.01, 0.02]).tolist() == [0.02, 0.02]\n"
    )
    passed = tmp_path / "passed"
    passed.write_bytes(bytes(mutant_sources.count(numbers)))
    tests = mutant_judge.PythonTests(clone)
    assert tests.run("test_one", IWARP_MUTANTS_PASSED=str(passed))[0]
    bonferroni = next(m.name for m in every if m.meaning == "Holm's correction is Bonferroni's")
    assert passed.read_bytes()[numbers[bonferroni]]
    assert not tests.run("test_one", IWARP_MUTANT=str(numbers[bonferroni]))[0]
    quick, every = mutant_python.list_tests(True, clone), mutant_python.list_tests(False, clone)
    assert "test_stats" in quick and "test_primary" not in quick and "test_laws" not in every
    assert set(quick) - {"test_setup"} < set(every)
