# SPDX-License-Identifier: GPL-2.0-only
"""Each fault of test/mutants/ is noticed by a suite, or explained, or known to survive; of those of rules most are."""

import json
from collections import Counter
from pathlib import PurePath

from iwarp.development import mutants

#: a sample that stays the same where sources do; one build has all faults
COUNT = 100
SAMPLE = ("--generated", str(COUNT), "--seed", "1", "--json")
#: doc/testing.rst: the quick suites noticed 77 % of all; a hundred draws have 68 or more of those 98 times in 100
LEAST = 68


def table(verdicts: list[dict]) -> str:
    """A line for each folder of the sample, and one for each fault that survives."""
    folders = Counter((str(PurePath(verdict["path"]).parent), verdict["state"]) for verdict in verdicts)
    lines = [f"{folder}: {folders[folder, 'noticed']} noticed, {folders[folder, 'survives']} survive"
             for folder in sorted({folder for folder, _ in folders})]  # fmt: skip
    survive = (verdict for verdict in verdicts if verdict["state"] == "survives")
    return "\n".join([*lines, *(f"{v['path']}, {v['meaning']}: {v['old']}" for v in survive)])


def test_no_other_mutant_survives(real_cli):
    ours = [word for mutant in mutants.load() for word in ("--id", mutant.name)]
    code, out, err = real_cli("mutants", *SAMPLE, *ours)
    assert out, err
    survive = [mutant for mutant in json.loads(out) if mutant["state"] == "survives"]
    assert code == (1 if survive else 0), err
    assert not [mutant["name"] for mutant in survive if not mutant["known"]]


def test_most_faults_that_rules_make_are_noticed(real_cli):
    """The report of the test lists the others."""
    _, out, err = real_cli("mutants", *SAMPLE, "--quick", "--room", "generated")
    verdicts = json.loads(out)
    print(table(verdicts))
    assert len(verdicts) == COUNT, err
    assert sum(verdict["state"] == "noticed" for verdict in verdicts) >= LEAST
