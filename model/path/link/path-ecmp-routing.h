/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_ECMP_ROUTING_H
#define PATH_ECMP_ROUTING_H

#include "path-network-table.h"

#include "ns3/attribute.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv6-static-routing.h"
#include "ns3/util-ip-traits.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief What equal next hops are picked by.
 */
enum class PathSpreading : uint8_t
{
    FLOW,        //!< a hash of the flow: addresses, protocol and, of TCP and UDP, ports
    FLOW_SPI,    //!< the same with ESP's SPI in place of ports: each association is a flow
    FLOW_LABEL,  //!< a hash of addresses and IPv6's flow label (RFC 6438); as FLOW where that is 0
    RANDOM,      //!< at random for each packet
    ROUND_ROBIN, //!< in turn, packet by packet
};

/// @ingroup iwarp-path
/// @brief Make the checker of an attribute that is a PathSpreading. @return it, with the names
Ptr<const AttributeChecker> MakePathSpreadingChecker();

/**
 * @ingroup iwarp-path
 * @brief Static routing of IPv4 that knows its node's IP.
 */
class PathIpv4Routing : public Ipv4StaticRouting
{
  public:
    using Traits = Ipv4Traits;                                      //!< the version of IP
    static constexpr const char* NAME = "ns3::PathIpv4EcmpRouting"; //!< of the TypeId

    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;

  protected:
    void DoDispose() override;
    /// Tell whether a datagram is for this node, in the same time however many interfaces there
    /// are. @param destination its @param interface where it came @return whether it is
    bool IsLocal(const Ipv4Address& destination, uint32_t interface) const;

    Ptr<Ipv4> m_ip; //!< IP of this node

  private:
    /// Remember an address. @param address of an interface of this node
    void AddLocal(const Ipv4InterfaceAddress& address);

    /// All that interfaces have or had, and the broadcast addresses of their networks
    std::unordered_set<Ipv4Address, Ipv4Traits::AddressHash> m_local;
};

/**
 * @ingroup iwarp-path
 * @brief Static routing of IPv6 that knows its node's IP.
 */
class PathIpv6Routing : public Ipv6StaticRouting
{
  public:
    using Traits = Ipv6Traits;                                      //!< the version of IP
    static constexpr const char* NAME = "ns3::PathIpv6EcmpRouting"; //!< of the TypeId

    void SetIpv6(Ptr<Ipv6> ipv6) override;

  protected:
    void DoDispose() override;

    /// Tell whether a datagram is for this node. @return false: ns-3 does not ask for its routes
    /// then
    bool IsLocal(const Ipv6Address& /* destination */, uint32_t /* interface */) const
    {
        return false;
    }

    Ptr<Ipv6> m_ip; //!< IP of this node
};

/**
 * @ingroup iwarp-path
 * @brief Static routing where a network may have several next hops, over which flows or packets are
 * spread (equal-cost multipath).
 *
 * With Spreading=flow the next hop is picked by a hash of addresses, protocol and ports, so that
 * packets of a flow keep to one path and in order. Fragments count with their addresses and
 * protocol alone, as their ports are in the first one only. With flow-label it is picked by
 * addresses and the label, which fragments and tunnels show; ns-3's IPv6 gives all datagrams one
 * label, unless there are Ipv6FlowLabels at those who send. With random and round-robin each packet
 * goes its own way, whatever its flow, and may overtake others. What the node forwards and what it
 * sends go in turns of their own, as a gateway asks for both where it protects a packet; and who
 * asks without a packet, for the MTU or the address to send from, takes no turn. Networks of
 * AddNextHop() go before ns-3's static routes, those of a single next hop as well; among them the
 * one of the longest prefix counts, which is found in a time that depends on the number of
 * different prefixes' lengths only.
 *
 * Attribute HashSeed: routers with different seeds spread the same flows, and random packets,
 * differently.
 *
 * What is too large for the next hop and may not be fragmented is dropped, and its sender told.
 *
 * @tparam Ip PathIpv4Routing or PathIpv6Routing
 */
template <typename Ip>
class PathEcmpRouting : public Ip
{
  public:
    using V = typename Ip::Traits;           //!< the version of IP
    using Address = typename V::Address;     //!< address
    using Mask = typename V::Mask;           //!< mask or prefix of a network
    using Header = typename V::Header;       //!< IP header
    using Route = typename V::Route;         //!< route
    using Callbacks = typename V::Callbacks; //!< parameters of RouteInput()

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Add a next hop of a network; all those of one network are equal.
     * @param network address of the network
     * @param mask mask or prefix of the network
     * @param gateway address of the next hop; 0.0.0.0 or :: if the network is the interface's own
     * @param interface interface towards it, which is up; the next hop goes when it goes down
     */
    void AddNextHop(Address network, Mask mask, Address gateway, uint32_t interface);

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
    void NotifyInterfaceDown(uint32_t interface) override;

  protected:
    void DoDispose() override;

  private:
    using Forwarding = typename V::RoutingProtocol::UnicastForwardCallback; //!< IP's way on

    /// A next hop
    struct NextHop
    {
        Address gateway;    //!< its address
        uint32_t interface; //!< interface towards it
    };

    /// A network's next hops
    struct Group
    {
        std::vector<NextHop> hops; //!< next hops, at least one
        uint64_t forwarded{0};     //!< packets that came and went on in turn
        uint64_t sent{0};          //!< packets of this node that went in turn
    };

    /// Get what forwards a packet if that can be. @param forward IP's way on @return a way on for
    /// packets that fit, or may be fragmented
    const Forwarding& Guard(const Forwarding& forward);
    /// Tell whether a packet goes on. @param header its header @param device where it came
    /// @return false if it is for this node, or forwarding is off
    bool IsTransit(const Header& header, const Ptr<const NetDevice>& device) const;
    /// Route a packet. @param group network @param packet packet behind its IP header, or nullptr
    /// @param header IP header @param[in,out] turn of the packet, if they go in turn @return route
    Ptr<Route> MakeRoute(const Group& group,
                         Ptr<const Packet> packet,
                         const Header& header,
                         uint64_t& turn);
    /// Pick among next hops. @param packet packet behind its IP header, or nullptr @param header IP
    /// header @param[in,out] turn of the packet, if they go in turn @return a number, of which the
    /// remainder counts
    uint64_t Pick(Ptr<const Packet> packet, const Header& header, uint64_t& turn);
    /// Hash a flow. @param packet packet behind its IP header, or nullptr @param header IP header
    /// @return hash
    uint64_t Hash(Ptr<const Packet> packet, const Header& header) const;
    /// Give a datagram of this node the label that it will have. @param[in,out] header IP header
    /// @param packet packet behind it, or nullptr
    void SetLabel(Header& header, Ptr<const Packet> packet) const;

    PathNetworkTable<V, Group> m_groups; //!< networks
    uint64_t m_seed{0};                  //!< seed of the hash
    uint64_t m_packets{0};               //!< packets that went at random
    PathSpreading m_spreading;           //!< what next hops are picked by
    Forwarding m_forward;                //!< IP's way on
    Forwarding m_guarded;                //!< the same for what fits
};

using PathIpv4EcmpRouting = PathEcmpRouting<PathIpv4Routing>; //!< for IPv4
using PathIpv6EcmpRouting = PathEcmpRouting<PathIpv6Routing>; //!< for IPv6

extern template class PathEcmpRouting<PathIpv4Routing>;
extern template class PathEcmpRouting<PathIpv6Routing>;

} // namespace ns3

#endif // PATH_ECMP_ROUTING_H
