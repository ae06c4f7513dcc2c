/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-traffic-pattern.h"

#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

using Ends = IwarpTopology::Ends;

/// @param hosts there are @return each with each other
Ends
MakeAllToAll(uint32_t hosts)
{
    Ends ends;
    for (uint32_t step = 1; step < hosts; step++)
    {
        for (uint32_t from = 0; from < hosts; from++)
        {
            ends.emplace_back(from, (from + step) % hosts);
        }
    }
    return ends;
}

/// @param hosts there are @param pairs of the topology @param senders how many, 0 for all
/// @return the senders with their receiver
Ends
MakeIncast(uint32_t hosts, const Ends& pairs, uint32_t senders)
{
    const uint32_t receiver = pairs.front().second;
    std::vector<uint32_t> order;
    for (const auto& pair : pairs)
    {
        order.push_back(pair.first);
    }
    order.resize(pairs.size() + hosts);
    std::iota(order.begin() + static_cast<std::ptrdiff_t>(pairs.size()), order.end(), 0);
    Ends ends;
    std::set<uint32_t> seen{receiver};
    for (const uint32_t host : order)
    {
        if ((senders == 0 || ends.size() < senders) && seen.insert(host).second)
        {
            ends.emplace_back(host, receiver);
        }
    }
    return ends;
}

/// @param hosts there are @param draw random numbers @return each with the one it sends to
Ends
MakePermutation(uint32_t hosts, const std::function<uint32_t(uint32_t)>& draw)
{
    // shuffles are drawn until one moves all: after 2.7 of them on average
    std::vector<uint32_t> to(hosts);
    for (bool fixed = true; fixed;)
    {
        std::iota(to.begin(), to.end(), 0);
        for (uint32_t i = hosts - 1; i > 0; i--)
        {
            std::swap(to[i], to[draw(i)]);
        }
        fixed = false;
        for (uint32_t i = 0; i < hosts; i++)
        {
            fixed = fixed || to[i] == i;
        }
    }
    Ends ends;
    for (uint32_t i = 0; i < hosts; i++)
    {
        ends.emplace_back(i, to[i]);
    }
    return ends;
}

} // namespace

Ends
MakeEnds(TrafficPattern pattern,
         uint32_t hosts,
         const Ends& pairs,
         uint32_t senders,
         const std::function<uint32_t(uint32_t)>& draw)
{
    switch (pattern)
    {
    case TrafficPattern::PAIRS:
        break;
    case TrafficPattern::ALL_TO_ALL:
        return MakeAllToAll(hosts);
    case TrafficPattern::INCAST:
        return MakeIncast(hosts, pairs, senders);
    case TrafficPattern::PERMUTATION:
        return MakePermutation(hosts, draw);
    }
    return pairs;
}

} // namespace iwarp
} // namespace ns3
