/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-boundary-map.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
RecordBoundaryMap::Append(uint64_t end)
{
    NS_ASSERT_MSG(end > m_back, "a record has at least one octet");
    m_ends.push_back(end);
    m_back = end;
}

void
RecordBoundaryMap::DropUpTo(uint64_t offset)
{
    const uint32_t first = m_first;
    while (m_first < m_ends.size() && m_ends[m_first] <= offset)
    {
        m_floor = m_ends[m_first++];
    }
    m_hint = std::max(m_hint, m_first);
    if (m_first > first && m_first >= m_ends.size() - m_first)
    { // half of it is of no use: move the rest, each boundary once on the average
        m_ends.erase(m_ends.begin(), m_ends.begin() + m_first);
        m_hint -= m_first;
        m_first = 0;
    }
}

uint32_t
RecordBoundaryMap::Find(uint64_t offset) const
{
    const auto size = static_cast<uint32_t>(m_ends.size());
    for (uint32_t i = m_hint; i < std::min(m_hint + 2, size); ++i)
    {
        if (m_ends[i] > offset && (i == m_first || m_ends[i - 1] <= offset))
        {
            m_hint = i;
            return i;
        }
    }
    const auto after = std::upper_bound(m_ends.begin() + m_first, m_ends.end(), offset);
    m_hint = static_cast<uint32_t>(after - m_ends.begin());
    return m_hint;
}

bool
RecordBoundaryMap::IsBoundary(uint64_t offset) const
{
    return UpTo(offset) == offset;
}

uint64_t
RecordBoundaryMap::After(uint64_t offset) const
{
    const uint32_t i = Find(offset);
    NS_ASSERT_MSG(i < m_ends.size(), "no record holds the octet " << offset);
    return m_ends[i];
}

uint64_t
RecordBoundaryMap::UpTo(uint64_t offset) const
{
    if (offset >= m_back)
    {
        return m_back;
    }
    const uint32_t i = Find(offset);
    return i == m_first ? m_floor : m_ends[i - 1];
}

uint32_t
RecordFullSegment(const RecordBoundaryMap& records, uint64_t offset, uint32_t emss, bool packing)
{
    const uint64_t first = records.After(offset) - offset;
    if (first >= emss)
    {
        return emss;
    }
    if (!packing || !records.IsBoundary(offset))
    {
        return static_cast<uint32_t>(first);
    }
    return static_cast<uint32_t>(records.UpTo(offset + emss) - offset);
}

uint32_t
RecordWholeSegment(const RecordBoundaryMap& records, uint64_t offset, uint32_t limit, bool packing)
{
    return records.After(offset) - offset > limit
               ? 0
               : RecordFullSegment(records, offset, limit, packing);
}

} // namespace ns3
