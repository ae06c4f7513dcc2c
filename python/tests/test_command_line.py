# SPDX-License-Identifier: GPL-2.0-only
"""What users meet: arguments, names of directories, interruptions, disks that are full, no terminal."""

import errno
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from iwarp import cli as command_line
from iwarp import version
from iwarp.runs.runner import Outcome
from iwarp.sweeps import forecast, progress
from iwarp.sweeps.progress import Progress, duration
from iwarp.sweeps.sweeper import plan

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ONE = [
    "--topology",
    "fat-tree",
    "--set",
    "loss=0",
    "reordering=0",
    "middlebox=none",
    "split_proxy=false",
    "ecmp=flow",
    "--runs",
    "1",
]


@pytest.mark.parametrize("arguments", [["loss=0.01", "mtu=9000"], ["--set", "loss=1%", "mtu=9000"],
                                       ["--set", "loss=1%", "--json", "--set", "mtu=9kB"]])  # fmt: skip
def test_parameters_with_and_without_set(cli, arguments):
    code, out, err = cli("run", "--json", *arguments)
    assert (code, err) == (0, "")
    assert (json.loads(out)["params"]["loss"], json.loads(out)["params"]["mtu"]) == (0.01, 9000)


def test_a_study_takes_parameters_without_set(cli, tmp_path):
    code, out, _ = cli("study", "topology=fat-tree", "loss=0", "reordering=0", "middlebox=none", "split_proxy=false",
                       "ecmp=flow", "--runs", "1",
                       "--json", "--out", tmp_path)  # fmt: skip
    assert code == 0 and json.loads(out)["rows"] == 4


def test_a_bare_number_is_no_rate(cli):
    code, out, err = cli("run", "link_rate=10")
    assert (code, out) == (2, "")
    assert err == "iwarp: link_rate=10 has no unit: write 10Gbps, 10Mbps or 10bps\n"


class Clock:
    """Time that goes by only with runs, of which each takes what it says, ``busy:SECONDS``, or 0.01 s."""

    def __init__(self):
        self.now = 0.0
        self.waits = 0.0  #: seconds that a run waits for the processor

    def monotonic(self):
        return self.now

    def begin(self, subject, run, limits):
        kind, _, seconds = str(run.params.get("behaviour", "")).partition(":")
        took = float(seconds) if kind == "busy" else 0.01
        late = took + self.waits > limits.seconds
        self.now += limits.seconds if late else took + self.waits
        outcome = Outcome(status="timeout" if late else "ok", wall=took + self.waits, processor=took)
        return SimpleNamespace(sentinel=None, outcome=lambda: outcome)


@pytest.fixture
def clock(fake, monkeypatch):
    """The time of forecasts."""
    clock = Clock()
    monkeypatch.setattr(forecast, "time", clock)
    monkeypatch.setattr(forecast, "begin", clock.begin)
    monkeypatch.setattr(forecast, "wait", lambda sentinels, seconds: sentinels)
    return clock


