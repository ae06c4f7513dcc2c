/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_FORGERY_H
#define PATH_FORGERY_H

#include "path-tcp-segment.h"

#include <array>
#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-path
 * Datagrams that somebody on the path makes of one that he sees. Nothing here draws or sends.
 */

namespace ns3
{

/// @ingroup iwarp-path
/// @brief Octets of an IP datagram, its header first.
using PathOctets = std::vector<uint8_t>;

/// @ingroup iwarp-path
/// @brief What an ICMP error says.
struct PathIcmpError
{
    uint8_t type{0};  //!< of ICMP or ICMPv6
    uint8_t code{0};  //!< of that type
    uint32_t info{0}; //!< second word of the message, such as the MTU

    /// Say that a datagram is too large (RFC 1191 section 4, RFC 4443 section 3.2). @param ipv6
    /// version of IP @param mtu octets of a datagram that would fit; of IPv4 16 bits
    /// @return what the message says
    static PathIcmpError TooBig(bool ipv6, uint32_t mtu);

    /**
     * @brief Say that a port or protocol cannot be reached, which RFC 1122 section 4.2.3.9 has as
     * hard errors and RFC 5927 section 5.2 asks hosts to survive.
     * @param ipv6 version of IP
     * @param which 0 or 1: of IPv4 protocol and port unreachable (RFC 792), of IPv6
     * administratively prohibited (RFC 4443 section 3.1), and an unknown next header (section 3.4)
     * @return what the message says
     */
    static PathIcmpError Unreachable(bool ipv6, uint32_t which);
};

/// @ingroup iwarp-path
/// @brief Tell whether a datagram is IPv6's. @param octets of it, at least one @return so
bool IsPathIpv6(const PathOctets& octets);

/**
 * @ingroup iwarp-path
 * @brief Make an ICMP error about a datagram, from where that goes to where it came from.
 *
 * It quotes of IPv4 the header and 8 octets (RFC 792), of IPv6 as much as a datagram of 1280 octets
 * holds (RFC 4443 section 2.4), and has right checksums.
 *
 * @param about the datagram, or its beginning; with 8 octets of the next header at least
 * @param error what the message says
 * @return the message
 */
PathOctets MakePathIcmp(const PathOctets& about, const PathIcmpError& error);

/**
 * @ingroup iwarp-path
 * @brief Replace the number that one has to guess who does not see packets: TCP's sequence number,
 * or the SPI of ESP.
 * @param octets of a datagram
 * @param number guessed
 * @return whether it was TCP, ESP, or ESP in UDP
 */
bool GuessPathNumber(PathOctets& octets, uint32_t number);

/// @ingroup iwarp-path
/// @brief Make a reset for the receiver of a segment. @param about a segment @param seq of the
/// reset @return RST without acknowledgment, with the options of the segment
PathTcpSegment MakePathReset(const PathTcpSegment& about, uint32_t seq);

/// @ingroup iwarp-path
/// @brief Make a segment of data for the receiver of another. @param about that @param seq of the
/// first octet @param payload octets @return it, with ACK and PSH
PathTcpSegment MakePathData(const PathTcpSegment& about, uint32_t seq, const PathOctets& payload);

/**
 * @ingroup iwarp-path
 * @brief Make a reset for who receives a datagram of which addresses are all that can be read.
 * @param about a datagram
 * @param ports source and destination, and @param seq number, which somebody has guessed
 * @return RST with right checksums
 */
PathOctets MakePathBlindReset(const PathOctets& about,
                              const std::array<uint16_t, 2>& ports,
                              uint32_t seq);

/**
 * @ingroup iwarp-path
 * @brief Make a packet of ESP that nobody has protected. @param about one of ESP, in UDP or not
 * @param ahead by how much its number is ahead of that one's @param payload octets behind the
 * number; as many as @p about has there
 * @return packet; empty if @p about is no ESP
 */
PathOctets MakePathEsp(const PathOctets& about, uint32_t ahead, const PathOctets& payload);

/**
 * @ingroup iwarp-path
 * @brief Cut a datagram of IPv4 in two, or a fragment of one, though it should not be
 * (RFC 791 section 3.2).
 * @param datagram whole, with right lengths
 * @return two fragments, the first of them with half of the payload, a multiple of 8 octets; none
 * if it is IPv6's, or has not 16 octets of payload
 */
std::vector<PathOctets> CutPathDatagram(const PathOctets& datagram);

/// @ingroup iwarp-path
/// @brief Give a fragment of IPv4 octets of another datagram, those at the same place of its
/// payload, as far as it has some. @param fragment of one datagram @param other datagram
/// @return fragment of the same size
PathOctets MixPathFragment(PathOctets fragment, const PathOctets& other);

} // namespace ns3

#endif // PATH_FORGERY_H
