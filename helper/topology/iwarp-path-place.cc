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
    const auto add = [&hops, &seen](const IwarpNetwork::Hop& hop) {
        if (seen.insert({hop.link, hop.direction}).second)
        {
            hops.push_back(hop);
        }
    };
    std::set<const IwarpNetwork::Route*> walked;
    for (const auto& [sender, receiver] : ends)
    {
        const auto& route =
            back ? network.GetRoute(receiver, sender) : network.GetRoute(sender, receiver);
        const auto first = network.GetHostHop(sender, !back);
        const auto last = network.GetHostHop(receiver, back);
        if (first.link == last.link || place == PathPlace::SENDER)
        {
            add(first);
        }
        else if (place == PathPlace::RECEIVER)
        {
            add(last);
        }
        else if (walked.insert(&route).second)
        {
            auto between = route.between;
            if (back)
            {
                std::reverse(between.begin(), between.end());
            }
            std::for_each(between.begin(), between.end(), add);
        }
    }
    return hops;
}

std::string
CheckPlace(const std::string& attribute,
           const IwarpNetwork& network,
           const IwarpTopology::Ends& ends,
           PathPlace place)
{
    return FindHops(network, ends, place, false).empty()
               ? attribute +
                     ": no flow crosses a link between routers, so choose sender or receiver"
               : "";
}

} // namespace iwarp
} // namespace ns3
