/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-device.h"

#include "rdma-connection.h"
#include "rdma-protection-domain.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaDevice");

NS_OBJECT_ENSURE_REGISTERED(RdmaDevice);

TypeId
RdmaDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaDevice")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaDevice>()
            .AddAttribute("MaxPd",
                          "Most protection domains.",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&RdmaDevice::m_maxPd),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("MaxCq",
                          "Most completion queues.",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&RdmaDevice::m_maxCq),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("MaxCqe",
                          "Most completions in a queue.",
                          UintegerValue(1048576),
                          MakeUintegerAccessor(&RdmaDevice::m_maxCqe),
                          MakeUintegerChecker<uint32_t>(1, 16777216))
            .AddAttribute("MaxMr",
                          "Most memory regions.",
                          UintegerValue(8388607),
                          MakeUintegerAccessor(&RdmaDevice::m_maxMr),
                          MakeUintegerChecker<uint32_t>(1, 8388607))
            .AddAttribute("MaxMw",
                          "Most memory windows.",
                          UintegerValue(8388607),
                          MakeUintegerAccessor(&RdmaDevice::m_maxMw),
                          MakeUintegerChecker<uint32_t>(1, 8388607))
            .AddAttribute("MaxQp",
                          "Most queue pairs.",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&RdmaDevice::m_maxQp),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("MaxQpWr",
                          "Most work requests in a send or receive queue.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&RdmaDevice::m_maxQpWr),
                          MakeUintegerChecker<uint32_t>(1, 16777216))
            .AddAttribute("MaxSge",
                          "Most SGEs of a work request.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaDevice::m_maxSge),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("MaxInline",
                          "Most octets of inline data in a work request.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaDevice::m_maxInline),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("MaxReadAtomic",
                          "Largest IRD and ORD of a queue pair.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RdmaDevice::m_maxReadAtomic),
                          MakeUintegerChecker<uint32_t>(1, 16382))
            .AddAttribute("MaxReadRuns",
                          "Most runs of octets, with gaps between them, that the segments of a "
                          "Read Response may fill at a time; a peer that sends more is terminated.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaDevice::m_maxReadRuns),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("MaxFastRegPages",
                          "Most pages of 4096 octets of a fast registration "
                          "(max_fast_reg_page_list_len; Linux's siw driver has 256).",
                          UintegerValue(256),
                          MakeUintegerAccessor(&RdmaDevice::m_maxFastRegPages),
                          MakeUintegerChecker<uint32_t>(1, 1048576))
            .AddAttribute("MaxSrq",
                          "Most shared receive queues.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&RdmaDevice::m_maxSrq),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("MaxSrqWr",
                          "Most buffers in a shared receive queue.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&RdmaDevice::m_maxSrqWr),
                          MakeUintegerChecker<uint32_t>(1, 16777216))
            .AddAttribute("Extensions",
                          "Support Immediate Data and Atomics (RFC 7306).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaDevice::m_extensions),
                          MakeBooleanChecker())
            .AddAttribute(
                "MirroredTerminate",
                "Lay Terminates out as Linux's soft-iWARP on little-endian machines does, "
                "rather than as RFC 5040 has it.",
                BooleanValue(false),
                MakeBooleanAccessor(&RdmaDevice::m_mirroredTerminate),
                MakeBooleanChecker())
            .AddTraceSource("Terminate",
                            "A Terminate was received for one of the queue pairs, or an error "
                            "found that has one sent; as RdmapStream's of that name, which is "
                            "there only once a connection is made.",
                            MakeTraceSourceAccessor(&RdmaDevice::m_terminateTrace),
                            "ns3::RdmaDevice::TerminateTracedCallback")
            .AddTraceSource("Refused",
                            "A resource was asked for, and all that the device has of its kind are "
                            "in use.",
                            MakeTraceSourceAccessor(&RdmaDevice::m_refusedTrace),
                            "ns3::RdmaDevice::RefusedTracedCallback")
            .AddTraceSource("Backlog",
                            "How many connections of a listener are without an MPA Request has "
                            "changed; see attribute Backlog of RdmaConnection.",
                            MakeTraceSourceAccessor(&RdmaDevice::m_backlogTrace),
                            "ns3::RdmaDevice::BacklogTracedCallback");
    return tid;
}

RdmaDevice::RdmaDevice()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

RdmaDevice::~RdmaDevice() = default;

void
RdmaDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_callback = EventCallback();
    for (const auto& queue : m_queues)
    {
        queue->Dispose();
    }
    m_queues.clear();
    while (!m_connections.empty())
    {
        const Ptr<RdmaConnection> last(*m_connections.rbegin());
        m_connections.erase(PeekPointer(last));
        last->Dispose();
    }
    Object::DoDispose();
}

Ptr<RdmaDevice>
RdmaDevice::Get(Ptr<Node> node)
{
    Ptr<RdmaDevice> device = node->GetObject<RdmaDevice>();
    if (!device)
    {
        device = CreateObject<RdmaDevice>();
        node->AggregateObject(device);
    }
    return device;
}

int64_t
RdmaDevice::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    return 1;
}

