/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-completion-queue.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/util-object-births.h"

#include <cerrno>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCompletionQueue");

NS_OBJECT_ENSURE_REGISTERED(RdmaCompletionQueue);

TypeId
RdmaCompletionQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaCompletionQueue")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RdmaCompletionQueue>()
                            .AddTraceSource("Completion",
                                            "A completion was queued.",
                                            MakeTraceSourceAccessor(&RdmaCompletionQueue::m_trace),
                                            "ns3::RdmaCompletionQueue::CompletionTracedCallback")
                            .AddTraceSource("Size",
                                            "Completions in the queue.",
                                            MakeTraceSourceAccessor(&RdmaCompletionQueue::m_size),
                                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

RdmaCompletionQueue::RdmaCompletionQueue()
    : m_queue(1)
{
    ObjectBirths::Made(*this);
}

RdmaCompletionQueue::~RdmaCompletionQueue() = default;

void
RdmaCompletionQueue::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_notify.Cancel();
    m_callback = NotifyCallback();
    m_users.clear();
    Object::DoDispose();
}

int
RdmaCompletionQueue::Poll(uint32_t most, std::vector<RdmaCompletion>& completions)
{
    completions.clear();
    while (completions.size() < most && !m_queue.empty())
    {
        completions.emplace_back();
        Pop(completions.back());
    }
    m_size = m_queue.size();
    return completions.empty() && m_overflowed ? -EIO : static_cast<int>(completions.size());
}

int
RdmaCompletionQueue::Poll(RdmaCompletion& completion)
{
    if (m_queue.empty())
    {
        return m_overflowed ? -EIO : 0;
    }
    Pop(completion);
    m_size = m_queue.size();
    return 1;
}

void
RdmaCompletionQueue::Pop(RdmaCompletion& completion)
{
    const Entry& entry = m_queue.front();
    completion = entry;
    const uint32_t slots = entry.slots;
    m_queue.pop_front();
    const auto user = slots > 0 ? m_users.find(completion.qpNumber) : m_users.end();
    if (user != m_users.end())
    {
        user->second->HandlePolled(slots);
    }
}

void
RdmaCompletionQueue::RequestNotify(bool solicitedOnly)
{
    NS_LOG_FUNCTION(this << solicitedOnly);
    // a request for all completions outdoes one for solicited ones
    m_solicitedOnly = m_armed ? m_solicitedOnly && solicitedOnly : solicitedOnly;
    m_armed = true;
}

void
RdmaCompletionQueue::SetNotifyCallback(NotifyCallback callback)
{
    m_callback = callback;
}

void
RdmaCompletionQueue::Push(const RdmaCompletion& completion, bool solicited, uint32_t slots)
{
    if (m_overflowed)
    {
        return;
    }
    if (m_queue.full())
    {
        m_overflowed = true;
        const auto users = m_users; // they may leave
        for (const auto& user : users)
        {
            user.second->HandleOverflow();
        }
        return;
    }
    Entry entry;
    static_cast<RdmaCompletion&>(entry) = completion;
    entry.slots = slots;
    m_queue.push_back(entry);
    m_size = m_queue.size();
    m_trace(completion);
    const bool wanted = !m_solicitedOnly || solicited || completion.status != RdmapStatus::SUCCESS;
    if (m_armed && wanted)
    {
        m_armed = false;
        if (!m_callback.IsNull() && m_notify.IsExpired())
        {
            m_notify = Simulator::ScheduleNow(&RdmaCompletionQueue::Notify, this);
        }
    }
}

void
RdmaCompletionQueue::Notify()
{
    if (!m_callback.IsNull())
    {
        m_callback(this);
    }
}

uint32_t
RdmaCompletionQueue::GetCapacity() const
{
    return m_queue.capacity();
}

uint32_t
RdmaCompletionQueue::GetSize() const
{
    return m_queue.size();
}

bool
RdmaCompletionQueue::HasOverflowed() const
{
    return m_overflowed;
}

int
RdmaCompletionQueue::Resize(uint32_t capacity)
{
    NS_LOG_FUNCTION(this << capacity);
    if (capacity == 0 || capacity < m_queue.size())
    {
        return EINVAL;
    }
    m_queue.set_capacity(capacity);
    return 0;
}

void
RdmaCompletionQueue::Attach(uint32_t user, User* listener)
{
    m_users.emplace(user, listener);
}

void
RdmaCompletionQueue::Detach(uint32_t user)
{
    m_users.erase(user);
}

uint32_t
RdmaCompletionQueue::GetUsers() const
{
    return m_users.size();
}

} // namespace ns3
