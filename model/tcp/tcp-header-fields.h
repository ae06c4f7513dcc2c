/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_HEADER_FIELDS_H
#define TCP_HEADER_FIELDS_H

#include "ns3/tcp-header.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Fields of a TCP header, read and written without an object for each option.
 *
 * TcpHeader makes its options by TypeId, which is the dearest part of receiving and sending a
 * segment. Nearly all segments of a connection have no option but timestamps.
 */
struct TcpHeaderFields
{
    static constexpr uint32_t SHORT = 20; //!< octets of a header without options
    static constexpr uint32_t LONG = 32;  //!< octets of one with timestamps

    uint16_t source{0};      //!< source port
    uint16_t destination{0}; //!< destination port
    uint32_t seq{0};         //!< sequence number
    uint32_t ack{0};         //!< acknowledgment number
    uint8_t flags{0};        //!< flags
    uint16_t window{0};      //!< window, not scaled
    uint32_t size{0};        //!< octets of the header, options included
    bool plain{false};       //!< it has no options but perhaps timestamps
    bool timestamps{false};  //!< it has timestamps, if it is plain
    uint32_t timestamp{0};   //!< TSval (RFC 7323)
    uint32_t echo{0};        //!< TSecr

    /**
     * @brief Read a header.
     * @param octets first octets of the segment
     * @param available how many there are; LONG are enough
     * @return false if it is malformed
     */
    bool Read(const uint8_t* octets, uint32_t available);

    /// Write a header without checksum, whose options are its timestamps. @param octets room for
    /// `size`, which is SHORT, or LONG with timestamps
    void Write(uint8_t* octets) const;

    TcpHeader ToHeader() const; //!< Make a header. @return one without options
};

} // namespace ns3

#endif // TCP_HEADER_FIELDS_H
