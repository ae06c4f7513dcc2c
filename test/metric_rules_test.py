#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An oracle for each metric: a test that runs something compares each metric that a run may report with a value.

In C++ the name stands in what a test compares, as negative_rules_test.py has it. In Python it stands in an assertion
of a test that runs a scenario, and that no fake stands in for, or in what gives such an assertion its values: a table,
a loop, parameters of the test. What is only said to be absent, not so, or 0 does not count, since nothing could be
just that. Bounds of an interval (``_low``, ``_high``) are asked for with what they are around, and what ``plain_tcp_``
has of links and queues with the same of the flows, since one function reports both.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from negative_rules_test import Tests, read_tests

ROOT = Path(__file__).resolve().parent.parent
RUNS = ("run", "sweep", "study")  #: of the package iwarp
RUN_TOO = ("run_apart", "real_cli")  #: functions and fixtures of the tests
FAKES = ("fake", "cli")  #: fixtures with known answers in place of a run


def asked_for(metric: str, metrics: Collection[str]) -> str:
    """Return the metric that a test has to name for this one."""
    base = re.sub(r"_(low|high)$", "", metric)
    base = base if base in metrics else metric
    flows = base.removeprefix("plain_tcp_")
    return flows if flows in metrics else base


def faults(metrics: Collection[str], named: Collection[str]) -> Iterator[str]:
    """Yield what is wrong, with all metrics and those that tests compare."""
    for metric in sorted({asked_for(metric, metrics) for metric in metrics} - set(named)):
        yield f"{metric}: no test compares it with a value; compute it by hand in one"


def named_in_cpp(tests: Tests) -> Iterator[str]:
    """Yield the names that a file of C++ compares."""
    for m in re.finditer(r'"([a-z][a-z0-9_]*)"', tests.text):
        if tests.has_compared(m.start()):
            yield m[1]


class Module:
    """A file of tests of Python."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self.tables = {name: node.value for node in tree.body if isinstance(node, ast.Assign)
                       for name in names_in(node.targets)}  # fmt: skip
        self.compared: dict[str, set[str]] = {name: set() for name in self.functions}
        for _ in self.functions:  # until those know what they compare that others call
            before = {name: set(words) for name, words in self.compared.items()}
            for name, function in self.functions.items():
                self.compared[name] = self._words(function)
            if self.compared == before:
                break

    def named(self) -> Iterator[str]:
        """Yield the names that tests compare, each of which runs something."""
        for name in self.functions:
            reached = self._reached(name)
            if name.startswith("test_") and self._is_real(reached):
                for one in reached:
                    yield from self._strings(self.functions[one])

    def _reached(self, name: str) -> set[str]:
        """Return the functions that a test calls, and its fixtures."""
        reached = {name}
        while more := {word for one in reached for word in names_in([self.functions[one]])
                       if word in self.functions} - reached:  # fmt: skip
            reached |= more
        return reached

    def _is_real(self, reached: Iterable[str]) -> bool:
        nodes = [node for one in reached for node in ast.walk(self.functions[one])]
        words = {name for one in reached for name in names_in([self.functions[one]])}
        runs = any(isinstance(node, ast.Attribute) and node.attr in RUNS and getattr(node.value, "id", "") == "iwarp"
                   for node in nodes)  # fmt: skip
        return (runs or not words.isdisjoint(RUN_TOO)) and words.isdisjoint(FAKES)

    def _compares(self, function: ast.FunctionDef) -> Iterator[ast.AST]:
        """Yield what assertions of a function compare, and what it gives to others that compare it."""
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                yield from claims(node.test)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.functions:
                given = [argument.arg for argument in self.functions[node.func.id].args.args]
                values = [*zip(given, node.args), *((word.arg, word.value) for word in node.keywords)]
                if not any(is_nothing(value) for _, value in values):
                    yield from (value for name, value in values if name in self.compared[node.func.id])

    def _gives(self, function: ast.FunctionDef) -> Iterator[tuple[set[str], ast.AST]]:
        """Yield words and what gives them values: statements, loops, and parameters of the test."""
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                yield set(names_in(node.targets)), node.value
            elif isinstance(node, (ast.For, ast.comprehension)):
                yield set(names_in([node.target])), node.iter
        for node in function.decorator_list:
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize":
                yield {word for text in strings_in(node.args[0]) for word in re.findall(r"\w+", text)}, node.args[1]

    def _words(self, function: ast.FunctionDef) -> set[str]:
        """Return the words that a function compares."""
        words = set(names_in(self._compares(function)))
        given = list(self._gives(function))
        for _ in given:
            words |= {word for names, value in given if names & words for word in names_in([value])}
        return words

    def _strings(self, function: ast.FunctionDef) -> Iterator[str]:
        """Yield the texts that a function compares."""
        words = self.compared[function.name]
        found = [*self._compares(function), *(value for names, value in self._gives(function) if names & words)]
        found += [table for name, table in self.tables.items() if name in words]
        for node in found:
            yield from strings_in(node)


def claims(test: ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of an assertion that say what something is, not only that it is not, or 0."""
    if isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from claims(one)
    elif isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        groups: list[list[ast.expr]] = [[test.left]]  # of those that are equal
        for op, side in zip(test.ops, test.comparators):
            groups[-1:] = [[*groups[-1], side]] if isinstance(op, ast.Eq) else [groups[-1], [side]]
        for group in groups:
            if len(group) > 1 and not any(map(is_nothing, group)):
                yield from group
        for op, left, right in zip(test.ops, sides, sides[1:]):
            ordered = isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
            if ordered and not is_nothing(left) and not is_nothing(right):
                yield from (left, right)
            elif isinstance(op, ast.In) and not isinstance(left, ast.Constant):
                yield right
    elif not isinstance(test, ast.UnaryOp):
        yield test


