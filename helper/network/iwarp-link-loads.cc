/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-link-loads.h"

#include "ns3/node.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace iwarp
{

LinkLoads::LinkLoads(const IwarpNetwork& network)
    : m_network(network),
      m_isEdge(network.GetNLinks()),
      m_rates(network.GetNLinks())
{
    for (uint32_t i = 0; i < network.GetNHosts(); i++)
    {
        m_isEdge[network.GetHostLink(i)] = true;
    }
}

void
LinkLoads::Add(uint32_t from, uint32_t to, double rate)
{
    const auto& route = m_network.GetRoute(from, to);
    const auto [place, isNew] = m_divided.try_emplace(&route);
    if (isNew)
    {
        place->second = Divide(route.between);
    }
    const auto add = [this](const IwarpNetwork::Hop& hop, double part) {
        auto& [forth, back] = m_rates[hop.link];
        (hop.direction == PathDirection::A_TO_B ? forth : back) += part;
    };
    const auto first = m_network.GetHostHop(from, true);
    const auto last = m_network.GetHostHop(to, false);
    add(first, rate);
    for (std::size_t i = 0; i < route.between.size(); i++)
    {
        add(route.between[i], rate * place->second[i]);
    }
    if (last.link != first.link)
    {
        add(last, rate);
    }
}

std::vector<double>
LinkLoads::Divide(const std::vector<IwarpNetwork::Hop>& hops) const
{
    const auto end = [this](const IwarpNetwork::Hop& hop, bool far) {
        const bool forth = hop.direction == PathDirection::A_TO_B;
        return m_network.GetLinkDevices(hop.link).Get(forth == far ? 1 : 0)->GetNode();
    };
    // hops come in the order of packets, so that all of a node has come before any goes on
    std::map<Ptr<Node>, uint32_t> ways;
    for (const auto& hop : hops)
    {
        ways[end(hop, false)]++;
    }
    std::map<Ptr<Node>, double> here;
    std::vector<double> parts;
    for (const auto& hop : hops)
    {
        const auto node = end(hop, false);
        const double all = here.emplace(node, 1).first->second; // to the first none has come
        parts.push_back(all / ways.at(node));
        here[end(hop, true)] += parts.back();
    }
    return parts;
}

LinkLoads::Busiest
LinkLoads::FindBusiest(Kind kind) const
{
    Busiest busiest;
    for (uint32_t link = 0; link < m_rates.size(); link++)
    {
        const double load =
            std::max(GetLoad(link, PathDirection::A_TO_B), GetLoad(link, PathDirection::B_TO_A));
        if (m_isEdge[link] == (kind == Kind::EDGE) && load > busiest.load)
        {
            busiest = {load, link};
        }
    }
    return busiest;
}

double
LinkLoads::GetLoad(uint32_t link, PathDirection direction) const
{
    const auto& [forth, back] = m_rates.at(link);
    return (direction == PathDirection::A_TO_B ? forth : back) /
           static_cast<double>(m_network.GetLink(link).rate.GetBitRate());
}

} // namespace iwarp
} // namespace ns3
