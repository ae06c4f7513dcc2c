/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-leaf-spine.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpLeafSpineTopology);

TypeId
IwarpLeafSpineTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpLeafSpineTopology")
                            .SetParent<IwarpTableTopology>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpLeafSpineTopology>()
                            .AddAttribute("Leaves",
                                          "Switches with hosts",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&IwarpLeafSpineTopology::m_leaves),
                                          MakeUintegerChecker<uint32_t>(1, 256))
                            .AddAttribute("Spines",
                                          "Switches that join the leaves, each to each",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&IwarpLeafSpineTopology::m_spines),
                                          MakeUintegerChecker<uint32_t>(1, 256))
                            .AddAttribute("HostsPerLeaf",
                                          "Hosts at each leaf",
                                          UintegerValue(16),
                                          MakeUintegerAccessor(&IwarpLeafSpineTopology::m_hosts),
                                          MakeUintegerChecker<uint32_t>(1, 1024));
    return tid;
}

IwarpLeafSpineTopology::IwarpLeafSpineTopology() = default;
IwarpLeafSpineTopology::~IwarpLeafSpineTopology() = default;

std::string
IwarpLeafSpineTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    if (m_leaves * m_hosts < 2)
    {
        return "Leaves, HostsPerLeaf: there have to be two hosts";
    }
    const uint32_t leaf = table.AddRouters(m_leaves, "leaf ");
    const uint32_t spine = table.AddRouters(m_spines, "spine ");
    for (uint32_t i = 0; i < m_leaves; i++)
    {
        for (uint32_t j = 0; j < m_spines; j++)
        {
            table.links.push_back({leaf + i, spine + j, GetDelay()});
        }
        table.AddHosts(m_hosts, leaf + i);
    }
    table.PairAcross(pairs);
    return "";
}

} // namespace ns3
