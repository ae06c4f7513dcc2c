/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_SEQUENCE_H
#define UTIL_SEQUENCE_H

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-util
 * @brief Tell which place of a stream a TCP sequence number means (RFC 9293 section 3.4).
 * @param near a place less than 2^31 octets away; places are sequence numbers that do not wrap
 * @param seq sequence number
 * @return the place, modulo 2^64
 */
inline uint64_t
UnwrapSequence(uint64_t near, uint32_t seq)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<int32_t>(seq - static_cast<uint32_t>(near))));
}

} // namespace iwarp
} // namespace ns3

#endif // UTIL_SEQUENCE_H
