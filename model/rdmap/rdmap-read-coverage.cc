/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-read-coverage.h"

namespace ns3
{

bool
RdmapReadCoverage::Add(uint32_t offset, uint32_t size)
{
    if (offset == m_filled && !m_scattered)
    {
        m_filled += size;
        return true;
    }
    if (offset < m_filled)
    {
        return false;
    }
    if (!m_scattered)
    {
        m_scattered = std::make_unique<Runs>();
    }
    const auto run = Runs::interval_type::right_open(offset, offset + size);
    if (boost::icl::intersects(*m_scattered, run))
    {
        return false;
    }
    m_scattered->add(run);
    if (m_scattered->begin()->lower() == m_filled)
    {
        m_filled = m_scattered->begin()->upper();
        m_scattered->erase(*m_scattered->begin());
    }
    if (m_scattered->empty())
    {
        m_scattered.reset();
    }
    return true;
}

uint32_t
RdmapReadCoverage::GetFilled() const
{
    return m_filled;
}

uint32_t
RdmapReadCoverage::GetScattered() const
{
    return m_scattered ? m_scattered->iterative_size() : 0;
}

void
RdmapReadCoverage::Clear()
{
    m_filled = 0;
    m_scattered.reset();
}

} // namespace ns3
