/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-topology-table.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpTableTopology");
NS_OBJECT_ENSURE_REGISTERED(IwarpTableTopology);

namespace iwarp
{
namespace
{

constexpr std::size_t MAX_LINKS = 65536; //!< between routers, as their addresses allow

} // namespace

uint32_t
TopologyTable::AddRouters(uint32_t count, const std::string& name)
{
    const auto first = static_cast<uint32_t>(routers.size());
    for (uint32_t i = 0; i < count; i++)
    {
        routers.push_back(name + std::to_string(i));
    }
    return first;
}

void
TopologyTable::AddHosts(uint32_t count, uint32_t router)
{
    hosts.insert(hosts.end(), count, router);
}

void
TopologyTable::AddPair(uint32_t from, uint32_t to)
{
    const auto sender = static_cast<uint32_t>(hosts.size());
    hosts.push_back(from);
    hosts.push_back(to);
    pairs.emplace_back(sender, sender + 1);
}

void
TopologyTable::PairAcross(uint32_t count)
{
    const auto n = static_cast<uint32_t>(hosts.size());
    for (uint32_t i = 0; i < count && n > 1; i++)
    {
        pairs.emplace_back(i % n, (i + n / 2) % n);
    }
}

std::string
TopologyTable::AddNamedPairs(const std::string& names, uint32_t count)
{
    const auto find = [this](const std::string& name) {
        return static_cast<uint32_t>(std::find(routers.begin(), routers.end(), name) -
                                     routers.begin());
    };
    std::vector<std::pair<uint32_t, uint32_t>> places;
    for (const auto& item : Split(names, ','))
    {
        const auto pair = Split(item, '-');
        const uint32_t from = pair.size() == 2 ? find(pair[0]) : 0;
        const uint32_t to = pair.size() == 2 ? find(pair[1]) : 0;
        if (from == to || std::max(from, to) >= routers.size())
        {
            constexpr std::size_t listed = 20;
            const auto end = routers.begin() + std::min(routers.size(), listed);
            return "'" + item + "' are not two places; there are " + Join({routers.begin(), end}) +
                   (routers.size() > listed ? ", …" : "") + ", and " + routers[0] + "-" +
                   routers[routers.size() - 1] + " are two";
        }
        places.emplace_back(from, to);
    }
    for (uint32_t i = 0; i < count; i++)
    {
        const auto& [from, to] = places[i % places.size()];
        AddPair(from, to);
    }
    return "";
}

std::vector<uint32_t>
TopologyTable::FindIslands() const
{
    std::vector<uint32_t> island(routers.size());
    std::iota(island.begin(), island.end(), 0);
    const auto find = [&island](uint32_t router) {
        while (island[router] != router)
        {
            island[router] = island[island[router]];
            router = island[router];
        }
        return router;
    };
    for (const auto& link : links)
    {
        const auto [least, most] = std::minmax({find(link.a), find(link.b)});
        island[most] = least;
    }
    for (uint32_t router = 0; router < island.size(); router++)
    {
        island[router] = find(router);
    }
    return island;
}

std::string
TopologyTable::CheckParts() const
{
    for (const auto& [a, b, delay, settings] : links)
    {
        if (a == b || std::max(a, b) >= routers.size())
        {
            return "a link does not join two of the " + std::to_string(routers.size()) +
                   " routers, but " + std::to_string(a) + " and " + std::to_string(b);
        }
        const std::string problem = IwarpNetwork::CheckDelay(delay);
        if (!problem.empty())
        {
            return "the link of " + routers[a] + " and " + routers[b] + ": " + problem;
        }
    }
    for (const uint32_t router : hosts)
    {
        if (router >= routers.size())
        {
            return "a host is at router " + std::to_string(router) + " of " +
                   std::to_string(routers.size());
        }
    }
    for (const auto& [from, to] : pairs)
    {
        if (from == to || std::max(from, to) >= hosts.size())
        {
            return "the pair " + std::to_string(from) + "-" + std::to_string(to) +
                   " is not two of the " + std::to_string(hosts.size()) + " hosts";
        }
    }
    return "";
}

std::string
TopologyTable::Check() const
{
    const std::string problem = CheckParts();
    if (!problem.empty())
    {
        return problem;
    }
    if (routers.size() > IwarpNetwork::MAX_ROUTERS)
    {
        return std::to_string(routers.size()) + " routers are more than the " +
               std::to_string(IwarpNetwork::MAX_ROUTERS) + " that a network may have";
    }
    if (links.size() > MAX_LINKS)
    {
        return std::to_string(links.size()) + " links are more than " + std::to_string(MAX_LINKS);
    }
    std::set<uint32_t> places(hosts.begin(), hosts.end());
    if (places.size() > IwarpNetwork::MAX_PLACES)
    {
        return "hosts at " + std::to_string(places.size()) + " routers are at more than the " +
               std::to_string(IwarpNetwork::MAX_PLACES) + " that may have some";
    }
    for (const uint32_t router : places)
    {
        if (std::count(hosts.begin(), hosts.end(), router) > AddressPlan::HOSTS_PER_ROUTER)
        {
            return "more than " + std::to_string(AddressPlan::HOSTS_PER_ROUTER) +
                   " hosts at one router";
        }
    }
    const auto island = FindIslands();
    for (const auto& [from, to] : pairs)
    {
        if (island[hosts[from]] != island[hosts[to]])
        {
            return "no path joins " + routers[hosts[from]] + " and " + routers[hosts[to]];
        }
    }
    return "";
}

} // namespace iwarp

