/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_PACKET_H
#define DECODE_PACKET_H

#include "decode-capture.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

constexpr uint8_t DECODE_TCP = 6; //!< IP protocol of TCP

/// @ingroup iwarp-decode
/// @brief One end of a TCP connection.
struct DecodeEndpoint
{
    std::array<uint8_t, 16> address{}; //!< IPv6, or IPv4 in the first four octets
    bool ipv6{false};                  //!< which of them
    uint16_t port{0};                  //!< TCP port

    /// Write it as text. @return "10.0.0.1:4000" or "[fe80::1]:4000"
    std::string ToString() const;
};

/// Compare two ends. @param a one end @param b another @return true if they are the same
bool operator==(const DecodeEndpoint& a, const DecodeEndpoint& b);

/// @ingroup iwarp-decode
/// @brief A TCP segment found in a frame.
struct DecodeSegment
{
    static constexpr uint8_t FIN = 0x01; //!< in @ref flags
    static constexpr uint8_t SYN = 0x02; //!< in @ref flags
    static constexpr uint8_t RST = 0x04; //!< in @ref flags
    static constexpr uint8_t ACK = 0x10; //!< in @ref flags

    DecodeEndpoint from;             //!< sender
    DecodeEndpoint to;               //!< receiver
    uint32_t seq{0};                 //!< sequence number
    uint32_t ack{0};                 //!< acknowledgment number
    uint8_t flags{0};                //!< control bits
    const uint8_t* data{nullptr};    //!< payload
    uint32_t size{0};                //!< octets of it that were captured
    uint32_t length{0};              //!< octets that it had
    uint16_t window{0};              //!< Window field, not scaled
    uint8_t ecn{0};                  //!< ECN field of the IP header that is next to it
    uint16_t id{0};                  //!< Identification of the datagram; 0 with IPv6
    const uint8_t* options{nullptr}; //!< TCP options
    uint32_t optionsSize{0};         //!< their octets
    bool checksumBad{false}; //!< the checksum is wrong; one that is 0, or that an adapter was to
                             //!< complete, or of a frame captured in part, is not
};

/// @ingroup iwarp-decode
/// @brief What IP carries that may hold a TCP segment, or part of one: a fragment, or an ESP
/// packet.
struct DecodeFragment
{
    DecodeEndpoint from;          //!< sender, without a port
    DecodeEndpoint to;            //!< receiver, without a port
    uint8_t protocol{0};          //!< IP protocol of the datagram: TCP, UDP or ESP
    uint32_t id{0};               //!< Identification
    uint32_t offset{0};           //!< place of its first octet in the datagram
    bool more{false};             //!< it is not the last
    const uint8_t* data{nullptr}; //!< what it has of the datagram
    uint32_t size{0};             //!< octets of that which were captured
    uint32_t length{0};           //!< octets that it had
};

/// @ingroup iwarp-decode
/// @brief What a frame holds.
enum class DecodePacketKind : uint8_t
{
    TCP,         //!< a TCP segment
    OTHER,       //!< something else, or headers that were not captured
    FRAGMENT,    //!< an IP fragment, see DecodeFragment
    ESP,         //!< an ESP packet, in UDP or not (RFC 3948), see DecodeFragment
    UNSUPPORTED, //!< the link type is not known here
};

/**
 * @ingroup iwarp-decode
 * @param linkType LINKTYPE_ value
 * @return true if DecodePacket() knows it
 */
bool DecodeIsSupported(uint32_t linkType);

/**
 * @ingroup iwarp-decode
 * @brief Find the TCP segment in a frame: Ethernet (with VLAN tags or LLC), PPP, Linux "cooked"
 * frames of both kinds, BSD loopback, or IP alone; IPv4 or IPv6.
 *
 * A length of 0 in the IP header is left to an adapter that cuts the packet up: then the length is
 * that of the frame, up to what Linux hands to one (GSO_MAX_SIZE).
 * @param frame the frame
 * @param[out] segment filled if the result is TCP
 * @param[out] fragment filled if the result is FRAGMENT or ESP
 * @return what the frame holds
 */
DecodePacketKind DecodePacket(const DecodeFrame& frame,
                              DecodeSegment& segment,
                              DecodeFragment& fragment);

/**
 * @ingroup iwarp-decode
 * @brief Find the TCP segment in what IP or ESP carries.
 * @param protocol what it is: TCP, UDP, ESP, or IPv4 or IPv6 in a tunnel
 * @param carrier has the addresses of the datagram that carries it
 * @param data its octets
 * @param size how many
 * @param[out] segment filled if the result is TCP
 * @param[out] fragment filled if the result is FRAGMENT or ESP; may be @p carrier
 * @return what it holds
 */
DecodePacketKind DecodePayload(uint8_t protocol,
                               const DecodeFragment& carrier,
                               const uint8_t* data,
                               uint32_t size,
                               DecodeSegment& segment,
                               DecodeFragment& fragment);

} // namespace ns3

#endif // DECODE_PACKET_H
