/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-wan.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpWanTopology);

TypeId
IwarpWanTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpWanTopology")
            .SetParent<IwarpTableTopology>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpWanTopology>()
            .AddAttribute("Distance",
                          "Length of the fibre between the two sides [km]",
                          DoubleValue(10000),
                          MakeDoubleAccessor(&IwarpWanTopology::m_distance),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute(
                "SatelliteHops",
                "Geostationary satellites on the way, besides the fibre, each of 280 ms one way",
                UintegerValue(0),
                MakeUintegerAccessor(&IwarpWanTopology::m_satelliteHops),
                MakeUintegerChecker<uint32_t>(0, 10));
    return tid;
}

IwarpWanTopology::IwarpWanTopology() = default;
IwarpWanTopology::~IwarpWanTopology() = default;

std::string
IwarpWanTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    constexpr double speed = 299792.458 * 2 / 3; // light in glass, kilometres a second
    const Time delay = Seconds(m_distance / speed) + m_satelliteHops * MilliSeconds(280);
    const uint32_t left = table.AddRouters(2, "router ");
    const uint32_t right = left + 1;
    table.links.push_back({left, right, delay});
    for (uint32_t i = 0; i < pairs; i++)
    {
        table.AddPair(left, right);
    }
    return "";
}

} // namespace ns3
