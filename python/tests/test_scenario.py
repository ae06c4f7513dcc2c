# SPDX-License-Identifier: GPL-2.0-only
"""The real library behind the package: what it takes, what it refuses, what its numbers have to obey."""

import json
from pathlib import Path

import iwarp
import pytest
from iwarp.errors import IwarpError, RunError, UsageError
from iwarp.runs import loader, scenario

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

SMALL = {"octets": 300_000, "message_sizes": "fixed:20000"}


def test_every_parameter_is_described():
    params = iwarp.params()
    assert {"topology", "markers", "crc", "alignment", "loss", "reordering", "mtu", "seed", "run"} <= set(params)
    for name, param in params.items():
        assert name == name.lower() and param.help, name
        assert param.type in ("bool", "int", "float", "time", "rate", "choice", "text"), name
        assert param.unit or param.type not in ("time", "rate"), name
        assert param.parse(param.to_attribute(param.default)) == param.default, name
    json.dumps([p.to_json() for p in params.values()])


def test_every_default_is_taken_by_the_library():
    backend = scenario.backend()
    backend.check({name: param.default for name, param in backend.params.items()})


NASTY = [
    "",
    " ",
    "-1",
    "1e400",
    "12abc",
    "nan",
    "-inf",
    "0x10",
    "10 parsecs",
    "99999999999999999999999",
    "%s%n",
    "a\nb",
]


def test_no_text_ends_the_process():
    """SetParameter answers whatever it is given: an empty text, or one that says what is wrong."""
    ns3 = iwarp.load()
    for param in iwarp.params().values():
        for text in NASTY:
            answer = str(ns3.CreateObject[ns3.IwarpScenario]().SetParameter(param.attribute, text))
            assert answer == "" or len(answer) > 10, (param.name, text)
    assert "Markers" in str(ns3.CreateObject[ns3.IwarpScenario]().SetParameter("Marker", "true"))
    scenario_ = ns3.CreateObject[ns3.IwarpScenario]()
    for name in iwarp.params("."):  # every attribute of every class
        for text in ("", "-1", "banana", "ns3::Node[Id=1"):
            answer = str(scenario_.SetParameter(name, text))
            assert answer == "" or len(answer) > 10, (name, text)


def test_stated_bounds_are_values():
    """The least and the greatest value that the schema states pass the schema and the library."""
    ns3 = iwarp.load()
    scenario_ = ns3.CreateObject[ns3.IwarpScenario]()
    stated = 0
    for param in [*iwarp.params().values(), *iwarp.params("").values()]:
        for bound in (param.minimum, param.maximum):
            if bound is not None:
                text = param.to_attribute(param.parse(bound))
                assert str(scenario_.SetParameter(param.attribute, text)) == "", (param.name, bound)
                stated += 1
    assert stated > 200
    assert iwarp.params()["window_rtt"].range == [0, 60] and iwarp.params()["min_rto"].minimum == 0
    most = 2**64 - 1
    limits = {"octets": most, "rnic": "ideal", "Rnic.ReassemblyMemory.Capacity": most}
    brief = {"duration": "1ms", "message_sizes": "fixed:20000", "plain_tcp": False}
    assert iwarp.run(**limits, **brief) == iwarp.run(octets=0, rnic="ideal", **brief)


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"mtu": 100}, "576"),
        ({"message_sizes": "cdf:nosuch"}, "message_sizes"),
        ({"message_sizes": "fixed:banana"}, "message_sizes"),
        ({"congestion_control": "TcpMagic"}, "congestion_control"),
        ({"octets": 0}, "octets"),
        ({"queue_size": "0p"}, "queue_size"),
        ({"queue_size": "many"}, "queue_size"),
        ({"pcap": "/nonexistent/dir/x"}, "pcap"),
        ({"topology": "abilene", "abilene_pairs": "STTL-PARIS"}, "abilene_pairs"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(params, says):
    with pytest.raises(UsageError, match=says):
        iwarp.run(**params)


def test_attributes_of_any_class_are_parameters():
    params = iwarp.params("")
    assert {
        "MpaStream.SilentDrop",
        "MpaTcpSocket.PathOverhead",
        "RdmaConnection.Ird",
        "Rnic.HostInterface.ReadTags",
    } <= set(params)
    assert all(param.help for param in params.values())
    assert "TcpSocketBase.MinRto" in iwarp.params("minrto")
    lossy = {"loss": 0.02, "reordering": 0.05, "plain_tcp": False, **SMALL}
    base = iwarp.run(**lossy)
    assert iwarp.run(**lossy, **{"MpaStream.OutOfOrder": False}) == iwarp.run(**lossy, out_of_order=False) != base
    changed = iwarp.run(**lossy, **{"TcpSocketBase.ReTxThreshold": 9})
    assert changed != base and changed.params["TcpSocketBase.ReTxThreshold"] == 9
    frame = iwarp.sweep({"MpaTcpSocket.PathOverhead": [0, 100], "plain_tcp": False, **SMALL}, jobs=2)
    assert frame["segments_sent"].is_monotonic_increasing and frame["segments_sent"].nunique() == 2


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"MpaStream.SilentDorp": True}, "did you mean SilentDrop"),
        ({"MpaStraem.SilentDrop": True}, "did you mean MpaStream"),
        ({"MpaStream.SilentDrop": "perhaps"}, "true or false"),
        ({"markers": True, "MpaStream.Markers": True}, "are one parameter"),
        ({"congestion_control": "TcpBbr", "TcpL4Protocol.SocketType": "ns3::TcpBbr"}, "give one of them"),
        ({"Rnic.RxTcp.TimePerPackt": "1us"}, "did you mean Rnic.RxTcp.TimePerPacket"),
        ({"Rnic.RxTcp.TimePerPacket": "1us"}, "there is no RNIC unless rnic names one"),
    ],
)
def test_bad_qualified_names(params, says):
    with pytest.raises(UsageError, match=says):
        iwarp.run(**params)


