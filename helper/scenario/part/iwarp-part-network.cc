/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-network.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-short-names.h"
#include "ns3/iwarp-topology-file.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/path-ranks.h"
#include "ns3/string.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpNetworkPart);

namespace
{

constexpr uint32_t MAX_FLOWS = 1 << 20; //!< most connections: about 50 GB of memory

} // namespace

TypeId
IwarpNetworkPart::GetTypeId()
{
    using iwarp::TrafficPattern;
    static TypeId tid =
        TypeId("ns3::IwarpNetworkPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpNetworkPart>()
            .AddAttribute(
                "Topology",
                "Network: a class of IwarpTopology, such as dumbbell, pairs of hosts that "
                "share one bottleneck, or abilene, hosts in the cities of a backbone; file:PATH "
                "reads it from a file",
                StringValue("dumbbell"),
                MakeStringAccessor(&IwarpNetworkPart::m_topologyName),
                MakeStringChecker())
            .AddAttribute("Ecmp",
                          "What equal paths are picked by: a hash of the flow, the same with ESP's "
                          "SPI as its ports, one of addresses and IPv6's flow label, at random for "
                          "each packet, or packets in turn",
                          iwarp::MakeEnumValue(PathSpreading::FLOW),
                          iwarp::MakeEnumAccessor(&IwarpNetworkPart::m_ecmp),
                          MakePathSpreadingChecker())
            .AddAttribute("Ipv6",
                          "Use IPv6 rather than IPv4",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpNetworkPart::m_ipv6),
                          MakeBooleanChecker())
            .AddAttribute("FlowLabels",
                          "With IPv6 each node gives what it sends the flow label of its flow, and "
                          "a tunnel that of the flow in it; otherwise ns-3's, the same for all",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpNetworkPart::m_flowLabels),
                          MakeBooleanChecker())
            .AddAttribute("Pattern",
                          "Who sends to whom: the topology's pairs of hosts; each host to each "
                          "other; IncastSenders hosts to one; or each host to one other, drawn at "
                          "random, so that each receives from one",
                          iwarp::MakeEnumValue(TrafficPattern::PAIRS),
                          iwarp::MakeEnumAccessor(&IwarpNetworkPart::m_pattern),
                          iwarp::MakeEnumChecker(TrafficPattern::PAIRS,
                                                 "pairs",
                                                 TrafficPattern::ALL_TO_ALL,
                                                 "all-to-all",
                                                 TrafficPattern::INCAST,
                                                 "incast",
                                                 TrafficPattern::PERMUTATION,
                                                 "permutation"))
            .AddAttribute("IncastSenders",
                          "Hosts that send in an incast; 0 is all but the one that receives",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpNetworkPart::m_incastSenders),
                          MakeUintegerChecker<uint32_t>(0, 16383))
            .AddAttribute("Flows",
                          "Connections, each between two hosts of its own unless HostPairs says "
                          "otherwise; with another Pattern than pairs, those of each sender with "
                          "each of its receivers",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpNetworkPart::m_flows),
                          MakeUintegerChecker<uint32_t>(1, MAX_FLOWS))
            .AddAttribute(
                "HostPairs",
                "Pairs of hosts over which the flows are spread; 0 gives each flow a "
                "pair of its own, 1 has all flows between the same two hosts. With another "
                "Pattern, half of the hosts, where the topology does not say how many",
                UintegerValue(0),
                MakeUintegerAccessor(&IwarpNetworkPart::m_hostPairs),
                MakeUintegerChecker<uint32_t>(0, 16384))
            .AddAttribute(
                "CableSpread",
                "Each link's cable is longer than its delay says by a time drawn at random "
                "up to this; paths are chosen by the delays without it. Packets then do "
                "not come at the same time, of which the simulator would have to put one "
                "first",
                TimeValue(Time(0)),
                MakeTimeAccessor(&IwarpNetworkPart::m_cableSpread),
                MakeTimeChecker(Time(0), Seconds(1)));
    return tid;
}

IwarpNetworkPart::IwarpNetworkPart() = default;
IwarpNetworkPart::~IwarpNetworkPart() = default;

bool
IwarpNetworkPart::IsIdle() const
{
    return false;
}

std::vector<std::string>
IwarpNetworkPart::ListNames(const std::string& attribute) const
{
    std::vector<std::string> names;
    if (attribute == "Topology")
    {
        names = iwarp::ListShortTypeNames(IwarpTopology::GetTypeId());
        std::replace(names.begin(), names.end(), std::string("file"), std::string("file:PATH"));
    }
    return names;
}

std::string
IwarpNetworkPart::CheckName(const std::string& attribute, const std::string& value) const
{
    TypeId type;
    return attribute != "Topology" || !IwarpFileTopology::GetFile(value).empty()
               ? ""
               : iwarp::FindType(value, IwarpTopology::GetTypeId(), type);
}

