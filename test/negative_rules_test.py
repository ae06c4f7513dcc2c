#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A negative for each check: what model/ drops, refuses or ends a connection for, by its enumerators, a test asks for.

The enumerations are those of the headers of model/ whose names tell of errors (``ENUMS``). Each enumerator stands in
what a test compares, as ``DdpError::TAGGED_TO_WRAP``, or, if Terminates tell of it, as layer, type and code: ``0/1/4``.
What a test compares is what it gives a check, unless that says only that something is not so, and what it gives a
variable or a table that it compares. ``EXCEPTIONS`` are few and have a reason; one that is not needed is a fault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from requirement_rules_test import BODY, CALL, LAMBDA, blank, is_check

ROOT = Path(__file__).resolve().parent.parent
KINDS = "Error|Drop|Reason|Fault|Fes|Refusal|Alert|Status|Verdict|Result|Admission|Freshness"
ENUMS = re.compile(rf"\benum class (\w*(?:{KINDS}))\b")
LAYERS = {"RdmapError": 0, "DdpError": 1}  #: of those that a Terminate tells of (RFC 5040 section 4.8)
#: enumerators that are no error
NEITHER = ("NONE", "COUNT", "SUCCESS", "OK", "GOOD", "COMPLETE", "ACCEPTED", "OPENED", "USABLE", "SEND", "KEEP", "TAKE",
           "FRESH")  # fmt: skip
EXCEPTIONS = {
    ("NvmeStatus", "INTERNAL_ERROR"): "received only: nothing here fails so",
    ("RdmapStatus", "BAD_RESPONSE"): "a number of libibverbs; a response that does not fit ends the stream",
    ("RdmapStatus", "FATAL"): "a number of libibverbs; no device fails here",
    ("RdmapStatus", "LOCAL_ACCESS"): "a number of libibverbs; LOCAL_PROTECTION tells of rights too",
    ("RdmapError", "OPERATION_CANNOT_INVALIDATE"): "received from other implementations, never sent",
    ("RdmapError", "OPERATION_GLOBAL"): "received only: no failure here concerns all streams",
    ("RdmapError", "PROTECTION_UNSPECIFIED"): "received only: each protection error here has a code",
}


