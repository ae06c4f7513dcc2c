/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_PLACEMENT_H
#define RECORD_PLACEMENT_H

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Where octets of a record's payload lie in host memory, in one run.
 */
struct RecordPlacement
{
    uint64_t octets{0};     //!< so many: payload, no headers that hardware keeps to itself
    uint64_t fromMemory{0}; //!< octets of its record that came in earlier segments, and were held
    uint32_t region{0};     //!< memory region, by its STag; 0 for that of the connection itself
    uint64_t address{0};    //!< address of the first octet in the region
};

/**
 * @ingroup iwarp-record
 * @brief Where the payloads go that were passed on the arrival of a segment, in the order in which
 * they were, or where those come from that a segment takes out. Segments with a few of them need no
 * memory beside it.
 */
using RecordPlacementList = boost::container::small_vector<RecordPlacement, 4>;

/**
 * @ingroup iwarp-record
 * @brief Where the octets of an outgoing record come from, for hardware below TCP.
 */
struct RecordSource
{
    bool inlined{false}; //!< they came together with the work request, and need not be read
    /// Where the record's payload lies in host memory, if hardware asks for that
    const RecordPlacementList* placements{nullptr};
};

/**
 * @ingroup iwarp-record
 * @brief Tell how much of a record came in other segments than the one at hand.
 * @param record sequence number of its first octet
 * @param recordSize its octets in the stream
 * @param segment sequence number of the segment's first octet
 * @param segmentSize its octets
 * @return octets of the record outside of the segment
 */
inline uint32_t
RecordOctetsOutside(uint32_t record, uint32_t recordSize, uint32_t segment, uint32_t segmentSize)
{
    const int64_t start = static_cast<int32_t>(record - segment); // sequence numbers wrap
    const int64_t from = std::max<int64_t>(start, 0);
    const int64_t to = std::min<int64_t>(start + recordSize, segmentSize);
    return recordSize - static_cast<uint32_t>(std::max<int64_t>(to - from, 0));
}

} // namespace ns3

#endif // RECORD_PLACEMENT_H