def is_nothing(node: ast.AST) -> bool:
    """Say whether this is 0, or none: what tells nothing of a value."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "approx":
        return is_nothing(node.args[0])
    return isinstance(node, ast.Constant) and not node.value


def names_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the words of variables, functions and parameters."""
    for node in (one for node in nodes for one in ast.walk(node)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def strings_in(node: ast.AST) -> Iterator[str]:
    """Yield the texts in a node."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


#: assertions of Python, and the names that they compare, of a, b and c
ASSERTED = (
    ('def test_x():\n    found = iwarp.run()\n    assert found["a"] == found["b"] == 3', "ab"),
    ('def test_x():\n    found = iwarp.run()\n    assert found["a"] == approx(3) and found["b"] > found["c"]', "abc"),
    ('def test_x():\n    a = iwarp.run()["a"]\n    assert a == 3', "a"),
    ('def test_x():\n    for name in ("a", "b"):\n        assert iwarp.run()[name] == 3', "ab"),
    ('T = {"a": 1}\ndef test_x():\n    assert iwarp.run() == T', "a"),
    ('@pytest.mark.parametrize("name", ["a"])\ndef test_x(name):\n    assert iwarp.run()[name] == 3', "a"),
    ('def run():\n    return iwarp.run()\ndef test_x():\n    assert run()["a"] == 3', "a"),
    ('def see(name, is_):\n    assert iwarp.run()[name] == is_\ndef test_x():\n    see("a", 3)', "a"),
    ('def see(name, is_):\n    assert iwarp.run()[name] == is_\ndef test_x():\n    see("a", 0)', ""),
    ('def test_x(real_cli):\n    assert real_cli("run")["a"] == 3', "a"),
    ('def test_x(fake):\n    assert iwarp.run()["a"] == 3', ""),
    ('def test_x():\n    assert table({"a": 3})["b"] == 3', ""),
    ('def see():\n    assert iwarp.run()["a"] == 3', ""),
    ('def test_x():\n    found = iwarp.run()\n    assert found["a"] == found["b"] == 0 < found["c"]', ""),
    ('def test_x():\n    found = iwarp.run()\n    assert "a" not in found and "b" in found and found["c"] > 0', ""),
    ('def test_x():\n    found = iwarp.run()\n    assert not found["a"] and found["b"] != 3', ""),
    ('def test_x():\n    found = iwarp.run(x=["a"])\n    y = found["b"]\n    assert z == 3', ""),
)
#: code of C++, and the same
COMPARED = (
    ('NS_TEST_EXPECT_MSG_EQ_TOL(values.at("a"), 3, 1e-9, "b");', "a"),
    ('for (const auto& [name, is] : Rows{{"a", 3}, {"b", 0}}) { NS_TEST_EXPECT_MSG_EQ(v[name], is, ""); }', "a"),
    ('const double a = v["a"]; NS_TEST_EXPECT_MSG_GT(a, 3, "");', "a"),
    ('auto see = [&](auto a, int is) { NS_TEST_EXPECT_MSG_EQ(v[a], is, ""); }; see("a", 3); see("b", 0);', "a"),
    ('NS_TEST_EXPECT_MSG_EQ(v["a"], 0, ""); NS_TEST_EXPECT_MSG_EQ(v.count("b"), 0U, ""); Set("c");', ""),
)


def faults_of_the_rule() -> Iterator[str]:
    """Yield what the rule takes or refuses wrongly."""
    metrics = ["a", "b_p99", "b_p99_low", "plain_tcp_a", "c_low"]
    for named, count in ((["a", "b_p99", "c_low"], 0), (["a", "b_p99"], 1), (["a", "b_p99_low", "c_low"], 1),
                         (["plain_tcp_a", "b_p99", "c_low"], 1), ([], 3)):  # fmt: skip
        found = list(faults(metrics, named))
        if len(found) != count:
            yield f"the rule finds {found} with {named}"
    for text, names in ASSERTED:
        if (found := {*"abc"} & {*Module(text).named()}) != {*names}:
            yield f"the rule finds {found} in {text!r}"
    for text, names in COMPARED:
        tests = Tests(f'IWARP_TEST(s, "t")\n{{\n    {text}\n}}\n')
        if (found := {*"abc"} & {*named_in_cpp(tests)}) != {*names}:
            yield f"the rule finds {found} in {text!r}"


def main() -> int:
    with open(ROOT / "doc" / "tables" / "metrics.csv") as file:
        metrics = [row[0] for row in csv.reader(file)][1:]
    named = {name for tests in read_tests(ROOT) for name in named_in_cpp(tests)}
    for path in (ROOT / "python" / "tests").glob("test_*.py"):
        named |= set(Module(path.read_text()).named())
    found = [*faults_of_the_rule(), *faults(metrics, named)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
