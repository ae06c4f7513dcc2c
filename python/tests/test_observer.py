# SPDX-License-Identifier: GPL-2.0-only
"""What is put on a network before a run: FlowMonitor, which counts what the metrics count, and NetAnim's file."""

import json
from xml.etree import ElementTree

import iwarp
import pytest
from iwarp.runs import loader


def monitored(path, **params):
    """Run with FlowMonitor and return the metrics and its figures of TCP, summed over flows."""

    def observe(network):
        ns3 = loader.load_module("flow-monitor", "ns3/flow-monitor-helper.h")
        helper = ns3.FlowMonitorHelper()
        helper.InstallAll()

        def finish():
            totals = dict.fromkeys(("flows", "tx", "tx_octets", "rx", "rx_octets"), 0)
            for flow in helper.GetMonitor().GetFlowStats():
                totals["flows"] += 1
                totals["tx"] += flow.second.txPackets
                totals["tx_octets"] += flow.second.txBytes
                totals["rx"] += flow.second.rxPackets
                totals["rx_octets"] += flow.second.rxBytes
            path.write_text(json.dumps(totals))

        return finish

    metrics = iwarp.run(observe=observe, topology="leaf-spine", leaves=2, spines=2, hosts_per_leaf=4, flows=4,
                        octets=200_000, workload="rdma-write", plain_tcp=False, **params)  # fmt: skip
    return metrics, json.loads(path.read_text())


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("rnic", ["none", "t5-like"])
def test_flow_monitor_counts_what_the_metrics_count(tmp_path, rnic, ipv6):
    metrics, seen = monitored(tmp_path / "flows.json", rnic=rnic, ipv6=ipv6)
    assert seen["flows"] == 2 * 4  # both directions
    assert seen["tx_octets"] == metrics["octets_on_wire"]
    # when the last message has come, some of its acknowledgements are under way
    assert 0 <= seen["tx"] - seen["rx"] <= 0.1 * seen["tx"]
    assert metrics["queue_drops"] == 0


@pytest.mark.parametrize("rnic", ["none", "t5-like"])
def test_flow_monitor_sees_losses(tmp_path, rnic):
    metrics, seen = monitored(
        tmp_path / "flows.json", rnic=rnic, queue_size="8p", access_rate="100Gbps", start_spread="0s"
    )
    _, clean = monitored(tmp_path / "clean.json", rnic=rnic)
    lost = metrics["queue_drops"]
    assert lost > 0
    assert lost <= seen["tx"] - seen["rx"] <= lost + 100
    assert seen["tx_octets"] == metrics["octets_on_wire"]
    assert clean["tx"] < seen["tx"]


@pytest.mark.parametrize("topology", ["dumbbell", "point-to-point", "fat-tree"])
def test_netanim(tmp_path, topology):
    file = tmp_path / "run.xml"
    metrics = iwarp.run(topology=topology, net_anim=file, octets=20_000, flows=2, plain_tcp=False)
    root = ElementTree.parse(file).getroot()
    hosts = {"dumbbell": 4, "point-to-point": 4, "fat-tree": 16}[topology]
    nodes = root.findall("node")
    assert sum("host" in update.get("descr", "") for update in root.iter("nu")) == hosts
    assert len({(node.get("locX"), node.get("locY")) for node in nodes}) == len(nodes)
    assert len(root.findall("p")) >= metrics["segments_sent"]


def test_netanim_needs_a_directory():
    with pytest.raises(iwarp.UsageError, match="there is no directory"):
        iwarp.run(net_anim="/no/such/run.xml")


def test_a_module_that_is_not_there():
    with pytest.raises(iwarp.IwarpError, match="without its module nonsense"):
        loader.load_module("nonsense", "ns3/nonsense.h")
