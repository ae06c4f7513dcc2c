/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-buffer-pool.h"

namespace ns3
{

RdmapBufferPool::RdmapBufferPool(uint32_t size, uint32_t limit)
    : m_size(size),
      m_limit(limit)
{
}

uint32_t
RdmapBufferPool::GetAvailable() const
{
    const uint32_t inUse = GetInUse();
    return inUse < m_limit ? m_limit - inUse : 0;
}

bool
RdmapBufferPool::Pop(DdpBuffer& buffer)
{
    if (GetAvailable() == 0)
    {
        return false;
    }
    if (!m_memory)
    {
        m_memory = std::make_unique<Memory>();
    }
    auto& [all, free] = *m_memory;
    if (free.empty())
    {
        free.push_back(all.size());
        all.push_back(std::make_unique<uint8_t[]>(m_size));
    }
    buffer.context = free.back();
    free.pop_back();
    buffer.length = m_size;
    buffer.octets = all[buffer.context].get();
    return true;
}

void
RdmapBufferPool::Release(const DdpBuffer& buffer)
{
    m_memory->free.push_back(buffer.context);
}

void
RdmapBufferPool::SetLimit(uint32_t limit)
{
    m_limit = limit;
}

uint32_t
RdmapBufferPool::GetInUse() const
{
    return m_memory ? m_memory->all.size() - m_memory->free.size() : 0;
}

} // namespace ns3
