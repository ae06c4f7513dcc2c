/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-rack.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// Recoveries without a DSACK behind which the window is what it was at first
constexpr uint32_t RECOVERIES = 16;

} // namespace

TcpRack::TcpRack(SequenceNumber32 next, uint32_t threshold, Time window)
    : m_threshold(threshold),
      m_after(m_flight.end()),
      m_next(next),
      m_roundTrips(window),
      m_forward(next)
{
}

TcpRack::~TcpRack()
{
    m_flight.clear();
}

void
TcpRack::MeasureHandshake(Time rtt, Time now)
{
    m_roundTrips.Measure(rtt, rtt, now);
}

// ---- the scoreboard -----------------------------------------------------------------------------

void
TcpRack::Enlist(Segment& segment)
{
    // among those sent at the same time by number, as losses are told
    auto place = m_flight.end();
    while (place != m_flight.begin())
    {
        const auto before = std::prev(place);
        if (!IsSentAfter(before->GetSending(), segment.GetSending()))
        {
            break;
        }
        place = before;
    }
    const auto at = m_flight.insert(place, segment);
    if (place == m_after)
    {
        m_after = at;
    }
}

void
TcpRack::Unlist(Segment& segment)
{
    const auto at = m_flight.iterator_to(segment);
    if (at == m_after)
    {
        ++m_after;
    }
    m_flight.erase(at);
}

void
TcpRack::Forget(Segment& segment)
{
    if (segment.state == IN_FLIGHT)
    {
        Unlist(segment);
    }
    else if (segment.state == LOST)
    {
        m_lost.erase(segment.end);
    }
    m_octets[segment.state] -= segment.GetSize();
    m_sackedSegments -= segment.state == SACKED;
}

void
TcpRack::SetLost(Segment& segment)
{
    m_totalLost += segment.state == LOST ? 0 : segment.GetSize();
    Forget(segment);
    segment.state = LOST;
    m_octets[LOST] += segment.GetSize();
    m_lost.insert(m_lost.end(), segment.end);
}

void
TcpRack::SetSacked(Segment& segment)
{
    Forget(segment);
    segment.state = SACKED;
    m_octets[SACKED] += segment.GetSize();
    ++m_sackedSegments;
}

void
TcpRack::Cut(SequenceNumber32 seq)
{
    const auto at = m_segments.upper_bound(seq);
    if (at == m_segments.end() || at->second.begin >= seq)
    {
        return;
    }
    Segment& rest = at->second;
    Segment& part = m_segments.emplace_hint(at, seq, Segment())->second;
    part.begin = rest.begin;
    part.end = seq;
    part.sent = rest.sent;
    part.state = rest.state;
    part.again = rest.again;
    rest.begin = seq;
    if (part.state == IN_FLIGHT)
    {
        m_flight.insert(m_flight.iterator_to(rest), part);
        if (m_after == m_flight.iterator_to(rest))
        {
            m_after = m_flight.iterator_to(part);
        }
    }
    else if (part.state == LOST)
    {
        m_lost.insert(seq);
    }
    m_sackedSegments += part.state == SACKED;
    SettleTold(part);
    SettleTold(rest);
}

void
TcpRack::NotifySent(SequenceNumber32 seq, uint32_t size, Time now)
{
    const SequenceNumber32 end = seq + size;
    if (seq >= m_next)
    {
        Segment& segment = m_segments.emplace_hint(m_segments.end(), end, Segment())->second;
        segment.begin = seq;
        segment.end = end;
        segment.sent = now;
        m_octets[IN_FLIGHT] += size;
        m_next = end;
        Enlist(segment);
        return;
    }
    // what goes out together is one segment from now on
    Cut(seq);
    Cut(end);
    for (auto at = m_segments.upper_bound(seq); at != m_segments.end() && at->first < end;)
    {
        Forget(at->second);
        at = m_segments.erase(at);
    }
    const auto last = m_segments.find(end);
    if (last != m_segments.end())
    {
        Segment& segment = last->second;
        Forget(segment);
        segment.begin = seq;
        segment.sent = now;
        segment.again = true;
        segment.state = IN_FLIGHT;
        m_octets[IN_FLIGHT] += size;
        Enlist(segment);
        SettleTold(segment);
    }
}

