/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-sink-connection.h"

#include "ns3/log.h"
#include "ns3/packet.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaSinkConnection");

MpaSinkConnection::MpaSinkConnection(Ptr<MpaStream> stream,
                                     const Config& config,
                                     MessageFunction message,
                                     FailureFunction failure)
    : m_stream(stream),
      m_config(config),
      m_assembler(config.backed,
                  [this, message](uint32_t number, uint64_t size) {
                      m_hostView.Notify(
                          m_stream->GetSegmentSink(),
                          Ptr<MpaSinkConnection>(this),
                          [this, message, number, size] { message(*this, number, size); });
                  }),
      m_failure(std::move(failure))
{
    m_stream->SetUser(this);
}

MpaSinkConnection::~MpaSinkConnection()
{
    Release();
}

void
MpaSinkConnection::Release()
{
    m_stream->ClearUser(this);
    if (m_waitsForHello)
    {
        const auto none = MakeNullCallback<void, Ptr<Socket>>();
        m_stream->GetSocket()->SetRecvCallback(none);
        m_stream->GetSocket()->SetCloseCallbacks(none, none);
    }
}

void
MpaSinkConnection::Start()
{
    NS_LOG_FUNCTION(this);
    if (m_config.hello.empty())
    {
        StartMpa();
        return;
    }
    m_waitsForHello = true;
    Ptr<MpaTcpSocket> socket = m_stream->GetSocket();
    socket->SetRecvCallback(MakeCallback(&MpaSinkConnection::HandleHello, this));
    socket->SetCloseCallbacks(MakeCallback(&MpaSinkConnection::HandleHelloClose, this),
                              MakeCallback(&MpaSinkConnection::HandleHelloClose, this));
}

void
MpaSinkConnection::HandleHello(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    while (m_hello.size() < m_config.hello.size() && socket->GetRxAvailable() > 0)
    {
        Ptr<Packet> packet = socket->Recv(m_config.hello.size() - m_hello.size(), 0);
        const std::size_t held = m_hello.size();
        m_hello.resize(held + packet->GetSize());
        packet->CopyData(m_hello.data() + held, packet->GetSize());
    }
    if (m_hello.size() < m_config.hello.size())
    {
        return;
    }
    if (m_hello == m_config.hello)
    {
        StartMpa();
    }
    else
    {
        Close();
        Fail("the streaming hello is not the one expected");
    }
}

void
MpaSinkConnection::HandleHelloClose(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Release(); // or closing would lead here again
    socket->Close();
    Fail("the peer closed before its streaming hello was whole");
}

void
MpaSinkConnection::StartMpa()
{
    m_waitsForHello = false; // from here on the socket's callbacks are the stream's
    // the hello goes back as the last streaming message of this side
    Ptr<Packet> answer;
    if (!m_hello.empty())
    {
        answer = Create<Packet>(m_hello.data(), m_hello.size());
    }
    if (!m_config.initiator)
    {
        m_stream->StartResponder(answer);
        return;
    }
    if (answer)
    {
        m_stream->GetSocket()->Send(answer);
    }
    m_stream->StartInitiator(m_config.privateData);
}

void
MpaSinkConnection::HandleEvent(MpaStream& stream, const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    switch (event.kind)
    {
    case Kind::CONNECT_REQUEST:
    case Kind::CONNECT_RESPONSE:
        AnswerFrame();
        break;
    case Kind::ESTABLISHED:
        SendFirst();
        break;
    case Kind::CONNECT_ERROR:
    case Kind::FAILED:
    case Kind::DISCONNECTED:
        stream.Close();
        if (event.error != MpaError::CONNECTION_LOST || !stream.IsPeerClosed())
        {
            Fail(event.reason); // otherwise the sender has ended, and so does the sink
        }
        break;
    default:
        break;
    }
}

void
MpaSinkConnection::AnswerFrame()
{
    if (m_config.initiator)
    {
        m_stream->Accept();
    }
    else if (m_config.reject)
    {
        m_stream->Reject(m_config.privateData);
    }
    else
    {
        m_stream->Accept(m_config.privateData);
    }
}

void
MpaSinkConnection::SendFirst()
{
    NS_LOG_FUNCTION(this);
    if (m_config.initiator)
    {
        // a Responder may send nothing before it has received an FPDU (RFC 5044 section 7.1.2):
        // an empty message is one
        uint8_t header[iwarp::MESSAGE_HEADER];
        iwarp::WriteMessageHeader(header, 0, 0, true, m_stream->GetResult().version);
        m_stream->Send(header, sizeof(header), nullptr, 0);
    }
}

void
MpaSinkConnection::HandleUlpdu(MpaStream& stream,
                               const MpaUlpdu& ulpdu,
                               RecordPlacementList* /* placements */)
{
    NS_LOG_FUNCTION(this << ulpdu.length);
    const auto fault = m_assembler.Place(ulpdu.data, ulpdu.length, stream.GetResult().version);
    if (fault != iwarp::MessageAssembler::Fault::NONE)
    {
        m_badUlpdus++;
        Close();
        Fail(fault == iwarp::MessageAssembler::Fault::HEADER
                 ? "a ULPDU does not begin with MpaBulkSender's header"
                 : "a ULPDU lies outside every message");
    }
}

void
MpaSinkConnection::HandleDeliver(MpaStream& /* stream */, uint32_t count)
{
    NS_LOG_FUNCTION(this << count);
    m_assembler.Deliver(count);
}

void
MpaSinkConnection::Fail(const std::string& reason)
{
    NS_LOG_INFO("ends early: " << reason);
    if (m_error.empty())
    {
        m_error = reason;
        m_failure(reason);
    }
}

void
MpaSinkConnection::Close()
{
    NS_LOG_FUNCTION(this);
    Release();
    m_stream->Close();
}

Ptr<MpaStream>
MpaSinkConnection::GetStream() const
{
    return m_stream;
}

const iwarp::MessageAssembler&
MpaSinkConnection::GetAssembler() const
{
    return m_assembler;
}

uint64_t
MpaSinkConnection::GetBadUlpdus() const
{
    return m_badUlpdus;
}

const std::string&
MpaSinkConnection::GetError() const
{
    return m_error;
}

} // namespace ns3
