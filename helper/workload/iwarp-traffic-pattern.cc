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

/// @param hosts that take part @return each with each other
Ends
MakeAllToAll(const std::vector<uint32_t>& hosts)
{
    Ends ends;
    for (std::size_t step = 1; step < hosts.size(); step++)
    {
        for (std::size_t from = 0; from < hosts.size(); from++)
        {
            ends.emplace_back(hosts[from], hosts[(from + step) % hosts.size()]);
        }
    }
    return ends;
}

/// @param hosts that take part @param pairs of the topology @param senders how many, 0 for all
/// @return the senders with their receiver
Ends
MakeIncast(const std::vector<uint32_t>& hosts, const Ends& pairs, uint32_t senders)
{
    const uint32_t receiver = pairs.front().second;
    std::vector<uint32_t> order;
    for (const auto& pair : pairs)
    {
        order.push_back(pair.first);
    }
    order.insert(order.end(), hosts.begin(), hosts.end());
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

/// @param hosts that take part @param draw random numbers @return each with the one it sends to
Ends
MakePermutation(const std::vector<uint32_t>& hosts, const std::function<uint32_t(uint32_t)>& draw)
{
    // shuffles are drawn until one moves all: after 2.7 of them on average
    const auto count = static_cast<uint32_t>(hosts.size());
    std::vector<uint32_t> to(count);
    for (bool fixed = true; fixed;)
    {
        std::iota(to.begin(), to.end(), 0);
        for (uint32_t i = count - 1; i > 0; i--)
        {
            std::swap(to[i], to[draw(i)]);
        }
        fixed = false;
        for (uint32_t i = 0; i < count; i++)
        {
            fixed = fixed || to[i] == i;
        }
    }
    Ends ends;
    for (uint32_t i = 0; i < count; i++)
    {
        ends.emplace_back(hosts[i], hosts[to[i]]);
    }
    return ends;
}

} // namespace

Ends
MakeEnds(TrafficPattern pattern,
         const std::vector<uint32_t>& hosts,
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

std::set<uint32_t>
ListOwnHosts(const Ends& ends, const Ends& others)
{
    std::set<uint32_t> hosts;
    for (const auto& [sender, receiver] : ends)
    {
        hosts.insert({sender, receiver});
    }
    for (const auto& [sender, receiver] : others)
    {
        hosts.erase(sender);
        hosts.erase(receiver);
    }
    return hosts;
}

} // namespace iwarp
} // namespace ns3
