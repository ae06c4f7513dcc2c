# SPDX-License-Identifier: GPL-2.0-only
"""Each fault of test/mutants/ is noticed by a suite in C++, or explained."""


def test_no_mutant_survives(real_cli):
    code, out, err = real_cli("mutants")
    assert code == 0, out + err
