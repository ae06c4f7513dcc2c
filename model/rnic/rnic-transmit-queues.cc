/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-transmit-queues.h"

#include "rnic-datapath.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param t ps, at least 0 @return the latest Time that is not behind it
Time
FloorRnicTime(RnicTime t)
{
    const Time time = FromRnicTime(t);
    return ToRnicTime(time) > t ? time - TimeStep(1) : time;
}

} // namespace

RnicTransmitQueues::RnicTransmitQueues(RnicDatapath& path)
    : m_path(path),
      m_lines(path.CountTransmitParts() - 1)
{
}

RnicTransmitQueues::~RnicTransmitQueues()
{
    m_turn.Cancel();
}

void
RnicTransmitQueues::Push(const std::shared_ptr<RnicDeparture>& departure)
{
    m_waiting.Push(departure->segment.connection->key, departure);
    if (m_turn.IsExpired())
    {
        Serve();
    }
}

std::size_t
RnicTransmitQueues::GetWaiting() const
{
    return m_waiting.GetSize();
}

void
RnicTransmitQueues::Clear()
{
    m_turn.Cancel();
    m_waiting = {};
}

void
RnicTransmitQueues::Serve()
{
    const RnicTime now = ToRnicTime(Simulator::Now());
    while (!m_waiting.IsEmpty())
    {
        const Time wait = FloorRnicTime(std::max<RnicTime>(0, m_next - now));
        if (wait.IsStrictlyPositive())
        {
            if (m_turn.IsExpired()) // not so if a segment that left has had another pushed
            {
                m_turn = Simulator::Schedule(wait, &RnicTransmitQueues::Serve, this);
            }
            return;
        }
        const std::shared_ptr<RnicDeparture> departure = m_waiting.Pop();
        RnicSegment& segment = departure->segment;
        segment.now = now;
        segment.time = std::max(now, m_next); // of picoseconds, which the clock does not have
        m_next = m_path.BeginTransmit(segment);
        Continue(departure, 1);
    }
}

void
RnicTransmitQueues::Continue(const std::shared_ptr<RnicDeparture>& departure, std::size_t next)
{
    RnicSegment& segment = departure->segment;
    if (next > m_lines.size())
    {
        m_path.EndTransmit(segment);
        departure->leave(segment);
        return;
    }
    const RnicTime now = ToRnicTime(Simulator::Now());
    const Time delay = FromRnicTime(std::max<RnicTime>(0, segment.time - now));
    m_lines[next - 1].Pass(delay, [this, departure, next] {
        departure->segment.now = ToRnicTime(Simulator::Now());
        m_path.ContinueTransmit(departure->segment, next);
        Continue(departure, next + 1);
    });
}

} // namespace ns3
