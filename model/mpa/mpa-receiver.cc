/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver.h"

#include "mpa-receiver-arrival.h"

#include "ns3/util-sequence.h"

#include <algorithm>

namespace ns3
{

using namespace mpa;

static constexpr uint32_t MIN_MEMORY = 140; //!< ULPDU of 128, pad, length, CRC, a Marker (A.5.2)
static constexpr uint64_t REACH = 1 << 17;  //!< more octets than the longest FPDU has

/**
 * @brief Where a Marker claims that its FPDU starts.
 * @param marker offset of the Marker
 * @param fpduptr its FPDUPTR
 * @param[out] start offset of the FPDU's first octet, a leading Marker included
 * @return false if no FPDU can start there
 */
static bool
ClaimedStart(uint64_t marker, uint16_t fpduptr, uint64_t& start)
{
    const uint64_t back = MaskFpduPtr(fpduptr);
    if (back == 0)
    {
        start = marker;
        return true;
    }
    if (back > marker || (marker - back) % MARKER_INTERVAL == 0) // before the stream, on a Marker
    {
        return false;
    }
    start = marker - back;
    start -= start % MARKER_INTERVAL == MARKER_SIZE ? MARKER_SIZE : 0;
    return true;
}

/// Add octets. @param held octets @param more octets, perhaps without limit @return the sum, which
/// does not overflow
static uint64_t
Sum(uint64_t held, uint64_t more)
{
    return more < UINT64_MAX - held ? held + more : UINT64_MAX;
}

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
    return m_classifier.GetWaiting() + m_ahead.size();
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
    const uint64_t start = m_config.seqStart;
    return static_cast<int64_t>(iwarp::UnwrapSequence(start + m_next, seq) - start);
}

uint32_t
MpaReceiver::Wrap(uint64_t offset) const
{
    return m_config.seqStart + static_cast<uint32_t>(offset);
}

MpaError
MpaReceiver::Validate(const FpduView& view) const
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
    if (a.start == m_next && m_store.IsEmpty() && m_ahead.empty() && m_classifier.IsEmpty())
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
        const MpaError error = Validate(found.view);
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
    m_store.InsertReference(m_next, at, left, a.stamp, false);
    uint32_t pieces = 0;
    a.report.stored = m_store.Keep(pieces);
    a.CountStored(pieces);
    m_classifier.Add(a.start, a.end, true, false);
}

void
MpaReceiver::Reassemble(Arrival& a)
{
    if (!a.report.inOrder && GetRecords() >= m_config.records)
    {
        a.Refuse(false, true);
        return;
    }
    if (!InsertNew(a))
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
    // a segment in order is never refused for want of records
    m_classifier.Add(a.start, a.end, a.startSeen, GetRecords() >= m_config.records);
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
MpaReceiver::InsertNew(Arrival& a)
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
        m_store.InsertReference(at, a.data + (at - a.start), run, a.stamp, late);
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
            error = Validate(found.view);
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
        m_classifier.Purge();
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
    m_classifier.Reach(offset, [this](const RecordSegmentClassifier::Segment& segment) {
        m_listener.Classified(Wrap(segment.start),
                              static_cast<uint32_t>(segment.end - segment.start),
                              segment.headerAligned,
                              segment.recordAligned);
    });
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
    m_classifier = {};
    m_listener.Error(error, Wrap(offset));
}

// ---- which segments the memory has room for, and how much of them (RFC 5044 section A.5.2) ------

void
MpaReceiver::SetRoom(uint64_t inOrder, uint64_t outOfOrder, uint64_t behind)
{
    m_room = inOrder;
    m_lateRoom = outOfOrder;
    m_behind = behind;
}

