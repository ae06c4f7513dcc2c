/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-link-shares.h"

#include "ns3/node.h"

#include <set>

namespace ns3
{
namespace iwarp
{

std::vector<Way>
FindWays(const IwarpNetwork& network, uint32_t from, uint32_t to)
{
    const auto hops = network.GetPath(from, to);
    std::set<Ptr<Node>> nodes;
    std::vector<Way> ways;
    for (const auto& [link, direction] : hops)
    {
        const uint32_t end = direction == PathDirection::A_TO_B ? 0 : 1;
        nodes.insert(network.GetLinkDevices(link).Get(end)->GetNode());
        ways.emplace_back(link, direction);
    }
    if (nodes.size() < hops.size()) // a router has several next hops
    {
        ways = {ways.front(), ways.back()};
    }
    return ways;
}

} // namespace iwarp
} // namespace ns3
