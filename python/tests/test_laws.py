# SPDX-License-Identifier: GPL-2.0-only
"""Laws of all scenarios hold for random ones, and each finds what breaks it; nightly_laws.py asks many more."""

import pytest
import scenario_laws
from calm_scenarios import draw_calm
from scenario_laws import (
    Elsewhere,
    command,
    difference,
    faults_of_end,
    faults_of_metrics,
    faults_of_trial,
    names_parameters,
    run_apart,
    run_trials,
)

MPA = {"workload": "mpa", "octets": 1000, "flows": 2}
GOOD = {
    "payload_octets": 2000.0, "duration": 2e-3, "goodput": 8e6, "goodput_bound": 1e9, "octets_on_wire": 3000.0,
    "fpdus_sent": 5.0, "fpdus_passed": 5.0, "bottleneck_share": 1.0, "header_aligned_share": 1.0,
}  # fmt: skip


def ended(status="ok", message="", cautions=(), **metrics):
    return {"status": status, "message": message, "metrics": GOOD | metrics, "cautions": list(cautions)}


COPIES = {
    "workload": "rdma-write", "topology": "abilene", "flows": 2, "octets": 3000, "duplication": 0.2,
    "reordering_delay": "900us", "impairment_place": "core", "impairment_direction": "both",
}  # fmt: skip
NARROW = {"ipsec": "gateway", "topology": "leaf-spine", "octets": 150_000, "link_schedule": "1200us:mtu=1000"}
IDLE = {"ipsec": "transport", "key_exchange": True, "workload": "rdma-read", "delay": "25ms"}
SIDE_BY_SIDE = {"plain_tcp": True, "octets": 20_000, "reordering": 0.2, "impairment_direction": "both"}

# where parts meet: what one of them does shows in a law that another keeps
MEETING = {
    "rounds of sizes that differ": {"workload": "rounds", "flows": 3},
    "queue pairs drawn at random": {"workload": "perf", "flows": 2, "perf_qp": 3, "perf_order": "Random"},
    "a warm-up and reassembly memory": {"rnic": "t5-like", "alignment": False, "loss": 0.02, "flows": 2,
                                        "warm_up": 3000},
    "cross traffic before the flows": {"cross_traffic": "udp", "cross_rate": "1Gbps", "start_spread": "20ms"},
    "cross traffic between gateways": {"cross_traffic": "tcp", "ipsec": "gateway", "ipv6": True,
                                       "link_rate": "100Mbps"},
    "copies of each SYN": COPIES,
    "ESP and IPv6's least MTU": {"ipsec": "transport", "ipv6": True, "link_schedule": "1200us:mtu=1280"},
    "ESP and a small MTU": {"ipsec": "tunnel", "link_schedule": "1200us:mtu=600"},
    "a far gateway's narrow link": NARROW | {"link_schedule_place": "receiver"},
    "a far gateway's narrow link, real": NARROW | {"link_schedule_place": "receiver", "ipsec_real": True,
                                                   "backed": True},
    "idle associations and a long path": IDLE | {"IkeKeying.IdleTime": "10ms"},
    "plain TCP and late segments": SIDE_BY_SIDE | {"loss": 0.05, "flows": 2, "seed": 76, "impairment_place": "core"},
    "plain TCP in a tunnel of fragments": {"plain_tcp": True, "ipsec": "gateway", "ipv6": True,
                                           "tunnel_dont_fragment": "clear"},
    "modelled ESP in fragments": {"plain_tcp": True, "ipsec": "gateway", "ipv6": True, "mtu": 1280},
    "cross traffic in fragments": {"cross_traffic": "tcp", "ipsec": "nested", "ipv6": True, "mtu": 1280,
                                   "link_rate": "100Mbps"},
    "an adapter beside TCP that fills its host's queue": {"workload": "go-back-n", "pattern": "permutation", "flows": 3,
                                                          "octets": 20_000, "seed": 4, "cross_traffic": "tcp",
                                                          "access_rate": "100Mbps", "time_limit": "2s"},
    "times of parts of a nanosecond": {"octets": 2, "flows": 7, "rnic": "ideal", "Rnic.RxTcp.Rate": "100Gbps"},
    "connections that are lost at once": {"workload": "perf", "perf_tx_depth": 16777211, "tolerate_lost": True,
                                          "octets": 2, "flows": 3, "time_limit": "20ms"},
    "one policy for many peers": {"ipsec": "transport", "ipsec_sharing": "policy", "pattern": "incast",
                                  "time_limit": "1s"},
    "lost probes and CUBIC": {"workload": "perf", "flows": 2, "perf_qp": 3, "topology": "fat-tree",
                              "mtu_probing": "Always", "queue_size": "20p", "link_rate": "100Mbps", "ipsec": "gateway",
                              "perf_order": "Random"},
}  # fmt: skip


