#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the reference as reStructuredText: attributes and traces from the built library, classes from its headers.

usage: reference.py FOLDER
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "helper": "Scenario, networks and helpers",
    "app": "Applications",
    "verbs": "Verbs",
    "rdmap": "RDMAP",
    "ddp": "DDP",
    "mpa": "MPA",
    "nvme": "NVMe over TCP",
    "record": "Records over TCP",
    "tls": "TLS",
    "crypto": "Cryptography",
    "tcp": "TCP",
    "rnic": "RNIC",
    "ipsec": "IPsec",
    "path": "Paths",
    "roce": "RoCE",
    "decode": "Decoder",
}
# what a type says of its range if it takes all that it can hold
_WHOLE = re.compile(
    r"0:(255|65535|4294967295|18446744073709551615)|-?1\.79769e\+308:1\.79769e\+308|.*:\+9\.22337e\+18ns"
)
_COMMENT = re.compile(
    r"^(/\*\*(?:(?!\*/).)*\*/\n|(?:///[^\n]*\n)+)(?:template <[^\n]*>\n)?(?:class|struct) (\w+)(?![^\n{]*;)",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Attribute:
    name: str
    type: str
    default: str
    range: str
    help: str


@dataclass
class Class:
    """A class or struct; ``parent`` is empty where ns-3's TypeId does not know it."""

    name: str
    room: str
    header: str
    brief: str
    parent: str = ""
    attributes: list[Attribute] = field(default_factory=list)
    traces: list[tuple[str, str, str]] = field(default_factory=list)
_ALIAS = re.compile(r"^using (\w+) = (\w+)<[^;]*>;", re.MULTILINE)


def escape(text: str) -> str:
    """Return text that reStructuredText shows as it stands, ``file:PATH`` not as a link."""
    return re.sub(r"([\\*`|_<>]|(?<=\bfile):)", r"\\\1", " ".join(text.split()))


def first_sentence(comment: str) -> str:
    """Return what a Doxygen comment says first, as reStructuredText."""
    text = re.sub(r"^(\s*\*/|\s*/?\*+|///) ?", "", comment, flags=re.MULTILINE)
    text = re.sub(r"@(ingroup|defgroup) [\w-]+", "", text)
    text = re.sub(r"@(brief|c|p|ref) ?", "", text).split("\n@")[0].strip().split("\n\n")[0]
    sentence = re.match(r"(.*?\.)(?:\s+[A-Z]|\s*$)", " ".join(text.split()))
    return escape(sentence.group(1) if sentence else text)


def find_classes() -> dict[str, Class]:
    """Return the documented classes of all headers by name."""
    classes = {}
    for path in sorted([*ROOT.glob("model/*/**/*.h"), *ROOT.glob("helper/**/*.h")], key=lambda path: path.name):
        first, second = path.relative_to(ROOT).parts[:2]
        room = second if first == "model" else first
        text = path.read_text()
        for comment, name in _COMMENT.findall(text):
            classes[name] = Class(name, room, path.name, first_sentence(comment))
        for name, template in _ALIAS.findall(text):
            if template in classes:
                classes[name] = Class(name, room, path.name, classes[template].brief)
    return classes


def add_types(classes: dict[str, Class]) -> None:
    """Add what the TypeIds of the library say."""
    import iwarp

    types = iwarp.load().TypeId
    for i in range(types.GetRegisteredN()):
        one = types.GetRegistered(i)
        if str(one.GetGroupName()) != "Iwarp":
            continue
        name = str(one.GetName()).rsplit("::", 1)[-1]
        if name not in classes:
            continue  # in a source file only, with nothing that is set or traced: the test looks
        found = classes[name]
        found.parent = str(one.GetParent().GetName()).removeprefix("ns3::")
        for j in range(one.GetAttributeN()):
            found.attributes.append(_attribute(one.GetAttribute(j)))
        for j in range(one.GetTraceSourceN()):
            trace = one.GetTraceSource(j)
            found.traces.append((str(trace.name), str(trace.callback).removeprefix("ns3::"), str(trace.help)))


def _attribute(info) -> Attribute:
    kind = str(info.checker.GetValueTypeName())
    kind = "Enum" if kind.startswith("ns3::EnumValue") else kind.removeprefix("ns3::").removesuffix("Value")
    known = ""
    if info.checker.HasUnderlyingTypeInformation():
        known = str(info.checker.GetUnderlyingTypeInformation()).replace("|", ", ")
    known = known if kind == "Enum" else known.partition(" ")[2]
    default = str(info.originalInitialValue.SerializeToString(info.checker))
    return Attribute(
        str(info.name), kind, default.removeprefix("+"), "" if _WHOLE.fullmatch(known) else known, str(info.help)
    )


def table(heading: Iterable[str], rows: Iterable[Iterable[str]], widths: str) -> str:
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in (heading, *rows):
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}".rstrip() for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n\n"


