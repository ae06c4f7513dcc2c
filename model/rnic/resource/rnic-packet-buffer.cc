/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-packet-buffer.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicPacketBuffer);

TypeId
RnicPacketBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicPacketBuffer")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicPacketBuffer>()
            .AddAttribute("Capacity",
                          "Octets of frames on their way in (BufferSizeAF of RFC 5044 B.2), at "
                          "least 1514; more are dropped; 0 for no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicPacketBuffer::m_capacity),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
RnicPacketBuffer::Check() const
{
    return m_capacity > 0 && m_capacity < 1514
               ? "it has to hold a frame of 1514 octets; 0 is for no limit"
               : "";
}

bool
RnicPacketBuffer::IsIdeal() const
{
    return m_capacity == 0;
}

void
RnicPacketBuffer::RestartStatistics(RnicTime now)
{
    LetLeave(now);
    m_start = now;
    m_integral = 0;
    m_peak = m_held;
    m_dropped = 0;
    m_drops = 0;
}

void
RnicPacketBuffer::LetLeave(RnicTime now)
{
    auto advance = [this](RnicTime to) {
        m_integral += static_cast<double>(m_held) * static_cast<double>(to - m_last);
        m_last = to;
    };
    while (!m_leave.empty() && m_leave.front().first <= now)
    {
        std::pop_heap(m_leave.begin(), m_leave.end(), std::greater<>());
        advance(std::max(m_last, m_leave.back().first));
        m_held -= m_leave.back().second;
        m_leave.pop_back();
    }
    advance(std::max(m_last, now));
}

bool
RnicPacketBuffer::Admit(RnicTime now, uint64_t octets)
{
    LetLeave(now);
    if (m_capacity > 0 && octets > m_capacity - m_held)
    {
        ++m_drops;
        m_dropped += octets;
        return false;
    }
    m_held += octets;
    m_peak = std::max(m_peak, m_held);
    return true;
}

void
RnicPacketBuffer::HoldUntil(uint64_t octets, RnicTime until)
{
    if (octets > 0)
    {
        m_leave.emplace_back(until, octets);
        std::push_heap(m_leave.begin(), m_leave.end(), std::greater<>());
    }
}

uint64_t
RnicPacketBuffer::GetHeld(RnicTime now)
{
    LetLeave(now);
    return m_held;
}

uint64_t
RnicPacketBuffer::GetPeak() const
{
    return m_peak;
}

double
RnicPacketBuffer::GetMean(RnicTime now)
{
    LetLeave(now);
    return now > m_start ? m_integral / static_cast<double>(now - m_start) : 0;
}

uint64_t
RnicPacketBuffer::GetDropped() const
{
    return m_dropped;
}

uint64_t
RnicPacketBuffer::GetDrops() const
{
    return m_drops;
}

} // namespace ns3
