/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_ERROR_H
#define MPA_ERROR_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Error codes that MPA reports to the layer above (RFC 5044 section 8, RFC 6581 section 8).
 *
 * In an RDMAP Terminate they stand with layer 2 and error type 0.
 */
enum class MpaError : uint8_t
{
    NONE = 0,               //!< no error
    CONNECTION_LOST = 1,    //!< TCP connection closed, lost or reset
    CRC = 2,                //!< received CRC and computed CRC differ
    MARKER = 3,             //!< CRC is good, but a Marker and the length chain disagree
    INVALID_STARTUP = 4,    //!< invalid Request or Reply Frame
    LOCAL_CATASTROPHIC = 5, //!< local error that has no code of its own
    INSUFFICIENT_IRD = 6,   //!< no resources for the inbound reads that the peer wants
    NO_RTR = 7,             //!< no ready-to-receive indication that both ends know
};

} // namespace ns3

#endif // MPA_ERROR_H
