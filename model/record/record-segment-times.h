/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENT_TIMES_H
#define RECORD_SEGMENT_TIMES_H

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief When the octets of records came: segments as they come, in order or not, and records as
 * they are found in order.
 *
 * Pure; octets are known by their offset in the stream, times are numbers. Copies of octets do not
 * count.
 */
class RecordSegmentTimes
{
  public:
    /// A segment has come. @param begin offset of its first octet @param end behind its last
    /// @param now time
    void Add(uint64_t begin, uint64_t end, int64_t now);
    /// A record is whole, and all before it are. @param begin offset of its first octet @param end
    /// behind its last @return when the last of its octets to come came; -1 if no segment of it is
    /// known
    int64_t Find(uint64_t begin, uint64_t end);

  private:
    /// Octets that came together
    struct Segment
    {
        uint64_t begin; //!< offset of the first
        uint64_t end;   //!< behind the last
        int64_t time;   //!< when
    };

    std::deque<Segment> m_segments; //!< that hold octets of records to come, by offset
    uint64_t m_next{0};             //!< where the next record begins
};

} // namespace ns3

#endif // RECORD_SEGMENT_TIMES_H
