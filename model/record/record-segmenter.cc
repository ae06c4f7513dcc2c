/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-segmenter.h"

#include <algorithm>

namespace ns3
{

void
RecordSegmenter::SetAlignment(bool alignment)
{
    m_alignment = alignment;
}

bool
RecordSegmenter::GetAlignment() const
{
    return m_alignment;
}

void
RecordSegmenter::SetPacking(bool packing)
{
    m_packing = packing;
}

bool
RecordSegmenter::GetPacking() const
{
    return m_packing;
}

uint32_t
RecordSegmenter::SetEmss(uint32_t emss, bool keepWhole)
{
    m_lastStart = 0; // segments to come end elsewhere
    m_emss = emss;
    if (keepWhole && m_alignment && emss < m_wholeSize)
    {
        m_wholeUpTo = m_wholeUpTo ? m_wholeUpTo : m_records.GetBack();
        return m_wholeSize;
    }
    m_wholeUpTo = 0;
    m_wholeSize = emss;
    return emss;
}

bool
RecordSegmenter::EndKeepingWhole(uint64_t acknowledged)
{
    if (m_wholeUpTo == 0 || acknowledged < m_wholeUpTo)
    {
        return false;
    }
    m_wholeUpTo = 0;
    m_wholeSize = m_emss;
    return true;
}

void
RecordSegmenter::Append(uint32_t size)
{
    m_records.Append(m_records.GetBack() + size);
}

void
RecordSegmenter::DropUpTo(uint64_t acknowledged)
{
    m_records.DropUpTo(acknowledged);
    m_segments.DropUpTo(acknowledged);
}

bool
RecordSegmenter::Sent(uint64_t offset, uint32_t size)
{
    const bool again = IsSent(offset);
    if (!IsSent(offset + size - 1))
    {
        m_segments.Append(offset + size);
    }
    return again;
}

uint32_t
RecordSegmenter::GetFullSize(uint64_t offset) const
{
    if (!m_alignment)
    {
        return m_wholeSize;
    }
    const bool old = offset < m_wholeUpTo;
    const uint32_t limit = old ? m_wholeSize : m_emss;
    uint32_t full = RecordFullSegment(m_records, offset, limit, m_packing);
    if (old && offset + full > m_wholeUpTo)
    {
        full = static_cast<uint32_t>(m_wholeUpTo - offset);
    }
    if (IsSent(offset))
    {
        const auto original = static_cast<uint32_t>(m_segments.After(offset) - offset);
        full = original <= limit ? original : std::min(full, original);
    }
    return full;
}

uint32_t
RecordSegmenter::Fit(uint64_t offset, uint32_t limit)
{
    if (!m_alignment)
    {
        return limit;
    }
    const uint32_t full = GetFullSize(offset);
    if (full <= limit)
    {
        return full;
    }
    m_lastStart = 0; // the segments behind it start elsewhere
    return RecordWholeSegment(m_records, offset, limit, m_packing);
}

TcpSegmentChoice
RecordSegmenter::Choose(uint64_t offset, const TcpSendAllowance& allowance)
{
    const uint32_t full = GetFullSize(offset);
    if (!m_alignment)
    {
        return TcpChooseSegment(full, allowance);
    }
    TcpSegmentChoice choice;
    choice.wanted = full;
    if (full <= allowance.limit)
    {
        choice.size = full;
    }
    else if (allowance.idle)
    { // while something is in flight, an ACK will come and widen the window
        choice.size = Fit(offset, allowance.limit);
        if (choice.size == 0 && TcpFillsNarrowWindow(allowance))
        {
            choice.size = allowance.limit;
        }
        choice.mayOverride = choice.size == 0;
    }
    return choice;
}

uint32_t
RecordSegmenter::GetPartBefore(uint64_t offset) const
{
    const uint64_t start = m_segments.UpTo(offset);
    if (start == offset || m_segments.After(offset) - start > m_wholeSize)
    {
        return 0;
    }
    return static_cast<uint32_t>(offset - start);
}

uint32_t
RecordSegmenter::GetRoom(uint64_t acknowledged) const
{
    const uint64_t tail = m_records.GetBack();
    const uint64_t sent = std::max(m_segments.GetBack(), acknowledged);
    if (!m_alignment || !m_packing || sent == tail)
    {
        return m_emss;
    }
    uint64_t end = std::max(m_lastStart, sent);
    while (end < tail)
    {
        m_lastStart = end;
        end += RecordFullSegment(m_records, end, m_emss, true);
    }
    return m_records.IsBoundary(m_lastStart) ? m_emss - static_cast<uint32_t>(tail - m_lastStart)
                                             : m_emss;
}

bool
RecordSegmenter::IsRecordBoundary(uint64_t offset) const
{
    return m_records.IsBoundary(offset);
}

uint32_t
RecordSegmenter::GetRecordPart(uint64_t offset) const
{
    return static_cast<uint32_t>(offset - m_records.UpTo(offset));
}

bool
RecordSegmenter::IsLongRecord(uint64_t offset) const
{
    return m_records.After(offset) - m_records.UpTo(offset) > m_wholeSize;
}

} // namespace ns3
