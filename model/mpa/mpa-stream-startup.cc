/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
MpaStream::SetEnhanced(const MpaEnhancedConfig& config)
{
    const char* problem = MpaCheckEnhanced(config);
    NS_ABORT_MSG_IF(problem, "MpaStream::SetEnhanced: " << problem);
    m_enhanced = config;
    if (m_startup)
    {
        m_startup->SetEnhanced(config);
    }
}

bool
MpaStream::Begin(MpaRole role)
{
    if (!m_socket)
    {
        Report(MpaError::NONE, "give the stream a socket with SetSocket() before starting it");
        return false;
    }
    if (m_socket->GetUser() && m_socket->GetUser() != this)
    { // one TCP connection carries one DDP Stream (RFC 5041 section 2.3)
        Report(MpaError::NONE, "another stream uses the socket: take a connection of its own");
        return false;
    }
    if (m_startup && m_startup->GetState() != MpaStartup::State::STREAM)
    {
        Report(MpaError::NONE, "the stream is started already");
        return false;
    }
    if (!m_user->WillTakeUlpdus())
    {
        Report(MpaError::NONE,
               "nobody takes ULPDUs: call SetUser() or SetUlpduCallback() before the start");
        return false;
    }
    MpaStartupConfig config;
    config.role = role;
    config.personality = m_personality;
    config.markers = m_markers;
    config.crc = m_crc || m_crcPolicy == CrcPolicy::ALWAYS_ON;
    config.echoCrc = m_echoCrc;
    config.revision = m_revision;
    config.enhanced = m_enhanced;
    config.privateDataLimit = m_privateDataLimit;
    config.closeOnReject = m_closeOnReject;
    config.waitForFirstFpdu = m_waitForFirstFpdu;
    if (!config.crc && !m_pathIntegrity)
    {
        NS_LOG_WARN("CRC is off on a path that does not guard data as well as CRC32c would "
                    "(RFC 5044 section 4.4)");
    }
    m_startup.emplace(config);

    // one callback each for all streams, which find themselves by the socket: a bound one takes
    // some hundred octets
    static const auto receive = MakeCallback(&MpaStream::OnReceive);
    static const auto send = MakeCallback(&MpaStream::OnSend);
    static const auto normalClose = MakeCallback(&MpaStream::OnNormalClose);
    static const auto errorClose = MakeCallback(&MpaStream::OnErrorClose);
    m_socket->SetUser(this, false);
    m_socket->SetRecvCallback(receive);
    m_socket->SetSendCallback(send);
    m_socket->SetCloseCallbacks(normalClose, errorClose);
    return true;
}

bool
MpaStream::StartInitiator(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this << privateData.size());
    if (!Begin(MpaRole::INITIATOR))
    {
        return false;
    }
    Perform(m_startup->Start(privateData));
    if (m_startup->GetState() != MpaStartup::State::WAIT_FRAME)
    {
        return false;
    }
    ReceiveStartup();
    return true;
}

bool
MpaStream::StartResponder(Ptr<Packet> lastMessage)
{
    NS_LOG_FUNCTION(this << lastMessage);
    if (!Begin(MpaRole::RESPONDER))
    {
        return false;
    }
    Perform(m_startup->Start({}));
    if (lastMessage && m_socket->Send(lastMessage, 0) < 0)
    {
        Report(MpaError::NONE, "the send buffer has no room for the last streaming message");
        return false;
    }
    ReceiveStartup();
    return true;
}

bool
MpaStream::Accept(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this << privateData.size());
    if (!m_startup || m_startup->GetState() != MpaStartup::State::ULP_DECIDES)
    {
        Report(MpaError::NONE, "there is no frame of the peer to accept");
        return false;
    }
    if (!m_user->TakesUlpdus())
    { // A DDP endpoint is bound when Full Operation begins (RFC 5044 section 7.1)
        Report(MpaError::NONE,
               "nobody takes ULPDUs: call SetUser() or SetUlpduCallback() before Accept()");
        return false;
    }
    Perform(m_startup->Accept(privateData));
    return m_startup->GetState() != MpaStartup::State::ULP_DECIDES;
}

bool
MpaStream::Reject(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this << privateData.size());
    if (!m_startup || m_startup->GetState() != MpaStartup::State::ULP_DECIDES)
    {
        Report(MpaError::NONE, "there is no frame of the peer to reject");
        return false;
    }
    Perform(m_startup->Reject(privateData));
    if (m_startup->GetState() != MpaStartup::State::STREAM)
    {
        return false;
    }
    ReleaseSocket();
    return true;
}

