/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

#include "rdma-protection-domain.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaConnection");

RdmaConnection::RdmaConnection() = default;

RdmaConnection::~RdmaConnection()
{
    if (m_mpa)
    {
        m_mpa->ClearUser(this); // another may hold it
    }
}

void
RdmaConnection::DoDispose()
{
    m_callback = EventCallback();
    if (m_socket)
    {
        m_socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                     MakeNullCallback<void, Ptr<Socket>>());
        if (!m_mpa)
        {
            m_socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                        MakeNullCallback<void, Ptr<Socket>>());
        }
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeNullCallback<void, Ptr<Socket>, const Address&>());
        m_socket = nullptr;
    }
    if (m_mpa)
    {
        m_mpa->ClearUser(this);
        m_mpa = nullptr;
    }
    if (m_pair)
    {
        m_pair->SetConnectionListener(nullptr);
        m_pair = nullptr;
    }
    m_listener = nullptr;
    Retire();
    m_node = nullptr;
    Object::DoDispose();
}

void
RdmaConnection::KeepAlive()
{
    if (!m_self)
    {
        m_self = this;
        RdmaDevice::Get(m_node)->Keep(this);
    }
}

void
RdmaConnection::End()
{
    m_state = State::OVER;
    Retire();
}

void
RdmaConnection::Retire()
{
    if (m_self)
    {
        RdmaDevice::Get(m_node)->Forget(this);
        m_self = nullptr;
    }
}

Ptr<RdmaConnection>
RdmaConnection::Create(Ptr<Node> node)
{
    auto connection = CreateObject<RdmaConnection>();
    connection->m_node = node;
    return connection;
}

void
RdmaConnection::SetEventCallback(EventCallback callback)
{
    m_callback = callback;
}

int
RdmaConnection::SetQp(Ptr<RdmaQueuePair> pair)
{
    const bool early = m_state != State::CONNECTED && m_state != State::OVER &&
                       m_state != State::CONNECTING && m_state != State::LISTENING;
    if (m_pair || !pair || !early)
    {
        return EINVAL;
    }
    m_pair = pair;
    pair->SetConnectionListener(this);
    return 0;
}

bool
RdmaConnection::Fits(const std::vector<uint8_t>& privateData) const
{
    return privateData.size() <=
           MpaStartupFrame::MAX_PRIVATE_DATA - (m_revision == 2 ? MpaEnhancedWord::SIZE : 0);
}

// ---- sockets and streams ------------------------------------------------------------------------

Ptr<MpaTcpSocket>
RdmaConnection::MakeSocket()
{
    if (!m_node->GetObject<MpaTcpSocketFactory>())
    {
        MpaTcpSocketFactory::Install(m_node);
    }
    const auto socket =
        DynamicCast<MpaTcpSocket>(Socket::CreateSocket(m_node, MpaTcpSocketFactory::GetTypeId()));
    // an RNIC sends what it is given
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    if (m_settings)
    {
        for (const auto& [name, value] : m_settings->socket)
        {
            socket->SetAttribute(name, *value);
        }
    }
    return socket;
}

MpaEnhancedConfig
RdmaConnection::MakeEnhanced(uint16_t ird, uint16_t ord, bool listens) const
{
    const auto most = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    MpaEnhancedConfig enhanced;
    enhanced.ird = ird;
    enhanced.maxIrd = listens ? std::min(m_maxIrd, most) : most;
    enhanced.ord = ord;
    enhanced.minOrd = listens ? m_minOrd : 0;
    enhanced.peerToPeer = m_peerToPeer;
    enhanced.rtr = m_rtr;
    enhanced.strictIrd = m_strictIrd;
    return enhanced;
}

void
RdmaConnection::MakeStream(Ptr<MpaTcpSocket> socket, uint16_t ird, uint16_t ord)
{
    m_mpa = CreateObject<MpaStream>();
    if (m_settings)
    {
        for (const auto& [name, value] : m_settings->stream)
        {
            m_mpa->SetAttribute(name, *value);
        }
    }
    m_mpa->SetAttribute("Revision", UintegerValue(m_unenhanced ? 1 : m_revision));
    m_mpa->SetSocket(socket);
    m_mpa->SetEnhanced(MakeEnhanced(ird, ord, m_listener != nullptr));
}

