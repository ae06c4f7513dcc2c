/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-bulk-sender.h"

#include "tls-message.h"

#include "ns3/app-message.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/tls-packet.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TlsBulkSender");
NS_OBJECT_ENSURE_REGISTERED(TlsBulkSender);

TypeId
TlsBulkSender::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
        TypeId("ns3::TlsBulkSender")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<TlsBulkSender>()
            .AddAttribute("Remote",
                          "Address and port of the TlsSink, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&TlsBulkSender::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Local",
                          "Address and port to bind to; empty leaves both to TCP",
                          AddressValue(),
                          MakeAddressAccessor(&TlsBulkSender::m_local),
                          MakeAddressChecker())
            .AddAttribute("Protocol",
                          "Socket factory: of MpaTcpSocket, which can align records with segments, "
                          "or any other of TCP, such as ns3::TcpSocketFactory",
                          TypeIdValue(MpaTcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&TlsBulkSender::m_protocol),
                          MakeTypeIdChecker())
            .AddAttribute(
                "WriteSize",
                "Octets that are written at once at most, a message's header among them: a "
                "write begins a record, and ends one [octets]",
                UintegerValue(65536),
                MakeUintegerAccessor(&TlsBulkSender::m_writeSize),
                MakeUintegerChecker<uint32_t>(iwarp::TLS_MESSAGE_HEADER + 1, iwarp::PATTERN_RUN))
            .AddAttribute("Backed",
                          "Send a pattern as payload, for the sink to compare; otherwise zeros",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TlsBulkSender::m_backed),
                          MakeBooleanChecker())
            .AddAttribute("CloseWhenDone",
                          "End the connection after the last message",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TlsBulkSender::m_closeWhenDone),
                          MakeBooleanChecker())
            .AddTraceSource("StreamCreated",
                            "TCP is connected, the handshake is about to start",
                            MakeTraceSourceAccessor(&TlsBulkSender::m_createdTrace),
                            "ns3::TlsBulkSender::StreamTracedCallback")
            .AddTraceSource("Established",
                            "The handshake is over, messages may be sent",
                            MakeTraceSourceAccessor(&TlsBulkSender::m_establishedTrace),
                            "ns3::TlsBulkSender::StreamTracedCallback")
            .AddTraceSource("MessagePosted",
                            "A message was posted",
                            MakeTraceSourceAccessor(&TlsBulkSender::m_postedTrace),
                            "ns3::TlsBulkSender::MessageTracedCallback")
            .AddTraceSource("MessageSent",
                            "The last octet of a message was given to the stream",
                            MakeTraceSourceAccessor(&TlsBulkSender::m_sentTrace),
                            "ns3::TlsBulkSender::MessageTracedCallback")
            .AddTraceSource("Failed",
                            "The connection ended before all was sent",
                            MakeTraceSourceAccessor(&TlsBulkSender::m_failedTrace),
                            "ns3::TlsBulkSender::FailedTracedCallback"),
        &TlsBulkSender::m_source,
        {"Messages posted and not wholly sent at any time. With Intervals, those that find so many "
         "are refused and counted"});
    return tid;
}

TlsBulkSender::TlsBulkSender()
    : m_source(*this)
{
    m_streamFactory.SetTypeId(TlsStream::GetTypeId());
}

TlsBulkSender::~TlsBulkSender() = default;

void
TlsBulkSender::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    if (m_stream)
    {
        m_stream->Dispose();
    }
    m_stream = nullptr;
    m_socket = nullptr;
    m_queue.clear();
    Application::DoDispose();
}

std::string
TlsBulkSender::SetMessageSizes(const std::string& description)
{
    return m_source.SetSizes(description);
}

void
TlsBulkSender::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socketSettings.Set(name, value);
}

void
TlsBulkSender::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    m_streamFactory.Set(name, value);
}

int64_t
TlsBulkSender::AssignStreams(int64_t stream)
{
    const int64_t used = m_source.AssignStreams(stream);
    m_randomStream = stream + used;
    return used + 1;
}

// ---- connection ---------------------------------------------------------------------------------

void
TlsBulkSender::StartApplication()
{
    NS_LOG_FUNCTION(this);
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_remote);
    NS_ABORT_MSG_UNLESS(ipv6 || InetSocketAddress::IsMatchingType(m_remote),
                        "ns3::TlsBulkSender: set Remote to an InetSocketAddress or an "
                        "Inet6SocketAddress");
    m_socket = Socket::CreateSocket(GetNode(), m_protocol);
    m_socketSettings.Apply(m_socket);
    const int bound = m_local.IsInvalid() ? (ipv6 ? m_socket->Bind6() : m_socket->Bind())
                                          : m_socket->Bind(m_local);
    NS_ABORT_MSG_IF(bound < 0, "ns3::TlsBulkSender: Local cannot be bound to");
    m_socket->SetConnectCallback(MakeCallback(&TlsBulkSender::HandleConnected, this),
                                 MakeCallback(&TlsBulkSender::HandleLost, this));
    if (m_socket->Connect(m_remote) < 0)
    {
        Fail("there is no route to the sink");
    }
}