void
MpaStream::Perform(const MpaStartup::Actions& actions)
{
    using Kind = MpaStartup::Action::Kind;
    bool opened = false;
    m_state = m_startup->GetState();
    for (const auto& action : actions)
    {
        switch (action.kind)
        {
        case Kind::SEND_FRAME:
            if (m_socket->Send(Create<Packet>(action.octets.data(), action.octets.size()), 0) < 0)
            {
                FailStartup("TCP does not take the startup frame: the socket is not connected, or "
                            "streaming data fills its send buffer");
                return;
            }
            break;
        case Kind::START_TIMER:
            m_startupTimer = Simulator::Schedule(m_startupTimeout, &MpaStream::HandleTimeout, this);
            break;
        case Kind::STOP_TIMER:
            m_startupTimer.Remove();
            m_startupTimer = EventId(); // with the memory of the event
            break;
        case Kind::REPORT_FRAME:
            TellOfFrame(m_startup->GetConfig().role == MpaRole::INITIATOR
                            ? MpaConnectionEvent::Kind::CONNECT_RESPONSE
                            : MpaConnectionEvent::Kind::CONNECT_REQUEST);
            break;
        case Kind::REPORT_REJECT:
            ReleaseSocket();
            TellOfFrame(MpaConnectionEvent::Kind::REJECTED);
            break;
        case Kind::ENABLE_RECEIVE:
            EnableReceive();
            opened = true;
            break;
        case Kind::ENABLE_SEND:
            EnableSend();
            break;
        case Kind::SEND_TERMINATE:
            PrepareSend();
            LimitEnd();
            m_user->HandleTerminate(*this, action.error);
            break;
        case Kind::CLOSE:
            m_socket->Close();
            break;
        case Kind::FAIL:
            Report(action.error, action.reason);
            break;
        }
    }
    if (opened && m_socket)
    { // what came early means the same as if it had come later: behind ESTABLISHED
        DrainInOrder();
    }
}

void
MpaStream::ReceiveStartup()
{
    Ptr<MpaStream> self(this); // the ULP may let go of the stream in a callback
    while (m_socket->GetRxAvailable() > 0)
    {
        const auto state = m_startup->GetState();
        if (state == MpaStartup::State::STREAM || m_receive.IsOpen() || m_receive.HasEarly())
        {
            return; // what follows is not startup's, and may have to wait in TCP
        }
        Ptr<Packet> packet = m_socket->Recv(UINT32_MAX, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), octets.size());
        std::size_t consumed = 0;
        const auto actions = m_startup->Receive(octets.data(), octets.size(), consumed);
        if (m_startup->GetState() == MpaStartup::State::ULP_DECIDES && consumed < octets.size())
        { // ahead of the ULP's decision, which may come at once
            m_receive.HoldEarly(octets.data() + consumed, octets.size() - consumed);
            m_held = m_receive.GetHeld();
        }
        Perform(actions);
        packet->RemoveAtStart(consumed);
        if (m_startup->GetState() == MpaStartup::State::STREAM && packet->GetSize() > 0)
        {
            m_user->HandleStreaming(*this, packet);
        }
    }
}

void
MpaStream::EnableReceive()
{
    NS_LOG_FUNCTION(this);
    const auto& result = m_startup->Result();
    MpaReceiverConfig config;
    config.format = {result.rxMarkers, result.crc};
    config.outOfOrder = m_outOfOrder;
    config.check = m_checkMarkers;
    config.silentDrop = m_silentDrop;
    config.memory = m_memory > 0 ? m_memory : UINT64_MAX;
    config.records = m_records;
    config.reserve = std::max(config.reserve, m_socket->GetEmss()); // an FPDU of the peer
    config.strictLength = m_strictLength;
    m_receive.Open(config,
                   m_socket->GetNextRxOctet().GetValue(),
                   m_socket->HoldsReceivedData(),
                   *this);
    m_socket->SetUser(this, true);
}

void
MpaStream::PrepareSend()
{
    if (m_sender.IsOpen())
    {
        return;
    }
    const auto& result = m_startup->Result();
    m_sender.Open({result.txMarkers, result.crc || m_generateAnyway},
                  m_socket->GetNextTxOctet().GetValue());
    m_mulpdu = m_sender.GetMulpdu(m_socket->GetEmss());
}

void
MpaStream::EnableSend()
{
    NS_LOG_FUNCTION(this);
    PrepareSend();
    SendQueued();
    TellOfFrame(MpaConnectionEvent::Kind::ESTABLISHED);
}

void
MpaStream::FailStartup(const std::string& reason)
{
    NS_LOG_FUNCTION(this << reason);
    Ptr<MpaStream> self(this);
    if (m_startup)
    {
        Perform(m_startup->LocalError(reason));
    }
    else
    {
        Report(MpaError::LOCAL_CATASTROPHIC, reason);
    }
}

void
MpaStream::HandleTimeout()
{
    NS_LOG_FUNCTION(this);
    Ptr<MpaStream> self(this);
    Perform(m_startup->Timeout());
}

bool
MpaStream::MayRetryUnenhanced() const
{
    return m_startup && m_startup->MayRetryUnenhanced();
}

} // namespace ns3
