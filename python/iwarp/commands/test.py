# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp test``: every test through CTest, counted case by case."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import click

from .._setup import ROOT, SetupError, builder, environment, machine
from ..development import requirement_record, slow_tests


@click.command("test")
@click.option("-R", "regex", metavar="REGEX", help="Only the tests whose name matches.")
@click.option("--quick", is_flag=True,
              help="Without those of test/slow-tests.txt: two minutes from a finished build.")
@click.option("--nightly", is_flag=True, help="The long cases too, and the suites in C++ again with --sanitize.")
@click.option("--sanitize", is_flag=True,
              help="The suites in C++ alone, with the sanitizers for addresses and undefined behaviour.")
@click.option("--ns3", "form", type=click.Choice(builder.FORMS), default="wheel", show_default=True,
              help="The build to test.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="processors",
              help="How many tests run at a time.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(regex: str | None, quick: bool, nightly: bool, sanitize: bool, form: str, jobs: int,
            as_json: bool) -> int:  # fmt: skip
    """Run every test: the suites in C++, the scripts, and the tests of the Python package.

    The last line counts test cases: N passed, N failed, N skipped. `./iwarp conformance` shows which
    requirements of the RFCs the tests that passed have checked.
    """
    begin = time.monotonic()
    if quick and (nightly or sanitize):
        raise click.UsageError("--quick leaves tests out that --nightly and --sanitize are for: choose one of them")
    try:
        re.compile(regex or "")
    except re.error as error:
        raise click.BadParameter(f'"{regex}" is no regular expression: {error}', param_hint="-R") from None
    counts: Counter[str] = Counter()
    try:
        if not sanitize:
            machine.provide({}, machine.FOR_TESTS | (machine.FOR_NIGHTLY if nightly else {}))
            # the tests of Debian's build take the system's Python
            groups = ["test"] if form == "wheel" else []
            place = environment.provide(*groups, beside=lambda: builder.build(form))
            selection = ["-C", "nightly"] if nightly else ["-E", slow_tests.as_regex()] if quick else []
            counts += _run(place, regex, jobs, selection)
        if sanitize or nightly:
            # the long cases too would take hours
            place = builder.build(form, "iwarp-test", sanitize=True)
            counts += _run(place, regex, jobs, ["-L", "^suite$"])
    except SetupError as error:
        raise click.ClickException(str(error)) from None
    if not sum(counts.values()):
        raise click.UsageError(f'no test matches "{regex}": `ctest -N` in {place} lists them')
    if as_json:
        seconds = round(time.monotonic() - begin, 1)
        click.echo(json.dumps({k: counts[k] for k in ("passed", "failed", "skipped")} | {"seconds": seconds}))
    else:
        click.echo(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def _run(place: Path, regex: str | None, jobs: int, selection: list[str]) -> Counter[str]:
    report = place / "iwarp-tests.xml"
    report.unlink(missing_ok=True)
    arguments = ["ctest", "--output-on-failure", "--no-tests=ignore", "-j", str(jobs), "--output-junit", str(report)]
    # the report holds what each test says, and the cases are counted there
    arguments += ["--test-output-size-passed", "10000000", "--test-output-size-failed", "10000000"]
    arguments += [*selection, *(["-R", regex] if regex else [])]
    subprocess.run(arguments, cwd=place, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if not report.exists():
        return Counter()
    return read_report(report, place / requirement_record.NAME, whole=not (regex or "-E" in selection))


def read_report(report: Path, record: Path, whole: bool) -> Counter[str]:
    """Count the cases in CTest's report, and record which requirements the tests that passed have covered."""
    counts: Counter[str] = Counter()
    covered = {}
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        status, output = test.get("status", ""), test.findtext("system-out") or ""
        counts.update(count(status, output))
        covered[test.get("name", "")] = requirement_record.entry(output if status == "run" else "", ROOT)
    requirement_record.update(record, covered, whole)
    return counts


def count(status: str, output: str) -> Counter[str]:
    """Count the cases of one CTest test by its status and by what it printed."""
    if status in ("notrun", "disabled"):
        return Counter(skipped=1)
    counts = Counter(_pytest_cases(output) or _suite_cases(output))
    if status != "run":
        # however it failed: a case of its own, a crash, a time-out
        counts["failed"] = max(counts["failed"], 1)
    return counts if sum(counts.values()) else Counter(passed=1)


def _pytest_cases(output: str) -> dict[str, int]:
    summary = re.findall(r"^(?:=+ )?(\d+ (?:passed|failed|skipped|error).*) in [\d.]+s", output, re.MULTILINE)
    if not summary:
        return {}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed)\b", summary[-1]):
        counts[{"xfailed": "passed", "xpassed": "failed"}.get(word, "failed" if "error" in word else word)] += int(
            number
        )
    return counts


def _suite_cases(output: str) -> dict[str, int]:
    """Count the leaves of the tree of cases that ns-3's test runner prints."""
    results = re.findall(r"^( *)(PASS|FAIL|CRASH|SKIP) .* \d+\.\d+ s$", output, re.MULTILINE)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    followers = [len(indent) for indent, _ in results[1:]] + [0]
    for (indent, word), following in zip(results, followers, strict=False):
        if following <= len(indent):
            counts[{"PASS": "passed", "SKIP": "skipped"}.get(word, "failed")] += 1
    return counts
