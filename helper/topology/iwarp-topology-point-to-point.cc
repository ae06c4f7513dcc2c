/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-point-to-point.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpPointToPointTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpPointToPointTopology);

TypeId
IwarpPointToPointTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpPointToPointTopology")
                            .SetParent<IwarpTopology>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpPointToPointTopology>();
    return tid;
}

IwarpPointToPointTopology::IwarpPointToPointTopology() = default;
IwarpPointToPointTopology::~IwarpPointToPointTopology() = default;

std::string
IwarpPointToPointTopology::Check(uint32_t pairs, bool ipv6) const
{
    const std::string problem = IwarpTopology::Check(pairs, ipv6);
    return problem.empty() && pairs > iwarp::AddressPlan::LINES
               ? "Topology: at most " + std::to_string(iwarp::AddressPlan::LINES) + " pairs"
               : problem;
}

IwarpTopology::Ends
IwarpPointToPointTopology::Build(IwarpNetwork& network, uint32_t pairs) const
{
    NS_LOG_FUNCTION(this << pairs);
    Ends ends;
    for (uint32_t i = 0; i < pairs; i++)
    {
        const uint32_t sender = network.AddHosts(MakeLink(GetDelay()));
        ends.emplace_back(sender, sender + 1);
    }
    return ends;
}

DataRate
IwarpPointToPointTopology::GetBottleneckRate() const
{
    return MakeLink(GetDelay()).rate;
}

} // namespace ns3
