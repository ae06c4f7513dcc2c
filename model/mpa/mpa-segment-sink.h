/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SEGMENT_SINK_H
#define MPA_SEGMENT_SINK_H

#include "mpa-placement.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

struct MpaSegmentReport;

/**
 * @ingroup iwarp-mpa
 * @brief What MPA tells and asks of hardware below TCP, for one connection.
 *
 * A connection of the node's TcpEndPointTable that offers it is told by MpaStream what received
 * segments meant; MpaTcpSocket sizes its window by what has not been retired.
 */
class MpaSegmentSink
{
  public:
    /// Tell whether hardware bounds what is held. @return true if octets that wait for the rest of
    /// their FPDU share a memory with others'
    virtual bool HasMemoryLimit() const = 0;

    /// Find how much more hardware lets a connection hold. @param inOrder for octets at the left
    /// edge of the window @return octets that the connection may hold in addition to what it holds
    virtual uint64_t GetMemoryRoom(bool inOrder) const = 0;

    /// Find how much a connection may hold in all besides a reserve, which is for an FPDU that has
    /// begun and not for the next. @return octets
    virtual uint64_t GetMemoryBehind() const = 0;

    /**
     * @brief MPA has looked at a segment.
     * @param report what it meant
     * @param size octets of it
     * @param placements where the ULPDUs go that were passed on its arrival
     * @param held octets that the connection holds now
     */
    virtual void Segment(const MpaSegmentReport& report,
                         uint32_t size,
                         const MpaPlacementList& placements,
                         uint64_t held) = 0;

    /// Tell whether hardware wants to know where in host memory outgoing ULPDUs lie. @return true
    /// if it translates their addresses
    virtual bool WantsSources() const = 0;

    /// Count what hardware is still busy with. @return octets of the segments that MPA has looked
    /// at and the hardware has not yet retired: they are in its pipeline or wait for host memory.
    /// Counted from the first call on.
    virtual uint64_t GetUnretired() = 0;

    /// Predict when hardware has caught up. @param octets that may stay unretired @return time
    /// until no more than so many do
    virtual Time GetTimeToRetire(uint64_t octets) = 0;

  protected:
    ~MpaSegmentSink() = default;
};

} // namespace ns3

#endif // MPA_SEGMENT_SINK_H
