/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-client.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/path-framing.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceClient");
NS_OBJECT_ENSURE_REGISTERED(RoceClient);

namespace
{

constexpr uint64_t FEW = 3; //!< packets under way for which ShortTimeout is (IRN, section 3.1)

/// @param octets payload @return octets that fill it up to a multiple of 4
uint8_t
GetPad(uint32_t octets)
{
    return static_cast<uint8_t>(-octets & 3U);
}

/// @param segment packet @return its operation code
RoceHead::Kind
GetHeadKind(const RoceSegment& segment)
{
    using Kind = RoceHead::Kind;
    if (segment.first)
    {
        return segment.last ? Kind::WRITE_ONLY : Kind::WRITE_FIRST;
    }
    return segment.last ? Kind::WRITE_LAST : Kind::WRITE_MIDDLE;
}

} // namespace

TypeId
RoceClient::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
        TypeId("ns3::RoceClient")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<RoceClient>()
            .AddAttribute("Remote",
                          "Address of the RoceServer's host; the port is the number of the queue "
                          "pair at both ends",
                          AddressValue(),
                          MakeAddressAccessor(&RoceClient::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Recovery",
                          "What is sent again after a loss",
                          iwarp::MakeEnumValue(RoceRecovery::GO_BACK_N),
                          iwarp::MakeEnumAccessor(&RoceClient::m_recovery),
                          iwarp::MakeEnumChecker(RoceRecovery::GO_BACK_N,
                                                 "GoBackN",
                                                 RoceRecovery::SELECTIVE_REPEAT,
                                                 "SelectiveRepeat"))
            .AddAttribute("Window",
                          "Packets under way at most",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RoceClient::m_window),
                          MakeUintegerChecker<uint32_t>(1, RoceHead::WINDOW))
            .AddAttribute("PacketPayload",
                          "Payload of a full packet [octets]",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RoceClient::m_payload),
                          MakeUintegerChecker<uint32_t>(4, RoceHead::PAYLOAD))
            .AddAttribute("Timeout",
                          "Time without news after which packets are sent again",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RoceClient::m_timeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ShortTimeout",
                          "The same while at most 3 packets are under way, with SelectiveRepeat",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RoceClient::m_shortTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryCount",
                          "Timeouts in a row after which packets are sent again; the next one ends "
                          "the connection (IBTA's queue pairs: 7 at most). 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceClient::m_retryCount),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "Congestion",
                "Class that controls the rate, RoceDcqcn or RoceTimely; RoceCongestionOps "
                "itself controls none",
                TypeIdValue(RoceCongestionOps::GetTypeId()),
                MakeTypeIdAccessor(&RoceClient::m_congestionType),
                MakeTypeIdChecker())
            .AddTraceSource("Rate",
                            "The rate at which it may send has changed",
                            MakeTraceSourceAccessor(&RoceClient::m_rateTrace),
                            "ns3::RoceClient::RateTracedCallback")
            .AddTraceSource("MessagePosted",
                            "A message was posted",
                            MakeTraceSourceAccessor(&RoceClient::m_postedTrace),
                            "ns3::RoceClient::MessageTracedCallback")
            .AddTraceSource("MessageAcknowledged",
                            "All packets of a message are known to have come",
                            MakeTraceSourceAccessor(&RoceClient::m_ackedTrace),
                            "ns3::RoceClient::MessageTracedCallback")
            .AddTraceSource("Failed",
                            "RetryCount timeouts and another have come without news: nothing more "
                            "is sent",
                            MakeTraceSourceAccessor(&RoceClient::m_failedTrace),
                            "ns3::RoceClient::FailedTracedCallback"),
        &RoceClient::m_source,
        {"Messages posted and not known to have come at any time. With Intervals, those that find "
         "so many are refused and counted"});
    return tid;
}

RoceClient::RoceClient()
    : m_source(*this)
{
}

RoceClient::~RoceClient() = default;

void
RoceClient::DoDispose()
{
    NS_LOG_FUNCTION(this);
    StopApplication();
    m_host = nullptr;
    m_way = nullptr;
    m_congestion = nullptr;
    Application::DoDispose();
}

int64_t
RoceClient::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return m_source.AssignStreams(stream);
}

void
RoceClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_host = RoceHost::Get(GetNode());
    m_way = m_host->MakePath(m_remote);
    m_queuePair = Inet6SocketAddress::IsMatchingType(m_remote)
                      ? Inet6SocketAddress::ConvertFrom(m_remote).GetPort()
                      : InetSocketAddress::ConvertFrom(m_remote).GetPort();
    m_host->Attach(m_queuePair, this);
    m_sender = std::make_unique<RoceSender>(m_recovery, m_window, m_payload);
    StartControl();
    m_source.Start();
    m_source.Fill();
}

