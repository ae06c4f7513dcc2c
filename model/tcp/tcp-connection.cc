/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-connection.h"

#include "tcp-end-point-table.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv6-end-point.h"

namespace ns3
{

Ipv4EndPoint*
TcpConnection::GetEndPoint() const
{
    return m_owner ? m_owner->GetEndPoint() : nullptr;
}

Ipv6EndPoint*
TcpConnection::GetEndPoint6() const
{
    return m_owner ? m_owner->GetEndPoint6() : nullptr;
}

bool
TcpConnection::IsClosed() const
{
    return !GetEndPoint() && !GetEndPoint6();
}

TcpTuple
TcpConnection::FindTuple() const
{
    if (auto* e = GetEndPoint())
    {
        return {e->GetLocalAddress(), e->GetLocalPort(), e->GetPeerAddress(), e->GetPeerPort()};
    }
    auto* e = GetEndPoint6();
    return e ? TcpTuple(e->GetLocalAddress(),
                        e->GetLocalPort(),
                        e->GetPeerAddress(),
                        e->GetPeerPort())
             : TcpTuple();
}

uint32_t
TcpConnection::GetInlineOctets(SequenceNumber32 seq, uint32_t size) const
{
    return m_owner ? m_owner->GetInlineOctets(seq, size) : 0;
}

void
TcpConnection::ForEachSource(SequenceNumber32 seq, uint32_t size, const SourceFunction& visit) const
{
    if (m_owner)
    {
        m_owner->ForEachSource(seq, size, visit);
    }
}

uint32_t
TcpConnection::GetRecordPart(SequenceNumber32 seq) const
{
    return m_owner ? m_owner->GetRecordPart(seq) : 0;
}

void
TcpConnection::Receive(TcpEndPointTable& table,
                       const TcpSegmentHead& head,
                       Ptr<Packet> packet,
                       const Ipv4Header& header,
                       Ptr<Ipv4Interface> interface)
{
    table.Deliver(*this, head, packet, header, interface);
}

void
TcpConnection::Receive(TcpEndPointTable& table,
                       const TcpSegmentHead& head,
                       Ptr<Packet> packet,
                       const Ipv6Header& header,
                       Ptr<Ipv6Interface> interface)
{
    table.Deliver(*this, head, packet, header, interface);
}

void
TcpConnection::Send(TcpEndPointTable& table,
                    const TcpSegmentHead& /* head */,
                    Ptr<Packet> packet,
                    Ipv4Address from,
                    Ipv4Address to,
                    Ptr<Ipv4Route> route)
{
    table.SendDown(packet, from, to, route);
}

void
TcpConnection::Send(TcpEndPointTable& table,
                    const TcpSegmentHead& /* head */,
                    Ptr<Packet> packet,
                    Ipv6Address from,
                    Ipv6Address to,
                    Ptr<Ipv6Route> route)
{
    table.SendDown(packet, from, to, route);
}

void
TcpConnection::Removed()
{
}

} // namespace ns3
