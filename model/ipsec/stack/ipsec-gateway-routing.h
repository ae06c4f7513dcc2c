/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_GATEWAY_ROUTING_H
#define IPSEC_GATEWAY_ROUTING_H

#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"

#include <cstdint>

namespace ns3
{

class IpsecStack;

/**
 * @ingroup iwarp-ipsec
 * @brief Stands before the IPv4 routing of a security gateway: routes as that does, and shows what
 * is to be forwarded to the node's IpsecStack.
 */
class IpsecIpv4GatewayRouting : public Ipv4RoutingProtocol
{
  public:
    /// Types of RouteInput()'s parameters.
    using Callbacks = iwarp::RouteInputCallbacks<decltype(&Ipv4RoutingProtocol::RouteInput)>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    /// @param next routing of the node @param stack of the node
    IpsecIpv4GatewayRouting(Ptr<Ipv4RoutingProtocol> next, IpsecStack* stack);
    ~IpsecIpv4GatewayRouting() override;

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv4Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override;
    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    Callbacks::Unicast forward,
                    Callbacks::Multicast multicast,
                    Callbacks::Local local,
                    Callbacks::Error error) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    /// @param route it @param packet behind its header @param header of IP, as routing has seen it
    void Forward(Ptr<Ipv4Route> route, Ptr<const Packet> packet, const Ipv4Header& header);

    Ptr<Ipv4RoutingProtocol> m_next;    //!< routes
    IpsecStack* m_stack;                //!< of the node
    UnicastForwardCallback m_forward;   //!< IP's way on
    UnicastForwardCallback m_own;       //!< Forward()
    const Ipv4Header* m_asked{nullptr}; //!< header that a route is looked for
};

/// @ingroup iwarp-ipsec
/// @brief As IpsecIpv4GatewayRouting, for IPv6.
class IpsecIpv6GatewayRouting : public Ipv6RoutingProtocol
{
  public:
    /// Types of RouteInput()'s parameters.
    using Callbacks = iwarp::RouteInputCallbacks<decltype(&Ipv6RoutingProtocol::RouteInput)>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    /// @param next routing of the node @param stack of the node
    IpsecIpv6GatewayRouting(Ptr<Ipv6RoutingProtocol> next, IpsecStack* stack);
    ~IpsecIpv6GatewayRouting() override;

    Ptr<Ipv6Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv6Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override;
    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv6Header& header,
                    Ptr<const NetDevice> device,
                    Callbacks::Unicast forward,
                    Callbacks::Multicast multicast,
                    Callbacks::Local local,
                    Callbacks::Error error) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv6InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv6InterfaceAddress address) override;
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
    void SetIpv6(Ptr<Ipv6> ipv6) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    /// @param device where it came in @param route it @param packet behind its header @param header
    /// of IP
    void Forward(Ptr<const NetDevice> device,
                 Ptr<Ipv6Route> route,
                 Ptr<const Packet> packet,
                 const Ipv6Header& header);

    Ptr<Ipv6RoutingProtocol> m_next;  //!< routes
    IpsecStack* m_stack;              //!< of the node
    UnicastForwardCallback m_forward; //!< IP's way on
    UnicastForwardCallback m_own;     //!< Forward()
};

/**
 * @ingroup iwarp-ipsec
 * @brief Make a node a security gateway: what it forwards goes through the policies of its
 * IpsecStack.
 * @param stack of a router, whose routing is set up; once
 */
void InstallIpsecGateway(Ptr<IpsecStack> stack);

} // namespace ns3

#endif // IPSEC_GATEWAY_ROUTING_H
