/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-host-names.h"

#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-topology-table.h"
#include "ns3/node.h"

#include <cstdint>
#include <map>

namespace ns3
{
namespace iwarp
{

std::vector<std::string>
ListRouters(const ScenarioParts& parts)
{
    TopologyTable table;
    if (const auto listed = DynamicCast<IwarpTableTopology>(parts.GetTopology()))
    {
        listed->MakeTable(table, parts.CountPairs());
    }
    return table.routers;
}

std::vector<std::string>
NameHosts(const IwarpNetwork& network, const std::vector<std::string>& routers)
{
    std::map<Ptr<Node>, std::string> names;
    for (uint32_t i = 0; i < network.GetNRouters(); i++)
    {
        names[network.GetRouter(i)] =
            i < routers.size() ? routers[i] : "router" + std::to_string(i);
    }
    std::map<std::string, std::vector<uint32_t>> hosts;
    std::vector<std::string> found;
    for (uint32_t i = 0; i < network.GetNHosts(); i++)
    {
        const auto ends = network.GetLinkDevices(network.GetHostLink(i));
        const auto router = names.find(ends.Get(0)->GetNode());
        found.push_back("host" + std::to_string(i));
        if (router != names.end())
        {
            hosts[router->second].push_back(i);
        }
    }
    for (const auto& [router, there] : hosts)
    {
        for (std::size_t i = 0; i < there.size(); i++)
        {
            found[there[i]] = there.size() == 1 ? router : router + ':' + std::to_string(i);
        }
    }
    return found;
}

} // namespace iwarp
} // namespace ns3
