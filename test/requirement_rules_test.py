#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where tests record that they cover requirements: right behind a check, by ids that a catalogue has in scope.

In C++ the statement right before an IWARP_COVERS is a call that checks (NS_TEST_..., or a function of the test code
that ends in one), or a loop or block that holds such a call; a condition does not count, since it may not hold. In
Python the statement before ``covers`` is an assert, ``pytest.raises``, or a loop or call that holds one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
from iwarp.development import conformance  # noqa: E402

RECORD = "IWARP_COVERS"
CHECK = r"NS_TEST_(?:ASSERT|EXPECT)_\w+"
CALL = re.compile(r"\b(?!(?:if|for|while|switch|catch|DoRun|IWARP_TEST\w*)\b)(\w+)\s*(?:<[\w:]+>)?\(")
BODY = re.compile(r"\)\s*(?:const\s*|override\s*|noexcept\s*)*\{")
LAMBDA = re.compile(r"\b(\w+)\s*=\s*\[[^;{}\]]*\]\s*(?:\((?:[^;{}()]|\([^;{}()]*\))*\))?[^;{}()]*\{")
OPENING = {")": "(", "}": "{", "]": "["}


def blank(text: str) -> str:
    """Replace what comments and literals hold by blanks, so that only code remains, every octet where it was."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![\w'])'(?:\\.|[^'\\\n])'"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)


def begin_of(code: str, end: int) -> int:
    """Return where the bracket opens that closes at ``end``."""
    depth = 0
    for at in range(end, -1, -1):
        depth += (code[at] in OPENING) - (code[at] in "({[")
        if depth == 0:
            return at
    return 0


def end_of(code: str, begin: int) -> int:
    """Return where the bracket closes that opens at ``begin``."""
    depth = 0
    for at in range(begin, len(code)):
        depth += (code[at] in "({[") - (code[at] in OPENING)
        if depth == 0:
            return at
    return len(code) - 1


def statement_before(code: str, at: int) -> tuple[str, str]:
    """Return the head of the statement that ends before ``at``, and its block if it has one."""
    end = len(code[:at].rstrip()) - 1
    block = ""
    if end >= 0 and code[end] == "}":
        begin = begin_of(code, end)
        block, end = code[begin : end + 1], begin - 1
    elif end < 0 or code[end] != ";":
        return "", ""
    at = end if block else end - 1
    while at >= 0 and code[at] not in ";{}":
        at = begin_of(code, at) - 1 if code[at] in OPENING else at - 1
    return code[at + 1 : end + 1].strip(), block


def bodies_in(code: str) -> Iterator[tuple[str, str]]:
    """Yield name and body of each function and named lambda."""
    for m in CALL.finditer(code):
        begin = BODY.match(code, end_of(code, m.end() - 1))
        if begin:
            yield m.group(1), code[begin.end() - 1 : end_of(code, begin.end() - 1) + 1]
    for m in LAMBDA.finditer(code):
        yield m.group(1), code[m.end() - 1 : end_of(code, m.end() - 1) + 1]


def checking_names(bodies: Iterable[tuple[str, str]], known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the known names and those of the functions that check, directly or by what they call."""
    calls = [(name, {m.group(1) for m in CALL.finditer(body)}) for name, body in bodies]
    names = set(known)
    while more := {n for n, called in calls if n not in names and any(is_check(one, names) for one in called)}:
        names |= more
    return frozenset(names)


def is_check(name: str, names: Collection[str]) -> bool:
    """Say whether what is called so checks."""
    return name in names or bool(re.fullmatch(CHECK, name))


def calls_check(code: str, names: Collection[str]) -> bool:
    """Say whether code calls a check; what it only schedules does not count."""
    return any(is_check(m.group(1), names) for m in CALL.finditer(code))


def fault_in(code: str, at: int, names: Collection[str]) -> str:
    """Return what is wrong with the place of a record, if anything is."""
    head, block = statement_before(code, at)
    if re.match(r"(if|else|switch|case)\b", head):
        return "a condition stands before it: record inside"
    if "Schedule" in head or re.search(r"=\s*\[", head):
        return "what stands before it runs later: record inside"
    if re.match(rf"{CHECK}\s*\(\s*(true|false|\d+)\s*,\s*\1\s*,", head):
        return "the check before it compares a literal with itself"
    return "" if calls_check(block or head, names) else "no check stands right before it"


