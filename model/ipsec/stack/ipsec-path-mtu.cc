/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-path-mtu.h"

#include "ns3/util-ip-traits.h"

#include <algorithm>

namespace ns3
{

namespace
{

// @param destination of packets @return octets that nobody is asked to send less than
uint32_t
GetLeastPathMtu(const IpsecAddress& destination)
{
    return destination.IsIpv6() ? Ipv6Traits::MIN_PATH_MTU : Ipv4Traits::MIN_PATH_MTU;
}

} // namespace

IpsecPathMtu::IpsecPathMtu(const IpsecAssociationDatabase& outbound)
    : m_outbound(outbound)
{
}

void
IpsecPathMtu::NotifyGone(const std::shared_ptr<IpsecAssociation>& association)
{
    m_gone.Add(association);
}

bool
IpsecPathMtu::HasSent(std::optional<uint32_t> spi, const IpsecAddress& destination) const
{
    return spi ? m_outbound.Has(*spi, destination) || m_gone.Has(*spi, destination)
               : m_outbound.HasUdp(destination) || m_gone.HasUdp(destination);
}

void
IpsecPathMtu::NotifySent(const Packet& payload,
                         const IpsecFlow& flow,
                         const IpsecAddress& destination,
                         uint32_t size,
                         uint32_t octets,
                         bool own)
{
    if (octets > GetLeastPathMtu(destination))
    {
        IpsecSentLog::Entry entry{destination, flow, size, octets, own, {}};
        payload.CopyData(entry.head.data(), static_cast<uint32_t>(entry.head.size()));
        m_sent.Add(entry);
    }
}

bool
IpsecPathMtu::Update(const IpsecAddress& destination,
                     std::optional<uint32_t> spi,
                     uint32_t mtu,
                     Time now,
                     Time age)
{
    const uint32_t least =
        destination.IsIpv6() ? Ipv6Traits::MIN_LINK_MTU : Ipv4Traits::MIN_LINK_MTU;
    if (!HasSent(spi, destination) || mtu < least || mtu >= Get(destination, UINT32_MAX, now, age))
    {
        return false;
    }
    m_paths[{{}, destination}] = {mtu, now};
    return true;
}

std::vector<IpsecSentLog::Entry>
IpsecPathMtu::ExtractTooBig(const IpsecAddress& destination, uint32_t mtu)
{
    return m_sent.Extract(destination, mtu);
}

uint32_t
IpsecPathMtu::Get(const IpsecAddress& destination, uint32_t link, Time now, Time age) const
{
    const auto found = m_paths.empty() ? m_paths.end() : m_paths.find({{}, destination});
    const bool known = found != m_paths.end() && now - found->second.since < age;
    return known ? std::min(link, found->second.mtu) : link;
}

IpsecPathMtu::Limit
IpsecPathMtu::FindLimit(const IpsecAddress& destination, uint32_t link, Time now, Time age) const
{
    const uint32_t path = Get(destination, link, now, age);
    const uint32_t least = GetLeastPathMtu(destination);
    return {std::max(path, least), path >= least};
}

} // namespace ns3
