/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-chain.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

RecordChain::RecordChain(const RecordFraming& framing, uint64_t start)
    : m_framing(framing),
      m_position(start)
{
    NS_ABORT_MSG_IF(framing.GetHeadSize() == 0 || framing.GetHeadSize() > MAX_HEAD,
                    framing.GetName() << ": a head has 1 to " << MAX_HEAD << " octets");
}

void
RecordChain::Restart(uint64_t start)
{
    m_position = start;
    m_have = 0;
    m_known = m_broken = false;
}

uint32_t
RecordChain::CountHead(uint64_t end) const
{
    return static_cast<uint32_t>(
        std::min<uint64_t>(m_framing.GetHeadSize() - m_have, end - m_position));
}

bool
RecordChain::TakeHead(uint32_t size)
{
    m_position += size;
    m_have += size;
    if (m_have < m_framing.GetHeadSize())
    {
        return false;
    }
    m_record = {m_position - m_have, m_framing.ReadHead(m_head.data())};
    m_broken = m_record.head.size < m_have;
    m_known = !m_broken && m_record.GetEnd() > m_position;
    m_have = 0;
    return !m_broken;
}

} // namespace ns3