bool
MpaReceiver::RefuseInPlace(Arrival& a)
{
    const auto size = static_cast<uint32_t>(a.end - a.start);
    const uint64_t memory = std::min(m_config.memory, m_room);
    const uint64_t behind = std::min(memory, m_behind);
    if (size <= behind && !m_config.silentDrop)
    {
        return false;
    }
    FpduView view;
    uint32_t whole = 0;
    do
    {
        whole += view.wireSize;
        view = ParseFpdu(a.data + whole, size - whole, m_next + whole, a.format, a.check);
        a.error = view.complete ? Validate(view) : MpaError::NONE;
    } while (view.complete && a.error == MpaError::NONE);
    const bool full = a.error == MpaError::NONE && size - whole > (whole > 0 ? behind : memory);
    if (a.Refuse(m_config.silentDrop, full))
    {
        a.SetWhole(m_next + whole);
        return true;
    }
    a.SetVerified();
    return false;
}

bool
MpaReceiver::Refuse(Arrival& a)
{
    // what out-of-order octets may not use: the reserve, or more if the FPDU in order needs more
    const uint64_t held = m_store.GetHeld();
    const uint64_t head = m_edge - m_next;
    const uint64_t late = held - head;
    const uint64_t reserve = std::max<uint64_t>(m_reserve, head);
    const uint64_t own = m_config.memory > reserve ? m_config.memory - reserve : 0;
    const uint64_t most = Sum(held, m_room);
    const uint64_t limit = std::min(own, Sum(late, m_lateRoom));
    const bool fits = a.report.inOrder
                          ? held + a.fresh <= std::min({m_config.memory, most - late, m_behind})
                          : late + a.fresh <= limit;
    if (fits && !m_config.silentDrop)
    {
        return false;
    }
    bool full = false;
    uint64_t next = 0;
    if (a.report.inOrder)
    {
        next = Chain(a, true);
        // what would have to be kept of it; if nothing, it is taken whatever the memory
        const uint64_t kept = a.lastNew > next ? std::min(a.fresh, a.lastNew - next) : 0;
        const bool ends = next > m_next; // what is held in order goes with the FPDU
        const bool room = m_store.Contiguous(next) <= m_config.memory &&
                          (ends ? late + kept <= std::min(m_behind, most) : held + kept <= most);
        full = a.error == MpaError::NONE && kept > 0 && !room;
    }
    else
    {
        SearchNew(a, true);
        full = late + a.fresh - a.used > limit;
    }
    if (a.Refuse(m_config.silentDrop && a.faultInside, full))
    {
        a.SetWhole(next);
        return true;
    }
    if (a.report.inOrder)
    {
        a.SetVerified();
    }
    return false;
}

// ---- finding FPDUs: at a known place, and out of order ------------------------------------------

void
MpaReceiver::SearchNew(Arrival& a, bool dry)
{
    if (!m_config.outOfOrder || !m_config.format.markers)
    {
        return;
    }
    for (uint64_t at = a.firstNew; at < a.lastNew; at = m_store.Next(at))
    {
        const uint64_t to = at + m_store.Contiguous(at);
        Search(a, m_store.RunStart(at), to, dry);
        at = to;
    }
}

void
MpaReceiver::Search(Arrival& a, uint64_t from, uint64_t to, bool dry)
{
    uint64_t tried = UINT64_MAX;
    const auto before =
        std::lower_bound(m_ahead.begin(), m_ahead.end(), from, [](const Passed& p, uint64_t o) {
            return p.end < o;
        });
    if (before != m_ahead.end() && before->end == from)
    {
        tried = from = Follow(a, from, from, dry);
    }
    // an FPDU without a new octet has been judged before
    const uint64_t first = std::max(from, a.firstNew - std::min(a.firstNew, REACH));
    const uint64_t last = std::min(to, a.lastNew + REACH);
    uint64_t marker = first + DistanceToMarker(static_cast<uint32_t>(first));
    for (; marker + MARKER_SIZE <= last; marker += MARKER_INTERVAL)
    {
        if (marker < from) // inside of what has been passed
        {
            continue;
        }
        uint8_t field[MARKER_SIZE];
        m_store.Gather(marker, MARKER_SIZE, field);
        uint64_t start;
        if (ClaimedStart(marker, static_cast<uint16_t>(field[2] << 8 | field[3]), start) &&
            start >= from && start != tried)
        {
            tried = from = start;
            if (HasPart(a, start))
            {
                a.report.markerSearches += dry ? 0 : 1;
                tried = from = Follow(a, start, marker, dry);
            }
        }
    }
}

