/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/tcp-l4-protocol.h"

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: what it tells the hardware below TCP, if there is any.
 */

namespace ns3
{

void
MpaTcpSocket::SetOffload(Ptr<MpaOffload> offload)
{
    m_offload = offload;
}

Ptr<MpaOffloadFlow>
MpaTcpSocket::GetOffloadFlow() const
{
    return m_flow;
}

void
MpaTcpSocket::MoveIn()
{
    if (!m_home)
    {
        m_home = m_offload->TakeHome();
        SetTcp(m_home);
    }
}

uint16_t
MpaTcpSocket::TakePort(bool ipv6)
{
    if (m_endPoint || m_endPoint6 || m_offloadPort > 0)
    {
        return 0;
    }
    const uint16_t port = m_offload->TakePort(ipv6);
    if (port > 0)
    {
        m_offloadPort = port;
        m_offloadPortIpv6 = ipv6;
        MoveIn();
    }
    return port;
}

int
MpaTcpSocket::Bind()
{
    const uint16_t port = m_offload ? TakePort(false) : 0;
    return port > 0 ? TcpSocketBase::Bind(InetSocketAddress(Ipv4Address::GetAny(), port))
                    : TcpSocketBase::Bind();
}

int
MpaTcpSocket::Bind6()
{
    const uint16_t port = m_offload ? TakePort(true) : 0;
    return port > 0 ? TcpSocketBase::Bind(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                    : TcpSocketBase::Bind6();
}

int
MpaTcpSocket::Bind(const Address& address)
{
    if (m_offload && InetSocketAddress::IsMatchingType(address))
    {
        auto where = InetSocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? TakePort(false) : 0;
        if (port > 0)
        {
            where.SetPort(port);
            return TcpSocketBase::Bind(where);
        }
    }
    else if (m_offload && Inet6SocketAddress::IsMatchingType(address))
    {
        auto where = Inet6SocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? TakePort(true) : 0;
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
    if (result == 0 && m_offload)
    {
        ShowOffload(true);
    }
    return result;
}

void
MpaTcpSocket::ShowOffload(bool listening)
{
    if (m_flow)
    {
        m_offload->Remove(m_flow);
    }
    m_flow = m_offload->Add(&m_endPoint, &m_endPoint6, listening);
}

} // namespace ns3
