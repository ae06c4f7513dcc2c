/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-inline-records.h"

#include <algorithm>

namespace ns3
{

void
MpaInlineRecords::DropUpTo(uint64_t offset)
{
    const auto waits = [offset](const auto& record) { return record.second > offset; };
    m_records.erase(m_records.begin(), std::find_if(m_records.begin(), m_records.end(), waits));
}

uint32_t
MpaInlineRecords::Count(uint64_t begin, uint64_t end) const
{
    uint64_t octets = 0;
    for (const auto& [from, to] : m_records)
    {
        const uint64_t first = std::max(from, begin);
        const uint64_t behind = std::min(to, end);
        octets += behind > first ? behind - first : 0;
    }
    return static_cast<uint32_t>(octets);
}

} // namespace ns3