def test_dry_run_says_how_much_and_writes_nothing(cli, clock, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = cli("study", *ONE, "--runs", "3", "--dry-run", "--jobs", "2")
    assert code == 0 and out.startswith("4 configurations, 12 runs, about ") and "with 2 processes" in out
    assert not list(tmp_path.iterdir())
    found = json.loads(cli("study", *ONE, "--runs", "3", "--dry-run", "--json", "--jobs", "2")[1])
    assert (found["configurations"], found["runs"]) == (4, 12) and found["seconds"] == pytest.approx(12 * 0.01 / 2)
    slow = ("study", *ONE, "behaviour=busy:0.2", "--dry-run", "--jobs", "1", "--json")
    assert json.loads(cli(*slow)[1])["seconds"] == pytest.approx(0.8)


def test_a_forecast_is_of_what_processes_of_their_own_have_of_a_processor(fake, monkeypatch):
    monkeypatch.setattr(forecast, "BUDGET", 600.0)
    found = forecast.forecast(plan({"behaviour": "busy:0.05", "loss": [0, 0.1]}, 1), 1)
    tried = [took for part in found.parts for took in part.tried]
    assert len(tried) == 2 and min(tried) >= 0.05, "whatever else the processor does meanwhile"


def test_a_forecast_looks_at_the_few_runs_that_take_longest(clock):
    """Of 101 runs 3 take 100 times as long as others: most of the time, and one of twelve seldom meets one."""
    light = {"behaviour": "busy:0.005", "octets": 1000, "loss": [n / 100 for n in range(98)]}
    heavy = {"behaviour": "busy:0.5", "octets": 1000, "flows": [1000, 1001, 1002]}
    runs = plan([light, heavy], 1)
    parts = forecast.split(runs)
    assert sum(map(len, parts)) == 101 and all(r.params["flows"] >= 1000 for part in parts[-2:] for r in part)
    found = forecast.forecast(runs, 1)
    assert {*found.parts[0].tried} == {0.005} and {*found.parts[-1].tried} == {0.5}, "each is reckoned from its like"
    assert found.seconds == pytest.approx(98 * 0.005 + 3 * 0.5) and " about " in str(found)


def test_a_forecast_reckons_what_takes_too_long_by_its_size(clock, monkeypatch):
    """Runs of 0.2 s and one of 50 times the flows, which has no time left."""
    monkeypatch.setattr(forecast, "BUDGET", 3.0)
    runs = plan([{"behaviour": "busy:0.2"}, {"behaviour": "busy:20", "flows": 50}], 1)
    found = forecast.forecast(runs, 1)
    assert "about" in str(found) and "(by 1 of the runs, larger ones by their size)" in str(found)
    assert found.seconds == pytest.approx(0.2 + 50 * 0.2)


def test_a_forecast_does_not_count_what_others_do_meanwhile(clock):
    """A run that waits for the processor longer than it works is reckoned by its work."""
    clock.waits = 1.0
    found = forecast.forecast(plan({"behaviour": "busy:0.05", "loss": [0, 0.1]}, 1), 1)
    assert found.seconds == pytest.approx(2 * 0.05)


def test_a_forecast_says_where_it_is_a_lower_bound(clock, monkeypatch):
    """No run comes to its end in time: each takes at least that long."""
    monkeypatch.setattr(forecast, "BUDGET", 0.2)
    found = forecast.forecast(plan({"behaviour": "busy:10", "loss": [0, 0.1, 0.2, 0.3]}, 1), 1)
    assert "4 runs, at least " in str(found) and found.seconds == pytest.approx(4 * 0.2)


def test_a_second_study_takes_a_name_of_its_own(cli, tmp_path):
    out = tmp_path / "results"
    assert cli("study", *ONE, "--out", out)[0] == 0
    before = (out / "study.json").read_text()
    code, text, err = cli("study", *ONE, "seed=7", "--out", out)
    assert code == 0 and f"report: {tmp_path}/results-2/report.html" in text
    assert f"iwarp: another study is in {out}: this one goes to {out}-2" in err and f"study --resume {out})" in err
    assert (out / "study.json").read_text() == before
    code, text, err = cli("study", *ONE, "--out", out)  # the first again: nothing is left to do
    assert code == 0 and "another study" not in err and f"report: {out}/report.html" in text


def test_a_sweep_and_a_study_keep_apart(cli, tmp_path):
    """Rows of one among those of the other are in nobody's tables, but in what is read of runs.parquet."""
    study, sweep = tmp_path / "study", tmp_path / "sweep"
    assert cli("study", *ONE, "--out", study)[0] == 0
    before = len(pd.read_parquet(study / "runs.parquet"))
    code, out, err = cli("sweep", "loss=0.01", "--out", study)
    assert (code, out, err.count("\n")) == (2, "", 1) and f"{study} has the results of a study" in err
    assert len(pd.read_parquet(study / "runs.parquet")) == before
    assert cli("sweep", "loss=0.01", "--out", sweep)[0] == 0
    code, text, err = cli("study", *ONE, "--out", sweep)
    assert code == 0 and f"a sweep's results are in {sweep}: this one goes to {sweep}-2" in err
    assert not (sweep / "study.json").exists() and f"report: {sweep}-2/report.html" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_a_study_reports_what_it_has(tmp_path, number):
    code = f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]\n"
    code += "import fake; fake.install(); from iwarp.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [
        sys.executable,
        "-c",
        code,
        "study",
        *ONE,
        "--runs",
        "3",
        "behaviour=hang-run:3",
        "--jobs",
        "1",
        "--out",
        "o",
    ]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where a shell began the tests with &
    )  # fmt: skip
    journal = tmp_path / "o" / "runs.journal"
    while not journal.exists() or journal.read_text().count("\n") < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (1, "") and "Traceback" not in err
    assert err.splitlines()[-1] == f"iwarp: interrupted; go on with: {ROOT}/iwarp study --resume o"
    page = (tmp_path / "o" / "report.html").read_text()
    assert "The study was interrupted: 2 of 12 runs are here." in page
    assert json.loads((tmp_path / "o" / "study.json").read_text())["state"] == "interrupted"


