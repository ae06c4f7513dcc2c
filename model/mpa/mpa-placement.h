/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_PLACEMENT_H
#define MPA_PLACEMENT_H

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Where one ULPDU goes.
 */
struct MpaPlacement
{
    uint64_t octets{0};     //!< octets of the ULPDU
    uint64_t fromMemory{0}; //!< octets of its FPDU that came in earlier segments, and were held
    uint64_t region{0};     //!< key of the memory region; 0 for that of the connection itself
};

/**
 * @ingroup iwarp-mpa
 * @brief Where the ULPDUs go that were passed on the arrival of a segment, in the order in which
 * they were. Segments with a few of them need no memory beside it.
 */
using MpaPlacementList = boost::container::small_vector<MpaPlacement, 4>;

/**
 * @ingroup iwarp-mpa
 * @brief Tell how much of an FPDU came in other segments than the one at hand.
 * @param fpdu sequence number of the FPDU's first octet
 * @param fpduSize its octets in the stream
 * @param segment sequence number of the segment's first octet
 * @param segmentSize its octets
 * @return octets of the FPDU outside of the segment
 */
inline uint32_t
MpaOctetsOutside(uint32_t fpdu, uint32_t fpduSize, uint32_t segment, uint32_t segmentSize)
{
    const int64_t start = static_cast<int32_t>(fpdu - segment); // sequence numbers wrap
    const int64_t from = std::max<int64_t>(start, 0);
    const int64_t to = std::min<int64_t>(start + fpduSize, segmentSize);
    return fpduSize - static_cast<uint32_t>(std::max<int64_t>(to - from, 0));
}

} // namespace ns3

#endif // MPA_PLACEMENT_H
