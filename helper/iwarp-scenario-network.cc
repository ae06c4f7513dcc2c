/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-network.h"

#include "iwarp-helper.h"
#include "iwarp-topology-abilene.h"
#include "iwarp-topology-dumbbell.h"

#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint16_t PORT = 20049;  //!< where the applications of the first flow listen
constexpr int64_t STREAMS = 1000; //!< first random stream of the flows

/// Make the topology. @param p parameters that name it @return it
Ptr<IwarpTopology>
MakeTopology(const IwarpScenarioParameters& p)
{
    Ptr<IwarpTopology> topology;
    if (p.topology == IwarpScenarioParameters::Topology::ABILENE)
    {
        topology = CreateObject<IwarpAbileneTopology>();
        topology->SetAttribute("Pairs", StringValue(p.abilenePairs));
    }
    else
    {
        topology = CreateObject<IwarpDumbbellTopology>();
        topology->SetAttribute("Delay", TimeValue(p.delay));
    }
    topology->SetAttribute("LinkRate", DataRateValue(p.linkRate));
    topology->SetAttribute("AccessRate", DataRateValue(p.accessRate));
    topology->SetAttribute("AccessDelay", TimeValue(p.accessDelay));
    topology->SetAttribute("QueueSize", QueueSizeValue(p.queueSize));
    topology->SetAttribute("Mtu", UintegerValue(p.mtu));
    return topology;
}

} // namespace

ScenarioNetwork::ScenarioNetwork(const IwarpScenarioParameters& parameters)
    : m_parameters(parameters),
      m_network(parameters.ipv6)
{
    const auto& p = m_parameters;
    const uint32_t pairs = p.hostPairs > 0 ? p.hostPairs : p.flows;
    m_ends = MakeTopology(p)->Build(m_network, pairs);
    m_network.InstallRoutes();
    Ptr<UniformRandomVariable> spread = CreateObject<UniformRandomVariable>();
    spread->SetStream(STREAMS - 1);
    NodeContainer hosts;
    for (uint32_t i = 0; i < p.flows; i++)
    {
        const auto& [sender, receiver] = m_ends[i % pairs];
        const auto port = static_cast<uint16_t>(PORT + i / pairs);
        Workload::Flow flow;
        flow.sender = m_network.GetHost(sender);
        flow.receiver = m_network.GetHost(receiver);
        flow.senderAddress = m_network.GetHostSocketAddress(sender, port);
        flow.receiverAddress = m_network.GetHostSocketAddress(receiver, port);
        flow.any = m_network.GetAnySocketAddress(port);
        // a socket that connects at time 0 finds traffic control not yet initialised
        flow.start = MilliSeconds(1) + Seconds(spread->GetValue(0, p.startSpread.GetSeconds()));
        flow.stream = STREAMS + 2 * static_cast<int64_t>(m_flows.size());
        m_flows.push_back(flow);
        if (i >= pairs)
        {
            continue;
        }
        hosts.Add(flow.sender);
        hosts.Add(flow.receiver);
        m_taps.push_back(Create<IpTap>());
        m_taps.back()->Attach(flow.sender);
        m_backTaps.push_back(Create<IpTap>());
        m_backTaps.back()->Attach(flow.receiver);
    }
    Impair();
    InternetStackHelper().AssignStreams(hosts, STREAMS + 8 * int64_t{p.flows});
}

void
ScenarioNetwork::Impair()
{
    const auto& p = m_parameters;
    if (p.loss == 0 && p.reordering == 0 && p.duplication == 0)
    {
        return;
    }
    for (const auto& pair : m_ends)
    {
        Ptr<UniformRandomVariable> hold = CreateObject<UniformRandomVariable>();
        hold->SetAttribute("Max", DoubleValue(p.reorderingDelay.GetSeconds()));
        Ptr<PathRandomImpairment> impairment = CreateObject<PathRandomImpairment>();
        impairment->SetAttribute("Loss", DoubleValue(p.loss));
        impairment->SetAttribute("Reordering", DoubleValue(p.reordering));
        impairment->SetAttribute("Duplication", DoubleValue(p.duplication));
        impairment->SetAttribute("HoldTime", PointerValue(hold));
        m_network.Impair(m_network.GetHostLink(pair.second), PathDirection::A_TO_B, impairment);
    }
    m_network.AssignStreams(STREAMS + 2 * int64_t{p.flows});
}

const std::vector<Workload::Flow>&
ScenarioNetwork::GetFlows() const
{
    return m_flows;
}

Time
ScenarioNetwork::GetFirstStart() const
{
    return std::min_element(m_flows.begin(),
                            m_flows.end(),
                            [](const auto& a, const auto& b) { return a.start < b.start; })
        ->start;
}

Time
ScenarioNetwork::GetRoundTrip() const
{
    Time longest;
    for (const auto& [sender, receiver] : m_ends)
    {
        longest = std::max(longest, 2 * m_network.GetPathDelay(sender, receiver));
    }
    return longest;
}

std::vector<Ptr<Rnic>>
ScenarioNetwork::InstallRnics(const RnicHelper& helper) const
{
    int64_t stream = STREAMS + 16 * (int64_t{m_parameters.flows} + 64);
    std::vector<Ptr<Rnic>> receiving;
    for (const auto& [sender, receiver] : m_ends)
    {
        for (uint32_t host : {sender, receiver})
        {
            const NodeContainer node(m_network.GetHost(host));
            Ptr<Rnic> rnic = helper.Install(node.Get(0));
            stream += RnicHelper::AssignStreams(node, stream);
            if (host == receiver)
            {
                receiving.push_back(rnic);
            }
        }
    }
    return receiving;
}

ScenarioNetwork::Traffic
ScenarioNetwork::GetTraffic() const
{
    Traffic traffic;
    for (const auto& tap : m_taps)
    {
        traffic.segments += tap->GetSegments();
        traffic.octets += tap->GetOctets();
        traffic.retransmitted += tap->GetRetransmitted();
    }
    for (const auto& tap : m_backTaps)
    {
        traffic.octets += tap->GetOctets();
    }
    return traffic;
}

void
ScenarioNetwork::EnablePcap(const std::string& prefix) const
{
    NodeContainer hosts;
    for (const auto& [sender, receiver] : m_ends)
    {
        hosts.Add(m_network.GetHost(sender));
        hosts.Add(m_network.GetHost(receiver));
    }
    IwarpHelper::EnablePcap(prefix, hosts);
}

} // namespace iwarp
} // namespace ns3