// ---- events -------------------------------------------------------------------------------------

void
RdmaConnection::Tell(const RdmaConnectionEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    Ptr<RdmaConnection> self(this);
    if (!m_callback.IsNull())
    {
        m_callback(this, event);
    }
}

void
RdmaConnection::Later(const RdmaConnectionEvent& event)
{
    Simulator::ScheduleNow(&RdmaConnection::Tell, Ptr<RdmaConnection>(this), event);
}

RdmaConnectionEvent
RdmaConnection::FromFrame(RdmaConnectionEvent::Kind kind) const
{
    RdmaConnectionEvent event{kind, nullptr, m_mpa->GetPeerFrame().privateData, 0, 0, ""};
    const MpaEnhancedResult& result = m_mpa->GetResult().enhanced;
    event.peerIrd = result.used ? result.peerIrd : 0;
    event.peerOrd = result.used ? result.peerOrd : 0;
    return event;
}

// ---- the side that connects ---------------------------------------------------------------------

int
RdmaConnection::ResolveAddress(const Address& peer)
{
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
    Socket::SocketErrno error = Socket::ERROR_NOROUTETOHOST;
    bool found = false;
    if (InetSocketAddress::IsMatchingType(m_peer))
    {
        Ipv4Header header;
        header.SetDestination(InetSocketAddress::ConvertFrom(m_peer).GetIpv4());
        const auto ipv4 = m_node->GetObject<Ipv4>();
        found = ipv4 && ipv4->GetRoutingProtocol() &&
                ipv4->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
    }
    else
    {
        Ipv6Header header;
        header.SetDestination(Inet6SocketAddress::ConvertFrom(m_peer).GetIpv6());
        const auto ipv6 = m_node->GetObject<Ipv6>();
        found = ipv6 && ipv6->GetRoutingProtocol() &&
                ipv6->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
    }
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
    if (m_state != State::ROUTE_RESOLVED || !m_pair || !Fits(parameters.privateData))
    {
        return EINVAL;
    }
    const RdmaConnectionParameters complete = Complete(parameters);
    const uint32_t most = RdmaDevice::Get(m_node)->GetMaxReadAtomic();
    if (complete.responderResources > most || complete.initiatorDepth > most)
    {
        return EMFILE;
    }
    const char* problem =
        MpaCheckEnhanced(MakeEnhanced(complete.responderResources, complete.initiatorDepth, false));
    if (problem != nullptr)
    {
        NS_LOG_WARN(problem);
        return EINVAL;
    }
    m_parameters = complete;
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
    Ptr<RdmaConnection> self(this);
    MakeStream(DynamicCast<MpaTcpSocket>(socket),
               m_parameters.responderResources,
               m_parameters.initiatorDepth);
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

void
RdmaConnection::HandleRejected()
{
    End();
    RdmaConnectionEvent event{RdmaConnectionEvent::Kind::REJECTED};
    event.privateData = m_mpa->GetPeerFrame().privateData;
    event.reason = "the peer rejected the connection";
    m_mpa->GetSocket()->Close();
    m_pair->Modify(RdmaQpState::ERR);
    Tell(event);
}

// ---- the side that listens ----------------------------------------------------------------------

int
RdmaConnection::Listen(const Address& local)
{
    if (m_state != State::IDLE || !m_node)
    {
        return EINVAL;
    }
    const auto most = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    const char* problem = MpaCheckEnhanced(MakeEnhanced(0, most, true));
    if (problem != nullptr)
    {
        NS_LOG_WARN(problem);
        return EINVAL;
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
    child->KeepAlive();
    const auto most = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    child->MakeStream(DynamicCast<MpaTcpSocket>(socket), 0, most);
    child->m_mpa->SetUser(PeekPointer(child)); // until it has a queue pair
    child->m_mpa->StartResponder();
}

bool
RdmaConnection::TakesUlpdus() const
{
    return false;
}

void
RdmaConnection::HandleStartup(MpaStream& /* mpa */, const MpaStartupFrame& /* frame */)
{
    Ptr<RdmaConnection> self(this);
    m_state = State::REQUESTED;
    RdmaConnectionEvent event = FromFrame(RdmaConnectionEvent::Kind::CONNECT_REQUEST);
    event.request = this;
    const Ptr<RdmaConnection> listener = m_listener;
    listener->Tell(event);
}

int
RdmaConnection::Accept(const RdmaConnectionParameters& parameters)
{
    if (m_state != State::REQUESTED || !m_pair || !Fits(parameters.privateData))
    {
        return EINVAL;
    }
    const RdmaConnectionParameters complete = Complete(parameters);
    const int error = m_pair->Connect(m_mpa, complete.responderResources, complete.initiatorDepth);
    if (error != 0)
    {
        return error;
    }
    m_state = State::CONNECTING;
    m_mpa->Accept(parameters.privateData);
    if (m_mpa->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        // what is posted from here on goes out behind the peer's first message
        m_state = State::CONNECTED;
        m_pair->Accepted();
        Simulator::ScheduleNow(&RdmaConnection::ForgetStartup, Ptr<RdmaConnection>(this));
        Later(FromFrame(RdmaConnectionEvent::Kind::ESTABLISHED));
    }
    return 0;
}

int
RdmaConnection::Reject(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::REQUESTED || !Fits(privateData))
    {
        return EINVAL;
    }
    End();
    m_mpa->Reject(privateData);
    return 0;
}

// ---- both ---------------------------------------------------------------------------------------

void
RdmaConnection::HandleError(MpaStream& /* mpa */, MpaError /* error */, const std::string& reason)
{
    Ptr<RdmaConnection> self(this);
    // nobody knows yet of a peer whose Request never came
    const bool known = m_state != State::IDLE && m_state != State::OVER;
    End();
    if (known)
    {
        RdmaConnectionEvent event{RdmaConnectionEvent::Kind::CONNECT_ERROR};
        event.reason = reason;
        Tell(event);
    }
}

void
RdmaConnection::HandleQueuePair(RdmaQueuePair::ConnectionEvent event, const std::string& reason)
{
    using Kind = RdmaConnectionEvent::Kind;
    Ptr<RdmaConnection> self(this);
    switch (event)
    {
    case RdmaQueuePair::ConnectionEvent::ESTABLISHED:
        m_state = State::CONNECTED;
        // not from within their own call
        Simulator::ScheduleNow(&RdmaConnection::ForgetStartup, self);
        Tell(FromFrame(Kind::ESTABLISHED));
        break;
    case RdmaQueuePair::ConnectionEvent::REJECTED:
        HandleRejected();
        break;
    case RdmaQueuePair::ConnectionEvent::UNANSWERED:
        Simulator::ScheduleNow(&RdmaConnection::Reconnect, self);
        break;
    case RdmaQueuePair::ConnectionEvent::FAILED: {
        End();
        RdmaConnectionEvent failed{Kind::CONNECT_ERROR};
        failed.reason = reason;
        Tell(failed);
        break;
    }
    case RdmaQueuePair::ConnectionEvent::PEER_CLOSED:
        if (!std::exchange(m_disconnected, true))
        {
            Tell(RdmaConnectionEvent{Kind::DISCONNECTED});
        }
        break;
    case RdmaQueuePair::ConnectionEvent::CLOSED: {
        const bool connected = m_state == State::CONNECTED;
        End();
        if (connected && !std::exchange(m_disconnected, true))
        {
            Tell(RdmaConnectionEvent{Kind::DISCONNECTED});
        }
        Tell(RdmaConnectionEvent{Kind::CLOSED});
        break;
    }
    }
}

void
RdmaConnection::ForgetStartup()
{
    if (m_socket)
    {
        m_socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                     MakeNullCallback<void, Ptr<Socket>>());
    }
}

int
RdmaConnection::Disconnect()
{
    if (m_state == State::LISTENING)
    {
        End();
        m_socket->Close();
        return 0;
    }
    if (m_state != State::CONNECTED && m_state != State::CONNECTING)
    {
        return EINVAL;
    }
    if (!m_pair->GetStream())
    {
        // TCP is not there yet
        End();
        m_socket->Close();
        Later(RdmaConnectionEvent{RdmaConnectionEvent::Kind::CLOSED});
        return 0;
    }
    m_pair->Disconnect();
    return 0;
}

Ptr<RdmaQueuePair>
RdmaConnection::GetQp() const
{
    return m_pair;
}

Ptr<MpaStream>
RdmaConnection::GetMpa() const
{
    return m_mpa;
}

} // namespace ns3
