/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_HOST_VIEW_H
#define RECORD_HOST_VIEW_H

#include "record-segment-sink.h"

#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Tells a program what it sees of received data in its memory, when it sees it.
 *
 * Who receives records has them when TCP has their last octet; hardware below TCP may have to write
 * them into host memory yet. What a program is told of its memory goes through this, in order. It
 * costs an event if there is something to wait for, and nothing otherwise.
 */
class RecordHostView
{
  public:
    /**
     * @brief Tell once all that was placed so far is seen in host memory.
     * @param sink hardware that brought it; nullptr if there is none
     * @param owner of this view and of what @p tell needs; kept until then
     * @param tell called without arguments, now or later
     */
    template <typename T, typename F>
    void Notify(const RecordSegmentSink* sink, Ptr<T> owner, F tell)
    {
        const Time wait = sink ? sink->GetTimeToHost() : Time(0);
        if (m_pending == 0 && wait.IsZero())
        {
            tell();
            return;
        }
        ++m_pending;
        Simulator::Schedule(wait, [this, owner = std::move(owner), tell = std::move(tell)] {
            --m_pending;
            tell();
        });
    }

  private:
    uint64_t m_pending{0}; //!< things that have not been told yet
};

} // namespace ns3

#endif // RECORD_HOST_VIEW_H
