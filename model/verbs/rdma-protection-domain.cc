/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-protection-domain.h"

#include "ns3/log.h"
#include "ns3/util-object-births.h"

#include <cerrno>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaProtectionDomain");

namespace
{

constexpr uint32_t ALL_ACCESS = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE |
                                DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC |
                                DDP_ACCESS_MW_BIND;

} // namespace

RdmaProtectionDomain::RdmaProtectionDomain(Ptr<RdmaDevice> device, uint32_t number)
    : m_device(device),
      m_number(number)
{
}

bool
RdmaProtectionDomain::IsSound(uint32_t access)
{
    // what the peer may change, the local side may
    const bool remoteChange = (access & (DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_ATOMIC)) != 0;
    return (access & ~ALL_ACCESS) == 0 && (!remoteChange || (access & DDP_ACCESS_LOCAL_WRITE) != 0);
}

bool
RdmaProtectionDomain::Claim(RdmaResource resource)
{
    if (!m_device || !m_device->Claim(resource))
    {
        return false;
    }
    m_users++;
    return true;
}

void
RdmaProtectionDomain::Release(RdmaResource resource)
{
    m_device->Release(resource);
    m_users--;
}

int
RdmaProtectionDomain::Fail(int error)
{
    return m_device ? m_device->Fail(error) : error;
}

Ptr<RdmaMemoryRegion>
RdmaProtectionDomain::RegisterMemory(Ptr<DdpMemory> memory, uint64_t address, uint32_t access)
{
    NS_LOG_FUNCTION(this << memory << address << access);
    if (!memory || !IsSound(access))
    {
        Fail(EINVAL);
        return nullptr;
    }
    if (!Claim(RdmaResource::MEMORY_REGION))
    {
        return nullptr;
    }
    DdpStagEntry entry;
    entry.pd = m_number;
    entry.access = access;
    entry.base = address;
    entry.length = memory->GetLength();
    entry.memory = memory;
    entry.invalidatable = false;
    const uint32_t stag = GetTable().Add(entry);
    if (stag == DdpStagTable::NO_STAG)
    {
        Release(RdmaResource::MEMORY_REGION);
        Fail(EINVAL);
        return nullptr;
    }
    return Create<RdmaMemoryRegion>(this, stag);
}

Ptr<RdmaMemoryRegion>
RdmaProtectionDomain::RegisterVirtual(uint64_t length, uint32_t access)
{
    return RegisterMemory(DdpMemory::CreateVirtual(length), 0, access);
}

Ptr<RdmaMemoryRegion>
RdmaProtectionDomain::RegisterBacked(uint64_t length, uint32_t access)
{
    return RegisterMemory(DdpMemory::CreateBacked(length), 0, access);
}

Ptr<RdmaMemoryRegion>
RdmaProtectionDomain::AllocMr(uint32_t maxPages)
{
    NS_LOG_FUNCTION(this << maxPages);
    if (!m_device || maxPages == 0 || maxPages > m_device->GetMaxFastRegPages())
    {
        Fail(EINVAL);
        return nullptr;
    }
    if (!Claim(RdmaResource::MEMORY_REGION))
    {
        return nullptr;
    }
    DdpStagEntry entry;
    entry.pd = m_number;
    entry.memory = DdpMemory::CreateVirtual(0);
    entry.valid = false;
    const uint32_t stag = GetTable().AddKeyed(entry);
    if (stag == DdpStagTable::NO_STAG)
    {
        Release(RdmaResource::MEMORY_REGION);
        Fail(ENOMEM);
        return nullptr;
    }
    return Create<RdmaMemoryRegion>(this, stag, maxPages);
}

Ptr<RdmaMemoryWindow>
RdmaProtectionDomain::AllocMw()
{
    NS_LOG_FUNCTION(this);
    return Claim(RdmaResource::MEMORY_WINDOW) ? Create<RdmaMemoryWindow>(this) : nullptr;
}

Ptr<RdmaSharedReceiveQueue>
RdmaProtectionDomain::CreateSrq(uint32_t maxWr, uint32_t maxSge)
{
    NS_LOG_FUNCTION(this << maxWr << maxSge);
    if (!m_device || maxWr == 0 || maxWr > m_device->GetMaxSrqWr() ||
        maxSge > m_device->GetMaxSge())
    {
        Fail(EINVAL);
        return nullptr;
    }
    if (!Claim(RdmaResource::SHARED_RECEIVE_QUEUE))
    {
        return nullptr;
    }
    auto queue = CreateObject<RdmaSharedReceiveQueue>();
    ObjectBirths::Opened(*queue, PeekPointer(m_device));
    queue->Setup(this, maxWr, maxSge);
    return queue;
}

Ptr<RdmaQueuePair>
RdmaProtectionDomain::CreateQp(const RdmaQueuePairConfig& config)
{
    NS_LOG_FUNCTION(this);
    const bool sound = m_device && config.sendCq && config.receiveCq &&
                       config.maxSendWr <= m_device->GetMaxQpWr() &&
                       config.maxReceiveWr <= m_device->GetMaxQpWr() &&
                       config.maxSendSge <= m_device->GetMaxSge() &&
                       config.maxReceiveSge <= m_device->GetMaxSge() &&
                       config.maxInline <= m_device->GetMaxInline() &&
                       (!config.srq || config.srq->IsOf(this));
    if (!sound)
    {
        Fail(EINVAL);
        return nullptr;
    }
    if (!Claim(RdmaResource::QUEUE_PAIR))
    {
        return nullptr;
    }
    auto pair = CreateObject<RdmaQueuePair>();
    ObjectBirths::Opened(*pair, PeekPointer(m_device));
    pair->Setup(this, config, m_device->NextNumber());
    return pair;
}

int
RdmaProtectionDomain::Deallocate()
{
    NS_LOG_FUNCTION(this);
    if (!m_device)
    {
        return EINVAL;
    }
    if (m_users > 0)
    {
        return Fail(EBUSY);
    }
    m_device->Release(RdmaResource::PROTECTION_DOMAIN);
    m_device = nullptr;
    return 0;
}

uint32_t
RdmaProtectionDomain::GetNumber() const
{
    return m_number;
}

Ptr<RdmaDevice>
RdmaProtectionDomain::GetDevice() const
{
    return m_device;
}

DdpStagTable&
RdmaProtectionDomain::GetTable()
{
    return m_device->GetTable();
}

} // namespace ns3
