/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-abilene.h"

#include "iwarp-map-file.h"

#include "ns3/abort.h"
#include "ns3/app-text.h"
#include "ns3/log.h"
#include "ns3/string.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpAbileneTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpAbileneTopology);

TypeId
IwarpAbileneTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpAbileneTopology")
            .SetParent<IwarpTopology>()
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

std::vector<std::vector<std::string>>
IwarpAbileneTopology::SplitPairs() const
{
    std::vector<std::vector<std::string>> pairs;
    for (const auto& item : iwarp::Split(m_pairs, ','))
    {
        pairs.push_back(iwarp::Split(item, '-'));
    }
    return pairs;
}

std::string
IwarpAbileneTopology::Check(uint32_t pairs, bool ipv6) const
{
    std::string problem = IwarpTopology::Check(pairs, ipv6);
    if (!problem.empty())
    {
        return problem;
    }
    iwarp::MapFile map;
    problem = map.Load(m_nodes, m_links);
    if (!problem.empty())
    {
        return "Nodes, Links: " + problem;
    }
    if (map.cities.size() > IwarpNetwork::MAX_ROUTERS)
    {
        return "Nodes: more than " + std::to_string(IwarpNetwork::MAX_ROUTERS) + " cities";
    }
    iwarp::ShortestPaths paths;
    for (const auto& [a, b] : map.links)
    {
        paths.AddLink(a, b, map.GetDelay(a, b));
    }
    paths.Compute(static_cast<uint32_t>(map.cities.size()));
    const auto isCity = [&map](const std::string& name) {
        return map.Find(name) < map.cities.size();
    };
    for (const auto& pair : SplitPairs())
    {
        if (pair.size() != 2 || pair[0] == pair[1] || !isCity(pair[0]) || !isCity(pair[1]))
        {
            return "Pairs: '" + iwarp::Join(pair, "-") +
                   "' are not two cities; such are STTL-WASH,LOSA-NYCM; there are " + map.Names();
        }
        if (!paths.IsReachable(static_cast<uint32_t>(map.Find(pair[0])),
                               static_cast<uint32_t>(map.Find(pair[1]))))
        {
            return "Links: no path joins " + iwarp::Join(pair, " and ");
        }
    }
    return "";
}

IwarpTopology::Ends
IwarpAbileneTopology::Build(IwarpNetwork& network, uint32_t pairs) const
{
    NS_LOG_FUNCTION(this << pairs);
    const std::string problem = Check(pairs, network.IsIpv6());
    NS_ABORT_MSG_UNLESS(problem.empty(), "IwarpAbileneTopology: " << problem);
    iwarp::MapFile map;
    map.Load(m_nodes, m_links);
    for (std::size_t i = 0; i < map.cities.size(); i++)
    {
        network.AddRouter();
    }
    for (const auto& [a, b] : map.links)
    {
        network.AddLink(a, b, MakeLink(map.GetDelay(a, b)));
    }
    const auto cities = SplitPairs();
    Ends ends;
    for (uint32_t i = 0; i < pairs; i++)
    {
        const auto& pair = cities[i % cities.size()];
        const auto from = static_cast<uint32_t>(map.Find(pair[0]));
        const auto to = static_cast<uint32_t>(map.Find(pair[1]));
        const uint32_t sender = network.AddHost(from, MakeAccessLink());
        ends.emplace_back(sender, network.AddHost(to, MakeAccessLink()));
    }
    return ends;
}

} // namespace ns3
