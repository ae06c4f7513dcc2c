/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "rnic-protocol.h"

#include "ns3/abort.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/mpa-receiver.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"

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
    Ptr<TcpL4Protocol> tcp = GetObject<TcpL4Protocol>();
    const bool ready =
        node && tcp && !(tcp->GetDownTarget().IsNull() && tcp->GetDownTarget6().IsNull());
    if (ready && !m_tcp)
    {
        m_tcp = tcp;
        m_protocol = CreateObject<RnicProtocol>();
        m_protocol->SetRnic(this);
        m_down = tcp->GetDownTarget();
        m_down6 = tcp->GetDownTarget6();
        const auto down = MakeCallback(&Rnic::Send, this);
        const auto down6 = MakeCallback(&Rnic::Send6, this);
        if (Ptr<Ipv4> ipv4 = GetObject<Ipv4>())
        {
            ipv4->Insert(m_protocol);
            tcp->SetDownTarget(down);
        }
        if (Ptr<Ipv6> ipv6 = GetObject<Ipv6>())
        {
            ipv6->Insert(m_protocol);
            tcp->SetDownTarget6(down6);
        }
        m_homes.Install(node, down, down6);
    }
    RnicSettings::NotifyNewAggregate();
}

void
Rnic::DoInitialize()
{
    NS_ABORT_MSG_UNLESS(m_tcp, "an RNIC needs a node with an internet stack: install that first");
    Start();
    RnicSettings::DoInitialize();
}

void
Rnic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_homes.Dispose();
    m_flows.clear();
    m_current = Current();
    m_tcp = nullptr;
    m_protocol = nullptr;
    m_down.Nullify();
    m_down6.Nullify();
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
    return m_flows.size();
}

Ptr<TcpL4Protocol>
Rnic::TakeHome()
{
    return m_homes.Take();
}

void
Rnic::LeaveHome(Ptr<TcpL4Protocol> home)
{
    m_homes.Leave(home);
}

uint16_t
Rnic::TakePort(bool ipv6)
{
    // The node's own TCP proposes, so that ports are those of a run without an RNIC, and no port
    // of a plain socket is taken
    auto& used = m_ports[ipv6];
    used.resize(65536);
    for (uint32_t tries = 0; tries < 65536; ++tries)
    {
        uint16_t port = 0;
        if (ipv6)
        {
            if (Ipv6EndPoint* endPoint = m_tcp->Allocate6())
            {
                port = endPoint->GetLocalPort();
                m_tcp->DeAllocate(endPoint);
            }
        }
        else if (Ipv4EndPoint* endPoint = m_tcp->Allocate())
        {
            port = endPoint->GetLocalPort();
            m_tcp->DeAllocate(endPoint);
        }
        if (port == 0)
        {
            break;
        }
        if (!used[port])
        {
            used[port] = true;
            return port;
        }
    }
    return 0;
}

void
Rnic::LeavePort(bool ipv6, uint16_t port)
{
    if (port < m_ports[ipv6].size())
    {
        m_ports[ipv6][port] = false;
    }
}

Ptr<MpaOffloadFlow>
Rnic::Add(Ipv4EndPoint* const* endPoint, Ipv6EndPoint* const* endPoint6, bool listening)
{
    Start();
    auto flow = Create<RnicFlow>(this, m_nextKey++, endPoint, endPoint6);
    // a listener bound to a device is for TcpL4Protocol to find, which knows of devices
    const bool bound = (flow->GetEndPoint() && flow->GetEndPoint()->GetBoundNetDevice()) ||
                       (flow->GetEndPoint6() && flow->GetEndPoint6()->GetBoundNetDevice());
    if (!(listening && bound))
    {
        const auto [place, fresh] = m_flows.try_emplace(flow->FindTuple(), flow);
        if (!fresh)
        {
            place->second->tuple = nullptr;
            place->second = flow;
        }
        flow->tuple = &place->first;
    }
    return flow;
}

