/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-end-point-pair.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

namespace ns3
{

namespace
{

/// @tparam Ip IP of a node @tparam Header its header
/// @param node node @param peer destination @param bound device of the socket, or nullptr
/// @return device of the route; nullptr if there is none
template <typename Ip, typename Header, typename IpAddress>
Ptr<NetDevice>
FindDevice(const Node& node, const IpAddress& peer, const Ptr<NetDevice>& bound)
{
    const Ptr<Ip> ip = node.GetObject<Ip>();
    if (!ip || !ip->GetRoutingProtocol())
    {
        return nullptr;
    }
    Header header;
    header.SetDestination(peer);
    Socket::SocketErrno error;
    const auto route = ip->GetRoutingProtocol()->RouteOutput(nullptr, header, bound, error);
    return route ? route->GetOutputDevice() : nullptr;
}

} // namespace

bool
TcpEndPointPair::IsIpv4() const
{
    return !ipv6 || ipv6->GetPeerAddress().IsIpv4MappedAddress();
}

uint16_t
TcpEndPointPair::GetLocalPort() const
{
    return ipv4 ? ipv4->GetLocalPort() : ipv6->GetLocalPort();
}

Address
TcpEndPointPair::GetLocalAddress() const
{
    if (ipv4)
    {
        return InetSocketAddress(ipv4->GetLocalAddress(), ipv4->GetLocalPort());
    }
    return Inet6SocketAddress(ipv6->GetLocalAddress(), ipv6->GetLocalPort());
}

Address
TcpEndPointPair::GetPeerAddress() const
{
    if (ipv4)
    {
        return InetSocketAddress(ipv4->GetPeerAddress(), ipv4->GetPeerPort());
    }
    return Inet6SocketAddress(ipv6->GetPeerAddress(), ipv6->GetPeerPort());
}

Ptr<NetDevice>
TcpEndPointPair::FindRouteDevice(const Node& node, Ptr<NetDevice> bound) const
{
    if (!IsIpv4())
    {
        return FindDevice<Ipv6L3Protocol, Ipv6Header>(node, ipv6->GetPeerAddress(), bound);
    }
    return FindDevice<Ipv4, Ipv4Header>(node,
                                        ipv4 ? ipv4->GetPeerAddress()
                                             : ipv6->GetPeerAddress().GetIpv4MappedAddress(),
                                        bound);
}

void
TcpEndPointPair::SetPorts(TcpHeader& header) const
{
    header.SetSourcePort(GetLocalPort());
    header.SetDestinationPort(ipv4 ? ipv4->GetPeerPort() : ipv6->GetPeerPort());
}

void
TcpEndPointPair::Send(TcpL4Protocol& tcp,
                      Ptr<Packet> packet,
                      const TcpHeader& header,
                      Ptr<NetDevice> bound) const
{
    if (ipv4)
    {
        tcp.SendPacket(packet, header, ipv4->GetLocalAddress(), ipv4->GetPeerAddress(), bound);
    }
    else
    {
        tcp.SendPacket(packet, header, ipv6->GetLocalAddress(), ipv6->GetPeerAddress(), bound);
    }
}

} // namespace ns3
