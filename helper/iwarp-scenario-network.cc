/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-network.h"

#include "iwarp-helper.h"
#include "iwarp-path-place.h"

#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint16_t PORT = 20049;  //!< where the applications of the first flow listen
constexpr int64_t STREAMS = 1000; //!< first random stream of the flows
constexpr double SCALED = 1.01;   //!< receive windows, with what window scaling rounds them up by

} // namespace

ScenarioNetwork::Traffic
ScenarioNetwork::Traffic::operator-(const Traffic& before) const
{
    return {segments - before.segments,
            octets - before.octets,
            retransmitted - before.retransmitted,
            busiest}; // begins anew by itself
}

ScenarioNetwork::ScenarioNetwork(const IwarpScenarioParameters& parameters,
                                 const ScenarioParts& parts)
    : m_parameters(parameters),
      m_network(parameters.ipv6)
{
    m_ends = parts.GetTopology()->Build(m_network, m_parameters.GetPairs());
    m_network.InstallRoutes();
    ListHosts();
    MakeFlows();
    Watch();
    Disturb(parts);
    NodeContainer hosts;
    for (const Host& host : m_hosts)
    {
        hosts.Add(m_network.GetHost(host.index));
    }
    InternetStackHelper().AssignStreams(hosts, STREAMS + 8 * int64_t{m_parameters.flows});
}

void
ScenarioNetwork::ListHosts()
{
    std::set<uint32_t> seen;
    for (const auto& [sender, receiver] : m_ends)
    {
        for (const Host& host : {Host{sender, false}, Host{receiver, true}})
        {
            if (seen.insert(host.index).second)
            {
                m_hosts.push_back(host);
            }
        }
    }
}

void
ScenarioNetwork::MakeFlows()
{
    const auto& p = m_parameters;
    const uint32_t pairs = p.GetPairs();
    Ptr<UniformRandomVariable> spread = CreateObject<UniformRandomVariable>();
    spread->SetStream(STREAMS - 1);
    for (uint32_t i = 0; i < p.flows; i++)
    {
        const auto& [sender, receiver] = m_ends.at(i % pairs);
        const auto port = static_cast<uint16_t>(PORT + m_flowsAt[receiver]++);
        IwarpWorkload::Flow flow;
        flow.sender = m_network.GetHost(sender);
        flow.receiver = m_network.GetHost(receiver);
        flow.senderAddress = m_network.GetHostSocketAddress(sender, port);
        flow.receiverAddress = m_network.GetHostSocketAddress(receiver, port);
        flow.any = m_network.GetAnySocketAddress(port);
        // a socket that connects at time 0 finds traffic control not yet initialised
        flow.start = MilliSeconds(1) + Seconds(spread->GetValue(0, p.startSpread.GetSeconds()));
        flow.stream = STREAMS + 2 * static_cast<int64_t>(m_flows.size());
        m_flows.push_back(flow);
    }
}

void
ScenarioNetwork::Watch()
{
    for (const Host& host : m_hosts)
    {
        auto& taps = host.receives ? m_backTaps : m_taps;
        taps.push_back(Create<IpTap>());
        taps.back()->Attach(m_network.GetHost(host.index));
    }
    m_links = Create<LinkUse>(m_network);
}

void
ScenarioNetwork::Disturb(const ScenarioParts& parts)
{
    using Direction = IwarpScenarioParameters::Direction;
    const auto& p = m_parameters;
    for (const bool back : {false, true})
    {
        const auto other = back ? Direction::DATA : Direction::ACKS;
        const auto hops = FindHops(m_network, m_ends, p.impairedPlace, back);
        for (const auto& hop : hops)
        {
            if (p.impairedDirection != other)
            {
                m_network.Impair(hop.link, hop.direction, parts.MakeImpairment());
            }
        }
    }
    for (const auto& hop : FindHops(m_network, m_ends, p.middleboxPlace, false))
    {
        if (Ptr<PathMiddlebox> middlebox = parts.MakeMiddlebox())
        {
            m_network.InsertMiddlebox(hop.link, middlebox);
        }
    }
    m_network.AssignStreams(STREAMS + 2 * int64_t{p.flows});
}

const std::vector<IwarpWorkload::Flow>&
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

uint32_t
ScenarioNetwork::GetMostFlows() const
{
    return std::max_element(m_flowsAt.begin(),
                            m_flowsAt.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
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

RateBounds
ScenarioNetwork::GetRateBounds(uint32_t headers) const
{
    RateBounds bounds(m_network, m_ends, headers);
    if (!m_rnics.empty())
    {
        bounds.AddHosts(m_ends, [this](uint32_t host) {
            auto& path = m_rnics.at(host)->GetDatapath();
            return RateBounds::Host{path.GetHost().GetDataRate(false),
                                    path.GetHost().GetDataRate(true),
                                    path.GetQueuePairs().GetMessageRate()};
        });
    }
    if (m_parameters.middlebox == "none") // which may hold as much as it likes
    {
        const auto rate =
            ScenarioParts::GetDefault<DataRateValue>("MpaTcpSocket.WindowRate").GetBitRate();
        const auto time = ScenarioParts::GetDefault<TimeValue>("MpaTcpSocket.WindowRtt");
        const double window =
            std::max(double(ScenarioParts::GetDefault<UintegerValue>("TcpSocket.RcvBufSize")),
                     double(rate) * time.GetSeconds() / 8);
        bounds.SetHeld(SCALED * window * m_parameters.flows);
    }
    return bounds;
}

std::vector<Ptr<Rnic>>
ScenarioNetwork::InstallRnics(const RnicHelper& helper)
{
    int64_t stream = STREAMS + 16 * (int64_t{m_parameters.flows} + 64);
    std::vector<Ptr<Rnic>> receiving;
    for (const Host& host : m_hosts)
    {
        const NodeContainer node(m_network.GetHost(host.index));
        Ptr<Rnic> rnic = helper.Install(node.Get(0));
        stream += RnicHelper::AssignStreams(node, stream);
        m_rnics[host.index] = rnic;
        if (host.receives)
        {
            receiving.push_back(rnic);
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
    traffic.busiest = m_links->GetBusiest();
    return traffic - m_before;
}

void
ScenarioNetwork::Restart()
{
    m_before = {};
    m_before = GetTraffic();
    m_links->Restart();
}

void
ScenarioNetwork::EnablePcap(const std::string& prefix) const
{
    NodeContainer hosts;
    for (const Host& host : m_hosts)
    {
        hosts.Add(m_network.GetHost(host.index));
    }
    IwarpHelper::EnablePcap(prefix, hosts);
}

} // namespace iwarp
} // namespace ns3