void
Rnic::Remove(Ptr<MpaOffloadFlow> removed)
{
    auto flow = StaticCast<RnicFlow>(removed);
    flow->Detach();
    if (!m_tcp)
    {
        return; // the node is gone, and with it all its connections
    }
    if (flow->tuple)
    {
        m_flows.erase(m_flows.find(*flow->tuple));
    }
    m_path->Forget(Now(), flow->path);
    m_memoryHeld = m_path->GetMemory().GetHeld();
}

bool
Rnic::HasMemoryLimit()
{
    const auto& memory = m_path->GetMemory().GetConfig();
    return memory.capacity != UINT64_MAX || memory.perConnection != UINT64_MAX;
}

uint64_t
Rnic::GetMemoryRoom(const RnicFlow& flow, bool inOrder)
{
    const auto& memory = m_path->GetMemory();
    return memory.GetLimit(flow.path.key, inOrder) - memory.GetHeld(flow.path.key);
}

void
Rnic::HandleSegment(RnicFlow& flow,
                    const MpaSegmentReport& report,
                    uint32_t size,
                    uint64_t placed,
                    uint64_t held)
{
    const RnicOps ops = CountOps(report);
    m_ops += ops;
    m_opsTrace(flow.path.key, ops);
    if (report.memoryFull)
    {
        using Refusal = RnicReassemblyMemory::Refusal;
        const Refusal refusal = m_path->GetMemory().Refuse(flow.path.key, size);
        m_dropTrace(flow.path.key,
                    size,
                    refusal == Refusal::FULL             ? DropReason::MEMORY_FULL
                    : refusal == Refusal::PER_CONNECTION ? DropReason::MEMORY_PER_CONNECTION
                                                         : DropReason::MEMORY_TOO_SMALL);
    }
    const uint64_t before = flow.held + report.stored;
    if (held != flow.held)
    {
        m_path->GetMemory().SetHeld(Now(), flow.path.key, held);
        flow.held = held;
        m_memoryHeld = m_path->GetMemory().GetHeld();
    }
    if (report.duplicate || report.dropped)
    {
        return;
    }
    if (m_ideal)
    {
        m_placedTrace(flow.path.key, placed, Time(0), report.aligned);
        return;
    }
    const RnicTime now = Now();
    RnicDatapath::Arrival arrival;
    arrival.toTcp = now;
    arrival.beforeClassify = now;
    uint32_t frame = 0;
    if (m_current.flow == &flow)
    {
        arrival = m_current.arrival;
        std::swap(frame, m_current.frame); // the frame leaves once, with the first of its pieces
    }
    const uint64_t fromMemory = before > held ? before - held : 0;
    const auto placement =
        m_path->Place(now, flow.path, arrival, frame, ops, placed, fromMemory, flow.region);
    flow.placedAt = std::max(flow.placedAt, placement.done);
    if (flow.retirement)
    {
        flow.retirement->Add(size, flow.placedAt);
    }
    flow.visibleAt = std::max(flow.visibleAt, placement.visible);
    if (placed > 0)
    {
        m_cacheTrace(Cache::TRANSLATION, flow.region, placement.translationHit);
    }
    m_placedTrace(flow.path.key, placed, FromRnicTime(placement.visible - now), report.aligned);
}

Time
Rnic::Post(RnicFlow& flow, uint64_t octets)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    auto& host = m_path->GetHost();
    flow.inlineOctets += host.IsInline(octets) ? static_cast<uint32_t>(octets) : 0;
    return FromRnicTime(host.Post(now, now, octets) - now);
}

Time
Rnic::Complete(RnicFlow& flow)
{
    if (m_ideal)
    {
        return Time(0);
    }
    const RnicTime now = Now();
    const RnicTime known = m_path->GetHost().Complete(now, std::max(now, flow.placedAt));
    return FromRnicTime(known - now);
}

Time
Rnic::GetTimeToHost(const RnicFlow& flow) const
{
    if (m_ideal)
    {
        return Time(0);
    }
    // a CPU that places octets itself need not look for them
    const auto& config = m_path->GetConfig();
    const bool software = config.receiver == RnicReceiver::HOST_SOFTWARE;
    const RnicTime seen = flow.visibleAt + (software ? 0 : config.host.pollTime);
    return FromRnicTime(std::max<RnicTime>(0, seen - Now()));
}

} // namespace ns3
