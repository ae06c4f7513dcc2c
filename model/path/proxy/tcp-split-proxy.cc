/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-split-proxy.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpSplitProxy");
NS_OBJECT_ENSURE_REGISTERED(TcpSplitProxy);

TypeId
TcpSplitProxy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpSplitProxy")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<TcpSplitProxy>()
            .AddAttribute("Local",
                          "Address and port to listen on, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&TcpSplitProxy::m_local),
                          MakeAddressChecker())
            .AddAttribute("Remote",
                          "Address and port to connect to for each connection accepted, IPv4 or "
                          "IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&TcpSplitProxy::m_remote),
                          MakeAddressChecker())
            .AddAttribute("BufferSize",
                          "Octets that the send buffer and the receive buffer of each side have "
                          "room for; twice as many can wait at the proxy in a direction [octets]",
                          UintegerValue(262144),
                          MakeUintegerAccessor(&TcpSplitProxy::m_bufferSize),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("MaxConnections",
                          "Connections at a time; one more is reset. 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TcpSplitProxy::m_maxConnections),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("NearCongestionControl",
                          "TcpCongestionOps towards those who connect; TcpCongestionOps itself "
                          "stands for the node's",
                          TypeIdValue(TcpCongestionOps::GetTypeId()),
                          MakeTypeIdAccessor(&TcpSplitProxy::m_nearCongestion),
                          MakeTypeIdChecker())
            .AddAttribute("FarCongestionControl",
                          "TcpCongestionOps towards Remote; TcpCongestionOps itself stands for the "
                          "node's",
                          TypeIdValue(TcpCongestionOps::GetTypeId()),
                          MakeTypeIdAccessor(&TcpSplitProxy::m_farCongestion),
                          MakeTypeIdChecker())
            .AddTraceSource("Accepted",
                            "A connection was accepted",
                            MakeTraceSourceAccessor(&TcpSplitProxy::m_acceptedTrace),
                            "ns3::TcpSplitProxy::AcceptedTracedCallback")
            .AddTraceSource("Ended",
                            "A connection ended, and the other with it",
                            MakeTraceSourceAccessor(&TcpSplitProxy::m_endedTrace),
                            "ns3::TcpSplitProxy::EndedTracedCallback")
            .AddTraceSource("Held",
                            "Octets that wait at the proxy: received and not taken, or not "
                            "acknowledged yet",
                            MakeTraceSourceAccessor(&TcpSplitProxy::m_held),
                            "ns3::TracedValueCallback::Uint64");
    return tid;
}

TcpSplitProxy::TcpSplitProxy() = default;
TcpSplitProxy::~TcpSplitProxy() = default;

void
TcpSplitProxy::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_listener = nullptr;
    m_connections.clear();
    Application::DoDispose();
}

void
TcpSplitProxy::SetNearSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_nearSettings.Set(name, value);
}

void
TcpSplitProxy::SetFarSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_farSettings.Set(name, value);
}

Ptr<MpaTcpSocket>
TcpSplitProxy::MakeSocket(const iwarp::SocketSettings& settings, TypeId congestion) const
{
    const auto factory = MpaTcpSocketFactory::Install(GetNode());
    auto socket = congestion == TcpCongestionOps::GetTypeId()
                      ? DynamicCast<MpaTcpSocket>(factory->CreateSocket())
                      : factory->CreateSocket(congestion);
    socket->SetAttribute("Alignment", BooleanValue(false)); // what it moves are no records
    socket->SetAttribute("SndBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_bufferSize));
    settings.Apply(socket);
    return socket;
}

void
TcpSplitProxy::StartApplication()
{
    NS_LOG_FUNCTION(this);
    for (const auto& address : {m_local, m_remote})
    {
        NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(address) ||
                                Inet6SocketAddress::IsMatchingType(address),
                            "ns3::TcpSplitProxy: set Local and Remote to an InetSocketAddress or "
                            "an Inet6SocketAddress");
    }
    m_listener = MakeSocket(m_nearSettings, m_nearCongestion);
    NS_ABORT_MSG_IF(m_listener->Bind(m_local) < 0, "ns3::TcpSplitProxy: Local cannot be bound to");
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&TcpSplitProxy::HandleAccept, this));
    m_listener->Listen();
}

void
TcpSplitProxy::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Close();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
    }
    while (!m_connections.empty())
    {
        m_connections.begin()->second.connection->Reset(); // takes it off the list
    }
}

void
TcpSplitProxy::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << from);
    const auto near = DynamicCast<MpaTcpSocket>(socket);
    if (m_maxConnections > 0 && GetNConnections() >= m_maxConnections)
    {
        NS_LOG_INFO("refuses one connection more");
        near->EndWithin(Time(0));
        return;
    }
    m_acceptedTrace(from);
    const auto far = MakeSocket(m_farSettings, m_farCongestion);
    const uint64_t id = m_next++;
    const auto change = [this, id](int64_t held) { HandleChange(id, held); };
    const auto connection = Create<TcpSplitConnection>(near, far, change);
    m_connections[id] = {connection, from};
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_remote);
    if ((ipv6 ? far->Bind6() : far->Bind()) < 0 || far->Connect(m_remote) < 0)
    {
        NS_LOG_INFO("no route to Remote");
        connection->Reset();
    }
}

void
TcpSplitProxy::HandleChange(uint64_t id, int64_t held)
{
    NS_LOG_FUNCTION(this << id << held);
    m_held = m_held.Get() + static_cast<uint64_t>(held);
    const auto found = m_connections.find(id);
    if (found != m_connections.end() && found->second.connection->IsOver())
    {
        const Entry entry = found->second;
        m_connections.erase(found);
        const auto& connection = *entry.connection;
        m_endedTrace(entry.from,
                     connection.GetEnd(),
                     connection.GetMoved(true),
                     connection.GetMoved(false));
    }
}

std::size_t
TcpSplitProxy::GetNConnections() const
{
    return m_connections.size();
}

uint64_t
TcpSplitProxy::GetHeld() const
{
    return m_held.Get();
}

} // namespace ns3
