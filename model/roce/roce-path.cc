/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-path.h"

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
#include "ns3/udp-l4-protocol.h"

namespace ns3
{

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
}

RocePath::~RocePath() = default;

void
RocePath::Send(const Ptr<Packet>& packet) const
{
    m_ipv4 ? Send4(packet) : Send6(packet);
}

void
RocePath::Send4(const Ptr<Packet>& packet) const
{
    SocketIpTosTag tos;
    tos.SetTos(ECN_CAPABLE);
    packet->ReplacePacketTag(tos);
    SocketPriorityTag priority; // as a socket that is given this type of service has it
    priority.SetPriority(Socket::IpTos2Priority(ECN_CAPABLE));
    if (priority.GetPriority() > 0)
    {
        packet->ReplacePacketTag(priority);
    }
    Ipv4Header header;
    header.SetDestination(m_peer4);
    header.SetProtocol(UdpL4Protocol::PROT_NUMBER);
    Socket::SocketErrno error;
    if (const auto route =
            m_ipv4->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error))
    {
        m_udp->Send(packet, route->GetSource(), m_peer4, m_port, RoceHead::PORT, route);
    }
}

void
RocePath::Send6(const Ptr<Packet>& packet) const
{
    SocketIpv6TclassTag tclass;
    tclass.SetTclass(ECN_CAPABLE);
    packet->AddPacketTag(tclass);
    Ipv6Header header;
    header.SetDestination(m_peer6);
    header.SetNextHeader(UdpL4Protocol::PROT_NUMBER);
    Socket::SocketErrno error;
    if (const auto route =
            m_ipv6->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error))
    {
        m_udp->Send(packet, route->GetSource(), m_peer6, m_port, RoceHead::PORT, route);
    }
}

} // namespace ns3
