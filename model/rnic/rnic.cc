/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/mpa-receiver.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-device.h"
#include "ns3/rnic-association-cache.h"
#include "ns3/rnic-esp-stage.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Rnic");
NS_OBJECT_ENSURE_REGISTERED(Rnic);

namespace
{

// @param refusal of the reassembly memory @return the same as Rnic tells it
Rnic::DropReason
ReasonOf(RnicReassemblyMemory::Refusal refusal)
{
    switch (refusal)
    {
    case RnicReassemblyMemory::Refusal::FULL:
        return Rnic::DropReason::MEMORY_FULL;
    case RnicReassemblyMemory::Refusal::PER_CONNECTION:
        return Rnic::DropReason::MEMORY_PER_CONNECTION;
    default:
        return Rnic::DropReason::MEMORY_TOO_SMALL;
    }
}

} // namespace

TypeId
Rnic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Rnic")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<Rnic>()
            .AddAttribute(
                "Framing",
                "What the link puts around an IP datagram, and so the size of a frame.",
                iwarp::MakeEnumValue(PathFraming::ETHERNET),
                iwarp::MakeEnumAccessor(&Rnic::m_framing),
                iwarp::MakeEnumChecker(PathFraming::ETHERNET, "ethernet", PathFraming::PPP, "ppp"))
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
                            "A context or a translation entry was needed, of a cache with a limit.",
                            MakeTraceSourceAccessor(&Rnic::m_cacheTrace),
                            "ns3::Rnic::CacheTracedCallback")
            .AddTraceSource("MemoryHeld",
                            "Octets in the reassembly memory.",
                            MakeTraceSourceAccessor(&Rnic::m_memoryHeld),
                            "ns3::TracedValueCallback::Uint64")
            .AddTraceSource("BufferHeld",
                            "Octets in the packet buffer, whenever a frame comes in.",
                            MakeTraceSourceAccessor(&Rnic::m_bufferHeld),
                            "ns3::TracedValueCallback::Uint64")
            .AddTraceSource("FragmentsHeld",
                            "Octets of IP fragments that wait for the rest of their datagrams.",
                            MakeTraceSourceAccessor(&Rnic::m_fragmentsHeld),
                            "ns3::TracedValueCallback::Uint64");
    return tid;
}

Rnic::Rnic() = default;
Rnic::~Rnic() = default;

std::string
Rnic::Check()
{
    return GetDatapath().Check();
}

int64_t
Rnic::AssignStreams(int64_t stream)
{
    GetDatapath().GetRandom()->SetStream(stream);
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
    if (!m_forecast && (m_forecast = GetObject<EspForecast>()))
    {
        m_forecast->TraceConnectWithoutContext("AssociationGone",
                                               MakeCallback(&Rnic::ForgetAssociation, this));
        m_forecast->TraceConnectWithoutContext("Forged", MakeCallback(&Rnic::ReceiveForged, this));
    }
    LimitQueuePairs();
    Object::NotifyNewAggregate();
}

void
Rnic::DoInitialize()
{
    NS_ABORT_MSG_UNLESS(m_table, "an RNIC needs a node with an internet stack: install that first");
    Start();
    const auto reassembly = m_path->Get<RnicIpReassembly>("IpReassembly");
    m_input = std::make_unique<RnicIpInput>(GetObject<Node>(), reassembly, [this, reassembly] {
        m_fragmentsHeld = reassembly->GetHeld();
    });
    Object::DoInitialize();
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
    if (m_forecast)
    {
        m_forecast->TraceDisconnectWithoutContext("AssociationGone",
                                                  MakeCallback(&Rnic::ForgetAssociation, this));
        m_forecast->TraceDisconnectWithoutContext("Forged",
                                                  MakeCallback(&Rnic::ReceiveForged, this));
        m_forecast = nullptr;
    }
    Object::DoDispose();
}

void
Rnic::ReceiveForged(const EspWork& work)
{
    if (!m_protects)
    {
        return;
    }
    RnicConnectionState nobody;
    RnicProtection protection{work, 0, true};
    RnicSegment packet;
    packet.connection = &nobody;
    packet.now = packet.time = ToRnicTime(Simulator::Now());
    packet.protection = &protection;
    m_path->Get<RnicEspStage>("RxEsp")->Serve(packet);
}

void
Rnic::ForgetAssociation(EspDirection direction, uint64_t association)
{
    GetDatapath()
        .Get<RnicCache>("AssociationCache")
        ->Invalidate(RnicAssociationCache::GetKey(direction, association));
}

void
Rnic::LimitQueuePairs()
{
    if (const Ptr<RdmaDevice> device = GetObject<RdmaDevice>())
    {
        device->SetQueuePairs(GetDatapath().GetQueuePairs().GetMax());
    }
}

void
Rnic::SetDesign(const RnicDesign& design)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_started, "an RNIC that has started keeps its parts");
    m_path = design.Make();
    LimitQueuePairs();
}

RnicDatapath&
Rnic::GetDatapath()
{
    if (!m_path)
    {
        SetDesign(RnicDesign());
    }
    return *m_path;
}

