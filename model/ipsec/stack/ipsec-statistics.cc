/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-statistics.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecStatistics");

IpsecStatistics::IpsecStatistics(const SealedTrace& sealedTrace, const DropTrace& dropTrace)
    : m_sealedTrace(sealedTrace),
      m_dropTrace(dropTrace)
{
}

void
IpsecStatistics::Drop(IpsecDrop reason, const Ptr<const Packet>& packet)
{
    NS_LOG_LOGIC(this << " drops: " << ToString(reason));
    ++m_counters.dropped[static_cast<std::size_t>(reason)];
    m_dropTrace(reason, packet);
}

void
IpsecStatistics::TraceSealed(const Ptr<const Packet>& payload,
                             const IpsecFlow& flow,
                             uint32_t octets) const
{
    m_sealedTrace(payload, flow, octets);
}

void
IpsecStatistics::CountSealed(uint32_t octets, uint32_t added)
{
    ++m_counters.sealed;
    m_counters.sealedOctets += octets;
    m_counters.added += added;
}

void
IpsecStatistics::CountOpened()
{
    ++m_counters.opened;
}

const IpsecCounters&
IpsecStatistics::GetCounters() const
{
    return m_counters;
}

} // namespace ns3
