/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-common-window.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

CommonWindow::CommonWindow(const std::vector<Flow>& flows)
    : m_start(flows.front().from),
      m_end(Time::Max())
{
    for (const auto& flow : flows)
    {
        m_start = std::max(m_start, flow.from);
        m_end = std::min(m_end, flow.ended.empty() ? flow.from : flow.ended.back());
    }
    for (const auto& [from, first, ended] : flows)
    {
        const auto start = ended.begin() + static_cast<std::ptrdiff_t>(first);
        // a message begins when the one before it has ended
        const auto before = std::lower_bound(start, ended.end(), m_start);
        const auto begin = from >= m_start || before == ended.end() ? before : before + 1;
        const auto end = std::max(begin, std::upper_bound(start, ended.end(), m_end));
        m_ranges.push_back({static_cast<std::size_t>(begin - ended.begin()),
                            static_cast<std::size_t>(end - ended.begin())});
    }
}

bool
CommonWindow::IsLongEnough() const
{
    const std::size_t least = m_ranges.size() > 1 ? LEAST : 1;
    return GetLength().IsStrictlyPositive() &&
           std::all_of(m_ranges.begin(), m_ranges.end(), [least](const Range& range) {
               return range.end - range.begin >= least;
           });
}

Time
CommonWindow::GetStart() const
{
    return m_start;
}

Time
CommonWindow::GetLength() const
{
    return m_end - m_start;
}

const std::vector<CommonWindow::Range>&
CommonWindow::GetRanges() const
{
    return m_ranges;
}

} // namespace iwarp
} // namespace ns3
