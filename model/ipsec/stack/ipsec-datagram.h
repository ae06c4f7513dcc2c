/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_DATAGRAM_H
#define IPSEC_DATAGRAM_H

#include "ipsec-selector.h"

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"

#include <cstdint>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup iwarp-ipsec
 * What IPsec does with IP headers: pure functions.
 */

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What the outer header of a tunnel over IPv4 says about fragments (RFC 4301 section 8.1).
enum class IpsecDontFragment : uint8_t
{
    COPY,  //!< what the inner one says; that of IPv6 forbids them
    SET,   //!< that there must be none
    CLEAR, //!< that there may be some
};

/// @ingroup iwarp-ipsec
/// @brief Which datagram is divided where one that may be divided does not fit a tunnel.
enum class IpsecFragments : uint8_t
{
    AFTER_ESP,  //!< the outer one: the other end of the tunnel puts it together
    BEFORE_ESP, //!< the inner one: its receiver puts it together
};

/// @ingroup iwarp-ipsec
/// @brief How a datagram goes through a tunnel.
enum class IpsecPassage : uint8_t
{
    WHOLE,            //!< in one packet, which nobody may divide
    DIVISIBLE,        //!< in one packet, which may be divided
    FRAGMENTED_FIRST, //!< in several
    TOO_BIG,          //!< not at all: its sender has to be told
};

/**
 * @ingroup iwarp-ipsec
 * @brief Decide how a datagram goes through a tunnel.
 * @param fits it fits the path, protected
 * @param divisible it may be divided: its own header allows it
 * @param outer what the outer header is to say
 * @param fragments which one is divided where both may be
 * @return how
 */
IpsecPassage PlanIpsecPassage(bool fits,
                              bool divisible,
                              IpsecDontFragment outer,
                              IpsecFragments fragments);

/**
 * @ingroup iwarp-ipsec
 * @brief Read what policies look at.
 * @param source of the IP header
 * @param destination of the IP header
 * @param protocol next layer protocol
 * @param payload behind the IP header; nullptr for a fragment that is not known to have ports
 * @return the flow
 */
IpsecFlow ReadIpsecFlow(const IpsecAddress& source,
                        const IpsecAddress& destination,
                        uint8_t protocol,
                        const Ptr<const Packet>& payload);

/// @ingroup iwarp-ipsec
/// @brief Tell key exchange, which makes associations and cannot wait for one. @param flow of a
/// datagram @return whether it is IKE, over UDP (RFC 4301 section 4.4.1)
bool IsKeyExchange(const IpsecFlow& flow);

/**
 * @ingroup iwarp-ipsec
 * @brief Find what tells a protected flow from others to those who cannot look into ESP: what
 * outer headers show of it, by which routers pick paths (RFC 6438 section 3, RFC 7510 section 3).
 * @param flow of a datagram, with its ports if they are known
 * @param label IPv6 flow label of its header, 0 without one
 * @return a number that spreads well, the same for all datagrams of the flow
 */
uint64_t GetIpsecEntropy(const IpsecFlow& flow, uint32_t label = 0);

/**
 * @ingroup iwarp-ipsec
 * @brief Make the source port of ESP in UDP whose ports tell flows apart.
 * @param entropy of GetIpsecEntropy()
 * @return one of 49152 to 65535, the 14 lowest bits of the number (RFC 7510 section 3)
 */
uint16_t GetIpsecUdpPort(uint64_t entropy);

/**
 * @ingroup iwarp-ipsec
 * @brief Bring what the path has marked from the outer header into the inner one (RFC 6040 section
 * 4.2).
 * @param outer traffic class or TOS of the outer header
 * @param[in,out] inner that of the inner header
 * @return false if the datagram has to be dropped: congestion was met, and its sender would not
 *         know what that is
 */
bool CopyIpsecEcn(uint8_t outer, uint8_t& inner);

/**
 * @ingroup iwarp-ipsec
 * @brief Bring what the path has marked from fragments into their datagram (RFC 3168 section 5.3).
 * @param fragments traffic classes or TOS of all of them
 * @param[in,out] tos that of the datagram
 * @return false if the datagram has to be dropped: congestion was met, and a fragment says that its
 *         sender would not know what that is
 */
bool MergeIpsecEcn(const std::vector<uint8_t>& fragments, uint8_t& tos);

/**
 * @ingroup iwarp-ipsec
 * @brief Divide an IPv4 datagram (RFC 791).
 * @param header its header, without options; it may be a fragment itself
 * @param payload behind that
 * @param mtu octets of the largest piece, at least 28
 * @return headers and payloads of the pieces, in order
 */
std::vector<std::pair<Ipv4Header, Ptr<Packet>>> DivideIpv4(const Ipv4Header& header,
                                                           const Ptr<const Packet>& payload,
                                                           uint32_t mtu);

} // namespace ns3

#endif // IPSEC_DATAGRAM_H
