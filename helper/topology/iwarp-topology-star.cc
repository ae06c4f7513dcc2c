/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-star.h"

#include "ns3/log.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpStarTopology);

TypeId
IwarpStarTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpStarTopology")
                            .SetParent<IwarpTableTopology>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<IwarpStarTopology>();
    return tid;
}

IwarpStarTopology::IwarpStarTopology() = default;
IwarpStarTopology::~IwarpStarTopology() = default;

std::string
IwarpStarTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    const uint32_t hub = table.AddRouters(1, "switch ");
    for (uint32_t i = 0; i < pairs; i++)
    {
        table.AddPair(hub, hub);
    }
    return "";
}

} // namespace ns3