TcpRack::Block
TcpRack::FindLost(uint32_t limit) const
{
    if (m_lost.empty())
    {
        return {m_next, m_next};
    }
    auto at = m_segments.find(*m_lost.begin());
    Block lost(at->second.begin, at->first);
    while (++at != m_segments.end() && at->second.state == LOST &&
           static_cast<uint32_t>(lost.second - lost.first) < limit)
    {
        lost.second = at->first;
    }
    return lost;
}

TcpRack::Block
TcpRack::FindLast() const
{
    if (m_segments.empty())
    {
        return {m_next, m_next};
    }
    const Segment& segment = m_segments.rbegin()->second;
    return {segment.begin, segment.end};
}

bool
TcpRack::IsFirstAgain() const
{
    return !m_segments.empty() && m_segments.begin()->second.again;
}

// ---- what an ACK tells --------------------------------------------------------------------------

void
TcpRack::Deliver(const Segment& segment, bool inOrder, Delivery& delivery)
{
    if (segment.end > m_forward)
    {
        m_forward = segment.end;
    }
    else if (segment.end < m_forward && !segment.again)
    {
        m_reordered = true;
    }
    const Sending sending = segment.GetSending();
    if (segment.again)
    {
        delivery.again.emplace_back(sending, inOrder);
        return;
    }
    if (!delivery.first || IsSentAfter(*delivery.first, sending))
    {
        delivery.first = sending;
    }
    if (!delivery.last || IsSentAfter(sending, *delivery.last))
    {
        delivery.last = sending;
    }
}

void
TcpRack::Acknowledge(SequenceNumber32 ack, Delivery& delivery)
{
    while (!m_segments.empty() && m_segments.begin()->first <= ack)
    {
        Segment& segment = m_segments.begin()->second;
        if (segment.state != SACKED)
        {
            Deliver(segment, true, delivery);
        }
        Forget(segment);
        m_segments.erase(m_segments.begin());
    }
    if (!m_segments.empty() && m_segments.begin()->second.begin < ack)
    {
        Segment& segment = m_segments.begin()->second;
        m_octets[segment.state] -= static_cast<uint32_t>(ack - segment.begin);
        segment.begin = ack;
    }
    m_next = std::max(m_next, ack);
    if (m_told)
    {
        m_told->DropUpTo(ack);
        if (m_told->IsEmpty())
        {
            m_told.reset();
        }
    }
}

bool
TcpRack::IsTold(const Segment& segment) const
{
    return m_told && m_told->FindNew(segment.begin, segment.GetSize()).empty();
}

void
TcpRack::SettleTold(Segment& segment)
{
    if (segment.state != SACKED && IsTold(segment))
    {
        SetSacked(segment);
    }
}

void
TcpRack::TakeBlocks(const Ack& ack, Delivery& delivery)
{
    std::vector<Block> blocks = ack.blocks;
    std::sort(blocks.begin(), blocks.end());
    for (const auto& [left, right] : blocks)
    {
        if (left <= ack.ack || left >= right || right > m_next)
        {
            continue;
        }
        if (!m_told)
        {
            m_told.emplace(ack.ack);
        }
        for (const auto& piece : m_told->FindNew(left, static_cast<uint32_t>(right - left)))
        {
            m_told->Add(piece);
            const SequenceNumber32 end = piece.seq + piece.size;
            for (auto at = m_segments.upper_bound(piece.seq);
                 at != m_segments.end() && at->second.begin < end;
                 ++at)
            {
                if (at->second.state != SACKED && IsTold(at->second))
                {
                    Deliver(at->second, false, delivery);
                    SetSacked(at->second);
                }
            }
        }
    }
}

