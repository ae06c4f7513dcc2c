/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_VERSION_H
#define IPSEC_VERSION_H

#include "ipsec-address.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/socket.h"

#include <cstdint>
#include <type_traits>

/**
 * @file
 * @ingroup iwarp-ipsec
 * What differs between the versions of IP for IpsecStack, so that its ways are written once.
 */

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief IPv4 as IpsecStack sees it.
struct IpsecIpv4
{
    using Address = Ipv4Address;            //!< address
    using Header = Ipv4Header;              //!< IP header
    using Route = Ipv4Route;                //!< route
    using Interface = Ipv4Interface;        //!< interface
    using Ip = Ipv4L3Protocol;              //!< the protocol
    static constexpr uint32_t HEADER = 20;  //!< octets of a header without options
    static constexpr uint8_t NUMBER = 4;    //!< next header of a tunnel that carries it
    static constexpr uint8_t ICMP = 1;      //!< protocol of its ICMP
    static constexpr uint32_t LEAST = 68;   //!< octets that every link takes (RFC 791)
    static constexpr uint32_t FLOOR = 576;  //!< octets that every host takes, in fragments if need
                                            //!< be (RFC 791): nobody is asked to send less
    static constexpr uint16_t TYPE = 0x800; //!< EtherType

    /// @param header it @return its next layer protocol
    static uint8_t GetProtocol(const Header& header)
    {
        return header.GetProtocol();
    }

    /// @param header to change @param protocol next layer protocol @param size octets behind it
    static void SetPayload(Header& header, uint8_t protocol, uint32_t size)
    {
        header.SetProtocol(protocol);
        header.SetPayloadSize(static_cast<uint16_t>(size));
    }

    /// @param header it @return octets behind it, as it says
    static uint32_t GetPayload(const Header& header)
    {
        return header.GetPayloadSize();
    }

    /// @param header it @return TOS
    static uint8_t GetTos(const Header& header)
    {
        return header.GetTos();
    }

    /// @param header to change @param tos TOS
    static void SetTos(Header& header, uint8_t tos)
    {
        header.SetTos(tos);
    }

    /// @param header it @return time to live
    static uint8_t GetHops(const Header& header)
    {
        return header.GetTtl();
    }

    /// @param header to change @param hops time to live
    static void SetHops(Header& header, uint8_t hops)
    {
        header.SetTtl(hops);
    }

    /// @param header it @return nobody may divide it
    static bool IsWhole(const Header& header)
    {
        return header.IsDontFragment();
    }

    /// @param header to change: it is that of no fragment
    static void SetWhole(Header& header)
    {
        header.SetLastFragment();
        header.SetFragmentOffset(0);
    }

    /// @param packet that IP has not sent yet @return TOS that its socket wants
    static uint8_t GetTos(const Packet& packet)
    {
        SocketIpTosTag tag;
        return packet.PeekPacketTag(tag) ? tag.GetTos() : 0;
    }
};

/// @ingroup iwarp-ipsec
/// @brief IPv6 as IpsecStack sees it.
struct IpsecIpv6
{
    using Address = Ipv6Address;             //!< address
    using Header = Ipv6Header;               //!< IP header
    using Route = Ipv6Route;                 //!< route
    using Interface = Ipv6Interface;         //!< interface
    using Ip = Ipv6L3Protocol;               //!< the protocol
    static constexpr uint32_t HEADER = 40;   //!< octets of a header without extensions
    static constexpr uint8_t NUMBER = 41;    //!< next header of a tunnel that carries it
    static constexpr uint8_t ICMP = 58;      //!< protocol of its ICMP
    static constexpr uint32_t LEAST = 1280;  //!< octets that every link takes (RFC 8200)
    static constexpr uint32_t FLOOR = 1280;  //!< nobody is asked to send less (RFC 8201 section 4)
    static constexpr uint16_t TYPE = 0x86DD; //!< EtherType

    /// @param header it @return its next layer protocol
    static uint8_t GetProtocol(const Header& header)
    {
        return header.GetNextHeader();
    }

    /// @param header to change @param protocol next layer protocol @param size octets behind it
    static void SetPayload(Header& header, uint8_t protocol, uint32_t size)
    {
        header.SetNextHeader(protocol);
        header.SetPayloadLength(static_cast<uint16_t>(size));
    }

    /// @param header it @return octets behind it, as it says
    static uint32_t GetPayload(const Header& header)
    {
        return header.GetPayloadLength();
    }

    /// @param header it @return traffic class
    static uint8_t GetTos(const Header& header)
    {
        return header.GetTrafficClass();
    }

    /// @param header to change @param tos traffic class
    static void SetTos(Header& header, uint8_t tos)
    {
        header.SetTrafficClass(tos);
    }

    /// @param header it @return hop limit
    static uint8_t GetHops(const Header& header)
    {
        return header.GetHopLimit();
    }

    /// @param header to change @param hops hop limit
    static void SetHops(Header& header, uint8_t hops)
    {
        header.SetHopLimit(hops);
    }

    /// @return true: only its sender divides it
    static bool IsWhole(const Header& /* header */)
    {
        return true;
    }

    /// Change nothing: what a fragment is, an extension header says
    static void SetWhole(Header& /* header */)
    {
    }

    /// @param packet that IP has not sent yet @return traffic class that its socket wants
    static uint8_t GetTos(const Packet& packet)
    {
        SocketIpv6TclassTag tag;
        return packet.PeekPacketTag(tag) ? tag.GetTclass() : 0;
    }
};

/// @ingroup iwarp-ipsec
/// @brief The version of IP that a header is of.
template <typename H>
using IpsecVersionOf = std::conditional_t<std::is_same_v<H, Ipv4Header>, IpsecIpv4, IpsecIpv6>;

} // namespace ns3

#endif // IPSEC_VERSION_H
