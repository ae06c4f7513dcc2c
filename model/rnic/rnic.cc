/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/mpa-receiver.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Rnic");
NS_OBJECT_ENSURE_REGISTERED(Rnic);

TypeId
Rnic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Rnic")
            .SetParent<RnicSettings>()
            .SetGroupName("Iwarp")
            .AddConstructor<Rnic>()
            .AddTraceSource("Transmit",
                            "A segment of a connection goes out.",
                            MakeTraceSourceAccessor(&Rnic::m_transmitTrace),
                            "ns3::Rnic::FrameTracedCallback")
            .AddTraceSource("Receive",
                            "A segment of a connection has come in.",
                            MakeTraceSourceAccessor(&Rnic::m_receiveTrace),
                            "ns3::Rnic::FrameTracedCallback")
            .AddTraceSource("Placed",
                            "Payload goes to the host on the arrival of a segment.",
                            MakeTraceSourceAccessor(&Rnic::m_placedTrace),
                            "ns3::Rnic::PlacedTracedCallback")
            .AddTraceSource("Ops",
                            "Operations that a segment needed (RFC 5044 section B.2.1).",
                            MakeTraceSourceAccessor(&Rnic::m_opsTrace),
                            "ns3::Rnic::OpsTracedCallback")
            .AddTraceSource("Drop",
                            "A segment was dropped since a memory is full.",
                            MakeTraceSourceAccessor(&Rnic::m_dropTrace),
                            "ns3::Rnic::DropTracedCallback")
            .AddTraceSource("CacheAccess",
                            "A context or a translation entry was needed.",
                            MakeTraceSourceAccessor(&Rnic::m_cacheTrace),
                            "ns3::Rnic::CacheTracedCallback")
            .AddTraceSource("MemoryHeld",
                            "Octets in the reassembly memory.",
                            MakeTraceSourceAccessor(&Rnic::m_memoryHeld),
                            "ns3::TracedValueCallback::Uint64")
            .AddTraceSource("BufferHeld",
                            "Octets in the packet buffer, whenever a frame comes in.",
                            MakeTraceSourceAccessor(&Rnic::m_bufferHeld),
                            "ns3::TracedValueCallback::Uint64");
    return tid;
}

Rnic::Rnic()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

Rnic::~Rnic() = default;

std::string
Rnic::Check() const
{
    return MakeConfig().Check();
}

int64_t
Rnic::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
Rnic::NotifyNewAggregate()
{
    Ptr<Node> node = GetObject<Node>();
    if (!m_table && node && TcpEndPointTable::IsPossible(node))
    {
        m_table = TcpEndPointTable::Install(node);
        m_table->SetConnectionFactory([this] { return CreateConnection(); });
    }
    RnicSettings::NotifyNewAggregate();
}

void
Rnic::DoInitialize()
{
    NS_ABORT_MSG_UNLESS(m_table, "an RNIC needs a node with an internet stack: install that first");
    Start();
    RnicSettings::DoInitialize();
}

void
Rnic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_table)
    {
        m_table->SetConnectionFactory(nullptr);
        m_table = nullptr;
    }
    m_random = nullptr;
    RnicSettings::DoDispose();
}

void
Rnic::Start()
{
    if (m_path)
    {
        return;
    }
    const RnicConfig config = MakeConfig();
    Ptr<UniformRandomVariable> random = m_random;
    m_path = std::make_unique<RnicDatapath>(config, [random](uint32_t bound) {
        return random->GetInteger(0, bound - 1);
    });
    m_ideal = config.IsIdeal();
    m_linkOverhead = GetLinkOverhead();
    if (m_table && !m_ideal)
    {
        m_table->InterceptSending();
    }
}

Ptr<TcpConnection>
Rnic::CreateConnection()
{
    Start();
    return Create<RnicConnection>(this, m_nextKey++);
}

RnicTime
Rnic::Now()
{
    return ToRnicTime(Simulator::Now());
}

RnicDatapath&
Rnic::GetDatapath()
{
    Start();
    return *m_path;
}

const RnicOps&
Rnic::GetOps() const
{
    return m_ops;
}

