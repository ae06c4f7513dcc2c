/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

#include "rdma-device.h"
#include "rdma-protection-domain.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-ip-traits.h"

#include <algorithm>
#include <cerrno>
#include <string>
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
        RdmaDevice::Get(m_node)->Unregister(this);
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
RdmaConnection::Validate(const RdmaConnectionParameters& parameters, bool listens) const
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
RdmaConnection::Notify(const RdmaConnectionEvent& event)
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
    Simulator::ScheduleNow(&RdmaConnection::Notify, Ptr<RdmaConnection>(this), event);
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
        Simulator::ScheduleNow(&RdmaConnection::ReleaseStartup, self);
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
            Notify(RdmaConnectionEvent{Kind::DISCONNECTED});
        }
        break;
    }
    default:
        End(); // CONNECT_ERROR
        break;
    }
    Notify(event);
}

void
RdmaConnection::ReleaseStartup()
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

// ---- attributes ---------------------------------------------------------------------------------

NS_OBJECT_ENSURE_REGISTERED(RdmaConnection);

/// An attribute for each kind of ready-to-receive indication.
class RdmaConnection::RtrAccessor : public AttributeAccessor
{
  public:
    /// @param flag of the kind
    explicit RtrAccessor(bool MpaRtrSet::*flag)
        : m_flag(flag)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* connection = dynamic_cast<RdmaConnection*>(object);
        const auto* on = dynamic_cast<const BooleanValue*>(&value);
        if (connection == nullptr || on == nullptr)
        {
            return false;
        }
        connection->m_rtr.*m_flag = on->Get();
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* connection = dynamic_cast<const RdmaConnection*>(object);
        auto* on = dynamic_cast<BooleanValue*>(&value);
        if (connection == nullptr || on == nullptr)
        {
            return false;
        }
        on->Set(connection->m_rtr.*m_flag);
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    bool MpaRtrSet::*m_flag; //!< of the kind
};

TypeId
RdmaConnection::GetTypeId()
{
    static TypeId tid = [] {
        TypeId type =
            TypeId("ns3::RdmaConnection")
                .SetParent<Object>()
                .SetGroupName("Iwarp")
                .AddConstructor<RdmaConnection>()
                .AddAttribute("Revision",
                              "MPA revision: 2 negotiates IRD and ORD (RFC 6581), 1 does not.",
                              UintegerValue(2),
                              MakeUintegerAccessor(&RdmaConnection::m_revision),
                              MakeUintegerChecker<uint8_t>(1, 2))
                .AddAttribute(
                    "PeerToPeer",
                    "Let the side that connects send a ready-to-receive indication, so that "
                    "either side may be the first to send (RFC 6581).",
                    BooleanValue(false),
                    MakeBooleanAccessor(&RdmaConnection::m_peerToPeer),
                    MakeBooleanChecker())
                .AddAttribute(
                    "Ird",
                    "Reads and Atomics of the peer that are held at a time, unless the call "
                    "says otherwise; at most the device's MaxReadAtomic. With MPA revision 2 the "
                    "side that listens holds as many as the peer asks for, if these are more, up "
                    "to MaxIrd.",
                    UintegerValue(16),
                    MakeUintegerAccessor(&RdmaConnection::m_ird),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "MaxIrd",
                    "Most Reads and Atomics of the peer that the side that listens grants "
                    "with MPA revision 2; at most the device's MaxReadAtomic.",
                    UintegerValue(MpaEnhancedWord::LARGEST_DEPTH),
                    MakeUintegerAccessor(&RdmaConnection::m_maxIrd),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "Ord",
                    "Reads and Atomics of this side under way at a time, unless the call "
                    "says otherwise; at most the device's MaxReadAtomic, and what the peer "
                    "grants.",
                    UintegerValue(16),
                    MakeUintegerAccessor(&RdmaConnection::m_ord),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "NegotiateReads",
                    "The side that connects has Ird and Ord negotiated. Off, it says 0x3FFF for "
                    "both, and each side goes by what it is told alone: the application sees to it "
                    "that neither Ord exceeds the other's Ird (RFC 6581 section 9.1).",
                    BooleanValue(true),
                    MakeBooleanAccessor(&RdmaConnection::m_negotiateReads),
                    MakeBooleanChecker())
                .AddAttribute(
                    "MinOrd",
                    "The side that listens rejects a peer that grants fewer Reads than these "
                    "(RFC 6581 section 9.1).",
                    UintegerValue(0),
                    MakeUintegerAccessor(&RdmaConnection::m_minOrd),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "Backlog",
                    "Most connections that the side that listens has without a Request: TCP is "
                    "reset if there is one more. The default is that of Linux "
                    "(net.iw_cm.default_backlog).",
                    UintegerValue(256),
                    MakeUintegerAccessor(&RdmaConnection::m_maxBacklog),
                    MakeUintegerChecker<uint16_t>(1, UINT16_MAX))
                .AddAttribute(
                    "StrictIrd",
                    "The side that connects gives up if the peer grants fewer Reads than Ord "
                    "rather than do with them.",
                    BooleanValue(false),
                    MakeBooleanAccessor(&RdmaConnection::m_strictIrd),
                    MakeBooleanChecker())
                .AddAttribute(
                    "RetryUnenhanced",
                    "Connect once more with MPA revision 1 if the peer ends TCP without an "
                    "answer to revision 2, as one that knows revision 1 alone does (RFC 6581 "
                    "section 10); not with PeerToPeer, which revision 1 does not have.",
                    BooleanValue(true),
                    MakeBooleanAccessor(&RdmaConnection::m_retryUnenhanced),
                    MakeBooleanChecker());
        for (const auto& kind : MpaRtrKinds())
        {
            type.AddAttribute(std::string("Rtr") + kind.name,
                              kind.help,
                              BooleanValue(MpaEnhancedConfig().rtr.*kind.flag),
                              ns3::Create<RtrAccessor>(kind.flag),
                              MakeBooleanChecker());
        }
        return type;
    }();
    return tid;
}