@pytest.fixture(scope="module")
def elsewhere():
    """An interpreter of its own."""
    there = Elsewhere()
    yield there
    there.close()


@pytest.mark.parametrize("name", MEETING)
def test_laws_hold_where_parts_meet(name, elsewhere):
    given = {"workload": "mpa", "flows": 1, "octets": 60_000, "seed": 1, "plain_tcp": False, "time_limit": "100s"}
    given |= {"perf_iterations": 20} | MEETING[name]
    _, faults = faults_of_trial(1, given, elsewhere)
    assert not faults, command(given)


def test_laws_hold():
    assert not run_trials(first=1, count=40)


def test_one_law_of_equality_is_asked_of_each_seed_and_each_of_some(monkeypatch):
    asked = []

    def once(several, pcap=False):
        asked[-1].append("pcap" if pcap else len(several))
        return [ended("error", "mtu: no")] * len(several)

    def draw(seed):
        asked.append([])
        return MPA | {"ipsec": "transport"}

    monkeypatch.setattr(scenario_laws, "draw_calm", draw)
    monkeypatch.setattr(scenario_laws, "run_apart", once)
    monkeypatch.setattr(scenario_laws.Elsewhere, "run", lambda _, several: once([*several, "there"])[1:-1])
    monkeypatch.setattr(scenario_laws, "sweep_in_two_ways", lambda given: once(["one job", *[given] * 4])[:2])
    assert not run_trials(first=1, count=400, one=True)
    # repeated at once; or once, and again with pcap files, behind another elsewhere, otherwise, or in sweeps
    ways = {(2,), (1, "pcap"), (1, 3), (1, 1), (1, 5)}
    assert {tuple(runs) for runs in asked} == ways
    asked.clear()
    run_trials(first=1, count=1)
    assert asked == [[2, 3, "pcap", 1, 1]]


def test_a_fault_is_told_with_the_parameters_that_it_needs(monkeypatch):
    given = MPA | {"seed": 1, "mtu": 9000, "loss": 0.1, "markers": True}
    laws = []

    def trial(seed, fewer, elsewhere, calm, asked):
        laws.append(asked)
        return "ok", ["pcap: x 1 and 2"] if "loss" in fewer else ["repeat: another one"]

    monkeypatch.setattr(scenario_laws, "faults_of_trial", trial)
    kept = scenario_laws.minimise(1, given, ["pcap: y 3 and 4"], None)
    assert kept == MPA | {"seed": 1, "loss": 0.1} and {*map(tuple, laws)} == {("pcap",)}
    monkeypatch.setattr(scenario_laws, "MINIMISE", -1)  # the time is over: as it is
    assert scenario_laws.minimise(1, given, ["pcap: y 3 and 4"], None) == given


