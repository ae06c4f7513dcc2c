/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-host.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/path-ethernet-channel.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/rnic-datapath.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceHost");
NS_OBJECT_ENSURE_REGISTERED(RoceHost);

namespace
{

/// @return ps, the clock
RnicTime
GetClock()
{
    return ToRnicTime(Simulator::Now());
}

} // namespace

TypeId
RoceHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceHost")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<RoceHost>()
            .AddAttribute("Icrc",
                          "Packets have a right ICRC, as in pcap files, rather than "
                          "four octets of zeros; it costs time, and no receiver "
                          "checks it: links drop what is damaged",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceHost::m_icrc),
                          MakeBooleanChecker())
            .AddAttribute("DataDscp",
                          "Differentiated services codepoint of data and "
                          "acknowledgements (RFC 2474)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceHost::m_dataDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpDscp",
                          "Differentiated services codepoint of CNPs, which queues "
                          "with priorities serve first (48, CS6, in captures of "
                          "ConnectX-4 adapters)",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RoceHost::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddTraceSource("PacketDropped",
                            "A packet that came is dropped, as it is none of a "
                            "connection that is there",
                            MakeTraceSourceAccessor(&RoceHost::m_dropTrace),
                            "ns3::RoceHost::DropTracedCallback");
    return tid;
}

RoceHost::RoceHost() = default;
RoceHost::~RoceHost() = default;

Ptr<RoceHost>
RoceHost::Get(const Ptr<Node>& node)
{
    Ptr<RoceHost> host = node->GetObject<RoceHost>();
    if (!host)
    {
        host = CreateObject<RoceHost>();
        node->AggregateObject(host);
        host->Open(node);
    }
    return host;
}

void
RoceHost::Open(const Ptr<Node>& node)
{
    NS_LOG_FUNCTION(this << node);
    m_node = node;
    m_rnic = PeekPointer(node->GetObject<Rnic>());
    for (uint32_t i = 0; i < node->GetNDevices() && !m_device; i++)
    {
        m_device = DynamicCast<PointToPointNetDevice>(node->GetDevice(i));
    }
    if (m_device)
    {
        m_device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&RoceHost::Begin, this));
        if (const Ptr<QueueDisc> disc = FindDisc())
        {
            disc->TraceConnectWithoutContext("Drop", MakeCallback(&RoceHost::DropQueued, this));
        }
    }
    if (node->GetObject<Ipv4>())
    {
        Listen(InetSocketAddress(Ipv4Address::GetAny(), RoceHead::PORT));
    }
    if (node->GetObject<Ipv6>())
    {
        Listen(Inet6SocketAddress(Ipv6Address::GetAny(), RoceHead::PORT));
    }
}

void
RoceHost::Listen(const Address& any)
{
    Ptr<Socket> socket = Socket::CreateSocket(m_node, UdpSocketFactory::GetTypeId());
    NS_ABORT_MSG_IF(socket->Bind(any) < 0, "RoceHost: UDP port 4791 is in use");
    socket->SetRecvCallback(MakeCallback(&RoceHost::Receive, this));
    m_listening.push_back(socket);
}

void
RoceHost::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (const auto& socket : m_listening)
    {
        socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    }
    if (m_device)
    {
        m_device->TraceDisconnectWithoutContext("PhyTxBegin", MakeCallback(&RoceHost::Begin, this));
        if (const Ptr<QueueDisc> disc = FindDisc())
        {
            disc->TraceDisconnectWithoutContext("Drop", MakeCallback(&RoceHost::DropQueued, this));
        }
    }
    m_listening.clear();
    m_ends.clear();
    m_ring.clear();
    m_device = nullptr;
    m_rnic = nullptr;
    m_node = nullptr;
    Object::DoDispose();
}

void
RoceHost::Attach(uint32_t queuePair, RoceEnd* end)
{
    NS_LOG_FUNCTION(this << queuePair);
    const bool isNew = m_ends.emplace(queuePair, end).second;
    NS_ABORT_MSG_UNLESS(isNew, "RoceHost: queue pair " << queuePair << " is in use");
}

void
RoceHost::Detach(uint32_t queuePair)
{
    NS_LOG_FUNCTION(this << queuePair);
    const auto at = m_ends.find(queuePair);
    if (at != m_ends.end())
    {
        m_ring.erase(std::remove(m_ring.begin(), m_ring.end(), at->second), m_ring.end());
        m_ends.erase(at);
    }
}

