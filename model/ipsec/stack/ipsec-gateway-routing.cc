/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-gateway-routing.h"

#include "ipsec-stack.h"

#include "ns3/boolean.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv6-interface-address.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpsecIpv4GatewayRouting);
NS_OBJECT_ENSURE_REGISTERED(IpsecIpv6GatewayRouting);

void
InstallIpsecGateway(Ptr<IpsecStack> stack)
{
    if (const Ptr<Ipv4> ipv4 = stack->GetObject<Ipv4>())
    {
        ipv4->SetRoutingProtocol(
            CreateObject<IpsecIpv4GatewayRouting>(ipv4->GetRoutingProtocol(), PeekPointer(stack)));
    }
    if (const Ptr<Ipv6> ipv6 = stack->GetObject<Ipv6>())
    {
        // a tunnel ends at one address, wherever its packets come in
        ipv6->SetAttribute("StrongEndSystemModel", BooleanValue(false));
        ipv6->SetRoutingProtocol(
            CreateObject<IpsecIpv6GatewayRouting>(ipv6->GetRoutingProtocol(), PeekPointer(stack)));
    }
}

// ---- IPv4 ---------------------------------------------------------------------------------------

TypeId
IpsecIpv4GatewayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecIpv4GatewayRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("Iwarp");
    return tid;
}

IpsecIpv4GatewayRouting::IpsecIpv4GatewayRouting(Ptr<Ipv4RoutingProtocol> next, IpsecStack* stack)
    : m_next(next),
      m_stack(stack)
{
}

IpsecIpv4GatewayRouting::~IpsecIpv4GatewayRouting() = default;

void
IpsecIpv4GatewayRouting::DoDispose()
{
    m_next->Dispose();
    m_next = nullptr;
    m_forward.Nullify();
    m_own.Nullify();
    Ipv4RoutingProtocol::DoDispose();
}

Ptr<Ipv4Route>
IpsecIpv4GatewayRouting::RouteOutput(Ptr<Packet> packet,
                                     const Ipv4Header& header,
                                     Ptr<NetDevice> device,
                                     Socket::SocketErrno& error)
{
    return m_next->RouteOutput(packet, header, device, error);
}

bool
IpsecIpv4GatewayRouting::RouteInput(Ptr<const Packet> packet,
                                    const Ipv4Header& header,
                                    Ptr<const NetDevice> device,
                                    Callbacks::Unicast forward,
                                    Callbacks::Multicast multicast,
                                    Callbacks::Local local,
                                    Callbacks::Error error)
{
    if (m_own.IsNull())
    {
        m_forward = forward; // the same for all packets
        m_own = MakeCallback(&IpsecIpv4GatewayRouting::Forward, this);
    }
    // routers that heed "don't fragment" would refuse what fits once it is protected and divided
    Ipv4Header divisible = header;
    divisible.SetMayFragment();
    const Ipv4Header* before = m_asked;
    m_asked = &header;
    const bool routed =
        m_next->RouteInput(packet, divisible, device, m_own, multicast, local, error);
    m_asked = before;
    return routed;
}

void
IpsecIpv4GatewayRouting::Forward(Ptr<Ipv4Route> route,
                                 Ptr<const Packet> packet,
                                 const Ipv4Header& /* header */)
{
    const Ipv4Header header = *m_asked;
    m_stack->Forward(packet, header, [&] {
        const uint16_t mtu = route->GetOutputDevice()->GetMtu();
        if (header.IsDontFragment() && packet->GetSize() + header.GetSerializedSize() > mtu)
        {
            m_stack->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(header, packet, mtu);
            return;
        }
        m_forward(route, packet, header);
    });
}

void
IpsecIpv4GatewayRouting::NotifyInterfaceUp(uint32_t interface)
{
    m_next->NotifyInterfaceUp(interface);
}

void
IpsecIpv4GatewayRouting::NotifyInterfaceDown(uint32_t interface)
{
    m_next->NotifyInterfaceDown(interface);
}

void
IpsecIpv4GatewayRouting::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    m_next->NotifyAddAddress(interface, address);
}

