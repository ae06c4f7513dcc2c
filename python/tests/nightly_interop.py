# SPDX-License-Identifier: GPL-2.0-only
"""All cases of ``iwarp interop``, in the emulated machine; skipped only where there can be none."""

import pytest
from iwarp._setup import SetupError
from iwarp.development import interop, interop_machine

PATIENCE = 4  #: other tests run at the same time


def test_all_cases_are_as_expected(tmp_path):
    if reason := interop_machine.lacking():
        pytest.skip(reason)
    try:
        interop_machine.provide()
    except SetupError as error:
        pytest.skip(f"packages cannot be installed: {error}")
    outcomes = list(interop.run(interop.choose(()), tmp_path, PATIENCE))
    assert not [(o.case.name, *o.why) for o in outcomes if not o.good]
