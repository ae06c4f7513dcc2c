#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An oracle for each metric: a test outside snapshots names each metric that a run may report.

Bounds of an interval (``_low``, ``_high``) are asked for with what they are around, and what ``plain_tcp_`` has of
links and queues with the same of the flows, since one function reports both.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOTS = ("recorded_scenarios.py",)  #: of all metrics of a run as they were before, whatever is right


def asked_for(metric: str, metrics: Collection[str]) -> str:
    """Return the metric that a test has to name for this one."""
    base = re.sub(r"_(low|high)$", "", metric)
    base = base if base in metrics else metric
    flows = base.removeprefix("plain_tcp_")
    return flows if flows in metrics else base


def faults(metrics: Collection[str], named: Collection[str]) -> Iterator[str]:
    """Yield what is wrong, with all metrics and the names in tests."""
    for metric in sorted({asked_for(metric, metrics) for metric in metrics} - set(named)):
        yield f"{metric}: no test names it; compute it by hand in one"


def faults_of_the_rule() -> Iterator[str]:
    """Yield what the rule takes or refuses wrongly."""
    metrics = ["a", "b_p99", "b_p99_low", "plain_tcp_a", "c_low"]
    for named, count in ((["a", "b_p99", "c_low"], 0), (["a", "b_p99"], 1), (["a", "b_p99_low", "c_low"], 1),
                         (["plain_tcp_a", "b_p99", "c_low"], 1), ([], 3)):  # fmt: skip
        found = list(faults(metrics, named))
        if len(found) != count:
            yield f"the rule finds {found} with {named}"


def main() -> int:
    with open(ROOT / "doc" / "tables" / "metrics.csv") as file:
        metrics = [row[0] for row in csv.reader(file)][1:]
    paths = [path for path in (ROOT / "test").rglob("*") if path.suffix in (".cc", ".h", ".py")]
    paths += (ROOT / "python" / "tests").glob("*.py")
    texts = [path.read_text() for path in sorted(paths) if path.name not in SNAPSHOTS and path != Path(__file__)]
    text = "\n".join(texts)
    named = set(re.findall(r"[\"']([a-z][a-z0-9_]*)[\"']", text))
    found = [*faults_of_the_rule(), *faults(metrics, named)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
