/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-abilene.h"

#include "iwarp-map-file.h"

#include "ns3/string.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpAbileneTopology);

TypeId
IwarpAbileneTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpAbileneTopology")
            .SetParent<IwarpTableTopology>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpAbileneTopology>()
            .AddAttribute("Pairs",
                          "Cities from which and to which flows go on the backbone; flows take the "
                          "pairs in turn",
                          StringValue("STTL-WASH,LOSA-NYCM,SNVA-ATLA,HSTN-CHIN"),
                          MakeStringAccessor(&IwarpAbileneTopology::m_pairs),
                          MakeStringChecker())
            .AddAttribute("Nodes",
                          "File of cities: rows node,city,latitude_deg,longitude_deg after a line "
                          "of names",
                          StringValue("abilene-nodes.csv"),
                          MakeStringAccessor(&IwarpAbileneTopology::m_nodes),
                          MakeStringChecker())
            .AddAttribute("Links",
                          "File of links between cities: rows a,b after a line of names",
                          StringValue("abilene-links.csv"),
                          MakeStringAccessor(&IwarpAbileneTopology::m_links),
                          MakeStringChecker());
    return tid;
}

IwarpAbileneTopology::IwarpAbileneTopology() = default;
IwarpAbileneTopology::~IwarpAbileneTopology() = default;

std::string
IwarpAbileneTopology::MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const
{
    iwarp::MapFile map;
    std::string problem = map.Load(m_nodes, m_links);
    if (!problem.empty())
    {
        return "Nodes, Links: " + problem;
    }
    map.Fill(table);
    problem = table.AddNamedPairs(m_pairs, pairs);
    return problem.empty() ? "" : "Pairs: " + problem;
}

} // namespace ns3
