/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"
#include "rdma-device.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/util-ip-traits.h"

#include <cerrno>

namespace ns3
{

int
RdmaConnection::ResolveAddress(const Address& peer)
{
    NS_LOG_FUNCTION(this << peer);
    const bool known =
        InetSocketAddress::IsMatchingType(peer) || Inet6SocketAddress::IsMatchingType(peer);
    if (m_state != State::IDLE || !m_node || !known)
    {
        return EINVAL;
    }
    m_peer = peer;
    m_state = State::RESOLVING;
    KeepAlive();
    Simulator::ScheduleNow(&RdmaConnection::Resolved, Ptr<RdmaConnection>(this));
    return 0;
}

void
RdmaConnection::Resolved()
{
    using Kind = RdmaConnectionEvent::Kind;
    if (m_state != State::RESOLVING)
    {
        return;
    }
    const bool found =
        InetSocketAddress::IsMatchingType(m_peer)
            ? bool(FindIpRoute<Ipv4Traits>(PeekPointer(m_node->GetObject<Ipv4L3Protocol>()),
                                           InetSocketAddress::ConvertFrom(m_peer).GetIpv4()))
            : bool(FindIpRoute<Ipv6Traits>(PeekPointer(m_node->GetObject<Ipv6L3Protocol>()),
                                           Inet6SocketAddress::ConvertFrom(m_peer).GetIpv6()));
    Ptr<RdmaConnection> self(this);
    m_state = found ? State::ADDRESS_RESOLVED : State::IDLE;
    if (!found)
    {
        Retire();
    }
    RdmaConnectionEvent event{found ? Kind::ADDRESS_RESOLVED : Kind::ADDRESS_ERROR};
    event.reason = found ? "" : "the node has no route to the peer";
    Tell(event);
}

int
RdmaConnection::ResolveRoute()
{
    NS_LOG_FUNCTION(this);
    if (m_state != State::ADDRESS_RESOLVED)
    {
        return EINVAL;
    }
    m_state = State::ROUTE_RESOLVED;
    Later(RdmaConnectionEvent{RdmaConnectionEvent::Kind::ROUTE_RESOLVED});
    return 0;
}

int
RdmaConnection::Connect(const RdmaConnectionParameters& parameters)
{
    NS_LOG_FUNCTION(this << parameters.privateData.size());
    if (m_state != State::ROUTE_RESOLVED || !m_pair || !Fits(parameters.privateData))
    {
        return EINVAL;
    }
    const int error = Judge(parameters, false);
    if (error != 0)
    {
        return error;
    }
    m_parameters = Complete(parameters);
    m_state = State::CONNECTING;
    OpenSocket();
    return 0;
}

void
RdmaConnection::OpenSocket()
{
    m_socket = MakeSocket();
    m_socket->SetConnectCallback(MakeCallback(&RdmaConnection::HandleConnected, this),
                                 MakeCallback(&RdmaConnection::HandleUnreachable, this));
    // TCP may give up by closing, too; MPA takes these callbacks over
    m_socket->SetCloseCallbacks(MakeCallback(&RdmaConnection::HandleUnreachable, this),
                                MakeCallback(&RdmaConnection::HandleUnreachable, this));
    if (m_socket->Connect(m_peer) != 0)
    {
        End();
        RdmaConnectionEvent event{RdmaConnectionEvent::Kind::UNREACHABLE};
        event.reason = "TCP cannot connect";
        Later(event);
    }
}

void
RdmaConnection::Reconnect()
{
    if (m_state != State::CONNECTING || m_unenhanced)
    {
        return;
    }
    NS_LOG_INFO("no answer to MPA revision 2: trying revision 1");
    m_unenhanced = true;
    m_mpa = nullptr;
    OpenSocket();
}

void
RdmaConnection::HandleUnreachable(Ptr<Socket> /* socket */)
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmaConnection> self(this);
    if (m_state != State::CONNECTING || m_mpa)
    {
        return;
    }
    End();
    RdmaConnectionEvent event{RdmaConnectionEvent::Kind::UNREACHABLE};
    event.reason = "the peer does not answer, or nobody listens there";
    Tell(event);
}

void
RdmaConnection::HandleConnected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Ptr<RdmaConnection> self(this);
    MakeStream(DynamicCast<MpaTcpSocket>(socket));
    const int error = m_pair->Connect(m_mpa,
                                      m_parameters.responderResources,
                                      m_parameters.initiatorDepth,
                                      m_retryUnenhanced && !m_peerToPeer && !m_unenhanced);
    if (error != 0)
    {
        End();
        socket->Close();
        RdmaConnectionEvent event{RdmaConnectionEvent::Kind::CONNECT_ERROR};
        event.reason = "the queue pair is not in state RESET or INIT";
        Tell(event);
        return;
    }
    m_mpa->StartInitiator(m_parameters.privateData);
}

} // namespace ns3
