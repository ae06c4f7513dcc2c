/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_GATEWAY_ROUTING_H
#define IPSEC_GATEWAY_ROUTING_H

#include "ns3/util-ip-traits.h"

#include <cstdint>

namespace ns3
{

class IpsecStack;

/**
 * @ingroup iwarp-ipsec
 * @brief Stands before the routing of a security gateway: routes as that does, and shows what is to
 * be forwarded to the node's IpsecStack.
 * @tparam V Ipv4Traits or Ipv6Traits
 */
template <typename V>
class IpsecGatewayRouting : public V::RoutingProtocol
{
  public:
    using Header = typename V::Header;                     //!< IP header
    using Route = typename V::Route;                       //!< route
    using InterfaceAddress = typename V::InterfaceAddress; //!< address of an interface
    using Callbacks = typename V::Callbacks;               //!< parameters of RouteInput()

    /// @param next routing of the node @param stack of the node
    IpsecGatewayRouting(Ptr<typename V::RoutingProtocol> next, IpsecStack* stack);

    Ptr<Route> RouteOutput(Ptr<Packet> packet,
                           const Header& header,
                           Ptr<NetDevice> device,
                           Socket::SocketErrno& error) override;
    bool RouteInput(Ptr<const Packet> packet,
                    const Header& header,
                    Ptr<const NetDevice> device,
                    typename Callbacks::Unicast forward,
                    typename Callbacks::Multicast multicast,
                    typename Callbacks::Local local,
                    typename Callbacks::Error error) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, InterfaceAddress address) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    using UnicastForwardCallback = typename V::RoutingProtocol::UnicastForwardCallback;
    using MulticastForwardCallback = typename V::RoutingProtocol::MulticastForwardCallback;

    void DoDispose() override;
    /// Forward a packet, or have the stack protect it. @param device where it came in
    /// @param route it @param packet behind its header @param header of IP
    void Forward(const Ptr<const NetDevice>& device,
                 const Ptr<Route>& route,
                 const Ptr<const Packet>& packet,
                 const Header& header);

    /// Make a way on for multicast packets, which go through the policies, too.
    /// @param multicast IP's way on @return it
    MulticastForwardCallback MakeMulticast(const MulticastForwardCallback& multicast);

    Ptr<typename V::RoutingProtocol> m_next; //!< routes

  private:
    IpsecStack* m_stack;                  //!< of the node
    UnicastForwardCallback m_forward;     //!< IP's way on
    UnicastForwardCallback m_own;         //!< Forward()
    MulticastForwardCallback m_multicast; //!< IP's way on for multicast packets
    const Header* m_asked{nullptr};       //!< header that a route is looked for
};

/**
 * @ingroup iwarp-ipsec
 * @brief IpsecGatewayRouting for IPv4.
 */
class IpsecIpv4GatewayRouting : public IpsecGatewayRouting<Ipv4Traits>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    using IpsecGatewayRouting::IpsecGatewayRouting;

    void SetIpv4(Ptr<Ipv4> ipv4) override;
};

/**
 * @ingroup iwarp-ipsec
 * @brief IpsecGatewayRouting for IPv6.
 */
class IpsecIpv6GatewayRouting : public IpsecGatewayRouting<Ipv6Traits>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    using IpsecGatewayRouting::IpsecGatewayRouting;

    void SetIpv6(Ptr<Ipv6> ipv6) override;
    void NotifyAddRoute(Ipv6Address network,
                        Ipv6Prefix mask,
                        Ipv6Address nextHop,
                        uint32_t interface,
                        Ipv6Address prefix = Ipv6Address::GetZero()) override;
    void NotifyRemoveRoute(Ipv6Address network,
                           Ipv6Prefix mask,
                           Ipv6Address nextHop,
                           uint32_t interface,
                           Ipv6Address prefix = Ipv6Address::GetZero()) override;
};

/**
 * @ingroup iwarp-ipsec
 * @brief Make a node a security gateway: what it forwards goes through the policies of its
 * IpsecStack.
 * @param stack of a router, whose routing is set up; a second call does nothing
 */
void InstallIpsecGateway(Ptr<IpsecStack> stack);

} // namespace ns3

#endif // IPSEC_GATEWAY_ROUTING_H
