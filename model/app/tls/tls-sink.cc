/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-sink.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TlsSink");
NS_OBJECT_ENSURE_REGISTERED(TlsSink);

// ---- a connection -------------------------------------------------------------------------------

TlsSinkConnection::TlsSinkConnection(Ptr<TlsStream> stream,
                                     bool backed,
                                     PayloadFunction payload,
                                     MessageFunction message,
                                     FailureFunction failure)
    : m_stream(stream),
      m_reader(backed, std::move(payload), std::move(message)),
      m_failure(std::move(failure))
{
    m_stream->SetUser(this);
}

TlsSinkConnection::~TlsSinkConnection()
{
    m_stream->Dispose();
}

void
TlsSinkConnection::HandleEstablished(TlsStream& /* stream */)
{
}

void
TlsSinkConnection::HandleData(TlsStream& stream, const Ptr<Packet>& content)
{
    if (!m_reader.Add(content) && m_error.empty())
    {
        stream.Close();
        Fail("no message of a TlsBulkSender begins where one has to");
    }
}

void
TlsSinkConnection::HandleRoom(TlsStream& /* stream */)
{
}

void
TlsSinkConnection::HandleEnd(TlsStream& stream, TlsEnd end)
{
    stream.Close();
    if (end != TlsEnd::CLOSED)
    {
        Fail(DescribeTlsEnd(end, stream.GetAlert()));
    }
    else if (!m_reader.IsBetween())
    {
        Fail("the sender has closed within a message");
    }
}

void
TlsSinkConnection::Fail(const std::string& reason)
{
    if (m_error.empty())
    {
        m_error = reason;
        m_failure(reason);
    }
}

Ptr<TlsStream>
TlsSinkConnection::GetStream() const
{
    return m_stream;
}

const iwarp::TlsMessageReader&
TlsSinkConnection::GetReader() const
{
    return m_reader;
}

const std::string&
TlsSinkConnection::GetError() const
{
    return m_error;
}

// ---- all of them --------------------------------------------------------------------------------

TypeId
TlsSink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TlsSink")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<TlsSink>()
            .AddAttribute("Local",
                          "Address and port to listen on, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&TlsSink::m_local),
                          MakeAddressChecker())
            .AddAttribute("Protocol",
                          "Socket factory, as that of TlsBulkSender",
                          TypeIdValue(MpaTcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&TlsSink::m_protocol),
                          MakeTypeIdChecker())
            .AddAttribute("Backed",
                          "Compare the payload of messages with the pattern of a TlsBulkSender "
                          "with Backed",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TlsSink::m_backed),
                          MakeBooleanChecker())
            .AddTraceSource("StreamCreated",
                            "A connection was accepted, the handshake is about to start",
                            MakeTraceSourceAccessor(&TlsSink::m_createdTrace),
                            "ns3::TlsSink::StreamTracedCallback")
            .AddTraceSource("PayloadReceived",
                            "Payload of a message has come, in records that are whole",
                            MakeTraceSourceAccessor(&TlsSink::m_payloadTrace),
                            "ns3::TlsSink::PayloadTracedCallback")
            .AddTraceSource("MessageReceived",
                            "All of a message has come, in records that are whole",
                            MakeTraceSourceAccessor(&TlsSink::m_messageTrace),
                            "ns3::TlsSink::MessageTracedCallback")
            .AddTraceSource("Failed",
                            "A connection ended otherwise than by its sender's end",
                            MakeTraceSourceAccessor(&TlsSink::m_failedTrace),
                            "ns3::TlsSink::FailedTracedCallback");
    return tid;
}

TlsSink::TlsSink()
{
    m_streamFactory.SetTypeId(TlsStream::GetTypeId());
}

TlsSink::~TlsSink() = default;

void
TlsSink::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_listener = nullptr;
    m_connections.clear();
    Application::DoDispose();
}

void
TlsSink::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socketSettings.Set(name, value);
}

void
TlsSink::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    m_streamFactory.Set(name, value);
}

int64_t
TlsSink::AssignStreams(int64_t stream)
{
    m_randomStream = stream;
    return 1;
}

void
TlsSink::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(m_local) ||
                            Inet6SocketAddress::IsMatchingType(m_local),
                        "ns3::TlsSink: set Local to an InetSocketAddress or an "
                        "Inet6SocketAddress");
    m_listener = Socket::CreateSocket(GetNode(), m_protocol);
    m_socketSettings.Apply(m_listener);
    NS_ABORT_MSG_IF(m_listener->Bind(m_local) < 0, "ns3::TlsSink: Local cannot be bound to");
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&TlsSink::HandleAccept, this));
    m_listener->Listen();
}

void
TlsSink::StopApplication()
{
    NS_LOG_FUNCTION(this);
    for (const auto& connection : m_connections)
    {
        connection->GetStream()->Close();
    }
    if (m_listener)
    {
        m_listener->Close();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
    }
}

void
TlsSink::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << from);
    Ptr<TlsStream> stream = m_streamFactory.Create<TlsStream>();
    if (m_randomStream >= 0)
    {
        stream->AssignStreams(m_randomStream);
    }
    stream->SetSocket(socket);
    // by address: the connection outlives neither, and a Ptr would keep the stream for ever
    TlsStream* const of = PeekPointer(stream);
    auto payload = [this, of](uint64_t octets) { m_payloadTrace(of, octets); };
    auto message = [this, of](uint32_t number, uint64_t size) { m_messageTrace(of, number, size); };
    auto failure = [this, of](const std::string& reason) { m_failedTrace(of, reason); };
    m_connections.push_back(Create<TlsSinkConnection>(stream, m_backed, payload, message, failure));
    m_createdTrace(stream);
    stream->Start(TlsRole::SERVER);
}

// ---- state --------------------------------------------------------------------------------------

std::size_t
TlsSink::GetNConnections() const
{
    return m_connections.size();
}

Ptr<const TlsSinkConnection>
TlsSink::GetConnection(std::size_t i) const
{
    return m_connections.at(i);
}

uint64_t
TlsSink::Sum(uint64_t (iwarp::TlsMessageReader::*value)() const) const
{
    uint64_t sum = 0;
    for (const auto& connection : m_connections)
    {
        sum += (connection->GetReader().*value)();
    }
    return sum;
}

uint64_t
TlsSink::GetMessages() const
{
    return Sum(&iwarp::TlsMessageReader::GetMessages);
}

uint64_t
TlsSink::GetMessageOctets() const
{
    return Sum(&iwarp::TlsMessageReader::GetMessageOctets);
}

uint64_t
TlsSink::GetOctets() const
{
    return Sum(&iwarp::TlsMessageReader::GetOctets);
}

uint64_t
TlsSink::GetContentErrors() const
{
    return Sum(&iwarp::TlsMessageReader::GetContentErrors);
}

std::string
TlsSink::GetError() const
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
