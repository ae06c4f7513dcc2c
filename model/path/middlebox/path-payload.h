/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PAYLOAD_H
#define PATH_PAYLOAD_H

#include <cstdint>

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
};

} // namespace ns3

#endif // PATH_PAYLOAD_H