class Tests:
    """The code of a file of tests, and what it compares; ``shared`` are functions of other files that compare."""

    def __init__(self, text: str, shared: Collection[str] = ()) -> None:
        self.text, self.code = text, blank(text)
        self._end: dict[int, int] = {}
        opened: list[int] = []
        for m in re.finditer(r"[(){}\[\]]", self.code):
            if m[0] in "({[":
                opened.append(m.start())
            elif opened:
                self._end[opened.pop()] = m.start()
        self._begin = {end: begin for begin, end in self._end.items()}
        self.names = self._comparing(shared)
        outside = re.compile(r"\bnamespace\b[\w: ]*\n$")
        begins = [m.start() for m in re.finditer(r"^\{", self.code, re.MULTILINE)]
        self._units = {begin: self._words(begin, self._end_of(begin)) for begin in begins
                       if not outside.search(self.code, max(0, begin - 80), begin)}  # fmt: skip

    def has_compared(self, at: int) -> bool:
        """Say whether what stands there is given to a check, or to a variable or a table that is."""
        words = self._words_at(at)
        while True:
            begin, opening = self._statement(at)
            if self._is_given(self.code[begin:at], words):
                return True
            if opening < 0:
                return False
            head = self.code[begin if begin < opening else max(0, opening - 200) : opening].rstrip()
            name = re.search(r"(\w+)(?:<[\w:]+>)?$", head) if self.code[opening] == "(" else None
            if name and is_check(name[1], self.names):
                is_message = name[1].startswith("NS_TEST_") and len(split(self.code[opening + 1 : at])) > 2
                return not is_message and not says_absent(name[1], self.code[opening + 1 : self._end_of(opening)])
            if name and name[1] == "for":
                return self._is_looped_over(opening, at, words)
            if self.code[opening] == "{" and is_block(head):
                return False
            row = split(self.code[opening + 1 : self._end_of(opening)]) if self.code[opening] == "{" else []
            if len(row) == 2 and row[1].strip() == "0":
                return False
            at = opening

    def aliases(self) -> dict[str, str]:
        """Return what names stand for in this file."""
        return dict(re.findall(r"\busing (\w+) = ([\w:]+);", self.code))

    def _end_of(self, begin: int) -> int:
        return self._end.get(begin, len(self.code) - 1)

    def _words_at(self, at: int) -> set[str]:
        """Return what the function there compares; of what stands outside functions, what any does."""
        for begin, words in self._units.items():
            if begin <= at <= self._end_of(begin):
                return words
        return set().union(*self._units.values())

    def _words(self, begin: int, end: int) -> set[str]:
        """Return the words that stand in checks, and what loops go over that give them values."""
        words: set[str] = set()
        loops = []
        for m in re.compile(r"\b(\w+)(?:<[\w:]+>)?\(|\bfor \(").finditer(self.code, begin, end):
            given = self.code[m.end() : self._end_of(m.end() - 1)]
            if m[1] is None:
                loops.append(re.split(r"(?<!:):(?!:)", given, maxsplit=1))
            elif is_check(m[1], self.names) and not says_absent(m[1], given):
                sides = split(given)[: 2 if m[1].startswith("NS_TEST_") else None]  # not the message
                words |= {word for side in sides for word in re.findall(r"[A-Za-z_]\w*", side)}
        for _ in loops:
            for loop in loops:
                if len(loop) == 2 and words & set(re.findall(r"\w+", loop[0])):
                    words |= set(re.findall(r"[A-Za-z_]\w*", loop[1]))
        return words

    def _comparing(self, shared: Collection[str]) -> set[str]:
        """Return names of functions that compare what they are given, and of classes that check."""
        found: list[tuple[str, set[str], int]] = []
        for m in CALL.finditer(self.code):
            end = self._end_of(m.end() - 1)
            if body := BODY.match(self.code, end):
                found.append((m[1], parameters(self.code[m.end() : end]), body.end() - 1))
        for m in LAMBDA.finditer(self.code):
            given = re.search(r"\]\s*\((.*)\)", m[0], re.DOTALL)
            found.append((m[1], parameters(given[1] if given else ""), m.end() - 1))
        self.names = set(shared)
        while more := {name for name, given, body in found
                       if name not in self.names and self._words(body, self._end_of(body)) & given}:  # fmt: skip
            self.names |= more
        functions = r"\b(\w+)::\w+\([^;{}]*\)\s*(?:const\s*)?\{"
        for m in re.finditer(rf"\b(?:class|struct)\s+(\w+)[^;{{}}()]*\{{|{functions}", self.code):
            if self._words(m.end() - 1, self._end_of(m.end() - 1)):
                self.names.add(m[1] or m[2])
        return self.names

    def _statement(self, at: int) -> tuple[int, int]:
        """Return where the part of a statement begins that ends there, and the bracket that it stands in, or -1."""
        begin = at
        while begin > 0:
            before = self.code[begin - 1]
            if before in "({[":
                return begin, begin - 1
            if before == ";" or before == "}" and not re.match(r"\s*[,).]", self.code[begin : begin + 80]):
                return begin, -1
            begin = self._begin.get(begin - 1, begin - 1)
        return 0, -1

    def _is_given(self, code: str, words: Collection[str]) -> bool:
        """Say whether code before a value gives it to one of the words: `auto x = `, or `Row rows` before a brace."""
        m = re.search(r"\b(\w+)(?:\[\w*\])?\s*(?:=(?!=).*)?$", code, re.DOTALL)
        return bool(m and m[1] in words and re.match(r"\s*[\w:]+[<\w:,\s*&>]*[\s*&>]", code[: m.start()]))

    def _is_looped_over(self, opening: int, at: int, words: Collection[str]) -> bool:
        """Say whether a loop gives what stands there to one of the words."""
        given = re.split(r"(?<!:):(?!:)", self.code[opening + 1 : at], maxsplit=1)
        return len(given) == 2 and not set(words).isdisjoint(re.findall(r"\w+", given[0]))


def is_block(head: str) -> bool:
    """Say whether a brace behind this opens a block, not a value."""
    if head.endswith("]"):
        return not re.search(r"\w\[\w*\]$", head)
    return not head or head.endswith((")", ";", "}")) or bool(re.search(r"\b(else|do|try|const|mutable)$", head))


def parameters(given: str) -> set[str]:
    """Return the names of parameters."""
    return {word for part in split(given) for word in re.findall(r"(\w+)\s*(?:=|$)", part)[:1]}


def says_absent(name: str, given: str) -> bool:
    """Say whether a check, or a function that compares, says only that something is not, or is 0."""
    parts = [part.strip() for part in split(given)]
    if name.startswith("NS_TEST_"):
        none = any(re.fullmatch(r"0[ULul]*|false|Time\(0\)", part) for part in parts[:2])
        return "_NE" in name or bool(re.search(r"_EQ(_TOL)?$", name)) and none
    return len(parts) == 2 and parts[1] == "0"


