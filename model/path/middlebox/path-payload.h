/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PAYLOAD_H
#define PATH_PAYLOAD_H

#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Where the payload lies in a packet of a link: that of a TCP segment, or of ESP (RFC 4303),
 * in UDP or not (RFC 3948).
 */
struct PathPayload
{
    static constexpr uint32_t HEAD = 14 + 60 + 60; //!< octets that tell, at most

    uint32_t tcp{0};   //!< first octet of TCP's header; 0: it is ESP
    uint32_t begin{0}; //!< first octet of the payload, with ESP of what stands behind the number
    uint32_t end{0};   //!< behind the last, with ESP that of the ICV

    /**
     * @brief Find it behind PPP's or Ethernet's header or none, and IPv4's or IPv6's.
     * @param octets first HEAD octets of the packet, or all that it has
     * @param known how many
     * @param size of the packet
     * @return false if it is neither TCP nor ESP, or a fragment that is not the first
     */
    bool Find(const uint8_t* octets, uint32_t known, uint32_t size);

    /**
     * @brief Keep TCP's checksum right where an octet of the payload changes (RFC 1624).
     * @param checksum as it is; 0 stands for none
     * @param at octet that changes, from the packet's start
     * @param before its value
     * @param now its new value
     * @return the checksum for that
     */
    uint16_t UpdateChecksum(uint16_t checksum, uint32_t at, uint8_t before, uint8_t now) const;

    /**
     * @brief Change bits of the payload of a packet, and TCP's checksum so that it stays right.
     * @param packet in which this was found
     * @param bits those to change, counted from the payload's first on, ascending; at least one
     */
    void FlipBits(const Ptr<Packet>& packet, const std::vector<uint64_t>& bits) const;

    /**
     * @brief Tell whether a datagram belongs to key exchange: UDP with port 500, or with port 4500
     * and the four octets of 0 that tell it from ESP (RFC 7296 section 2, RFC 3948 section 2.2).
     * @param octets first ones of an IP datagram
     * @param known how many
     * @return so
     */
    static bool IsKeyExchange(const uint8_t* octets, uint32_t known);
};

} // namespace ns3

#endif // PATH_PAYLOAD_H
