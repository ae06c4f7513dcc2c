/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver.h"

#include "mpa-receiver-arrival.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

using namespace mpa;

static constexpr uint32_t MIN_MEMORY = 140; //!< ULPDU of 128, pad, length, CRC, a Marker (A.5.2)

MpaReceiver::MpaReceiver(const MpaReceiverConfig& config, Listener& listener)
    : m_config(config),
      m_listener(listener),
      m_reserve(std::max(config.reserve, MIN_MEMORY))
{
    m_config.memory = std::max<uint64_t>(config.memory, MIN_MEMORY);
    m_config.seqStart -= config.position;
    m_next = m_edge = config.position;
}

uint64_t
MpaReceiver::GetHeld() const
{
    return m_store.GetHeld();
}

uint32_t
MpaReceiver::GetRecords() const
{
    return m_bounds.size() - m_boundsDone + m_ahead.size();
}

uint64_t
MpaReceiver::GetPassed() const
{
    return m_passed;
}

uint64_t
MpaReceiver::GetDelivered() const
{
    return m_delivered;
}

bool
MpaReceiver::HasFailed() const
{
    return m_failed;
}

uint32_t
MpaReceiver::GetNext() const
{
    return Wrap(m_next);
}

int64_t
MpaReceiver::Unwrap(uint32_t seq) const
{
    return static_cast<int64_t>(m_next) + static_cast<int32_t>(seq - Wrap(m_next));
}

uint32_t
MpaReceiver::Wrap(uint64_t offset) const
{
    return m_config.seqStart + static_cast<uint32_t>(offset);
}

MpaError
MpaReceiver::Judge(const FpduView& view) const
{
    switch (view.fault)
    {
    case FpduFault::CRC:
        return MpaError::CRC;
    case FpduFault::MARKER:
        return MpaError::MARKER;
    case FpduFault::NONE:
        break;
    }
    const bool odd = view.ulpduLength == 0 || view.ulpduLength > MAX_ULPDU;
    return m_config.strictLength && odd ? MpaError::MARKER : MpaError::NONE;
}

RecordSegmentReport
MpaReceiver::Segment(uint32_t seq, const uint8_t* data, uint32_t size, uint64_t stamp)
{
    RecordSegmentReport report;
    if (m_failed || size == 0)
    {
        return report;
    }
    int64_t start = Unwrap(seq);
    const int64_t end = start + size;
    if (end <= static_cast<int64_t>(m_edge))
    {
        report.duplicate = true;
        return report;
    }
    const auto known = static_cast<int64_t>(m_edge) - start;
    if (known > 0) // its first octets have come before
    {
        data += known;
        start = static_cast<int64_t>(m_edge);
    }
    Arrival a(report, m_config, start, end, data, stamp);
    report.inOrder = a.start == m_edge;
    if (a.start == m_next && m_store.IsEmpty() && m_ahead.empty() && m_bounds.empty())
    {
        InPlace(a);
    }
    else
    {
        Reassemble(a);
    }
    if (report.whole > 0 && known > 0)
    {
        report.whole += static_cast<uint32_t>(known);
    }
    report.records = GetRecords();
    return report;
}

void
MpaReceiver::InPlace(Arrival& a)
{
    if (RefuseInPlace(a)) // all of it or nothing is passed
    {
        return;
    }
    const auto size = static_cast<uint32_t>(a.end - a.start);
    const uint8_t* at = a.data;
    uint32_t left = size;
    Found found;
    while (left > 0)
    {
        found.view = ParseFpdu(at, left, m_next, a.format, a.check);
        const uint32_t wireSize = found.view.wireSize;
        if (!found.view.complete)
        {
            break;
        }
        const MpaError error = Judge(found.view);
        if (error != MpaError::NONE)
        {
            Fail(error, m_next);
            return;
        }
        found.span.data = at;
        found.span.pieces = 1;
        found.span.lent = wireSize;
        found.span.stamp = a.stamp;
        Pass(a, m_next, found, true);
        m_next += wireSize;
        m_ends.push_back(m_next);
        at += wireSize;
        left -= wireSize;
    }
    m_edge = a.end;
    if (left == 0)
    {
        a.report.aligned = true;
        m_listener.Classified(Wrap(a.start), size, true, true);
        return;
    }
    m_store.Lend(m_next, at, left, a.stamp, false);
    uint32_t pieces = 0;
    a.report.stored = m_store.Keep(pieces);
    a.CountStored(pieces);
    m_bounds.push_back({a.start, a.end, true, false});
}

