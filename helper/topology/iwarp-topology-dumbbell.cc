/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-dumbbell.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpDumbbellTopology);

TypeId
IwarpDumbbellTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpDumbbellTopology")
                            .SetParent<IwarpTableTopology>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpDumbbellTopology>()
                            .AddAttribute("Receivers",
                                          "Hosts that receive, from the senders in turn: 1 is "
                                          "incast; 0 gives each sender one of its own",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&IwarpDumbbellTopology::m_receivers),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

IwarpDumbbellTopology::IwarpDumbbellTopology() = default;
IwarpDumbbellTopology::~IwarpDumbbellTopology() = default;

std::string
IwarpDumbbellTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    const uint32_t left = table.AddRouters(2, "router ");
    const uint32_t right = left + 1;
    table.links.push_back({left, right, GetDelay()});
    for (uint32_t i = 0; i < pairs; i++)
    {
        if (m_receivers == 0 || i < m_receivers)
        {
            table.AddPair(left, right);
            continue;
        }
        const auto sender = static_cast<uint32_t>(table.hosts.size());
        table.AddHosts(1, left);
        table.pairs.emplace_back(sender, table.pairs[i % m_receivers].second);
    }
    return "";
}

} // namespace ns3
