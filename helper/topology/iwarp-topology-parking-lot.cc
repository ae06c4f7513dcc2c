/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-parking-lot.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpParkingLotTopology);

TypeId
IwarpParkingLotTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpParkingLotTopology")
            .SetParent<IwarpTableTopology>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpParkingLotTopology>()
            .AddAttribute("Bottlenecks",
                          "Links between routers, in a row",
                          UintegerValue(3),
                          MakeUintegerAccessor(&IwarpParkingLotTopology::m_bottlenecks),
                          MakeUintegerChecker<uint32_t>(1, 255));
    return tid;
}

IwarpParkingLotTopology::IwarpParkingLotTopology() = default;
IwarpParkingLotTopology::~IwarpParkingLotTopology() = default;

std::string
IwarpParkingLotTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    table.AddRouters(m_bottlenecks + 1, "router ");
    for (uint32_t i = 0; i < m_bottlenecks; i++)
    {
        table.links.push_back({i, i + 1, GetDelay()});
    }
    for (uint32_t i = 0; i < pairs; i++)
    {
        const uint32_t place = i % (m_bottlenecks + 1);
        place == 0 ? table.AddPair(0, m_bottlenecks) : table.AddPair(place - 1, place);
    }
    return "";
}

} // namespace ns3
