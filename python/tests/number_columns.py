# SPDX-License-Identifier: GPL-2.0-only
"""What a file of a study may not hold: numbers as texts."""

import re

from iwarp.report.cells import numbers

_NUMBER = re.compile(r"[+−-]?\d[\d,]*(\.\d+)?( ±.*)?( (%|[kMGTµmn]?(s|bit/s|octets/s)|octets|[KMG]iB))?( of \d+)?")


def check(tables):
    """Assert that what the tables' files hold are numbers, apart from words."""
    for table in tables:
        for name, cells in numbers(table.rows).items():
            texts = [cell for cell in cells if isinstance(cell, str) and _NUMBER.fullmatch(cell)]
            assert not texts, f"{table.name}.csv, {name}: {texts[:3]}"
