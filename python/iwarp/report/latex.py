# SPDX-License-Identifier: GPL-2.0-only
"""Tables and the citation of a study as LaTeX takes them, to be copied into a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "−": r"$-$", "µ": r"\textmu{}", "²": r"$^2$",
    "–": "--", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$", "<": r"\textless{}", ">": r"\textgreater{}",
    "\N{NO-BREAK SPACE}": "~", "\N{NON-BREAKING HYPHEN}": "-",
}  # fmt: skip


def escape(text: str) -> str:
    """Return a text whose characters LaTeX prints as they are."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def tabular(rows: pd.DataFrame) -> str:
    """Return a table of cells as a ``tabular`` with the rules of package booktabs: texts to the left, others right."""
    lefts = [all(isinstance(cell, str) for cell in rows[name]) for name in rows]
    lines = [r"\begin{tabular}{" + "".join("l" if left else "r" for left in lefts) + "}", r"\toprule"]
    lines += [_row(list(rows)), r"\midrule", *(_row(list(row)) for row in rows.itertuples(index=False)), r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def citation(title: str, command: str, versions: Mapping[str, str]) -> str:
    """Return an entry for BibTeX that names a study's run: versions of all that it was made with, and its command."""
    commit = versions.get("commit") or versions["iwarp"]
    named = [f"iwarp {versions['iwarp']}", *([f"commit {commit}"] if versions.get("commit") else [])]
    named += [f"library {versions['library']}"] if versions.get("library") else []
    named += [f"ns-3 {versions['ns3']}"] if versions.get("ns3") else []
    fields = {
        "title": f"{{iwarp}}: {escape(title)}",
        "author": "{The iwarp authors}",
        "note": f"{escape(', '.join(named))}; made by \\texttt{{{escape(command)}}}",
    }
    texts = [f"  {name} = {{{text}}}," for name, text in fields.items()]
    return "\n".join([f"@misc{{iwarp-{commit},", *texts, "}"]) + "\n"


def _row(cells: Sequence[object]) -> str:
    return " & ".join(escape(str(cell)) for cell in cells) + r" \\"
