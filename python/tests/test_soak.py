# SPDX-License-Identifier: GPL-2.0-only
"""Soak testing: batches follow from the seed, faults are found, made small and told with what repeats them."""

import itertools
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from iwarp._setup import builder
from iwarp.cli import main
from iwarp.development import soak


@pytest.fixture
def place(tmp_path):
    """Programs in the place of a build: a fuzz target that fails on octets X and Y in this order, and a test runner
    that fails with seed 4 or higher."""
    found = soak.Place(tmp_path, tmp_path, tmp_path / "out", sanitized=False)
    found.out.mkdir()
    found.fuzz.mkdir(parents=True)
    script(found.fuzz / "fuzz-roce", """
        import os, re, sys
        if sys.argv[1].isdigit():
            data = b"abcXdefYghi" * (int(sys.argv[2]) > 2000)
            open(os.environ.get("FUZZ_KEEP", os.devnull), "wb").write(data)
        else:
            data = open(sys.argv[1], "rb").read()
        if re.search(b"X.*Y", data):
            print("model/x.cc:1: not so: X comes before Y", file=sys.stderr)
            os.abort()
        """)  # fmt: skip
    script(found.tests, """
        import os, sys
        print("test=\\"a == b\\" actual=\\"1\\"")
        sys.exit(int(os.environ["IWARP_TEST_SEED"]) >= 4 * 100_003)
        """)  # fmt: skip
    return found


def script(path, text):
    body = "\n".join(line.removeprefix(" " * 8) for line in text.strip("\n").splitlines())
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(0o755)


def run(place, name, batches, seed=1):
    """Run so many batches of a driver, however long they take."""
    trial = soak.Soak(soak.choose([name]), place, seed, 3600, jobs=1)
    taken = itertools.islice(iter(trial.take, None), batches)
    trial.take = lambda: next(taken, None)
    return trial.run()[name]


def test_an_input_that_fails_is_made_small(place):
    tally = run(place, "fuzz-roce", 3)
    assert tally.cases == 3000
    (fault,) = tally.faults
    assert "not so: X comes before Y" in fault.text and "signal 6" in fault.text
    program, file = shlex.split(fault.command)
    assert Path(file).read_bytes() == b"XY"
    assert subprocess.run([program, file], stderr=subprocess.DEVNULL).returncode != 0


def test_a_suite_that_fails_is_repeated_by_its_seed(place):
    tally = run(place, "rdmap-random", 5)
    assert tally.cases == 5 and len(tally.faults) == 2
    repeated = [subprocess.run(shlex.split(f.command), capture_output=True).returncode for f in tally.faults]
    assert repeated == [1, 1] and "IWARP_TEST_SEED=400012 " in tally.faults[0].command


def test_another_seed_has_other_cases(place):
    command, _ = soak.choose(["scenarios"])[0].command(place, 7, 60)
    assert shlex.join(command).endswith("--first 7 --trials 1000 --seconds 60 --minimise --one")
    tally = run(place, "rdmap-random", 1, seed=2)
    assert "IWARP_TEST_SEED=1218852195 " in tally.faults[0].command


def test_laws_that_are_broken_are_told_one_by_one(place):
    ended = soak.Ended(1, "seed 5\n    content: 3 octets are not as they were sent\n    ./iwarp run a=1\n"
                          "seed 8\n    repeat: x 1 and 2\n    clear: y\n    ./iwarp run b=2\n"
                          "90 trials {'ok': 90}, 2 with faults {}\n")  # fmt: skip
    laws = soak.choose(["scenarios"])[0]
    found = list(laws.faults(place, 1, ended))
    assert [f.command for f in found] == ["./iwarp run a=1", "./iwarp run b=2"]
    assert found[1].text == "seed 8: repeat: x 1 and 2; clear: y" and laws.cases(ended) == 90
    crashed = list(laws.faults(place, 1, soak.Ended(-11, "what was said before\n")))
    assert len(crashed) == 1 and "signal 11" in crashed[0].text and "scenario_laws.py" in crashed[0].command


