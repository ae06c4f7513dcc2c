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
    m_entries.push_back(entry);
}

std::vector<IpsecSentLog::Entry>
IpsecSentLog::Extract(const IpsecAddress& destination, uint32_t mtu)
{
    std::vector<Entry> taken;
    for (auto& entry : m_entries)
    {
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
