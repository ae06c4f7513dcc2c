# SPDX-License-Identifier: GPL-2.0-only
"""Requirements against tests: for which rows of doc/requirements a check ran and passed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import IwarpError
from . import requirement_record
from .requirement_record import Check

ROOT = Path(__file__).resolve().parents[3]
CATALOGUES = {
    "mpa": "RFC 5044",
    "ddp": "RFC 5041",
    "enhanced": "RFC 6581",
    "rdmap": "RFC 5040",
    "extensions": "RFC 7306",
    "tls": "RFC 8446",
    "nvme": "NVMe/TCP 1.0",
}
LEVELS = ("MUST", "MUST NOT", "MUST and MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "MODEL")


@dataclass(frozen=True)
class Row:
    """A requirement, the checks that cover it, and why it is out of scope, if it is."""

    id: str
    catalogue: str
    level: str
    requirement: str
    checks: tuple[Check, ...]
    reason: str

    @property
    def state(self) -> str:
        """Return "tested", "out_of_scope" or "untested"."""
        return "tested" if self.checks else "out_of_scope" if self.reason else "untested"


def collect(root: Path = ROOT) -> list[Row]:
    """Return all requirements with the checks that the record in the build directory of ``root`` has for them."""
    reasons, requirements = catalogues(root)
    checks: dict[str, list[Check]] = {}
    for check in requirement_record.load(root / "build" / requirement_record.NAME, root):
        for found in check.ids:
            if found not in requirements:
                raise IwarpError(f"no catalogue has {found}, which {check.file}:{check.line} covers")
            if found in reasons:
                raise IwarpError(f"{found} is out of scope ({reasons[found]}), but {check.file}:{check.line} covers it")
            checks.setdefault(found, []).append(check)
    return [
        Row(
            r["id"],
            r["catalogue"],
            r["level"],
            r["requirement"],
            tuple(checks.get(r["id"], ())),
            reasons.get(r["id"], ""),
        )
        for r in requirements.values()
    ]


def catalogues(root: Path = ROOT) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return why rows are out of scope, and all rows with their catalogue, both by id."""
    folder = root / "doc" / "requirements"
    if not folder.is_dir():
        raise IwarpError("conformance compares the repository's tests with doc/requirements: run it in a clone")
    rows = {r["id"]: r | {"catalogue": name} for name in CATALOGUES for r in _read(folder / f"{name}.csv")}
    reasons = {r["id"]: r["reason"] for r in _read(folder / "out-of-scope.csv")}
    unknown = sorted(reasons.keys() - rows.keys())
    if unknown:
        raise IwarpError(f"no catalogue has {', '.join(unknown)}, which out-of-scope.csv names")
    return reasons, rows


def summary(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Count the rows by level and state, those of MUST and of MUST NOT in one line too."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        both = ["MUST and MUST NOT"] if row.level in ("MUST", "MUST NOT") else []
        for level in [row.level, *both]:
            of_level = counts.setdefault(level, {"rows": 0, "tested": 0, "out_of_scope": 0, "untested": 0})
            of_level["rows"] += 1
            of_level[row.state] += 1
    return dict(sorted(counts.items(), key=lambda item: LEVELS.index(item[0]) if item[0] in LEVELS else len(LEVELS)))


def to_rst(rows: Iterable[Row]) -> str:
    """Return the conformance page of the documentation."""
    lines = ["Conformance", "===========", "", "Every requirement, and the checks that ran for it.", ""]
    lines += [".. list-table::", "   :header-rows: 1", ""]
    lines += ["   * - level", "     - rows", "     - tested", "     - out of scope", "     - untested"]
    rows = list(rows)
    for level, counts in summary(rows).items():
        lines += [f"   * - {level}", *(f"     - {count}" for count in counts.values())]
    lines.append("")
    for name, rfc in CATALOGUES.items():
        lines += [rfc, "-" * len(rfc), "", ".. list-table::", "   :header-rows: 1", "   :widths: 12 8 40 40", ""]
        lines += ["   * - id", "     - level", "     - requirement", "     - checks"]
        for row in rows:
            if row.catalogue == name:
                checks = ", ".join(f"{c.test}: {_plain(c.case)} ({Path(c.file).name}:{c.line})" for c in row.checks)
                cells = [row.id, row.level, _plain(row.requirement), checks or row.reason or "none"]
                lines += [f"   {'* ' if cell is cells[0] else '  '}- {cell}" for cell in cells]
        lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return reStructuredText that shows the text as it is."""
    return re.sub(r"([*|`_])", r"\\\1", text)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
