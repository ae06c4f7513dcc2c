# SPDX-License-Identifier: GPL-2.0-only
"""Makes mutants by rules: relations that are turned, conditions left out, conjunctions, statements that are missing."""

from __future__ import annotations

import hashlib
import re

from ..errors import IwarpError
from . import mutants
from .mutants import ROOT, Mutant

FOLDER = "model"
TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}  #: what a relation becomes
CONDITION = re.compile(r"^ *(?:if|while|return) ?\(?(?P<all>[^;{}]*?)\)?;?$", re.MULTILINE)
RELATION = re.compile(r"^(?P<left>[^&|?:,<>=!]+) (?P<sign><|<=|>|>=|==|!=) (?P<right>[^&|?:,<>=!]+)$")
STATEMENT = re.compile(r"^ +(?P<all>m_\w+ (?:=|\+=|-=) [^;{}]*;|(?:\+\+|--)m_\w+;|m_\w+(?:\+\+|--);)$", re.MULTILINE)
SUM = re.compile(r"(?<![\w.)] )(?<![:>])(?P<all>\b[\w.]+ [-+] 1)(?=[;,)])")


def generate(count: int, seed: int, others: list[Mutant]) -> list[Mutant]:
    """Return so many mutants of the sources of the model, drawn from all that the rules make and that meet no other.

    Where lines change, most of what a seed draws from the others stays the same.
    """
    if count == 0:
        return []
    taken = {path: [(site.start, site.end) for site in sites] for path, sites in mutants.check(others).items()}
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / FOLDER).rglob("*.cc"))}
    candidates = {(path, *change) for path, text in texts.items() for change in _changes(text)}
    found: list[Mutant] = []
    for path, old, new, meaning in sorted(candidates, key=lambda change: _rank(seed, change)):
        mutant = Mutant(f"generated-{len(found) + 1}", "generated", path, meaning, old, new)
        try:
            site = mutants.place(mutant, texts[path])
        except IwarpError:
            continue  # it stands there twice, or is a part of more
        places = taken.setdefault(path, [])
        if not any(site.start < end and start < site.end for start, end in places):
            places.append((site.start, site.end))
            found.append(mutant)
        if len(found) == count:
            break
    return found


def _rank(seed: int, change: tuple[str, ...]) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *change)).encode()).digest()


def _changes(text: str) -> list[tuple[str, str, str]]:
    """Return old and new texts with what they mean, in functions that are worked out when the program runs."""
    found = []
    for body in re.finditer(r"^\{$.*?^\}$", text, re.MULTILINE | re.DOTALL):
        head = text[: body.start()].rsplit("\n\n", 1)[-1]
        if "constexpr" in head:
            continue
        inside = re.sub(r"^ *(static )?constexpr .*", "", body.group(), flags=re.MULTILINE)
        for match in STATEMENT.finditer(inside):
            found.append((match["all"], "", "the statement is missing"))
        is_bool = re.search(r"^bool$", head, re.MULTILINE)
        for match in CONDITION.finditer(inside):
            if is_bool or not match.group().lstrip().startswith("return"):
                found += _of_condition(match["all"].strip())
        for match in SUM.finditer(inside):
            old = match["all"]
            found.append((old, old.rsplit(" ", 2)[0] + " - 0", "one is left out"))
    return found


def _of_condition(condition: str) -> list[tuple[str, str, str]]:
    if condition.count("(") != condition.count(")") or '"' in condition or "?" in condition:
        return []
    found = []
    parts = re.split(r" && | \|\| ", condition)
    for part in parts if all(part.count("(") == part.count(")") for part in parts) else []:
        relation = RELATION.match(part)
        if relation:
            sign = relation["sign"]
            # by the operator that there is, as a type may have no other
            other = part if sign in ("==", "!=") else f"{relation['right']} {sign} {relation['left']}"
            found.append((part, f"!({other})", f"{sign} is {TURNED[sign]}"))
        elif re.fullmatch(r"!?[\w.>()-]+", part) and part not in ("true", "false") and not part.isdigit():
            found.append((part, part[1:] if part.startswith("!") else f"!({part})", "the condition is turned"))
    if len(parts) > 1 and " && " in condition and " || " not in condition:
        found.append((condition, condition.replace(" && ", " || "), "and is or"))
    return found
