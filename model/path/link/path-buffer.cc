/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-buffer.h"

#include <algorithm>

namespace ns3
{

PathBuffer::PathBuffer(const Settings& settings)
    : m_settings(settings)
{
}

uint32_t
PathBuffer::AddPort(const Port& port)
{
    m_places.push_back({port, {}});
    m_apart += port.count * m_settings.reserve;
    for (uint8_t priority = 0; priority < port.count; priority++)
    {
        const bool limited = port.headroom != UNLIMITED && (port.lossless >> priority & 1);
        m_apart += limited ? port.headroom : 0;
    }
    return static_cast<uint32_t>(m_places.size() - 1);
}

std::string
PathBuffer::Check() const
{
    return !IsLimited() || m_apart < m_settings.size
               ? ""
               : "headroom and reserves of " + std::to_string(m_places.size()) + " ports take " +
                     std::to_string(m_apart) + " octets of a memory of " +
                     std::to_string(m_settings.size);
}

bool
PathBuffer::IsLimited() const
{
    return m_settings.size > 0;
}

bool
PathBuffer::CountsAtInput(uint32_t port, uint8_t priority) const
{
    return IsLossless(port, priority) || m_places[port].port.input > 0;
}

bool
PathBuffer::IsLossless(uint32_t port, uint8_t priority) const
{
    return m_places[port].port.lossless >> priority & 1;
}

uint64_t
PathBuffer::GetPart(uint64_t under) const
{
    return under - std::min(under, m_settings.reserve);
}

uint64_t
PathBuffer::GetFree() const
{
    return IsLimited() ? GetShared() - m_used : UNLIMITED;
}

bool
PathBuffer::Fits(const Place& place, uint8_t priority, uint64_t octets) const
{
    const Queue& queue = place.queues[priority];
    const uint64_t part = GetPart(queue.under);
    const uint64_t more = GetPart(queue.under + octets) - part;
    if (more > GetFree())
    {
        return false;
    }
    if (place.port.xoff > 0 && (place.port.lossless >> priority & 1))
    {
        return queue.under + octets <= place.port.xoff;
    }
    const auto free = static_cast<double>(GetFree());
    return more == 0 || static_cast<double>(part) < m_settings.alpha[priority] * free;
}

bool
PathBuffer::MayGoOn(const Place& place, uint8_t priority) const
{
    const Queue& queue = place.queues[priority];
    if (queue.headroom > GetFree())
    {
        return false;
    }
    if (place.port.xoff > 0)
    {
        return queue.under + queue.headroom <= place.port.xon;
    }
    const uint64_t part = GetPart(queue.under + queue.headroom);
    const double threshold = m_settings.alpha[priority] * static_cast<double>(GetFree());
    return part == 0 || static_cast<double>(part + m_settings.offset) <= threshold;
}

void
PathBuffer::SetUnder(Queue& queue, uint64_t under)
{
    m_used -= GetPart(queue.under);
    queue.under = under;
    m_used += GetPart(queue.under);
}

PathBuffer::Verdict
PathBuffer::Add(uint32_t port, uint8_t priority, uint64_t octets)
{
    Place& place = m_places[port];
    Queue& queue = place.queues[priority];
    const bool lossless = IsLossless(port, priority);
    const bool room = place.port.input == 0 || place.length + octets <= place.port.input;
    if (room && !queue.full && Fits(place, priority, octets))
    {
        SetUnder(queue, queue.under + octets);
    }
    else if (!lossless)
    {
        return Verdict::NO_SHARED;
    }
    else
    {
        const bool accepted = room && octets <= place.port.headroom - queue.headroom;
        // what is empty has nothing to leave, with which a pause would end
        queue.full = accepted || queue.under + queue.headroom > 0;
        if (!accepted)
        {
            return Verdict::NO_HEADROOM;
        }
        queue.headroom += octets;
    }
    place.length += octets;
    m_occupancy += octets;
    m_peak = std::max(m_peak, m_occupancy);
    return Verdict::ACCEPTED;
}

void
PathBuffer::Remove(uint32_t port, uint8_t priority, uint64_t octets)
{
    Place& place = m_places[port];
    Queue& queue = place.queues[priority];
    const uint64_t first = std::min(queue.headroom, octets);
    queue.headroom -= first;
    SetUnder(queue, queue.under - (octets - first));
    place.length -= octets;
    m_occupancy -= octets;
    if (queue.full && MayGoOn(place, priority))
    {
        queue.full = false;
        SetUnder(queue, queue.under + queue.headroom);
        queue.headroom = 0;
    }
}

bool
PathBuffer::WantsPause(uint32_t port, uint8_t priority) const
{
    return m_places[port].queues[priority].full;
}

uint64_t
PathBuffer::GetLength(uint32_t port, uint8_t priority) const
{
    const Queue& queue = m_places[port].queues[priority];
    return queue.under + queue.headroom;
}

uint64_t
PathBuffer::GetShared() const
{
    return m_settings.size - std::min(m_settings.size, m_apart);
}

uint64_t
PathBuffer::GetOccupancy() const
{
    return m_occupancy;
}

uint64_t
PathBuffer::GetPeak() const
{
    return m_peak;
}

} // namespace ns3