def literal(text: str) -> str:
    return f"``{text}``" if text.strip() == text != "" else escape(text)


def value_cell(kind: str, default: str, known: str) -> str:
    """Return kind, default and range in one cell, so that tables fit a narrow page."""
    return f"{escape(kind)}; {default or 'empty'}" + (f"; {escape(known)}" if known else "")


def class_section(one: Class) -> str:
    """Return a class that has a TypeId, with its attributes and traces."""
    text = f".. _class-{one.name}:\n\n{one.name}\n{'~' * len(one.name)}\n\n{one.brief} "
    text += f"``#include \"ns3/{one.header}\"``; a kind of ``{one.parent}``.\n\n"
    if one.attributes:
        rows = [
            (f"``{a.name}``", value_cell(a.type, literal(a.default), a.range), escape(a.help)) for a in one.attributes
        ]
        text += table(("attribute", "value", "meaning"), rows, "25 30 45")
    if one.traces:
        rows = [(f"``{name}``", literal(signature), escape(meaning)) for name, signature, meaning in one.traces]
        text += table(("trace", "callback", "meaning"), rows, "25 30 45")
    return text


def page(room: str, title: str, classes: list[Class]) -> str:
    """Return the page of a room: classes with attributes or traces first, then all others."""
    text = f".. This page is made by doc/scripts/reference.py.\n\n{title}\n{'=' * len(title)}\n\n"
    typed = sorted((c for c in classes if c.attributes or c.traces), key=lambda c: c.name)
    if typed:
        text += "Attributes and traces\n---------------------\n\n" + "".join(map(class_section, typed))
    rest = sorted((c for c in classes if not (c.attributes or c.traces)), key=lambda c: c.name)
    if rest:
        rows = [(f"``{c.name}``", f"``{c.header}``", c.brief) for c in rest]
        text += "Other classes\n-------------\n\n" + table(("class", "header", "what it is for"), rows, "25 25 50")
    return text


def parameters_page() -> str:
    """Return the page of the scenario's parameters, as the command line and Python name them."""
    import iwarp
    from iwarp.parameters.quantity import human

    rows = []
    for param in iwarp.params().values():
        default = (
            human(param.default, param.unit) if param.unit and param.type in ("time", "rate") else str(param.default)
        )
        known = ", ".join(param.choices)
        if not known and param.range:
            low, high = ("" if bound is None else f"{bound:g}" for bound in param.range)
            known = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}"
        unit = param.unit or param.type
        stands = f" Stands for {literal(param.target)}." if param.target else ""
        rows.append((f"``{param.name}``", value_cell(unit, escape(default), known), escape(param.help) + stands))
    title = "Parameters of runs"
    return (
        f".. This page is made by doc/scripts/reference.py.\n\n{title}\n{'=' * len(title)}\n\n"
        "``iwarp.run()``, ``iwarp.sweep()``, ``./iwarp run`` and studies take these names, and the qualified name of "
        "any attribute\n"
        "(:doc:`index`). A value is told by its unit or type, its default, and its range in that unit.\n\n"
        + table(("name", "value", "meaning"), rows, "25 30 45")
    )


def write(folder: Path) -> None:
    """Write the pages into ``folder``; those that are as they were keep their dates."""
    classes = find_classes()
    add_types(classes)
    pages = {"parameters": parameters_page()}
    for room, title in ROOMS.items():
        pages[room] = page(room, title, [c for c in classes.values() if c.room == room])
    names = "".join(f"   {name}\n" for name in pages)
    pages["index"] = (
        "Parameters, attributes and traces\n=================================\n\n"
        "What the built library says of itself, a page for each room of the module (:doc:`../architecture`). An "
        "attribute is\n"
        "set by ``Class.Attribute``, in C++ also by ns-3's ``Config``; all classes are of namespace ``ns3``. Its value "
        "is told by its type,\nits default, and its range where that is less than the type's.\n\n"
        f".. toctree::\n   :maxdepth: 1\n\n{names}"
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.path.insert(0, str(ROOT / "python"))
    write(Path(sys.argv[1]))
