/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-shortest-paths.h"

#include <array>

namespace ns3
{
namespace iwarp
{

uint32_t
ShortestPaths::AddLink(uint32_t a, uint32_t b, Time delay)
{
    m_edges.push_back({a, b, delay});
    return static_cast<uint32_t>(m_edges.size() - 1);
}

void
ShortestPaths::Compute(uint32_t vertices, const std::vector<uint32_t>& targets)
{
    m_computed = true;
    m_links.assign(vertices, {});
    for (uint32_t i = 0; i < m_edges.size(); i++)
    {
        m_links[m_edges[i].a].push_back(i);
        m_links[m_edges[i].b].push_back(i);
    }
    m_cost.assign(vertices, {});
    for (const uint32_t to : targets)
    {
        m_cost[to] = ComputeTo(to);
    }
}

std::vector<ShortestPaths::Cost>
ShortestPaths::ComputeTo(uint32_t to) const
{
    // Bellman and Ford's algorithm
    std::vector<Cost> cost(m_links.size(), Cost(Time::Max(), 0));
    cost[to].first = Time(0);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (const auto& [a, b, delay] : m_edges)
        {
            for (const auto& [near, far] :
                 std::array<std::pair<uint32_t, uint32_t>, 2>{{{a, b}, {b, a}}})
            {
                if (cost[near].first == Time::Max())
                {
                    continue;
                }
                const Cost path(cost[near].first + delay, cost[near].second + 1);
                if (path < cost[far])
                {
                    cost[far] = path;
                    changed = true;
                }
            }
        }
    }
    return cost;
}

bool
ShortestPaths::IsComputed() const
{
    return m_computed;
}

bool
ShortestPaths::IsReachable(uint32_t from, uint32_t to) const
{
    return m_cost[to][from].first != Time::Max();
}

Time
ShortestPaths::GetDelay(uint32_t from, uint32_t to) const
{
    return m_cost[to][from].first;
}

uint32_t
ShortestPaths::CountLinks(uint32_t from, uint32_t to) const
{
    return m_cost[to][from].second;
}

std::vector<uint32_t>
ShortestPaths::GetFirstLinks(uint32_t from, uint32_t to) const
{
    std::vector<uint32_t> links;
    if (from == to || !IsReachable(from, to))
    {
        return links;
    }
    for (const uint32_t i : m_links[from])
    {
        const auto& [a, b, delay] = m_edges[i];
        const Cost& next = m_cost[to][a == from ? b : a];
        if (m_cost[to][from] == Cost(next.first + delay, next.second + 1))
        {
            links.push_back(i);
        }
    }
    return links;
}

std::pair<uint32_t, uint32_t>
ShortestPaths::GetEnds(uint32_t link) const
{
    return {m_edges[link].a, m_edges[link].b};
}

} // namespace iwarp
} // namespace ns3
