/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-link.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

// @param idle time @param t ps @return the idle time is over then
bool
EndsBefore(const RnicLink::Slot& idle, RnicTime t)
{
    return idle.end <= t;
}

} // namespace

RnicLink::RnicLink(uint64_t bitRate)
    : m_rate(bitRate)
{
}

RnicLink::Slot
RnicLink::Carry(RnicTime now, RnicTime arrival, uint64_t octets)
{
    m_octets += octets;
    return Book(now, arrival, m_rate.Take(octets));
}

RnicTime
RnicLink::Foresee(RnicTime arrival, uint64_t octets) const
{
    RnicRate rate = m_rate;
    RnicTime left = rate.Take(octets);
    if (left == 0)
    {
        return arrival;
    }
    auto idle = std::lower_bound(m_idle.begin(), m_idle.end(), arrival, EndsBefore);
    for (; idle != m_idle.end(); ++idle)
    {
        const RnicTime start = std::max(idle->start, arrival);
        if (left <= idle->end - start)
        {
            return start + left;
        }
        left -= idle->end - start;
    }
    return std::max(arrival, m_free) + left;
}

RnicLink::Slot
RnicLink::Book(RnicTime now, RnicTime arrival, RnicTime service)
{
    arrival = std::max(arrival, now);
    m_busy += service;

    // idle times that the clock has passed are of no use to anyone
    const auto passed = std::lower_bound(m_idle.begin(), m_idle.end(), now, EndsBefore);
    m_idle.erase(m_idle.begin(), passed);

    if (service == 0)
    {
        return {arrival, arrival};
    }
    Slot slot{-1, -1};
    RnicTime left = service;
    auto idle = std::lower_bound(m_idle.begin(), m_idle.end(), arrival, EndsBefore);
    const auto used = idle < m_idle.end() && idle->start < arrival ? idle + 1 : idle;
    if (used != idle) // the time before the arrival stays idle
    {
        const RnicTime end = std::exchange(idle->end, arrival);
        idle = m_idle.insert(used, {arrival, end});
    }
    const auto first = idle;
    for (; left > 0 && idle != m_idle.end(); ++idle)
    {
        const RnicTime part = std::min(left, idle->end - idle->start);
        slot.start = left == service ? idle->start : slot.start;
        slot.end = idle->start + part;
        left -= part;
        if (slot.end < idle->end)
        {
            idle->start = slot.end;
            break;
        }
    }
    m_idle.erase(first, idle);
    if (left > 0)
    {
        const RnicTime start = std::max(arrival, m_free);
        const RnicTime idleFrom = std::max(m_free, now);
        if (start > idleFrom)
        {
            m_idle.push_back({idleFrom, start});
        }
        slot.start = left == service ? start : slot.start;
        slot.end = start + left;
        m_free = slot.end;
    }
    return slot;
}

uint64_t
RnicLink::GetOctets() const
{
    return m_octets;
}

RnicTime
RnicLink::GetBusy() const
{
    return m_busy;
}

RnicTime
RnicLink::GetFreeAt() const
{
    return m_free;
}

} // namespace ns3
