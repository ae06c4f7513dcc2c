/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_FRAMING_H
#define PATH_FRAMING_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief What a link puts around an IP datagram, and so what a datagram costs it.
 */
enum class PathFraming : uint8_t
{
    ETHERNET, //!< preamble, header, FCS, inter-frame gap, and at least 64 octets (IEEE 802.3)
    PPP,      //!< the 2 octets of PPP that ns-3's point-to-point devices send
};

/// What a datagram costs a link.
namespace framing
{

constexpr uint32_t PPP_HEADER = 2;        //!< octets that ns-3 puts before a datagram
constexpr uint32_t ETHERNET_PREAMBLE = 8; //!< octets of preamble and start of frame
constexpr uint32_t ETHERNET_HEADER = 14;  //!< octets of addresses and EtherType
constexpr uint32_t ETHERNET_FCS = 4;      //!< octets of the frame check sequence
constexpr uint32_t ETHERNET_GAP = 12;     //!< octet times between frames
constexpr uint32_t ETHERNET_LEAST = 64;   //!< octets of the shortest frame, header to FCS

/**
 * @brief Tell what an adapter has of a datagram: the frame in its memory.
 * @param framing of the link
 * @param datagram octets of the IP datagram
 * @return octets from the header to the last of the frame
 */
constexpr uint32_t
GetFrameOctets(PathFraming framing, uint32_t datagram)
{
    return framing == PathFraming::PPP
               ? PPP_HEADER + datagram
               : std::max(ETHERNET_HEADER + datagram + ETHERNET_FCS, ETHERNET_LEAST);
}

/**
 * @brief Tell what a datagram has sent until its receiver has all of it.
 * @param framing of the link
 * @param datagram octets of the IP datagram
 * @return octets from the first of the preamble to the last of the frame
 */
constexpr uint32_t
GetSentOctets(PathFraming framing, uint32_t datagram)
{
    return GetFrameOctets(framing, datagram) +
           (framing == PathFraming::PPP ? 0 : ETHERNET_PREAMBLE);
}

/**
 * @brief Tell for how long a datagram takes the link.
 * @param framing of the link
 * @param datagram octets of the IP datagram
 * @return octet times from the start of its frame to the earliest start of the next
 */
constexpr uint32_t
GetWireOctets(PathFraming framing, uint32_t datagram)
{
    return GetSentOctets(framing, datagram) + (framing == PathFraming::PPP ? 0 : ETHERNET_GAP);
}

} // namespace framing
} // namespace ns3

#endif // PATH_FRAMING_H