void
TcpRack::AdaptWindow(const Ack& ack)
{
    if (m_round && ack.ack >= *m_round)
    {
        m_round.reset();
    }
    if (!m_round && ack.duplicate)
    {
        m_round = m_next;
        ++m_multiplier;
        m_persist = RECOVERIES;
    }
    else if (ack.recovered)
    {
        m_persist -= m_persist > 0;
        m_multiplier = m_persist > 0 ? m_multiplier : 1;
    }
}

void
TcpRack::Follow(const Ack& ack, const Delivery& delivery)
{
    std::optional<Sending> latest = delivery.last;
    for (const auto& [sending, inOrder] : delivery.again)
    {
        // Perhaps it is an earlier one that has arrived. A segment behind a hole is not echoed (RFC
        // 7323 section 4.3)
        const bool doubtful = !m_roundTrips.IsKnown() ||
                              ack.now - sending.first < m_roundTrips.GetLeast() ||
                              (inOrder && ack.echo && *ack.echo <= sending.first);
        if (!doubtful && (!latest || IsSentAfter(sending, *latest)))
        {
            latest = sending;
        }
    }
    if (latest)
    {
        m_rtt = ack.now - latest->first;
        m_latest = m_latest ? std::max(*m_latest, *latest) : *latest;
    }
}

bool
TcpRack::NotifyAck(const Ack& ack)
{
    Delivery delivery;
    Acknowledge(ack.ack, delivery);
    if (!ack.blocks.empty())
    {
        TakeBlocks(ack, delivery);
    }
    if (delivery.first)
    { // step 1
        m_roundTrips.Measure(ack.now - delivery.first->first,
                             ack.now - delivery.last->first,
                             ack.now);
    }
    Follow(ack, delivery);
    AdaptWindow(ack);
    return delivery.first.has_value();
}

// ---- what is lost -------------------------------------------------------------------------------

Time
TcpRack::GetWindow(bool recovering) const
{
    if (!m_reordered && (recovering || m_sackedSegments >= m_threshold))
    {
        return Time(0);
    }
    return std::min(m_roundTrips.GetLeast() * int64_t{m_multiplier} / 4,
                    m_roundTrips.GetSmoothed());
}

TcpRack::Losses
TcpRack::DetectLosses(bool recovering, Time now)
{
    while (m_latest && m_after != m_flight.end() && IsSentAfter(*m_latest, m_after->GetSending()))
    {
        ++m_after;
    }
    const Time due = m_rtt + GetWindow(recovering) - now;
    Losses losses;
    while (m_flight.begin() != m_after)
    {
        Segment& segment = m_flight.front();
        if ((segment.sent + due).IsStrictlyPositive())
        { // the last of those that may be lost is so last
            losses.wait = std::prev(m_after)->sent + due;
            break;
        }
        losses.octets += segment.GetSize();
        if (segment.again)
        {
            losses.latestAgain = segment.sent;
        }
        SetLost(segment);
    }
    return losses;
}

void
TcpRack::MarkTimeout(bool recovering, Time now)
{
    const Time due = m_rtt + GetWindow(recovering) - now;
    if (!m_segments.empty())
    {
        Segment& first = m_segments.begin()->second;
        if (first.state == SACKED)
        { // RFC 2018 section 8: what the peer holds it would have acknowledged
            MarkAll(true);
            return;
        }
        SetLost(first);
    }
    while (!m_flight.empty() && !(m_flight.front().sent + due).IsStrictlyPositive())
    {
        SetLost(m_flight.front());
    }
}

void
TcpRack::MarkAll(bool forget)
{
    for (auto& [end, segment] : m_segments)
    {
        if (forget || segment.state != SACKED)
        {
            SetLost(segment);
        }
    }
    if (forget)
    {
        m_told.reset();
    }
}

} // namespace ns3
