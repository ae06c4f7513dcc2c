/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream.h"

#include "mpa-stream-callbacks.h"

#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaStream");

LogComponent& MpaStream::g_log = ns3::g_log;

namespace
{

/// @return the user of a stream that has none
MpaStreamUser*
Nobody()
{
    /// Takes nothing.
    class NobodyUser : public MpaStreamUser
    {
        bool TakesUlpdus() const override
        {
            return false;
        }

        bool WillTakeUlpdus() const override
        {
            return false;
        }
    };

    static NobodyUser nobody;
    return &nobody;
}

} // namespace

MpaStream::MpaStream()
    : m_user(Nobody())
{
    NS_LOG_FUNCTION(this);
}

MpaStream::~MpaStream()
{
    NS_LOG_FUNCTION(this);
    ReleaseSocket();
}

void
MpaStream::DoDispose()
{
    NS_LOG_FUNCTION(this);
    ReleaseSocket();
    m_startupTimer.Remove();
    m_socket = nullptr;
    SetUser(nullptr);
    if (m_callbacks)
    {
        *m_callbacks = MpaStreamCallbacks(m_callbacks->behind);
    }
    Object::DoDispose();
}

void
MpaStream::SetSocket(Ptr<MpaTcpSocket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_startup, "MpaStream::SetSocket: the stream is started; use a new one");
    m_socket = std::move(socket);
}

Ptr<MpaTcpSocket>
MpaStream::GetSocket() const
{
    return m_socket;
}

// ---- the socket ---------------------------------------------------------------------------------

MpaStream*
MpaStream::Of(const Ptr<Socket>& socket)
{
    return static_cast<MpaStream*>(StaticCast<MpaTcpSocket>(socket)->GetUser());
}

void
MpaStream::OnReceive(Ptr<Socket> socket)
{
    Of(socket)->HandleReceive();
}

void
MpaStream::OnSend(Ptr<Socket> socket, uint32_t room)
{
    Of(socket)->HandleSend(room);
}

void
MpaStream::OnNormalClose(Ptr<Socket> socket)
{
    Of(socket)->HandleNormalClose();
}

void
MpaStream::OnErrorClose(Ptr<Socket> socket)
{
    Of(socket)->HandleErrorClose();
}

// ---- the end ------------------------------------------------------------------------------------

void
MpaStream::Close()
{
    NS_LOG_FUNCTION(this);
    if (m_socket)
    {
        m_lost = true; // the ULP knows
        m_startupTimer.Remove();
        m_sender.Shutdown();
        m_socket->Close();
    }
}

void
MpaStream::LimitEnd()
{
    NS_LOG_FUNCTION(this);
    if (m_socket)
    {
        m_socket->EndWithin(m_terminateTimeout);
    }
}

void
MpaStream::HandleNormalClose()
{
    NS_LOG_FUNCTION(this);
    if (m_lost || m_peerClosed)
    {
        return;
    }
    // ns-3 tells of an RST in the same way
    if (m_receive.IsOpen() && m_socket->HasPeerClosed())
    {
        const MpaReceiver& receiver = m_receive.GetReceiver();
        // a FIN ends the stream well behind a whole FPDU only
        m_peerClosed =
            receiver.HasFailed() || receiver.GetNext() == m_socket->GetNextRxOctet().GetValue();
    }
    if (!m_peerClosed)
    {
        HandleErrorClose();
        return;
    }
    Ptr<MpaStream> self(this);
    Tell(MpaConnectionEvent::Kind::DISCONNECTED,
         MpaError::CONNECTION_LOST,
         "the peer closed the connection");
}

void
MpaStream::HandleErrorClose()
{
    NS_LOG_FUNCTION(this);
    if (m_lost)
    {
        return;
    }
    m_lost = true;
    Ptr<MpaStream> self(this);
    if (m_receive.IsOpen())
    {
        Report(MpaError::CONNECTION_LOST,
               m_socket->HasPeerClosed() ? "the peer closed the connection inside an FPDU"
                                         : "TCP lost the connection");
    }
    else
    {
        Perform(m_startup->ConnectionLost());
    }
}

void
MpaStream::Report(MpaError error, const std::string& reason)
{
    const bool started =
        GetState() == MpaStartup::State::FULL || GetState() == MpaStartup::State::FULL_RX_ONLY;
    Tell(started ? MpaConnectionEvent::Kind::FAILED : MpaConnectionEvent::Kind::CONNECT_ERROR,
         error,
         reason);
}

void
MpaStream::Tell(MpaConnectionEvent::Kind kind, MpaError error, const std::string& reason)
{
    NS_LOG_INFO("error " << static_cast<int>(error) << ": " << reason);
    m_errorTrace(error, reason);
    MpaConnectionEvent event{kind};
    event.error = error;
    event.reason = reason;
    m_user->HandleEvent(*this, event);
}

void
MpaStream::TellOfFrame(MpaConnectionEvent::Kind kind)
{
    m_user->HandleEvent(
        *this,
        MpaConnectionEvent::FromFrame(kind, m_startup->PeerFrame(), m_startup->Result()));
}

void
MpaStream::ReleaseSocket()
{
    if (!m_socket || m_socket->GetUser() != this)
    {
        return;
    }
    m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    m_socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetUser(nullptr, false);
}

// ---- state --------------------------------------------------------------------------------------

MpaStartup::State
MpaStream::GetState() const
{
    return m_startup ? m_startup->GetState() : MpaStartup::State::STREAM;
}

const MpaStartupResult&
MpaStream::GetResult() const
{
    static const MpaStartupResult nothing;
    return m_startup ? m_startup->Result() : nothing;
}

const MpaStartupFrame&
MpaStream::GetPeerFrame() const
{
    static const MpaStartupFrame nothing;
    return m_startup ? m_startup->PeerFrame() : nothing;
}

bool
MpaStream::IsPeerClosed() const
{
    return m_peerClosed;
}

uint64_t
MpaStream::GetHeld() const
{
    return m_held;
}

// ---- the layer above ----------------------------------------------------------------------------

void
MpaStreamUser::HandleEvent(MpaStream& stream, const MpaConnectionEvent& event)
{
    if (event.kind == MpaConnectionEvent::Kind::CONNECT_REQUEST ||
        event.kind == MpaConnectionEvent::Kind::CONNECT_RESPONSE)
    {
        stream.Accept();
    }
}

void
MpaStream::SetUser(MpaStreamUser* user)
{
    (m_callbacks ? m_callbacks->behind : m_user) = user ? user : Nobody();
}

bool
MpaStream::HasUser() const
{
    return (m_callbacks ? m_callbacks->behind : m_user)->TakesUlpdus();
}

void
MpaStream::ClearUser(MpaStreamUser* user)
{
    if ((m_callbacks ? m_callbacks->behind : m_user) == user)
    {
        SetUser(nullptr);
    }
}

} // namespace ns3
