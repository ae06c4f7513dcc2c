/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-offload.h"

#include "ns3/rnic-segment.h"

namespace ns3
{

RnicOffload::RnicOffload(const RecordFraming& framing,
                         uint32_t seq,
                         const RnicRecordTracker::Config& config,
                         RecordOffload::User& user,
                         RnicOffloadCounters& counters)
    : m_framing(framing),
      m_tracker(framing, seq, config, counters),
      m_user(user),
      m_counters(counters)
{
}

void
RnicOffload::Receive(RnicSegment& segment, const Ptr<const Packet>& packet, uint32_t payload)
{
    if (payload == 0)
    {
        return;
    }
    const uint32_t head = packet->GetSize() - payload;
    const auto copy = [&packet, head](uint32_t at, uint32_t size, uint8_t* to) {
        packet->CreateFragment(head + at, size)->CopyData(to, size);
    };
    const auto scan = [this, payload, &copy](uint32_t first, uint32_t last) {
        return RnicRecordTracker::FindHead(m_framing, payload, first, last, copy);
    };
    const auto outcome = m_tracker.Process(segment.seq, payload, copy, scan);
    segment.worked = outcome.offloaded ? payload : 0;
    segment.guess = outcome.guess;
    if (outcome.offloaded && m_absent)
    {
        if (*m_absent >= m_counters.since)
        {
            m_counters.absences++;
            m_counters.absentTime += segment.now - *m_absent;
            m_counters.absentOctets += m_absentOctets;
        }
        m_absent.reset();
        m_absentOctets = 0;
    }
    else if (!outcome.offloaded && !outcome.past)
    {
        m_absent = m_absent.value_or(segment.now);
        m_absentOctets += payload;
    }
}

void
RnicOffload::Transmit(RnicSegment& segment, uint32_t part)
{
    if (segment.payload == 0)
    {
        return;
    }
    segment.worked = segment.payload;
    segment.recovered = m_txNext && *m_txNext != segment.seq ? part : 0;
    m_counters.recoveries += segment.recovered > 0 ? 1 : 0;
    m_counters.recovered += segment.recovered;
    m_txNext = segment.seq + segment.payload;
}

void
RnicOffload::Ask(uint32_t seq)
{
    m_user.HandleGuess(seq);
}

RnicRecordTracker&
RnicOffload::GetTracker()
{
    return m_tracker;
}

} // namespace ns3