Ptr<RocePath>
RoceHost::MakePath(const Address& peer)
{
    NS_LOG_FUNCTION(this << peer);
    m_port = m_port == LAST_PORT ? FIRST_PORT : m_port + 1;
    return Create<RocePath>(m_node, peer, static_cast<uint16_t>(m_port));
}

void
RoceHost::Receive(Ptr<Socket> socket)
{
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        uint8_t octets[RoceHead::LONGEST];
        const uint32_t available = packet->CopyData(octets, sizeof(octets));
        RoceHead head;
        if (!head.Read(octets, available, packet->GetSize()))
        {
            Drop(packet, RoceDropReason::MALFORMED);
            continue;
        }
        const auto end = m_ends.find(head.queuePair);
        if (end == m_ends.end())
        {
            Drop(packet, RoceDropReason::NO_QUEUE_PAIR);
            continue;
        }
        const RoceArrival arrival{head,
                                  head.GetPayload(packet->GetSize()),
                                  from,
                                  m_heedsMarks && IsMarked(packet)};
        if (!end->second->HandlePacket(arrival))
        {
            Drop(packet, RoceDropReason::UNEXPECTED);
        }
    }
}

void
RoceHost::Drop(const Ptr<Packet>& packet, RoceDropReason reason)
{
    NS_LOG_INFO("drops a packet, " << static_cast<int>(reason));
    m_dropTrace(packet, reason);
}