void
MpaReceiver::Reassemble(Arrival& a)
{
    if (!a.report.inOrder && GetRecords() >= m_config.records)
    {
        a.Refuse(false, true);
        return;
    }
    if (!LendNew(a))
    {
        a.report.duplicate = true;
        return;
    }
    if (Refuse(a))
    {
        m_store.Return();
        return;
    }
    a.startSeen = a.start == m_next;
    Enqueue({a.start, a.end, a.startSeen, false});
    if (a.report.inOrder)
    {
        const uint64_t before = m_next;
        Chain(a, false);
        if (m_failed)
        {
            return;
        }
        m_store.Erase(before, m_next);
        m_edge = FindGap(m_next);
    }
    else
    {
        SearchNew(a, false);
    }
    uint32_t pieces = 0;
    a.report.stored = m_store.Keep(pieces);
    a.CountStored(pieces);
    if (pieces > 0 && a.report.inOrder && m_next < a.start)
    {
        a.CountResumed(); // it goes on with an FPDU begun before, and does not end it
    }
    a.report.stateFetches = a.startSeen ? 0 : 1;
    a.report.aligned = a.startSeen && a.endSeen && pieces == 0;
}

bool
MpaReceiver::LendNew(Arrival& a)
{
    const bool late = !a.report.inOrder;
    uint64_t at = a.start;
    while (at < a.end)
    {
        const auto ahead =
            std::upper_bound(m_ahead.begin(), m_ahead.end(), at, [](uint64_t o, const Passed& p) {
                return o < p.end;
            });
        if (ahead != m_ahead.end() && ahead->start <= at)
        {
            at = ahead->end;
            continue;
        }
        const uint64_t held = m_store.Next(at);
        if (held == at)
        {
            at += m_store.Contiguous(at);
            continue;
        }
        const uint64_t limit = ahead == m_ahead.end() ? a.end : std::min(a.end, ahead->start);
        const auto run = static_cast<uint32_t>(std::min(limit, held) - at);
        m_store.Lend(at, a.data + (at - a.start), run, a.stamp, late);
        a.fresh += run;
        a.firstNew = std::min(a.firstNew, at);
        at += run;
        a.lastNew = at;
    }
    return a.fresh > 0;
}

uint64_t
MpaReceiver::Chain(Arrival& a, bool dry)
{
    uint64_t at = m_next;
    std::size_t met = 0;
    while (true)
    {
        Found found;
        MpaError error = MpaError::NONE;
        uint64_t end = 0;
        const bool ahead = met < m_ahead.size();
        if (ahead && m_ahead[met].start == at)
        {
            end = m_ahead[met++].end;
        }
        else if (Look(a, at, found))
        {
            end = at + found.view.wireSize;
            error = Judge(found.view);
        }
        else if (ahead && FindGap(at) == m_ahead[met].start)
        {
            // the gap is closed, but here an FPDU goes on where a Marker has proved another's start
            end = m_ahead[met].start;
            error = MpaError::MARKER;
        }
        else
        {
            break;
        }
        if (error != MpaError::NONE)
        {
            if (dry)
            {
                a.error = error;
                a.faultInside = a.Touches(at, end);
            }
            else
            {
                Fail(error, at);
            }
            return at;
        }
        if (!dry)
        {
            if (found.view.complete)
            {
                Pass(a, at, found, true);
            }
            ReachBoundary(end);
            a.endSeen = a.endSeen || end == a.end;
        }
        at = end;
    }
    if (!dry)
    {
        m_ahead.erase(m_ahead.begin(), m_ahead.begin() + met);
        m_bounds.erase(m_bounds.begin(), m_bounds.begin() + m_boundsDone);
        m_boundsDone = 0;
    }
    return at;
}

