/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-host.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/rnic-datapath.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"

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
    static TypeId tid = TypeId("ns3::RoceHost")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RoceHost>();
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
            NS_LOG_INFO("drops what is no packet of a connection");
            continue;
        }
        const auto end = m_ends.find(head.queuePair);
        if (end != m_ends.end())
        {
            end->second->HandlePacket(head, head.GetPayload(packet->GetSize()), from);
        }
    }
}

void
RoceHost::Send(const Ptr<RocePath>& way, const RoceHead& head, uint32_t payload)
{
    NS_LOG_FUNCTION(this << head.psn << payload);
    uint8_t octets[RoceHead::LONGEST];
    head.Write(octets);
    Ptr<Packet> packet = Create<Packet>(octets, head.GetSize());
    packet->AddAtEnd(Create<Packet>(payload + head.pad + RoceHead::ICRC));
    if (payload > 0 && m_rnic)
    {
        const RnicTime now = GetClock();
        const Time read = FromRnicTime(m_rnic->GetDatapath().GetHost().Read(now, now, payload));
        m_fetching++;
        Simulator::Schedule(read - Simulator::Now(), &RoceHost::Leave, this, way, packet);
        return;
    }
    way->Send(packet);
}

void
RoceHost::Leave(Ptr<RocePath> way, Ptr<Packet> p)
{
    m_fetching--;
    way->Send(p);
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
RoceHost::Begin(Ptr<const Packet> /* packet */)
{
    // not from within the device that is about to send
    if (!m_ring.empty() && !m_woken)
    {
        m_woken = true;
        Simulator::ScheduleNow(&RoceHost::Pump, this);
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
    uint32_t waiting = m_fetching;
    if (m_device)
    {
        waiting += m_device->GetQueue()->GetNPackets();
        const auto disc =
            m_node->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(m_device);
        waiting += disc ? disc->GetNPackets() : 0;
    }
    return waiting;
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
