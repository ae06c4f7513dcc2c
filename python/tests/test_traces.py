# SPDX-License-Identifier: GPL-2.0-only
"""Traces of runs as tables: what they hold against pcap files read by tshark and against metrics, files and errors."""

from __future__ import annotations

import json
import shutil
import subprocess

import iwarp
import pandas as pd
import pytest
from iwarp.cli import main

COMMON = ["time_ns", "node", "host", "connection"]
SMALL = {"plain_tcp": False, "octets": 200_000, "message_sizes": "fixed:20000"}


def test_a_run_has_tables_of_its_traces():
    result = iwarp.run(**SMALL, loss=0.01, trace=["goodput", "cwnd", "MpaStream.Passed", "TcpSocketBase.State"])
    assert list(result.traces) == ["goodput", "cwnd", "MpaStream.Passed", "TcpSocketBase.State"]
    assert result.traces["goodput"]["placed_octets"].sum() == result["payload_octets"]
    passed = result.traces["MpaStream.Passed"]
    assert len(passed) == result["fpdus_passed"]
    assert (~passed["in_order"]).sum() == result["fpdus_passed_out_of_order"]
    window = result.traces["cwnd"]
    assert list(window.columns) == [*COMMON, "window_octets"]
    assert window["window_octets"].dtype == "uint32" and window["time_ns"].dtype == "int64"
    states = result.traces["TcpSocketBase.State"]
    assert states["connection"].nunique() == states["host"].nunique() == 2, "the accepted socket's, too"


def test_a_run_without_traces_has_none():
    assert iwarp.run(**SMALL).traces == {}


def test_the_index_says_what_the_files_hold(tmp_path):
    result = iwarp.run(**SMALL, trace="standard", trace_dir=tmp_path, trace_rows=50)
    index = json.loads((tmp_path / "traces.json").read_text())
    assert index["version"] == 1 and index["run"]["octets"] == 200_000
    for entry in index["traces"]:
        table = pd.read_parquet(tmp_path / entry["file"])
        assert [column["name"] for column in entry["columns"]] == list(table.columns)
        assert list(table.columns)[:4] == COMMON
        assert len(table) == entry["rows"] <= 50
        assert entry["kind"] in ("value", "event")
    by_name = {entry["name"]: entry for entry in index["traces"]}
    assert by_name["cwnd"]["source"] == "TcpSocketBase.CongestionWindow"
    assert by_name["queue"]["left_out"] == result.traces.left_out["queue"] > 0


