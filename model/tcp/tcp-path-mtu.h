/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PATH_MTU_H
#define TCP_PATH_MTU_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief What the size of TCP segments follows from: MTU of route and path, headers, and the peer
 * (RFC 1191, RFC 6691, RFC 5044 sections 5.1 and 9.1).
 */
struct TcpPathMtu
{
    uint32_t routeMtu{0};    //!< MTU of the route's device in octets; 0 if no route is known
    uint32_t pathMtu{0};     //!< MTU of the path in octets; 0 if it is the route's
    uint32_t ipHeader{20};   //!< octets of an IP header
    uint32_t overhead{0};    //!< octets that ESP and the like add to each segment
    uint32_t peerMss{65535}; //!< MSS that the peer takes, octets
    uint32_t limit{65535};   //!< most octets that the EMSS may be

    /// Find the MTU that counts. @return octets, 0 if no route is known
    uint32_t GetMtu() const;

    /// Find what is around the payload. @param timestamps there is the timestamps option
    /// @return octets of headers and options, and of what is added below
    uint32_t GetHeaders(bool timestamps) const;

    /**
     * @brief Find what a segment takes.
     * @param timestamps it carries the timestamps option
     * @return EMSS in octets, at least 1; 0 if no route is known
     */
    uint32_t GetEmss(bool timestamps) const;

    /// Find what the MSS option is to say. @return MSS to tell the peer, octets: what the route
    /// takes without options, at least 1
    uint16_t GetMss() const;

    /**
     * @brief Learn from an ICMP message, which never makes a path wider.
     * @param mtu next-hop MTU in octets
     * @return false if it tells nothing new
     */
    bool Narrow(uint32_t mtu);
};

} // namespace ns3

#endif // TCP_PATH_MTU_H