def faults_in_cpp(text: str, shared: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each record in a C++ file; ``shared`` are functions that check for all tests."""
    if RECORD not in text:
        return
    code = blank(text)
    names = checking_names(bodies_in(code), shared)
    for m in re.finditer(rf"\b{RECORD}\(", code):
        fault = fault_in(code, m.start(), names)
        if fault:
            yield text.count("\n", 0, m.start()) + 1, fault


def faults_in_python(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each record in a Python file."""
    tree = ast.parse(text)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    checking = {f.name for f in functions if any(isinstance(n, ast.Assert) for n in ast.walk(f))}
    for node in ast.walk(tree):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            for i, statement in enumerate(block if isinstance(block, list) else []):
                if is_record(statement) and not (i and checks(block[i - 1], checking)):
                    yield statement.lineno, "no check stands right before it"


def is_record(node: ast.AST) -> bool:
    """Say whether a statement is a call of ``covers``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "covers"


def checks(statement: ast.stmt, checking: set[str]) -> bool:
    """Say whether a Python statement is a check or is sure to hold one."""
    if isinstance(statement, ast.If):
        return False
    return any(
        isinstance(node, ast.Assert)
        or isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in checking | {"raises"}
        for node in ast.walk(statement)
    )


def unknown_ids(text: str, known: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each id that is recorded, though no catalogue has it in scope."""
    for m in re.finditer(r"\b(?:IWARP_COVERS|covers)\(((?:\s*\"[^\"]*\")+)", text):
        for found in " ".join(re.findall(r'"([^"]*)"', m.group(1))).split():
            if found not in known:
                yield text.count("\n", 0, m.start()) + 1, f"{found} is in no catalogue, or out of scope"


GOOD = (
    "{ NS_TEST_EXPECT_MSG_EQ(a, b, \"x;\"); // c\n IWARP_COVERS(\"A\"); }",
    "{ for (auto x : {1, 2}) { NS_TEST_ASSERT_MSG_EQ(f(x), x, \"\"); } IWARP_COVERS(\"A\"); }",
    "void Helper(int a) { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); } void f() { g(); Helper(2); IWARP_COVERS(\"A\"); }",
    "{ auto see = [&](int a) { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); }; see(1); IWARP_COVERS(\"A\"); }",
    "void H(F f = [](int&) {}) { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); } void f() { H(); IWARP_COVERS(\"A\"); }",
    "IWARP_TEST(s, \"t, (u)\") { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); IWARP_COVERS(\"A\"); }",
    "struct F { void H() { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); } }; IWARP_TEST(s, t, F) { H(); IWARP_COVERS(\"A\"); }",
)
BAD = (
    "{ IWARP_COVERS(\"A\"); }",
    "{ NS_TEST_EXPECT_MSG_EQ(a, b, \"\"); Simulator::Run(); IWARP_COVERS(\"A\"); }",
    "{ if (a) { NS_TEST_EXPECT_MSG_EQ(a, b, \"\"); } IWARP_COVERS(\"A\"); }",
    "{ // NS_TEST_EXPECT_MSG_EQ(a, b, \"\");\n IWARP_COVERS(\"A\"); }",
    "{ auto see = [&](int a) { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); }; IWARP_COVERS(\"A\"); }",
    "{ Simulator::Schedule(t, [&] { NS_TEST_EXPECT_MSG_EQ(a, 1, \"\"); }); IWARP_COVERS(\"A\"); }",
    "{ NS_TEST_EXPECT_MSG_EQ(true, true, \"\"); IWARP_COVERS(\"A\"); }",
    "{ NS_TEST_EXPECT_MSG_EQ(a, b, \"\"); } void f() { IWARP_COVERS(\"A\"); }",
    "IWARP_TEST(s, \"t\") { NS_TEST_EXPECT_MSG_EQ(a, b, \"\"); } IWARP_TEST(s, \"u\") { IWARP_COVERS(\"A\"); }",
    "IWARP_TEST(s, \"t\") { NS_TEST_EXPECT_MSG_EQ(a, b, \"\"); } IWARP_TEST(s, \"u\") { f(); IWARP_COVERS(\"A\"); }",
)


def main() -> int:
    faults = [f"the rule refuses {text!r}" for text in GOOD if list(faults_in_cpp(text))]
    faults += [f"the rule takes {text!r}" for text in BAD if not list(faults_in_cpp(text))]
    texts = {path: path.read_text() for path in sorted((ROOT / "test").rglob("*.*")) if path.suffix in (".cc", ".h")}
    texts.pop(ROOT / "test" / "iwarp-test.h")
    common = [text for path, text in texts.items() if not path.name.endswith("-test-suite.cc")]
    shared = checking_names(body for text in common for body in bodies_in(blank(text)))
    for path, text in texts.items():
        faults += [f"{path.relative_to(ROOT)}:{line}: {fault}" for line, fault in faults_in_cpp(text, shared)]
    scripts = sorted([*(ROOT / "test").glob("*.py"), *(ROOT / "python" / "tests").glob("test_*.py")])
    for path in set(scripts) - {Path(__file__).resolve()}:
        texts[path] = path.read_text()
        faults += [f"{path.relative_to(ROOT)}:{line}: {fault}" for line, fault in faults_in_python(texts[path])]
    reasons, rows = conformance.catalogues(ROOT)
    known = rows.keys() - reasons.keys()
    for path, text in texts.items():
        faults += [f"{path.relative_to(ROOT)}:{line}: {fault}" for line, fault in unknown_ids(text, known)]
    print("\n".join(faults) or "every record stands behind a check")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
