/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

#include "rdma-protection-domain.h"

#include "ns3/boolean.h"
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

LogComponent& RdmaConnection::g_log = ns3::g_log;

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
    NS_LOG_FUNCTION(this);
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
    NS_LOG_FUNCTION(this << pair);
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
RdmaConnection::MakeEnhanced(const RdmaConnectionParameters& parameters, bool listens) const
{
    const RdmaConnectionParameters complete = Complete(parameters);
    MpaEnhancedConfig enhanced;
    enhanced.ird = complete.responderResources;
    enhanced.ord = complete.initiatorDepth;
    enhanced.maxIrd = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    if (listens)
    {
        const bool byAttribute =
            parameters.responderResources == RdmaConnectionParameters::BY_ATTRIBUTE;
        enhanced.maxIrd = std::min(byAttribute ? enhanced.maxIrd : enhanced.ird, m_maxIrd);
        enhanced.ird = byAttribute ? std::min(enhanced.ird, enhanced.maxIrd) : enhanced.ird;
        enhanced.minOrd = m_minOrd;
    }
    else if (!m_negotiateReads)
    {
        enhanced.ird = MpaEnhancedWord::UNSPECIFIED;
        enhanced.ord = MpaEnhancedWord::UNSPECIFIED;
    }
    enhanced.peerToPeer = m_peerToPeer;
    enhanced.rtr = m_rtr;
    enhanced.strictIrd = m_strictIrd;
    return enhanced;
}

int
RdmaConnection::Judge(const RdmaConnectionParameters& parameters, bool listens) const
{
    const RdmaConnectionParameters complete = Complete(parameters);
    const uint32_t most = RdmaDevice::Get(m_node)->GetMaxReadAtomic();
    if (complete.responderResources > most || complete.initiatorDepth > most)
    {
        return EMFILE;
    }
    const char* problem = MpaCheckEnhanced(MakeEnhanced(parameters, listens));
    if (problem != nullptr)
    {
        NS_LOG_WARN(problem);
        return EINVAL;
    }
    return 0;
}

void
RdmaConnection::MakeStream(Ptr<MpaTcpSocket> socket)
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
    m_mpa->SetEnhanced(MakeEnhanced(m_parameters, m_listener != nullptr));
}

// ---- events -------------------------------------------------------------------------------------

void
RdmaConnection::Tell(const RdmaConnectionEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    Ptr<RdmaConnection> self(this);
    const EventCallback callback = m_callback; // the application may take it back meanwhile
    if (!callback.IsNull())
    {
        callback(this, event);
    }
}

void
RdmaConnection::Later(const RdmaConnectionEvent& event)
{
    Simulator::ScheduleNow(&RdmaConnection::Tell, Ptr<RdmaConnection>(this), event);
}

// ---- from startup on ----------------------------------------------------------------------------

void
RdmaConnection::HandleEvent(const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    Ptr<RdmaConnection> self(this);
    switch (event.kind)
    {
    case Kind::ESTABLISHED:
        m_state = State::CONNECTED;
        // not from within their own call
        Simulator::ScheduleNow(&RdmaConnection::ForgetStartup, self);
        break;
    case Kind::UNANSWERED:
        Simulator::ScheduleNow(&RdmaConnection::Reconnect, self);
        return;
    case Kind::REJECTED:
        End();
        m_mpa->GetSocket()->Close();
        m_pair->Modify(RdmaQpState::ERR);
        break;
    case Kind::FAILED:
        if (m_state == State::CONNECTED) // before that, startup fails
        {
            Later(event); // not while work is being flushed
        }
        return;
    case Kind::DISCONNECTED:
        if (std::exchange(m_disconnected, true))
        {
            return;
        }
        break;
    case Kind::CLOSED: {
        const bool connected = m_state == State::CONNECTED;
        End();
        if (connected && !std::exchange(m_disconnected, true))
        {
            Tell(RdmaConnectionEvent{Kind::DISCONNECTED});
        }
        break;
    }
    default:
        End(); // CONNECT_ERROR
        break;
    }
    Tell(event);
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
    NS_LOG_FUNCTION(this);
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
