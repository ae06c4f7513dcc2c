# SPDX-License-Identifier: GPL-2.0-only
"""Which tests `./iwarp test --quick` leaves out: those that take long for what they alone notice."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).resolve().parents[3] / "test" / "slow-tests.txt"


def load(file: Path = FILE) -> list[str]:
    """Return the names of CTest that the file has, one a line, without its remarks."""
    lines = (line.strip() for line in file.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def as_regex() -> str:
    """Return a regular expression of CTest for all of them."""
    return f"^({'|'.join(load())})$"
