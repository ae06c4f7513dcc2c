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
    from iwarp.runs import scenario

    backend = FakeBackend()
    monkeypatch.setattr(scenario, "backend", lambda: backend)
    return backend


@pytest.fixture
def real_cli(capfd):
    """Call the command line; get exit code, standard output, standard error."""
    from iwarp.cli import main

    def call(*arguments):
        code = main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def cli(fake, real_cli):
    """Call the command line, with the backend of known answers, as with real_cli."""
    return real_cli


@pytest.fixture
def covers(request):
    """Record that the assertion right before the call checks requirements: ``covers("MPA-4.2-06")``."""
    def record(ids):
        place = sys._getframe(1)
        print(f"\nCOVERS {ids} | {place.f_code.co_filename}:{place.f_lineno} | {request.node.name}")

    return record
