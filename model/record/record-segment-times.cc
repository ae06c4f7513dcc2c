/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-segment-times.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
RecordSegmentTimes::Add(uint64_t begin, uint64_t end, int64_t now)
{
    begin = std::max(begin, m_next);
    const auto after = std::find_if(m_segments.begin(), m_segments.end(), [begin](const auto& one) {
        return one.begin > begin;
    });
    if (after != m_segments.begin())
    {
        begin = std::max(begin, std::prev(after)->end);
    }
    if (after != m_segments.end())
    {
        end = std::min(end, after->begin);
    }
    if (begin < end)
    {
        m_segments.insert(after, {begin, end, now});
    }
}

int64_t
RecordSegmentTimes::Find(uint64_t begin, uint64_t end)
{
    int64_t last = -1;
    m_next = end;
    for (const auto& segment : m_segments)
    {
        if (segment.begin >= end)
        {
            break;
        }
        last = segment.end > begin ? std::max(last, segment.time) : last;
    }
    while (!m_segments.empty() && m_segments.front().end <= end)
    {
        m_segments.pop_front();
    }
    return last;
}

} // namespace ns3