TypeId
IwarpTableTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpTableTopology").SetParent<IwarpTopology>().SetGroupName("Iwarp");
    return tid;
}

std::string
IwarpTableTopology::Check(uint32_t pairs, bool ipv6) const
{
    std::string problem = IwarpTopology::Check(pairs, ipv6);
    iwarp::TopologyTable table;
    if (problem.empty())
    {
        problem = MakeTable(table, pairs);
    }
    if (!problem.empty())
    {
        return problem;
    }
    problem = table.Check();
    for (const auto& link : table.links)
    {
        const std::string wrong = problem.empty() ? CheckLink(link.settings) : "";
        problem = wrong.empty() ? problem : link.settings.where + ": " + wrong;
    }
    return problem.empty() ? "" : "Topology: " + problem;
}

IwarpTopology::Ends
IwarpTableTopology::Build(IwarpNetwork& network, uint32_t pairs) const
{
    NS_LOG_FUNCTION(this << pairs);
    iwarp::TopologyTable table;
    const std::string problem = MakeTable(table, pairs);
    NS_ABORT_MSG_UNLESS(problem.empty(), GetInstanceTypeId().GetName() << ": " << problem);
    for (std::size_t i = 0; i < table.routers.size(); i++)
    {
        network.AddRouter();
    }
    for (const auto& [a, b, delay, settings] : table.links)
    {
        network.AddLink(a, b, MakeLink(delay, settings));
    }
    for (const uint32_t router : table.hosts)
    {
        network.AddHost(router, MakeAccessLink());
    }
    return table.pairs;
}

DataRate
IwarpTableTopology::GetBottleneckRate() const
{
    iwarp::TopologyTable table;
    DataRate least = MakeAccessLink().rate;
    MakeTable(table, 1);
    for (const auto& link : table.links)
    {
        least = std::min(least, MakeLink(link.delay, link.settings).rate);
    }
    return least;
}

bool
IwarpTableTopology::AddsHosts() const
{
    iwarp::TopologyTable one;
    iwarp::TopologyTable two;
    return MakeTable(one, 1).empty() && MakeTable(two, 2).empty() &&
           one.hosts.size() < two.hosts.size();
}

} // namespace ns3