std::string
IwarpNetworkPart::Check() const
{
    const std::string problem = CheckName("Topology", m_topologyName);
    if (!problem.empty())
    {
        return "Topology: " + problem;
    }
    if (m_flowLabels && !m_ipv6)
    {
        return "FlowLabels: IPv4 has none: set Ipv6";
    }
    if (m_flowLabels && !Ipv6FlowLabels::AreCarried())
    {
        return "FlowLabels: this release of ns-3 loses labels where it reads headers of IPv6; "
               "releases from 3.37 on do not";
    }
    if (m_ecmp == PathSpreading::FLOW_LABEL && !m_flowLabels)
    {
        return "Ecmp: ns-3 gives all datagrams one flow label: set FlowLabels, and Ipv6";
    }
    return m_pattern == iwarp::TrafficPattern::PAIRS && m_hostPairs > m_flows
               ? "HostPairs: there cannot be more than Flows"
               : "";
}

std::string
IwarpNetworkPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    const auto& topology = parts.GetTopology();
    if (parts.GetWorkload()->GetDscp() > 0 && !topology->HasPriorities())
    {
        return "Dscp, Priorities: a DSCP chooses among priorities, so have more than one";
    }
    return iwarp::NameParameters(topology->GetInstanceTypeId(),
                                 topology->Check(parts.CountPairs(), m_ipv6));
}

std::string
IwarpNetworkPart::CheckRanks(const iwarp::ScenarioParts& parts) const
{
    const auto& topology = parts.GetTopology();
    if (topology->HasPause())
    {
        return "PfcXoff: a pause takes effect at once at both ends of a link, and ranks have one "
               "each; set it to 0";
    }
    if (topology->HasMemory())
    {
        return "BufferSize, InputBuffer: ranks do not share the memory of switches; set both to 0";
    }
    TimeValue delay;
    topology->GetAttribute("Delay", delay);
    if (!delay.Get().IsStrictlyPositive())
    {
        return "Delay: ranks wait for each other once in the delay of a link between routers, so "
               "it has to be more than 0";
    }
    return parts.GetMtu() <= ranks::MAX_MTU
               ? ""
               : "Mtu: packets pass between ranks in buffers of ns-3's that have room for " +
                     std::to_string(ranks::MAX_MTU) + " octets at most";
}

void
IwarpNetworkPart::SetDefaults(iwarp::ScenarioParts& parts) const
{
    for (const auto* routing : {"PathIpv4EcmpRouting", "PathIpv6EcmpRouting"})
    {
        parts.Derive(std::string(routing) + ".Spreading", iwarp::MakeEnumValue(m_ecmp), "Ecmp");
    }
}

void
IwarpNetworkPart::SetTopology(Ptr<IwarpTopology> topology)
{
    m_ownTopology = topology;
}

Ptr<IwarpTopology>
IwarpNetworkPart::MakeTopology() const
{
    if (m_ownTopology)
    {
        return m_ownTopology;
    }
    const std::string file = IwarpFileTopology::GetFile(m_topologyName);
    ObjectFactory factory;
    if (!file.empty())
    {
        factory.SetTypeId(IwarpFileTopology::GetTypeId());
        factory.Set("File", StringValue(file));
        return factory.Create<IwarpTopology>();
    }
    TypeId type;
    const std::string problem = iwarp::FindType(m_topologyName, IwarpTopology::GetTypeId(), type);
    NS_ABORT_MSG_UNLESS(problem.empty(), "Topology: " << problem);
    factory.SetTypeId(type);
    return factory.Create<IwarpTopology>();
}

bool
IwarpNetworkPart::IsIpv6() const
{
    return m_ipv6;
}

bool
IwarpNetworkPart::UsesFlowLabels() const
{
    return m_flowLabels;
}

Time
IwarpNetworkPart::GetCableSpread() const
{
    return m_cableSpread;
}

uint32_t
IwarpNetworkPart::GetFlowPairs() const
{
    const bool own = m_hostPairs == 0;
    switch (m_pattern)
    {
    case iwarp::TrafficPattern::PAIRS:
        return own ? m_flows : m_hostPairs;
    case iwarp::TrafficPattern::INCAST:
        return std::max({m_hostPairs, m_incastSenders, 1U});
    case iwarp::TrafficPattern::ALL_TO_ALL:
    case iwarp::TrafficPattern::PERMUTATION:
        break;
    }
    return own ? 1 : m_hostPairs;
}

IwarpTopology::Ends
IwarpNetworkPart::ChooseEnds(const std::vector<uint32_t>& hosts,
                             const IwarpTopology::Ends& pairs,
                             const std::function<uint32_t(uint32_t)>& draw) const
{
    return iwarp::MakeEnds(m_pattern, hosts, pairs, m_incastSenders, draw);
}

std::string
IwarpNetworkPart::CheckEnds(const IwarpTopology::Ends& ends, bool each) const
{
    if (ends.size() * m_flows > MAX_FLOWS && (each || m_pattern != iwarp::TrafficPattern::PAIRS))
    {
        return "Pattern, Flows: " + std::to_string(ends.size() * m_flows) +
               " connections are more than " + std::to_string(MAX_FLOWS);
    }
    return !each && m_pattern == iwarp::TrafficPattern::INCAST && ends.size() < m_incastSenders
               ? "IncastSenders: the topology has only " + std::to_string(ends.size()) +
                     " hosts that could send to one"
               : "";
}

uint32_t
IwarpNetworkPart::CountFlows(const IwarpTopology::Ends& ends, bool each) const
{
    const bool pairs = m_pattern == iwarp::TrafficPattern::PAIRS && !each;
    return m_flows * (pairs ? 1 : static_cast<uint32_t>(ends.size()));
}

} // namespace ns3