def test_a_batch_that_is_cut_off_does_not_count(place, monkeypatch):
    script(place.tests, """
        import time
        time.sleep(3600)
        """)  # fmt: skip
    monkeypatch.setattr(soak, "GRACE", 0.5)
    tally = soak.Soak(soak.choose(["tcp-rack"]), place, 1, 0.5, jobs=1).run()["tcp-rack"]
    assert tally.cases == 0 and not tally.faults


def test_a_batch_that_hangs_when_the_time_is_over_is_a_fault(place, monkeypatch):
    script(place.tests, """
        import time
        time.sleep(3600)
        """)  # fmt: skip
    monkeypatch.setattr(soak, "GRACE", 0.5)
    monkeypatch.setattr(soak, "LONG", 0.2)
    (fault,) = soak.Soak(soak.choose(["tcp-rack"]), place, 1, 1, jobs=1).run()["tcp-rack"].faults
    assert "has not ended after" in fault.text and "--suite=tcp-rack" in fault.command


def test_an_interrupted_soak_begins_nothing_more(place, monkeypatch):
    script(place.tests, "pass")
    trial = soak.Soak(soak.choose(["tcp-rack"]), place, 1, 5, jobs=2)
    taken = []
    take = trial.take

    def interrupt():
        taken.append(take())
        if len(taken) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return taken[-1]

    monkeypatch.setattr(trial, "take", interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            trial.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert 3 <= len(taken) < 120  # of some 300


def test_an_interrupted_soak_keeps_what_it_has_found(tmp_path, monkeypatch):
    def interrupted(trial, tell):
        trial.tallies["tcp-rack"].cases = 7
        raise KeyboardInterrupt

    monkeypatch.setattr(builder, "build", lambda *_, **__: tmp_path)
    monkeypatch.setattr(soak.Soak, "run", interrupted)
    main(["soak", "1", "--no-sanitizers", "--only", "tcp-rack", "--out", str(tmp_path)])
    assert json.loads((tmp_path / "soak.json").read_text())["drivers"]["tcp-rack"]["cases"] == 7


def test_every_driver_has_what_it_runs():
    """All suites that shift their seeds, and all fuzz targets, are of the build."""
    build = soak.ROOT / "build"
    listed = subprocess.run([build / "iwarp-test", "--list"], capture_output=True, text=True, check=True).stdout.split()
    for driver in soak.drivers():
        if isinstance(driver, soak.Suite):
            assert driver.name in listed
        elif isinstance(driver, soak.Fuzz):
            assert (build / "test" / "fuzz" / driver.name).exists()
    assert len([d for d in soak.drivers() if isinstance(d, soak.Suite)]) >= 15


def test_drivers_share_the_time_by_weight(place):
    """Whatever their batches take: here 20 s of the laws, 1 s of a suite, 5 s of a fuzz target."""
    chosen = soak.choose(["scenarios", "tcp-rack", "fuzz-roce"])
    trial = soak.Soak(chosen, place, 1, 1, jobs=1)
    numbers = {}
    for _ in range(3000):
        driver, number = trial.take()
        assert number == numbers.get(driver.name, -1) + 1
        numbers[driver.name] = number
        trial.tallies[driver.name].seconds += {"scenarios": 20, "tcp-rack": 1, "fuzz-roce": 5}[driver.name]
        trial._running[driver.name] -= 1
    times = {name: tally.seconds for name, tally in trial.tallies.items()}
    assert times["scenarios"] / times["tcp-rack"] == pytest.approx(8, rel=0.05)
    assert times["fuzz-roce"] / times["tcp-rack"] == pytest.approx(1, rel=0.05)


def test_command_line(capsys):
    assert main(["soak", "--list"]) == 0
    assert "rdmap-random" in capsys.readouterr().out
    assert main(["soak"]) == 2 and "MINUTES" in capsys.readouterr().err
    assert main(["soak", "1", "--only", "rdmap"]) == 2 and "no driver" in capsys.readouterr().err
    assert main(["soak", "0"]) == 2