def test_a_run_that_takes_too_long_is_not_one_that_ends_wrongly(monkeypatch):
    given = MPA | {"seed": 1, "loss": 0.1, "mtu": 9000}

    def trial(seed, fewer, elsewhere, calm, asked):
        return "error", ["completion: only 1 of 2 octets" if "loss" in fewer else "completion: crash: SIGXCPU"]

    monkeypatch.setattr(scenario_laws, "faults_of_trial", trial)
    assert scenario_laws.minimise(1, given, ["completion: only 1 of 2 octets"], None) == MPA | {"seed": 1, "loss": 0.1}
    assert scenario_laws.minimise(1, given, ["completion: crash: SIGXCPU"], None) == MPA | {"seed": 1}


@pytest.mark.parametrize(
    ("kind", "given", "metrics", "broken"),
    [
        ("udp", {}, {"cross_goodput": 50e6}, False),
        ("udp", {}, {"cross_goodput": 56e6}, False),  # a datagram of 1500 octets at the edge of 2 ms
        ("udp", {}, {"cross_goodput": 57e6}, True),
        ("udp", {"duplication": 0.2}, {"cross_goodput": 57e6}, False),
        ("udp", {"duplication": 0.2}, {"cross_goodput": 113e6}, True),
        ("udp", {}, {"cross_goodput": 0.0, "duration": 1e-3, "goodput": 16e6}, False),
        ("udp", {}, {"cross_goodput": 0.0, "duration": 5e-3, "goodput": 3.2e6}, True),
        ("tcp", {}, {"cross_goodput": 60e6}, False),
        ("tcp", {"receive_buffer": 20_000}, {"cross_goodput": 40.08e9}, False),  # what waited behind a hole
        ("tcp", {"receive_buffer": 20_000}, {"cross_goodput": 40.09e9}, True),
        ("tcp", {}, {"cross_goodput": 0.0}, False),  # not three trips yet
        ("tcp", {}, {"cross_goodput": 0.0, "duration": 10.0, "goodput": 1600.0}, True),
        ("tcp", {}, {"cross_goodput": 0.0, "duration": 0.1, "goodput": 160e3, "queue_peak": 10000.0}, False),
        ("tcp", {"loss": 0.02}, {"cross_goodput": 0.0, "duration": 5.0, "goodput": 3200.0}, False),
        ("tcp", {"topology": "wan"}, {"cross_goodput": 0.0, "duration": 0.2, "goodput": 80e3}, False),
    ],
)
def test_cross_traffic_carries_what_it_can(kind, given, metrics, broken):
    given = MPA | {"cross_traffic": kind, "cross_rate": "50Mbps"} | given
    assert bool(list(faults_of_metrics(given, GOOD | {"round_trip": 1e-3} | metrics))) == broken


@pytest.mark.parametrize("workload", ["go-back-n", "selective-repeat"])
def test_an_mtu_that_changes_is_refused_for_roce(workload):
    given = {"workload": workload, "octets": 20_000, "flows": 1, "plain_tcp": False, "time_limit": "3ms"}
    (end,) = run_apart([given | {"link_schedule": "1200us:mtu=1000"}])
    assert end["status"] == "usage" or end["status"] == "error" and names_parameters(end["message"])
    assert end["message"].startswith("link_schedule, workload: queue pairs")
    assert run_apart([given | {"link_schedule": "1200us:rate=1Gbps"}])[0]["status"] == "ok"


@pytest.mark.parametrize("workload", ["tls", "nvme-tcp"])
@pytest.mark.parametrize(
    "factory", ["Node", "UdpSocketFactory", "Ipv4RawSocketFactory", "Ipv6RawSocketFactory", "PacketSocketFactory"]
)
def test_what_makes_no_sockets_of_tcp_is_refused_by_name(workload, factory):
    name = {"tls": "tls_protocol", "nvme-tcp": "nvme_protocol"}[workload]
    given = {"workload": workload, "octets": 1000, "flows": 1, "plain_tcp": False, "time_limit": "20ms"}
    (end,) = run_apart([given | {name: f"ns3::{factory}"}])
    assert end["message"].startswith(f"{name}: ns3::{factory} is no socket factory of TCP")
    assert run_apart([given | {name: "ns3::TcpSocketFactory"}])[0]["status"] == "ok"


