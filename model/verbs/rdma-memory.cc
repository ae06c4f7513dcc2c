/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-memory.h"

#include "rdma-protection-domain.h"

#include <cerrno>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t REMOTE =
    DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC;
constexpr uint32_t REMOTE_CHANGE = DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_ATOMIC;

} // namespace

// ---- memory region ------------------------------------------------------------------------------

RdmaMemoryRegion::RdmaMemoryRegion(Ptr<RdmaProtectionDomain> domain,
                                   uint32_t stag,
                                   uint32_t maxPages)
    : m_domain(domain),
      m_stag(stag),
      m_key(stag),
      m_maxPages(maxPages)
{
}

RdmaMemoryRegion::~RdmaMemoryRegion() = default;

uint32_t
RdmaMemoryRegion::GetLkey() const
{
    return m_key;
}

uint32_t
RdmaMemoryRegion::GetRkey() const
{
    return m_key;
}

uint64_t
RdmaMemoryRegion::GetAddress() const
{
    return m_domain ? m_domain->GetTable().Find(m_stag)->base : 0;
}

uint64_t
RdmaMemoryRegion::GetLength() const
{
    return m_domain ? m_domain->GetTable().Find(m_stag)->length : 0;
}

uint32_t
RdmaMemoryRegion::GetAccess() const
{
    return m_domain ? m_domain->GetTable().Find(m_stag)->access : 0;
}

Ptr<DdpMemory>
RdmaMemoryRegion::GetMemory() const
{
    return m_domain ? m_domain->GetTable().Find(m_stag)->memory : nullptr;
}

bool
RdmaMemoryRegion::IsValid() const
{
    return m_domain && m_domain->GetTable().Find(m_stag)->valid;
}

RdmaSge
RdmaMemoryRegion::GetSge(uint64_t offset, uint32_t length) const
{
    return {GetAddress() + offset, length, m_key};
}

int
RdmaMemoryRegion::AllowInvalidation(bool allowed)
{
    if (!m_domain)
    {
        return EINVAL;
    }
    DdpStagEntry entry = *m_domain->GetTable().Find(m_stag);
    entry.invalidatable = allowed;
    m_domain->GetTable().Update(m_stag, entry);
    return 0;
}

int
RdmaMemoryRegion::Map(Ptr<DdpMemory> memory, uint64_t offset, uint64_t length, uint64_t address)
{
    if (!m_domain)
    {
        return EINVAL;
    }
    const bool sound =
        memory && memory->Holds(offset, length) && length <= UINT64_MAX - address && length > 0;
    const uint64_t pages = sound ? (address + length - 1) / PAGE - address / PAGE + 1 : 0;
    if (!sound || pages > m_maxPages)
    {
        return m_domain->Fail(EINVAL);
    }
    m_memory = memory;
    m_offset = offset;
    m_length = length;
    m_address = address;
    m_pages = static_cast<uint32_t>(pages);
    return 0;
}

int
RdmaMemoryRegion::UpdateKey(uint8_t key)
{
    if (!m_domain || m_maxPages == 0)
    {
        return EINVAL;
    }
    m_key = (m_key & ~0xFFU) | key;
    return 0;
}

uint32_t
RdmaMemoryRegion::GetPages() const
{
    return m_pages;
}

bool
RdmaMemoryRegion::Prepare(uint32_t access, DdpStagEntry& entry) const
{
    // windows bound to it would outlive its registration
    if (!m_domain || !m_memory || (access & DDP_ACCESS_MW_BIND) != 0 ||
        !RdmaProtectionDomain::IsSound(access))
    {
        return false;
    }
    entry.pd = m_domain->GetNumber();
    entry.access = access;
    entry.base = m_address;
    entry.length = m_length;
    entry.memory = m_memory;
    entry.offset = m_offset;
    return true;
}

bool
RdmaMemoryRegion::Open(const RdmaProtectionDomain* domain, uint32_t stag, const DdpStagEntry& entry)
{
    if (PeekPointer(m_domain) != domain || IsValid())
    {
        return false;
    }
    DdpStagTable& table = m_domain->GetTable();
    table.ChangeKey(m_stag, static_cast<uint8_t>(stag));
    m_stag = stag;
    return table.Update(stag, entry);
}

int
RdmaMemoryRegion::Deregister()
{
    if (!m_domain)
    {
        return EINVAL;
    }
    if (m_domain->GetTable().Find(m_stag)->windows > 0)
    {
        return m_domain->Fail(EBUSY);
    }
    const Ptr<RdmaProtectionDomain> domain = std::exchange(m_domain, nullptr);
    domain->GetTable().Remove(m_stag);
    domain->Release(RdmaResource::MEMORY_REGION);
    return 0;
}

// ---- memory window ------------------------------------------------------------------------------

RdmaMemoryWindow::RdmaMemoryWindow(Ptr<RdmaProtectionDomain> domain)
    : m_domain(domain)
{
}

RdmaMemoryWindow::~RdmaMemoryWindow() = default;

uint32_t
RdmaMemoryWindow::GetRkey() const
{
    return m_stag;
}

bool
RdmaMemoryWindow::IsBound() const
{
    // the peer may have invalidated it
    return m_domain && m_region && m_domain->GetTable().Find(m_stag)->valid;
}

void
RdmaMemoryWindow::Unbind()
{
    if (m_region)
    {
        m_domain->GetTable().Invalidate(m_stag);
        m_region = nullptr;
    }
}

int
RdmaMemoryWindow::Bind(Ptr<RdmaMemoryRegion> region,
                       uint64_t address,
                       uint64_t length,
                       uint32_t access,
                       uint32_t stream)
{
    if (!m_domain)
    {
        return EINVAL;
    }
    if (length == 0)
    {
        Unbind();
        return 0;
    }
    if (!region || !region->m_domain || !region->IsValid() || region->m_domain != m_domain ||
        (region->GetAccess() & DDP_ACCESS_MW_BIND) == 0 || (access & ~REMOTE) != 0 ||
        ((access & REMOTE_CHANGE) != 0 && (region->GetAccess() & DDP_ACCESS_LOCAL_WRITE) == 0))
    {
        return m_domain->Fail(EINVAL);
    }
    const uint64_t base = region->GetAddress();
    if (address < base || address - base > region->GetLength() ||
        length > region->GetLength() - (address - base))
    {
        return m_domain->Fail(EINVAL);
    }
    DdpStagTable& table = m_domain->GetTable();
    DdpStagEntry entry = *table.Find(region->m_stag);
    entry.stream = stream;
    entry.access = access;
    entry.offset += address - base;
    entry.base = address;
    entry.length = length;
    entry.invalidatable = true;
    entry.region = region->m_stag;
    Unbind();
    if (m_stag == DdpStagTable::NO_STAG)
    {
        m_stag = table.Add(entry);
    }
    else
    {
        m_stag = table.Rekey(m_stag);
        table.Update(m_stag, entry);
    }
    m_region = region;
    return 0;
}

int
RdmaMemoryWindow::Deallocate()
{
    if (!m_domain)
    {
        return EINVAL;
    }
    Unbind();
    if (m_stag != DdpStagTable::NO_STAG)
    {
        m_domain->GetTable().Remove(m_stag);
    }
    m_domain->Release(RdmaResource::MEMORY_WINDOW);
    m_domain = nullptr;
    return 0;
}

} // namespace ns3
