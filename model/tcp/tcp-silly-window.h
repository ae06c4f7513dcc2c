/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SILLY_WINDOW_H
#define TCP_SILLY_WINDOW_H

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-tcp
/// @brief What TCP allows for the next segment.
struct TcpSendAllowance
{
    uint32_t limit{0};      //!< most octets of the segment
    uint32_t window{0};     //!< octets that may be sent, congestion window included
    uint32_t offered{0};    //!< receive window, octets
    uint32_t widest{0};     //!< widest receive window that the peer has offered, octets
    uint32_t unsent{0};     //!< octets that wait, this segment's included
    bool idle{false};       //!< nothing is in flight, so that no ACK will widen the window
    bool overridden{false}; //!< the window has been too narrow for long enough (RFC 9293 3.8.6.2.1)
};

/// @ingroup iwarp-tcp
/// @brief What is to be sent now.
struct TcpSegmentChoice
{
    uint32_t size{0};        //!< octets; 0 to wait for a wider window
    uint32_t wanted{0};      //!< octets if no window were in the way
    bool mayOverride{false}; //!< only a timer can end the wait
};

/**
 * @ingroup iwarp-tcp
 * @brief Tell whether a narrow window is to be filled (RFC 9293 section 3.8.6.2.1): while nothing
 * is in flight, if it is half the widest one that the peer has offered, if the peer offers more
 * than the congestion window takes, or if a timer has run out.
 * @param allowance what TCP allows
 * @return true to send what fits the window
 */
bool TcpFillsNarrowWindow(const TcpSendAllowance& allowance);

/**
 * @ingroup iwarp-tcp
 * @brief Choose the next segment of a stream: as long as possible, or none while the window is
 * narrower than a segment and than what waits.
 * @param full octets of a full segment
 * @param allowance what TCP allows
 * @return the segment
 */
TcpSegmentChoice TcpChooseSegment(uint32_t full, const TcpSendAllowance& allowance);

} // namespace ns3

#endif // TCP_SILLY_WINDOW_H
