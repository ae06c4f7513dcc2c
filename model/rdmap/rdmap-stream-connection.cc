/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hardware-queue.h"
#include "rdmap-stream.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>

// The part of RdmapStream that deals with the connection: startup, and the end.

namespace ns3
{

// ---- events -------------------------------------------------------------------------------------

void
RdmapStream::HandleEvent(MpaStream& mpa, const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    Ptr<RdmapStream> self(this);
    switch (event.kind)
    {
    case Kind::CONNECT_REQUEST:
    case Kind::CONNECT_RESPONSE:
        if (m_endpoint->HasFailed())
        {
            mpa.FailStartup("work posted before the connection was there has failed");
        }
        else
        {
            mpa.Accept();
        }
        break;
    case Kind::ESTABLISHED:
        Establish(event);
        break;
    case Kind::CONNECT_ERROR:
        FailStartup(event);
        break;
    case Kind::DISCONNECTED:
        m_closing.PeerClosed();
        m_endpoint->LlpClosed();
        Tell(event);
        Reconcile();
        break;
    case Kind::FAILED:
        if (event.error == MpaError::CONNECTION_LOST)
        {
            Perform(m_closing.Lost());
        }
        else if (event.error != MpaError::NONE)
        {
            m_endpoint->LlpFailed(static_cast<uint8_t>(event.error));
            Reconcile();
        }
        break;
    default:
        Tell(event);
        break;
    }
}

void
RdmapStream::Tell(const MpaConnectionEvent& event)
{
    if (m_listener != nullptr)
    {
        m_listener->HandleEvent(event);
    }
}

// ---- startup ------------------------------------------------------------------------------------

void
RdmapStream::TakeNegotiated()
{
    if (m_negotiated)
    {
        return;
    }
    m_negotiated = true;
    m_endpoint->SetVersion(m_mpa->GetResult().version);
    const MpaEnhancedResult& result = m_mpa->GetResult().enhanced;
    if (!result.used)
    {
        return;
    }
    if (result.rtr == MpaRtr::NONE && result.rtrKinds.send)
    { // a Responder lists Send alone
        m_endpoint->ExpectIndication();
    }
    if (result.ird != MpaEnhancedWord::UNSPECIFIED)
    {
        m_endpoint->GetResponder().SetIrd(result.ird);
    }
    if (result.ord != MpaEnhancedWord::UNSPECIFIED)
    {
        // an ORD that was left to the ULP is what the layer above wants, even if the peer names an
        // IRD above it
        const uint32_t ord = std::min<uint32_t>(result.ord, m_endpoint->GetConfig().ord);
        m_endpoint->GetRequester().SetOrd(ord);
    }
}

void
RdmapStream::Establish(const MpaConnectionEvent& event)
{
    TakeNegotiated();
    m_established = true;
    SendIndication();
    // who follows the stream from ESTABLISHED on is to see its first FPDU
    Tell(event);
    if (m_endpoint)
    {
        Pump();
    }
}

void
RdmapStream::SendIndication()
{
    RdmapWork work;
    work.internal = true;
    switch (m_mpa->GetResult().enhanced.rtr)
    {
    case MpaRtr::NONE:
        return;
    case MpaRtr::SEND:
        work.kind = RdmapWorkKind::SEND;
        break;
    case MpaRtr::WRITE:
        work.kind = RdmapWorkKind::WRITE;
        break;
    case MpaRtr::READ:
        work.kind = RdmapWorkKind::READ;
        break;
    }
    m_endpoint->PostFirst(std::move(work));
}

void
RdmapStream::FailStartup(const MpaConnectionEvent& event)
{
    const RdmapClosing::Actions actions = m_closing.StartupFailed();
    if (actions.empty())
    {
        return; // it is over already
    }
    if (m_mpa->MayRetryUnenhanced())
    {
        MpaConnectionEvent unanswered = event;
        unanswered.kind = MpaConnectionEvent::Kind::UNANSWERED;
        Tell(unanswered);
        if (m_listener == nullptr)
        {
            return; // the layer above goes on with another stream
        }
    }
    Perform(actions);
    Tell(event);
}

void
RdmapStream::HandleTerminate(MpaStream& /* mpa */, MpaError error)
{
    NS_LOG_FUNCTION(this << static_cast<int>(error));
    Ptr<RdmapStream> self(this);
    // the layer above learns of it by CONNECT_ERROR
    const RdmapTerminate terminate = RdmapTerminate::ForLlp(static_cast<uint8_t>(error));
    std::array<uint8_t, RdmapOutput::MAX_HEAD> ulpdu;
    const uint32_t size = m_endpoint->WriteTerminate(terminate, ulpdu.data());
    TraceTerminate(terminate, false);
    m_mpa->Send(ulpdu.data(), size, nullptr, 0);
}

// ---- the end ------------------------------------------------------------------------------------

void
RdmapStream::Failed(const RdmapTerminate& terminate, bool byPeer)
{
    NS_LOG_LOGIC(this << " " << terminate.Describe() << (byPeer ? " (peer)" : ""));
    TraceTerminate(terminate, byPeer);
    if (m_listener != nullptr)
    {
        m_listener->Failed(terminate, byPeer);
    }
    if (byPeer)
    {
        Reconcile();
    }
}

void
RdmapStream::TraceTerminate(const RdmapTerminate& terminate, bool byPeer)
{
    m_terminateTrace(terminate, byPeer);
    if (m_listener != nullptr)
    {
        m_listener->Terminated(terminate, byPeer);
    }
}

void
RdmapStream::Close()
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmapStream> self(this);
    m_closing.Close();
    if (m_endpoint)
    {
        m_endpoint->Close();
        Reconcile();
    }
}

