/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-round-trips.h"

#include <algorithm>

namespace ns3
{

void
TcpRoundTrips::Measure(Time first, Time last, Time now)
{
    // RFC 6298, (2.2) and (2.3): alpha is 1/8
    m_smoothed = IsKnown() ? m_smoothed + (first - m_smoothed) / 8 : first;
    if (m_half.IsStrictlyPositive() && now - m_begin >= m_half)
    {
        m_before = now - m_begin < 2 * m_half ? m_least : Time::Max();
        m_least = Time::Max();
        m_begin = now;
    }
    m_least = std::min(m_least, last);
}

Time
TcpRoundTrips::GetLeast() const
{
    return IsKnown() ? std::min(m_least, m_before) : Time(0);
}

} // namespace ns3
