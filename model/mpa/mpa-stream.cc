/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaStream");
NS_OBJECT_ENSURE_REGISTERED(MpaStream);

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

        bool AcceptsUlpdus() const override
        {
            return false;
        }
    };

    static NobodyUser nobody;
    return &nobody;
}

} // namespace

TypeId
MpaStream::GetTypeId()
{
    const auto of = [](auto MpaStreamTraces::*trace) { // as a member of this class
        return static_cast<
            std::remove_reference_t<decltype(std::declval<MpaStream>().*trace)> MpaStream::*>(
            trace);
    };
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
            .AddAttribute(
                "EchoCrc",
                "Answer a Request that asks for CRC32c with C=1 even if this end would do "
                "without: a peer that requires CRC may go by the Reply alone, as Linux's "
                "siw does.",
                BooleanValue(true),
                MakeBooleanAccessor(&MpaStream::m_echoCrc),
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
            .AddAttribute(
                "Personality",
                "Kind of RNIC in the sense of RFC 5044 Appendix C. Linux is Ietf without "
                "Markers in what it receives, whatever Markers says: Linux's siw takes no "
                "other peer, cxgb4 and irdma ask for none either.",
                iwarp::MakeEnumValue(MpaPersonality::IETF),
                iwarp::MakeEnumAccessor(&MpaStream::m_personality),
                iwarp::MakeEnumChecker(MpaPersonality::IETF,
                                       "Ietf",
                                       MpaPersonality::PERMISSIVE,
                                       "Permissive",
                                       MpaPersonality::RDMAC,
                                       "Rdmac",
                                       MpaPersonality::LINUX,
                                       "Linux"))
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
            .AddAttribute("TerminateTimeout",
                          "Longest wait for the end of TCP once the stream has failed or a "
                          "Terminate was received: whatever both ends have not closed then is "
                          "reset.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&MpaStream::m_terminateTimeout),
                          MakeTimeChecker(Time(0)))
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
            .AddAttribute(
                "ReassemblyMemory",
                "Memory of a receiver for FPDUs that are not whole or not locatable yet; 0 "
                "is no limit, less than 140 works as 140 (A.5.2) [octets]",
                UintegerValue(0),
                MakeUintegerAccessor(&MpaStream::m_memory),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReassemblyRecords",
                          "Segments that wait to be classified and FPDUs passed out of order, each "
                          "of which takes memory of its own: while there are as many, segments out "
                          "of order are refused, and TCP sends them again.",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&MpaStream::m_records),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute(
                "FramingAhead",
                "ULPDUs are framed while TCP has fewer octets than this that it has not "
                "sent, as hardware does that frames when it sends, so that an EMSS that "
                "changes finds few FPDUs of the size before; 0 to frame all that the send "
                "buffer takes [octets]",
                UintegerValue(0),
                MakeUintegerAccessor(&MpaStream::m_framingAhead),
                MakeUintegerChecker<uint32_t>())
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
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::mulpdu)),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("ReassemblyMemory",
                            "Octets in the reassembly memory.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::held)),
                            "ns3::MpaStream::HeldTracedCallback")
            .AddTraceSource("FpduSent",
                            "An FPDU was given to TCP.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::fpduSent)),
                            "ns3::MpaStream::FpduSentTracedCallback")
            .AddTraceSource("SegmentReceived",
                            "A segment reached MPA, and what it meant.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::segmentReceived)),
                            "ns3::MpaStream::SegmentReceivedTracedCallback")
            .AddTraceSource("Classified",
                            "A received segment's place among FPDU boundaries is known.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::classified)),
                            "ns3::MpaStream::ClassifiedTracedCallback")
            .AddTraceSource("Passed",
                            "A ULPDU was validated and passed up, in order or not.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::passed)),
                            "ns3::MpaStream::PassedTracedCallback")
            .AddTraceSource("Delivered",
                            "ULPDUs became complete in order.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::delivered)),
                            "ns3::MpaStream::DeliveredTracedCallback")
            .AddTraceSource("Drop",
                            "A segment was dropped before TCP kept it.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::dropped)),
                            "ns3::MpaStream::DropTracedCallback")
            .AddTraceSource("Error",
                            "An error was reported to the ULP.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::error)),
                            "ns3::MpaStream::ErrorTracedCallback")
            .AddTraceSource("StartupState",
                            "The startup machine changed its state.",
                            MakeTraceSourceAccessor(of(&MpaStreamTraces::state)),
                            "ns3::MpaStream::StartupStateTracedCallback");
    return tid;
}

MpaStream::MpaStream()
    : m_receiver(*this, *this),
      m_sender(*this),
      m_user(Nobody())
{
    NS_LOG_FUNCTION(this);
    ObjectBirths::Made(*this);
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
    Object::DoDispose();
}

void
MpaStream::SetSocket(Ptr<MpaTcpSocket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_startup, "MpaStream::SetSocket: the stream is started; use a new one");
    m_socket = std::move(socket);
    ObjectBirths::Opened(*this, PeekPointer(m_socket));
}

