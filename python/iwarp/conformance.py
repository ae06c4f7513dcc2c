# SPDX-License-Identifier: GPL-2.0-only
"""Requirements against tests: which rows of doc/requirements a test names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import IwarpError

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUES = {"mpa": "RFC 5044", "ddp": "RFC 5041", "enhanced": "RFC 6581"}
ID = re.compile(r"\b(?:MPA|DDP|ENH)-[A-Z0-9](?:[A-Z0-9.]*[A-Z0-9])?-\d+\b")


@dataclass(frozen=True)
class Row:
    """A requirement, the files of the tests that name it, and why it is out of scope, if it is."""

    id: str
    catalogue: str
    level: str
    requirement: str
    tests: tuple[str, ...]
    reason: str

    @property
    def state(self) -> str:
        """Return "tested", "out_of_scope" or "untested"; a test outweighs a reason."""
        return "tested" if self.tests else "out_of_scope" if self.reason else "untested"


def collect(root: Path = ROOT) -> list[Row]:
    """Return all requirements with the tests of the repository at ``root`` that name them."""
    folder = root / "doc" / "requirements"
    if not folder.is_dir():
        raise IwarpError("conformance compares the repository's tests with doc/requirements: run it in a clone")
    named: dict[str, set[str]] = {}
    for path in _test_files(root):
        for found in ID.findall(path.read_text(errors="replace")):
            named.setdefault(found, set()).add(str(path.relative_to(root)))
    reasons = {r["id"]: r["reason"] for r in _read(folder / "out-of-scope.csv")}
    rows = []
    for name in CATALOGUES:
        for r in _read(folder / f"{name}.csv"):
            tests = tuple(sorted(named.get(r["id"], ())))
            rows.append(Row(r["id"], name, r["level"], r["requirement"], tests, reasons.get(r["id"], "")))
    unknown = sorted((named.keys() | reasons.keys()) - {r.id for r in rows})
    if unknown:
        raise IwarpError(f"no such requirement, though a test or out-of-scope.csv names it: {', '.join(unknown)}")
    return rows


def summary(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Count the rows by level and state."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        of_level = counts.setdefault(row.level, {"rows": 0, "tested": 0, "out_of_scope": 0, "untested": 0})
        of_level["rows"] += 1
        of_level[row.state] += 1
    order = ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "MODEL"]
    return dict(sorted(counts.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def to_rst(rows: Iterable[Row]) -> str:
    """Return the conformance page of the documentation."""
    lines = ["Conformance", "===========", "", "Every requirement, and the tests that name it.", ""]
    for name, rfc in CATALOGUES.items():
        lines += [rfc, "-" * len(rfc), "", ".. list-table::", "   :header-rows: 1", "   :widths: 14 10 50 26", ""]
        lines += ["   * - id", "     - level", "     - requirement", "     - tests"]
        for row in rows:
            if row.catalogue == name:
                tests = ", ".join(f"``{Path(t).stem}``" for t in row.tests) or row.reason or "none"
                text = row.requirement.replace("*", "\\*").replace("|", "\\|").replace("`", "\\`")
                lines += [f"   * - {row.id}", f"     - {row.level}", f"     - {text}", f"     - {tests}"]
        lines.append("")
    return "\n".join(lines)


def _test_files(root: Path) -> Iterable[Path]:
    for folder, endings in (("test", (".cc", ".h", ".py", ".sh")), ("python/tests", (".py",))):
        yield from (p for p in sorted((root / folder).rglob("*")) if p.suffix in endings)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
