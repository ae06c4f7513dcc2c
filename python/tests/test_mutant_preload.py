# SPDX-License-Identifier: GPL-2.0-only
"""Faults of sources in C++ are noticed, within seconds: they are in a small library that is loaded before libiwarp."""

import pytest
from iwarp.development import mutant_preload, mutants
from iwarp.errors import IwarpError

#: one that nobody can notice: suites notice the fault that is on, not that another library is there
SAME = mutants.Mutant("same-1", "same", "model/path/link/path-prefix.cc", "nothing is wrong", "m_text.empty()",
                      "m_text.size() == 0", "PathPrefix::Matches")  # fmt: skip
#: what libiwarp alone calls, and where callers are compiled in the same batch: not reached, or by few suites only
BOUND = {"ddp-46", "mpa-12", "mpa-13", "verbs-10", "verbs-11"}


def test_each_fault_of_sources_that_stand_alone_is_noticed(tmp_path):
    every = mutants.load()
    verdicts = mutant_preload.judge([*every, SAME], tmp_path, print)
    survive = {verdict.mutant.name for verdict in verdicts if verdict.state == "survives"}
    assert survive - BOUND == {"same-1"}, "./iwarp mutants --quick --id NAME says whether other suites notice it"
    sources = {path for folder in mutant_preload.SUBJECTS for path in mutant_preload.list_sources(folder)}
    ours = {mutant.name for mutant in every if mutant.path in sources}
    assert ours - {verdict.mutant.name for verdict in verdicts} <= BOUND
    assert len(ours) >= 170 and {verdict.mutant.path for verdict in verdicts} == sources


def test_what_does_not_compile_is_told(tmp_path):
    wrong = mutants.Mutant("wrong-1", "wrong", SAME.path, "no such name", SAME.old, "m_texts.empty()", SAME.context)
    with pytest.raises(IwarpError, match="the mutants do not compile:\n(.*\n)*.*m_texts"):
        mutant_preload.judge([wrong], tmp_path, print)
