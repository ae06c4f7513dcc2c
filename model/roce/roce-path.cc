/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-path.h"

#include "roce-icrc.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/socket.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{
namespace
{

/// @param treatment of a packet @return its type of service, or traffic class
uint8_t
GetTrafficClass(const RocePath::Treatment& treatment)
{
    return static_cast<uint8_t>(treatment.dscp << 2 | RocePath::ECN_CAPABLE);
}

/// Ask ns-3 whether it takes UDP without a checksum (RFC 768) where it looks at them: before 3.38
/// it takes that for a wrong one. @return so
bool
TakesNoChecksum()
{
    static const bool takes = [] {
        const auto packet = Create<Packet>(4);
        packet->AddHeader(UdpHeader());
        UdpHeader found;
        found.EnableChecksums();
        found.InitializeChecksum(Ipv4Address("10.0.0.1"),
                                 Ipv4Address("10.0.0.2"),
                                 UdpL4Protocol::PROT_NUMBER);
        packet->RemoveHeader(found);
        return found.IsChecksumOk();
    }();
    return takes;
}

/// @param datagram with its IP header @param [in,out] packet the end of it, which ends with an ICRC
void
WriteIcrc(const Ptr<const Packet>& datagram, const Ptr<Packet>& packet)
{
    std::vector<uint8_t> octets(datagram->GetSize());
    datagram->CopyData(octets.data(), datagram->GetSize());
    uint8_t icrc[RoceHead::ICRC];
    RoceIcrc::Write(RoceIcrc::Compute(octets.data(), octets.size() - RoceHead::ICRC), icrc);
    packet->RemoveAtEnd(RoceHead::ICRC);
    packet->AddAtEnd(Create<Packet>(icrc, RoceHead::ICRC));
}

} // namespace

RocePath::RocePath(const Ptr<Node>& node, const Address& peer, uint16_t port)
    : m_udp(node->GetObject<UdpL4Protocol>()),
      m_port(port)
{
    if (Inet6SocketAddress::IsMatchingType(peer))
    {
        m_ipv6 = node->GetObject<Ipv6>();
        m_peer6 = Inet6SocketAddress::ConvertFrom(peer).GetIpv6();
        return;
    }
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(peer),
                        "RocePath: a peer is an InetSocketAddress or an Inet6SocketAddress");
    m_ipv4 = node->GetObject<Ipv4>();
    m_peer4 = InetSocketAddress::ConvertFrom(peer).GetIpv4();
    UintegerValue timeToLive(64); // where IPv4 is none of ns-3's
    m_ipv4->GetAttributeFailSafe("DefaultTtl", timeToLive);
    m_timeToLive = static_cast<uint8_t>(timeToLive.Get());
    m_alone = m_udp->GetDownTarget().IsEqual(MakeCallback(&Ipv4::Send, m_ipv4));
}

RocePath::~RocePath() = default;

void
RocePath::Send(const Ptr<Packet>& packet, const Treatment& treatment) const
{
    m_ipv4 ? Send4(packet, treatment) : Send6(packet, treatment);
}

void
RocePath::Send4(const Ptr<Packet>& packet, const Treatment& treatment) const
{
    const uint8_t tos = GetTrafficClass(treatment);
    SocketPriorityTag priority; // as a socket that is given this type of service has it
    priority.SetPriority(Socket::IpTos2Priority(tos));
    if (priority.GetPriority() > 0)
    {
        packet->ReplacePacketTag(priority);
    }
    Ipv4Header header;
    header.SetDestination(m_peer4);
    header.SetProtocol(UdpL4Protocol::PROT_NUMBER);
    Socket::SocketErrno error;
    const auto route = m_ipv4->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error);
    if (route && treatment.icrc && m_alone)
    {
        SendSealed4(packet, tos, route);
    }
    else if (route)
    { // who stands between UDP and IP, such as IPsec, gets the packet
        SocketIpTosTag tag;
        tag.SetTos(tos);
        packet->ReplacePacketTag(tag);
        m_udp->Send(packet, route->GetSource(), m_peer4, m_port, RoceHead::PORT, route);
    }
}

void
RocePath::SendSealed4(const Ptr<Packet>& packet, uint8_t tos, const Ptr<Ipv4Route>& route) const
{
    UdpHeader udp; // without a checksum
    udp.SetSourcePort(m_port);
    udp.SetDestinationPort(RoceHead::PORT);
    packet->AddHeader(udp);
    Ipv4Header header;
    header.SetSource(route->GetSource());
    header.SetDestination(m_peer4);
    header.SetProtocol(UdpL4Protocol::PROT_NUMBER);
    header.SetTos(tos);
    header.SetTtl(m_timeToLive);
    header.SetDontFragment();
    header.SetIdentification(m_identification++);
    header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    Ptr<Packet> datagram = packet->Copy();
    datagram->AddHeader(header);
    WriteIcrc(datagram, packet);
    if (!TakesNoChecksum())
    { // which the ICRC does not cover
        packet->RemoveHeader(udp);
        udp.EnableChecksums();
        udp.InitializeChecksum(header.GetSource(), header.GetDestination(), header.GetProtocol());
        packet->AddHeader(udp);
    }
    m_ipv4->SendWithHeader(packet, header, route);
}

void
RocePath::Send6(const Ptr<Packet>& packet, const Treatment& treatment) const
{
    SocketIpv6TclassTag tclass;
    tclass.SetTclass(GetTrafficClass(treatment));
    packet->AddPacketTag(tclass);
    Ipv6Header header;
    header.SetDestination(m_peer6);
    header.SetNextHeader(UdpL4Protocol::PROT_NUMBER);
    Socket::SocketErrno error;
    const auto route = m_ipv6->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error);
    if (!route)
    {
        return;
    }
    if (treatment.icrc)
    {
        UdpHeader udp;
        udp.SetSourcePort(m_port);
        udp.SetDestinationPort(RoceHead::PORT);
        Ptr<Packet> datagram = packet->Copy();
        datagram->AddHeader(udp);
        header.SetSource(route->GetSource());
        header.SetPayloadLength(static_cast<uint16_t>(datagram->GetSize()));
        datagram->AddHeader(header);
        WriteIcrc(datagram, packet);
    }
    m_udp->Send(packet, route->GetSource(), m_peer6, m_port, RoceHead::PORT, route);
}

} // namespace ns3
