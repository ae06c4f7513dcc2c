/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver-arrival.h"
#include "mpa-receiver.h"

#include <algorithm>

// The part of MpaReceiver that finds FPDUs: at a known place, and out of order.

namespace ns3
{

using namespace mpa;

static constexpr uint64_t REACH = 1 << 17; //!< more octets than the longest FPDU has

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
        const MpaError error = Judge(found.view);
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

} // namespace ns3