void
MpaReceiver::Pass(Arrival& a, uint64_t offset, const Found& found, bool inOrder)
{
    MpaUlpdu ulpdu;
    ulpdu.seq = Wrap(offset);
    ulpdu.wireSize = found.view.wireSize;
    ulpdu.fpdu = found.span.data;
    ulpdu.data = found.span.data + LENGTH_SIZE;
    if (m_config.format.markers)
    {
        ulpdu.data =
            ExtractUlpdu(found.span.data, found.view, offset, m_config.format, a.GetUlpdu());
    }
    ulpdu.length = found.view.ulpduLength;
    ulpdu.inOrder = inOrder;
    ulpdu.stamp = found.span.stamp;
    ulpdu.aligned = found.span.pieces == 1;
    a.CountPassed(found.span, found.view.wireSize, inOrder);
    m_reserve = std::max(m_reserve, found.view.wireSize);
    ++m_passed;
    m_listener.Pass(ulpdu);
}

void
MpaReceiver::ReachBoundary(uint64_t offset)
{
    m_next = offset;
    m_ends.push_back(offset);
    while (m_boundsDone < m_bounds.size() && m_bounds[m_boundsDone].done)
    {
        ++m_boundsDone;
    }
    for (std::size_t i = m_boundsDone; i < m_bounds.size() && m_bounds[i].start <= offset; ++i)
    {
        Bounds& b = m_bounds[i];
        b.headerAligned = b.headerAligned || b.start == offset;
        if (!b.done && b.end <= offset)
        {
            b.done = true;
            m_listener.Classified(Wrap(b.start),
                                  static_cast<uint32_t>(b.end - b.start),
                                  b.headerAligned,
                                  b.headerAligned && b.end == offset);
        }
    }
    while (m_boundsDone < m_bounds.size() && m_bounds[m_boundsDone].done)
    {
        ++m_boundsDone;
    }
}

void
MpaReceiver::Enqueue(const Bounds& bounds)
{
    auto at = m_bounds.end();
    if (!m_bounds.empty() && m_bounds.back().start > bounds.start)
    {
        at = std::upper_bound(m_bounds.begin(),
                              m_bounds.end(),
                              bounds.start,
                              [](uint64_t o, const Bounds& b) { return o < b.start; });
    }
    if (GetRecords() >= m_config.records && at > m_bounds.begin() + m_boundsDone)
    { // only octets in order come that far, which are never refused: those behind others join them
        Bounds& before = *std::prev(at);
        if (!before.done && before.end == bounds.start && !bounds.headerAligned)
        {
            before.end = bounds.end;
            return;
        }
    }
    m_bounds.insert(at, bounds);
}

void
MpaReceiver::Advance(uint32_t seq)
{
    if (m_failed || m_ends.empty())
    {
        return;
    }
    const int64_t edge = Unwrap(seq);
    auto last = m_ends.end();
    if (static_cast<int64_t>(m_ends.back()) > edge)
    {
        last = std::upper_bound(m_ends.begin(), m_ends.end(), edge, [](int64_t o, uint64_t e) {
            return o < static_cast<int64_t>(e);
        });
    }
    const auto count = static_cast<uint32_t>(last - m_ends.begin());
    m_ends.erase(m_ends.begin(), last);
    m_delivered += count;
    if (count > 0)
    {
        m_listener.Deliver(count);
    }
}

void
MpaReceiver::Fail(MpaError error, uint64_t offset)
{
    // what was passed in order before is complete: TCP keeps this segment and all before it
    Advance(Wrap(m_next));
    m_failed = true;
    m_store.Clear();
    m_ahead = {};
    m_ends = {};
    m_bounds = {};
    m_listener.Error(error, Wrap(offset));
}

} // namespace ns3