RdmaConnection::Settings&
RdmaConnection::GetSettings()
{
    if (!m_settings)
    {
        m_settings = ns3::Create<Settings>();
    }
    return *m_settings;
}

int
RdmaConnection::AddSetting(std::vector<std::pair<std::string, Ptr<AttributeValue>>>& list,
                           const TypeId& typeId,
                           const std::string& name,
                           const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (!typeId.LookupAttributeByName(name, &info))
    {
        return EINVAL;
    }
    Ptr<AttributeValue> valid = info.checker->CreateValidValue(value);
    if (!valid)
    {
        return EINVAL;
    }
    list.emplace_back(name, valid);
    return 0;
}

int
RdmaConnection::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    return AddSetting(GetSettings().socket, MpaTcpSocket::GetTypeId(), name, value);
}

int
RdmaConnection::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    return name == "Revision"
               ? EINVAL
               : AddSetting(GetSettings().stream, MpaStream::GetTypeId(), name, value);
}

RdmaConnectionParameters
RdmaConnection::Complete(const RdmaConnectionParameters& parameters) const
{
    RdmaConnectionParameters complete = parameters;
    const auto most = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    if (complete.responderResources == RdmaConnectionParameters::BY_ATTRIBUTE)
    {
        complete.responderResources = std::min(m_ird, most);
    }
    if (complete.initiatorDepth == RdmaConnectionParameters::BY_ATTRIBUTE)
    {
        complete.initiatorDepth = std::min(m_ord, most);
    }
    return complete;
}

// ---- the side that connects ---------------------------------------------------------------------

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
    Notify(event);
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
    const int error = Validate(parameters, false);
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
    Notify(event);
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
        Notify(event);
        return;
    }
    m_mpa->StartInitiator(m_parameters.privateData);
}

// ---- the side that listens ----------------------------------------------------------------------

int
RdmaConnection::Listen(const Address& local)
{
    NS_LOG_FUNCTION(this << local);
    if (m_state != State::IDLE || !m_node)
    {
        return EINVAL;
    }
    const int error = Validate({}, true);
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
        Notify(event);
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
    int error = Validate(parameters, true);
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
        Simulator::ScheduleNow(&RdmaConnection::ReleaseStartup, Ptr<RdmaConnection>(this));
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
