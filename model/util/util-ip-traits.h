/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_IP_TRAITS_H
#define UTIL_IP_TRAITS_H

#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface-address.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/ns3-compat.h"
#include "ns3/socket.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

/**
 * @file
 * @ingroup iwarp-util
 * What differs between the versions of IP, so that what is done with either is written once, as a
 * template of Ipv4Traits or Ipv6Traits.
 */

namespace ns3
{

/// @ingroup iwarp-util
/// @brief IPv4 as a template's argument.
struct Ipv4Traits
{
    using Address = Ipv4Address;                   //!< address
    using Mask = Ipv4Mask;                         //!< mask of a network
    using Header = Ipv4Header;                     //!< IP header
    using Route = Ipv4Route;                       //!< route
    using Interface = Ipv4Interface;               //!< interface
    using InterfaceAddress = Ipv4InterfaceAddress; //!< address of an interface
    using Ip = Ipv4L3Protocol;                     //!< the protocol
    using RoutingProtocol = Ipv4RoutingProtocol;   //!< what routes
    using Callbacks = iwarp::RouteInputCallbacks<decltype(&RoutingProtocol::RouteInput)>;
    //!< parameters of RouteInput()

    static constexpr uint32_t ADDRESS_SIZE = 4;    //!< octets of an address
    static constexpr uint32_t HEADER_SIZE = 20;    //!< octets of a header without options
    static constexpr uint8_t PROTOCOL = 4;         //!< next header of a tunnel that carries it
    static constexpr uint8_t ICMP = 1;             //!< protocol of its ICMP
    static constexpr uint32_t MIN_LINK_MTU = 68;   //!< octets that every link takes (RFC 791)
    static constexpr uint32_t MIN_PATH_MTU = 576;  //!< octets that every host takes, in fragments
                                                   //!< if need be (RFC 791): nobody is asked to
                                                   //!< send less
    static constexpr uint16_t ETHER_TYPE = 0x0800; //!< EtherType

    /// Hash of an address, since ns-3's own is deprecated in 3.47, and std::hash new in it
    struct AddressHash
    {
        /// Hash. @param address it @return hash
        std::size_t operator()(const Address& address) const
        {
            return std::hash<uint32_t>()(address.Get());
        }
    };

    /// Get the network that an address is in. @param address it @param mask of the network
    /// @return the network's address
    static Address GetNetwork(const Address& address, const Mask& mask)
    {
        return address.CombineMask(mask);
    }

    /// Get the next layer protocol. @param header it @return number
    static uint8_t GetProtocol(const Header& header)
    {
        return header.GetProtocol();
    }

    /// Say what follows a header. @param header to change @param protocol next layer protocol
    /// @param size octets behind it
    static void SetPayload(Header& header, uint8_t protocol, uint32_t size)
    {
        header.SetProtocol(protocol);
        header.SetPayloadSize(static_cast<uint16_t>(size));
    }

    /// Get the length of the payload. @param header it @return octets behind it, as it says
    static uint32_t GetPayload(const Header& header)
    {
        return header.GetPayloadSize();
    }

    /// Get the type of service. @param header it @return TOS
    static uint8_t GetTos(const Header& header)
    {
        return header.GetTos();
    }

    /// Set the type of service. @param header to change @param tos TOS
    static void SetTos(Header& header, uint8_t tos)
    {
        header.SetTos(tos);
    }

    /// Get the time to live. @param header it @return routers that may still forward it
    static uint8_t GetHops(const Header& header)
    {
        return header.GetTtl();
    }

    /// Set the time to live. @param header to change @param hops time to live
    static void SetHops(Header& header, uint8_t hops)
    {
        header.SetTtl(hops);
    }

    /// Get the flow label. @return 0: there is none
    static uint32_t GetFlowLabel(const Header& /* header */)
    {
        return 0;
    }

    /// Tell whether nobody may divide a datagram. @param header it @return "don't fragment" is set
    static bool IsWhole(const Header& header)
    {
        return header.IsDontFragment();
    }

    /// Have a header be that of no fragment. @param header to change
    static void SetWhole(Header& header)
    {
        header.SetLastFragment();
        header.SetFragmentOffset(0);
    }

    /// Tell whether the next layer's header may follow. @param header it @return false of a
    /// fragment, whose ports may be in another
    static bool HasPorts(const Header& header)
    {
        return header.IsLastFragment() && header.GetFragmentOffset() == 0;
    }

    /// Get the type of service that a socket wants. @param packet that IP has not sent yet
    /// @return TOS
    static uint8_t GetTos(const Packet& packet)
    {
        SocketIpTosTag tag;
        return packet.PeekPacketTag(tag) ? tag.GetTos() : 0;
    }

