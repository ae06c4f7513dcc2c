# SPDX-License-Identifier: GPL-2.0-only
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


@pytest.fixture
def fake(monkeypatch):
    """The backend with known answers, for one test."""
    from fake import FakeBackend
    from iwarp import scenario

    backend = FakeBackend()
    monkeypatch.setattr(scenario, "backend", lambda: backend)
    return backend


@pytest.fixture
def cli(fake, capfd):
    """Call the command line; get exit code, standard output, standard error."""
    from iwarp.cli import main

    def call(*arguments):
        code = main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call
