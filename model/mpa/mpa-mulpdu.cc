/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-mulpdu.h"

#include "mpa-fpdu.h"

#include <algorithm>

namespace ns3
{
namespace mpa
{

namespace
{

constexpr uint32_t FRAMING =
    LENGTH_SIZE + CRC_SIZE; //!< octets of an FPDU besides ULPDU, pad, Markers

/// @param room octets @param overhead octets @return what is left of the room, not below 0
uint32_t
Rest(uint32_t room, uint32_t overhead)
{
    return room > overhead ? room - overhead : 0;
}

} // namespace

uint32_t
Mulpdu(uint32_t emss, bool markers)
{
    const uint32_t intervals = emss / MARKER_INTERVAL + (emss % MARKER_INTERVAL != 0 ? 1 : 0);
    const uint32_t overhead = FRAMING + (markers ? MARKER_SIZE * intervals : 0) + emss % 4;
    return std::clamp(Rest(emss, overhead), MIN_MULPDU, MAX_ULPDU);
}

uint32_t
OfferedMulpdu(uint32_t emss, uint32_t room, uint32_t position, bool markers)
{
    const uint32_t whole = Mulpdu(emss, markers);
    const uint32_t octets = room - room % 4;
    uint32_t inside = 0; // Markers that fall into the room
    if (markers && octets > DistanceToMarker(position))
    {
        inside = 1 + (octets - DistanceToMarker(position) - 1) / MARKER_INTERVAL;
    }
    const uint32_t fits = Rest(octets, FRAMING + MARKER_SIZE * inside);
    return fits >= MIN_MULPDU ? std::min(fits, whole) : whole;
}

} // namespace mpa
} // namespace ns3
