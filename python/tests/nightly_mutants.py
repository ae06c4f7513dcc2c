# SPDX-License-Identifier: GPL-2.0-only
"""Each fault of test/mutants/ is noticed by a suite in C++, or explained, or known to survive."""

import json


def test_no_other_mutant_survives(real_cli):
    code, out, err = real_cli("mutants", "--json")
    survive = [mutant for mutant in json.loads(out) if mutant["state"] == "survives"]
    assert code == (1 if survive else 0), err
    assert not [mutant["name"] for mutant in survive if not mutant["known"]]
