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

RandomStreams::RandomStreams(int64_t first)
    : m_next(first)
{
    NS_ABORT_MSG_IF(first < 0, "random streams have numbers from 0 on, not " << first);
}

int64_t
RandomStreams::Take(int64_t count)
{
    NS_ABORT_MSG_IF(count < 0 || count > INT64_MAX - m_next,
                    "there are no " << count << " random streams from " << m_next << " on");
    const int64_t first = m_next;
    m_next += count;
    return first;
}

void
RandomStreams::Skip(int64_t number)
{
    m_next = std::max(m_next, number);
}

} // namespace iwarp
} // namespace ns3
