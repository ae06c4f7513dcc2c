/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-fat-tree.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpFatTreeTopology);

TypeId
IwarpFatTreeTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpFatTreeTopology")
            .SetParent<IwarpTableTopology>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpFatTreeTopology>()
            .AddAttribute("K",
                          "Ports of each switch, an even number; there are K^3/4 hosts",
                          UintegerValue(4),
                          MakeUintegerAccessor(&IwarpFatTreeTopology::m_k),
                          MakeUintegerChecker<uint32_t>(2, 22));
    return tid;
}

IwarpFatTreeTopology::IwarpFatTreeTopology() = default;
IwarpFatTreeTopology::~IwarpFatTreeTopology() = default;

std::string
IwarpFatTreeTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    if (m_k % 2 != 0)
    {
        return "K: it has to be even, as half of a switch's ports lead up";
    }
    const uint32_t half = m_k / 2;
    const uint32_t edge = table.AddRouters(m_k * half, "edge ");
    const uint32_t aggregation = table.AddRouters(m_k * half, "aggregation ");
    const uint32_t core = table.AddRouters(half * half, "core ");
    for (uint32_t i = 0; i < m_k * half; i++)
    {
        const uint32_t pod = i - i % half;
        for (uint32_t j = 0; j < half; j++)
        {
            table.links.push_back({edge + i, aggregation + pod + j, GetDelay()});
            table.links.push_back({aggregation + i, core + i % half * half + j, GetDelay()});
        }
        table.AddHosts(half, edge + i);
    }
    table.PairAcross(pairs);
    return "";
}

} // namespace ns3