void
RoceClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    m_watch.Cancel();
    m_wake.Cancel();
    if (m_sender && m_host)
    {
        m_host->Detach(m_queuePair);
    }
    m_sender.reset();
}

// ---- messages -----------------------------------------------------------------------------------

bool
RoceClient::HasRoom() const
{
    return m_sender->GetMessages() + m_announced < m_source.GetQueueDepth();
}

void
RoceClient::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << number << size);
    m_announced++;
    m_postedTrace(size);
    // one that comes with its doorbell waits for those before it, which are read
    m_begun = std::max(m_begun, Simulator::Now() + m_host->Post(size));
    Simulator::Schedule(m_begun - Simulator::Now(), &RoceClient::Begin, this, size);
}

void
RoceClient::Begin(uint64_t octets)
{
    m_announced--;
    if (m_sender)
    {
        CountRate();
        m_sender->Post(octets, m_host->IsInline(octets));
        m_host->Request(this);
    }
}

void
RoceClient::Allow(uint64_t messages)
{
    NS_LOG_FUNCTION(this << messages);
    m_source.Allow(messages);
    if (m_sender)
    {
        m_source.Fill();
    }
}

void
RoceClient::Post(uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    m_source.Add(size);
    if (m_sender)
    {
        m_source.Fill();
    }
}

// ---- packets ------------------------------------------------------------------------------------

bool
RoceClient::SendNext()
{
    RoceSegment segment;
    if (!m_sender || (m_congestion && !CheckRate()) || !m_sender->Next(segment))
    {
        return false;
    }
    RoceHead head;
    head.kind = GetHeadKind(segment);
    head.queuePair = m_queuePair;
    head.psn = static_cast<uint32_t>(segment.number);
    head.pad = GetPad(segment.payload);
    head.address = segment.address;
    head.key = m_queuePair;
    head.length = static_cast<uint32_t>(segment.message);
    head.asksAck = (m_congestion && Charge(segment, head)) || segment.last;
    m_host->Send(m_way, head, segment.payload, segment.inlined && !segment.again);
    // as long as packets go, the timeout is that of the last
    Arm();
    return true;
}

bool
RoceClient::HandlePacket(const RoceArrival& arrival)
{
    NS_LOG_FUNCTION(this << arrival.head.psn << arrival.head.hasArrived);
    if (arrival.head.kind == RoceHead::Kind::NOTIFICATION && m_congestion)
    {
        m_cnps++;
        m_congestion->NotifyCnp(Simulator::Now());
        UpdateRate();
        return true;
    }
    if (!m_sender || arrival.head.kind != RoceHead::Kind::ACKNOWLEDGE)
    {
        return false;
    }
    HandleAnswer(arrival.head);
    return true;
}

void
RoceClient::HandleAnswer(const RoceHead& head)
{
    CountRate();
    const uint64_t near = m_sender->GetBase();
    bool news = false;
    if (head.syndrome == RoceHead::REFUSED)
    {
        m_naks++;
        const uint64_t expected = RoceHead::Expand(head.psn, near);
        news = m_sender->Refuse(expected,
                                head.hasArrived ? RoceHead::Expand(head.arrived, near) : expected);
    }
    else
    {
        news = m_sender->Acknowledge(RoceHead::Expand(head.psn, near) + 1);
    }
    if (news)
    {
        m_retries = 0;
        Arm();
        SampleRoundTrips();
        while (const uint64_t octets = m_sender->PopArrived())
        {
            m_ackedTrace(octets);
        }
        m_source.Fill();
    }
    if (head.syndrome == RoceHead::REFUSED)
    {
        m_bursts.clear(); // an ACK would not tell which of two packets it is for
    }
    m_host->Request(this);
}

// ---- rate --------------------------------------------------------------------------------------

void
RoceClient::StartControl()
{
    if (m_congestionType == RoceCongestionOps::GetTypeId())
    {
        return;
    }
    ObjectFactory factory;
    factory.SetTypeId(m_congestionType);
    m_congestion = factory.Create<RoceCongestionOps>();
    NS_ABORT_MSG_UNLESS(m_congestion,
                        "RoceClient: Congestion names a class derived from RoceCongestionOps");
    m_line = m_host->GetLineRate();
    m_framing = m_host->GetFraming();
    NS_ABORT_MSG_UNLESS(m_line > 0,
                        "RoceClient: Congestion needs a host with a PointToPointNetDevice");
    m_congestion->Start(m_line);
    m_pacer.emplace(m_congestion->GetBurst());
    m_rate = m_line;
    m_rateSince = Simulator::Now();
    UpdateRate();
}

void
RoceClient::UpdateRate()
{
    const Time now = Simulator::Now();
    const double rate = std::min(m_congestion->GetRate(now), m_line);
    CountRate();
    if (rate != m_rate)
    {
        m_pacer->Advance(now, m_rate);
        m_rate = rate;
        m_rateTrace(rate);
    }
}

