/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-priority-scheduler.h"

#include <algorithm>

namespace ns3
{

PathPriorityScheduler::PathPriorityScheduler(const std::vector<uint32_t>& weights)
{
    for (std::size_t priority = 0; priority < weights.size(); priority++)
    {
        m_queues.push_back({weights[priority]});
        m_strict |= weights[priority] == 0 ? 1U << priority : 0;
    }
}

std::optional<uint8_t>
PathPriorityScheduler::Choose(uint8_t ready)
{
    for (auto priority = static_cast<int>(m_queues.size()) - 1; priority >= 0; priority--)
    {
        if ((ready & m_strict) >> priority & 1)
        {
            return static_cast<uint8_t>(priority);
        }
    }
    if ((ready & ~m_strict) == 0)
    {
        return std::nullopt;
    }
    while (true)
    {
        Queue& queue = m_queues[m_turn];
        const bool sends = queue.weight > 0 && (ready >> m_turn & 1);
        if (sends && queue.credit > 0)
        {
            return static_cast<uint8_t>(m_turn);
        }
        queue.credit = std::min<int64_t>(queue.credit, 0); // who has nothing to send saves nothing
        m_turn = (m_turn + 1) % m_queues.size();
        m_queues[m_turn].credit += m_queues[m_turn].weight * QUANTUM;
    }
}

void
PathPriorityScheduler::Charge(uint8_t priority, uint32_t octets)
{
    if (m_queues[priority].weight > 0)
    {
        m_queues[priority].credit -= octets;
    }
}

} // namespace ns3
