/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TRANSMIT_QUEUES_H
#define RNIC_TRANSMIT_QUEUES_H

#include "rnic-delay-line.h"
#include "rnic-segment.h"
#include "rnic-turns.h"

#include "ns3/event-id.h"
#include "ns3/record-placement.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace ns3
{

class RnicDatapath;

/// @ingroup iwarp-rnic
/// @brief A segment that waits for its turn to be sent, and all that it needs then.
struct RnicDeparture
{
    RnicSegment segment;         //!< its connection, frame, payload and inlined are set
    RnicProtection protection;   //!< what ESP does to it, if segment.protection is set
    RecordPlacementList sources; //!< where its payload is, if segment.placements is set
    /// Called when it is through the pipeline. @param segment whose time is when it leaves
    std::function<void(const RnicSegment& segment)> leave;
};

/**
 * @ingroup iwarp-rnic
 * @brief The queues of an RNIC's queue pairs on their way out, which are served in turn, segment by
 * segment, and then the parts of its transmit pipeline.
 *
 * A turn comes when what the segment before it needs of the busiest stage, or of the bus from host
 * memory, is done: so that keeps on working, and whatever comes waits for one segment of each other
 * queue pair, not for all that these have. A segment whose payload came with its doorbell passes
 * those whose payload is read. Segments of a queue pair stay in order.
 *
 * It costs an event if a segment has to wait for its turn, and one for each part of the pipeline.
 */
class RnicTransmitQueues
{
  public:
    /// Have nothing to send. @param path pipelines, which outlive this
    explicit RnicTransmitQueues(RnicDatapath& path);
    ~RnicTransmitQueues();
    RnicTransmitQueues(const RnicTransmitQueues&) = delete;
    RnicTransmitQueues& operator=(const RnicTransmitQueues&) = delete;

    /// A segment is there to be sent, behind those of its connection. @param departure it
    void Push(const std::shared_ptr<RnicDeparture>& departure);

    /// Count what waits for its turn. @return segments of all queue pairs
    std::size_t GetWaiting() const;

    void Clear(); //!< Forget what waits, when the node goes.

  private:
    void Serve(); //!< Send what may be sent now.
    /// @param departure that is through a part of the pipeline @param next part that is to come
    void Continue(const std::shared_ptr<RnicDeparture>& departure, std::size_t next);

    RnicDatapath& m_path;                                //!< pipelines
    RnicTurns<std::shared_ptr<RnicDeparture>> m_waiting; //!< segments, by connection
    std::deque<RnicDelayLine> m_lines;                   //!< ways to the second part, third, ...
    RnicTime m_next{0};                                  //!< ps, when the next turn is
    EventId m_turn;                                      //!< has it begin
};

} // namespace ns3

#endif // RNIC_TRANSMIT_QUEUES_H
