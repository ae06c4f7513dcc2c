/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-sink.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/string.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaSink");
NS_OBJECT_ENSURE_REGISTERED(MpaSink);

TypeId
MpaSink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MpaSink")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<MpaSink>()
            .AddAttribute("Local",
                          "Address and port to listen on, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&MpaSink::m_local),
                          MakeAddressChecker())
            .AddAttribute("Initiator",
                          "Start MPA as Initiator; then the senders must not",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaSink::m_initiator),
                          MakeBooleanChecker())
            .AddAttribute("Reject",
                          "Reject every MPA Request",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaSink::m_reject),
                          MakeBooleanChecker())
            .AddAttribute("Backed",
                          "Hold the payload of messages and compare it with the pattern of an "
                          "MpaBulkSender with Backed",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaSink::m_backed),
                          MakeBooleanChecker())
            .AddAttribute("PrivateData",
                          "Private Data of the startup frames sent, at most 512 octets",
                          StringValue(""),
                          MakeStringAccessor(&MpaSink::m_privateData),
                          MakeStringChecker())
            .AddAttribute("Hello",
                          "Streaming data to wait for and to send back before MPA is started "
                          "(delayed startup, RFC 5044 section 7.1.3)",
                          StringValue(""),
                          MakeStringAccessor(&MpaSink::m_hello),
                          MakeStringChecker())
            .AddTraceSource("StreamCreated",
                            "A connection was accepted, MPA is about to start",
                            MakeTraceSourceAccessor(&MpaSink::m_createdTrace),
                            "ns3::MpaSink::StreamTracedCallback")
            .AddTraceSource("MessageReceived",
                            "A message is in host memory, and all before it are",
                            MakeTraceSourceAccessor(&MpaSink::m_messageTrace),
                            "ns3::MpaSink::MessageTracedCallback")
            .AddTraceSource("Failed",
                            "A connection ended otherwise than by its sender's end",
                            MakeTraceSourceAccessor(&MpaSink::m_failedTrace),
                            "ns3::MpaSink::FailedTracedCallback");
    return tid;
}

MpaSink::MpaSink()
{
    m_streamFactory.SetTypeId(MpaStream::GetTypeId());
}

MpaSink::~MpaSink() = default;

void
MpaSink::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_listener = nullptr;
    m_connections.clear();
    Application::DoDispose();
}

void
MpaSink::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_socketSettings.Set(name, value);
}

void
MpaSink::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_streamFactory.Set(name, value);
}

void
MpaSink::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(m_local) ||
                            Inet6SocketAddress::IsMatchingType(m_local),
                        "ns3::MpaSink: set Local to an InetSocketAddress or an "
                        "Inet6SocketAddress");
    m_listener = Socket::CreateSocket(GetNode(), MpaTcpSocketFactory::GetTypeId());
    m_socketSettings.Apply(m_listener);
    NS_ABORT_MSG_IF(m_listener->Bind(m_local) < 0, "ns3::MpaSink: Local cannot be bound to");
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&MpaSink::HandleAccept, this));
    m_listener->Listen();
}

void
MpaSink::StopApplication()
{
    NS_LOG_FUNCTION(this);
    for (const auto& connection : m_connections)
    {
        connection->Close();
    }
    if (m_listener)
    {
        m_listener->Close();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
    }
}

void
MpaSink::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << from);
    Ptr<MpaStream> stream = m_streamFactory.Create<MpaStream>();
    stream->SetSocket(DynamicCast<MpaTcpSocket>(socket));
    MpaSinkConnection::Config config;
    config.initiator = m_initiator;
    config.reject = m_reject;
    config.backed = m_backed;
    config.privateData.assign(m_privateData.begin(), m_privateData.end());
    config.hello.assign(m_hello.begin(), m_hello.end());
    auto message = [this](MpaSinkConnection& connection, uint32_t number, uint64_t size) {
        HandleMessage(connection, number, size);
    };
    auto failure = [this, stream](const std::string& reason) { m_failedTrace(stream, reason); };
    m_connections.push_back(Create<MpaSinkConnection>(stream, config, message, failure));
    m_createdTrace(stream);
    m_connections.back()->Start();
}

void
MpaSink::HandleMessage(MpaSinkConnection& connection, uint32_t message, uint64_t size)
{
    NS_LOG_FUNCTION(this << message << size);
    m_messageTrace(connection.GetStream(), message, size);
}

// ---- state --------------------------------------------------------------------------------------

std::size_t
MpaSink::GetNConnections() const
{
    return m_connections.size();
}

Ptr<const MpaSinkConnection>
MpaSink::GetConnection(std::size_t i) const
{
    return m_connections.at(i);
}

uint64_t
MpaSink::GetMessages() const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += connection->GetAssembler().GetMessages();
    }
    return sum;
}

uint64_t
MpaSink::GetMessageOctets() const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += connection->GetAssembler().GetMessageOctets();
    }
    return sum;
}

uint64_t
MpaSink::GetOctets() const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += connection->GetAssembler().GetOctets();
    }
    return sum;
}

uint64_t
MpaSink::GetContentErrors() const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += connection->GetAssembler().GetContentErrors();
    }
    return sum;
}

uint64_t
MpaSink::GetBadUlpdus() const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += connection->GetBadUlpdus();
    }
    return sum;
}

std::string
MpaSink::GetError() const
{
    for (const auto& connection : m_connections)
    {
        if (!connection->GetError().empty())
        {
            return connection->GetError();
        }
    }
    return "";
}

} // namespace ns3
