# SPDX-License-Identifier: GPL-2.0-only
"""A sweep that is looked at while it runs: its state, its page, and the command that repeats a run."""

import json
import os
import shlex
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import iwarp
import pytest
from iwarp.commands.view import has_sweep
from iwarp.errors import UsageError
from iwarp.sweeps.plan import Plan
from iwarp.sweeps.store import Store, glance
from iwarp.watch.server import Server
from iwarp.watch.state import Watched

GRID = {"loss": [0, 0.01], "markers": [True, False]}


def test_what_is_there_is_told_while_another_writes(fake, tmp_path):
    whole = iwarp.sweep(GRID, runs=2)
    rows = [{n: v for n, v in row.items() if v == v} for row in whole.to_dict("records")]
    plan = Plan("sweep", True, list(whole["key"]), ["loss", "markers"], ["loss", "markers", "mtu"], 0, 0.0)
    plan.write(tmp_path)
    with Store(tmp_path) as store:
        store.add(rows[0], {"goodput": "bit/s"})
        store.consolidate()
        store.add({**rows[1], "status": "timeout", "message": "longer than 1 s"}, {"goodput": "bit/s"})
        with (tmp_path / "runs.journal").open("a") as journal:
            journal.write('{"row": {"key": "half')
        assert list(glance(tmp_path)["key"]) == list(whole["key"][:2])
        state = Watched(tmp_path).state("goodput")
        assert (state["total"], state["done"], state["failed"]) == (8, 1, 1)
        assert state["running"] and state["standing"].startswith("2 of 8 runs, 1 failed, about ")
        assert state["failures"] == [{"key": rows[1]["key"], "status": "timeout", "message": "longer than 1 s"}]
        assert {"name": "goodput", "unit": "bit/s"} in state["metrics"]
        (point,) = state["points"]
        assert point["mean"] == rows[0]["goodput"] and point["ends"] == [None, None]
        assert point["where"] == {"loss": "0", "markers": "true"}
        with pytest.raises(UsageError, match='no run has measured "godput" .did you mean "goodput"'):
            Watched(tmp_path).state("godput")
        json.dumps(state, allow_nan=False)


def test_an_ended_sweep_has_intervals(fake, tmp_path):
    iwarp.sweep(GRID, runs=3, out=tmp_path)
    state = Watched(tmp_path).state()
    assert state["standing"] == "12 of 12 runs, at its end" and not state["running"]
    assert {f["name"] for f in state["factors"]} == {"loss", "markers"} and state["metric"] == "goodput"
    by_loss = {p["where"]["loss"]: p for p in state["points"] if p["where"]["markers"] == "true"}
    # goodput is 1 Gbit/s less 10 Gbit/s times loss, plus the run's number in kbit/s: of three runs 2 ± 4.303 / √3
    assert by_loss["0.01"]["mean"] == pytest.approx(0.9e9 + 2000)
    assert by_loss["0.01"]["ends"] == pytest.approx([0.9e9 + 2000 - 2484.14, 0.9e9 + 2000 + 2484.14])


def test_nobody_runs_it(fake, tmp_path):
    whole = iwarp.sweep(GRID)
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    Plan("sweep", True, list(whole["key"]), ["loss"], ["loss"], 0, 0.0, process=gone).write(tmp_path)
    state = Watched(tmp_path).state()
    assert not state["running"] and state["standing"] == "0 of 4 runs, nobody runs it: the same command goes on with it"
    assert has_sweep(tmp_path)
    (tmp_path / "report.html").write_text("<p>")
    assert not has_sweep(tmp_path)


def test_traces_of_a_run_are_among_its_files(tmp_path):
    frame = iwarp.sweep({"octets": [10000, 20000], "plain_tcp": False}, out=tmp_path, trace=["cwnd"])
    assert frame.attrs["varied"] == ["octets"]
    place = frame[frame["octets"] == 20000]["trace_dir"].iloc[0]
    assert place in Watched(tmp_path).configuration({"octets": "20000"})["runs"][0]["files"]


