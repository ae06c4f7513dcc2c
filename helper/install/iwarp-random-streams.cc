/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-random-streams.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

int64_t
RandomStreams::Allocate(const std::string& purpose, int64_t count, int64_t from)
{
    const int64_t first = Find(count, from);
    if (count > 0)
    {
        const auto behind = std::find_if(m_ranges.begin(), m_ranges.end(), [first](const Range& r) {
            return r.first > first;
        });
        m_ranges.insert(behind, {purpose, first, count});
    }
    return first;
}

int64_t
RandomStreams::Find(int64_t count, int64_t from) const
{
    NS_ABORT_MSG_IF(from < 0, "random streams have numbers from 0 on, not " << from);
    int64_t first = from;
    for (const Range& range : m_ranges)
    {
        const bool isBefore = range.first + range.count <= first;
        if (!isBefore && count > range.first - first)
        {
            first = range.first + range.count;
        }
    }
    NS_ABORT_MSG_IF(count < 0 || count > INT64_MAX - first,
                    "there are no " << count << " random streams from " << first << " on");
    return first;
}

int64_t
RandomStreams::GetEnd() const
{
    return m_ranges.empty() ? 0 : m_ranges.back().first + m_ranges.back().count;
}

const std::vector<RandomStreams::Range>&
RandomStreams::GetRanges() const
{
    return m_ranges;
}

} // namespace iwarp
} // namespace ns3
