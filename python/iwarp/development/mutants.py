# SPDX-License-Identifier: GPL-2.0-only
"""Mutants: faults of one line each, which the tests have to notice; test/mutants/ has those written by hand.

A file of test/mutants/ is a room. Its lines are, by what they begin with:

    @ model/mpa/mpa-fpdu.cc     the source that the mutants below it change
    mpa-01 what is wrong then   a mutant, with its name and what it means
    ^ text                      look from this text on, which stands once in the source
    - text                      what the source says; without ^ it stands there once
    + text                      what it says instead; without a text, nothing
    = reason                    nobody can notice it, because of this
    ! no test yet               it is known to survive, and counts as that
    # ...                       a remark

A text is an expression, or, in C++, one or more statements if it ends with ; or their }. Blanks and ends of lines count
alike.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import IwarpError

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "test" / "mutants"

#: what may come before an expression, and behind it
BEFORE = ("(", ",", "=", "&&", "||", "?", ":", "!", "[", "{", "return", "<<", ";", "}")
BEFORE_STATEMENT = (";", "{", "}", ")", ":", "else", "do", "*/")
BEHIND = (")", ",", ";", "&&", "||", "?", ":", "]", "}", "<<")
OPERATOR = re.compile(r"[-+*/%<>=!&|^?:]")  #: what makes an expression more than a name, a number or a call


@dataclass(frozen=True)
class Mutant:
    """A fault: the text of a source that it replaces, and by what."""

    name: str
    room: str
    path: str
    meaning: str
    old: str = ""
    new: str = ""
    context: str = ""
    explained: str = ""
    known: str = ""

    @property
    def is_of_python(self) -> bool:
        """Return whether it is one of the Python package, where an expression is replaced always."""
        return self.path.endswith(".py")

    @property
    def is_statement(self) -> bool:
        """Return whether whole statements are replaced, and not an expression."""
        return _is_statement(self.old)


@dataclass(frozen=True)
class Site:
    """A mutant with its place: offsets into the text of its source, and the line."""

    mutant: Mutant
    start: int
    end: int
    line: int


def _is_statement(text: str) -> bool:
    return text.endswith(";") or (text.endswith("}") and ";" in text and not text.startswith("["))


def _is_turned(mutant: Mutant) -> bool:
    """Return whether the fault is the opposite; of what need be no bool, such as a pointer or a stream."""
    return mutant.new == f"!({mutant.old})" or mutant.old == f"!{mutant.new}"


def load(folder: Path = FOLDER) -> list[Mutant]:
    """Return the mutants of a folder in the order of its files; IwarpError if one is not well-formed."""
    found = [mutant for path in sorted(folder.glob("*.txt")) for mutant in parse(path.read_text(), path.stem)]
    twice = [name for name, count in Counter(mutant.name for mutant in found).items() if count > 1]
    if twice:
        raise IwarpError(f"two mutants are named {twice[0]}")
    return found


def parse(text: str, room: str) -> list[Mutant]:
    """Return the mutants of a room's file."""
    found: list[Mutant] = []
    path = ""
    fields = {"^": "context", "-": "old", "+": "new", "=": "explained", "!": "known"}
    for number, line in enumerate(text.splitlines(), 1):
        mark, _, rest = line.partition(" ")
        rest = rest.strip()
        if not mark or mark.startswith("#"):
            continue
        if mark == "@":
            path = rest
        elif mark in fields:
            if not found:
                raise IwarpError(f"test/mutants/{room}.txt:{number}: no mutant stands above this line")
            before = getattr(found[-1], fields[mark])
            found[-1] = replace(found[-1], **{fields[mark]: f"{before}\n{rest}" if before else rest})
        elif re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*-\d+", mark) and rest and path:
            found.append(Mutant(mark, room, path, rest))
        else:
            raise IwarpError(f'test/mutants/{room}.txt:{number}: "{line}" is neither a mutant nor a part of one')
    for mutant in found:
        if not mutant.old or mutant.old == mutant.new:
            raise IwarpError(f"mutant {mutant.name} changes nothing")
        if not mutant.is_of_python and mutant.is_statement != (not mutant.new or _is_statement(mutant.new)):
            raise IwarpError(f"mutant {mutant.name} replaces a statement by an expression, or the other way round")
    return found


def place(mutant: Mutant, text: str) -> Site:
    """Return where a mutant stands in the text of its source; IwarpError if it no longer applies."""
    begin = 0
    if mutant.context:
        begin = _only(mutant, mutant.context, text).start()
        match = _pattern(mutant.old).search(text, begin)
        if match is None:
            raise IwarpError(f"mutant {mutant.name} no longer applies: {mutant.path} does not say: {mutant.old}")
    else:
        match = _only(mutant, mutant.old, text)
    site = Site(mutant, match.start(), match.end(), text.count("\n", 0, match.start()) + 1)
    if mutant.is_of_python:
        _check_of_python(site, text)
    elif mutant.is_statement:
        _check_statement(site, text)
    else:
        _check_expression(site, text)
    return site


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w.])" * text[0].isalnum() + r"\s+".join(re.escape(word) for word in text.split()))


