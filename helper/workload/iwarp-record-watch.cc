/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-record-watch.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace iwarp
{

RecordWatch::RecordWatch(Ptr<FlowCollector> collector)
    : m_collector(collector)
{
}

void
RecordWatch::Watch(Ptr<Socket> socket)
{
    socket->TraceConnectWithoutContext(
        "Rx",
        MakeCallback(&RecordWatch::HandleSegment, Ptr<RecordWatch>(this)));
}

void
RecordWatch::HandleSegment(Ptr<const Packet> packet,
                           const TcpHeader& header,
                           Ptr<const TcpSocketBase> /* socket */)
{
    if (packet->GetSize() == 0)
    {
        return;
    }
    const Segment segment{header.GetSequenceNumber(),
                          packet->GetSize(),
                          Simulator::Now().GetTimeStep()};
    if (m_isKnown)
    {
        Add(segment);
    }
    else
    {
        m_first.push_back(segment);
    }
}

void
RecordWatch::HandleRecord(uint64_t offset, uint64_t size, bool counts)
{
    if (!m_isKnown && !m_first.empty())
    {
        // the first record is whole, so that the first octet is among those that have come
        const auto least = [](const Segment& a, const Segment& b) { return a.seq < b.seq; };
        m_start = std::min_element(m_first.begin(), m_first.end(), least)->seq;
        m_isKnown = true;
        for (const Segment& segment : std::exchange(m_first, {}))
        {
            Add(segment);
        }
    }
    m_offset = offset + size;
    const int64_t last = m_times.Find(offset, m_offset);
    if (counts)
    {
        const Time wait = last >= 0 ? Simulator::Now() - TimeStep(last) : Time(0);
        m_collector->FramePassed((m_start + static_cast<uint32_t>(offset)).GetValue(), true, wait);
        m_collector->FramesDelivered(1);
    }
}

void
RecordWatch::Add(const Segment& segment)
{
    // a window is far below 2 GiB
    const auto ahead =
        static_cast<int32_t>(segment.seq - m_start - static_cast<uint32_t>(m_offset));
    const int64_t begin = static_cast<int64_t>(m_offset) + ahead;
    if (begin >= 0)
    {
        const auto first = static_cast<uint64_t>(begin);
        m_times.Add(first, first + segment.size, segment.time);
    }
}

} // namespace iwarp
} // namespace ns3
