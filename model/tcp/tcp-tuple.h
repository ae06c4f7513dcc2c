/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_TUPLE_H
#define TCP_TUPLE_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Names a connection on its node by addresses and ports. A listener has no peer.
 *
 * A connection over IPv4 is the same whether its socket is one of IPv4, or one of IPv6 with
 * IPv4-mapped addresses.
 */
struct TcpTuple
{
    std::array<uint64_t, 4> address{}; //!< local and peer's, IPv4 in a form that no IPv6 has
    uint32_t ports{0};                 //!< local, then the peer's

    TcpTuple() = default;
    /// Name a connection of an IPv4 socket. @param local address @param localPort port
    /// @param peer address @param peerPort port
    TcpTuple(Ipv4Address local, uint16_t localPort, Ipv4Address peer, uint16_t peerPort);
    /// Name a connection of an IPv6 socket. @param local address @param localPort port
    /// @param peer address @param peerPort port
    TcpTuple(const Ipv6Address& local,
             uint16_t localPort,
             const Ipv6Address& peer,
             uint16_t peerPort);

    /// Compare all addresses and ports. @param other another tuple @return true if they are equal
    bool operator==(const TcpTuple& other) const
    {
        return ports == other.ports && address == other.address;
    }

    /// Spreads tuples over a table.
    struct Hash
    {
        /// Mix addresses and ports into one number. @param tuple a tuple @return its hash
        std::size_t operator()(const TcpTuple& tuple) const;
    };
};

/**
 * @ingroup iwarp-tcp
 * @brief What stands below TCP has to know of a segment's header; options need not be parsed.
 */
struct TcpSegmentHead
{
    uint16_t sourcePort{0};      //!< source port
    uint16_t destinationPort{0}; //!< destination port
    uint32_t seq{0};             //!< sequence number
    uint32_t headerSize{0};      //!< octets of the TCP header, options among them
    uint32_t ack{0};             //!< acknowledgment number
    uint8_t flags{0};            //!< flags, those of ECN among them

    /**
     * @brief Read it.
     * @param packet TCP segment
     * @return false if it is too short to have ports; what is behind them is 0 if it is cut off
     */
    bool Read(const Ptr<const Packet>& packet);

    /// Tell how much payload is behind the header. @param segment octets of the segment
    /// @return octets of its payload, 0 if there is none
    uint32_t GetPayload(uint32_t segment) const
    {
        return segment > headerSize ? segment - headerSize : 0;
    }
};

} // namespace ns3

#endif // TCP_TUPLE_H