def _only(mutant: Mutant, wanted: str, text: str) -> re.Match[str]:
    found = list(_pattern(wanted).finditer(text))
    if len(found) != 1:
        times = f"{len(found)} times" if found else "no more"
        raise IwarpError(f"mutant {mutant.name} no longer applies: {mutant.path} says {times}: {wanted}")
    return found[0]


def _check_statement(site: Site, text: str) -> None:
    """Refuse what begins in the middle of a statement."""
    before = re.sub(r"//.*$", "", text[: site.start], flags=re.MULTILINE).rstrip()
    if not before.endswith(BEFORE_STATEMENT):
        raise IwarpError(f"mutant {site.mutant.name}: {site.mutant.old} is no whole statement in {site.mutant.path}")


def _check_expression(site: Site, text: str) -> None:
    """Refuse what would bind otherwise as a whole than it does in its place."""
    before, behind = text[: site.start].rstrip(), text[site.end :].lstrip()
    bare = re.sub(r"->|::|<[\w:]+>(?=\()", "", site.mutant.old)
    while bare != (bare := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", "", bare)):
        pass  # from the innermost brackets outwards
    if bare.count("?") != bare.count(":"):
        fits = False  # half of a choice
    elif OPERATOR.search(bare):
        fits = before.endswith(BEFORE) and behind.startswith(BEHIND)
    else:
        fits = not before.endswith((".", "->", "::")) and not behind.startswith((".", "->", "::", "(", "[", "{"))
    if not fits or behind.startswith("==") or (before.endswith(("==", "<=", ">=", "!=")) and OPERATOR.search(bare)):
        raise IwarpError(f"mutant {site.mutant.name}: {site.mutant.old} is no whole expression in {site.mutant.path}")


def _check_of_python(site: Site, text: str) -> None:
    """Refuse what is no whole expression of the source, or becomes none."""
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    octets = len(text[: site.start].encode()), len(text[: site.end].encode())
    spans = {
        (lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.expr)
    }
    if octets not in spans:
        raise IwarpError(f"mutant {site.mutant.name}: {site.mutant.old} is no whole expression in {site.mutant.path}")
    try:
        ast.parse(f"({site.mutant.new})")
    except SyntaxError:
        raise IwarpError(f"mutant {site.mutant.name}: {site.mutant.new} is no expression of Python") from None


def switched(text: str, sites: list[Site], numbers: dict[str, int]) -> str:
    """Return the text of a source with a switch at each site; those that overlap have to be nested or the same."""
    ordered = sorted(sites, key=lambda site: (site.start, -site.end))
    for first, second in itertools.combinations(ordered, 2):
        if first.start < second.start < first.end < second.end:
            names = f"{first.mutant.name} and {second.mutant.name}"
            raise IwarpError(f"mutants {names} overlap at {first.mutant.path}:{second.line}")
    return _switched(text, 0, len(text), ordered, numbers)


def _switched(text: str, begin: int, end: int, sites: list[Site], numbers: dict[str, int]) -> str:
    out = []
    at = begin
    while sites:
        start, stop = sites[0].start, sites[0].end
        here = [site for site in sites if (site.start, site.end) == (start, stop)]
        inside = [site for site in sites[len(here) :] if site.end <= stop]
        sites = sites[len(here) + len(inside) :]
        old = _switched(text, start, stop, inside, numbers)
        for site in here:
            test = f"IwarpMutant({numbers[site.mutant.name]})"
            if site.mutant.is_of_python:
                old = f"(({site.mutant.new}) if {test} else ({old}))"
            elif site.mutant.is_statement:
                old = f"if ({test}) {{ {site.mutant.new} }} else {{ {old} }}"
            elif _is_turned(site.mutant):
                old = f"({test} != static_cast<bool>({old}))"
            else:
                old = f"({test} ? ({site.mutant.new}) : ({old}))"
        if here[0].mutant.is_statement and not here[0].mutant.is_of_python:
            old = f"{{ {old} }}"
        out += [text[at:start], old]
        at = stop
    return "".join([*out, text[at:end]])


def check(mutants: list[Mutant], root: Path = ROOT) -> dict[str, list[Site]]:
    """Return the sites by source; IwarpError names every mutant that no longer applies."""
    sites: dict[str, list[Site]] = {}
    faults = []
    for mutant in mutants:
        try:
            text = (root / mutant.path).read_text()
        except FileNotFoundError:
            faults.append(f"mutant {mutant.name} no longer applies: there is no {mutant.path}")
            continue
        try:
            sites.setdefault(mutant.path, []).append(place(mutant, text))
        except IwarpError as error:
            faults.append(str(error))
    for path, found in sites.items():
        try:
            switched((root / path).read_text(), found, {mutant.name: 0 for mutant in mutants})
        except IwarpError as error:
            faults.append(str(error))
    if faults:
        raise IwarpError("\n".join(faults))
    return sites
