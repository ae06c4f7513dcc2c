/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-link.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RnicLink::RnicLink(uint64_t bitRate)
    : m_rate(bitRate)
{
}

RnicLink::Slot
RnicLink::Transfer(RnicTime now, RnicTime arrival, uint64_t octets)
{
    m_octets += octets;
    return Reserve(now, arrival, m_rate.Serve(octets));
}

RnicTime
RnicLink::Predict(RnicTime arrival, uint64_t octets) const
{
    RnicRate rate = m_rate;
    RnicTime left = rate.Serve(octets);
    if (left == 0)
    {
        return arrival;
    }
    for (const Slot* idle = m_idle.begin() + FindIdle(arrival); idle != m_idle.end(); ++idle)
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

std::size_t
RnicLink::FindIdle(RnicTime t) const
{
    if (m_idle.IsEmpty() || m_idle[0].end > t)
    {
        return 0;
    }
    const auto endsBefore = [](const Slot& idle, RnicTime time) { return idle.end <= time; };
    const Slot* found = std::lower_bound(m_idle.begin(), m_idle.end(), t, endsBefore);
    return static_cast<std::size_t>(found - m_idle.begin());
}

RnicTime
RnicLink::UseIdle(RnicTime arrival, RnicTime service, Slot& slot)
{
    RnicTime left = service;
    std::size_t next = FindIdle(arrival);
    if (next < m_idle.GetSize() && m_idle[next].start < arrival)
    {
        // the time before the arrival stays idle
        const RnicTime end = std::exchange(m_idle[next].end, arrival);
        m_idle.Insert(++next, {arrival, end});
    }
    const std::size_t first = next;
    for (; left > 0 && next < m_idle.GetSize(); ++next)
    {
        Slot& idle = m_idle[next];
        const RnicTime part = std::min(left, idle.end - idle.start);
        slot.start = left == service ? idle.start : slot.start;
        slot.end = idle.start + part;
        left -= part;
        if (slot.end < idle.end)
        {
            idle.start = slot.end;
            break;
        }
    }
    m_idle.Erase(first, next);
    return left;
}

RnicLink::Slot
RnicLink::Reserve(RnicTime now, RnicTime arrival, RnicTime service)
{
    arrival = std::max(arrival, now);
    m_busy += service;
    while (!m_idle.IsEmpty() && m_idle[0].end <= now)
    {
        m_idle.PopFront(); // of no use to anyone
    }
    Slot slot{arrival, arrival};
    if (service == 0)
    {
        return slot;
    }
    const RnicTime left = arrival < m_free ? UseIdle(arrival, service, slot) : service;
    if (left > 0)
    {
        const RnicTime start = std::max(arrival, m_free);
        const RnicTime idleFrom = std::max(m_free, now);
        if (start > idleFrom)
        {
            m_idle.Insert(m_idle.GetSize(), {idleFrom, start});
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
