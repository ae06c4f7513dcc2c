/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-bulk-sender.h"

#include "ns3/app-message.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"
#include "ns3/string.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaBulkSender");
NS_OBJECT_ENSURE_REGISTERED(MpaBulkSender);

TypeId
MpaBulkSender::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
        TypeId("ns3::MpaBulkSender")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<MpaBulkSender>()
            .AddAttribute("Remote",
                          "Address and port of the MpaSink, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&MpaBulkSender::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Local",
                          "Address and port to bind to; empty leaves both to TCP",
                          AddressValue(),
                          MakeAddressAccessor(&MpaBulkSender::m_local),
                          MakeAddressChecker())
            .AddAttribute("Initiator",
                          "Start MPA as Initiator; otherwise the sink has to",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaBulkSender::m_initiator),
                          MakeBooleanChecker())
            .AddAttribute("PrivateData",
                          "Private Data of the MPA Request, at most 512 octets",
                          StringValue(""),
                          MakeStringAccessor(&MpaBulkSender::m_privateData),
                          MakeStringChecker())
            .AddAttribute("Hello",
                          "Streaming data to send before MPA is started (delayed startup, RFC 5044 "
                          "section 7.1.3); the sink needs the same and sends it back",
                          StringValue(""),
                          MakeStringAccessor(&MpaBulkSender::m_hello),
                          MakeStringChecker())
            .AddAttribute("Backed",
                          "Send a pattern as payload, for the sink to compare; otherwise zeros",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaBulkSender::m_backed),
                          MakeBooleanChecker())
            .AddAttribute("CloseWhenDone",
                          "End the connection after the last message",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaBulkSender::m_closeWhenDone),
                          MakeBooleanChecker())
            .AddTraceSource("StreamCreated",
                            "TCP is connected, MPA is about to start",
                            MakeTraceSourceAccessor(&MpaBulkSender::m_createdTrace),
                            "ns3::MpaBulkSender::StreamTracedCallback")
            .AddTraceSource("Established",
                            "MPA is in Full Operation, messages may be sent",
                            MakeTraceSourceAccessor(&MpaBulkSender::m_establishedTrace),
                            "ns3::MpaBulkSender::StreamTracedCallback")
            .AddTraceSource("MessagePosted",
                            "A message was posted",
                            MakeTraceSourceAccessor(&MpaBulkSender::m_postedTrace),
                            "ns3::MpaBulkSender::MessageTracedCallback")
            .AddTraceSource("MessageSent",
                            "The last octet of a message was given to the stream",
                            MakeTraceSourceAccessor(&MpaBulkSender::m_sentTrace),
                            "ns3::MpaBulkSender::MessageTracedCallback")
            .AddTraceSource("Failed",
                            "The connection ended before all was sent",
                            MakeTraceSourceAccessor(&MpaBulkSender::m_failedTrace),
                            "ns3::MpaBulkSender::FailedTracedCallback"),
        &MpaBulkSender::m_source,
        {"Messages posted and not wholly sent at any time. With Intervals, those that find so many "
         "are refused and counted"});
    return tid;
}

MpaBulkSender::MpaBulkSender()
    : m_source(*this)
{
    m_streamFactory.SetTypeId(MpaStream::GetTypeId());
}

MpaBulkSender::~MpaBulkSender() = default;

void
MpaBulkSender::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    if (m_stream)
    {
        m_stream->ClearUser(this);
    }
    m_stream = nullptr;
    m_socket = nullptr;
    m_queue.clear();
    Application::DoDispose();
}

std::string
MpaBulkSender::SetMessageSizes(const std::string& description)
{
    NS_LOG_FUNCTION(this << description);
    return m_source.SetSizes(description);
}

void
MpaBulkSender::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_socketSettings.Set(name, value);
}

void
MpaBulkSender::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_streamFactory.Set(name, value);
}

int64_t
MpaBulkSender::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return m_source.AssignStreams(stream);
}

// ---- connection ---------------------------------------------------------------------------------

void
MpaBulkSender::StartApplication()
{
    NS_LOG_FUNCTION(this);
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_remote);
    NS_ABORT_MSG_UNLESS(ipv6 || InetSocketAddress::IsMatchingType(m_remote),
                        "ns3::MpaBulkSender: set Remote to an InetSocketAddress or an "
                        "Inet6SocketAddress");
    m_socket = Socket::CreateSocket(GetNode(), MpaTcpSocketFactory::GetTypeId());
    m_socketSettings.Apply(m_socket);
    const int bound = m_local.IsInvalid() ? (ipv6 ? m_socket->Bind6() : m_socket->Bind())
                                          : m_socket->Bind(m_local);
    NS_ABORT_MSG_IF(bound < 0, "ns3::MpaBulkSender: Local cannot be bound to");
    m_socket->SetConnectCallback(MakeCallback(&MpaBulkSender::HandleConnected, this),
                                 MakeCallback(&MpaBulkSender::HandleLost, this));
    m_socket->SetCloseCallbacks(MakeCallback(&MpaBulkSender::HandleLost, this),
                                MakeCallback(&MpaBulkSender::HandleLost, this));
    if (m_socket->Connect(m_remote) < 0)
    {
        Fail("there is no route to the sink");
    }
}

void
MpaBulkSender::StopApplication()
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
MpaBulkSender::HandleLost(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    const auto none = MakeNullCallback<void, Ptr<Socket>>();
    socket->SetRecvCallback(none);
    socket->SetCloseCallbacks(none, none); // or closing would lead here again
    socket->Close();
    Fail(m_stream ? "the sink closed before MPA was started" : "TCP did not connect");
}