    /// Have IP forward a packet, which need not be told where it came in. @param forward IP's way
    /// on
    /// @param route of it @param packet behind its header @param header of IP
    static void Forward(const RoutingProtocol::UnicastForwardCallback& forward,
                        const Ptr<const NetDevice>& /* device */,
                        const Ptr<Route>& route,
                        const Ptr<const Packet>& packet,
                        const Header& header)
    {
        forward(route, packet, header);
    }

    /// Make a way on for IP's packets. @param function called with device, route, packet and header
    /// @return it; the device is nullptr
    template <typename F>
    static RoutingProtocol::UnicastForwardCallback MakeForward(F function)
    {
        return iwarp::MakeLambdaCallback<RoutingProtocol::UnicastForwardCallback>(
            [function](Ptr<Route> route, Ptr<const Packet> packet, const Header& header) {
                function(Ptr<const NetDevice>(), route, packet, header);
            });
    }

    /// Heed the "don't fragment" bit, which ns-3's IP does not when it forwards: what is too large
    /// is dropped, and its sender told (RFC 792). @param node that forwards, or what is aggregated
    /// to it @param route of a packet @param packet behind its header @param header of IP
    /// @return it goes on
    static bool MayForward(const Object& node,
                           const Ptr<Route>& route,
                           const Ptr<const Packet>& packet,
                           const Header& header)
    {
        const uint16_t mtu = route->GetOutputDevice()->GetMtu();
        if (!header.IsDontFragment() || packet->GetSize() + header.GetSerializedSize() <= mtu)
        {
            return true;
        }
        node.GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(header, packet, mtu);
        return false;
    }
};

/// @ingroup iwarp-util
/// @brief IPv6 as a template's argument: members as those of Ipv4Traits.
struct Ipv6Traits
{
    using Address = Ipv6Address;                   //!< address
    using Mask = Ipv6Prefix;                       //!< prefix of a network
    using Header = Ipv6Header;                     //!< IP header
    using Route = Ipv6Route;                       //!< route
    using Interface = Ipv6Interface;               //!< interface
    using InterfaceAddress = Ipv6InterfaceAddress; //!< address of an interface
    using Ip = Ipv6L3Protocol;                     //!< the protocol
    using RoutingProtocol = Ipv6RoutingProtocol;   //!< what routes
    using Callbacks = iwarp::RouteInputCallbacks<decltype(&RoutingProtocol::RouteInput)>;
    //!< parameters of RouteInput()

    static constexpr uint32_t ADDRESS_SIZE = 16;   //!< octets of an address
    static constexpr uint32_t HEADER_SIZE = 40;    //!< octets of a header without extensions
    static constexpr uint8_t PROTOCOL = 41;        //!< next header of a tunnel that carries it
    static constexpr uint8_t ICMP = 58;            //!< protocol of its ICMP
    static constexpr uint32_t MIN_LINK_MTU = 1280; //!< octets that every link takes (RFC 8200)
    static constexpr uint32_t MIN_PATH_MTU = 1280; //!< nobody is asked to send less (RFC 8201
                                                   //!< section 4)
    static constexpr uint16_t ETHER_TYPE = 0x86DD; //!< EtherType

    /// Hash of an address
    struct AddressHash
    {
        /// Hash. @param address it @return hash
        std::size_t operator()(const Address& address) const
        {
            std::array<uint8_t, ADDRESS_SIZE> octets;
            address.GetBytes(octets.data());
            std::array<uint64_t, 2> halves;
            std::memcpy(halves.data(), octets.data(), octets.size());
            constexpr uint64_t MULTIPLIER = 0x9E3779B97F4A7C15; // odd, of many ones
            const uint64_t mixed = (halves[0] * MULTIPLIER ^ halves[1]) * MULTIPLIER;
            return static_cast<std::size_t>(mixed ^ mixed >> 32);
        }
    };

    /// Get the network that an address is in. @param address it @param prefix of the network
    /// @return the network's address
    static Address GetNetwork(Address address, const Mask& prefix)
    {
        return address.CombinePrefix(prefix);
    }

    /// Get the next layer protocol. @param header it @return number
    static uint8_t GetProtocol(const Header& header)
    {
        return header.GetNextHeader();
    }

    /// Say what follows a header. @param header to change @param protocol next layer protocol
    /// @param size octets behind it
    static void SetPayload(Header& header, uint8_t protocol, uint32_t size)
    {
        header.SetNextHeader(protocol);
        header.SetPayloadLength(static_cast<uint16_t>(size));
    }

    /// Get the length of the payload. @param header it @return octets behind it, as it says
    static uint32_t GetPayload(const Header& header)
    {
        return header.GetPayloadLength();
    }

    /// Get the traffic class. @param header it @return traffic class
    static uint8_t GetTos(const Header& header)
    {
        return header.GetTrafficClass();
    }

