/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"
#include "rdma-device.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cerrno>

namespace ns3
{

int
RdmaConnection::Listen(const Address& local)
{
    NS_LOG_FUNCTION(this << local);
    if (m_state != State::IDLE || !m_node)
    {
        return EINVAL;
    }
    const int error = Judge({}, true);
    if (error != 0)
    {
        return error;
    }
    m_socket = MakeSocket();
    if (m_socket->Bind(local) != 0)
    {
        m_socket = nullptr;
        return EADDRINUSE;
    }
    m_socket->Listen();
    m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&RdmaConnection::HandleAccept, this));
    m_state = State::LISTENING;
    KeepAlive();
    return 0;
}

void
RdmaConnection::HandleAccept(Ptr<Socket> socket, const Address& peer)
{
    NS_LOG_FUNCTION(this << socket << peer);
    if (m_backlog >= m_maxBacklog)
    {
        NS_LOG_LOGIC(this << " refused: " << m_backlog << " connections are without a Request");
        DynamicCast<MpaTcpSocket>(socket)->EndWithin(Time(0));
        return;
    }
    Ptr<RdmaConnection> child = Create(m_node);
    child->m_revision = m_revision;
    child->m_peerToPeer = m_peerToPeer;
    child->m_rtr = m_rtr;
    child->m_ird = m_ird;
    child->m_maxIrd = m_maxIrd;
    child->m_ord = m_ord;
    child->m_minOrd = m_minOrd;
    child->m_settings = m_settings;
    child->m_callback = m_callback;
    child->m_listener = this;
    child->m_peer = peer;
    CountBacklog(true);
    child->KeepAlive();
    child->MakeStream(DynamicCast<MpaTcpSocket>(socket));
    child->m_mpa->SetUser(PeekPointer(child)); // until it has a queue pair
    child->m_mpa->StartResponder();
}

void
RdmaConnection::CountBacklog(bool more)
{
    more ? ++m_backlog : --m_backlog;
    RdmaDevice::Get(m_node)->TraceBacklog(Ptr<RdmaConnection>(this), m_backlog);
}

void
RdmaConnection::LeaveBacklog()
{
    if (m_state == State::IDLE && m_listener->m_node) // not if the node is disposed of
    {
        m_listener->CountBacklog(false);
    }
}

uint16_t
RdmaConnection::GetBacklog() const
{
    return m_backlog;
}

bool
RdmaConnection::TakesUlpdus() const
{
    return false;
}

void
RdmaConnection::HandleEvent(MpaStream& /* mpa */, const MpaConnectionEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    using Kind = MpaConnectionEvent::Kind;
    Ptr<RdmaConnection> self(this);
    if (event.kind == Kind::CONNECT_REQUEST)
    {
        LeaveBacklog();
        m_state = State::REQUESTED;
        const Ptr<RdmaConnection> listener = m_listener;
        if (!listener->m_callback.IsNull())
        {
            listener->m_callback(this, event);
        }
    }
    else if (event.kind == Kind::CONNECT_ERROR && m_state != State::OVER)
    {
        LeaveBacklog();
        End();
        Tell(event);
    }
}

int
RdmaConnection::Accept(const RdmaConnectionParameters& parameters)
{
    NS_LOG_FUNCTION(this << parameters.privateData.size());
    if (m_state != State::REQUESTED || !m_pair || !Fits(parameters.privateData))
    {
        return EINVAL;
    }
    int error = Judge(parameters, true);
    if (error != 0)
    {
        return error;
    }
    const RdmaConnectionParameters complete = Complete(parameters);
    error = m_pair->Connect(m_mpa, complete.responderResources, complete.initiatorDepth);
    if (error != 0)
    {
        return error;
    }
    m_state = State::CONNECTING;
    m_mpa->SetEnhanced(MakeEnhanced(parameters, true)); // the Reply says what is used
    m_mpa->Accept(parameters.privateData);
    const auto state = m_mpa->GetState();
    if (state == MpaStartup::State::FULL_RX_ONLY)
    {
        // what is posted from here on goes out behind the peer's first message
        m_state = State::CONNECTED;
        m_pair->Accepted();
        Simulator::ScheduleNow(&RdmaConnection::ForgetStartup, Ptr<RdmaConnection>(this));
        Later(MpaConnectionEvent::FromFrame(MpaConnectionEvent::Kind::ESTABLISHED,
                                            m_mpa->GetPeerFrame(),
                                            m_mpa->GetResult()));
    }
    else if (state != MpaStartup::State::FULL)
    {
        m_mpa->Close(); // the depths cannot be had, and the Reply says so
    }
    return 0;
}

int
RdmaConnection::Reject(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this << privateData.size());
    if (m_state != State::REQUESTED || !Fits(privateData))
    {
        return EINVAL;
    }
    End();
    m_mpa->Reject(privateData);
    m_mpa->Close();
    return 0;
}

} // namespace ns3
