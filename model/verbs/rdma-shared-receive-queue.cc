/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-shared-receive-queue.h"

#include "rdma-protection-domain.h"

#include "ns3/log.h"
#include "ns3/util-object-births.h"

#include <cerrno>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSharedReceiveQueue");

NS_OBJECT_ENSURE_REGISTERED(RdmaSharedReceiveQueue);

TypeId
RdmaSharedReceiveQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSharedReceiveQueue")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaSharedReceiveQueue>()
            .AddTraceSource("Available",
                            "Buffers in the queue.",
                            MakeTraceSourceAccessor(&RdmaSharedReceiveQueue::m_available),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

RdmaSharedReceiveQueue::RdmaSharedReceiveQueue()
{
    ObjectBirths::Made(*this);
}

RdmaSharedReceiveQueue::~RdmaSharedReceiveQueue() = default;

void
RdmaSharedReceiveQueue::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_domain = nullptr;
    m_queue.clear();
    Object::DoDispose();
}

void
RdmaSharedReceiveQueue::Setup(Ptr<RdmaProtectionDomain> domain, uint32_t maxWr, uint32_t maxSge)
{
    m_domain = domain;
    m_queue.set_capacity(maxWr);
    m_maxSge = maxSge;
}

int
RdmaSharedReceiveQueue::PostReceive(const RdmaReceiveRequest& request)
{
    NS_LOG_FUNCTION(this << request.id);
    DdpBuffer buffer;
    if (!m_domain || request.sges.size() > m_maxSge || !RdmaMakeBuffer(request, buffer))
    {
        return EINVAL;
    }
    if (m_queue.full())
    {
        return m_domain->Fail(ENOMEM);
    }
    m_queue.push_back(buffer);
    m_available = m_queue.size();
    return 0;
}

int
RdmaSharedReceiveQueue::PostReceive(const std::vector<RdmaReceiveRequest>& requests,
                                    std::size_t& bad)
{
    int error = m_domain ? 0 : EINVAL;
    for (bad = 0; bad < requests.size() && error == 0;)
    {
        error = PostReceive(requests[bad]);
        bad += error == 0 ? 1 : 0;
    }
    return error;
}

int
RdmaSharedReceiveQueue::SetLimit(uint32_t limit)
{
    NS_LOG_FUNCTION(this << limit);
    if (!m_domain || limit > m_queue.capacity())
    {
        return EINVAL;
    }
    m_limit = limit;
    return 0;
}

void
RdmaSharedReceiveQueue::SetFairShare(uint32_t share)
{
    m_share = share;
}

uint32_t
RdmaSharedReceiveQueue::GetFairShare() const
{
    return m_share;
}

uint32_t
RdmaSharedReceiveQueue::GetAvailable() const
{
    return m_queue.size();
}

uint32_t
RdmaSharedReceiveQueue::GetCapacity() const
{
    return m_queue.capacity();
}

bool
RdmaSharedReceiveQueue::Pop(DdpBuffer& buffer)
{
    if (m_queue.empty())
    {
        return false;
    }
    buffer = std::move(m_queue.front());
    m_queue.pop_front();
    m_available = m_queue.size();
    if (m_queue.size() < m_limit)
    {
        m_limit = 0;
        m_domain->GetDevice()->Raise(RdmaEvent::SRQ_LIMIT, 0);
    }
    return true;
}

bool
RdmaSharedReceiveQueue::IsOf(const RdmaProtectionDomain* domain) const
{
    return PeekPointer(m_domain) == domain;
}

void
RdmaSharedReceiveQueue::Attach()
{
    m_users++;
}

void
RdmaSharedReceiveQueue::Detach()
{
    m_users--;
}

int
RdmaSharedReceiveQueue::Destroy()
{
    NS_LOG_FUNCTION(this);
    if (!m_domain)
    {
        return EINVAL;
    }
    if (m_users > 0)
    {
        return m_domain->Fail(EBUSY);
    }
    m_domain->Release(RdmaResource::SHARED_RECEIVE_QUEUE);
    m_domain = nullptr;
    m_queue.clear();
    return 0;
}

} // namespace ns3