void
IpsecIpv4GatewayRouting::NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    m_next->NotifyRemoveAddress(interface, address);
}

void
IpsecIpv4GatewayRouting::SetIpv4(Ptr<Ipv4> /* ipv4 */)
{
    // what routes knows it already
}

void
IpsecIpv4GatewayRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    m_next->PrintRoutingTable(stream, unit);
}

// ---- IPv6 ---------------------------------------------------------------------------------------

TypeId
IpsecIpv6GatewayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecIpv6GatewayRouting")
                            .SetParent<Ipv6RoutingProtocol>()
                            .SetGroupName("Iwarp");
    return tid;
}

IpsecIpv6GatewayRouting::IpsecIpv6GatewayRouting(Ptr<Ipv6RoutingProtocol> next, IpsecStack* stack)
    : m_next(next),
      m_stack(stack)
{
}

IpsecIpv6GatewayRouting::~IpsecIpv6GatewayRouting() = default;

void
IpsecIpv6GatewayRouting::DoDispose()
{
    m_next->Dispose();
    m_next = nullptr;
    m_forward.Nullify();
    m_own.Nullify();
    Ipv6RoutingProtocol::DoDispose();
}

Ptr<Ipv6Route>
IpsecIpv6GatewayRouting::RouteOutput(Ptr<Packet> packet,
                                     const Ipv6Header& header,
                                     Ptr<NetDevice> device,
                                     Socket::SocketErrno& error)
{
    return m_next->RouteOutput(packet, header, device, error);
}

bool
IpsecIpv6GatewayRouting::RouteInput(Ptr<const Packet> packet,
                                    const Ipv6Header& header,
                                    Ptr<const NetDevice> device,
                                    Callbacks::Unicast forward,
                                    Callbacks::Multicast multicast,
                                    Callbacks::Local local,
                                    Callbacks::Error error)
{
    if (m_own.IsNull())
    {
        m_forward = forward; // the same for all packets
        m_own = MakeCallback(&IpsecIpv6GatewayRouting::Forward, this);
    }
    return m_next->RouteInput(packet, header, device, m_own, multicast, local, error);
}

void
IpsecIpv6GatewayRouting::Forward(Ptr<const NetDevice> device,
                                 Ptr<Ipv6Route> route,
                                 Ptr<const Packet> packet,
                                 const Ipv6Header& header)
{
    m_stack->Forward(packet, header, [&] { m_forward(device, route, packet, header); });
}

void
IpsecIpv6GatewayRouting::NotifyInterfaceUp(uint32_t interface)
{
    m_next->NotifyInterfaceUp(interface);
}

void
IpsecIpv6GatewayRouting::NotifyInterfaceDown(uint32_t interface)
{
    m_next->NotifyInterfaceDown(interface);
}

void
IpsecIpv6GatewayRouting::NotifyAddAddress(uint32_t interface, Ipv6InterfaceAddress address)
{
    m_next->NotifyAddAddress(interface, address);
}

void
IpsecIpv6GatewayRouting::NotifyRemoveAddress(uint32_t interface, Ipv6InterfaceAddress address)
{
    m_next->NotifyRemoveAddress(interface, address);
}

void
IpsecIpv6GatewayRouting::NotifyAddRoute(Ipv6Address network,
                                        Ipv6Prefix mask,
                                        Ipv6Address nextHop,
                                        uint32_t interface,
                                        Ipv6Address prefix)
{
    m_next->NotifyAddRoute(network, mask, nextHop, interface, prefix);
}

void
IpsecIpv6GatewayRouting::NotifyRemoveRoute(Ipv6Address network,
                                           Ipv6Prefix mask,
                                           Ipv6Address nextHop,
                                           uint32_t interface,
                                           Ipv6Address prefix)
{
    m_next->NotifyRemoveRoute(network, mask, nextHop, interface, prefix);
}

void
IpsecIpv6GatewayRouting::SetIpv6(Ptr<Ipv6> /* ipv6 */)
{
    // what routes knows it already
}

void
IpsecIpv6GatewayRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    m_next->PrintRoutingTable(stream, unit);
}

} // namespace ns3
