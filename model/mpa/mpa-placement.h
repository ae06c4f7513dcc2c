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
 * @brief Where octets of a ULPDU lie in host memory, in one run.
 */
struct MpaPlacement
{
    uint64_t octets{0};     //!< so many: payload, no headers that hardware keeps to itself
    uint64_t fromMemory{0}; //!< octets of its FPDU that came in earlier segments, and were held
    uint32_t region{0};     //!< memory region, by its STag; 0 for that of the connection itself
    uint64_t address{0};    //!< address of the first octet in the region
};

/**
 * @ingroup iwarp-mpa
 * @brief Where the ULPDUs go that were passed on the arrival of a segment, in the order in which
 * they were, or where those come from that a segment takes out. Segments with a few of them need no
 * memory beside it.
 */
using MpaPlacementList = boost::container::small_vector<MpaPlacement, 4>;

/**
 * @ingroup iwarp-mpa
 * @brief Where the octets of an outgoing ULPDU come from, for hardware below TCP.
 */
struct MpaSource
{
    bool inlined{false}; //!< they came together with the work request, and need not be read
    /// Where the second part of the ULPDU lies in host memory, if hardware asks for that
    const MpaPlacementList* places{nullptr};
};

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
