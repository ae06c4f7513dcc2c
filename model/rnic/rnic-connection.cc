/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-connection.h"

#include "rnic.h"

#include "ns3/simulator.h"

namespace ns3
{

RnicConnection::RnicConnection(Ptr<Rnic> rnic, uint64_t key)
    : m_rnic(rnic)
{
    path.key = key;
}

RnicConnection::~RnicConnection() = default;

void
RnicConnection::Receive(TcpEndPointTable& /* table */,
                        const TcpSegmentHead& head,
                        Ptr<Packet> packet,
                        const Ipv4Header& header,
                        Ptr<Ipv4Interface> interface)
{
    m_rnic->Receive(*this, head, packet, header, interface);
}

void
RnicConnection::Receive(TcpEndPointTable& /* table */,
                        const TcpSegmentHead& head,
                        Ptr<Packet> packet,
                        const Ipv6Header& header,
                        Ptr<Ipv6Interface> interface)
{
    m_rnic->Receive(*this, head, packet, header, interface);
}

void
RnicConnection::Send(TcpEndPointTable& /* table */,
                     const TcpSegmentHead& head,
                     Ptr<Packet> packet,
                     Ipv4Address from,
                     Ipv4Address to,
                     Ptr<Ipv4Route> route)
{
    m_rnic->Send(*this, head, packet, from, to, route);
}

void
RnicConnection::Send(TcpEndPointTable& /* table */,
                     const TcpSegmentHead& head,
                     Ptr<Packet> packet,
                     Ipv6Address from,
                     Ipv6Address to,
                     Ptr<Ipv6Route> route)
{
    m_rnic->Send(*this, head, packet, from, to, route);
}

void
RnicConnection::Removed()
{
    m_rnic->Forget(*this);
}

bool
RnicConnection::HasMemoryLimit() const
{
    return m_rnic->HasMemoryLimit();
}

uint64_t
RnicConnection::GetMemoryRoom(bool inOrder) const
{
    return m_rnic->GetMemoryRoom(*this, inOrder);
}

uint64_t
RnicConnection::GetMemoryBehind() const
{
    return m_rnic->GetMemoryBehind(*this);
}

void
RnicConnection::Segment(const RecordSegmentReport& report,
                        uint32_t size,
                        const RecordPlacementList& placements,
                        uint64_t held)
{
    m_rnic->HandleSegment(*this, report, size, placements, held);
}

bool
RnicConnection::WantsSources() const
{
    return m_rnic->TranslatesAddresses();
}

uint64_t
RnicConnection::GetUnretired()
{
    if (!retirement)
    {
        retirement = std::make_unique<RnicRetirement>();
    }
    return retirement->GetHeld(ToRnicTime(Simulator::Now()));
}

Time
RnicConnection::GetTimeToRetire(uint64_t octets)
{
    const RnicTime now = ToRnicTime(Simulator::Now());
    return retirement ? FromRnicTime(retirement->GetTime(now, octets) - now) : Time(0);
}

bool
RnicConnection::RingDoorbell(uint32_t count, uint64_t payload, bool inlined, uint32_t waiting)
{
    return m_rnic->RingDoorbell(*this, count, payload, inlined, waiting);
}

Time
RnicConnection::Begin(uint32_t waiting)
{
    return m_rnic->Begin(*this, waiting);
}

Time
RnicConnection::BeginLocal(uint32_t waiting, uint32_t pages)
{
    return m_rnic->BeginLocal(*this, waiting, pages);
}

void
RnicConnection::TakeReceive()
{
    ++path.receivesTaken;
}

Time
RnicConnection::Complete(bool invalidates)
{
    return m_rnic->Complete(*this, invalidates);
}

Time
RnicConnection::GetTimeToHost() const
{
    return m_rnic->GetTimeToHost(*this);
}

} // namespace ns3