    /// Set the traffic class. @param header to change @param tos traffic class
    static void SetTos(Header& header, uint8_t tos)
    {
        header.SetTrafficClass(tos);
    }

    /// Get the hop limit. @param header it @return routers that may still forward it
    static uint8_t GetHops(const Header& header)
    {
        return header.GetHopLimit();
    }

    /// Set the hop limit. @param header to change @param hops hop limit
    static void SetHops(Header& header, uint8_t hops)
    {
        header.SetHopLimit(hops);
    }

    /// Get the flow label. @param header it @return label, of 20 bits; 0: of no flow (RFC 6437)
    static uint32_t GetFlowLabel(const Header& header)
    {
        return header.GetFlowLabel();
    }

    /// Tell whether nobody may divide a datagram. @return true: only its sender divides it
    static bool IsWhole(const Header& /* header */)
    {
        return true;
    }

    /// Change nothing: what a fragment is, an extension header says
    static void SetWhole(Header& /* header */)
    {
    }

    /// Tell whether the next layer's header may follow. @return true: a fragment has an extension
    /// header, which is not a transport protocol's
    static bool HasPorts(const Header& /* header */)
    {
        return true;
    }

    /// Get the traffic class that a socket wants. @param packet that IP has not sent yet
    /// @return traffic class
    static uint8_t GetTos(const Packet& packet)
    {
        SocketIpv6TclassTag tag;
        return packet.PeekPacketTag(tag) ? tag.GetTclass() : 0;
    }

    /// Have IP forward a packet. @param forward IP's way on @param device where it came in
    /// @param route of it @param packet behind its header @param header of IP
    static void Forward(const RoutingProtocol::UnicastForwardCallback& forward,
                        const Ptr<const NetDevice>& device,
                        const Ptr<Route>& route,
                        const Ptr<const Packet>& packet,
                        const Header& header)
    {
        forward(device, route, packet, header);
    }

    /// Make a way on for IP's packets. @param function called with device, route, packet and header
    /// @return it
    template <typename F>
    static RoutingProtocol::UnicastForwardCallback MakeForward(F function)
    {
        return iwarp::MakeLambdaCallback<RoutingProtocol::UnicastForwardCallback>(
            [function](Ptr<const NetDevice> device,
                       Ptr<Route> route,
                       Ptr<const Packet> packet,
                       const Header& header) { function(device, route, packet, header); });
    }

    /// Tell whether a packet goes on. @return true: IP itself drops what is too large, and tells
    static bool MayForward(const Object& /* node */,
                           const Ptr<Route>& /* route */,
                           const Ptr<const Packet>& /* packet */,
                           const Header& /* header */)
    {
        return true;
    }
};

/// @ingroup iwarp-util
/// @brief Traits of the version of IP that a header is of.
template <typename H>
using IpTraitsOf = std::conditional_t<std::is_same_v<H, Ipv4Header>, Ipv4Traits, Ipv6Traits>;

/// @ingroup iwarp-util
/// @brief Traits of the version of IP that an address is of.
template <typename A>
using IpTraitsOfAddress =
    std::conditional_t<std::is_same_v<A, Ipv4Address>, Ipv4Traits, Ipv6Traits>;

/**
 * @ingroup iwarp-util
 * @brief Ask a node's IP for a route.
 * @tparam V Ipv4Traits or Ipv6Traits
 * @param ip of the node, or nullptr
 * @param destination of a datagram
 * @param device that it is to leave by, or nullptr
 * @return route, or nullptr if there is none
 */
template <typename V>
Ptr<typename V::Route>
FindIpRoute(const typename V::Ip* ip,
            const typename V::Address& destination,
            const Ptr<NetDevice>& device = nullptr)
{
    if (!ip || !ip->GetRoutingProtocol())
    {
        return nullptr;
    }
    typename V::Header header;
    header.SetDestination(destination);
    Socket::SocketErrno error;
    return ip->GetRoutingProtocol()->RouteOutput(nullptr, header, device, error);
}

/**
 * @ingroup iwarp-util
 * @brief Ask a node's IP for the device that leads to a destination.
 * @tparam V Ipv4Traits or Ipv6Traits
 * @param ip of the node, or nullptr
 * @param destination of a datagram
 * @param device that it is to leave by, or nullptr
 * @return device, or nullptr if there is no route
 */
template <typename V>
Ptr<NetDevice>
FindIpDevice(const typename V::Ip* ip,
             const typename V::Address& destination,
             const Ptr<NetDevice>& device = nullptr)
{
    const Ptr<typename V::Route> route = FindIpRoute<V>(ip, destination, device);
    return route ? route->GetOutputDevice() : nullptr;
}

} // namespace ns3

#endif // UTIL_IP_TRAITS_H
