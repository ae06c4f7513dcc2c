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


SHIM = """
#include "ns3/mpa-stream.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdmap-stream.h"

namespace shim
{

/// Counts the FPDUs that a client sends.
struct Counter
{
    void Watch(ns3::Ptr<ns3::Application> client)
    {
        client->TraceConnectWithoutContext("Connected", ns3::MakeCallback(&Counter::Connected, this));
    }

    void Connected(ns3::Ptr<ns3::RdmaQueuePair> pair)
    {
        auto stream = pair->GetStream()->GetMpa();
        stream->TraceConnectWithoutContext("FpduSent", ns3::MakeCallback(&Counter::Sent, this));
    }

    void Sent(uint32_t, uint32_t, uint32_t)
    {
        fpdus++;
    }

    uint64_t fpdus{0};
};

} // namespace shim
"""


def test_a_shim_hears_a_trace_source(tmp_path):
    def observe(network):
        counter = iwarp.define(SHIM).shim.Counter()
        clients = 0
        for host in range(network.GetNHosts()):
            node = network.GetHost(host)
            for i in range(node.GetNApplications()):
                application = node.GetApplication(i)
                if application.GetInstanceTypeId().GetName() == "ns3::RdmaBulkClient":
                    counter.Watch(application)
                    clients += 1
        return lambda: (tmp_path / "seen.json").write_text(json.dumps([clients, counter.fpdus]))

    result = iwarp.run(observe=observe, flows=3, octets=100_000, workload="rdma-write", plain_tcp=False)
    assert json.loads((tmp_path / "seen.json").read_text()) == [3, result["fpdus_sent"]]


def test_what_does_not_compile_is_told():
    with pytest.raises(iwarp.UsageError, match="does not compile"):
        iwarp.define("int main( { return nothing; }")


def test_netanim_needs_a_directory():
    with pytest.raises(iwarp.UsageError, match="there is no directory"):
        iwarp.run(net_anim="/no/such/run.xml")


def test_a_module_that_is_not_there():
    with pytest.raises(iwarp.IwarpError, match="without its module nonsense"):
        loader.load_module("nonsense", "ns3/nonsense.h")
