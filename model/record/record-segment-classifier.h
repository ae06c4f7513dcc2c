/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENT_CLASSIFIER_H
#define RECORD_SEGMENT_CLASSIFIER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Segments whose place among record boundaries is not known yet: the length chain tells of
 * the boundaries, one after the other, and a segment is classified when that has reached its end.
 *
 * Pure. Octets are known by their offset in the stream, 64 bits that do not wrap.
 */
class RecordSegmentClassifier
{
  public:
    /// A segment.
    struct Segment
    {
        uint64_t start;            //!< its first octet
        uint64_t end;              //!< behind its last one
        bool headerAligned;        //!< a record begins with it
        bool recordAligned{false}; //!< classified: and it holds whole records only
        bool done{false};          //!< it is classified
    };

    bool IsEmpty() const;        //!< Tell whether none is there. @return true behind Purge() of all
    uint32_t GetWaiting() const; //!< Count those that wait. @return segments not classified

    /**
     * @brief Have a segment wait.
     * @param start its first octet
     * @param end behind its last one
     * @param headerAligned a record begins with it
     * @param join if it follows another that waits, which no record divides from it, both become
     * one
     */
    void Add(uint64_t start, uint64_t end, bool headerAligned, bool join);

    /**
     * @brief The length chain has come to a boundary.
     * @param boundary behind the one before
     * @param tell called with each Segment that is classified by that
     */
    template <typename F>
    void Reach(uint64_t boundary, F tell)
    {
        SkipDone();
        for (std::size_t i = m_done; i < m_segments.size() && m_segments[i].start <= boundary; ++i)
        {
            Segment& segment = m_segments[i];
            segment.headerAligned = segment.headerAligned || segment.start == boundary;
            if (!segment.done && segment.end <= boundary)
            {
                segment.done = true;
                segment.recordAligned = segment.headerAligned && segment.end == boundary;
                tell(segment);
            }
        }
        SkipDone();
    }

    void Purge(); //!< Let go of those that are classified, at the front

  private:
    void SkipDone(); //!< count those at the front that are classified

    std::vector<Segment> m_segments; //!< by offset
    std::size_t m_done{0};           //!< of these, classified at the front
};

} // namespace ns3

#endif // RECORD_SEGMENT_CLASSIFIER_H