void
RoceClient::CountRate()
{
    const Time now = Simulator::Now();
    if (m_congestion && m_sender && m_sender->GetMessages() > 0)
    {
        const double seconds = (now - m_rateSince).GetSeconds();
        m_rateBits += m_rate * seconds;
        m_rateSeconds += seconds;
    }
    m_rateSince = now;
}

bool
RoceClient::CheckRate()
{
    const Time now = Simulator::Now();
    const bool mayGo = m_pacer->Advance(now, m_rate);
    UpdateRate();
    if (m_rate >= m_line)
    {
        m_pacer->Clear(now); // the link itself spaces them
        return true;
    }
    if (mayGo)
    {
        return true;
    }
    Time wait = m_pacer->GetWait(m_rate);
    const Time period = m_congestion->GetPeriod();
    wait = period.IsZero() ? wait : std::min(wait, period);
    // an event that is due before stays where it is, and looks again
    if (m_wake.IsExpired() || now + wait < m_wakeTime)
    {
        m_wake.Cancel();
        m_wakeTime = now + wait;
        m_wake = Simulator::Schedule(wait, &RoceClient::Wake, this);
    }
    return false;
}

void
RoceClient::Wake()
{
    m_host->Request(this);
}

bool
RoceClient::Charge(const RoceSegment& segment, const RoceHead& head)
{
    const uint32_t ip = Inet6SocketAddress::IsMatchingType(m_remote) ? 40 : 20;
    const uint32_t octets = framing::GetWireOctets(m_framing,
                                                   ip + RoceHead::UDP + head.GetSize() +
                                                       segment.payload + head.pad + RoceHead::ICRC);
    m_congestion->NotifySent(Simulator::Now(), octets);
    const bool complete = m_pacer->Charge(octets, segment.last);
    if (m_congestion->WantsRoundTrips())
    {
        const Time gone = m_host->ReserveLine(Seconds(8.0 * octets / m_line));
        if (complete && !segment.again)
        {
            m_bursts.emplace_back(segment.number, gone);
        }
    }
    return complete;
}

void
RoceClient::SampleRoundTrips()
{
    const Time now = Simulator::Now();
    for (; !m_bursts.empty() && m_bursts.front().first < m_sender->GetBase(); m_bursts.pop_front())
    {
        // one whose packets had to wait at the host has not left when it was reckoned to
        const Time roundTrip = now - m_bursts.front().second;
        if (roundTrip.IsStrictlyPositive())
        {
            m_congestion->NotifyRoundTrip(now, roundTrip);
        }
    }
}

// ---- timeout ------------------------------------------------------------------------------------

Time
RoceClient::GetTimeoutLength() const
{
    const bool few =
        m_recovery == RoceRecovery::SELECTIVE_REPEAT && m_sender->GetOutstanding() <= FEW;
    return few ? m_shortTimeout : m_timeout;
}

void
RoceClient::Arm()
{
    m_since = Simulator::Now();
    const Time end = m_since + GetTimeoutLength();
    // an event that is due before stays where it is, and looks again
    if (m_sender->GetOutstanding() > 0 && (m_watch.IsExpired() || end < m_watchTime))
    {
        m_watch.Cancel();
        m_watchTime = end;
        m_watch = Simulator::Schedule(end - m_since, &RoceClient::Watch, this);
    }
}

void
RoceClient::Watch()
{
    if (m_sender->GetOutstanding() == 0)
    {
        return;
    }
    const Time left = m_since + GetTimeoutLength() - Simulator::Now();
    if (left.IsStrictlyPositive())
    {
        m_watchTime = Simulator::Now() + left;
        m_watch = Simulator::Schedule(left, &RoceClient::Watch, this);
        return;
    }
    if (!m_sender->HasAgain()) // what waits to be sent again has not been lost since
    {
        NS_LOG_INFO("timeout");
        m_timeouts++;
        if (m_retryCount > 0 && m_retries == m_retryCount)
        {
            StopApplication();
            m_failedTrace("nothing is heard of its server behind " + std::to_string(m_timeouts) +
                          " timeouts (RetryCount)");
            return;
        }
        m_retries++;
        m_bursts.clear();
        m_sender->Expire();
    }
    Arm();
    m_host->Request(this);
}

// ---- state --------------------------------------------------------------------------------------

uint64_t
RoceClient::GetRefused() const
{
    return m_source.GetRefused();
}

uint64_t
RoceClient::GetTimeouts() const
{
    return m_timeouts;
}

uint64_t
RoceClient::GetNaks() const
{
    return m_naks;
}

uint64_t
RoceClient::GetCnps() const
{
    return m_cnps;
}

std::optional<double>
RoceClient::GetMeanRate() const
{
    return m_rateSeconds > 0 ? std::optional(m_rateBits / m_rateSeconds) : std::nullopt;
}

} // namespace ns3
