/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream.h"

#include "mpa-mulpdu.h"
#include "mpa-scratch.h"
#include "mpa-stream-callbacks.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaStream");
NS_OBJECT_ENSURE_REGISTERED(MpaStream);

TypeId
MpaStream::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MpaStream")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<MpaStream>()
            .AddAttribute("Markers",
                          "Ask the peer to put Markers into what it sends (M bit).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_markers),
                          MakeBooleanChecker())
            .AddAttribute("Crc",
                          "Ask for CRC32c (C bit). Off only if both ends ask for off.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_crc),
                          MakeBooleanChecker())
            .AddAttribute("CrcPolicy",
                          "Whether Crc=false is honoured (RFC 5044 section 4.4).",
                          iwarp::MakeEnumValue(CrcPolicy::ADMIN_MAY_DISABLE),
                          iwarp::MakeEnumAccessor(&MpaStream::m_crcPolicy),
                          iwarp::MakeEnumChecker(CrcPolicy::ALWAYS_ON,
                                                 "AlwaysOn",
                                                 CrcPolicy::ADMIN_MAY_DISABLE,
                                                 "AdminMayDisable"))
            .AddAttribute("PathIntegrity",
                          "The path guards data at least as well as CRC32c would, so that no "
                          "warning is due when CRC is off.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_pathIntegrity),
                          MakeBooleanChecker())
            .AddAttribute("GenerateCrcAnyway",
                          "Fill the CRC field even if neither end checks it.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_generateAnyway),
                          MakeBooleanChecker())
            .AddAttribute("Personality",
                          "Kind of RNIC in the sense of RFC 5044 Appendix C.",
                          iwarp::MakeEnumValue(MpaPersonality::IETF),
                          iwarp::MakeEnumAccessor(&MpaStream::m_personality),
                          iwarp::MakeEnumChecker(MpaPersonality::IETF,
                                                 "Ietf",
                                                 MpaPersonality::PERMISSIVE,
                                                 "Permissive",
                                                 MpaPersonality::RDMAC,
                                                 "Rdmac"))
            .AddAttribute("Revision",
                          "Highest MPA revision that this end speaks.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&MpaStream::m_revision),
                          MakeUintegerChecker<uint8_t>(1, 2))
            .AddAttribute("PrivateDataLimit",
                          "Longest Private Data that the ULP takes, octets (0 to 512).",
                          UintegerValue(512),
                          MakeUintegerAccessor(&MpaStream::m_privateDataLimit),
                          MakeUintegerChecker<uint32_t>(0, 512))
            .AddAttribute("CloseOnReject",
                          "Close TCP when the peer rejects (section 7.1.4.2) rather than leave it "
                          "to the ULP (section 7.1.2).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_closeOnReject),
                          MakeBooleanChecker())
            .AddAttribute("WaitForFirstFpdu",
                          "A Responder sends nothing before it has validated an FPDU (section "
                          "7.1.2 rule 4). Off shows what that rule is for.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_waitForFirstFpdu),
                          MakeBooleanChecker())
            .AddAttribute("StartupTimeout",
                          "Longest wait for the peer's whole startup frame.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&MpaStream::m_startupTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("OutOfOrder",
                          "Pass FPDUs that Markers prove out of order; otherwise all wait for "
                          "their turn.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_outOfOrder),
                          MakeBooleanChecker())
            .AddAttribute("CheckMarkers",
                          "Which Markers of an FPDU are compared with its start.",
                          iwarp::MakeEnumValue(mpa::CheckMarkers::ALL),
                          iwarp::MakeEnumAccessor(&MpaStream::m_checkMarkers),
                          iwarp::MakeEnumChecker(mpa::CheckMarkers::NONE,
                                                 "None",
                                                 mpa::CheckMarkers::FIRST,
                                                 "First",
                                                 mpa::CheckMarkers::ALL,
                                                 "All"))
            .AddAttribute("SilentDrop",
                          "Drop a segment with a faulty FPDU, so that TCP sends it again, rather "
                          "than report error 2 or 3.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_silentDrop),
                          MakeBooleanChecker())
            .AddAttribute("StrictLength",
                          "Treat a received ULPDU_Length of 0 or above 64768 as error 3.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_strictLength),
                          MakeBooleanChecker())
            .AddAttribute("ReassemblyMemory",
                          "Octets of memory for FPDUs that are not whole or not locatable yet; "
                          "less than 140 works as 140 (A.5.2).",
                          UintegerValue(UINT64_MAX),
                          MakeUintegerAccessor(&MpaStream::m_memory),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("DynamicMulpdu",
                          "Offer the room left in the segment being filled as MULPDU (section "
                          "4.5).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_dynamicMulpdu),
                          MakeBooleanChecker())
            .AddAttribute("RefuseAboveMulpdu",
                          "Refuse ULPDUs above MULPDU; otherwise their FPDUs span segments.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_refuseOversize),
                          MakeBooleanChecker())
            .AddTraceSource("Mulpdu",
                            "Largest ULPDU that fits a segment, octets.",
                            MakeTraceSourceAccessor(&MpaStream::m_mulpdu),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("ReassemblyMemory",
                            "Octets in the reassembly memory.",
                            MakeTraceSourceAccessor(&MpaStream::m_held),
                            "ns3::MpaStream::HeldTracedCallback")
            .AddTraceSource("FpduSent",
                            "An FPDU was given to TCP.",
                            MakeTraceSourceAccessor(&MpaStream::m_fpduSentTrace),
                            "ns3::MpaStream::FpduSentTracedCallback")
            .AddTraceSource("SegmentReceived",
                            "A segment reached MPA, and what it meant.",
                            MakeTraceSourceAccessor(&MpaStream::m_segmentTrace),
                            "ns3::MpaStream::SegmentReceivedTracedCallback")
            .AddTraceSource("Classified",
                            "A received segment's place among FPDU boundaries is known.",
                            MakeTraceSourceAccessor(&MpaStream::m_classifiedTrace),
                            "ns3::MpaStream::ClassifiedTracedCallback")
            .AddTraceSource("Passed",
                            "A ULPDU was validated and passed up, in order or not.",
                            MakeTraceSourceAccessor(&MpaStream::m_passedTrace),
                            "ns3::MpaStream::PassedTracedCallback")
            .AddTraceSource("Delivered",
                            "ULPDUs became complete in order.",
                            MakeTraceSourceAccessor(&MpaStream::m_deliveredTrace),
                            "ns3::MpaStream::DeliveredTracedCallback")
            .AddTraceSource("Drop",
                            "A segment was dropped before TCP kept it.",
                            MakeTraceSourceAccessor(&MpaStream::m_dropTrace),
                            "ns3::MpaStream::DropTracedCallback")
            .AddTraceSource("Error",
                            "An error was reported to the ULP.",
                            MakeTraceSourceAccessor(&MpaStream::m_errorTrace),
                            "ns3::MpaStream::ErrorTracedCallback")
            .AddTraceSource("StartupState",
                            "The startup machine changed its state.",
                            MakeTraceSourceAccessor(&MpaStream::m_stateTrace),
                            "ns3::MpaStream::StartupStateTracedCallback");
    return tid;
}

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

// ---- startup ------------------------------------------------------------------------------------

bool
MpaStream::Begin(MpaRole role)
{
    if (!m_socket)
    {
        Report(MpaError::NONE, "give the stream a socket with SetSocket() before starting it");
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
    m_tracedState = MpaStartup::State::STREAM;

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
    TraceState();
    for (const auto& action : actions)
    {
        switch (action.kind)
        {
        case Kind::SEND_FRAME:
            if (m_socket->Send(Create<Packet>(action.octets.data(), action.octets.size()), 0) < 0)
            {
                Report(MpaError::NONE,
                       "TCP does not take the startup frame: the socket is not connected, or "
                       "streaming data fills its send buffer");
                m_socket->Close();
                return;
            }
            break;
        case Kind::START_TIMER:
            m_startupTimer = Simulator::Schedule(m_startupTimeout, &MpaStream::HandleTimeout, this);
            break;
        case Kind::STOP_TIMER:
            m_startupTimer.Remove();
            break;
        case Kind::REPORT_FRAME:
            m_user->HandleStartup(*this, m_startup->PeerFrame());
            break;
        case Kind::REPORT_REJECT:
            ReleaseSocket();
            m_user->HandleRejected(*this, m_startup->PeerFrame());
            break;
        case Kind::ENABLE_RECEIVE:
            EnableReceive();
            break;
        case Kind::ENABLE_SEND:
            EnableSend();
            break;
        case Kind::SEND_TERMINATE:
            PrepareSend();
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
}

void
MpaStream::ReceiveStartup()
{
    Ptr<MpaStream> self(this); // the ULP may let go of the stream in a callback
    while (m_socket->GetRxAvailable() > 0)
    {
        const auto state = m_startup->GetState();
        if (state == MpaStartup::State::STREAM || m_receiver)
        {
            return; // what follows is not startup's
        }
        Ptr<Packet> packet = m_socket->Recv(UINT32_MAX, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), octets.size());
        std::size_t consumed = 0;
        Perform(m_startup->Receive(octets.data(), octets.size(), consumed));
        if (consumed == octets.size())
        {
            continue;
        }
        packet->RemoveAtStart(consumed);
        if (m_receiver)
        {
            Feed(m_receiver->GetNext(), packet);
        }
        else if (m_startup->GetState() == MpaStartup::State::ULP_DECIDES)
        {
            m_early.insert(m_early.end(), octets.begin() + consumed, octets.end());
        }
        else if (m_startup->GetState() == MpaStartup::State::STREAM)
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
    config.seqStart = m_socket->GetNextRxOctet().GetValue() - m_early.size();
    config.format = {result.rxMarkers, result.crc};
    config.outOfOrder = m_outOfOrder;
    config.check = m_checkMarkers;
    config.silentDrop = m_silentDrop;
    config.memory = m_memory;
    config.reserve = std::max(config.reserve, m_socket->GetEmss()); // an FPDU of the peer
    config.strictLength = m_strictLength;
    m_receiver.reset(new MpaReceiver(config, *this)); // make_unique cannot see the private base
    m_feedOnDrain = m_socket->HoldsReceivedData();
    m_socket->SetUser(this, true);
    if (!m_early.empty())
    {
        const auto early = std::exchange(m_early, {});
        Feed(config.seqStart, Create<Packet>(early.data(), early.size()));
    }
    DrainInOrder();
}

void
MpaStream::PrepareSend()
{
    if (m_canSend)
    {
        return;
    }
    const auto& result = m_startup->Result();
    m_txFormat = {result.txMarkers, result.crc || m_generateAnyway};
    m_txSeqStart = m_socket->GetNextTxOctet().GetValue();
    m_canSend = true;
    m_mulpdu = mpa::Mulpdu(m_socket->GetEmss(), m_txFormat.markers);
}

void
MpaStream::EnableSend()
{
    NS_LOG_FUNCTION(this);
    PrepareSend();
    SendQueued();
    m_user->HandleEstablished(*this);
}

void
MpaStream::HandleTimeout()
{
    NS_LOG_FUNCTION(this);
    Ptr<MpaStream> self(this);
    Perform(m_startup->Timeout());
}

void
MpaStream::TraceState()
{
    const auto state = m_startup->GetState();
    if (state != m_tracedState)
    {
        m_stateTrace(std::exchange(m_tracedState, state), state);
    }
}

// ---- sending ------------------------------------------------------------------------------------

int
MpaStream::Send(const uint8_t* head, uint32_t headSize, const uint8_t* tail, uint32_t tailSize)
{
    const uint64_t size = uint64_t{headSize} + tailSize;
    m_errno = Socket::ERROR_NOTERROR;
    if (size == 0 || size > mpa::MAX_ULPDU ||
        (m_refuseOversize && m_canSend && size > m_mulpdu.Get()))
    {
        m_errno = Socket::ERROR_MSGSIZE;
    }
    else if (m_sendShutdown)
    {
        m_errno = Socket::ERROR_SHUTDOWN;
    }
    else if (m_canSend)
    {
        if (!SendFpdu(head, headSize, tail, tailSize))
        {
            // an FPDU larger than the whole send buffer would wait for ever
            m_errno = mpa::WireSize(size, 0, m_txFormat.markers) > m_socket->GetTxCapacity()
                          ? Socket::ERROR_MSGSIZE
                          : Socket::ERROR_AGAIN;
        }
    }
    else if (m_startup && m_startup->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        if (m_txQueued + mpa::WireSize(size, 0, true) > m_socket->GetTxAvailable())
        {
            m_errno = Socket::ERROR_AGAIN;
        }
        else
        {
            std::vector<uint8_t> ulpdu(size);
            std::copy(head, head + headSize, ulpdu.begin());
            if (tail)
            {
                std::copy(tail, tail + tailSize, ulpdu.begin() + headSize);
            }
            m_txQueued += mpa::WireSize(size, 0, true);
            m_txQueue.push_back(std::move(ulpdu));
        }
    }
    else
    {
        m_errno = Socket::ERROR_NOTCONN;
    }
    return m_errno == Socket::ERROR_NOTERROR ? static_cast<int>(size) : -1;
}

int
MpaStream::Send(Ptr<const Packet> ulpdu)
{
    std::vector<uint8_t> octets(ulpdu->GetSize());
    ulpdu->CopyData(octets.data(), octets.size());
    return Send(octets.data(), octets.size(), nullptr, 0);
}

bool
MpaStream::SendFpdu(const uint8_t* head, uint32_t headSize, const uint8_t* tail, uint32_t tailSize)
{
    const uint32_t seq = m_socket->GetNextTxOctet().GetValue();
    const uint32_t position = seq - m_txSeqStart;
    const uint32_t wireSize = mpa::WireSize(headSize + tailSize, position, m_txFormat.markers);
    if (m_socket->GetTxAvailable() < wireSize)
    {
        return false;
    }
    MpaScratch fpdu(wireSize);
    mpa::EncodeFpdu(fpdu.Data(), head, headSize, tail, tailSize, position, m_txFormat);
    if (m_socket->Send(Create<Packet>(fpdu.Data(), wireSize), 0) < 0)
    {
        return false;
    }
    m_fpduSentTrace(seq, headSize + tailSize, wireSize);
    return true;
}

void
MpaStream::SendQueued()
{
    while (!m_txQueue.empty() &&
           SendFpdu(m_txQueue.front().data(), m_txQueue.front().size(), nullptr, 0))
    {
        m_txQueued -= mpa::WireSize(m_txQueue.front().size(), 0, true);
        m_txQueue.pop_front();
    }
    if (m_txQueue.empty() && m_sendShutdown)
    {
        m_socket->ShutdownSend();
    }
}

Socket::SocketErrno
MpaStream::GetErrno() const
{
    return m_errno;
}

uint32_t
MpaStream::GetMulpdu() const
{
    if (!m_dynamicMulpdu || !m_canSend)
    {
        return m_mulpdu;
    }
    return mpa::OfferedMulpdu(m_socket->GetEmss(),
                              m_socket->GetRoomInSegment(),
                              m_socket->GetNextTxOctet().GetValue() - m_txSeqStart,
                              m_txFormat.markers);
}

uint32_t
MpaStream::GetTxAvailable() const
{
    const uint32_t room = m_socket ? m_socket->GetTxAvailable() : 0;
    return room > m_txQueued ? room - m_txQueued : 0;
}

void
MpaStream::ShutdownSend()
{
    NS_LOG_FUNCTION(this);
    if (!m_sendShutdown && m_socket)
    {
        m_sendShutdown = true; // what was accepted goes first
        if (m_txQueue.empty())
        {
            m_socket->ShutdownSend();
        }
    }
}

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

void
MpaStream::HandleSend(uint32_t room)
{
    if (!m_canSend)
    {
        return;
    }
    Ptr<MpaStream> self(this);
    SendQueued();
    if (m_txQueue.empty())
    {
        m_user->HandleRoom(*this, room);
    }
}

void
MpaStream::EmssChanged(uint32_t emss)
{
    if (!m_canSend)
    {
        return;
    }
    const uint32_t mulpdu = mpa::Mulpdu(emss, m_txFormat.markers);
    if (mulpdu != m_mulpdu.Get())
    {
        Ptr<MpaStream> self(this);
        m_mulpdu = mulpdu;
        m_user->HandleMulpdu(*this);
    }
}

// ---- receiving ----------------------------------------------------------------------------------

void
MpaStream::HandleReceive()
{
    if (m_receiver)
    {
        DrainInOrder();
    }
    else
    {
        ReceiveStartup();
    }
}

MpaTcpSocket::Verdict
MpaStream::SeeSegment(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    Ptr<MpaStream> self(this);
    const uint32_t size = packet->GetSize();
    MpaScratch octets(size);
    packet->CopyData(octets.Data(), size);
    const Ptr<MpaOffloadFlow> flow = m_socket->GetOffloadFlow();
    if (flow && flow->HasMemoryLimit())
    {
        m_receiver->SetRoom(flow->GetMemoryRoom(true), flow->GetMemoryRoom(false));
    }
    const auto report = Take(seq.GetValue(), octets.Data(), size);
    m_segmentTrace(seq.GetValue(), size, report);
    if (report.dropped)
    {
        m_dropTrace(seq.GetValue(),
                    size,
                    report.memoryFull ? DropReason::MEMORY_FULL : DropReason::FAULT);
        return MpaTcpSocket::Verdict::DROP;
    }
    return MpaTcpSocket::Verdict::TAKE; // the receiver holds what it still needs
}

MpaSegmentReport
MpaStream::Take(uint32_t seq, const uint8_t* data, uint32_t size)
{
    m_rxPassed = 0;
    const auto report = m_receiver->Segment(seq, data, size, Simulator::Now().GetTimeStep());
    m_held = m_receiver->GetHeld();
    if (const Ptr<MpaOffloadFlow> flow = m_socket->GetOffloadFlow())
    {
        flow->Segment(report, size, m_rxPassed, m_held);
    }
    return report;
}

void
MpaStream::Feed(uint32_t seq, Ptr<const Packet> packet)
{
    MpaScratch octets(packet->GetSize());
    packet->CopyData(octets.Data(), packet->GetSize());
    Take(seq, octets.Data(), packet->GetSize());
}

void
MpaStream::DrainInOrder()
{
    Ptr<MpaStream> self(this);
    // A segment at a time: reading all at once would make TCP copy everything into one packet.
    const uint32_t emss = m_socket->GetEmss();
    while (m_socket->GetRxAvailable() > 0)
    {
        const uint32_t seq = m_socket->GetNextRxOctet().GetValue();
        Ptr<Packet> packet = m_socket->Recv(emss, 0);
        if (m_feedOnDrain)
        {
            Feed(seq, packet);
        }
    }
    m_feedOnDrain = m_feedOnDrain && m_socket->HoldsReceivedData();
    m_receiver->Advance(m_socket->GetNextRxOctet().GetValue());
}

void
MpaStream::Pass(const MpaUlpdu& ulpdu)
{
    m_rxPassed += ulpdu.length;
    m_passedTrace(ulpdu, Simulator::Now() - TimeStep(ulpdu.stamp));
    m_user->HandleUlpdu(*this, ulpdu);
    if (ulpdu.inOrder && m_startup->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        Perform(m_startup->FpduValidated());
    }
}

void
MpaStream::Deliver(uint32_t count)
{
    m_deliveredTrace(count);
    m_user->HandleDeliver(*this, count);
}

void
MpaStream::Error(MpaError error, uint32_t seq)
{
    Report(error,
           (error == MpaError::CRC ? "CRC mismatch in the FPDU at sequence number "
                                   : "a Marker disagrees with the FPDU at sequence number ") +
               std::to_string(seq));
}

void
MpaStream::Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned)
{
    m_classifiedTrace(seq, size, headerAligned, fpduAligned);
}

// ---- the end ------------------------------------------------------------------------------------

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

Ptr<MpaOffloadFlow>
MpaStream::GetOffloadFlow() const
{
    return m_socket ? m_socket->GetOffloadFlow() : nullptr;
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

void
MpaStream::SetEnhanced(const MpaEnhancedConfig& config)
{
    const char* problem = MpaCheckEnhanced(config);
    NS_ABORT_MSG_IF(problem, "MpaStream::SetEnhanced: " << problem);
    m_enhanced = config;
}

bool
MpaStream::MayRetryUnenhanced() const
{
    return m_startup && m_startup->MayRetryUnenhanced();
}

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
