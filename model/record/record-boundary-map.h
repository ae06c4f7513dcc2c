/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_BOUNDARY_MAP_H
#define RECORD_BOUNDARY_MAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Where the records, or the segments, of an outgoing stream end.
 *
 * Offsets count the octets of the stream from 0 and never wrap. A boundary is appended at the
 * back as the stream grows and dropped at the front as the peer acknowledges. Questions about the
 * place last asked for, or the one after it, cost a few comparisons, others a binary search.
 */
class RecordBoundaryMap
{
  public:
    /// Add a boundary at the back. @param end offset behind a record; above GetBack()
    void Append(uint64_t end);
    /// Forget boundaries at the front. @param offset those up to here go
    void DropUpTo(uint64_t offset);

    /// Find the end of what has been appended. @return the last boundary; 0 before the first one
    uint64_t GetBack() const
    {
        return m_back;
    }

    /// Count the boundaries. @return how many are kept
    size_t GetSize() const
    {
        return m_ends.size() - m_first;
    }

    /**
     * @brief Tell whether a cut here leaves all records whole.
     * @param offset an offset, not below the last boundary dropped
     * @return true if a record ends or the stream starts there
     */
    bool IsBoundary(uint64_t offset) const;

    /**
     * @brief Find the end of a record.
     * @param offset an offset below GetBack()
     * @return the first boundary behind it
     */
    uint64_t After(uint64_t offset) const;

    /**
     * @brief Find the start of a record.
     * @param offset an offset, not below the last boundary dropped
     * @return the last boundary up to it
     */
    uint64_t UpTo(uint64_t offset) const;

  private:
    uint32_t Find(uint64_t offset) const; //!< @param offset offset @return index of After(offset)

    std::vector<uint64_t> m_ends; //!< boundaries, ascending
    uint64_t m_floor{0};          //!< the last boundary dropped
    uint64_t m_back{0};           //!< the last boundary
    uint32_t m_first{0};          //!< index of the first one that is kept
    mutable uint32_t m_hint{0};   //!< index found last
};

/**
 * @brief The segment that starts at an offset if no window is in its way (RFC 5044 A.1).
 *
 * Whole records if the first one fits; a record longer than the EMSS, and what is left of one
 * that has been cut, go alone.
 * @param records ends of the records handed over so far
 * @param offset where the segment starts; below records.GetBack()
 * @param emss most octets a segment takes
 * @param packing several records may share a segment
 * @return octets of the segment, 1 to emss
 */
uint32_t RecordFullSegment(const RecordBoundaryMap& records,
                           uint64_t offset,
                           uint32_t emss,
                           bool packing);

/**
 * @brief The whole records that fit a narrow window.
 * @param records ends of the records handed over so far
 * @param offset where the segment starts; below records.GetBack()
 * @param limit most octets that may be sent
 * @param packing several records may share a segment
 * @return octets of whole records (the first may be the rest of one that has been cut), or 0
 */
uint32_t RecordWholeSegment(const RecordBoundaryMap& records,
                            uint64_t offset,
                            uint32_t limit,
                            bool packing);

} // namespace ns3

#endif // RECORD_BOUNDARY_MAP_H
