/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-server.h"

#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-framing.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceServer");
NS_OBJECT_ENSURE_REGISTERED(RoceServer);

TypeId
RoceServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceServer")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddConstructor<RoceServer>()
            .AddAttribute("QueuePair",
                          "Number of the queue pair: the port of the client's Remote",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceServer::m_queuePair),
                          MakeUintegerChecker<uint32_t>(0, 0xFFFF))
            .AddAttribute("Recovery",
                          "What is sent again after a loss, as the client has it",
                          iwarp::MakeEnumValue(RoceRecovery::GO_BACK_N),
                          iwarp::MakeEnumAccessor(&RoceServer::m_recovery),
                          iwarp::MakeEnumChecker(RoceRecovery::GO_BACK_N,
                                                 "GoBackN",
                                                 RoceRecovery::SELECTIVE_REPEAT,
                                                 "SelectiveRepeat"))
            .AddAttribute("Window",
                          "Packets under way at most, as the client has it; what comes from beyond "
                          "is dropped",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RoceServer::m_window),
                          MakeUintegerChecker<uint32_t>(1, RoceHead::WINDOW))
            .AddAttribute("AckPeriod",
                          "Packets in order that one acknowledgement is for, but for the last of a "
                          "message",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RoceServer::m_period),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CnpInterval",
                          "Shortest time between two CNPs, by which it tells the client of marked "
                          "packets (DCQCN's notification point); 0 sends none",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RoceServer::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("PacketPlaced",
                            "The payload of a packet goes to the host, in order or not",
                            MakeTraceSourceAccessor(&RoceServer::m_placedTrace),
                            "ns3::RoceServer::PlacedTracedCallback")
            .AddTraceSource("MessageReceived",
                            "The host knows of a message",
                            MakeTraceSourceAccessor(&RoceServer::m_messageTrace),
                            "ns3::RoceServer::MessageTracedCallback");
    return tid;
}

RoceServer::RoceServer() = default;
RoceServer::~RoceServer() = default;

void
RoceServer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    StopApplication();
    m_host = nullptr;
    m_way = nullptr;
    Application::DoDispose();
}

void
RoceServer::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_host = RoceHost::Get(GetNode());
    m_receiver = std::make_unique<RoceReceiver>(m_recovery, m_window, m_period);
    m_host->Attach(m_queuePair, this);
    if (m_cnpInterval.IsStrictlyPositive())
    {
        m_point.emplace(m_cnpInterval);
        m_host->HeedMarks();
    }
}

void
RoceServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_receiver && m_host)
    {
        m_host->Detach(m_queuePair);
    }
    m_receiver.reset();
}

bool
RoceServer::HandlePacket(const RoceArrival& arrival)
{
    const RoceHead& head = arrival.head;
    NS_LOG_FUNCTION(this << head.psn << arrival.payload);
    if (!m_receiver || head.kind == RoceHead::Kind::ACKNOWLEDGE ||
        head.kind == RoceHead::Kind::NOTIFICATION)
    {
        return false;
    }
    if (!m_way)
    {
        m_way = m_host->MakePath(arrival.from);
    }
    if (arrival.marked && m_point)
    {
        HandleMark();
    }
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(arrival.from);
    const uint32_t frame =
        framing::GetFrameOctets(PathFraming::ETHERNET,
                                (ipv6 ? 40 : 20) + RoceHead::UDP + head.GetSize() +
                                    arrival.payload + head.pad + RoceHead::ICRC);
    if (m_host->Admit(frame))
    {
        Place(arrival, frame);
    }
    else
    {
        m_dropped++;
    }
    return true;
}

void
RoceServer::HandleMark()
{
    m_marked++;
    if (m_point->NotifyMarked(Simulator::Now()))
    {
        m_cnps++;
        RoceHead head;
        head.kind = RoceHead::Kind::NOTIFICATION;
        head.queuePair = m_queuePair;
        m_host->Send(m_way, head, 0);
    }
}

void
RoceServer::Place(const RoceArrival& arrival, uint32_t frame)
{
    const RoceHead& head = arrival.head;
    const uint32_t payload = arrival.payload;
    using Kind = RoceHead::Kind;
    const uint64_t expected = m_receiver->GetExpected();
    const RoceSegment segment{RoceHead::Expand(head.psn, expected),
                              payload,
                              head.length,
                              head.kind == Kind::WRITE_FIRST || head.kind == Kind::WRITE_ONLY,
                              head.kind == Kind::WRITE_LAST || head.kind == Kind::WRITE_ONLY,
                              false,
                              head.asksAck};
    m_dropped += !m_receiver->HasRoom(segment.number);
    bool taken = false;
    m_messages.clear();
    const RoceAnswer answer = m_receiver->Receive(segment, m_messages, taken);
    m_early += taken && segment.number > expected;
    const Time delay = m_host->Place(frame, taken ? payload : 0);
    if (taken)
    {
        m_placedTrace(payload, delay);
    }
    for (const uint64_t octets : m_messages)
    {
        Simulator::Schedule(m_host->Complete(), &RoceServer::Notify, this, octets);
    }
    Answer(answer);
}

bool
RoceServer::SendNext()
{
    return false; // acknowledgements do not wait
}

void
RoceServer::Notify(uint64_t octets)
{
    m_messageTrace(octets);
}

void
RoceServer::Answer(const RoceAnswer& answer)
{
    if (answer.kind == RoceAnswer::Kind::NONE)
    {
        return;
    }
    RoceHead head;
    head.queuePair = m_queuePair;
    head.psn = static_cast<uint32_t>(answer.expected - 1); // the last that is acknowledged
    head.messages = static_cast<uint32_t>(m_receiver->GetCompleted());
    if (answer.kind == RoceAnswer::Kind::REFUSED)
    {
        head.psn = static_cast<uint32_t>(answer.expected);
        head.syndrome = RoceHead::REFUSED;
        head.hasArrived = m_recovery == RoceRecovery::SELECTIVE_REPEAT;
        head.arrived = static_cast<uint32_t>(answer.arrived);
    }
    m_host->Send(m_way, head, 0);
}

uint64_t
RoceServer::GetDropped() const
{
    return m_dropped;
}

uint64_t
RoceServer::GetMarked() const
{
    return m_marked;
}

uint64_t
RoceServer::GetCnps() const
{
    return m_cnps;
}

uint64_t
RoceServer::GetEarly() const
{
    return m_early;
}

} // namespace ns3
