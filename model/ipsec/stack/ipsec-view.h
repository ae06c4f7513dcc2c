/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_VIEW_H
#define IPSEC_VIEW_H

#include "ipsec-selector.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/packet.h"

#include <cstdint>
#include <optional>

/**
 * @file
 * @ingroup iwarp-ipsec
 * What policies see of datagrams, of fragments and of what ICMP messages quote: pure functions.
 */

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief A datagram as policies see it, behind IPv6's extension headers (RFC 4301 section
/// 4.4.1.1).
struct IpsecView
{
    IpsecFlow flow;             //!< of it; a fragment behind the first shows no ports
    bool fragment{false};       //!< it is a fragment
    bool more{false};           //!< others follow
    uint32_t offset{0};         //!< where it belongs in its datagram, octets
    uint32_t identification{0}; //!< which fragments share
    uint32_t payload{0};        //!< where the next layer begins, octets behind the IP header

    /// Tell whether ports are where they have to be. @return false if the protocol has ports and
    /// they are not to be seen
    bool ShowsPorts() const;
};

/// @ingroup iwarp-ipsec
/// @brief Look at a datagram. @param header of IP @param packet behind it @return what is seen
IpsecView ReadIpsecView(const Ipv4Header& header, const Ptr<const Packet>& packet);

/// @ingroup iwarp-ipsec
/// @brief As above, for IPv6. @param header of IP @param packet behind it @return what is seen
IpsecView ReadIpsecView(const Ipv6Header& header, const Ptr<const Packet>& packet);

/// @ingroup iwarp-ipsec
/// @brief What an ICMP error message says (RFC 792, RFC 4443).
struct IpsecIcmpError
{
    IpsecFlow flow;              //!< of the datagram in question
    std::optional<uint32_t> spi; //!< its SPI, if it is ESP
    std::optional<uint32_t> mtu; //!< what a path takes, if the datagram was too big, octets
};

/// @ingroup iwarp-ipsec
/// @brief Look at an ICMP message. @param protocol of IP @param message behind the IP header
/// @return what it says; none if it is no error message, or quotes too little to tell
std::optional<IpsecIcmpError> ReadIpsecIcmpError(uint8_t protocol,
                                                 const Ptr<const Packet>& message);

/// @ingroup iwarp-ipsec
/// @brief Tell neighbour discovery (RFC 4861), which finds those whom associations are made with.
/// @param protocol of IP @param message behind the IP header @return it is
bool IsNeighbourDiscovery(uint8_t protocol, const Ptr<const Packet>& message);

/// @ingroup iwarp-ipsec
/// @brief Tell ICMPv6 redirects, which are of neighbour discovery and quote a datagram.
/// @param protocol of IP @param message behind the IP header @return it is one
bool IsIpv6Redirect(uint8_t protocol, const Ptr<const Packet>& message);

} // namespace ns3

#endif // IPSEC_VIEW_H
