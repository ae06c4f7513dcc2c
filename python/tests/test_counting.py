# SPDX-License-Identifier: GPL-2.0-only
"""What `iwarp test` builds and runs, and how it counts cases, on what CTest's reports hold."""

import subprocess
from pathlib import Path

import pytest
from iwarp._setup import SetupError, builder, environment, machine
from iwarp.cli import main
from iwarp.commands.test import count

SUITE = """PASS mpa-marker 0.010 s
  PASS positions 0.004 s
  PASS wrap 0.006 s
"""
FAILED_SUITE = """FAIL mpa-marker 0.010 s
  PASS positions 0.004 s
  FAIL wrap 0.006 s
    Test condition: "a" == "b"
"""
NESTED = """PASS outer 0.010 s
  PASS group 0.004 s
    PASS first 0.002 s
    PASS second 0.002 s
  PASS alone 0.001 s
"""


@pytest.mark.parametrize(
    ("status", "output", "expected"),
    [
        ("run", SUITE, (2, 0, 0)),
        ("fail", FAILED_SUITE, (1, 1, 0)),
        ("run", NESTED, (3, 0, 0)),
        ("run", "PASS single 0.000 s\n", (1, 0, 0)),
        # a crash after the first case, before the suite has said anything of itself
        ("fail", "assert failed\n", (0, 1, 0)),
        ("fail", SUITE, (2, 1, 0)),
        ("run", "....\n4 passed in 1.20s\n", (4, 0, 0)),
        ("fail", "==== 1 failed, 3 passed, 2 skipped, 1 xfailed in 61.20s (0:01:01) ====\n", (4, 1, 2)),
        ("fail", "1 error in 0.10s\n", (0, 1, 0)),
        ("run", "", (1, 0, 0)),
        ("fail", "", (0, 1, 0)),
        ("notrun", "", (0, 0, 1)),
    ],
)
def test_count(status, output, expected):
    counts = count(status, output)
    assert (counts["passed"], counts["failed"], counts["skipped"]) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], [("build", "all", [])]),
        (["--sanitize"], [("build-sanitize", "iwarp-test", ["-L", "^suite$"])]),
        (["--sanitize", "--ns3", "debian"], [("build-debian-sanitize", "iwarp-test", ["-L", "^suite$"])]),
        (["--nightly"], [("build", "all", ["-C", "nightly"]), ("build-sanitize", "iwarp-test", ["-L", "^suite$"])]),
    ],
)
def test_which_builds_are_tested(cli, monkeypatch, tmp_path, options, expected):
    built, done = [], []

    def build(form="wheel", target="all", sanitize=False):
        place = tmp_path / builder.directory(form, sanitize).name
        place.mkdir()
        built.append((place.name, target))
        return place

    def run(arguments, cwd, **_):
        places = [i for i, a in enumerate(arguments) if a in ("-C", "-L")]
        done.append([a for i in places for a in arguments[i : i + 2]])
        report = (
            '<testsuite><testcase name="a" status="run"><system-out>PASS a 0.010 s</system-out></testcase></testsuite>'
        )
        (Path(cwd) / "iwarp-tests.xml").write_text(report)

    monkeypatch.setattr(builder, "build", build)
    monkeypatch.setattr(environment, "lacking", lambda _: [])
    monkeypatch.setattr(machine, "provide", lambda *_: None)
    monkeypatch.setattr(subprocess, "run", run)
    code, out, _ = cli("test", *options)
    assert code == 0 and out.splitlines()[-1] == f"{len(expected)} passed, 0 failed, 0 skipped"
    assert [(*place, chosen) for place, chosen in zip(built, done, strict=True)] == expected


def test_what_tests_are_skipped_without_is_provided(monkeypatch, capsys):
    """A machine without a browser, on which we are root: the package is installed before anything is built."""
    calls = []
    monkeypatch.setattr(machine.shutil, "which", lambda name: None if name in machine.BROWSERS else f"/usr/bin/{name}")
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        machine, "call", lambda command, **_: calls.append(command) or subprocess.CompletedProcess([], 0)
    )

    def build(*_):
        raise SetupError("enough")

    monkeypatch.setattr(builder, "build", build)
    monkeypatch.setattr(environment, "lacking", lambda _: [])
    assert main(["test"]) == 1
    assert [command[-1] for command in calls] == ["chromium"] and calls[0][:2] == ["apt-get", "install"]
    assert capsys.readouterr().err == "iwarp: apt-get install chromium\niwarp: enough\n"
