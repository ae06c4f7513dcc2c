/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-retirement.h"

namespace ns3
{

void
RnicRetirement::Add(uint64_t octets, RnicTime until)
{
    m_segments.emplace_back(until, octets);
    m_held += octets;
}

uint64_t
RnicRetirement::GetHeld(RnicTime now)
{
    while (!m_segments.empty() && m_segments.front().first <= now)
    {
        m_held -= m_segments.front().second;
        m_segments.pop_front();
    }
    return m_held;
}

RnicTime
RnicRetirement::GetTime(RnicTime now, uint64_t octets)
{
    uint64_t left = GetHeld(now);
    RnicTime at = now;
    for (auto i = m_segments.begin(); left > octets; ++i)
    {
        left -= i->second;
        at = i->first;
    }
    return at;
}

} // namespace ns3