def test_texts_of_tls_are_refused_by_name():
    given = {"workload": "tls", "octets": 1000, "flows": 1, "plain_tcp": False, "time_limit": "20ms"}
    for name in ("tls_cipher_suites", "TlsStream.Certificates"):
        (end,) = run_apart([given | {name: "none"}])
        assert end["status"] == "usage" and end["message"].startswith(f"{name}: 'none' is not allowed")


def test_limits_of_records_below_64_are_refused_by_name():
    given = {"workload": "tls", "octets": 1000, "flows": 1, "plain_tcp": False, "time_limit": "20ms"}
    refused, without, least = run_apart([given | {"TlsStream.RecordSizeLimit": limit} for limit in (63, 0, 64)])
    assert refused["message"] == "TlsStream.RecordSizeLimit: 63 is neither 0, for none, nor 64 or more"
    assert without["status"] == least["status"] == "ok"


@pytest.mark.parametrize("name", ["MaxH2cData", "R2tLength", "MaxC2hData"])
def test_lengths_of_nvme_that_are_no_multiple_of_4_are_refused_by_name(name):
    given = {"workload": "nvme-tcp", "octets": 20_000, "flows": 1, "plain_tcp": False, "time_limit": "20ms"}
    refused, taken = run_apart([given | {f"NvmeControllerQueue.{name}": length} for length in (8190, 8192)])
    assert refused["message"] == f"NvmeControllerQueue.{name}: 8190 is no multiple of 4"
    assert taken["status"] == "ok"


def test_blocks_of_nvme_that_are_no_power_of_two_are_refused_by_name():
    given = {"workload": "nvme-tcp", "octets": 20_000, "flows": 1, "plain_tcp": False, "time_limit": "20ms"}
    for name in ("NvmeTarget", "NvmeHost"):
        (end,) = run_apart([given | {f"{name}.BlockSize": 570}])
        assert end["message"] == f"{name}.BlockSize: 570 is no power of 2, such as 512 or 4096"


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("ipsec", ["transport", "tunnel", "gateway", "nested"])
def test_packets_of_roce_are_protected_with_pcap_as_without(ipsec, ipv6):
    given = {"workload": "selective-repeat", "octets": 20_000, "flows": 2, "plain_tcp": False, "time_limit": "3ms",
             "ipsec": ipsec, "ipv6": ipv6}  # fmt: skip
    without, written = run_apart([given])[0], run_apart([given], pcap=True)[0]
    assert not difference(without, written)
    assert without["status"] == "ok" and without["metrics"]["esp_clear"] == 0
    assert without["metrics"]["esp_packets"] > 0


def test_what_looks_like_a_head_of_tls_does_not_depend_on_content():
    given = {"workload": "tls", "rnic": "connectx7-like", "octets": 20_000, "flows": 1, "seed": 5, "time_limit": "20ms"}
    without, backed = run_apart([given])[0], run_apart([given | {"backed": True}])[0]
    assert not difference(without, backed, ("content_errors",))
    assert without["metrics"]["rnic_offload_rejected"] == backed["metrics"]["rnic_offload_rejected"] == 0


def test_good_figures_are_good():
    assert not list(faults_of_end(MPA, ended()))
    assert not list(faults_of_metrics(MPA | {"warm_up": 100}, GOOD | {"fpdus_passed": 6.0, "payload_octets": 1500.0}))


def test_flows_at_a_load_bring_at_least_their_octets():
    more = {"payload_octets": 2600.0, "goodput": 10.4e6}  # of 2000, a message that was under way among them
    assert not list(faults_of_metrics(MPA | {"load": 3}, GOOD | more | {"fpdus_sent": 6.0}))
    assert list(faults_of_metrics(MPA | {"load": 0}, GOOD | more))
    fewer = {"payload_octets": 1999.0, "goodput": 7.996e6}
    (found,) = faults_of_metrics(MPA | {"load": 3}, GOOD | fewer)
    assert found.startswith("conservation: octets of all flows")