def test_the_hint_is_what_can_be_typed(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    assert version.program() == "./iwarp"
    monkeypatch.chdir(tmp_path)
    assert version.program() == f"{ROOT}/iwarp"
    monkeypatch.setattr(version, "clone", lambda: None)
    assert version.program() == "iwarp"


def test_a_full_disk_is_one_line(cli, tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    code, out, err = cli("--quiet", "study", *ONE, "--out", tmp_path)
    assert (code, out) == (1, "")
    assert (
        err == f"iwarp: {tmp_path}/runs.journal cannot be written: No space left on device; the runs before are kept\n"
    )


@pytest.mark.parametrize("what", ["study.json.new", "runs.journal"])
def test_what_cannot_be_written_is_one_line(cli, tmp_path, what):
    (tmp_path / what).mkdir()  # as with a file that is another user's, for root too
    code, out, err = cli("--quiet", "study", *ONE, "--out", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1) and f"{tmp_path}/{what}" in err
    code, out, err = cli("study", *ONE, "--out", "/proc/none/such")
    assert (code, out, err.count("\n")) == (2, "", 1) and "/proc/none/such" in err


def test_anothers_clone_is_one_line(tmp_path):
    """A clone in which nothing can be written: `build` is not there, and cannot be made."""
    clone = tmp_path / "clone"
    subprocess.run(["cp", "-r", "--parents", "python/iwarp", "iwarp", "requirements", clone.mkdir() or clone], cwd=ROOT)
    (clone / "build").write_text("")  # no directory: refused to root as well
    done = subprocess.run(
        [sys.executable, clone / "python/iwarp/_setup/__main__.py", "params"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and f"{clone} has to be writable" in done.stderr


def test_a_command_that_is_missing_is_told_by_its_package():
    machine = __import__("iwarp._setup.machine", fromlist=["machine"])
    assert machine.advise("ninja").endswith("apt-get install ninja-build brings it")
    assert machine.advise("/clone/.venv/bin/python").startswith("what has been set up is no longer whole")


def test_version_before_anything_is_set_up():
    setup = ROOT / "python" / "iwarp" / "_setup" / "__main__.py"
    done = subprocess.run([sys.executable, setup, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"iwarp, version {version.__version__}\n", "")


def test_packages_that_are_missing_are_noticed(tmp_path, monkeypatch):
    machine = __import__("iwarp._setup.machine", fromlist=["machine"])
    monkeypatch.setattr(machine, "PREFIXES", (tmp_path,))
    wanted = {"libns3-dev": "lib/x86_64/pkgconfig/ns3-internet.pc", "libgsl-dev": "include/gsl/gsl_version.h"}
    for package, file in wanted.items():
        there = machine.FOR_DEBIANS_NS3[package]
        assert not there()
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
        assert there()


def test_every_command_is_known_before_anything_is_set_up(cli):
    catalog = __import__("iwarp._setup.catalog", fromlist=["COMMANDS"]).COMMANDS
    modules = pkgutil.iter_modules(command_line.commands.__path__)
    assert sorted(catalog) == sorted(m.name for m in modules if not m.name.startswith("_"))
    assert list(catalog) == command_line.cli.list_commands(None)


def test_installed_it_lists_what_works_there(cli, monkeypatch):
    monkeypatch.setattr(command_line, "clone", lambda: None)
    code, out, _ = cli("--help")
    commands = {line.split()[0] for line in out.partition("Commands:")[2].splitlines() if line.strip()}
    assert code == 0 and {"study", "run", "params", "decode"} <= commands
    assert not commands & {"build", "test", "bench", "conformance"}
    code, _, err = cli("test")
    assert code == 2 and err == 'iwarp: "test" works in a clone of the repository only: ./iwarp test\n'


@pytest.mark.parametrize("arguments", [["--quiet", "study"], ["study", "--quiet"]])
def test_quiet(cli, tmp_path, arguments):
    code, _, err = cli(*arguments, *ONE, "--out", tmp_path)
    assert (code, err) == (0, "")


def test_without_a_terminal_there_is_a_plain_line_now_and_then(capsys, monkeypatch):
    now = [0.0]
    progress.set_quiet(False)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    bar = Progress("sweep", 100)
    for i in range(100):
        now[0] += 1
        bar.update(failed=i == 10)
    bar.close()
    assert capsys.readouterr().err.splitlines() == [
        "sweep: 30/100 runs, 1 failed, 30 s, about 70 s left",
        "sweep: 60/100 runs, 1 failed, 60 s, about 40 s left",
        "sweep: 90/100 runs, 1 failed, 90 s, about 10 s left".replace("90 s", "2 min"),
        "sweep: 100/100 runs, 1 failed, 2 min",
    ]


def test_durations():
    assert [duration(s) for s in (0.4, 89, 90, 3600, 7200, 12_000)] == [
        "0 s",
        "89 s",
        "2 min",
        "60 min",
        "2 h 0 min",
        "3 h 20 min",
    ]


def test_tables_of_a_study_are_numbers(cli, tmp_path):
    assert cli("study", *ONE, "--runs", "2", "--out", tmp_path)[0] == 0
    table = pd.read_csv(tmp_path / "topologies.csv")
    assert table["Alignment kept, nothing added [share]"].tolist() == [1.0]
