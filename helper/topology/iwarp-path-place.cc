/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-path-place.h"

#include "ns3/ns3-compat.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace iwarp
{

Ptr<const AttributeChecker>
MakePlaceChecker()
{
    return MakeEnumChecker(PathPlace::SENDER,
                           "sender",
                           PathPlace::CORE,
                           "core",
                           PathPlace::RECEIVER,
                           "receiver");
}

Ptr<const AttributeChecker>
MakeDirectionChecker()
{
    return MakeEnumChecker(TrafficDirection::DATA,
                           "data",
                           TrafficDirection::ACKS,
                           "acks",
                           TrafficDirection::BOTH,
                           "both");
}

std::vector<IwarpNetwork::Hop>
FindHops(const IwarpNetwork& network, const IwarpTopology::Ends& ends, PathPlace place, bool back)
{
    std::vector<IwarpNetwork::Hop> hops;
    std::set<std::pair<uint32_t, PathDirection>> seen;
    for (const auto& [sender, receiver] : ends)
    {
        auto path = back ? network.GetPath(receiver, sender) : network.GetPath(sender, receiver);
        if (back)
        {
            std::reverse(path.begin(), path.end());
        }
        for (std::size_t i = 0; i < path.size(); i++)
        {
            const PathPlace here = i == 0                 ? PathPlace::SENDER
                                   : i == path.size() - 1 ? PathPlace::RECEIVER
                                                          : PathPlace::CORE;
            if ((here == place || path.size() == 1) &&
                seen.insert({path[i].link, path[i].direction}).second)
            {
                hops.push_back(path[i]);
            }
        }
    }
    return hops;
}

} // namespace iwarp
} // namespace ns3
