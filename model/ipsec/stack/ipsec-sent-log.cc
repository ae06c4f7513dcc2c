/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-sent-log.h"

#include <algorithm>

namespace ns3
{

void
IpsecSentLog::Add(const Entry& entry)
{
    if (m_entries.size() < KEPT)
    {
        m_entries.push_back(entry);
        return;
    }
    m_entries[m_next] = entry;
    m_next = (m_next + 1) % KEPT;
}

std::vector<IpsecSentLog::Entry>
IpsecSentLog::Extract(const IpsecAddress& destination, uint32_t mtu)
{
    std::vector<Entry> taken;
    for (std::size_t i = 0; i < m_entries.size(); i++)
    {
        Entry& entry = m_entries[(m_next + i) % m_entries.size()]; // the oldest first
        if (entry.octets <= mtu || entry.destination != destination)
        {
            continue;
        }
        const auto same = std::find_if(taken.begin(), taken.end(), [&entry](const auto& other) {
            return other.flow == entry.flow;
        });
        if (same == taken.end())
        {
            taken.push_back(entry);
        }
        else
        {
            *same = entry; // the last one: what it is about is still on its way
        }
        entry.octets = 0;
    }
    return taken;
}

} // namespace ns3
