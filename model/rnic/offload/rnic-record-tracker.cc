/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-record-tracker.h"

#include "ns3/util-sequence.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

// the low half of an offset is the sequence number; none is negative, as the first is above 0
constexpr uint64_t FIRST_LAP = uint64_t{1} << 32;

/// @param record of a stream @param from offset @param to offset @return payload of it in between
uint32_t
CountPayload(const RecordChain::Record& record, uint64_t from, uint64_t to)
{
    const uint64_t first = record.start + record.head.payloadOffset;
    const uint64_t begin = std::max(from, first);
    const uint64_t end = std::min(to, first + record.head.payload);
    return begin < end ? static_cast<uint32_t>(end - begin) : 0;
}

} // namespace

RnicRecordTracker::RnicRecordTracker(const RecordFraming& framing,
                                     uint32_t seq,
                                     const Config& config,
                                     Counters& counters)
    : m_config(config),
      m_chain(framing, FIRST_LAP + seq),
      m_whole(FIRST_LAP + seq),
      m_counters(counters)
{
}

uint64_t
RnicRecordTracker::GetOffset(uint32_t seq) const
{
    return iwarp::UnwrapSequence(m_chain.GetPosition(), seq);
}

RnicRecordTracker::Outcome
RnicRecordTracker::Process(uint32_t seq, uint32_t size, const Copy& copy, const Scan& scan)
{
    const uint64_t start = GetOffset(seq);
    const Segment segment{start, start + size, copy, scan};
    m_counters.segments++;
    m_counters.octets += size;
    Outcome outcome;
    if (segment.end <= m_chain.GetPosition())
    {
        m_counters.past++;
        outcome.past = true;
        return outcome;
    }
    if (m_state == State::SEARCHING)
    {
        return Search(segment);
    }
    if (start > m_chain.GetPosition())
    {
        return Skip(segment, outcome) ? outcome : Search(segment);
    }
    const bool isNext = start == m_chain.GetPosition(); // otherwise it begins with late octets
    const auto payload = Follow(segment);
    if (!payload)
    {
        return Search(segment);
    }
    if (m_state == State::FOLLOWING && isNext && start >= m_whole)
    {
        outcome.offloaded = true;
        outcome.payload = *payload;
        m_counters.offloaded++;
        m_counters.offloadedOctets += segment.end - segment.start;
    }
    return outcome;
}

std::optional<uint32_t>
RnicRecordTracker::Follow(const Segment& segment)
{
    const uint64_t from = m_chain.GetPosition();
    const auto* record = m_chain.GetRecord();
    uint32_t payload = record ? CountPayload(*record, from, segment.end) : 0;
    const bool isWhole = m_chain.Follow(
        static_cast<uint32_t>(segment.end - from),
        [&segment, at = static_cast<uint32_t>(from - segment.start)](uint32_t first,
                                                                     uint32_t size,
                                                                     uint8_t* to) {
            segment.copy(at + first, size, to);
        },
        [&](const RecordChain::Record& found) {
            payload += CountPayload(found, from, segment.end);
        });
    if (isWhole)
    {
        return payload;
    }
    (m_state == State::TRACKING ? m_counters.broken : m_counters.lost)++;
    return {};
}

bool
RnicRecordTracker::Skip(const Segment& segment, Outcome& outcome)
{
    const auto* record = m_chain.GetRecord();
    const uint64_t next = record ? record->GetEnd() : m_chain.GetPosition();
    if (!record || segment.start > next)
    {
        if (segment.start - m_chain.GetPosition() < m_config.patience)
        {
            return true;
        }
        (m_state == State::TRACKING ? m_counters.broken : m_counters.lost)++;
        return false;
    }
    if (segment.end < next)
    {
        return true; // the record goes on behind it
    }
    m_counters.resumed++;
    m_chain.Restart(next);
    m_whole = next;
    const auto payload = Follow(segment);
    if (payload && next == segment.start && m_state == State::FOLLOWING)
    {
        outcome.offloaded = true;
        outcome.payload = *payload;
        m_counters.offloaded++;
        m_counters.offloadedOctets += segment.end - segment.start;
    }
    return payload.has_value();
}

RnicRecordTracker::Outcome
RnicRecordTracker::Search(const Segment& segment)
{
    m_state = State::SEARCHING;
    const auto size = static_cast<uint32_t>(segment.end - segment.start);
    const uint32_t last = m_config.aligned ? 1 : size;
    Outcome outcome;
    for (uint32_t first = 0; m_config.searches && first < last;)
    {
        const auto found = segment.scan(first, last);
        m_counters.searched += (found ? *found + 1 : last) - first;
        if (!found)
        {
            break;
        }
        first = *found + 1;
        m_chain.Restart(segment.start + *found);
        m_state = State::TRACKING;
        if (Follow(segment))
        {
            m_guess = segment.start + *found;
            m_counters.guesses++;
            outcome.guess = static_cast<uint32_t>(m_guess);
            return outcome;
        }
        m_state = State::SEARCHING;
    }
    m_chain.Restart(segment.end);
    return outcome;
}

void
RnicRecordTracker::Confirm(uint32_t seq)
{
    if (m_state == State::TRACKING && seq == static_cast<uint32_t>(m_guess))
    {
        m_counters.confirmed++;
        m_state = State::FOLLOWING;
        const auto* record = m_chain.GetRecord();
        m_whole = record ? record->GetEnd() : m_chain.GetPosition();
    }
}

void
RnicRecordTracker::Reject(uint32_t seq)
{
    if (m_state == State::TRACKING && seq == static_cast<uint32_t>(m_guess))
    {
        m_counters.rejected++;
        m_state = State::SEARCHING;
    }
}

void
RnicRecordTracker::Resume(uint32_t seq)
{
    m_chain.Restart(GetOffset(seq));
    m_whole = m_chain.GetPosition();
    m_state = State::FOLLOWING;
}

RnicRecordTracker::State
RnicRecordTracker::GetState() const
{
    return m_state;
}

uint32_t
RnicRecordTracker::GetExpected() const
{
    return static_cast<uint32_t>(m_chain.GetPosition());
}

std::optional<uint32_t>
RnicRecordTracker::FindHead(const RecordFraming& framing,
                            uint32_t size,
                            uint32_t first,
                            uint32_t last,
                            const Copy& copy)
{
    const uint32_t head = framing.GetHeadSize();
    if (size < head || first > size - head)
    {
        return {};
    }
    std::vector<uint8_t> octets(size - first);
    copy(first, size - first, octets.data());
    const uint32_t end = std::min(last, size - head + 1);
    for (uint32_t at = first; at < end; at++)
    {
        if (framing.IsLikely(octets.data() + (at - first)))
        {
            return at;
        }
    }
    return {};
}

} // namespace ns3