def test_a_command_repeats_the_run(real_cli, tmp_path):
    """The numbers of the command are those of the row, of times and rates too, with a pcap beside."""
    grid = {"octets": 100000, "topology": "point-to-point", "delay": ["20us", "1ms"], "link_rate": "2.5Gbps",
            "pcap": str(tmp_path / "capture")}  # fmt: skip
    frame = iwarp.sweep(grid, runs=2, out=tmp_path / "sweep")
    found = Watched(tmp_path / "sweep").configuration({"delay": "0.001"})
    assert found["parameters"] == {
        "octets": "100000", "topology": "point-to-point", "delay": "0.001", "link_rate": "2500000000"
    }  # fmt: skip
    second = found["runs"][1]
    assert second["number"] == "2" and any(name.endswith(".pcap") for name in second["files"])
    again, picture = (shlex.split(command)[1:] for command in second["commands"])
    code, out, _ = real_cli(*again, "--json")
    row = frame[(frame["delay"] == 0.001) & (frame["run"] == 2)].iloc[0]
    assert code == 0 and json.loads(out)["metrics"]["goodput"]["value"] == row["goodput"]
    assert real_cli(*picture, "--no-open", "--out", tmp_path / "page.html") == (0, f"{tmp_path / 'page.html'}\n", "")
    with pytest.raises(UsageError, match="no run of this configuration"):
        Watched(tmp_path / "sweep").configuration({"delay": "0.5"})


def test_runs_of_a_sweep_have_a_message_log_each(tmp_path):
    grid = {
        "topology": "leaf-spine", "leaves": 2, "hosts_per_leaf": 2, "load": [0.3, 0.6], "arrival_window": "200us",
        "plain_tcp": False, "message_log": str(tmp_path / "log.csv"),
    }  # fmt: skip
    frame = iwarp.sweep(grid, runs=2, out=tmp_path / "sweep")
    assert frame.attrs["varied"] == ["load"]
    logs = [path.read_text().splitlines() for path in sorted(tmp_path.glob("log-*.csv"))]
    assert sorted(len(log) - 1 for log in logs) == sorted(frame["offered_messages"])
    assert not (tmp_path / "log.csv").exists()
    files = Watched(tmp_path / "sweep").configuration({"load": "0.3"})["runs"][0]["files"]
    assert any(name.startswith(str(tmp_path / "log-")) for name in files)


def test_a_command_repeats_a_run_of_a_grid_that_sets_less(real_cli, tmp_path):
    window = "TcpSocket.InitialCwnd"
    grids = [{"octets": 10000, "plain_tcp": False}, {"octets": 10000, "plain_tcp": False, window: 4}]
    iwarp.sweep(grids, out=tmp_path)
    frame = glance(tmp_path)
    commands = [run["commands"][0] for run in Watched(tmp_path).configuration({})["runs"]]
    assert len(frame) == len(commands) == 2
    assert sorted(window in command for command in commands) == [False, True]
    assert all(real_cli(*shlex.split(command)[1:], "--json")[0] == 0 for command in commands)


@contextmanager
def serving(directory):
    with Server(Watched(directory)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_the_page_asks_for_all_it_shows(fake, tmp_path):
    iwarp.sweep(GRID, out=tmp_path)
    with serving(tmp_path) as server:
        def get(path, **headers):
            with urllib.request.urlopen(urllib.request.Request(server.address + path, headers=headers)) as answer:
                return answer.read().decode()

        page = get("")
        assert "vega.min.js" in page and "Failed last" in page and "https://" not in page
        assert "vegaEmbed" in get("vega.min.js")
        assert json.loads(get("state.json?metric=goodput"))["done"] == 4
        assert json.loads(get("configuration.json?loss=0&markers=false"))["parameters"]["markers"] == "false"
        for path, headers, code in (
            ("state.json?metric=x", {}, 400), ("runs.parquet", {}, 404), ("../etc/passwd", {}, 404),
            ("state.json", {"Host": "elsewhere.example"}, 403),
        ):  # fmt: skip
            with pytest.raises(urllib.error.HTTPError) as wrong:
                get(path, **headers)
            assert wrong.value.code == code


def test_a_directory_without_a_sweep(fake, tmp_path):
    with pytest.raises(UsageError, match="holds no sweep"):
        Watched(tmp_path)
    assert not has_sweep(tmp_path)