void
MpaBulkSender::HandleConnected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this);
    m_stream = m_streamFactory.Create<MpaStream>();
    m_stream->SetSocket(DynamicCast<MpaTcpSocket>(socket));
    m_stream->SetUser(this);
    m_createdTrace(m_stream);
    if (m_hello.empty())
    {
        StartMpa();
        return;
    }
    m_helloLeft = m_hello.size();
    socket->SetRecvCallback(MakeCallback(&MpaBulkSender::HandleHello, this));
    const auto octets = reinterpret_cast<const uint8_t*>(m_hello.data());
    if (socket->Send(Create<Packet>(octets, m_hello.size())) < 0)
    {
        Fail("the hello does not fit the send buffer");
    }
}

void
MpaBulkSender::HandleHello(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    while (m_helloLeft > 0 && socket->GetRxAvailable() > 0)
    {
        m_helloLeft -= socket->Recv(m_helloLeft, 0)->GetSize();
    }
    if (m_helloLeft == 0)
    {
        StartMpa();
    }
}

void
MpaBulkSender::StartMpa()
{
    if (m_initiator)
    {
        m_stream->StartInitiator({m_privateData.begin(), m_privateData.end()});
    }
    else
    {
        m_stream->StartResponder();
    }
}

void
MpaBulkSender::HandleEvent(MpaStream& stream, const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    switch (event.kind)
    {
    case Kind::CONNECT_REQUEST:
    case Kind::CONNECT_RESPONSE:
        stream.Accept();
        break;
    case Kind::ESTABLISHED:
        Begin();
        break;
    case Kind::REJECTED:
        Fail("the sink rejected the connection");
        stream.Close();
        break;
    case Kind::CONNECT_ERROR:
    case Kind::FAILED:
    case Kind::DISCONNECTED:
        // what TCP has taken may not have arrived, unless the sink has ended its half too
        if (!m_finished || !stream.IsPeerClosed())
        {
            Fail(event.reason);
        }
        stream.Close();
        break;
    default:
        break;
    }
}

void
MpaBulkSender::Begin()
{
    m_establishedTrace(m_stream);
    m_source.Start();
    Fill();
}

void
MpaBulkSender::HandleUlpdu(MpaStream& /* stream */,
                           const MpaUlpdu& ulpdu,
                           RecordPlacementList* /* placements */)
{
    NS_LOG_FUNCTION(this << ulpdu.length);
    NS_LOG_WARN("ns3::MpaBulkSender: the peer sends ULPDUs, which nobody wants");
}

void
MpaBulkSender::Fail(const std::string& reason)
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
MpaBulkSender::HasRoom() const
{
    return m_queue.size() < m_source.GetQueueDepth();
}

void
MpaBulkSender::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << number << size);
    m_queue.push_back({number, size, 0});
    m_postedTrace(number, size);
    Fill();
}

void
MpaBulkSender::HandleRoom(MpaStream& /* stream */, uint32_t room)
{
    NS_LOG_FUNCTION(this << room);
    Fill();
}

void
MpaBulkSender::Fill()
{
    if (m_filling || m_finished || !m_stream || !m_stream->CanSend())
    {
        return;
    }
    m_filling = true;
    for (bool room = true; room;)
    {
        m_source.Fill();
        if (m_queue.empty())
        {
            break;
        }
        room = SendFront();
    }
    m_filling = false;
    if (m_queue.empty() && !m_source.HasMore())
    {
        m_finished = true;
        if (m_closeWhenDone)
        {
            m_stream->ShutdownSend();
        }
    }
}

bool
MpaBulkSender::SendFront()
{
    Message& message = m_queue.front();
    const uint8_t version = m_stream->GetResult().version;
    uint8_t header[iwarp::MESSAGE_HEADER];
    while (message.sent < message.size)
    {
        const uint64_t left = message.size - message.sent;
        const uint64_t room = m_stream->GetMulpdu() - iwarp::MESSAGE_HEADER;
        const auto payload = static_cast<uint32_t>(std::min(left, room));
        iwarp::WriteMessageHeader(header, message.number, message.sent, payload == left, version);
        const uint8_t* octets =
            m_backed ? iwarp::MessagePattern(message.number, message.sent) : nullptr;
        if (m_stream->Send(header, sizeof(header), octets, payload) < 0)
        {
            if (m_stream->GetErrno() != Socket::ERROR_AGAIN)
            {
                Fail("the stream takes no ULPDU of " +
                     std::to_string(iwarp::MESSAGE_HEADER + payload) +
                     " octets; is SndBufSize less than that?");
                m_stream->Close();
            }
            return false;
        }
        message.sent += payload;
        m_sentOctets += payload;
    }
    const Message sent = message;
    m_queue.pop_front();
    m_sent++;
    m_sentTrace(sent.number, sent.size);
    return true;
}

void
MpaBulkSender::Allow(uint64_t messages)
{
    NS_LOG_FUNCTION(this << messages);
    m_source.Allow(messages);
    Fill();
}

void
MpaBulkSender::Post(uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    m_source.Add(size);
    Fill();
}

// ---- state --------------------------------------------------------------------------------------

Ptr<MpaStream>
MpaBulkSender::GetStream() const
{
    return m_stream;
}

uint64_t
MpaBulkSender::GetMessagesPosted() const
{
    return m_source.GetPosted();
}

uint64_t
MpaBulkSender::GetMessagesSent() const
{
    return m_sent;
}

uint64_t
MpaBulkSender::GetMessagesRefused() const
{
    return m_source.GetRefused();
}

uint64_t
MpaBulkSender::GetOctetsSent() const
{
    return m_sentOctets;
}

bool
MpaBulkSender::IsFinished() const
{
    return m_finished;
}

const std::string&
MpaBulkSender::GetError() const
{
    return m_error;
}

} // namespace ns3
