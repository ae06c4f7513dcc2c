/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-shortest-paths.h"

#include <functional>
#include <queue>

namespace ns3
{
namespace iwarp
{

uint32_t
ShortestPaths::AddLink(uint32_t a, uint32_t b, Time delay)
{
    m_edges.push_back({a, b, delay.GetTimeStep()});
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
    // Dijkstra's algorithm
    std::vector<Cost> cost(m_links.size(), Cost(NEVER, 0));
    cost[to].first = 0;
    using Entry = std::pair<Cost, uint32_t>; // of a vertex
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> left;
    left.push({cost[to], to});
    while (!left.empty())
    {
        const auto [known, near] = left.top();
        left.pop();
        if (known != cost[near])
        {
            continue; // a shorter path was found
        }
        for (const uint32_t i : m_links[near])
        {
            const auto& [a, b, delay] = m_edges[i];
            const uint32_t far = a == near ? b : a;
            const Cost path(known.first + delay, known.second + 1);
            if (path < cost[far])
            {
                cost[far] = path;
                left.push({path, far});
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
    return m_cost[to][from].first != NEVER;
}

Time
ShortestPaths::GetDelay(uint32_t from, uint32_t to) const
{
    return TimeStep(static_cast<uint64_t>(m_cost[to][from].first));
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
