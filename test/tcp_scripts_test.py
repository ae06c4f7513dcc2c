#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tables of doc/tcp.rst: one has the cases of the suite tcp-script, and what Rfc9293TcpSocket does; the other names
functions, objects and tests that there are.

What TcpSocketBase does is ns-3's matter: it is not compared. With --write the first table is written anew.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
RUNNER = Path(os.environ.get("IWARP_BUILD_DIR", ROOT / "build")) / "iwarp-test"
TABLE = ROOT / "doc" / "tables" / "tcp-scripts.csv"
MENDS = ROOT / "doc" / "tables" / "tcp-mends.csv"
HEAD = ["RFC", "case", "Rfc9293TcpSocket", "TcpSocketBase"]
MARK = "SCRIPT "


def play() -> list[list[str]]:
    """Return the rows of the table as the scripts go."""
    environment = {**os.environ, "IWARP_TCP_SCRIPTS": "1"}
    command = [str(RUNNER), "--suite=tcp-script"]
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    lines = [line.removeprefix(MARK).split("\t")[0] for line in out.splitlines() if line.startswith(MARK)]
    return [HEAD, *csv.reader(lines)]


def unknown_names(cases: set[str]) -> list[str]:
    """Return what the table of mends names and is not there. ``cases`` are those of the scripts."""
    sources = "".join(path.read_text() for path in sorted((ROOT / "model" / "tcp").iterdir()))
    texts = "".join(path.read_text() for path in sorted((ROOT / "test").glob("*/*.cc")))
    suites = set(re.findall(r'TEST_SUITE\(\w+,\s*"([\w-]+)"|\bTestSuite\("([\w-]+)"', texts))
    suites = {one or other for one, other in suites}
    with MENDS.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    faults = [name for row in rows for name in row[3].split("; ") if name not in sources]
    for row in rows:
        for test in row[4].split("; "):
            suite, _, case = test.partition(": ")
            if suite not in suites or (case and case not in cases):
                faults.append(test)
    return faults


def main() -> int:
    rows = play()
    if "--write" in sys.argv:
        with TABLE.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return 0
    with TABLE.open(newline="") as file:
        written = list(csv.reader(file))
    faults = [row for row in written if row[:3] not in [other[:3] for other in rows]]
    lacking = [row for row in rows if row[:3] not in [other[:3] for other in written]]
    for row in faults:
        print(f"{TABLE.name} has what the suite has not: {row}")
    for row in lacking:
        print(f"{TABLE.name} lacks {row}")
    unknown = unknown_names({row[1] for row in rows})
    for name in unknown:
        print(f"{MENDS.name} names {name}, which is not there")
    return 1 if faults or lacking or unknown or len(rows) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
