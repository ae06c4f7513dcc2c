/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TCP_COALESCER_H
#define PATH_TCP_COALESCER_H

#include "path-tcp-run.h"
#include "path-tcp-segment.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <list>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Holds segments of each flow back for a while, so that they can be merged.
 *
 * It knows no simulator: whoever uses it says what time it is, and asks when Expire() is due. Order
 * within a flow is kept; flows do not wait for each other.
 */
class PathTcpCoalescer
{
  public:
    /// What ends the wait of a run, besides PSH, FIN and what cannot be merged
    struct Limits
    {
        uint32_t size{0};   //!< octets of payload that a run has at most; 0 holds nothing
        Time hold;          //!< time since the run's first segment
        uint32_t memory{0}; //!< octets of datagrams held of all flows at most
    };

    using Runs = std::vector<PathTcpRun>; //!< runs to be sent now, in order

    void SetLimits(const Limits& limits); //!< Set the limits. @param limits from now on

    /**
     * @brief Take a segment.
     * @param segment plain data (PathTcpSegment::IsPlainData())
     * @param now time, never less than before
     * @return runs that need not wait any longer, this segment among them or not. A segment for
     *         which there is no memory is a run of its own
     */
    Runs Push(const PathTcpSegment& segment, Time now);

    /// Take what is held of a flow. @param flow flow @return its run; none if nothing is held
    Runs Flush(const PathTcpSegment::Flow& flow);

    /// Take what has waited long enough. @param now time @return runs, the oldest first
    Runs Expire(Time now);

    bool IsEmpty() const; //!< Tell whether nothing is held. @return whether it is so
    /// Tell when Expire() has something. @return time; only if something is held
    Time GetDeadline() const;
    uint32_t GetHeld() const; //!< Count what is held. @return octets of datagrams

  private:
    /// What is held of a flow
    struct Held
    {
        PathTcpSegment::Flow flow; //!< flow
        PathTcpRun run;            //!< its segments
        Time since;                //!< when the first came
    };

    using List = std::list<Held>; //!< the oldest first

    void Release(List::iterator held,
                 Runs& runs); //!< @param held no longer held @param runs takes it

    Limits m_limits;                                        //!< limits
    List m_list;                                            //!< what is held
    std::map<PathTcpSegment::Flow, List::iterator> m_flows; //!< the same by its flow
    uint32_t m_held{0};                                     //!< octets of it
};

} // namespace ns3

#endif // PATH_TCP_COALESCER_H
