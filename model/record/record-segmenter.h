/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENTER_H
#define RECORD_SEGMENTER_H

#include "record-boundary-map.h"

#include "ns3/tcp-silly-window.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Decides where an outgoing stream of records is cut into TCP segments (RFC 5044 A.1).
 *
 * It knows the ends of the records and of the segments that the peer has not acknowledged yet, and
 * the EMSS. Octets are named by their offset in the stream, which starts at 0 and never wraps.
 */
class RecordSegmenter
{
  public:
    /// Choose whether records decide where segments end. @param alignment segments hold whole
    /// records
    void SetAlignment(bool alignment);
    /// Tell whether records decide where segments end. @return true if segments hold whole records
    bool GetAlignment() const;
    /// Choose how many records a segment may hold. @param packing several records may share a
    /// segment
    void SetPacking(bool packing);
    /// Tell how many records a segment may hold. @return true if several records may share a
    /// segment
    bool GetPacking() const;

    /**
     * @brief Give the most octets that a segment takes from now on.
     * @param emss octets
     * @param keepWhole if it is less than before, records that are there already go on in segments
     * as long as before
     * @return octets that a segment of those takes: emss, or more for records kept whole
     */
    uint32_t SetEmss(uint32_t emss, bool keepWhole);

    /**
     * @brief End what SetEmss() has begun for records kept whole, once they have arrived.
     * @param acknowledged offset up to which the peer has acknowledged
     * @return true if all segments follow the EMSS since now
     */
    bool EndKeepingWhole(uint64_t acknowledged);

    /// Tell whether there are records kept whole. @return true until EndKeepingWhole() ends that
    bool KeepsWhole() const
    {
        return m_wholeUpTo > 0;
    }

    /// Add a record to the stream. @param size its octets, at least 1
    void Append(uint32_t size);

    /// Forget what the peer has. @param acknowledged offset up to which it has acknowledged
    void DropUpTo(uint64_t acknowledged);

    /// Find the end of the stream so far. @return offset behind the last record
    uint64_t GetTail() const
    {
        return m_records.GetBack();
    }

    /// Take note of a segment. @param offset its first octet @param size its octets
    /// @return true if that octet has been sent before
    bool Sent(uint64_t offset, uint32_t size);

    /// Find how far the stream has gone out. @return offset up to which the stream has been sent
    uint64_t GetSent() const
    {
        return m_segments.GetBack();
    }

    /// Tell octets sent before from new ones. @param offset an octet @return true if it has been
    /// sent
    bool IsSent(uint64_t offset) const
    {
        return offset < m_segments.GetBack();
    }

    /**
     * @brief Choose the next segment of a sender that may as well wait.
     * @param offset its first octet
     * @param allowance what TCP allows
     * @return the segment
     */
    TcpSegmentChoice Choose(uint64_t offset, const TcpSendAllowance& allowance);

    /**
     * @brief Choose a segment that TCP sends in any case.
     * @param offset its first octet
     * @param limit most octets
     * @return octets; 0 if no whole record fits
     */
    uint32_t Fit(uint64_t offset, uint32_t limit);

    /// Size a segment by records and EMSS alone. @param offset first octet of a segment @return its
    /// octets if no window is in the way; a segment that was sent before keeps its end as long as
    /// the path takes it
    uint32_t GetFullSize(uint64_t offset) const;

    /// Find where a segment begins that the peer has acknowledged in part. @param offset where a
    /// segment may have been cut by the peer's ACK @return octets of that segment before it; 0 if
    /// it cannot be sent as a whole any more
    uint32_t GetPartBefore(uint64_t offset) const;

    /**
     * @brief Find the room in the segment being filled.
     * @param acknowledged offset up to which the peer has acknowledged
     * @return octets left in the last segment of the stream, which the next record joins; EMSS if
     * that starts a segment
     */
    uint32_t GetRoom(uint64_t acknowledged) const;

    /// Tell whether a cut here leaves all records whole. @param offset not below what was dropped
    /// @return true if a record ends or the stream starts there
    bool IsRecordBoundary(uint64_t offset) const;

    /// Find how far a place is into its record. @param offset of an octet that the peer has not
    /// acknowledged @return octets of the record before it
    uint32_t GetRecordPart(uint64_t offset) const;

    /// Tell whether a record has to be cut in any case. @param offset any, inside a record @return
    /// true if that record is longer than a segment
    bool IsLongRecord(uint64_t offset) const;

  private:
    RecordBoundaryMap m_records;     //!< ends of the records not acknowledged
    RecordBoundaryMap m_segments;    //!< ends of the segments not acknowledged
    mutable uint64_t m_lastStart{0}; //!< where GetRoom() found the last segment to start, if sent
                                     //!< as planned; it goes on from there
    uint64_t m_wholeUpTo{0};         //!< records up to here are kept whole
    uint32_t m_emss{536};            //!< octets of a segment
    uint32_t m_wholeSize{536};       //!< the same for records kept whole
    bool m_alignment{true};          //!< segments hold whole records
    bool m_packing{true};            //!< several records may share a segment
};

} // namespace ns3

#endif // RECORD_SEGMENTER_H
