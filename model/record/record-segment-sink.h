/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SEGMENT_SINK_H
#define RECORD_SEGMENT_SINK_H

#include "record-placement.h"
#include "record-segment-report.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief What the receiver of records tells and asks of hardware below TCP, for one connection.
 *
 * A connection of the node's TcpEndPointTable that offers it is told by the layer above, as
 * MpaStream is, what received segments meant; RecordTcpSocket sizes its window by what has not been
 * retired.
 */
class RecordSegmentSink
{
  public:
    /// Tell whether hardware bounds what is held. @return true if octets that wait for the rest of
    /// their record share a memory with others'
    virtual bool HasMemoryLimit() const = 0;

    /// Find how much more hardware lets a connection hold. @param inOrder for octets at the left
    /// edge of the window @return octets that the connection may hold in addition to what it holds
    virtual uint64_t GetMemoryRoom(bool inOrder) const = 0;

    /// Find how much a connection may hold in all besides a reserve, which is for a record that has
    /// begun and not for the next. @return octets
    virtual uint64_t GetMemoryBehind() const = 0;

    /**
     * @brief The receiver has looked at a segment.
     * @param report what it meant
     * @param size octets of it
     * @param placements where the payload goes that was passed on its arrival
     * @param held octets that the connection holds now
     */
    virtual void Segment(const RecordSegmentReport& report,
                         uint32_t size,
                         const RecordPlacementList& placements,
                         uint64_t held) = 0;

    /// What the connection holds is wanted no longer: hardware has its memory back.
    virtual void ReleaseHeld() = 0;

    /// Tell whether hardware wants to know where in host memory outgoing payload lies. @return true
    /// if it translates their addresses
    virtual bool WantsSources() const = 0;

    /// Count what hardware is still busy with. @return octets of the segments that the receiver has
    /// looked at and the hardware has not yet retired: they are in its pipeline or wait for host
    /// memory. Counted from the first call on.
    virtual uint64_t GetUnretired() = 0;

    /// Predict when hardware has caught up. @param octets that may stay unretired @return time
    /// until no more than so many do
    virtual Time GetTimeToRetire(uint64_t octets) = 0;

    /// Tell how far host memory is behind what has arrived. @return time until a program that looks
    /// at host memory sees all that was placed so far
    virtual Time GetTimeToHost() const = 0;

  protected:
    ~RecordSegmentSink() = default;
};

} // namespace ns3

#endif // RECORD_SEGMENT_SINK_H
