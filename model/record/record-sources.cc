/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-sources.h"

#include <algorithm>

namespace ns3
{

void
RecordSources::Append(const RecordSourceRun& record)
{
    if (m_records.full())
    {
        m_records.set_capacity(std::max<std::size_t>(4, 2 * m_records.capacity()));
    }
    m_records.push_back(record);
}

void
RecordSources::DropUpTo(uint64_t offset)
{
    while (!m_records.empty() && m_records.front().end <= offset)
    {
        m_records.pop_front();
    }
}

RecordSources::Records::const_iterator
RecordSources::Find(uint64_t offset) const
{
    const auto over = [offset](const RecordSourceRun& record) { return record.end <= offset; };
    return std::partition_point(m_records.begin(), m_records.end(), over);
}

uint32_t
RecordSources::CountInline(uint64_t begin, uint64_t end) const
{
    uint64_t octets = 0;
    for (auto record = Find(begin); record != m_records.end() && record->begin < end; ++record)
    {
        if (record->inlined)
        {
            octets += std::min(record->end, end) - std::max(record->begin, begin);
        }
    }
    return static_cast<uint32_t>(octets);
}

} // namespace ns3
