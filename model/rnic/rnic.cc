/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-device.h"
#include "ns3/rnic-association-cache.h"
#include "ns3/rnic-esp-stage.h"
#include "ns3/rnic-record-stage.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Rnic");
NS_OBJECT_ENSURE_REGISTERED(Rnic);

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
                            "A segment of a connection has left for the link.",
                            MakeTraceSourceAccessor(&Rnic::m_transmitTrace),
                            "ns3::Rnic::FrameTracedCallback")
            .AddTraceSource("Receive",
                            "A segment of a connection has come from the link.",
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
                                               MakeCallback(&Rnic::ReleaseAssociation, this));
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
                                                  MakeCallback(&Rnic::ReleaseAssociation, this));
        m_forecast->TraceDisconnectWithoutContext("Forged",
                                                  MakeCallback(&Rnic::ReceiveForged, this));
        m_forecast = nullptr;
    }
    if (m_queues)
    {
        m_queues->Clear();
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
Rnic::ReleaseAssociation(EspDirection direction, uint64_t association)
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
        ->TraceConnectWithoutContext("Access", MakeCallback(&Rnic::NotifyContext, this));
    path.Get<RnicCache>("TranslationCache")
        ->TraceConnectWithoutContext("Access", MakeCallback(&Rnic::NotifyTranslation, this));
    m_started = true;
    m_ideal = path.IsIdeal();
    m_protects = bool(path.Find("TxEsp"));
    m_isTcpOnHost = bool(path.Find("RxSoftware"));
    m_engine = DynamicCast<RnicRxRecordStage>(path.Find("RxRecords"));
    m_translates = !path.GetTranslationCache().IsIdeal();
    if (path.TakesTurns() && !m_ideal)
    {
        m_queues = std::make_unique<RnicTransmitQueues>(path);
    }
    if (m_table && !m_ideal)
    {
        m_table->InterceptSending();
    }
}

void
Rnic::NotifyContext(uint64_t key, bool hit)
{
    m_cacheTrace(Cache::CONTEXT, key, hit);
}

void
Rnic::NotifyTranslation(uint64_t key, bool hit)
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
    m_offload = {};
    m_offload.since = Now();
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

// ---- for its connections ------------------------------------------------------------------------

bool
Rnic::IsIdeal() const
{
    return m_ideal;
}

bool
Rnic::TranslatesAddresses() const
{
    return m_translates;
}

const EspForecast*
Rnic::GetForecast() const
{
    return m_protects ? PeekPointer(m_forecast) : nullptr;
}

TcpEndPointTable*
Rnic::GetTable() const
{
    return PeekPointer(m_table);
}

uint32_t
Rnic::GetFrame(uint32_t datagram) const
{
    return framing::GetFrameOctets(m_framing, datagram);
}

bool
Rnic::IsTcpOnHost() const
{
    return m_isTcpOnHost;
}

RnicRxRecordStage*
Rnic::GetRecordEngine() const
{
    return PeekPointer(m_engine);
}

RnicOffloadCounters&
Rnic::GetOffloadCounters()
{
    return m_offload;
}

RnicDelayLine&
Rnic::GetOutgoing()
{
    return m_outgoing;
}

RnicTransmitQueues*
Rnic::GetTransmitQueues() const
{
    return m_queues.get();
}

RnicDelayLine&
Rnic::GetIncoming()
{
    return m_incoming;
}

void
Rnic::SetMemoryHeld(uint64_t flow, uint64_t octets)
{
    m_path->GetMemory().SetHeld(Now(), flow, octets);
    m_memoryHeld = m_path->GetMemory().GetHeld();
}

void
Rnic::Release(uint64_t flow)
{
    m_path->Release(Now(), flow);
    m_memoryHeld = m_path->GetMemory().GetHeld();
}

void
Rnic::NotifyTransmitted(uint64_t flow, uint32_t frame, Time delay)
{
    m_transmitTrace(flow, frame, delay);
}

void
Rnic::NotifyReceived(uint64_t flow, uint32_t frame, Time delay)
{
    m_receiveTrace(flow, frame, delay);
}

void
Rnic::NotifyPlaced(uint64_t flow, uint64_t octets, Time delay, bool aligned)
{
    m_placedTrace(flow, octets, delay, aligned);
}

void
Rnic::NotifyOps(uint64_t flow, const RnicOps& ops)
{
    m_ops += ops;
    m_opsTrace(flow, ops);
}

void
Rnic::NotifyDropped(uint64_t flow, uint32_t octets, DropReason reason)
{
    m_dropTrace(flow, octets, reason);
}

void
Rnic::NotifyBufferHeld(RnicTime now)
{
    m_bufferHeld = m_path->GetBuffer().GetHeld(now);
}

} // namespace ns3
