/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-gateway-routing.h"

#include "ipsec-stack.h"

#include "ns3/boolean.h"

#include <type_traits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpsecIpv4GatewayRouting);
NS_OBJECT_ENSURE_REGISTERED(IpsecIpv6GatewayRouting);

void
InstallIpsecGateway(Ptr<IpsecStack> stack)
{
    const Ptr<Ipv4> ipv4 = stack->GetObject<Ipv4>();
    if (ipv4 && !DynamicCast<IpsecIpv4GatewayRouting>(ipv4->GetRoutingProtocol()))
    {
        ipv4->SetRoutingProtocol(
            CreateObject<IpsecIpv4GatewayRouting>(ipv4->GetRoutingProtocol(), PeekPointer(stack)));
    }
    const Ptr<Ipv6> ipv6 = stack->GetObject<Ipv6>();
    if (ipv6 && !DynamicCast<IpsecIpv6GatewayRouting>(ipv6->GetRoutingProtocol()))
    {
        // a tunnel ends at one address, wherever its packets come in
        ipv6->SetAttribute("StrongEndSystemModel", BooleanValue(false));
        ipv6->SetRoutingProtocol(
            CreateObject<IpsecIpv6GatewayRouting>(ipv6->GetRoutingProtocol(), PeekPointer(stack)));
    }
}

// ---- either version -----------------------------------------------------------------------------

template <typename V>
IpsecGatewayRouting<V>::IpsecGatewayRouting(Ptr<typename V::RoutingProtocol> next,
                                            IpsecStack* stack)
    : m_next(next),
      m_stack(stack)
{
}

template <typename V>
void
IpsecGatewayRouting<V>::DoDispose()
{
    m_next->Dispose();
    m_next = nullptr;
    m_forward.Nullify();
    m_own.Nullify();
    m_multicast.Nullify();
    V::RoutingProtocol::DoDispose();
}

template <typename V>
Ptr<typename V::Route>
IpsecGatewayRouting<V>::RouteOutput(Ptr<Packet> packet,
                                    const Header& header,
                                    Ptr<NetDevice> device,
                                    Socket::SocketErrno& error)
{
    return m_next->RouteOutput(packet, header, device, error);
}

template <typename V>
bool
IpsecGatewayRouting<V>::RouteInput(Ptr<const Packet> packet,
                                   const Header& header,
                                   Ptr<const NetDevice> device,
                                   typename Callbacks::Unicast forward,
                                   typename Callbacks::Multicast multicast,
                                   typename Callbacks::Local local,
                                   typename Callbacks::Error error)
{
    if (m_own.IsNull())
    {
        m_forward = forward; // the same for all packets
        m_own = V::MakeForward(
            [this](const auto& from, const auto& route, const auto& routed, const auto& seen) {
                Forward(from, route, routed, m_asked ? *m_asked : seen);
            });
        m_multicast = MakeMulticast(multicast);
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        // routers that heed "don't fragment" would refuse what fits once it is protected and
        // divided
        Header divisible = header;
        divisible.SetMayFragment();
        const Header* before = m_asked;
        m_asked = &header;
        const bool routed =
            m_next->RouteInput(packet, divisible, device, m_own, m_multicast, local, error);
        m_asked = before;
        return routed;
    }
    else
    {
        return m_next->RouteInput(packet, header, device, m_own, m_multicast, local, error);
    }
}

template <typename V>
typename IpsecGatewayRouting<V>::MulticastForwardCallback
IpsecGatewayRouting<V>::MakeMulticast(const MulticastForwardCallback& multicast)
{
    const auto decide = [this](const auto& packet, const Header& seen, const auto& forward) {
        const Header& asked = m_asked ? *m_asked : seen;
        m_stack->Forward(packet, asked, [&] { forward(asked); });
    };
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        return iwarp::MakeLambdaCallback<MulticastForwardCallback>(
            [decide, multicast](Ptr<Ipv4MulticastRoute> route,
                                Ptr<const Packet> packet,
                                const Header& header) {
                decide(packet, header, [&](const Header& h) { multicast(route, packet, h); });
            });
    }
    else
    {
        return iwarp::MakeLambdaCallback<MulticastForwardCallback>(
            [decide, multicast](Ptr<const NetDevice> device,
                                Ptr<Ipv6MulticastRoute> route,
                                Ptr<const Packet> packet,
                                const Header& header) {
                decide(packet, header, [&](const Header& h) {
                    multicast(device, route, packet, h);
                });
            });
    }
}

template <typename V>
void
IpsecGatewayRouting<V>::Forward(const Ptr<const NetDevice>& device,
                                const Ptr<Route>& route,
                                const Ptr<const Packet>& packet,
                                const Header& header)
{
    m_stack->Forward(packet, header, [&] {
        if (V::MayForward(*m_stack, route, packet, header))
        {
            V::Forward(m_forward, device, route, packet, header);
        }
    });
}

template <typename V>
void
IpsecGatewayRouting<V>::NotifyInterfaceUp(uint32_t interface)
{
    m_next->NotifyInterfaceUp(interface);
}

template <typename V>
void
IpsecGatewayRouting<V>::NotifyInterfaceDown(uint32_t interface)
{
    m_next->NotifyInterfaceDown(interface);
}

template <typename V>
void
IpsecGatewayRouting<V>::NotifyAddAddress(uint32_t interface, InterfaceAddress address)
{
    m_next->NotifyAddAddress(interface, address);
}

template <typename V>
void
IpsecGatewayRouting<V>::NotifyRemoveAddress(uint32_t interface, InterfaceAddress address)
{
    m_next->NotifyRemoveAddress(interface, address);
}

template <typename V>
void
IpsecGatewayRouting<V>::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    m_next->PrintRoutingTable(stream, unit);
}

template class IpsecGatewayRouting<Ipv4Traits>;
template class IpsecGatewayRouting<Ipv6Traits>;

// ---- what is of one version ---------------------------------------------------------------------

TypeId
IpsecIpv4GatewayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecIpv4GatewayRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("Iwarp");
    return tid;
}

void
IpsecIpv4GatewayRouting::SetIpv4(Ptr<Ipv4> /* ipv4 */)
{
    // what routes knows it already
}

TypeId
IpsecIpv6GatewayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecIpv6GatewayRouting")
                            .SetParent<Ipv6RoutingProtocol>()
                            .SetGroupName("Iwarp");
    return tid;
}

void
IpsecIpv6GatewayRouting::SetIpv6(Ptr<Ipv6> /* ipv6 */)
{
    // what routes knows it already
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

} // namespace ns3