@pytest.mark.parametrize(
    ("metrics", "law"),
    [
        ({"duration": float("nan")}, "figures"),
        ({"delivery_latency_mean": float("inf")}, "figures"),
        ({"segments_sent": -1.0}, "figures"),
        ({"bottleneck_share": 1.98}, "figures"),
        ({"rnic_memory_stay_mean": 2.0, "rnic_memory_stay_max": 1.0}, "figures"),
        ({"queue_mean": 2.0, "queue_peak": 1.0}, "figures"),
        ({"perf_t_min": 2.0, "perf_t_avg": 1.0}, "figures"),
        ({"perf_t_99": 2.0, "perf_t_99_9": 1.0}, "figures"),
        ({"rnic_memory_p999": 2.0, "rnic_memory_peak": 1.0}, "figures"),
        ({"content_errors": 1.0}, "content"),
        ({"esp_clear": 1.0}, "clear"),
        ({"goodput": 8e6, "goodput_bound": 7e6}, "conservation"),
        ({"fpdus_passed": 6.0}, "conservation"),
        ({"fpdus_passed_out_of_order": 6.0}, "conservation"),
        ({"octets_on_wire": 1999.0}, "conservation"),
        ({"retransmitted_octets": 3001.0}, "conservation"),
        ({"goodput": 8.1e6}, "conservation"),
        ({"payload_octets": 1999.0, "goodput": 7.996e6}, "conservation"),
        ({"fpdu_aligned_share": 1.0, "header_aligned_share": 0.5}, "conservation"),
        ({"esp_drops": 1.0, "esp_drops_policy": 1.0, "esp_drops_replayed": 1.0}, "conservation"),
    ],
)
def test_each_law_finds_its_fault(metrics, law):
    found = list(faults_of_metrics(MPA, GOOD | metrics))
    assert found and all(fault.startswith(law) for fault in found)


@pytest.mark.parametrize(
    ("end", "law"),
    [
        (ended("crash", "signal SIGXCPU"), "completion"),
        (ended("error", "only 1 of 2 octets had come by 100.0 s (time_limit)"), "completion"),
        (ended("error", "MPA, TCP connection closed, lost or reset (2/0/1)"), "completion"),
        (ended("error", "plain TCP: only 0 of 3000 octets had come"), "completion"),
        (ended("error", "ipsec: links showed protected octets in clear in 3 packets"), "clear"),
    ],
)
def test_an_end_that_is_wrong_is_found(end, law):
    (found,) = faults_of_end(MPA, end)
    assert found.startswith(law)


def test_an_end_that_names_parameters_is_right():
    for message in ("ipsec: hosts 0 and 1 have no two routers", "queue_size, marking_threshold: no"):
        assert names_parameters(message) and not list(faults_of_end(MPA, ended("error", message)))
    assert names_parameters("MpaStream.SilentDrop: the workload sets it itself")


def test_runs_that_differ_are_found():
    assert not difference(ended(), ended(content_errors=1.0), ("content_errors",))
    assert difference(ended(), ended(goodput=8.0000001e6)) == "goodput 8000000.0 and 8000000.1"
    assert difference(ended(), ended(messages=1.0)) == "messages None and 1.0"
    assert "timeout" in difference(ended(), ended("timeout", "too long"))


def test_a_trial_depends_on_its_seed_alone():
    assert draw_calm(7) == draw_calm(7) != draw_calm(8)
    assert command({"workload": "mpa", "ipv6": True, "message_sizes": "ns3::A[B=1|C=2]"}) == (
        "./iwarp run workload=mpa ipv6=true 'message_sizes=ns3::A[B=1|C=2]'"
    )
