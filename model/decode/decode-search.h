/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_SEARCH_H
#define DECODE_SEARCH_H

#include "ns3/mpa-fpdu.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief Where FPDUs begin in the midst of a stream.
struct DecodeSync
{
    bool found{false};      //!< something was found
    bool proved{false};     //!< Markers are there, or would have to be if they were in use
    uint32_t at{0};         //!< octets to skip
    uint32_t position{0};   //!< position of the FPDU's first octet (see mpa-marker.h)
    mpa::FpduFormat format; //!< Markers and CRC
    uint8_t version{1};     //!< DV and RV: 1, or 0
};

/**
 * @ingroup iwarp-decode
 * @brief Find where FPDUs begin in a segment of a stream that is known to carry them.
 *
 * With CRCs, the first FPDU that is whole, has a good CRC and holds a DDP segment of RDMAP serves,
 * wherever it lies. Without, the segment has to hold whole FPDUs of such segments and nothing else.
 * Of a segment captured in part it is enough if one FPDU would fill it.
 * @param data octets of a segment
 * @param size how many were captured
 * @param length how many there were
 * @param position position of the first octet
 * @param format Markers and CRC
 * @param version DV and RV
 * @return what was found
 */
DecodeSync DecodeResume(const uint8_t* data,
                        uint32_t size,
                        uint32_t length,
                        uint32_t position,
                        const mpa::FpduFormat& format,
                        uint8_t version);

/**
 * @ingroup iwarp-decode
 * @brief Find FPDUs in a segment of which nothing is known, not even whether it belongs to MPA.
 *
 * The segment has to begin with an FPDU. With Markers only FPDUs with CRCs are found; those of the
 * RDMA Consortium's version 0 have both (RFC 5044 section C.1).
 * @param data octets of a segment
 * @param size how many
 * @param markers there are Markers, or else nothing is known of them
 * @return what was found, Markers and CRC with it
 */
DecodeSync DecodeGuess(const uint8_t* data, uint32_t size, bool markers);

} // namespace ns3

#endif // DECODE_SEARCH_H
