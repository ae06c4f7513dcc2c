# SPDX-License-Identifier: GPL-2.0-only
"""Rates of flows that run together, and perftest's options as parameters, in real runs."""

import iwarp
import pytest
from iwarp.errors import IwarpError, RunError, UsageError
from iwarp.runs import loader

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

PERF = {"workload": "perf", "plain_tcp": False}


def test_flows_that_never_run_at_once_have_no_common_rate():
    apart = {"flows": 2, "start_spread": "1s", "octets": 1_000_000, "message_sizes": "fixed:20000", "plain_tcp": False}
    result = iwarp.run(workload="rdma-write", **apart)
    assert result["common_time"] == 0 and "common_goodput" not in result
    result = iwarp.run(flows=2, start_spread="1s", perf_iterations=50, **PERF)
    assert "perf_bw_average" not in result and "perf_bw_peak" not in result and "perf_msg_rate" not in result
    assert "No rate of all flows with 65536 octets" in result.report


def test_a_common_rate_is_that_of_all_flows():
    result = iwarp.run(workload="rdma-write", flows=3, octets=2_000_000, message_sizes="fixed:20000", plain_tcp=False)
    assert 0 < result["common_time"] < result["duration"]
    assert result["goodput"] < result["common_goodput"] < result["goodput_bound"]
    # 10 Gbit/s, of which 1428 octets in 1538 octet times are payload
    assert result["goodput_bound"] == pytest.approx(1e10 * 1428 / 1538)
    result = iwarp.run(flows=3, perf_iterations=50, **PERF)
    assert result["perf_iterations"] <= 150
    assert result["perf_bw_average"] == pytest.approx(8 * 65536 * result["perf_msg_rate"], rel=1e-6)
    assert "All flows together" in result.report and "Number of qps   : 3" in result.report


def test_the_bound_of_storage_is_that_of_both_directions():
    storage = {
        "workload": "storage", "message_sizes": "fixed:65536", "octets": 8_000_000, "queue_depth": 64,
        "send_buffer": 1_000_000, "receive_buffer": 1_000_000, "delay": "1us", "plain_tcp": False,
    }  # fmt: skip
    one_way = 1e10 * 1428 / 1538
    result = iwarp.run(**storage)
    # reads and writes, half each, fill a link both ways
    assert result["goodput_bound"] == pytest.approx(2 * one_way)
    assert 1.2 * one_way < result["goodput"] < result["goodput_bound"]
    # two hosts that are clients of each other share the two directions of one link
    mutual = iwarp.run(**storage, topology="star", access_rate="10Gbps", pattern="all-to-all", host_pairs=1, flows=1)
    assert mutual["goodput_bound"] == pytest.approx(2 * one_way)


def test_a_warm_up_leaves_out_the_start():
    flow = {"workload": "rdma-write", "octets": 4_000_000, "message_sizes": "fixed:20000", "plain_tcp": False}
    assert iwarp.run(warm_up=2_000_000, **flow)["common_goodput"] > iwarp.run(**flow)["common_goodput"]
    assert iwarp.run(perf_iterations=50, perf_warm_up=20, **PERF)["perf_iterations"] == 30
    with pytest.raises(UsageError, match="PerfWarmUp, PerfIterations|perf_warm_up, perf_iterations"):
        iwarp.run(perf_iterations=20, perf_warm_up=20, **PERF)


def test_one_read_at_a_time_takes_the_time_of_a_read():
    read = {"perf_size": 4096, "perf_iterations": 200, **PERF}
    rate = iwarp.run(perf_test="read_bw", perf_tx_depth=1, perf_warm_up=50, **read)["perf_msg_rate"]
    assert rate == pytest.approx(1 / iwarp.run(perf_test="read_lat", **read)["perf_t_typical"], rel=1e-3)


def test_the_inline_size_is_that_of_the_queue_pairs():
    write = {"perf_test": "write_lat", "perf_size": 64, "perf_iterations": 20, **PERF}
    assert iwarp.run(perf_inline_size=64, **write)["perf_iterations"] == 20
    with pytest.raises(RunError, match="InlineSize is above what it takes"):
        iwarp.run(perf_inline_size=100_000_000, **write)


def test_framing_is_a_parameter():
    run = {"octets": 1_000_000, "message_sizes": "fixed:20000", "plain_tcp": False}
    ppp, ethernet = (iwarp.run(framing=framing, **run) for framing in ("ppp", "ethernet"))
    assert ppp["duration"] < ethernet["duration"]
    assert ppp["goodput_bound"] == pytest.approx(1538 / 1502 * ethernet["goodput_bound"])