def test_csv_holds_the_same(tmp_path):
    traces = iwarp.Traces(["cwnd", "MpaStream.Passed"], format="csv")
    text = iwarp.run(**SMALL, trace=traces, trace_dir=tmp_path).traces
    binary = iwarp.run(**SMALL, trace=["cwnd", "MpaStream.Passed"]).traces
    assert (tmp_path / "cwnd.csv").is_file()
    for name in text:
        pd.testing.assert_frame_equal(
            text[name], binary[name].astype({"host": str, "connection": str}), check_dtype=False
        )


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")
def test_segments_are_those_of_the_pcap_file(tmp_path):
    """Each segment that tshark finds is in the table, with its sequence number and size, and its time."""
    result = iwarp.run(
        **SMALL, loss=0.02, host_pairs=1, pcap=str(tmp_path / "run"), trace=["MpaTcpSocket.SegmentSent", "cwnd"]
    )
    sent = result.traces["MpaTcpSocket.SegmentSent"]
    connection = sent["connection"].value_counts().index[0]
    sent = sent[sent["connection"] == connection]
    address, _, port = connection.partition("-")[0].partition(":")
    found = []
    for capture in tmp_path.glob("*.pcap"):
        output = subprocess.run(
            ["tshark", "-r", str(capture), "-o", "tcp.relative_sequence_numbers:FALSE", "-T", "fields", "-e",
             "frame.time_epoch", "-e", "tcp.seq_raw", "-e", "tcp.len", "-Y",
             f"ip.src=={address} && tcp.srcport=={port} && tcp.len>0"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        captured = [line.split("\t") for line in output.splitlines()]
        if len(captured) > len(found):
            found = captured  # of the sender: nothing of it is lost yet
    startup = len(found) - len(sent)
    assert 0 <= startup <= 2, "all but MPA's startup frames"
    assert [(int(seq), int(size)) for _, seq, size in found[startup:]] == list(
        zip(sent["seq"], sent["size_octets"], strict=True)
    )
    waits = [round(float(time) * 1e9) - at for (time, _, _), at in zip(found[startup:], sent["time_ns"], strict=True)]
    assert min(waits) >= -1000 and abs(waits[0]) <= 1000, "a capture counts microseconds, from when the link is free"


def test_a_sweep_traces_chosen_runs(tmp_path):
    frame = iwarp.sweep(
        {**SMALL, "loss": [0, 0.01]}, runs=2, jobs=1, out=tmp_path, trace=["cwnd:every=1ms"], trace_runs=[2]
    )
    traced = frame[frame["run"] == 2]
    assert frame.loc[frame["run"] == 1, "trace_dir"].isna().all()
    for place in traced["trace_dir"]:
        assert len(iwarp.TraceTables(place)["cwnd"]) > 0


def test_a_function_topology_is_traced_too():
    pytest.importorskip("cppyy")

    def line(network, pairs, link, access):
        sender, receiver = network.AddRouter(), network.AddRouter()
        network.AddLink(sender, receiver, link)
        return [(network.AddHost(sender, access), network.AddHost(receiver, access))]

    result = iwarp.run(topology=line, **SMALL, trace="goodput")
    assert result.traces["goodput"]["placed_octets"].sum() == result["payload_octets"]


def test_wrong_names_are_told_before_the_run():
    with pytest.raises(iwarp.UsageError, match=r"there is no trace 'cwmd' \(did you mean cwnd\?\)"):
        iwarp.run(trace="cwmd")
    with pytest.raises(iwarp.UsageError, match="did you mean Passed"):
        iwarp.run(trace=["MpaStream.Pased"])
    with pytest.raises(iwarp.UsageError, match="at least 1"):
        iwarp.run(trace="cwnd", trace_rows=0)
    with pytest.raises(iwarp.UsageError, match="there is no node 'nowhere'"):
        iwarp.run(**SMALL, trace=iwarp.Traces("cwnd", nodes=["nowhere"]))
    with pytest.raises(iwarp.UsageError, match="out=DIRECTORY"):
        iwarp.sweep({"loss": 0}, trace="cwnd")


def test_the_commands(tmp_path, capsys):
    arguments = ["octets=200000", "plain_tcp=false", "--trace", "cwnd,Queue.Drop", "--trace-node", "router0"]
    assert main(["run", *arguments]) == 2
    assert "--trace-dir" in capsys.readouterr().err
    assert main(["run", *arguments, "--trace-dir", str(tmp_path), "--json"]) == 2
    assert "did you mean router 0" in capsys.readouterr().err
    assert main(["run", *arguments[:-2], "--trace-dir", str(tmp_path)]) == 0
    assert f"{tmp_path / 'cwnd.parquet'}: " in capsys.readouterr().err
    assert main(["traces", "--json"]) == 0
    listed = {trace["name"]: trace for trace in json.loads(capsys.readouterr().out)}
    assert listed["cwnd"]["standard"] and listed["MpaStream.Passed"]["kind"] == "event"
    assert all(column["help"] for trace in listed.values() for column in trace["columns"])
    assert main(["traces", "BytesInFlight"]) == 0
    assert "flight_octets: uint32" in capsys.readouterr().out
    assert main(["traces", "nothing-like-it"]) == 2


def test_a_node_that_there_is_not_is_bad_usage(real_cli, tmp_path):
    asked = ["octets=10000", "plain_tcp=false", "--trace", "cwnd", "--trace-dir", tmp_path, "--trace-node", "nosuch"]
    code, out, err = real_cli("run", *asked)
    assert (code, out) == (2, "") and "there is no node 'nosuch'" in err


@pytest.mark.parametrize("option", [("--trace-rows", 5), ("--trace-node", "x"), ("--trace-connection", "10.0.0.1")])
def test_what_limits_traces_goes_with_traces(real_cli, option):
    code, out, err = real_cli("run", "octets=10000", *option)
    assert (code, out) == (2, "") and "--trace NAME and --trace-dir DIR go together" in err
