# SPDX-License-Identifier: GPL-2.0-only
"""Experiments and tables that the documentation rests on, made again: what `./iwarp reproduce` does, as a test."""

import pytest
from iwarp.errors import IwarpError
from iwarp.reproduction.rows import DIFFERS
from iwarp.reproduction.subjects import EXPERIMENTS, Subject, everything
from iwarp.reproduction.tables import TABLES
from iwarp.runs import loader

NAMES = [made.name for made in (*EXPERIMENTS, *TABLES)]
BRIEF = 0.1  #: minutes of a processor below which one is made again by each run of the tests


def subject(name: str) -> Subject:
    """Return what has this name."""
    return next(one for one in everything() if one.name == name)


def is_brief(name: str) -> bool:
    """Tell whether an experiment or a table takes few seconds."""
    return subject(name).is_quick and (subject(name).minutes or 0) < BRIEF


def repeat(name: str, directory, seed: int = 1) -> None:
    """Make an experiment or a table again, and assert that each figure or line agrees with the documented one."""
    try:
        loader.find()
    except IwarpError as error:
        pytest.skip(str(error))
    one = subject(name)
    rows = one.make(one.stated(), seed, directory)
    for row in rows:
        print(row.name or row.about, row.documented, row.new, row.allowed, row.verdict)
    assert rows and not [row for row in rows if row.verdict == DIFFERS]
