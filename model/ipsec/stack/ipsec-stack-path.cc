/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: what paths take, and who is told.
 */

namespace ns3
{

bool
IpsecStack::HasSent(std::optional<uint32_t> spi, const IpsecAddress& destination) const
{
    return spi ? m_outbound.Has(*spi, destination) || m_gone.Has(*spi, destination)
               : m_outbound.HasUdp(destination) || m_gone.HasUdp(destination);
}

void
IpsecStack::NoticePathMtu(const IpsecAddress& destination,
                          std::optional<uint32_t> spi,
                          uint32_t mtu)
{
    NS_LOG_FUNCTION(this << destination.ToString() << mtu);
    const uint32_t least =
        destination.IsIpv6() ? Ipv6Traits::MIN_LINK_MTU : Ipv4Traits::MIN_LINK_MTU;
    if (!HasSent(spi, destination) || mtu < least || mtu >= GetPathMtu(destination, UINT32_MAX))
    {
        return;
    }
    m_paths[{{}, destination}] = {mtu, Simulator::Now()};
    const Room room = FindRoom(destination, mtu);
    for (const auto& entry : m_sent.Take(destination, room.mtu))
    {
        TellSender(entry, room.mtu);
    }
}

uint32_t
IpsecStack::GetPathMtu(const IpsecAddress& destination, uint32_t mtu) const
{
    const auto found = m_paths.empty() ? m_paths.end() : m_paths.find({{}, destination});
    const bool known =
        found != m_paths.end() && Simulator::Now() - found->second.since < m_pathMtuAge;
    return known ? std::min(mtu, found->second.mtu) : mtu;
}

IpsecStack::Room
IpsecStack::FindRoom(const IpsecAddress& destination, uint32_t mtu) const
{
    const uint32_t path = GetPathMtu(destination, mtu);
    const uint32_t floor =
        destination.IsIpv6() ? Ipv6Traits::MIN_PATH_MTU : Ipv4Traits::MIN_PATH_MTU;
    return {std::max(path, floor), path >= floor};
}

void
IpsecStack::Remember(const Ptr<const Packet>& payload,
                     const IpsecFlow& flow,
                     const IpsecAddress& destination,
                     uint32_t size,
                     uint32_t octets,
                     bool own)
{
    const uint32_t floor =
        destination.IsIpv6() ? Ipv6Traits::MIN_PATH_MTU : Ipv4Traits::MIN_PATH_MTU;
    if (octets > floor)
    {
        IpsecSentLog::Entry entry{destination, flow, size, octets, own, {}};
        payload->CopyData(entry.head.data(), static_cast<uint32_t>(entry.head.size()));
        m_sent.Add(entry);
    }
}

void
IpsecStack::TellSender(const IpsecSentLog::Entry& entry, uint32_t mtu)
{
    const IpsecFlow& flow = entry.flow;
    const Index policy = m_outPolicies.Find(flow);
    if (GetAction(m_outPolicies, policy) != IpsecAction::PROTECT)
    {
        return;
    }
    const bool ipv6 = flow.source.IsIpv6();
    const uint32_t header = ipv6 ? Ipv6Traits::HEADER_SIZE : Ipv4Traits::HEADER_SIZE;
    const uint32_t inner = GetEncapsulation(policy).GetInnerMtu(mtu, header);
    const Ptr<Packet> payload =
        Create<Packet>(entry.head.data(), static_cast<uint32_t>(entry.head.size()));
    if (ipv6)
    {
        const Ipv6Address from = flow.source.GetIpv6();
        const Ipv6Address to = flow.destination.GetIpv6();
        if (entry.own)
        {
            TcpDontFragment::TellTooBig(m_node, from, to, payload, inner);
            return;
        }
        Ipv6Header quoted;
        quoted.SetSource(from);
        quoted.SetDestination(to);
        Ipv6Traits::SetPayload(quoted, flow.protocol, entry.size - header);
        TellTooBig(payload, quoted, std::max(inner, Ipv6Traits::MIN_PATH_MTU));
        return;
    }
    const Ipv4Address from = flow.source.GetIpv4();
    const Ipv4Address to = flow.destination.GetIpv4();
    if (entry.own)
    {
        TcpDontFragment::TellTooBig(m_node, from, to, payload, inner);
        return;
    }
    Ipv4Header quoted;
    quoted.SetSource(from);
    quoted.SetDestination(to);
    Ipv4Traits::SetPayload(quoted, flow.protocol, entry.size - header);
    quoted.SetDontFragment();
    TellTooBig(payload, quoted, std::max(inner, Ipv4Traits::MIN_PATH_MTU));
}

IpsecStack::Index
IpsecStack::FindOutbound(const Address& local, const Address& peer, uint32_t& header)
{
    IpsecFlow flow{{}, {}, TcpL4Protocol::PROT_NUMBER};
    header = Ipv4Traits::HEADER_SIZE;
    if (InetSocketAddress::IsMatchingType(peer))
    {
        const auto from = InetSocketAddress::ConvertFrom(local);
        const auto to = InetSocketAddress::ConvertFrom(peer);
        flow.source = from.GetIpv4();
        flow.destination = to.GetIpv4();
        flow.sourcePort = from.GetPort();
        flow.destinationPort = to.GetPort();
    }
    else
    {
        const auto from = Inet6SocketAddress::ConvertFrom(local);
        const auto to = Inet6SocketAddress::ConvertFrom(peer);
        const bool mapped = to.GetIpv6().IsIpv4MappedAddress();
        flow.source = mapped ? IpsecAddress(from.GetIpv6().GetIpv4MappedAddress())
                             : IpsecAddress(from.GetIpv6());
        flow.destination =
            mapped ? IpsecAddress(to.GetIpv6().GetIpv4MappedAddress()) : IpsecAddress(to.GetIpv6());
        flow.sourcePort = from.GetPort();
        flow.destinationPort = to.GetPort();
        header = mapped ? Ipv4Traits::HEADER_SIZE : Ipv6Traits::HEADER_SIZE;
    }
    const Index policy = m_outPolicies.Find(flow);
    return GetAction(m_outPolicies, policy) == IpsecAction::PROTECT ? policy
                                                                    : IpsecPolicyDatabase::NONE;
}

EspEncapsulation
IpsecStack::GetEncapsulation(Index policy) const
{
    EspEncapsulation encapsulation = m_proposals[policy].GetEncapsulation();
    encapsulation.outerHeader = m_outPolicies.Get(policy).tunnelDestination.IsIpv6()
                                    ? Ipv6Traits::HEADER_SIZE
                                    : Ipv4Traits::HEADER_SIZE;
    return encapsulation;
}

uint32_t
IpsecStack::GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer)
{
    uint32_t header;
    const Index policy = FindOutbound(local, peer, header);
    if (policy == IpsecPolicyDatabase::NONE)
    {
        return mtu;
    }
    const EspEncapsulation encapsulation = GetEncapsulation(policy);
    const bool outer6 = encapsulation.mode == IpsecMode::TUNNEL
                            ? encapsulation.outerHeader == Ipv6Traits::HEADER_SIZE
                            : header == Ipv6Traits::HEADER_SIZE;
    const uint32_t floor = outer6 ? Ipv6Traits::MIN_PATH_MTU : Ipv4Traits::MIN_PATH_MTU;
    return encapsulation.GetInnerMtu(std::max(mtu, floor), header);
}

void
IpsecStack::TellTooBig(const Ptr<Packet>& packet, const Ipv4Header& header, uint32_t mtu)
{
    m_ip4->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(header,
                                                                    packet,
                                                                    static_cast<uint16_t>(mtu));
}

void
IpsecStack::TellTooBig(const Ptr<Packet>& packet, const Ipv6Header& header, uint32_t mtu)
{
    const Ptr<Packet> whole = packet->Copy();
    whole->AddHeader(header);
    m_ip6->GetObject<Icmpv6L4Protocol>()->SendErrorTooBig(whole, header.GetSource(), mtu);
}

uint32_t
IpsecStack::FindLinkMtu(const IpsecAddress& destination) const
{
    const Ptr<NetDevice> device = destination.IsIpv6()
                                      ? FindIpDevice<Ipv6Traits>(m_ip6, destination.GetIpv6())
                                      : FindIpDevice<Ipv4Traits>(m_ip4, destination.GetIpv4());
    return device ? device->GetMtu() : UINT16_MAX;
}

} // namespace ns3
