/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-link-shares.h"

namespace ns3
{
namespace iwarp
{

std::vector<Way>
FindWays(const IwarpNetwork& network, uint32_t from, uint32_t to)
{
    std::vector<Way> ways;
    const auto add = [&ways](const IwarpNetwork::Hop& hop) {
        ways.emplace_back(hop.link, hop.direction);
    };
    if (network.GetPathDelay(from, to) == Time::Max())
    {
        return ways;
    }
    if (network.GetRoute(from, to).divides)
    {
        add(network.GetHostHop(from, true));
        add(network.GetHostHop(to, false));
        return ways;
    }
    for (const auto& hop : network.GetPath(from, to))
    {
        add(hop);
    }
    return ways;
}

} // namespace iwarp
} // namespace ns3
