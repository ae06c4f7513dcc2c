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
    const auto hops = m_network.GetPath(from, to);
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
    std::map<Ptr<Node>, double> here{{m_network.GetHost(from), rate}};
    for (const auto& hop : hops)
    {
        const auto node = end(hop, false);
        const double part = here.at(node) / ways.at(node);
        here[end(hop, true)] += part;
        auto& [forth, back] = m_rates[hop.link];
        (hop.direction == PathDirection::A_TO_B ? forth : back) += part;
    }
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
