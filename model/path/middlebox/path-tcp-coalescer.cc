/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-tcp-coalescer.h"

#include <utility>

namespace ns3
{

void
PathTcpCoalescer::SetLimits(const Limits& limits)
{
    m_limits = limits;
}

PathTcpCoalescer::Runs
PathTcpCoalescer::Push(const PathTcpSegment& segment, Time now)
{
    Runs runs;
    const auto flow = segment.GetFlow();
    const PathTcpRun alone(segment);
    auto found = m_flows.find(flow);
    const bool fits = m_limits.memory >= m_held && alone.GetHeld() <= m_limits.memory - m_held;
    if (found != m_flows.end() &&
        (!fits || !found->second->run.CanAppend(segment) ||
         found->second->run.GetSize() + segment.GetSize() > m_limits.size))
    {
        Release(found->second, runs);
        found = m_flows.end();
    }
    if (found == m_flows.end())
    {
        if (!fits || alone.IsComplete() || alone.GetSize() >= m_limits.size)
        {
            runs.push_back(alone);
            return runs;
        }
        m_list.push_back({flow, alone, now});
        m_flows[flow] = std::prev(m_list.end());
        m_held += alone.GetHeld();
        return runs;
    }
    m_held += alone.GetHeld();
    auto& run = found->second->run;
    run.Append(segment);
    if (run.IsComplete() || run.GetSize() >= m_limits.size)
    {
        Release(found->second, runs);
    }
    return runs;
}

PathTcpCoalescer::Runs
PathTcpCoalescer::Flush(const PathTcpSegment::Flow& flow)
{
    Runs runs;
    const auto found = m_flows.find(flow);
    if (found != m_flows.end())
    {
        Release(found->second, runs);
    }
    return runs;
}

PathTcpCoalescer::Runs
PathTcpCoalescer::Expire(Time now)
{
    Runs runs;
    while (!IsEmpty() && GetDeadline() <= now)
    {
        Release(m_list.begin(), runs);
    }
    return runs;
}

bool
PathTcpCoalescer::IsEmpty() const
{
    return m_list.empty();
}

Time
PathTcpCoalescer::GetDeadline() const
{
    return m_list.front().since + m_limits.hold;
}

uint32_t
PathTcpCoalescer::GetHeld() const
{
    return m_held;
}

void
PathTcpCoalescer::Release(List::iterator held, Runs& runs)
{
    m_held -= held->run.GetHeld();
    m_flows.erase(held->flow);
    runs.push_back(std::move(held->run));
    m_list.erase(held);
}

} // namespace ns3
