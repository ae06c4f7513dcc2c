# SPDX-License-Identifier: GPL-2.0-only
"""What a study gives to be copied into a paper, against LaTeX written by hand."""

import shutil
import subprocess

import pandas as pd
import pytest
from iwarp.report.cells import number, write_table
from iwarp.report.latex import citation, escape, tabular

TABLE = pd.DataFrame([{"Sender": "aligned_1", "Memory": number(6250, "octets", 12), "Share": number(0.5, "share")}])
BY_HAND = r"""\begin{tabular}{lrr}
\toprule
Sender & Memory & Share \\
\midrule
aligned\_1 & 6.1 KiB $\pm$ 12 octets & 50 \% \\
\bottomrule
\end{tabular}
"""


def test_a_table_is_a_tabular_of_what_people_read(tmp_path):
    assert tabular(TABLE) == BY_HAND
    write_table(TABLE, tmp_path / "t.csv")
    assert (tmp_path / "t.tex").read_text() == BY_HAND


def test_what_latex_would_take_for_its_own_is_escaped():
    assert escape(r"a\b & 3 µs² {x} ~") == r"a\textbackslash{}b \& 3 \textmu{}s$^2$ \{x\} \textasciitilde{}"
    assert escape("5 % of #1_$ ≤ <2>") == r"5 \% of \#1\_\$ $\le$ \textless{}2\textgreater{}"


def test_a_citation_names_versions_and_command():
    found = citation("What alignment buys", "./iwarp study alignment --set a_b=1",
                     {"iwarp": "0.1.0", "commit": "abc-dirty", "library": "0123", "ns3": "3.44"})  # fmt: skip
    assert found.splitlines() == [
        "@misc{iwarp-abc-dirty,",
        "  title = {{iwarp}: What alignment buys},",
        "  author = {{The iwarp authors}},",
        "  note = {iwarp 0.1.0, commit abc-dirty, library 0123, ns-3 3.44; made by "
        r"\texttt{./iwarp study alignment --set a\_b=1}},",
        "}",
    ]
    assert citation("A", "b", {"iwarp": "0.1.0", "commit": ""}).startswith("@misc{iwarp-0.1.0,\n")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX")
def test_latex_takes_it(tmp_path):
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}" + tabular(TABLE) + "\\end{document}"
    )
    subprocess.run(["pdflatex", "-interaction=batchmode", "t.tex"], cwd=tmp_path, check=True, capture_output=True)
