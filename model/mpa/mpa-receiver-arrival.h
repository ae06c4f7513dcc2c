/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVER_ARRIVAL_H
#define MPA_RECEIVER_ARRIVAL_H

#include "mpa-receiver.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Memory for FPDUs that are not contiguous, lent to a receiver while it works on a segment.
 *
 * Any number of receivers need as many of these as work at the same time: one, or more if a
 * listener makes another receiver work before it returns.
 */
struct MpaReceiver::Scratch
{
    std::vector<uint8_t> fpdu;  //!< an FPDU that came in several segments
    std::vector<uint8_t> ulpdu; //!< a ULPDU without the Markers inside

    static Scratch* Acquire(); //!< Lend memory out. @return one that nobody uses
    /// Take memory back. @param scratch one no longer used, or nullptr
    static void Give(Scratch* scratch);

  private:
    static std::vector<std::unique_ptr<Scratch>>& GetSpare(); //!< @return those not in use
};

/// @ingroup iwarp-mpa
/// @brief The segment at hand, inside of MpaReceiver: what it is and what has been found of it.
class MpaReceiver::Arrival
{
  public:
    /**
     * @brief Begin with nothing found.
     * @param into the report to fill in
     * @param config how the receiver works
     * @param first offset of the first octet
     * @param behind offset behind the last one
     * @param octets the octets
     * @param when stamp of the segment
     */
    Arrival(RecordSegmentReport& into,
            const MpaReceiverConfig& config,
            uint64_t first,
            uint64_t behind,
            const uint8_t* octets,
            uint64_t when)
        : report(into),
          start(first),
          end(behind),
          data(octets),
          stamp(when),
          format(config.format),
          check(config.check),
          m_crc(config.format.crc)
    {
    }

    ~Arrival()
    {
        Scratch::Give(m_scratch);
    }

    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;

    /**
     * @brief Refuse the segment if there is a reason to.
     * @param fault an error counts as a reason
     * @param full what would have to be held does not fit
     * @return true if the segment is refused; the report says so
     */
    bool Refuse(bool fault, bool full)
    {
        fault = fault && error != MpaError::NONE;
        report.dropped = fault || full;
        report.memoryFull = full && !fault;
        return report.dropped;
    }

    /// Tell whether a boundary parts the segment. @param boundary offset @return true if it has
    /// octets on both sides
    bool IsInside(uint64_t boundary) const
    {
        return boundary > start && boundary < end;
    }

    /// Tell how much of a segment that the memory has no room for needs none. @param boundary
    /// offset at which the last FPDU in order ends that it completes
    void SetWhole(uint64_t boundary)
    {
        if (report.memoryFull && IsInside(boundary))
        {
            report.whole = static_cast<uint32_t>(boundary - start);
        }
    }

    /// After a dry run of the chain: FPDUs need not be verified again, unless one was faulty.
    void SetVerified()
    {
        if (error == MpaError::NONE)
        {
            format.crc = false;
            check = mpa::CheckMarkers::NONE;
        }
    }

    /// Count an FPDU passed, with the copies and the CRC work for it. @param span where an FPDU
    /// passed was @param wireSize its octets @param inOrder in order
    void CountPassed(const MpaReassemblyStore::Span& span, uint32_t wireSize, bool inOrder)
    {
        ++report.passed;
        report.passedOutOfOrder += inOrder ? 0 : 1;
        report.copies += span.pieces;
        if (m_crc)
        {
            ++report.crcRuns;
            report.crcOctets += span.lent + span.late;
            report.partialCrcFetches += span.lent < wireSize ? 1 : 0;
        }
    }

    /// Count the CRC work on octets put by. @param pieces runs of octets that were put into the
    /// memory, report.stored octets in all
    void CountStored(uint32_t pieces)
    {
        if (m_crc)
        {
            report.crcRuns += pieces;
            report.crcOctets += report.stored;
            report.partialCrcStores += pieces;
        }
    }

    /// The CRC of what was stored goes on with one begun before.
    void CountResumed()
    {
        report.partialCrcFetches += m_crc ? 1 : 0;
    }

    /// Tell whether the segment has a part in a range. @param from first offset @param to offset
    /// behind the last @return true if it has octets there
    bool Touches(uint64_t from, uint64_t to) const
    {
        return from < end && to > start;
    }

    /// Get memory to put an FPDU together. @param size octets needed @return room for an FPDU that
    /// came in several segments
    uint8_t* GetFpdu(uint32_t size)
    {
        auto& room = GetScratch().fpdu;
        if (room.size() < size)
        {
            room.resize(size);
        }
        return room.data();
    }

    /// Get memory to take the Markers out of a ULPDU. @return room for a ULPDU
    std::vector<uint8_t>& GetUlpdu()
    {
        return GetScratch().ulpdu;
    }

    RecordSegmentReport& report; //!< what is told of it
    uint64_t start;              //!< offset of its first octet that is not known to be old
    uint64_t end;                //!< offset behind its last octet
    const uint8_t* data;         //!< its octets from @ref start on
    uint64_t stamp;              //!< the caller's clock

    mpa::FpduFormat format;  //!< how FPDUs are still to be verified
    mpa::CheckMarkers check; //!< how Markers are still to be verified

    uint64_t fresh{0};              //!< octets that are new
    uint64_t firstNew{UINT64_MAX};  //!< offset of the first of them
    uint64_t lastNew{0};            //!< offset behind the last of them
    uint64_t used{0};               //!< dry run out of order: octets that would be passed
    MpaError error{MpaError::NONE}; //!< dry run: what is wrong with an FPDU
    bool faultInside{false};        //!< dry run: that FPDU has octets of this segment
    bool startSeen{false};          //!< an FPDU begins with it
    bool endSeen{false};            //!< an FPDU ends with it

  private:
    /// @return memory lent to this segment
    Scratch& GetScratch()
    {
        if (!m_scratch)
        {
            m_scratch = Scratch::Acquire();
        }
        return *m_scratch;
    }

    bool m_crc;                  //!< CRCs are in use
    Scratch* m_scratch{nullptr}; //!< memory, once needed
};

} // namespace ns3

#endif // MPA_RECEIVER_ARRIVAL_H
