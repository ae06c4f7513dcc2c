/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-stream.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"
#include "ns3/util-object-births.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TlsStream");
NS_OBJECT_ENSURE_REGISTERED(TlsStream);

namespace
{

const TlsFraming g_tlsFraming; //!< of all streams

/// @param text names of cipher suites with : between @return their numbers; none if one is unknown
std::vector<uint16_t>
ReadSuites(const std::string& text)
{
    std::vector<uint16_t> suites;
    for (const auto& name : iwarp::Split(text, ':'))
    {
        const TlsCipherSuite* suite = FindTlsCipherSuite(name);
        if (!suite)
        {
            return {};
        }
        suites.push_back(suite->id);
    }
    return suites;
}

/// @param text sizes of certificates with + between @return them; none if one is too small, or all
/// are too much
std::vector<uint32_t>
ReadChain(const std::string& text)
{
    std::vector<uint32_t> chain;
    for (const auto& part : iwarp::Split(text, '+'))
    {
        const bool digits = !part.empty() && part.size() < 6 &&
                            part.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long size = digits ? std::stoul(part) : 0;
        if (size < MIN_TLS_CERTIFICATE)
        {
            return {};
        }
        chain.push_back(static_cast<uint32_t>(size));
    }
    return IsTlsChainTaken(chain) ? chain : std::vector<uint32_t>();
}

} // namespace

