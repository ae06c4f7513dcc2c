/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: where it is in its node's endpoint table, and what hardware below TCP asks of it.
 */

namespace ns3
{

void
MpaTcpSocket::SetEndPointTable(Ptr<TcpEndPointTable> table)
{
    m_place.SetTable(table);
}

TcpConnection*
MpaTcpSocket::GetConnection() const
{
    return m_place.GetConnection();
}

RecordSegmentSink*
MpaTcpSocket::GetSegmentSink() const
{
    return m_sink;
}

Ipv4EndPoint*
MpaTcpSocket::GetEndPoint() const
{
    return m_endPoint;
}

Ipv6EndPoint*
MpaTcpSocket::GetEndPoint6() const
{
    return m_endPoint6;
}

uint32_t
MpaTcpSocket::GetInlineOctets(SequenceNumber32 seq, uint32_t size) const
{
    if (!m_sources)
    {
        return 0;
    }
    const uint64_t offset = GetOffset(seq); // what is sent again is read from host memory
    return m_sources->CountInline(std::max(offset, m_segmenter.GetSent()), offset + size);
}

void
MpaTcpSocket::ForEachSource(SequenceNumber32 seq,
                            uint32_t size,
                            const TcpConnection::SourceFunction& visit) const
{
    if (!m_sources)
    {
        visit(0, 0, size);
        return;
    }
    const uint64_t offset = GetOffset(seq);
    m_sources->ForEachRun(offset, offset + size, visit);
}

void
MpaTcpSocket::NoteSource(uint32_t size, uint32_t head, const RecordSource& source)
{
    if (!m_sources)
    {
        m_sources = std::make_unique<RecordSources>();
    }
    m_sources->DropUpTo(GetAcknowledged());
    const uint64_t end = m_segmenter.GetTail();
    const uint64_t begin = end - size;
    if (source.inlined)
    {
        m_sources->Append({begin, end, 0, 0, true});
    }
    else if (source.places)
    {
        uint64_t next = begin + head;
        for (const auto& piece : *source.places)
        {
            m_sources->Append({next, next + piece.octets, piece.region, piece.address, false});
            next += piece.octets;
        }
    }
}

void
MpaTcpSocket::EnterShard()
{
    if (Ptr<TcpL4Protocol> shard = m_place.AcquireShard())
    {
        SetTcp(shard);
    }
}

uint16_t
MpaTcpSocket::AcquirePort(bool ipv6)
{
    const uint16_t port = m_endPoint || m_endPoint6 ? 0 : m_place.AcquirePort(ipv6);
    if (port > 0)
    {
        EnterShard();
    }
    return port;
}

int
MpaTcpSocket::Bind()
{
    const uint16_t port = AcquirePort(false);
    return port > 0 ? TcpSocketBase::Bind(InetSocketAddress(Ipv4Address::GetAny(), port))
                    : TcpSocketBase::Bind();
}

int
MpaTcpSocket::Bind6()
{
    const uint16_t port = AcquirePort(true);
    return port > 0 ? TcpSocketBase::Bind(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                    : TcpSocketBase::Bind6();
}

int
MpaTcpSocket::Bind(const Address& address)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        auto where = InetSocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? AcquirePort(false) : 0;
        if (port > 0)
        {
            where.SetPort(port);
            return TcpSocketBase::Bind(where);
        }
    }
    else if (Inet6SocketAddress::IsMatchingType(address))
    {
        auto where = Inet6SocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? AcquirePort(true) : 0;
        if (port > 0)
        {
            where.SetPort(port);
            return TcpSocketBase::Bind(where);
        }
    }
    return TcpSocketBase::Bind(address);
}

int
MpaTcpSocket::Listen()
{
    SizeReceiveBuffer();
    const int result = TcpSocketBase::Listen();
    if (result == 0)
    {
        EnterTable(true);
    }
    return result;
}

void
MpaTcpSocket::EnterTable(bool listening)
{
    m_place.Enter(*this, listening);
    m_sink = dynamic_cast<RecordSegmentSink*>(m_place.GetConnection());
}

} // namespace ns3
