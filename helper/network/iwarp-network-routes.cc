/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-network.h"

#include "ns3/abort.h"
#include "ns3/hash.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/path-ecmp-routing.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

#include <deque>
#include <set>
#include <string>

namespace ns3
{

void
IwarpNetwork::InstallRoutes()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_problem.empty(), "IwarpNetwork: " << m_problem);
    const uint32_t n = m_routers.GetN();
    std::vector<uint32_t> targets;
    for (uint32_t router = 0; router < n; router++)
    {
        if (m_hostsOf[router] > 0)
        {
            targets.push_back(router);
        }
    }
    m_paths.Compute(n, targets);
    for (const uint32_t target : targets)
    {
        for (uint32_t at = 0; at < n; at++)
        {
            const auto links = m_paths.GetFirstLinks(at, target);
            for (const uint32_t via : links)
            {
                AddRoute(at, via, target, links.size() > 1);
            }
        }
    }
    for (uint32_t router = 0; router < n; router++)
    {
        SetHashSeed(router);
    }
}

void
IwarpNetwork::AddRoute(uint32_t at, uint32_t via, uint32_t target, bool several)
{
    NS_LOG_FUNCTION(this << at << via << target << several);
    const bool forth = m_paths.GetEnds(via).first == at;
    Ptr<Node> node = m_routers.Get(at);
    Ptr<NetDevice> device = m_cables[m_between[via]].devices.Get(forth ? 0 : 1);
    const auto hosts = iwarp::AddressPlan::GetHosts(m_places[target]);
    const auto gateway = iwarp::AddressPlan::GetLink(via, forth ? 2 : 1);
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
        auto routing = DynamicCast<PathIpv6EcmpRouting>(ipv6->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv6->GetInterfaceForDevice(device));
        several ? routing->AddNextHop(hosts.v6, Ipv6Prefix(48), gateway.v6, interface)
                : routing->AddNetworkRouteTo(hosts.v6, Ipv6Prefix(48), gateway.v6, interface);
    }
    else
    {
        Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        auto routing = DynamicCast<PathIpv4EcmpRouting>(ipv4->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device));
        several ? routing->AddNextHop(hosts.v4, Ipv4Mask("/16"), gateway.v4, interface)
                : routing->AddNetworkRouteTo(hosts.v4, Ipv4Mask("/16"), gateway.v4, interface);
    }
}

void
IwarpNetwork::SetHashSeed(uint32_t router)
{
    const UintegerValue seed(Hash64(std::to_string(RngSeedManager::GetSeed()) + ' ' +
                                    std::to_string(RngSeedManager::GetRun()) + ' ' +
                                    std::to_string(router)));
    Ptr<Node> node = m_routers.Get(router);
    if (m_ipv6)
    {
        node->GetObject<Ipv6>()->GetRoutingProtocol()->SetAttribute("HashSeed", seed);
    }
    else
    {
        node->GetObject<Ipv4>()->GetRoutingProtocol()->SetAttribute("HashSeed", seed);
    }
}

bool
IwarpNetwork::IsJoined(const Host& from, const Host& to) const
{
    return from.router == NONE || to.router == NONE ? from.link == to.link
                                                    : m_paths.IsReachable(from.router, to.router);
}

Time
IwarpNetwork::GetPathDelay(uint32_t a, uint32_t b) const
{
    NS_ABORT_MSG_UNLESS(m_paths.IsComputed(),
                        "IwarpNetwork::GetPathDelay: call InstallRoutes() first");
    const Host& from = m_hosts.at(a);
    const Host& to = m_hosts.at(b);
    if (!IsJoined(from, to))
    {
        return Time::Max();
    }
    if (from.router == NONE)
    {
        return m_cables[from.link].link.delay;
    }
    return m_cables[from.link].link.delay + m_paths.GetDelay(from.router, to.router) +
           m_cables[to.link].link.delay;
}

uint32_t
IwarpNetwork::CountRouters(uint32_t a, uint32_t b) const
{
    const Host& from = m_hosts.at(a);
    const Host& to = m_hosts.at(b);
    return from.router == NONE ? 0 : m_paths.CountLinks(from.router, to.router) + 1;
}

std::vector<IwarpNetwork::Hop>
IwarpNetwork::GetPath(uint32_t from, uint32_t to) const
{
    NS_ABORT_MSG_UNLESS(m_paths.IsComputed(), "IwarpNetwork::GetPath: call InstallRoutes() first");
    const Host& first = m_hosts.at(from);
    const Host& last = m_hosts.at(to);
    if (!IsJoined(first, last))
    {
        return {};
    }
    if (first.router == NONE)
    {
        const bool forth = m_cables[first.link].devices.Get(0)->GetNode() == first.node;
        return {{first.link, forth ? PathDirection::A_TO_B : PathDirection::B_TO_A}};
    }
    std::vector<Hop> path{{first.link, PathDirection::B_TO_A}};
    std::set<uint32_t> seen{first.router};
    for (std::deque<uint32_t> left{first.router}; !left.empty(); left.pop_front())
    {
        for (const uint32_t number : m_paths.GetFirstLinks(left.front(), last.router))
        {
            const auto& [a, b] = m_paths.GetEnds(number);
            const bool forth = a == left.front();
            path.push_back(
                {m_between[number], forth ? PathDirection::A_TO_B : PathDirection::B_TO_A});
            if (seen.insert(forth ? b : a).second)
            {
                left.push_back(forth ? b : a);
            }
        }
    }
    path.push_back({last.link, PathDirection::A_TO_B});
    return path;
}

} // namespace ns3