void
Rnic::Start()
{
    if (m_started)
    {
        return;
    }
    NS_LOG_FUNCTION(this);
    RnicDatapath& path = GetDatapath();
    path.Start();
    path.Get<RnicCache>("ContextCache")
        ->TraceConnectWithoutContext("Access", MakeCallback(&Rnic::NoteContext, this));
    path.Get<RnicCache>("TranslationCache")
        ->TraceConnectWithoutContext("Access", MakeCallback(&Rnic::NoteTranslation, this));
    m_started = true;
    m_ideal = path.IsIdeal();
    m_protects = bool(path.Find("TxEsp"));
    m_translates = !path.GetTranslationCache().IsIdeal();
    if (m_table && !m_ideal)
    {
        m_table->InterceptSending();
    }
}

void
Rnic::NoteContext(uint64_t key, bool hit)
{
    m_cacheTrace(Cache::CONTEXT, key, hit);
}

void
Rnic::NoteTranslation(uint64_t key, bool hit)
{
    m_cacheTrace(Cache::TRANSLATION, key, hit);
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

const RnicOps&
Rnic::GetOps() const
{
    return m_ops;
}

void
Rnic::RestartStatistics()
{
    NS_LOG_FUNCTION(this);
    m_ops = {};
    m_path->RestartStatistics(Now());
    if (m_input)
    {
        m_input->RestartStatistics();
    }
}

uint64_t
Rnic::GetIcmpSent() const
{
    return m_input ? m_input->GetIcmpSent() : 0;
}

uint64_t
Rnic::GetConnections() const
{
    return m_table ? m_table->GetConnections() : 0;
}

void
Rnic::Forget(const RnicConnection& connection)
{
    m_path->Forget(Now(), connection.path.key);
    m_memoryHeld = m_path->GetMemory().GetHeld();
}

bool
Rnic::HasMemoryLimit()
{
    return m_path->GetMemory().HasLimit();
}

bool
Rnic::TranslatesAddresses() const
{
    return m_translates;
}

uint64_t
Rnic::GetMemoryRoom(const RnicConnection& connection, bool inOrder)
{
    const auto& memory = m_path->GetMemory();
    const uint64_t key = connection.path.key;
    return memory.GetLimit(key, inOrder) - memory.GetHeld(key);
}

uint64_t
Rnic::GetMemoryBehind(const RnicConnection& connection)
{
    return m_path->GetMemory().GetPoolLimit(connection.path.key);
}

void
Rnic::HandleSegment(RnicConnection& connection,
                    const RecordSegmentReport& report,
                    uint32_t size,
                    const RecordPlacementList& placements,
                    uint64_t held)
{
    const uint64_t key = connection.path.key;
    const RnicOps ops = CountOps(report, placements);
    m_ops += ops;
    m_opsTrace(key, ops);
    if (report.memoryFull)
    {
        m_dropTrace(key,
                    size - report.whole,
                    ReasonOf(m_path->GetMemory().Refuse(key, size - report.whole)));
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
    RnicSegment segment;
    segment.time = segment.checked = now;
    if (connection.atTcp)
    {
        segment = *connection.atTcp;
        // the frame leaves once, with the first of its pieces
        connection.atTcp->frame = connection.atTcp->buffered = 0;
    }
    segment.connection = &connection.path;
    segment.now = now;
    segment.ops = &ops;
    segment.placements = &placements;
    m_path->Place(segment);
    connection.placedAt = std::max(connection.placedAt, segment.time);
    if (connection.retirement)
    {
        connection.retirement->Add(size, connection.placedAt);
    }
    connection.seenAt = std::max(connection.seenAt, segment.seen);
    m_placedTrace(key, placed, FromRnicTime(segment.visible - now), report.aligned);
}

bool
Rnic::RingDoorbell(RnicConnection& connection,
                   uint32_t count,
                   uint64_t payload,
                   bool inlined,
                   uint32_t waiting)
{
    RnicWorkQueue& sends = connection.path.sends;
    return !m_ideal && m_path->GetQueuePairs().Ring(Now(), sends, count, payload, inlined, waiting);
}

Time
Rnic::Begin(RnicConnection& connection, uint32_t waiting)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    return FromRnicTime(m_path->GetQueuePairs().Begin(now, connection.path.sends, waiting) - now);
}

Time
Rnic::BeginLocal(RnicConnection& connection, uint32_t waiting, uint32_t pages)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    RnicWorkQueue& sends = connection.path.sends;
    return FromRnicTime(m_path->GetQueuePairs().BeginLocal(now, sends, waiting, pages) - now);
}

Time
Rnic::Complete(const RnicConnection& connection, bool invalidates)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    RnicTime done = std::max(now, connection.placedAt);
    if (invalidates)
    {
        done = m_path->GetQueuePairs().Invalidate(now, done);
    }
    const RnicTime known = m_path->GetHost().Complete(now, done);
    return FromRnicTime(known - now);
}

Time
Rnic::GetTimeToHost(const RnicConnection& connection) const
{
    if (m_ideal)
    {
        return Time(0);
    }
    return FromRnicTime(std::max<RnicTime>(0, connection.seenAt - Now()));
}

} // namespace ns3
