#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The table of doc/tcp.rst has the cases of the suite tcp-script, and what MpaTcpSocket does.

What TcpSocketBase does is ns-3's matter: it is not compared. With --write the table is written anew.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
RUNNER = Path(os.environ.get("IWARP_BUILD_DIR", ROOT / "build")) / "iwarp-test"
TABLE = ROOT / "doc" / "tables" / "tcp-scripts.csv"
HEAD = ["RFC", "case", "MpaTcpSocket", "TcpSocketBase"]
MARK = "SCRIPT "


def play() -> list[list[str]]:
    """Return the rows of the table as the scripts go."""
    environment = {**os.environ, "IWARP_TCP_SCRIPTS": "1"}
    command = [str(RUNNER), "--suite=tcp-script"]
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    lines = [line.removeprefix(MARK).split("\t")[0] for line in out.splitlines() if line.startswith(MARK)]
    return [HEAD, *csv.reader(lines)]


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
    return 1 if faults or lacking or len(rows) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
