/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_MARKER_H
#define MPA_MARKER_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Position arithmetic of Markers (RFC 5044 sections 4.2 and 4.3), pure functions.
 *
 * A @e position is a TCP sequence number less SeqStart, the sequence number of the first Marker
 * of that half connection, modulo 2^32. Since 2^32 is a multiple of 512, Marker positions survive
 * the wrap. FPDUs start at positions that are multiples of 4.
 */
namespace mpa
{

constexpr uint32_t MARKER_INTERVAL = 512; //!< stream octets from one Marker to the next
constexpr uint32_t MARKER_SIZE = 4;       //!< octets of a Marker

/**
 * @brief Find the way to the next Marker.
 * @param position any position
 * @return octets from @p position to the next Marker position, 0 if it is one (0..511)
 */
constexpr uint32_t
DistanceToMarker(uint32_t position)
{
    return (MARKER_INTERVAL - position % MARKER_INTERVAL) % MARKER_INTERVAL;
}

/**
 * @brief Count the Markers of an FPDU.
 * @param position position of the FPDU's first octet (the leading Marker if there is one)
 * @param baseSize octets of the FPDU without Markers: length field, ULPDU, pad and CRC
 * @return number of Markers that belong to the FPDU, a leading one included
 */
constexpr uint32_t
MarkersInFpdu(uint32_t position, uint32_t baseSize)
{
    const uint32_t d = DistanceToMarker(position);
    return baseSize <= d ? 0 : 1 + (baseSize - d - 1) / (MARKER_INTERVAL - MARKER_SIZE);
}

/**
 * @brief Clear the reserved bits of a Marker's pointer.
 * @param fpduptr FPDUPTR field as received
 * @return the field with its two reserved low bits masked, as arithmetic wants it
 */
constexpr uint16_t
MaskFpduPtr(uint16_t fpduptr)
{
    return fpduptr & 0xFFFC;
}

/**
 * @brief Find the FPDU that a Marker points to.
 * @param markerPosition position of a Marker's first octet
 * @param fpduptr its FPDUPTR field as received
 * @return position of the ULPDU_Length field that the Marker points to: right behind the Marker
 *         if the pointer is 0, else the pointer's distance back, modulo 2^32
 */
constexpr uint32_t
HeaderPosition(uint32_t markerPosition, uint16_t fpduptr)
{
    const uint16_t p = MaskFpduPtr(fpduptr);
    return p == 0 ? markerPosition + MARKER_SIZE : markerPosition - p;
}

} // namespace mpa
} // namespace ns3

#endif // MPA_MARKER_H
