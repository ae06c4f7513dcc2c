/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_TCP_OPTIONS_H
#define DECODE_TCP_OPTIONS_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief TCP options that tell what a receiver has (RFC 2018, RFC 7323).
struct DecodeTcpOptions
{
    int windowShift{-1};                       //!< Window Scale, 14 at most; -1: there is none
    std::vector<std::array<uint32_t, 2>> sack; //!< left and right edges of the blocks of SACK

    /**
     * @brief Read options; nothing in them can make it read elsewhere.
     * @param options octets behind the fixed header
     * @param size how many
     * @return what they say
     */
    static DecodeTcpOptions Read(const uint8_t* options, uint32_t size);
};

} // namespace ns3

#endif // DECODE_TCP_OPTIONS_H