Ptr<MpaTcpSocket>
MpaStream::GetSocket() const
{
    return m_socket;
}

// ---- startup ------------------------------------------------------------------------------------

/// What the socket calls back, once for all streams, which find themselves by the socket: a bound
/// callback takes memory for each.
struct MpaStream::SocketEvents
{
    /// @param socket any @return its stream
    static MpaStream& Of(const Ptr<Socket>& socket)
    {
        return *static_cast<MpaStream*>(StaticCast<MpaTcpSocket>(socket)->GetUser());
    }

    /// @param socket which has octets in order
    static void HandleReceive(Ptr<Socket> socket)
    {
        Of(socket).HandleReceive();
    }

    /// @param socket which has room @param room octets
    static void HandleSend(Ptr<Socket> socket, uint32_t room)
    {
        Of(socket).HandleSend(room);
    }

    /// @param socket which has sent something, so that less of it is unsent
    static void HandleDataSent(Ptr<Socket> socket, uint32_t /* octets */)
    {
        Of(socket).HandleSend(socket->GetTxAvailable());
    }

    /// @param socket whose peer has closed
    static void HandleNormalClose(Ptr<Socket> socket)
    {
        Of(socket).HandleNormalClose();
    }

    /// @param socket that has failed
    static void HandleErrorClose(Ptr<Socket> socket)
    {
        Of(socket).HandleErrorClose();
    }
};

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
        return Refuse("give the stream a socket with SetSocket() before starting it");
    }
    if (m_socket->GetUser() && m_socket->GetUser() != this)
    { // one TCP connection carries one DDP Stream (RFC 5041 section 2.3)
        return Refuse("another stream uses the socket: take a connection of its own");
    }
    if (m_startup && m_startup->GetState() != MpaStartup::State::STREAM)
    {
        return Refuse("the stream is started already");
    }
    if (!m_user->AcceptsUlpdus())
    {
        return Refuse("nobody takes ULPDUs: call SetUser() before the start");
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
    static const auto receive = MakeCallback(&SocketEvents::HandleReceive);
    static const auto send = MakeCallback(&SocketEvents::HandleSend);
    static const auto dataSent = MakeCallback(&SocketEvents::HandleDataSent);
    static const auto normalClose = MakeCallback(&SocketEvents::HandleNormalClose);
    static const auto errorClose = MakeCallback(&SocketEvents::HandleErrorClose);
    m_socket->SetUser(this, false);
    m_socket->SetRecvCallback(receive);
    m_socket->SetSendCallback(send);
    if (m_framingAhead > 0)
    { // room comes as TCP sends, not only as it is acknowledged
        m_socket->SetDataSentCallback(dataSent);
    }
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
        return Refuse("the send buffer has no room for the last streaming message");
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
        return Refuse("there is no frame of the peer to accept");
    }
    if (!m_user->TakesUlpdus())
    { // A DDP endpoint is bound when Full Operation begins (RFC 5044 section 7.1)
        return Refuse("nobody takes ULPDUs: call SetUser() before Accept()");
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
        return Refuse("there is no frame of the peer to reject");
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
    state = m_startup->GetState();
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
            NotifyFrame(m_startup->GetConfig().role == MpaRole::INITIATOR
                            ? MpaConnectionEvent::Kind::CONNECT_RESPONSE
                            : MpaConnectionEvent::Kind::CONNECT_REQUEST);
            break;
        case Kind::REPORT_REJECT:
            ReleaseSocket();
            NotifyFrame(MpaConnectionEvent::Kind::REJECTED);
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
        HandleReceive();
    }
}