def split(given: str) -> list[str]:
    """Return what commas separate that no brackets enclose."""
    parts, depth = [""], 0
    for one in re.findall(r"[^(){}\[\],]+|.", given, re.DOTALL):
        depth += (one in "({[") - (one in ")}]")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    return parts


def read_tests(root: Path) -> Iterator[Tests]:
    """Yield the files of tests of C++; what compares in those that are no suites does so for all."""
    paths = [path for folder in (root / "test", root / "examples" / "live") for path in sorted(folder.rglob("*"))
             if path.suffix in (".cc", ".h") and "fuzz" not in path.parts and path.name != "iwarp-test.h"]  # fmt: skip
    common = [Tests(path.read_text()) for path in paths if not path.name.endswith("-test-suite.cc")]
    shared = set().union(*(tests.names for tests in common))
    for path in paths:
        yield Tests(path.read_text(), shared)


def enumerations(header: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the enumerations of errors in a header, with the class around them, and their enumerators and values."""
    code = blank(header)
    for m in ENUMS.finditer(code):
        around = re.findall(r"^(?:class|struct) (\w+)", code[: m.start()], re.MULTILINE)
        inside = code[: m.start()].endswith(" ")
        found: dict[str, int] = {}
        body = code[code.index("{", m.end()) + 1 : code.index("}", m.end())]
        for one, value in re.findall(r"([A-Z][A-Z0-9_]*)\s*(?:=\s*(\w+)\s*)?(?:,|$)", body.strip()):
            found[one] = int(value, 0) if value else max(found.values(), default=-1) + 1
        yield (f"{around[-1]}::{m[1]}" if inside else m[1]), found


def other_names(header: str) -> Iterator[tuple[str, str]]:
    """Yield what else names of a header are called: aliases, of classes too, and classes by what they derive from."""
    code = blank(header)
    for m in re.finditer(r"^( *)using (\w+) = (\w+);", code, re.MULTILINE):
        around = re.findall(r"^(?:class|struct) (\w+)", code[: m.start()], re.MULTILINE)
        yield (f"{around[-1]}::{m[2]}" if m[1] and around else m[2]), m[3]
    for m in re.finditer(r"^class (\w+)(?: final)? : public (?:[\w:]+<\w+, )?([\w:]+)", code, re.MULTILINE):
        yield m[1], m[2]


def resolve(name: str, aliases: Mapping[str, str]) -> Iterator[str]:
    """Yield a name without its namespaces, and what it stands for."""
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        name = re.sub(r"^(?:[a-z]\w*::)+", "", name)
        yield name
        first, *rest = name.split("::")
        name = aliases.get(name) or "::".join([aliases.get(first, first), *rest])


def asked_in(tests: Tests, library: Mapping[str, str]) -> Iterator[str]:
    """Yield each enumerator that a file compares, with its enumeration, and what Terminates tell."""
    aliases = {**library, **tests.aliases()}
    for m in re.finditer(r"\b(\w+(?:::\w+)*)::([A-Z][A-Z0-9_]*)\b", tests.code):
        if tests.has_compared(m.start()):
            yield from (f"{name}::{m[2]}" for name in resolve(m[1], aliases))
    for m in re.finditer(r"(?<![\d/])[01]/\d+/\d+(?![\d/])", tests.text):
        if tests.has_compared(m.start()):
            yield m[0]


def faults(
    enums: Mapping[str, Mapping[str, int]], asked: Collection[str], exceptions: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """Yield what is wrong: with the enumerators of enumerations, and what tests compare."""
    for enum, names in enums.items():
        for name, value in names.items():
            told = f"{LAYERS[enum]}/{value >> 8}/{value & 0xFF}" if enum in LAYERS else ""
            has = f"{enum}::{name}" in asked or told in asked
            if name in NEITHER:
                continue
            if (enum, name) in exceptions and has:
                yield f"{enum}::{name} is an exception, but a test asks for it: take the exception away"
            if (enum, name) not in exceptions and not has:
                yield f"{enum}::{name}{f' ({told})' if told else ''}: no test asks for it"
    for enum, name in exceptions:
        if name not in enums.get(enum, {}):
            yield f"{enum} has no {name}, which is an exception"


HEADER = """
enum class RdmapError : int { A = 0x104, //!< B
 C, NONE = 0xFFFF };
class Outer {
    enum class Fault { D };
    using Name = RdmapError;
};
class Inner : public Outer {
};
"""
E, F = "NS_TEST_EXPECT_MSG_EQ", "IWARP_TEST(s, \"t\")\n"
#: code of tests, and the enumerators of HEADER that they ask for
ASKED: tuple[tuple[str, str], ...] = (
    (F + "{ " + E + "(x, RdmapError::A, \"\"); }", "A"),
    (F + "{ " + E + "(x.Get(int(RdmapError::C)), 1, \"\"); }", "C"),
    (F + "{ " + E + "(x, \"0/1/4\", \"\"); }", "A"),
    (F + "{ " + E + "(x, Outer::Fault::D, \"\"); }", "D"),
    ("using G = Outer::Fault;\n" + F + "{ " + E + "(x, G::D, \"\"); }", "D"),
    (F + "{ " + E + "(x, Inner::Fault::D, \"\"); " + E + "(x, n::Outer::Name::A, \"\"); }", "AD"),
    ("using G = Outer;\n" + F + "{ " + E + "(x, G::Fault::D, \"\"); }", "D"),
    (F + "{ for (const auto& [a, b] : Rows{{1, RdmapError::A}}) { " + E + "(f(a), b, \"\"); } }", "A"),
    (F + "{ const Row rows[] = {{1, RdmapError::A}}; for (auto r : rows) { " + E + "(f(r), r.b, \"\"); } }", "A"),
    ("const Row ROWS[] = {{1, RdmapError::A}};\n" + F + "{ for (auto r : ROWS) { " + E + "(1, r, \"\"); } }", "A"),
    ("void See(int a)\n{ " + E + "(f(), a, \"\"); }\n" + F + "{ See(RdmapError::A); }", "A"),
    (F + "{ const auto see = [&](int a) { " + E + "(f(), a, \"\"); }; see(RdmapError::A); }", "A"),
    ("void See(int a)\n{ " + E + "(f(), 1, \"\"); }\n" + F + "{ See(RdmapError::A); }", ""),
    (F + "{ x = RdmapError::A; y = RdmapError::C; " + E + "(z, 1, \"\"); }", ""),
    (F + "{ Send(RdmapError::A); " + E + "(z, 1, \"\"); }", ""),
    (F + "{ const auto y = x == 1 ? RdmapError::A : z; " + E + "(f(), y, \"\"); }", "A"),
    (F + "{ if (x == RdmapError::A) { " + E + "(x, 1, \"\"); } }", ""),
    (F + "{ const Row rows[] = {{1, RdmapError::A}}; Send(rows); " + E + "(1, n, \"\"); }", ""),
    (F + "{ // " + E + "(x, RdmapError::A, \"\");\n }", ""),
    (F + "{ NS_TEST_EXPECT_MSG_NE(x, RdmapError::A, \"\"); }", ""),
    (F + "{ " + E + "(x[RdmapError::A], 0, \"\"); " + E + "((x == RdmapError::C), false, \"\"); }", ""),
    (F + "{ " + E + "(x, DdpError::A, \"\"); " + E + "(x, Other::Fault::D, \"\"); }", ""),
    (F + "{ " + E + "(x, RdmapError::AC, \"\"); " + E + "(x, \"10/1/4\", \"\"); }", ""),
    (F + "{ " + E + "(x, 1, \"0/1/4\" << RdmapError::C); }", ""),
)  # fmt: skip


def faults_of_the_rule() -> Iterator[str]:
    """Yield what the rule takes or refuses wrongly."""
    enums = dict(enumerations(HEADER))
    if enums != {"RdmapError": {"A": 0x104, "C": 0x105, "NONE": 0xFFFF}, "Outer::Fault": {"D": 0}}:
        yield f"the rule reads {enums}"
    for text, names in ASKED:
        found = list(faults(enums, set(asked_in(Tests(text), dict(other_names(HEADER)))), {}))
        if len(found) != 3 - len(names) or any(f"::{name} " in fault for name in names for fault in found):
            yield f"the rule finds {found} in {text!r}"
    asked = {"RdmapError::A", "Outer::Fault::D"}
    for name, count in (("C", 0), ("A", 2), ("B", 2)):
        found = list(faults(enums, asked, {("RdmapError", name): "why"}))
        if len(found) != count:
            yield f"the rule finds {found} with {name} as an exception"


def main() -> int:
    headers = [path.read_text() for path in sorted((ROOT / "model").rglob("*.h"))]
    enums = dict(one for header in headers for one in enumerations(header))
    library = dict(one for header in headers for one in other_names(header))
    asked = {one for tests in read_tests(ROOT) for one in asked_in(tests, library)}
    found = [*faults_of_the_rule(), *faults(enums, asked, EXCEPTIONS)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