bool
RoceHost::IsMarked(const Ptr<Packet>& packet)
{
    constexpr uint8_t CONGESTION_EXPERIENCED = 3; // both bits of ECN (RFC 3168)
    uint8_t field = 0;
    SocketIpTosTag tos;
    SocketIpv6TclassTag tclass;
    if (packet->PeekPacketTag(tos))
    {
        field = tos.GetTos();
    }
    else if (packet->PeekPacketTag(tclass))
    {
        field = tclass.GetTclass();
    }
    return (field & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED;
}

void
RoceHost::HeedMarks()
{
    NS_LOG_FUNCTION(this);
    m_heedsMarks = true;
    for (const auto& socket : m_listening)
    {
        socket->SetIpRecvTos(true);
        socket->SetIpv6RecvTclass(true);
    }
}

void
RoceHost::Send(const Ptr<RocePath>& way, const RoceHead& head, uint32_t payload, bool inlined)
{
    NS_LOG_FUNCTION(this << head.psn << payload);
    uint8_t octets[RoceHead::LONGEST];
    head.Write(octets);
    Ptr<Packet> packet = Create<Packet>(octets, head.GetSize());
    packet->AddAtEnd(Create<Packet>(payload + head.pad + RoceHead::ICRC));
    const bool isCnp = head.kind == RoceHead::Kind::NOTIFICATION;
    const RocePath::Treatment treatment{isCnp ? m_cnpDscp : m_dataDscp, m_icrc};
    const bool reads = m_rnic && payload > 0 && !inlined;
    if (reads)
    {
        const RnicTime now = GetClock();
        m_read = FromRnicTime(m_rnic->GetDatapath().GetHost().Read(now, now, payload));
    }
    if (reads || (payload > 0 && m_fetching > 0))
    { // packets stay in order: those that wait for nothing do for those before them
        m_fetching++;
        Simulator::Schedule(m_read - Simulator::Now(),
                            &RoceHost::Leave,
                            this,
                            way,
                            packet,
                            treatment);
        return;
    }
    Hand(way, packet, treatment);
}

void
RoceHost::Leave(Ptr<RocePath> way, Ptr<Packet> p, RocePath::Treatment treatment)
{
    m_fetching--;
    Hand(way, p, treatment);
}

void
RoceHost::Hand(const Ptr<RocePath>& way,
               const Ptr<Packet>& packet,
               const RocePath::Treatment& treatment)
{
    if (m_device)
    {
        m_waiting[treatment.dscp == m_cnpDscp ? 0 : 1].push_back(packet->GetUid());
    }
    way->Send(packet, treatment);
}

double
RoceHost::GetLineRate() const
{
    if (!m_device)
    {
        return 0;
    }
    DataRateValue rate;
    m_device->GetAttribute("DataRate", rate);
    return static_cast<double>(rate.Get().GetBitRate());
}

PathFraming
RoceHost::GetFraming() const
{
    const bool ethernet = m_device && DynamicCast<PathEthernetChannel>(m_device->GetChannel());
    return ethernet ? PathFraming::ETHERNET : PathFraming::PPP;
}

Time
RoceHost::ReserveLine(Time duration)
{
    m_booked = std::max(m_booked, Simulator::Now()) + duration;
    return m_booked;
}

// ---- who may send ------------------------------------------------------------------------------

void
RoceHost::Request(RoceEnd* end)
{
    if (std::find(m_ring.begin(), m_ring.end(), end) == m_ring.end())
    {
        m_ring.push_back(end);
    }
    Pump();
}

void
RoceHost::Begin(Ptr<const Packet> packet)
{
    for (auto& waiting : m_waiting)
    { // those before it of its queue were dropped
        const auto found = std::find(waiting.begin(), waiting.end(), packet->GetUid());
        waiting.erase(waiting.begin(), found == waiting.end() ? waiting.begin() : found + 1);
    }
    // not from within the device that is about to send
    if (!m_ring.empty() && !m_woken)
    {
        m_woken = true;
        Simulator::ScheduleNow(&RoceHost::Pump, this);
    }
}

void
RoceHost::DropQueued(Ptr<const QueueDiscItem> item)
{
    for (auto& waiting : m_waiting)
    {
        waiting.erase(std::remove(waiting.begin(), waiting.end(), item->GetPacket()->GetUid()),
                      waiting.end());
    }
}

void
RoceHost::Pump()
{
    m_woken = false;
    if (m_pumping)
    {
        return;
    }
    m_pumping = true;
    while (!m_ring.empty() && CountWaiting() < DEPTH)
    {
        RoceEnd* end = m_ring.front();
        m_ring.pop_front();
        if (end->SendNext())
        {
            m_ring.push_back(end);
        }
    }
    m_pumping = false;
}

uint32_t
RoceHost::CountWaiting() const
{
    // one that found no route, or waits for keys, is not there: there are no more than wait
    const auto own = static_cast<uint32_t>(m_waiting[0].size() + m_waiting[1].size());
    return m_fetching + (own > 0 ? std::min(own, CountQueued()) : 0);
}

uint32_t
RoceHost::CountQueued() const
{
    const auto disc = FindDisc();
    return m_device->GetQueue()->GetNPackets() + (disc ? disc->GetNPackets() : 0);
}

Ptr<QueueDisc>
RoceHost::FindDisc() const
{
    const auto control = m_node->GetObject<TrafficControlLayer>();
    return control ? control->GetRootQueueDiscOnDevice(m_device) : nullptr;
}

// ---- the RNIC's host interface and packet buffer ------------------------------------------------

Time
RoceHost::Post(uint64_t octets)
{
    if (!m_rnic)
    {
        return Time();
    }
    const RnicTime now = GetClock();
    auto& host = m_rnic->GetDatapath().GetHost();
    return FromRnicTime(host.Post(now, now, octets, host.IsInline(octets))) - Simulator::Now();
}

bool
RoceHost::IsInline(uint64_t octets) const
{
    return m_rnic && m_rnic->GetDatapath().GetHost().IsInline(octets);
}

bool
RoceHost::Admit(uint32_t frame)
{
    return !m_rnic || m_rnic->GetDatapath().GetBuffer().Admit(GetClock(), frame);
}

Time
RoceHost::Place(uint32_t frame, uint32_t payload)
{
    if (!m_rnic)
    {
        return Time();
    }
    auto& path = m_rnic->GetDatapath();
    const RnicTime now = GetClock();
    m_placed = path.GetHost().Write(now, now, payload);
    const RnicTime there = std::max(now, m_placed);
    path.GetBuffer().HoldUntil(frame, there);
    return FromRnicTime(there) - Simulator::Now();
}

Time
RoceHost::Complete()
{
    if (!m_rnic)
    {
        return Time();
    }
    const RnicTime now = GetClock();
    auto& host = m_rnic->GetDatapath().GetHost();
    return FromRnicTime(host.Complete(now, std::max<RnicTime>(now, m_placed))) - Simulator::Now();
}

} // namespace ns3