Ptr<RdmaProtectionDomain>
RdmaDevice::AllocPd()
{
    NS_LOG_FUNCTION(this);
    if (!Claim(RdmaResource::PROTECTION_DOMAIN))
    {
        return nullptr;
    }
    return Create<RdmaProtectionDomain>(this, NextNumber());
}

Ptr<RdmaCompletionQueue>
RdmaDevice::CreateCq(uint32_t capacity)
{
    NS_LOG_FUNCTION(this << capacity);
    if (capacity == 0 || capacity > m_maxCqe)
    {
        Fail(EINVAL);
        return nullptr;
    }
    if (!Claim(RdmaResource::COMPLETION_QUEUE))
    {
        return nullptr;
    }
    auto queue = CreateObject<RdmaCompletionQueue>();
    ObjectBirths::Opened(*queue, this);
    queue->Resize(capacity);
    m_queues.push_back(queue);
    return queue;
}

int
RdmaDevice::DestroyCq(Ptr<RdmaCompletionQueue> cq)
{
    NS_LOG_FUNCTION(this << cq);
    const auto found = std::find(m_queues.begin(), m_queues.end(), cq);
    if (found == m_queues.end())
    {
        return Fail(EINVAL);
    }
    if (cq->GetUsers() > 0)
    {
        return Fail(EBUSY);
    }
    m_queues.erase(found);
    cq->Dispose();
    Release(RdmaResource::COMPLETION_QUEUE);
    return 0;
}

void
RdmaDevice::SetEventCallback(EventCallback callback)
{
    m_callback = callback;
}

int
RdmaDevice::GetErrno() const
{
    return m_errno;
}

uint32_t
RdmaDevice::GetMaxQpWr() const
{
    return m_maxQpWr;
}

uint32_t
RdmaDevice::GetMaxSge() const
{
    return m_maxSge;
}

uint32_t
RdmaDevice::GetMaxInline() const
{
    return m_maxInline;
}

uint32_t
RdmaDevice::GetMaxReadAtomic() const
{
    return m_maxReadAtomic;
}

uint32_t
RdmaDevice::GetMaxSrqWr() const
{
    return m_maxSrqWr;
}

bool
RdmaDevice::HasExtensions() const
{
    return m_extensions;
}

uint32_t
RdmaDevice::GetMaxFastRegPages() const
{
    return m_maxFastRegPages;
}

uint32_t
RdmaDevice::GetMaxReadRuns() const
{
    return m_maxReadRuns;
}

RdmapTerminateForm
RdmaDevice::GetTerminateForm() const
{
    return m_mirroredTerminate ? RdmapTerminateForm::MIRRORED : RdmapTerminateForm::RFC;
}

void
RdmaDevice::SetQueuePairs(uint32_t most)
{
    NS_LOG_FUNCTION(this << most);
    m_hardwareQp = most;
}

uint32_t
RdmaDevice::GetMaxQp() const
{
    return m_hardwareQp > 0 ? std::min(m_maxQp, m_hardwareQp) : m_maxQp;
}

uint32_t
RdmaDevice::GetInUse(RdmaResource resource) const
{
    return m_inUse[static_cast<std::size_t>(resource)];
}

DdpStagTable&
RdmaDevice::GetTable()
{
    if (!m_table)
    {
        m_table = std::make_unique<DdpStagTable>(
            std::min(m_maxMr + m_maxMw, 0xFFFFFFU),
            [random = m_random] { return random->GetInteger(0, UINT32_MAX); });
    }
    return *m_table;
}

uint32_t
RdmaDevice::NextNumber()
{
    return m_nextNumber++;
}

bool
RdmaDevice::Claim(RdmaResource resource)
{
    const uint32_t limits[KINDS] = {m_maxPd, m_maxCq, m_maxMr, m_maxMw, GetMaxQp(), m_maxSrq};
    const auto kind = static_cast<std::size_t>(resource);
    if (m_inUse[kind] >= limits[kind])
    {
        Fail(ENOMEM);
        m_refusedTrace(resource, limits[kind]);
        return false;
    }
    m_inUse[kind]++;
    return true;
}

void
RdmaDevice::Release(RdmaResource resource)
{
    m_inUse[static_cast<std::size_t>(resource)]--;
}

int
RdmaDevice::Fail(int error)
{
    m_errno = error;
    return error;
}

void
RdmaDevice::TraceTerminate(uint32_t number, const RdmapTerminate& terminate, bool byPeer)
{
    m_terminateTrace(number, terminate, byPeer);
}

void
RdmaDevice::TraceBacklog(Ptr<const RdmaConnection> listener, uint16_t waiting)
{
    m_backlogTrace(listener, waiting);
}

void
RdmaDevice::Raise(RdmaEvent event, uint32_t number)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event) << number);
    if (!m_callback.IsNull())
    {
        // asynchronous: whoever is told may end the queue pair that is at work
        Simulator::ScheduleNow([callback = m_callback, event, number] { callback(event, number); });
    }
}

void
RdmaDevice::Keep(RdmaConnection* connection)
{
    m_connections.insert(connection);
}

void
RdmaDevice::Unregister(RdmaConnection* connection)
{
    m_connections.erase(connection);
}

} // namespace ns3
