/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_FLOW_JOURNAL_H
#define IWARP_FLOW_JOURNAL_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

class RankLedger;
struct FlowTotals;

/**
 * @ingroup iwarp-helper
 * @brief Something that a FlowCollector is told of.
 */
struct FlowEvent
{
    /// What it is: the function of FlowCollector by which it is told
    enum class Kind : uint8_t
    {
        SENDER,           //!< WatchSocket(): its EMSS, then 1 if it has records, 2 if it has Rack
        POSTED,           //!< Posted()
        COMPLETED,        //!< Completed(): size, count
        FAILED,           //!< Failed(): FlowJournal::Keep() of the reason
        PLACED,           //!< Placed(): octets
        EXPECTED,         //!< Expect(): octets
        SETTLED,          //!< Settle()
        FRAME_SENT,       //!< FrameSent()
        READY,            //!< ReceiverReady()
        SEGMENT_RECEIVED, //!< SegmentReceived(): header, whole
        DROPPED,          //!< SegmentDropped()
        PASSED,           //!< FramePassed(): sequence number and, above it, 1 if in order; wait
        DELIVERED,        //!< FramesDelivered(): count
        HELD,             //!< MemoryHeld(): before, after
        SEGMENT_SENT,     //!< the socket has sent a segment: header, whole
        EMSS,             //!< its EMSS changes: before, after
        TIMEOUT,          //!< it is in vain that it waits for acknowledgments
        PROBE,            //!< it sends a tail loss probe
        DELAYED,          //!< FlowTotals::Delay(): time steps; of no flow
    };

    int64_t time;    //!< when, time steps
    uint64_t first;  //!< what the kind says
    uint64_t second; //!< likewise
    uint32_t flow;   //!< number among those that are followed
    Kind kind;       //!< what has happened
};

/**
 * @ingroup iwarp-helper
 * @brief What has happened to flows, in the order of time: where their ends are of several ranks
 * of a run, each takes down what it sees, and one of them goes through all of it.
 */
class FlowJournal
{
  public:
    /// Take something down. @param event it, not before those taken down already
    void Add(const FlowEvent& event);
    /// Keep the reason of a failure. @param reason it @return what FAILED has
    uint64_t Keep(const std::string& reason);
    std::size_t GetN() const; //!< Count what was taken down. @return events

    /// Give it to, or take in that of, another rank: events of one time in the order of ranks.
    /// @param ledger of the ranks
    void Share(RankLedger& ledger);

    /**
     * @brief Have flows go through what has happened, with its times; what happens next is taken
     * down again.
     * @param totals of the flows, with all their collectors
     * @param isOver asked behind each event: true if no more of them count
     */
    void Replay(FlowTotals& totals, const std::function<bool()>& isOver) const;

  private:
    std::vector<FlowEvent> m_events;    //!< what has happened
    std::vector<std::string> m_reasons; //!< see Keep()
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_FLOW_JOURNAL_H
