/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-packet-memory.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
PathPacketMemory::Push(const Kept& kept, uint32_t limit)
{
    m_last.push_back(kept);
    if (kept.spi != 0)
    {
        const auto same = std::find_if(m_associations.begin(), m_associations.end(), [&](auto& a) {
            return a.spi == kept.spi && a.direction == kept.direction;
        });
        if (same != m_associations.end())
        {
            *same = kept;
        }
        else
        {
            m_associations.push_back(kept);
        }
    }
    for (auto* packets : {&m_last, &m_associations})
    {
        while (packets->size() > limit)
        {
            packets->pop_front();
        }
    }
}

const std::deque<PathPacketMemory::Kept>&
PathPacketMemory::GetLast() const
{
    return m_last;
}

std::vector<PathPacketMemory::Kept>
PathPacketMemory::ListOthers(PathDirection direction, uint32_t spi) const
{
    std::vector<Kept> others;
    std::copy_if(m_associations.begin(),
                 m_associations.end(),
                 std::back_inserter(others),
                 [&](const Kept& a) { return a.direction == direction && a.spi != spi; });
    return others;
}

} // namespace ns3