void
MpaStream::ReceiveStartup()
{
    Ptr<MpaStream> self(this); // the ULP may let go of the stream in a callback
    while (m_socket->GetRxAvailable() > 0)
    {
        if (GetState() == MpaStartup::State::STREAM || m_receiver.IsOpen() || m_receiver.HasEarly())
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
            m_receiver.HoldEarly(octets.data() + consumed, octets.size() - consumed);
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
    m_receiver.Open(*m_socket, config);
    m_socket->SetUser(this, true);
}

void
MpaStream::PrepareSend()
{
    const auto& result = m_startup->Result();
    m_sender.SetFramingAhead(m_framingAhead);
    m_sender.Open(*m_socket, {result.txMarkers, result.crc || m_generateAnyway});
}

void
MpaStream::EnableSend()
{
    NS_LOG_FUNCTION(this);
    PrepareSend();
    m_sender.SendQueued(*m_socket);
    NotifyFrame(MpaConnectionEvent::Kind::ESTABLISHED);
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

// ---- sending ------------------------------------------------------------------------------------

int
MpaStream::Send(const uint8_t* head,
                uint32_t headSize,
                const uint8_t* tail,
                uint32_t tailSize,
                const RecordSource& source)
{
    return m_sender.Send(PeekPointer(m_socket),
                         head,
                         headSize,
                         tail,
                         tailSize,
                         source,
                         m_refuseOversize ? mulpdu.Get() : 0,
                         GetState() == MpaStartup::State::FULL_RX_ONLY);
}

int
MpaStream::Send(Ptr<const Packet> ulpdu)
{
    std::vector<uint8_t> octets(ulpdu->GetSize());
    ulpdu->CopyData(octets.data(), octets.size());
    return Send(octets.data(), octets.size(), nullptr, 0);
}

Socket::SocketErrno
MpaStream::GetErrno() const
{
    return m_sender.GetErrno();
}

uint32_t
MpaStream::GetMulpdu() const
{
    return m_sender.GetMulpdu(PeekPointer(m_socket), m_dynamicMulpdu);
}

uint32_t
MpaStream::GetTxAvailable() const
{
    return m_sender.GetTxAvailable(PeekPointer(m_socket));
}

const RecordSegmentSink*
MpaStream::GetSegmentSink() const
{
    return m_socket ? m_socket->GetSegmentSink() : nullptr;
}

bool
MpaStream::WantsSources() const
{
    const RecordSegmentSink* sink = GetSegmentSink();
    return sink && sink->WantsSources();
}

bool
MpaStream::CanSend() const
{
    return m_sender.MaySend();
}

void
MpaStream::HandleSend(uint32_t room)
{
    Ptr<MpaStream> self(this);
    if (!m_sender.IsOpen())
    {
        if (GetState() == MpaStartup::State::FULL_RX_ONLY)
        { // a graceful end of this side waits until its Reply is acknowledged
            m_user->HandleRoom(*this, room);
        }
        return;
    }
    if (m_sender.SendQueued(*m_socket))
    {
        m_user->HandleRoom(*this, room);
    }
}

void
MpaStream::EmssChanged(uint32_t emss)
{
    Ptr<MpaStream> self(this);
    if (m_sender.UpdateMulpdu(emss))
    {
        m_user->HandleMulpdu(*this);
    }
}

// ---- receiving ----------------------------------------------------------------------------------

void
MpaStream::HandleReceive()
{
    Ptr<MpaStream> self(this);
    if (m_receiver.IsOpen())
    {
        const Ptr<MpaTcpSocket> socket = m_socket;
        m_receiver.Drain(*socket);
    }
    else
    {
        ReceiveStartup();
    }
}

MpaTcpSocket::Verdict
MpaStream::InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    Ptr<MpaStream> self(this);
    const Ptr<MpaTcpSocket> socket = m_socket;
    return m_receiver.See(*socket, seq.GetValue(), *packet);
}

void
MpaStream::Pass(const MpaUlpdu& ulpdu, RecordPlacementList* placements)
{
    m_user->HandleUlpdu(*this, ulpdu, placements);
    if (ulpdu.inOrder && m_startup->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        Perform(m_startup->FpduValidated());
    }
}

void
MpaStream::Deliver(uint32_t count)
{
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

// ---- the end ------------------------------------------------------------------------------------

void
MpaStream::Close()
{
    NS_LOG_FUNCTION(this);
    if (m_socket)
    {
        m_lost = true; // the ULP knows
        m_startupTimer.Remove();
        m_sender.Stop();
        m_socket->Close();
    }
}

void
MpaStream::ShutdownSend()
{
    NS_LOG_FUNCTION(this);
    if (m_socket)
    {
        m_sender.Shutdown(*m_socket);
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
    if (m_receiver.IsOpen() && m_socket->HasPeerClosed())
    { // a FIN ends the stream well behind a whole FPDU only
        m_peerClosed = m_receiver.IsWhole(*m_socket);
    }
    if (!m_peerClosed)
    {
        HandleErrorClose();
        return;
    }
    Ptr<MpaStream> self(this);
    Notify(MpaConnectionEvent::Kind::DISCONNECTED,
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
    if (m_receiver.IsOpen())
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

bool
MpaStream::Refuse(const std::string& reason)
{
    Report(MpaError::NONE, reason);
    return false;
}

void
MpaStream::Report(MpaError error, const std::string& reason)
{
    const bool started =
        GetState() == MpaStartup::State::FULL || GetState() == MpaStartup::State::FULL_RX_ONLY;
    Notify(started ? MpaConnectionEvent::Kind::FAILED : MpaConnectionEvent::Kind::CONNECT_ERROR,
           error,
           reason);
}

void
MpaStream::Notify(MpaConnectionEvent::Kind kind, MpaError error, const std::string& reason)
{
    NS_LOG_INFO("error " << static_cast<int>(error) << ": " << reason);
    MpaStreamTraces::error(error, reason);
    MpaConnectionEvent event{kind};
    event.error = error;
    event.reason = reason;
    m_user->HandleEvent(*this, event);
}

void
MpaStream::NotifyFrame(MpaConnectionEvent::Kind kind)
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
    m_socket->SetDataSentCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
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
    return held;
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
    m_user = user ? user : Nobody();
}

bool
MpaStream::HasUser() const
{
    return m_user->TakesUlpdus();
}

void
MpaStream::ClearUser(MpaStreamUser* user)
{
    if (m_user == user)
    {
        SetUser(nullptr);
    }
}

} // namespace ns3