bool
MpaReceiver::HasPart(const Arrival& a, uint64_t offset) const
{
    uint8_t head[MARKER_SIZE + LENGTH_SIZE];
    const auto size = static_cast<uint32_t>(m_store.Contiguous(offset, sizeof(head)));
    if (size == 0)
    {
        return false;
    }
    m_store.Gather(offset, size, head);
    const auto position = static_cast<uint32_t>(offset);
    const uint32_t wireSize =
        ParseFpdu(head, size, position, m_config.format, CheckMarkers::NONE).wireSize;
    return wireSize == 0 || (offset < a.lastNew && offset + wireSize > a.firstNew);
}

uint64_t
MpaReceiver::Follow(Arrival& a, uint64_t from, uint64_t inside, bool dry)
{
    uint64_t at = from;
    Found found;
    while (Look(a, at, found))
    {
        const uint64_t end = at + found.view.wireSize;
        if (end <= inside) // the Marker that led here lies outside of the FPDU
        {
            break;
        }
        const MpaError error = Validate(found.view);
        if (error != MpaError::NONE)
        {
            if (dry && a.Touches(at, end))
            {
                a.error = error;
                a.faultInside = true;
            }
            break;
        }
        a.used += found.view.wireSize;
        if (!dry)
        {
            Pass(a, at, found, false);
            const auto behind =
                std::upper_bound(m_ahead.begin(),
                                 m_ahead.end(),
                                 at,
                                 [](uint64_t o, const Passed& p) { return o < p.start; });
            m_ahead.insert(behind, {at, end});
            a.startSeen = a.startSeen || at == a.start;
            a.endSeen = a.endSeen || end == a.end;
        }
        at = end;
    }
    if (!dry && at > from)
    {
        m_store.Erase(from, at);
    }
    return at;
}

uint64_t
MpaReceiver::FindGap(uint64_t offset, uint64_t want) const
{
    const uint64_t known = offset >= m_next && offset < m_edge ? m_edge - offset : 0;
    return known >= want ? offset + want
                         : offset + known + m_store.Contiguous(offset + known, want - known);
}

bool
MpaReceiver::Look(Arrival& a, uint64_t offset, Found& found) const
{
    uint32_t seen;
    found.span = m_store.Peek(offset, seen);
    if (seen == 0)
    {
        return false;
    }
    const auto position = static_cast<uint32_t>(offset);
    found.view = ParseFpdu(found.span.data, seen, position, a.format, a.check);
    if (found.view.complete)
    {
        found.span.lent = std::min(found.span.lent, found.view.wireSize);
        found.span.late = std::min(found.span.late, found.view.wireSize);
        return true;
    }
    if (found.view.wireSize == 0) // its length lies in the next chunk, in part at least
    {
        uint8_t head[MARKER_SIZE + LENGTH_SIZE];
        const auto size = static_cast<uint32_t>(m_store.Contiguous(offset, sizeof(head)));
        m_store.Gather(offset, size, head);
        found.view = ParseFpdu(head, size, position, a.format, a.check);
    }
    const uint32_t wireSize = found.view.wireSize;
    if (wireSize == 0 || FindGap(offset, wireSize) < offset + wireSize)
    {
        return false;
    }
    found.span = m_store.Gather(offset, wireSize, a.GetFpdu(wireSize));
    found.view = ParseFpdu(found.span.data, wireSize, position, a.format, a.check);
    return true;
}

// ---- memory that is lent ------------------------------------------------------------------------

std::vector<std::unique_ptr<MpaReceiver::Scratch>>&
MpaReceiver::Scratch::GetSpare()
{
    static thread_local std::vector<std::unique_ptr<Scratch>> spare;
    return spare;
}

MpaReceiver::Scratch*
MpaReceiver::Scratch::Acquire()
{
    auto& spare = GetSpare();
    if (spare.empty())
    {
        return new Scratch;
    }
    Scratch* scratch = spare.back().release();
    spare.pop_back();
    return scratch;
}

void
MpaReceiver::Scratch::Give(Scratch* scratch)
{
    if (scratch)
    {
        GetSpare().emplace_back(scratch);
    }
}

} // namespace ns3