def test_the_documentation_has_every_metric(capfd):
    from iwarp.cli import main

    assert main(["metrics", "--csv"]) == 0
    table = Path(__file__).parents[2] / "doc" / "tables" / "metrics.csv"
    assert capfd.readouterr().out == table.read_text()
    for workload in ("storage", "perf"):
        result = iwarp.run(workload=workload, rnic="ideal", perf_iterations=10, **SMALL)
        for name, value in result.items():
            assert value.unit == iwarp.metrics()[name].unit, name


def test_a_run_that_cannot_end_is_an_error():
    with pytest.raises(RunError, match="octets") as error:
        iwarp.run(octets=10_000_000, link_rate="1Mbps", time_limit="100ms")
    assert error.value.status == "error"


@pytest.mark.parametrize("topology", ["dumbbell", "abilene"])
@pytest.mark.parametrize("ipv6", [False, True])
def test_numbers_obey_what_is_known(topology, ipv6):
    result = iwarp.run(topology=topology, ipv6=ipv6, **SMALL)
    assert result["payload_octets"] == 300_000 and result["messages"] == 15
    assert result["goodput"] == pytest.approx(8 * 300_000 / result["duration"])
    assert result["header_aligned_share"] == result["fpdu_aligned_share"] == 1
    assert result["fpdus_passed"] == result["fpdus_sent"]
    assert result["fpdus_passed_out_of_order"] == result["retransmitted_octets"] == result["reassembly_peak"] == 0
    # plain TCP carries the payload in full segments: IP 20 or 40, TCP 20, timestamps 12
    headers = (40 if ipv6 else 20) + 32
    full, rest = divmod(300_000, 1500 - headers)
    assert result["plain_tcp_segments"] == full + (rest > 0)
    assert result["octets_on_wire"] > result["plain_tcp_octets"] >= 300_000 + headers * result["plain_tcp_segments"]
    for name, value in result.items():
        assert value.unit, name


def test_same_parameters_same_numbers():
    params = {"loss": 0.01, "reordering": 0.02, "alignment": False, "octets": 500_000}
    assert iwarp.run(**params) == iwarp.run(**params)
    assert iwarp.run(**params) != iwarp.run(**params, run=2)


def test_nothing_out_of_order_without_markers(covers):
    """Without Markers no FPDU may be passed out of order, even though segments are aligned."""
    disturbed = {"loss": 0.02, "reordering": 0.02, "octets": 1_000_000}
    assert iwarp.run(markers=False, **disturbed)["fpdus_passed_out_of_order"] == 0
    covers("MPA-6-05")
    assert iwarp.run(markers=True, **disturbed)["fpdus_passed_out_of_order"] > 0


def test_memory_is_needed_unless_aligned_with_markers(covers):
    """Only aligned runs with Markers do without reassembly memory under reordering."""
    peaks = {
        (alignment, markers): iwarp.run(
            alignment=alignment, markers=markers, reordering=0.02, octets=1_000_000, message_sizes="fixed:20000"
        )["reassembly_peak"]
        for alignment in (True, False)
        for markers in (True, False)
    }
    assert peaks.pop((True, True)) == 0
    assert min(peaks.values()) > 0
    covers("MPA-A.5-02")


def test_sweep_of_the_real_thing(tmp_path):
    frame = iwarp.sweep({"loss": [0, 0.02], "markers": [True, False], **SMALL}, runs=2, jobs=2, out=tmp_path)
    assert (frame["status"] == "ok").all() and len(frame) == 8
    assert frame.attrs["units"]["reassembly_peak"] == "octets"


def test_storage_moves_data_both_ways():
    result = iwarp.run(workload="storage", plain_tcp=False, storage_read_share=0.25, **SMALL)
    assert result["payload_octets"] >= 300_000
    assert result["messages"] == result["storage_read_requests"] + result["storage_write_requests"]


@pytest.mark.parametrize("workload", ["mpa", "rdma-write", "rdma-read", "send"])
def test_one_parameter_changes_what_is_carried(workload):
    result = iwarp.run(workload=workload, plain_tcp=False, **SMALL)
    assert result["payload_octets"] == 300_000 and result["messages"] == 15
    assert result["header_aligned_share"] == 1 and result.report == ""


def test_perf_prints_perftests_table():
    result = iwarp.run(workload="perf", perf_test="write_bw", perf_size=4096, perf_iterations=500, plain_tcp=False)
    assert "#bytes" in result.report and "BW average[MiB/sec]" in result.report
    values = next(line for line in result.report.splitlines() if line.split()[:1] == ["4096"]).split()
    assert values[1] == "500"
    assert float(values[3]) == pytest.approx(result["perf_bw_average"] / 8 / 2**20, abs=0.006)
    assert result["payload_octets"] == 4096 * 500


def test_perf_with_all_sizes_prints_a_row_each():
    result = iwarp.run(workload="perf", perf_test="read_bw", perf_all=True, perf_iterations=2, plain_tcp=False)
    rows = [line.split() for line in result.report.splitlines() if line.split() and line.split()[0].isdecimal()]
    assert [int(row[0]) for row in rows] == [2**power for power in range(1, 24)]
    for row in rows:
        assert float(row[3]) == pytest.approx(result[f"perf_bw_average_{row[0]}"] / 8 / 2**20, abs=0.006)
    assert result["payload_octets"] == 2 * sum(2**power for power in range(1, 24))
    assert result["messages"] == 2 * 23
