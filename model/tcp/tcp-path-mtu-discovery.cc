/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-path-mtu-discovery.h"

namespace ns3
{

TcpPathMtuDiscovery::TcpPathMtuDiscovery(const TcpPathMtuDiscovery& other)
    : m_sizes(other.m_sizes)
{
}

void
TcpPathMtuDiscovery::Start(const TcpMtuSettings& settings, bool timestamps, Time now)
{
    if (settings.probing == TcpMtuSettings::Probing::ALWAYS)
    {
        Search(settings, timestamps, now);
        m_sizes.pathMtu = m_search->GetMtu();
    }
}

void
TcpPathMtuDiscovery::Search(const TcpMtuSettings& settings, bool timestamps, Time now)
{
    if (!m_search)
    {
        m_search = std::make_unique<TcpMtuSearch>(settings,
                                                  m_sizes.GetHeaders(timestamps),
                                                  m_sizes.GetMtu(),
                                                  now);
    }
}

bool
TcpPathMtuDiscovery::IsDue(Time now) const
{
    return m_search->IsDue(now);
}

bool
TcpPathMtuDiscovery::Refresh(uint32_t routeMtu, Time now)
{
    m_sizes.routeMtu = routeMtu;
    if (!m_search->Refresh(routeMtu, now))
    {
        return false;
    }
    m_sizes.pathMtu = m_search->GetMtu();
    return true;
}

uint32_t
TcpPathMtuDiscovery::AllowProbe(uint32_t emss, bool timestamps, Time now)
{
    const uint32_t probe = m_search->GetProbe();
    if (probe == 0)
    {
        return 0;
    }
    TcpPathMtu wider = m_sizes;
    wider.pathMtu = probe;
    const uint32_t size = wider.GetEmss(timestamps);
    if (size <= emss)
    {
        m_search->Fail(probe, now); // the peer takes no more
        return 0;
    }
    m_size = 0;
    m_allowed = size;
    return size;
}

void
TcpPathMtuDiscovery::PlaceProbe(SequenceNumber32 start, uint32_t size)
{
    m_start = start;
    m_size = size;
    m_allowed = 0;
}

bool
TcpPathMtuDiscovery::EndProbe()
{
    const bool allowed = m_allowed > 0;
    m_size = 0;
    m_allowed = 0;
    return allowed;
}

bool
TcpPathMtuDiscovery::NotifyLost(SequenceNumber32 seq,
                                uint32_t size,
                                SequenceNumber32 sent,
                                bool timestamps,
                                Time now)
{
    if (!IsProbeSent(sent) || seq > m_start || seq + size <= m_start)
    {
        return false;
    }
    if (const uint32_t probe = FindProbe(seq))
    {
        m_search->Fail(probe + m_sizes.GetHeaders(timestamps), now);
    }
    EndProbe();
    return true;
}

bool
TcpPathMtuDiscovery::NotifyAcknowledged(SequenceNumber32 head, bool timestamps, Time now)
{
    m_search->NotifyProgress();
    if (m_size == 0 || m_start + m_size > head)
    {
        return false;
    }
    m_search->Succeed(m_size + m_sizes.GetHeaders(timestamps), now);
    m_sizes.pathMtu = m_search->GetMtu();
    EndProbe();
    return true;
}

bool
TcpPathMtuDiscovery::NotifyTimeout(uint32_t segment, bool timestamps, Time now)
{
    if (!m_search->NotifyTimeout(segment + m_sizes.GetHeaders(timestamps), now))
    {
        return false;
    }
    m_sizes.pathMtu = m_search->GetMtu();
    return true;
}

bool
TcpPathMtuDiscovery::Narrow(uint32_t mtu, const TcpMtuSettings& settings, bool timestamps, Time now)
{
    const bool narrower = m_sizes.Narrow(mtu);
    if (narrower)
    {
        Search(settings, timestamps, now);
    }
    if (m_search)
    {
        m_search->Limit(mtu, now);
    }
    return narrower;
}

} // namespace ns3
