/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-tags.h"

#include <algorithm>

namespace ns3
{

RnicTags::RnicTags(uint32_t count)
    : m_count(count)
{
}

std::size_t
RnicTags::FindBehind(RnicTime at) const
{
    const std::size_t size = m_steps.GetSize();
    if (size == 0 || m_steps[size - 1].at <= at)
    {
        return size;
    }
    const auto before = [](RnicTime t, const Step& step) { return t < step.at; };
    const Step* found = std::upper_bound(m_steps.begin(), m_steps.end(), at, before);
    return static_cast<std::size_t>(found - m_steps.begin());
}

RnicTime
RnicTags::GetFree(RnicTime from) const
{
    std::size_t next = FindBehind(from);
    while (next > 0 && m_steps[next - 1].held >= m_count)
    {
        from = m_steps[next].at; // the last step is to none
        ++next;
    }
    return from;
}

RnicTime
RnicTags::GetFull(RnicTime from, RnicTime to) const
{
    for (std::size_t i = FindBehind(from); i < m_steps.GetSize() && m_steps[i].at < to; ++i)
    {
        if (m_steps[i].held >= m_count)
        {
            return m_steps[i].at;
        }
    }
    return to;
}

std::size_t
RnicTags::Split(RnicTime at)
{
    const std::size_t next = FindBehind(at);
    if (next > 0 && m_steps[next - 1].at == at)
    {
        return next - 1;
    }
    const uint32_t held = next > 0 ? m_steps[next - 1].held : 0;
    m_steps.Insert(next, {at, held});
    return next;
}

void
RnicTags::Merge(std::size_t index)
{
    if (index > 0 && m_steps[index - 1].held == m_steps[index].held)
    {
        m_steps.Erase(index, index + 1);
    }
}

void
RnicTags::Hold(RnicTime now, RnicTime start, RnicTime end)
{
    while (m_steps.GetSize() > 1 && m_steps[1].at <= now)
    {
        m_steps.PopFront();
    }
    if (start >= end)
    {
        return;
    }
    const std::size_t first = Split(start);
    const std::size_t last = Split(end);
    for (std::size_t i = first; i < last; ++i)
    {
        if (++m_steps[i].held == m_count)
        {
            m_fullUntil = std::max(m_fullUntil, m_steps[i + 1].at);
        }
    }
    Merge(last);
    Merge(first);
}

} // namespace ns3
