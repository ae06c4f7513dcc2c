# SPDX-License-Identifier: GPL-2.0-only
"""One run and many: whatever a run does, the parent gets an outcome."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import iwarp
import pandas as pd
import pytest
from iwarp.errors import IwarpError, RunError, UsageError
from iwarp.runs import runner
from iwarp.sweeps.store import Store, read_parquet

HERE = Path(__file__).parent


def test_run_gives_values_with_units(fake):
    result = iwarp.run(loss=0.01, run=5)
    assert result["goodput"] == 0.9e9 + 5e3
    assert result["goodput"].unit == "bit/s"
    assert result.params["loss"] == 0.01 and result.params["mtu"] == 1500
    assert result["pid"] != os.getpid()
    assert result.to_json()["metrics"]["goodput"] == {"value": 0.9e9 + 5e3, "unit": "bit/s"}


@pytest.mark.parametrize(
    ("behaviour", "status", "says"),
    [
        ("abort", "crash", "the link is on fire"),
        ("exit", "crash", "exit code 3"),
        ("exception", "error", "the peer went away"),
        (f"memory:{8 << 30}", "memory", "more memory than its limit"),
    ],
)
def test_a_run_that_fails_is_an_exception(fake, behaviour, status, says):
    with pytest.raises(RunError, match=says) as error:
        iwarp.run(behaviour=behaviour)
    assert error.value.status == status


def test_a_single_run_has_limits_of_its_own(fake, cli):
    with pytest.raises(RunError, match=r"longer than 0\.5 s, its limit; timeout"):
        iwarp.run(behaviour="hang", timeout=0.5)
    with pytest.raises(RunError, match=r"its limit of 2 GiB; memory"):
        iwarp.run(behaviour=f"memory:{8 << 30}", memory=2 << 30)
    code, _, err = cli("run", "behaviour=hang", "--timeout", "0.5")
    assert code and "longer than 0.5 s" in err
    code, _, err = cli("run", f"behaviour=memory:{8 << 30}", "--memory", "1.5")
    assert code and "its limit of 1.5 GiB" in err


LARGE = [2592000, 1e30, float("inf")]


@pytest.mark.parametrize("large", LARGE)
def test_limits_may_be_large_or_none(fake, cli, tmp_path, large):
    assert iwarp.run(timeout=large, memory=large)["goodput"]
    assert iwarp.sweep({"loss": 0}, timeout=large, memory=large)["status"].tolist() == ["ok"]
    script = tmp_path / "program"
    script.write_text("#!/bin/sh\necho '{\"x\": 1}'\n")
    script.chmod(0o755)
    assert iwarp.sweep(script, {"a": 1}, timeout=large, memory=large)["status"].tolist() == ["ok"]
    for command in (["run"], ["sweep", "loss=0", "--out", tmp_path / "out"]):
        assert cli(*command, "--timeout", large, "--memory", large)[0] == 0


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "5", None, True])
def test_limits_that_are_none_are_refused(fake, cli, tmp_path, wrong):
    for limit in ("timeout", "memory"):
        with pytest.raises(UsageError, match=f"{limit}=.* is no limit"):
            iwarp.run(**{limit: wrong})
        with pytest.raises(UsageError, match=f"{limit}=.* is no limit"):
            iwarp.sweep({"loss": 0}, out=tmp_path / "out", **{limit: wrong})
        if isinstance(wrong, float) or wrong in (0, -1):
            assert cli("run", f"--{limit}", wrong)[0] == 2
    assert not (tmp_path / "out").exists()


def test_a_long_time_is_waited_for_in_parts(fake, monkeypatch):
    monkeypatch.setattr(runner, "_LONGEST_WAIT", 0.05)
    assert iwarp.run(behaviour="slow:0.3")["goodput"]
    assert iwarp.sweep({"behaviour": "slow:0.3"})["status"].tolist() == ["ok"]
    with pytest.raises(RunError, match=r"longer than 0\.5 s"):
        iwarp.run(behaviour="hang", timeout=0.5)


def test_sweep_is_a_row_a_run(fake, tmp_path):
    frame = iwarp.sweep({"loss": [0, 0.01], "markers": [True, False]}, runs=3, jobs=2, out=tmp_path)
    assert len(frame) == 12 and (frame["status"] == "ok").all()
    assert frame["run"].tolist() == [1, 2, 3] * 4
    assert frame.attrs["units"]["goodput"] == "bit/s" and frame.attrs["units"]["delay"] == "s"
    assert frame["pid"].nunique() == 12
    stored = pd.read_parquet(tmp_path / "runs.parquet")
    pd.testing.assert_frame_equal(stored.sort_values("key").reset_index(drop=True),
                                  frame.sort_values("key").reset_index(drop=True), check_like=True)  # fmt: skip
    assert not (tmp_path / "runs.journal").exists()


def test_only_missing_runs_are_run(fake, tmp_path):
    first = iwarp.sweep({"loss": [0, 0.01]}, runs=2, out=tmp_path)
    second = iwarp.sweep({"loss": [0, 0.01, 0.02]}, runs=3, out=tmp_path)
    assert len(second) == 9
    merged = first.merge(second, on="key")
    assert len(merged) == 4 and (merged["pid_x"] == merged["pid_y"]).all()
    fake.code_id = "fake11111111"
    again = iwarp.sweep({"loss": [0]}, runs=2, out=tmp_path)
    assert set(again["pid"]).isdisjoint(set(second["pid"]))


def test_failures_are_rows_and_get_another_try(fake, tmp_path):
    grid = {"behaviour": ["", "abort", "exception", "hang", "exit"]}
    frame = iwarp.sweep(grid, out=tmp_path, timeout=0.5, jobs=5).set_index("behaviour")
    assert frame["status"].to_dict() == {
        "": "ok",
        "abort": "crash",
        "exception": "error",
        "hang": "timeout",
        "exit": "crash",
    }
    assert frame.loc["abort", "message"] == "the link is on fire"
    assert "longer than 0.5 s" in frame.loc["hang", "message"]
    assert frame["goodput"].notna().to_dict()["hang"] is False
    execute = fake.execute
    fake.execute = lambda params: execute({**params, "behaviour": ""})
    again = iwarp.sweep(grid, out=tmp_path, jobs=5).set_index("behaviour")
    assert again.loc["", "pid"] == frame.loc["", "pid"]
    assert (again["status"] == "ok").all() and len(again) == 5


def test_bad_grids_are_refused_before_anything_runs(fake, tmp_path):
    for grid, says in [
        ({"losss": [0]}, 'did you mean "loss"'),
        ({"mtu": [1500, 5]}, "576 to 65535"),
        ({"mtu": [1500, 577]}, "no room for an FPDU"),
        ({"mtu": []}, "at least one value"),
    ]:
        with pytest.raises(UsageError, match=says):
            iwarp.sweep(grid, out=tmp_path / "x")
    with pytest.raises(UsageError, match="counts the replications"):
        iwarp.sweep({"run": [1, 2]}, runs=3)
    assert not (tmp_path / "x").exists()


def test_list_of_grids(fake):
    frame = iwarp.sweep([{"loss": 0, "mtu": [1500, 9000]}, {"loss": 0.01}])
    assert frame[["loss", "mtu"]].values.tolist() == [[0, 1500], [0, 9000], [0.01, 1500]]


def test_qualified_names_are_swept(fake):
    frame = iwarp.sweep([{"MpaStream.SilentDrop": [True, False], "MpaStream.Markers": False}, {"mtu": 9000}])
    assert frame["MpaStream.SilentDrop"].tolist()[:2] == [True, False]
    assert frame["MpaStream.SilentDrop"].isna().tolist() == [False, False, True]
    assert frame["markers"].tolist() == [False, False, True] and "MpaStream.Markers" not in frame


def _start(tmp_path, grid, runs):
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in the background
    code += f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]\n"
    code += (
        f"import fake; fake.install(); import iwarp; iwarp.sweep({grid!r}, runs={runs}, jobs=2, out={str(tmp_path)!r})"
    )
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True)


def _wait_for_rows(path, rows):
    while not path.exists() or path.read_bytes().count(b"\n") < rows:
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_is_done_survives_a_kill(fake, tmp_path, how):
    """Six runs end, the others wait until the sweep has been killed."""
    out, grid = tmp_path / "out", {"behaviour": f"six:{tmp_path / 'go'}"}
    process = _start(out, grid, 20)
    _wait_for_rows(out / "runs.journal", 6)
    process.send_signal(how)
    process.communicate()
    assert process.returncode != 0
    with Store(out) as store:
        done = store.frame()
    assert len(done) == 6
    (tmp_path / "go").touch()
    frame = iwarp.sweep(grid, runs=20, jobs=8, out=out)
    assert len(frame) == 20 and (frame["status"] == "ok").all()
    kept = done.merge(frame, on="key")
    assert len(kept) == len(done) and (kept["pid_x"] == kept["pid_y"]).all()


def test_a_line_cut_short_is_left_out(fake, tmp_path):
    iwarp.sweep({"loss": [0, 0.01]}, out=tmp_path)
    (tmp_path / "runs.journal").write_text(
        '{"row": {"key": "new", "status": "ok"}, "units": {}}\n{"row": {"key": "cut", "sta'
    )
    with Store(tmp_path) as store:
        assert len(store) == 3 and store.has_result("new") and not store.has_result("cut")


def test_half_a_line_alone_does_not_take_the_next_row_with_it(fake, tmp_path):
    (tmp_path / "runs.journal").write_text('{"row": {"key": "cut", "sta')
    with Store(tmp_path) as store:
        store.add({"key": "next", "status": "ok"}, {})
        journal = (tmp_path / "runs.journal").read_text()  # as a kill would leave it
    (tmp_path / "runs.parquet").unlink()
    (tmp_path / "runs.journal").write_text(journal)
    with Store(tmp_path) as store:
        assert store.has_result("next")


def test_rows_stand_in_the_order_of_the_grid(fake, tmp_path):
    """The first run ends last."""
    grid = {"behaviour": ["slow:0.5", "slow:0.01", "slow:0.02"]}
    frame = iwarp.sweep(grid, jobs=3, out=tmp_path)
    assert frame["behaviour"].tolist() == grid["behaviour"]
    assert read_parquet(tmp_path / "runs.parquet")["behaviour"].tolist() == grid["behaviour"]


def test_one_sweep_a_directory(fake, tmp_path):
    with Store(tmp_path), pytest.raises(IwarpError, match="another sweep is writing"):
        iwarp.sweep({"loss": 0}, out=tmp_path)


def test_a_store_that_is_no_parquet(fake, tmp_path):
    (tmp_path / "runs.parquet").write_text("hello")
    with pytest.raises(IwarpError, match="cannot be read as Parquet"):
        iwarp.sweep({"loss": 0}, out=tmp_path)


def test_pcap_files_of_a_sweep_are_kept_apart(fake):
    frame = iwarp.sweep({"pcap": "/tmp/x"}, runs=3)
    assert frame["pcap"].nunique() == 3 and frame["pcap"].str.startswith("/tmp/x-").all()