void
RdmapStream::Abort()
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmapStream> self(this);
    if (m_endpoint)
    {
        Perform(m_closing.Abort());
    }
}

void
RdmapStream::Reconcile()
{
    if (!m_endpoint || m_pumping || (m_closing.IsIdle() && !m_endpoint->HasFailed()))
    {
        return;
    }
    const Ptr<MpaTcpSocket> socket = m_mpa->GetSocket();
    RdmapClosing::Conditions now;
    // a Responder that waits for the first FPDU takes what comes all the same
    now.receives = m_established || m_mpa->GetState() == MpaStartup::State::FULL_RX_ONLY;
    now.sends = m_established;
    now.failed = m_endpoint->HasFailed();
    now.terminatePending = m_endpoint->IsTerminatePending();
    now.drained = m_endpoint->IsDrained();
    now.acknowledged = socket->GetTxAvailable() == socket->GetTxCapacity();
    Perform(m_closing.Update(now));
}

void
RdmapStream::Perform(const RdmapClosing::Actions& actions)
{
    for (const auto action : actions)
    {
        if (!m_endpoint)
        {
            return; // the layer above has disposed of the stream
        }
        switch (action)
        {
        case RdmapClosing::Action::SHUTDOWN_SEND:
            m_mpa->ShutdownSend();
            break;
        case RdmapClosing::Action::CLOSE_TCP:
            if (m_endpoint->HasFailed())
            { // behind an error nothing of the peer is looked at: it is no reason for a reset
                const Ptr<MpaTcpSocket> socket = m_mpa->GetSocket();
                socket->SetUser(socket->GetUser(), false);
            }
            m_mpa->Close();
            break;
        case RdmapClosing::Action::LIMIT_END:
            m_mpa->LimitEnd();
            break;
        case RdmapClosing::Action::LOSE_LLP:
            m_endpoint->LlpLost();
            break;
        case RdmapClosing::Action::FINISH:
            Finish();
            break;
        }
    }
}

void
RdmapStream::Finish()
{
    // not from within a call of the layer above, nor before it sees what came last
    const RdmaHardwareQueue* hardware = RdmaHardwareQueue::Of(*m_mpa);
    const Time wait = hardware ? hardware->GetTimeToHost() : Time(0);
    // does not hold the stream, which holds it: neither would ever be freed
    m_finish = Simulator::Schedule(wait, [this] {
        Ptr<RdmapStream> self(this);
        Tell(MpaConnectionEvent{MpaConnectionEvent::Kind::CLOSED});
    });
}

} // namespace ns3
