/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_INTERNET_CHECKSUM_H
#define UTIL_INTERNET_CHECKSUM_H

#include <boost/endian/conversion.hpp>
#include <cstdint>

namespace ns3
{
namespace iwarp
{

/// Add octets to a sum of the Internet checksum (RFC 1071), from an even octet on. @param sum sum
/// so far @param octets octets @param size how many @return sum, not folded
inline uint64_t
SumInternetChecksum(uint64_t sum, const uint8_t* octets, uint64_t size)
{
    for (; size >= 4; octets += 4, size -= 4)
    { // as good as two of 16 bits, once it is folded
        sum += boost::endian::load_big_u32(octets);
    }
    if (size >= 2)
    {
        sum += boost::endian::load_big_u16(octets);
        octets += 2;
        size -= 2;
    }
    return size > 0 ? sum + (*octets << 8) : sum;
}

/// Fold a sum. @param sum it @return it in 16 bits; the checksum is its complement
inline uint16_t
FoldInternetChecksum(uint64_t sum)
{
    while (sum >> 16 != 0)
    {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return static_cast<uint16_t>(sum);
}

} // namespace iwarp
} // namespace ns3

#endif // UTIL_INTERNET_CHECKSUM_H