uint64_t
Rnic::GetConnections() const
{
    return m_table ? m_table->GetConnections() : 0;
}

void
Rnic::Forget(const RnicConnection& connection)
{
    m_path->Forget(Now(), connection.path);
    m_memoryHeld = m_path->GetMemory().GetHeld();
}

bool
Rnic::HasMemoryLimit()
{
    const auto& memory = m_path->GetMemory().GetConfig();
    return memory.capacity != UINT64_MAX || memory.perConnection != UINT64_MAX;
}

uint64_t
Rnic::GetMemoryRoom(const RnicConnection& connection, bool inOrder)
{
    const auto& memory = m_path->GetMemory();
    const uint64_t key = connection.path.key;
    return memory.GetLimit(key, inOrder) - memory.GetHeld(key);
}

void
Rnic::HandleSegment(RnicConnection& connection,
                    const MpaSegmentReport& report,
                    uint32_t size,
                    const MpaPlacementList& placements,
                    uint64_t held)
{
    const uint64_t key = connection.path.key;
    const RnicOps ops = CountOps(report);
    m_ops += ops;
    m_opsTrace(key, ops);
    if (report.memoryFull)
    {
        using Refusal = RnicReassemblyMemory::Refusal;
        const Refusal refusal = m_path->GetMemory().Refuse(key, size);
        m_dropTrace(key,
                    size,
                    refusal == Refusal::FULL             ? DropReason::MEMORY_FULL
                    : refusal == Refusal::PER_CONNECTION ? DropReason::MEMORY_PER_CONNECTION
                                                         : DropReason::MEMORY_TOO_SMALL);
    }
    if (held != connection.octetsInMemory)
    {
        m_path->GetMemory().SetHeld(Now(), key, held);
        connection.octetsInMemory = held;
        m_memoryHeld = m_path->GetMemory().GetHeld();
    }
    if (report.duplicate || report.dropped)
    {
        return;
    }
    uint64_t placed = 0;
    for (const auto& placement : placements)
    {
        placed += placement.octets;
    }
    if (m_ideal)
    {
        m_placedTrace(key, placed, Time(0), report.aligned);
        return;
    }
    const RnicTime now = Now();
    RnicDatapath::Arrival arrival;
    arrival.toTcp = now;
    arrival.beforeClassify = now;
    uint32_t frame = 0;
    if (connection.atTcp)
    {
        arrival = connection.atTcp->arrival;
        std::swap(frame, connection.atTcp->held); // it leaves once, with the first of its pieces
    }
    const auto placement = m_path->Place(now, connection.path, arrival, frame, ops, placements);
    connection.placedAt = std::max(connection.placedAt, placement.done);
    if (connection.retirement)
    {
        connection.retirement->Add(size, connection.placedAt);
    }
    connection.visibleAt = std::max(connection.visibleAt, placement.visible);
    for (const auto& translation : placement.translations)
    {
        m_cacheTrace(Cache::TRANSLATION, translation.region, translation.hit);
    }
    m_placedTrace(key, placed, FromRnicTime(placement.visible - now), report.aligned);
}

RdmaHardwareQueue::Doorbell
Rnic::RingDoorbell(uint64_t payload)
{
    if (m_ideal)
    {
        return {};
    }
    const RnicTime now = Now();
    auto& host = m_path->GetHost();
    return {FromRnicTime(host.Post(now, now, payload) - now), host.IsInline(payload)};
}

Time
Rnic::Complete(const RnicConnection& connection)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    const RnicTime known = m_path->GetHost().Complete(now, std::max(now, connection.placedAt));
    return FromRnicTime(known - now);
}

Time
Rnic::GetTimeToHost(const RnicConnection& connection) const
{
    if (m_ideal)
    {
        return Time(0);
    }
    // a CPU that places octets itself need not look for them
    const auto& config = m_path->GetConfig();
    const bool software = config.receiver == RnicReceiver::HOST_SOFTWARE;
    const RnicTime seen = connection.visibleAt + (software ? 0 : config.host.pollTime);
    return FromRnicTime(std::max<RnicTime>(0, seen - Now()));
}

} // namespace ns3
