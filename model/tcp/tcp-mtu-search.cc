/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-mtu-search.h"

#include <algorithm>

namespace ns3
{

TcpMtuSearch::TcpMtuSearch(const TcpMtuSettings& settings,
                           uint32_t headers,
                           uint32_t most,
                           Time now)
    : m_settings(settings),
      m_headers(headers),
      m_low(most),
      m_high(most),
      m_since(now)
{
    if (settings.probing == TcpMtuSettings::Probing::ALWAYS)
    {
        m_low = std::min(most, headers + settings.baseMss);
        m_fallen = true;
    }
}

uint32_t
TcpMtuSearch::GetProbe() const
{
    return m_settings.Probes() && m_high >= m_low + THRESHOLD ? (m_low + m_high) / 2 : 0;
}

void
TcpMtuSearch::Succeed(uint32_t size, Time now)
{
    m_low = std::max(m_low, std::min(size, m_high));
    m_since = now;
}

void
TcpMtuSearch::Fail(uint32_t size, Time now)
{
    m_high = std::max(m_low, std::min(m_high, size - 1));
    m_since = now;
}

void
TcpMtuSearch::Limit(uint32_t mtu, Time now)
{
    m_high = std::min(m_high, mtu);
    m_low = std::min(m_low, mtu);
    m_since = now;
}

bool
TcpMtuSearch::NotifyTimeout(uint32_t size, Time now)
{
    const uint32_t base = m_headers + m_settings.baseMss;
    const uint32_t half = m_headers + (m_low - std::min(m_low, m_headers)) / 2;
    const uint32_t least = m_headers + LEAST_MSS;
    const uint32_t lower = std::max(m_fallen ? std::min(base, half) : base, least);
    if (!m_settings.Probes() || size <= lower || lower >= m_low ||
        ++m_timeouts < m_settings.timeouts)
    {
        return false;
    }
    m_low = lower;
    m_since = now;
    m_fallen = true;
    return true;
}

void
TcpMtuSearch::NotifyProgress()
{
    m_timeouts = 0;
}

bool
TcpMtuSearch::IsDue(Time now) const
{
    return now - m_since >= m_settings.interval && GetProbe() == 0;
}

bool
TcpMtuSearch::Refresh(uint32_t most, Time now)
{
    m_since = now;
    m_high = std::max(m_low, most);
    if (m_settings.Probes() || m_low == m_high)
    {
        return false;
    }
    m_low = m_high; // ICMP tells if that is too much (RFC 1191 section 6.3)
    return true;
}

} // namespace ns3