void
TlsBulkSender::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    m_queue.clear();
    if (m_stream)
    {
        m_stream->Close();
    }
    else if (m_socket)
    {
        m_socket->Close();
    }
}

void
TlsBulkSender::HandleLost(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Fail("TCP did not connect");
}

void
TlsBulkSender::HandleConnected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    m_stream = m_streamFactory.Create<TlsStream>();
    if (m_randomStream >= 0)
    {
        m_stream->AssignStreams(m_randomStream);
    }
    m_stream->SetSocket(socket);
    m_stream->SetUser(this);
    m_createdTrace(m_stream);
    m_stream->Start(TlsRole::CLIENT);
}

void
TlsBulkSender::HandleEstablished(TlsStream& /* stream */)
{
    m_establishedTrace(m_stream);
    m_source.Start();
    Fill();
}

void
TlsBulkSender::HandleData(TlsStream& /* stream */, const Ptr<Packet>& content)
{
    NS_LOG_WARN("ns3::TlsBulkSender: the peer sends " << content->GetSize()
                                                      << " octets, which nobody wants");
}

void
TlsBulkSender::HandleEnd(TlsStream& stream, TlsEnd end)
{
    // what TCP has taken may not have arrived, unless the sink has ended its half too
    if (end != TlsEnd::CLOSED)
    {
        Fail(DescribeTlsEnd(end, stream.GetAlert()));
    }
    else if (!m_finished)
    {
        Fail("the sink has closed");
    }
    stream.Close();
}

void
TlsBulkSender::Fail(const std::string& reason)
{
    NS_LOG_INFO("ends early: " << reason);
    m_source.Stop();
    if (m_error.empty())
    {
        m_error = reason;
        m_failedTrace(reason);
    }
}

// ---- messages -----------------------------------------------------------------------------------

bool
TlsBulkSender::HasRoom() const
{
    return m_queue.size() < m_source.GetQueueDepth();
}

void
TlsBulkSender::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << number << size);
    m_queue.push_back({number, size, 0, false});
    m_postedTrace(number, size);
    Fill();
}

void
TlsBulkSender::HandleRoom(TlsStream& /* stream */)
{
    Fill();
}

void
TlsBulkSender::Fill()
{
    if (m_filling || m_finished || !m_stream || !m_stream->IsEstablished())
    {
        return;
    }
    m_filling = true;
    m_source.Fill();
    while (!m_queue.empty() && m_stream->HasRoom())
    {
        SendFront();
        m_source.Fill();
    }
    m_filling = false;
    if (m_queue.empty() && !m_source.HasMore())
    {
        m_finished = true;
        if (m_closeWhenDone)
        {
            m_stream->Close();
        }
    }
}

void
TlsBulkSender::SendFront()
{
    Message& message = m_queue.front();
    const uint64_t room = m_writeSize - (message.begun ? 0 : iwarp::TLS_MESSAGE_HEADER);
    const auto size = static_cast<uint32_t>(std::min(message.size - message.sent, room));
    const uint8_t* octets =
        m_backed ? iwarp::MessagePattern(message.number, message.sent) : nullptr;
    Ptr<Packet> write = octets ? Create<Packet>(octets, size) : Create<Packet>(size);
    if (!message.begun)
    {
        const auto header = iwarp::WriteTlsMessageHeader(message.number, message.size);
        write = AddTlsOctetsBefore(write, header.data(), header.size());
        message.begun = true;
    }
    message.sent += size;
    m_sentOctets += size;
    const Message sent = message;
    if (sent.sent == sent.size)
    {
        m_queue.pop_front();
        m_sent++;
    }
    m_stream->Send(write);
    if (sent.sent == sent.size)
    {
        m_sentTrace(sent.number, sent.size);
    }
}

// ---- state --------------------------------------------------------------------------------------

Ptr<TlsStream>
TlsBulkSender::GetStream() const
{
    return m_stream;
}

uint64_t
TlsBulkSender::GetMessagesPosted() const
{
    return m_source.GetPosted();
}

uint64_t
TlsBulkSender::GetMessagesSent() const
{
    return m_sent;
}

uint64_t
TlsBulkSender::GetMessagesRefused() const
{
    return m_source.GetRefused();
}

uint64_t
TlsBulkSender::GetOctetsSent() const
{
    return m_sentOctets;
}

bool
TlsBulkSender::IsFinished() const
{
    return m_finished;
}

const std::string&
TlsBulkSender::GetError() const
{
    return m_error;
}

} // namespace ns3
