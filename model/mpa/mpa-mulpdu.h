/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_MULPDU_H
#define MPA_MULPDU_H

#include <cstdint>

namespace ns3
{
namespace mpa
{

/**
 * @brief Largest ULPDU whose FPDU fits a segment wherever it starts (RFC 5044 section 4.5).
 * @param emss effective maximum segment size, octets of TCP payload
 * @param markers whether Markers are in use in the sending direction
 * @return MULPDU in octets, always 128..64768
 */
uint32_t Mulpdu(uint32_t emss, bool markers);

/**
 * @brief MULPDU to offer when the segment being filled has FPDUs in it already (section 4.5).
 * @param emss effective maximum segment size in octets
 * @param room octets left in the segment being filled
 * @param position position at which the next FPDU starts
 * @param markers whether Markers are in use in the sending direction
 * @return the largest ULPDU whose FPDU fits the room, though not more than Mulpdu(emss, markers),
 *         which allows for the worst start; Mulpdu(emss, markers) if less than 128 would fit
 */
uint32_t OfferedMulpdu(uint32_t emss, uint32_t room, uint32_t position, bool markers);

} // namespace mpa
} // namespace ns3

#endif // MPA_MULPDU_H