TypeId
TlsStream::GetTypeId()
{
    using Stream = TlsStream;
    static TypeId tid =
        TypeId("ns3::TlsStream")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<TlsStream>()
            .AddAttribute("Real",
                          "Encipher records by OpenSSL; otherwise sizes and times are right, and "
                          "octets stay clear. Both ends have to agree",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Stream::m_real),
                          MakeBooleanChecker())
            .AddAttribute(
                "CipherSuites",
                "Cipher suites that are offered or taken, the best first, with : between: "
                "TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, "
                "TLS_CHACHA20_POLY1305_SHA256",
                StringValue("TLS_AES_128_GCM_SHA256"),
                MakeStringAccessor(&Stream::SetSuites, &Stream::GetSuites),
                iwarp::MakeTextChecker(
                    [](const std::string& text) { return !ReadSuites(text).empty(); },
                    "names of cipher suites with : between"))
            .AddAttribute("RecordSizing",
                          "How records get their sizes: Fixed (MaxRecord, as OpenSSL), Steps "
                          "(SmallRecord, MediumRecord and then MaxRecord, as nginx with "
                          "Cloudflare's patch), Growth (1, 2, 3... times GrowthSegment, as Go)",
                          iwarp::MakeEnumValue(TlsRecordSizing::FIXED),
                          iwarp::MakeEnumAccessor(&Stream::m_sizing),
                          iwarp::MakeEnumChecker(TlsRecordSizing::FIXED,
                                                 "Fixed",
                                                 TlsRecordSizing::STEPS,
                                                 "Steps",
                                                 TlsRecordSizing::GROWTH,
                                                 "Growth"))
            .AddAttribute("MaxRecord",
                          "Content of a record at most [octets]",
                          UintegerValue(tls::MAX_PLAINTEXT),
                          MakeUintegerAccessor(&Stream::m_maxRecord),
                          MakeUintegerChecker<uint32_t>(1, tls::MAX_PLAINTEXT))
            .AddAttribute("SmallRecord",
                          "Content of the first records of Steps: a segment, with whatever TLS and "
                          "IPv6 add [octets]",
                          UintegerValue(1369),
                          MakeUintegerAccessor(&Stream::m_smallRecord),
                          MakeUintegerChecker<uint32_t>(1, tls::MAX_PLAINTEXT))
            .AddAttribute("MediumRecord",
                          "Content of the next records of Steps: three segments [octets]",
                          UintegerValue(4229),
                          MakeUintegerAccessor(&Stream::m_mediumRecord),
                          MakeUintegerChecker<uint32_t>(1, tls::MAX_PLAINTEXT))
            .AddAttribute("StepRecords",
                          "Of Steps: one more than this are small, this many medium [records]",
                          UintegerValue(40),
                          MakeUintegerAccessor(&Stream::m_stepRecords),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("StepPause",
                          "Of Steps: behind so long without a record they are small again",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&Stream::m_stepPause),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("GrowthSegment",
                          "Of Growth: payload of a TCP segment; the first record fits it [octets]",
                          UintegerValue(1208),
                          MakeUintegerAccessor(&Stream::m_growthSegment),
                          MakeUintegerChecker<uint32_t>(TlsProtection::OVERHEAD + 1, 65535))
            .AddAttribute("GrowthOctets",
                          "Of Growth: once so many have been sent, records have MaxRecord [octets]",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&Stream::m_growthOctets),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Padding",
                          "Padding of records: None, Block (to a multiple of PaddingBlock), "
                          "Maximum (to MaxRecord)",
                          iwarp::MakeEnumValue(TlsPadding::NONE),
                          iwarp::MakeEnumAccessor(&Stream::m_padding),
                          iwarp::MakeEnumChecker(TlsPadding::NONE,
                                                 "None",
                                                 TlsPadding::BLOCK,
                                                 "Block",
                                                 TlsPadding::MAXIMUM,
                                                 "Maximum"))
            .AddAttribute("PaddingBlock",
                          "Of Block: content, type and padding are a multiple of it [octets]",
                          UintegerValue(512),
                          MakeUintegerAccessor(&Stream::m_paddingBlock),
                          MakeUintegerChecker<uint32_t>(1, tls::MAX_PLAINTEXT))
            .AddAttribute("RecordSizeLimit",
                          "Content, type and padding of a record that this end takes at most, "
                          "which it tells the peer (RFC 8449); 0 tells none [octets]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Stream::m_recordSizeLimit),
                          MakeUintegerChecker<uint16_t>(0, tls::MAX_INNER))
            .AddAttribute("KeyUpdateRecords",
                          "Records behind which the keys of what is sent are updated; 0 takes the "
                          "limit of RFC 8446 section 5.5 [records]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Stream::m_updateRecords),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ClientHelloSize",
                          "Octets of a ClientHello, at least: padded so (RFC 7685). OpenSSL 3.0 "
                          "has 216 [octets]",
                          UintegerValue(216),
                          MakeUintegerAccessor(&Stream::m_helloSize),
                          MakeUintegerChecker<uint32_t>(0, tls::MAX_PLAINTEXT))
            .AddAttribute("MiddleboxCompatibility",
                          "The client has change_cipher_spec records sent (RFC 8446 appendix D.4)",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Stream::m_compatible),
                          MakeBooleanChecker())
            .AddAttribute("Resume",
                          "The client resumes a session: no certificates, no signature",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Stream::m_resumes),
                          MakeBooleanChecker())
            .AddAttribute("Certificates",
                          "Octets of each certificate of the server's chain, with + between them; "
                          "200 at least. Assumed: a leaf and one above it [octets]",
                          StringValue("1200+1100"),
                          MakeStringAccessor(&Stream::SetChain, &Stream::GetChain),
                          iwarp::MakeTextChecker(
                              [](const std::string& text) { return !ReadChain(text).empty(); },
                              "sizes of 200 to 99999 with + between, which with 5 more for each "
                              "are 131068 at most"))
            .AddAttribute("SignatureSize",
                          "Signature of the server: 70 to 72 with ECDSA and P-256, 256 with RSA of "
                          "2,048 bits [octets]",
                          UintegerValue(71),
                          MakeUintegerAccessor(&Stream::m_signatureSize),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("Tickets",
                          "NewSessionTickets that the server sends: OpenSSL 2, or 1 in a resumed "
                          "session, Go 1 [messages]",
                          UintegerValue(2),
                          MakeUintegerAccessor(&Stream::m_tickets),
                          MakeUintegerChecker<uint32_t>(0, 255))
            .AddAttribute("TicketSize",
                          "Ticket of a session: OpenSSL 3.0 has 192, 208 with SHA-384 [octets]",
                          UintegerValue(192),
                          MakeUintegerAccessor(&Stream::m_ticketSize),
                          MakeUintegerChecker<uint32_t>(1, 16000))
            .AddAttribute("KeyShareTime",
                          "Computing of a key share. X25519; OpenSSL 3.0.19 on a Xeon took 29 us; "
                          "20 us to 200 us",
                          TimeValue(MicroSeconds(29)),
                          MakeTimeAccessor(&Stream::m_shareTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("KeyExchangeTime",
                          "Computing of the secret of two key shares, likewise",
                          TimeValue(MicroSeconds(29)),
                          MakeTimeAccessor(&Stream::m_exchangeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SignTime",
                          "Computing of a signature. P-256 took 20 us there, RSA of 2,048 bits "
                          "280 us; 15 us to 2 ms",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&Stream::m_signTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("VerifyTime",
                          "Verification of a signature, of each certificate and of the server. "
                          "P-256 took 62 us there, RSA of 2,048 bits 16 us; 10 us to 300 us",
                          TimeValue(MicroSeconds(62)),
                          MakeTimeAccessor(&Stream::m_verifyTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HandshakeTimeout",
                          "Time in which the handshake has to end",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&Stream::m_timeout),
                          MakeTimeChecker(Time(1)))
            .AddTraceSource("RecordSent",
                            "A record was made, and given to TCP or queued for it",
                            MakeTraceSourceAccessor(&Stream::m_sentTrace),
                            "ns3::TlsStream::RecordTracedCallback")
            .AddTraceSource("RecordReceived",
                            "A record has come, whole, in order and authentic",
                            MakeTraceSourceAccessor(&Stream::m_receivedTrace),
                            "ns3::TlsStream::RecordTracedCallback")
            .AddTraceSource("Alert",
                            "An alert was sent or has come",
                            MakeTraceSourceAccessor(&Stream::m_alertTrace),
                            "ns3::TlsStream::AlertTracedCallback")
            .AddTraceSource("KeyUpdate",
                            "Keys were updated",
                            MakeTraceSourceAccessor(&Stream::m_updateTrace),
                            "ns3::TlsStream::KeyUpdateTracedCallback")
            .AddTraceSource("Secret",
                            "A secret is known: a line of a key log, which Wireshark reads",
                            MakeTraceSourceAccessor(&Stream::m_secretTrace),
                            "ns3::TlsStream::SecretTracedCallback")
            .AddTraceSource("PayloadArrived",
                            "Octets have come in order that may be content, of records that need "
                            "not be whole",
                            MakeTraceSourceAccessor(&Stream::m_payloadTrace),
                            "ns3::TlsStream::PayloadTracedCallback")
            .AddTraceSource("Established",
                            "The handshake is over",
                            MakeTraceSourceAccessor(&Stream::m_establishedTrace),
                            "ns3::TlsStream::StreamTracedCallback")
            .AddTraceSource("SegmentClassified",
                            "It is known how a segment that came lay among records, which an "
                            "MpaTcpSocket alone tells",
                            MakeTraceSourceAccessor(&Stream::m_classifiedTrace),
                            "ns3::TlsStream::ClassifiedTracedCallback")
            .AddTraceSource("Held",
                            "What waits for octets in front of it has changed, which an "
                            "MpaTcpSocket alone tells",
                            MakeTraceSourceAccessor(&Stream::m_heldTrace),
                            "ns3::TlsStream::HeldTracedCallback")
            .AddTraceSource("SegmentDropped",
                            "A segment was dropped, since hardware had no room for it",
                            MakeTraceSourceAccessor(&Stream::m_droppedTrace),
                            "ns3::TlsStream::DroppedTracedCallback");
    return tid;
}

TlsStream::TlsStream()
    : m_random(CreateObject<UniformRandomVariable>())
{
    ObjectBirths::Made(*this);
}

TlsStream::~TlsStream()
{
    m_computing.Cancel();
    m_expiry.Cancel();
}

void
TlsStream::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_computing.Cancel();
    m_expiry.Cancel();
    if (m_records)
    {
        m_records->Leave();
        m_records = nullptr;
    }
    m_socket = nullptr;
    m_user = nullptr;
    Object::DoDispose();
}

// ---- attributes ---------------------------------------------------------------------------------

bool
TlsStream::SetSuites(std::string text)
{
    m_suites = ReadSuites(text);
    return !m_suites.empty();
}

std::string
TlsStream::GetSuites() const
{
    std::vector<std::string> names;
    for (const uint16_t id : m_suites)
    {
        names.emplace_back(FindTlsCipherSuite(id)->name);
    }
    return iwarp::Join(names, ":");
}

bool
TlsStream::SetChain(std::string text)
{
    m_chain = ReadChain(text);
    return !m_chain.empty();
}

std::string
TlsStream::GetChain() const
{
    std::vector<std::string> sizes;
    for (const uint32_t size : m_chain)
    {
        sizes.push_back(std::to_string(size));
    }
    return iwarp::Join(sizes, "+");
}

TlsConnection::Settings
TlsStream::GetSettings() const
{
    TlsConnection::Settings settings;
    auto& handshake = settings.handshake;
    handshake.mode = m_real ? TlsMode::REAL : TlsMode::MODELLED;
    handshake.suites = m_suites;
    handshake.recordSizeLimit = m_recordSizeLimit;
    handshake.helloSize = m_helloSize;
    handshake.compatible = m_compatible;
    handshake.resumes = m_resumes;
    handshake.certificates = m_chain;
    handshake.signatureSize = m_signatureSize;
    handshake.tickets = m_tickets;
    handshake.ticketSize = m_ticketSize;
    handshake.shareTime = m_shareTime.GetNanoSeconds();
    handshake.exchangeTime = m_exchangeTime.GetNanoSeconds();
    handshake.signTime = m_signTime.GetNanoSeconds();
    handshake.verifyTime = m_verifyTime.GetNanoSeconds();
    auto& records = settings.records;
    records.sizing = m_sizing;
    records.maximum = m_maxRecord;
    records.small = m_smallRecord;
    records.medium = m_mediumRecord;
    records.records = m_stepRecords;
    records.pause = m_stepPause.GetNanoSeconds();
    records.segment = m_growthSegment;
    records.boost = m_growthOctets;
    records.padding = m_padding;
    records.block = m_paddingBlock;
    settings.updateRecords = m_updateRecords;
    return settings;
}

int64_t
TlsStream::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

// ---- for the user -------------------------------------------------------------------------------

void
TlsStream::SetUser(User* user)
{
    m_user = user;
}

void
TlsStream::SetSocket(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_records, "TlsStream::SetSocket: the stream is open");
    m_socket = socket;
    ObjectBirths::Opened(*this, PeekPointer(socket));
}

void
TlsStream::Start(TlsRole role)
{
    NS_LOG_FUNCTION(this << static_cast<int>(role));
    NS_ABORT_MSG_IF(m_records, "TlsStream::Start: the stream is open");
    NS_ABORT_MSG_UNLESS(m_socket, "TlsStream::Start: call SetSocket() before");
    NS_ABORT_MSG_IF(m_recordSizeLimit > 0 && m_recordSizeLimit < tls::MIN_RECORD_SIZE_LIMIT,
                    "ns3::TlsStream: RecordSizeLimit is 0, or 64 to 16385");
    RecordStream::User& below = *this;
    TlsConnection::User& above = *this;
    m_records = Create<RecordStream>(g_tlsFraming, below);
    m_connection = std::make_unique<TlsConnection>(role, GetSettings(), above);
    m_expiry = Simulator::Schedule(m_timeout, &TlsStream::HandleTimeout, this);
    m_records->Open(m_socket);
    m_connection->Start();
}

bool
TlsStream::HasRoom() const
{
    return m_connection && m_connection->CanSend() && !m_closing && m_records->IsOpen() &&
           m_records->GetWaiting() == 0;
}

bool
TlsStream::Send(const Ptr<const Packet>& content)
{
    NS_LOG_FUNCTION(this << content->GetSize());
    if (!HasRoom())
    {
        return false;
    }
    m_connection->Send(content, Simulator::Now().GetNanoSeconds());
    return true;
}

void
TlsStream::UpdateKeys(bool request)
{
    NS_LOG_FUNCTION(this << request);
    NS_ABORT_MSG_UNLESS(m_connection, "TlsStream::UpdateKeys: the stream is not open");
    m_connection->UpdateKeys(request);
}

void
TlsStream::Close()
{
    NS_LOG_FUNCTION(this);
    m_computing.Cancel();
    m_expiry.Cancel();
    if (m_records && !m_closing)
    {
        m_connection->Close();
        m_closing = true;
        m_records->Close();
    }
}

Ptr<Socket>
TlsStream::GetSocket() const
{
    return m_socket;
}

bool
TlsStream::IsEstablished() const
{
    return m_established;
}

bool
TlsStream::IsResumed() const
{
    return m_connection && m_connection->GetHandshake().IsResumed();
}

std::string
TlsStream::GetCipherSuite() const
{
    const TlsCipherSuite* suite = m_connection ? m_connection->GetHandshake().GetSuite() : nullptr;
    return suite ? suite->name : "";
}

TlsAlert
TlsStream::GetAlert() const
{
    return m_connection ? m_connection->GetAlert() : TlsAlert::NONE;
}

uint64_t
TlsStream::GetRecordsSent() const
{
    return m_sent;
}

uint64_t
TlsStream::GetRecordsReceived() const
{
    return m_received;
}

// ---- records ------------------------------------------------------------------------------------

void
TlsStream::HandleHead(const uint8_t* octets, const RecordHead& head)
{
    if (head.size == 0)
    {
        m_connection->Receive(Create<Packet>(octets, tls::HEAD)); // which it answers by its alert
    }
}

void
TlsStream::HandleRecord(const Ptr<Packet>& record, const RecordHead& /* head */)
{
    const Ptr<TlsStream> self(this);
    m_connection->Receive(record);
    m_receivedOctets += record->GetSize();
    BeginService();
}

void
TlsStream::BeginService()
{
    if (m_established && !m_served && !m_closing && m_records && m_records->IsNextKnown())
    {
        m_served = true;
        RecordService service;
        service.cipher = true;
        m_records->SetService(service);
    }
}

void
TlsStream::HandleClassified(bool headerAligned, bool recordAligned)
{
    m_classifiedTrace(headerAligned, recordAligned);
}

void
TlsStream::HandleHeld(uint64_t before, uint64_t after)
{
    m_heldTrace(before, after);
}

void
TlsStream::HandleDropped()
{
    m_droppedTrace();
}

void
TlsStream::HandlePayload(uint64_t octets)
{
    m_payloadTrace(octets);
}

void
TlsStream::HandleRoom()
{
    const Ptr<TlsStream> self(this);
    if (m_user && HasRoom())
    {
        m_user->HandleRoom(*this);
    }
}

void
TlsStream::HandleEnd(RecordStream::End end)
{
    const Ptr<TlsStream> self(this);
    m_connection->HandleStreamEnd(end == RecordStream::End::LOST);
}

// ---- the connection -----------------------------------------------------------------------------

void
TlsStream::SendRecord(const Ptr<Packet>& record, const TlsRecordReport& report)
{
    if (m_closing || !m_records)
    {
        return; // TCP takes no more
    }
    m_sentTrace(report, m_sentOctets);
    m_sentOctets += report.size;
    m_sent++;
    m_records->Send(record);
}

void
TlsStream::HandleOpened(const TlsRecordReport& report)
{
    m_received++;
    m_receivedTrace(report, m_receivedOctets);
}

void
TlsStream::HandleContent(const Ptr<Packet>& content)
{
    if (m_user)
    {
        m_user->HandleData(*this, content);
    }
}

void
TlsStream::HandleEstablished()
{
    NS_LOG_INFO("established: " << GetCipherSuite());
    m_expiry.Cancel();
    m_established = true;
    m_establishedTrace(this);
    if (m_user)
    {
        m_user->HandleEstablished(*this);
    }
}

void
TlsStream::HandleAlert(TlsAlert alert, bool sent)
{
    NS_LOG_INFO((sent ? "sends " : "gets ") << GetTlsAlertName(alert));
    m_alertTrace(alert, sent);
}

void
TlsStream::HandleKeyUpdate(bool sent, bool requested)
{
    m_updateTrace(sent, requested);
}

void
TlsStream::HandleSecret(const TlsKeyLog::Entry& entry)
{
    m_secretTrace(TlsKeyLog::Write(entry));
}

void
TlsStream::WaitFor(int64_t time)
{
    m_computing = Simulator::Schedule(NanoSeconds(time), &TlsStream::FinishComputing, this);
}

void
TlsStream::FinishComputing()
{
    const Ptr<TlsStream> self(this);
    m_connection->HandleComputed();
    BeginService();
}

void
TlsStream::HandleTimeout()
{
    m_connection->HandleTimeout();
}

TlsRandom
TlsStream::DrawRandomOctets()
{
    TlsRandom random;
    std::generate(random.begin(), random.end(), [this] {
        return static_cast<uint8_t>(m_random->GetInteger(0, UINT8_MAX));
    });
    return random;
}

void
TlsStream::HandleOver(TlsEnd end)
{
    NS_LOG_FUNCTION(this << static_cast<int>(end));
    m_computing.Cancel();
    m_expiry.Cancel();
    if (end != TlsEnd::CLOSED)
    {
        m_records->Discard();
        m_records->Close();
        m_closing = true;
    }
    if (m_user)
    {
        m_user->HandleEnd(*this, end);
    }
}

std::string
DescribeTlsEnd(TlsEnd end, TlsAlert alert)
{
    switch (end)
    {
    case TlsEnd::CLOSED:
        return "";
    case TlsEnd::TRUNCATED:
        return "the peer has ended TCP without close_notify";
    case TlsEnd::FAILED:
        return "sent alert " + GetTlsAlertName(alert);
    case TlsEnd::ALERTED:
        return "the peer has sent alert " + GetTlsAlertName(alert);
    case TlsEnd::LOST:
        return "TCP has failed";
    }
    return "";
}

} // namespace ns3
