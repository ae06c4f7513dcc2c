/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-order.h"

#include "ns3/util-sequence.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

using iwarp::UnwrapSequence;
using Interval = boost::icl::interval<uint64_t>;

// offset of sequence number 0, so that none is negative
constexpr uint64_t OFFSET_OF_ZERO = uint64_t{1} << 32;

/// @param segment a segment @return sequence numbers that it takes (RFC 9293 section 3.4)
uint32_t
CountNumbers(const DecodeSegment& segment)
{
    const bool syn = (segment.flags & DecodeSegment::SYN) != 0;
    const bool fin = (segment.flags & DecodeSegment::FIN) != 0;
    return segment.length + (syn ? 1 : 0) + (fin ? 1 : 0);
}

/// @param a segment @param b another @return whether b goes the way back of a
bool
IsOpposite(const DecodeSegment& a, const DecodeSegment& b)
{
    return a.from == b.to && a.to == b.from;
}

} // namespace

DecodeOrder::DecodeOrder(Give give)
    : m_give(std::move(give))
{
}

void
DecodeOrder::Advance(Side& side, uint64_t edge)
{
    side.edge = std::max(side.edge, edge);
    while (!side.seen.empty() && side.seen.begin()->lower() <= side.edge)
    {
        side.edge = std::max(side.edge, side.seen.begin()->upper());
        side.seen.erase(side.seen.begin());
    }
}

void
DecodeOrder::Begin(Side& side, const DecodeSegment& segment)
{
    side.started = true;
    side.initial = segment.seq;
    side.edge = OFFSET_OF_ZERO + segment.seq;
    side.seen.clear();
}

void
DecodeOrder::Note(Side& side, const DecodeSegment& segment)
{
    if ((segment.flags & DecodeSegment::RST) != 0)
    {
        return; // its number is 0 if it refuses a SYN
    }
    const bool syn = (segment.flags & DecodeSegment::SYN) != 0;
    if (!side.started || (syn && segment.seq != side.initial))
    {
        Begin(side, segment);
    }
    const uint64_t begin = UnwrapSequence(side.edge, segment.seq);
    const uint64_t end = begin + CountNumbers(segment);
    if (begin <= side.edge)
    {
        Advance(side, end);
    }
    else if (begin < end)
    {
        side.seen.add(Interval::right_open(begin, end));
    }
}

uint64_t
DecodeOrder::FindAcknowledged(const Side& other, const DecodeSegment& segment)
{
    const bool isAck = (segment.flags & DecodeSegment::ACK) != 0 && !segment.checksumBad;
    return isAck && other.started ? UnwrapSequence(other.edge, segment.ack) : 0;
}

void
DecodeOrder::LookForOther(unsigned side, const DecodeSegment& segment, const Ahead& ahead)
{
    Side& mine = m_sides[side];
    Side& other = m_sides[1 - side];
    if (other.started || mine.alone || (segment.flags & DecodeSegment::ACK) == 0)
    {
        return;
    }
    const auto first = std::find_if(ahead.begin(), ahead.end(), [&segment](const auto& next) {
        return IsOpposite(segment, next.segment);
    });
    mine.alone = first == ahead.end(); // not looked for again: a capture may have one side only
    if (!mine.alone)
    {
        Begin(other, first->segment);
    }
}

DecodeOrder::Octets
DecodeOrder::FindAwaited(unsigned side,
                         const DecodeSegment& segment,
                         uint64_t end,
                         const Ahead& ahead)
{
    const Side& other = m_sides[1 - side];
    uint64_t& found = m_sides[side].found;
    uint64_t begin = other.edge;
    const auto& held = m_sides[side].held;
    const auto later = held.upper_bound(end);
    if (later != held.begin())
    {
        begin = std::max(begin, std::prev(later)->first); // those before are given out first
    }
    Octets awaited;
    if (begin >= end)
    {
        return awaited;
    }
    Octets missing(Interval::right_open(begin, end));
    missing -= other.seen;
    const auto look = [&](const DecodeSegment& next) {
        const uint64_t from = UnwrapSequence(begin, next.seq);
        Octets octets(Interval::right_open(from, from + CountNumbers(next)));
        octets &= missing;
        missing -= octets;
        awaited += octets;
        return !octets.empty();
    };
    for (const auto& [ack, waits] : other.held)
    {
        look(waits.captured.segment);
    }
    // most often it is behind what the last one awaits
    const auto middle =
        std::partition_point(ahead.begin(), ahead.end(), [found](const DecodeCaptured& next) {
            return next.frame.number < found;
        });
    for (auto [next, last] : {std::pair(middle, ahead.end()), std::pair(ahead.begin(), middle)})
    {
        for (; next != last && !missing.empty(); ++next)
        {
            if (IsOpposite(segment, next->segment) && look(next->segment))
            {
                found = next->frame.number;
            }
        }
    }
    return awaited;
}

void
DecodeOrder::GiveOut(unsigned side, const DecodeCaptured& captured)
{
    Side& other = m_sides[1 - side];
    Note(m_sides[side], captured.segment);
    Advance(other, FindAcknowledged(other, captured.segment)); // what did not come is not awaited
    m_give(side, captured);
}

bool
DecodeOrder::Release(unsigned side)
{
    auto& held = m_sides[side].held;
    const Side& other = m_sides[1 - side];
    if (held.empty())
    {
        return false;
    }
    Octets& awaited = held.begin()->second.awaited;
    awaited -= Interval::right_open(0, other.edge);
    if (!boost::icl::within(awaited, other.seen))
    {
        return false;
    }
    const DecodeCaptured next = held.begin()->second.captured;
    held.erase(held.begin());
    GiveOut(side, next);
    return true;
}

void
DecodeOrder::ReleaseAll()
{
    while (Release(0) || Release(1))
    {
    }
}

void
DecodeOrder::ReleaseFirst()
{
    const auto number = [](const auto& entry) { return entry.second.captured.frame.number; };
    unsigned side = 0;
    auto first = m_sides[0].held.end();
    uint64_t least = UINT64_MAX;
    for (unsigned which : {0, 1})
    {
        auto& held = m_sides[which].held;
        for (auto at = held.begin(); at != held.end(); ++at)
        {
            if (number(*at) < least)
            {
                least = number(*at);
                first = at;
                side = which;
            }
        }
    }
    const DecodeCaptured next = first->second.captured;
    m_sides[side].held.erase(first);
    GiveOut(side, next);
    ReleaseAll();
}

void
DecodeOrder::Take(unsigned side, const DecodeCaptured& captured, const Ahead& ahead)
{
    LookForOther(side, captured.segment, ahead);
    auto& held = m_sides[side].held;
    const uint64_t ack = FindAcknowledged(m_sides[1 - side], captured.segment);
    Octets awaited = FindAwaited(side, captured.segment, ack, ahead);
    if (awaited.empty() && held.empty())
    {
        GiveOut(side, captured);
    }
    else
    {
        held.emplace(ack, Held{captured, std::move(awaited)});
    }
    ReleaseAll();
    if (held.size() > MAX_HELD)
    {
        ReleaseFirst();
    }
}

void
DecodeOrder::Finish()
{
    while (!m_sides[0].held.empty() || !m_sides[1].held.empty())
    {
        ReleaseFirst();
    }
}

} // namespace ns3
