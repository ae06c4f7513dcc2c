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
        m_sendShutdown = true;
        m_socket->Close();
    }
}

void
MpaStream::HandleNormalClose()
{
    NS_LOG_FUNCTION(this);
    m_peerClosed = true;
    HandleErrorClose();
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
    if (m_receiver)
    {
        Report(MpaError::CONNECTION_LOST,
               m_peerClosed ? "the peer closed the connection" : "TCP lost the connection");
    }
    else
    {
        Perform(m_startup->ConnectionLost());
    }
}

void
MpaStream::Report(MpaError error, const std::string& reason)
{
    NS_LOG_INFO("error " << static_cast<int>(error) << ": " << reason);
    m_errorTrace(error, reason);
    m_user->HandleError(*this, error, reason);
}

void
MpaStream::ReleaseSocket()
{
    if (!m_socket || !m_startup)
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

bool
MpaStream::CanSend() const
{
    return m_canSend && !m_sendShutdown;
}

MpaStartup::State
MpaStream::GetState() const
{
    return m_startup ? m_startup->GetState() : MpaStartup::State::STREAM;
}

const MpaStartupResult&
MpaStream::GetResult() const
{
    NS_ABORT_MSG_UNLESS(m_receiver || GetState() == MpaStartup::State::ULP_DECIDES,
                        "MpaStream::GetResult: wait for the Startup callback");
    return m_startup->Result();
}

const MpaStartupFrame&
MpaStream::GetPeerFrame() const
{
    NS_ABORT_MSG_UNLESS(m_startup, "MpaStream::GetPeerFrame: wait for the Startup callback");
    return m_startup->PeerFrame();
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
MpaStreamUser::HandleStartup(MpaStream& stream, const MpaStartupFrame& /* frame */)
{
    stream.Accept();
}

void
MpaStream::SetUser(MpaStreamUser* user)
{
    (m_callbacks ? m_callbacks->behind : m_user) = user ? user : Nobody();
}

void
MpaStream::ClearUser(MpaStreamUser* user)
{
    if ((m_callbacks ? m_callbacks->behind : m_user) == user)
    {
        SetUser(nullptr);
    }
}

MpaStreamCallbacks&
MpaStream::Callbacks()
{
    if (!m_callbacks)
    {
        m_callbacks = std::make_unique<MpaStreamCallbacks>(m_user);
        m_user = m_callbacks.get();
    }
    return *m_callbacks;
}

void
MpaStream::SetStartupCallback(StartupCallback callback)
{
    Callbacks().startup = callback;
}

void
MpaStream::SetEstablishedCallback(StreamCallback callback)
{
    Callbacks().established = callback;
}

void
MpaStream::SetRejectedCallback(RejectedCallback callback)
{
    Callbacks().rejected = callback;
}

void
MpaStream::SetUlpduCallback(UlpduCallback callback)
{
    Callbacks().ulpdu = callback;
}

void
MpaStream::SetDeliverCallback(DeliverCallback callback)
{
    Callbacks().deliver = callback;
}

void
MpaStream::SetErrorCallback(ErrorCallback callback)
{
    Callbacks().error = callback;
}

void
MpaStream::SetTerminateCallback(TerminateCallback callback)
{
    Callbacks().terminate = callback;
}

void
MpaStream::SetStreamingCallback(StreamingCallback callback)
{
    Callbacks().streaming = callback;
}

void
MpaStream::SetSendCallback(SendCallback callback)
{
    Callbacks().send = callback;
}

void
MpaStream::SetMulpduCallback(StreamCallback callback)
{
    Callbacks().mulpdu = callback;
}

} // namespace ns3
