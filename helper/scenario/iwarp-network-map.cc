/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-network-map.h"

#include "iwarp-scenario-network.h"
#include "iwarp-scenario-parts.h"

#include "ns3/iwarp-link-shares.h"
#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-topology-table.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <map>
#include <memory>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param network it @param table names and places of its routers, empty if it is no table
/// @param ends pairs of hosts @return routers, then hosts
std::vector<IwarpNetworkMap::Node>
ListNodes(const IwarpNetwork& network, const TopologyTable& table, const IwarpTopology::Ends& ends)
{
    std::vector<IwarpNetworkMap::Node> nodes;
    const uint32_t routers = network.GetNRouters();
    for (uint32_t i = 0; i < routers; i++)
    {
        nodes.push_back({"router" + std::to_string(i), true, false, false, false, 0, 0});
        if (i < table.routers.size())
        {
            nodes.back().name = table.routers[i];
        }
        if (i < table.places.size())
        {
            nodes.back().placed = true;
            nodes.back().longitude = table.places[i].longitude;
            nodes.back().latitude = table.places[i].latitude;
        }
    }
    nodes.resize(routers + network.GetNHosts());
    for (const auto& [sender, receiver] : ends)
    {
        nodes[routers + sender].sends = true;
        nodes[routers + receiver].receives = true;
    }
    return nodes;
}

/// @param network it @return its links, none of them used
std::vector<IwarpNetworkMap::Link>
ListLinks(const IwarpNetwork& network)
{
    std::map<Ptr<Node>, uint32_t> indices;
    for (uint32_t i = 0; i < network.GetNRouters(); i++)
    {
        indices.emplace(network.GetRouter(i), i);
    }
    for (uint32_t i = 0; i < network.GetNHosts(); i++)
    {
        indices.emplace(network.GetHost(i), network.GetNRouters() + i);
    }
    std::vector<IwarpNetworkMap::Link> links;
    for (uint32_t i = 0; i < network.GetNLinks(); i++)
    {
        const auto devices = network.GetLinkDevices(i);
        const auto& link = network.GetLink(i);
        links.push_back({indices.at(devices.Get(0)->GetNode()),
                         indices.at(devices.Get(1)->GetNode()),
                         static_cast<double>(link.rate.GetBitRate()),
                         link.delay.GetSeconds(),
                         false,
                         false});
    }
    return links;
}

/// @param network it @param ends pairs of hosts @param [in,out] links of the network, to be marked
void
MarkLinks(const IwarpNetwork& network,
          const IwarpTopology::Ends& ends,
          std::vector<IwarpNetworkMap::Link>& links)
{
    std::vector<std::vector<Way>> ways;
    for (const auto& [sender, receiver] : ends)
    {
        for (const auto& hop : network.GetPath(sender, receiver))
        {
            links[hop.link].used = true;
        }
        ways.push_back(FindWays(network, sender, receiver));
    }
    const auto rate = [&links](const Way& way) { return links[way.first].rate; };
    for (const auto& narrowest : FindNarrowest<Way>(ways, rate))
    {
        links[narrowest.part.first].bottleneck = true;
    }
}

} // namespace

std::string
MapScenario(const ScenarioSetup& setup, IwarpNetworkMap& map)
{
    ScenarioParts parts(setup);
    parts.Restart();
    auto network = std::make_unique<ScenarioNetwork>(parts, false);
    const std::string problem = network->GetProblem();
    if (problem.empty())
    {
        TopologyTable table;
        if (const auto listed = DynamicCast<IwarpTableTopology>(parts.GetTopology()))
        {
            listed->MakeTable(table, parts.Get<IwarpNetworkPart>()->GetFlowPairs());
        }
        map.nodes = ListNodes(network->GetNetwork(), table, network->GetEnds());
        map.links = ListLinks(network->GetNetwork());
        MarkLinks(network->GetNetwork(), network->GetEnds(), map.links);
    }
    network.reset();
    Simulator::Destroy();
    return problem;
}

} // namespace iwarp
} // namespace ns3
