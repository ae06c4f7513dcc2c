/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-segment-classifier.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

bool
RecordSegmentClassifier::IsEmpty() const
{
    return m_segments.empty();
}

uint32_t
RecordSegmentClassifier::GetWaiting() const
{
    return m_segments.size() - m_done;
}

void
RecordSegmentClassifier::Add(uint64_t start, uint64_t end, bool headerAligned, bool join)
{
    auto at = m_segments.end();
    if (!m_segments.empty() && m_segments.back().start > start)
    {
        at = std::upper_bound(m_segments.begin(),
                              m_segments.end(),
                              start,
                              [](uint64_t o, const Segment& s) { return o < s.start; });
    }
    if (join && at > m_segments.begin() + m_done)
    {
        Segment& before = *std::prev(at);
        if (!before.done && before.end == start && !headerAligned)
        {
            before.end = end;
            return;
        }
    }
    m_segments.insert(at, {start, end, headerAligned});
}

void
RecordSegmentClassifier::SkipDone()
{
    while (m_done < m_segments.size() && m_segments[m_done].done)
    {
        ++m_done;
    }
}

void
RecordSegmentClassifier::Purge()
{
    m_segments.erase(m_segments.begin(), m_segments.begin() + m_done);
    m_done = 0;
}

} // namespace ns3
