/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-connection.h"

#include "rnic.h"

#include "ns3/record-segment-report.h"
#include "ns3/rnic-record-stage.h"
#include "ns3/simulator.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-ip-traits.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace ns3
{

namespace
{

// @return ps, the clock
RnicTime
GetRnicNow()
{
    return ToRnicTime(Simulator::Now());
}

// @param refusal of the reassembly memory @return the same as Rnic tells it
Rnic::DropReason
ReasonOf(RnicReassemblyMemory::Refusal refusal)
{
    switch (refusal)
    {
    case RnicReassemblyMemory::Refusal::FULL:
        return Rnic::DropReason::MEMORY_FULL;
    case RnicReassemblyMemory::Refusal::PER_CONNECTION:
        return Rnic::DropReason::MEMORY_PER_CONNECTION;
    default:
        return Rnic::DropReason::MEMORY_TOO_SMALL;
    }
}

} // namespace

RnicConnection::RnicConnection(Ptr<Rnic> rnic, uint64_t key)
    : m_rnic(rnic)
{
    m_state.key = key;
}

RnicConnection::~RnicConnection() = default;

RnicSegment
RnicConnection::MakeSegment(const TcpSegmentHead& head, uint8_t tos)
{
    RnicSegment segment;
    segment.connection = &m_state;
    segment.now = GetRnicNow();
    segment.seq = head.seq;
    segment.ack = head.ack;
    segment.flags = head.flags;
    segment.ecn = tos & 3;
    return segment;
}

// ---- up -----------------------------------------------------------------------------------------

template <typename H, typename I>
void
RnicConnection::DoReceive(TcpEndPointTable& table,
                          const TcpSegmentHead& head,
                          const Ptr<Packet>& packet,
                          const H& header,
                          const Ptr<I>& interface)
{
    RnicDatapath& path = m_rnic->GetDatapath();
    if (HasMemoryLimit())
    {
        path.GetMemory().KeepReserve(interface->GetDevice()->GetMtu());
    }
    const EspForecast* forecast = m_rnic->GetForecast();
    const EspWork* arrived = forecast ? forecast->GetArrival() : nullptr;
    const uint32_t clear = m_rnic->GetFrame(packet->GetSize() + header.GetSerializedSize());
    const uint32_t octets = arrived ? m_rnic->GetFrame(arrived->sealed) : clear;
    if (m_rnic->IsIdeal())
    {
        m_rnic->NotifyReceived(m_state.key, octets, Time(0));
        table.Deliver(*this, head, packet, header, interface);
        return;
    }
    RnicSegment segment = MakeSegment(head, IpTraitsOf<H>::GetTos(header));
    segment.frame = octets;
    if (m_follows)
    {
        m_offload->Receive(segment, packet, head.GetPayload(packet->GetSize()));
    }
    std::optional<RnicProtection> protection;
    if (arrived)
    {
        protection = {*arrived, clear, true};
        segment.protection = &*protection;
    }
    const bool admitted = path.Receive(segment);
    segment.protection = nullptr;
    m_rnic->NotifyBufferHeld(segment.now);
    if (!admitted)
    {
        m_rnic->NotifyDropped(m_state.key, octets, Rnic::DropReason::PACKET_BUFFER);
        return;
    }
    const Time delay = FromRnicTime(segment.time - segment.now);
    m_rnic->NotifyReceived(m_state.key, octets, delay);
    m_rnic->GetIncoming().Pass(
        delay,
        [self = Ptr<RnicConnection>(this), segment, head, packet, header, interface] {
            self->Deliver(segment, head, packet, header, interface);
        });
}

template <typename H, typename I>
void
RnicConnection::Deliver(RnicSegment segment,
                        const TcpSegmentHead& head,
                        const Ptr<Packet>& packet,
                        const H& header,
                        const Ptr<I>& interface)
{
    TcpEndPointTable* table = m_rnic->GetTable();
    if (!table)
    {
        return; // the node is gone
    }
    if (m_follows && segment.guess)
    {
        m_offload->Ask(*segment.guess);
    }
    m_atTcp = &segment;
    table->Deliver(*this, head, packet, header, interface);
    m_atTcp = nullptr;
    m_rnic->GetDatapath().Discard(segment); // what MPA has not taken
}

void
RnicConnection::Receive(TcpEndPointTable& table,
                        const TcpSegmentHead& head,
                        Ptr<Packet> packet,
                        const Ipv4Header& header,
                        Ptr<Ipv4Interface> interface)
{
    DoReceive(table, head, packet, header, interface);
}

void
RnicConnection::Receive(TcpEndPointTable& table,
                        const TcpSegmentHead& head,
                        Ptr<Packet> packet,
                        const Ipv6Header& header,
                        Ptr<Ipv6Interface> interface)
{
    DoReceive(table, head, packet, header, interface);
}

// ---- down ---------------------------------------------------------------------------------------

void
RnicConnection::FindPayload(const TcpSegmentHead& head,
                            uint32_t size,
                            RnicSegment& segment,
                            RecordPlacementList& sources)
{
    segment.payload = head.GetPayload(size);
    const SequenceNumber32 seq(head.seq);
    segment.inlined = segment.payload > 0 ? GetInlineOctets(seq, segment.payload) : 0;
    if (segment.payload > 0)
    {
        const SequenceNumber32 end = seq + segment.payload;
        const SequenceNumber32 sent = m_sent.value_or(seq);
        segment.again = sent > seq ? std::min<uint32_t>(sent - seq, segment.payload) : 0;
        m_sent = std::max(sent, end);
    }
    if (WantsSources() && segment.payload > segment.inlined)
    {
        ForEachSource(seq,
                      segment.payload,
                      [&sources](uint32_t region, uint64_t address, uint64_t octets) {
                          sources.push_back({octets, 0, region, address});
                      });
        segment.placements = &sources;
    }
    if (m_offload)
    {
        m_offload->Transmit(segment, GetRecordPart(seq));
    }
}

template <typename F>
void
RnicConnection::Transmit(const TcpSegmentHead& head,
                         uint32_t size,
                         RnicSegment segment,
                         const RnicProtection* protection,
                         F leave)
{
    RnicTransmitQueues* queues = m_rnic->GetTransmitQueues();
    if (!queues)
    {
        RnicProtection own = protection ? *protection : RnicProtection();
        RecordPlacementList sources;
        FindPayload(head, size, segment, sources);
        segment.protection = protection ? &own : nullptr;
        m_rnic->GetDatapath().Transmit(segment);
        leave(segment);
        return;
    }
    auto departure = std::make_shared<RnicDeparture>();
    FindPayload(head, size, segment, departure->sources);
    departure->segment = segment;
    if (protection)
    {
        departure->protection = *protection;
        departure->segment.protection = &departure->protection;
    }
    departure->leave = std::move(leave);
    queues->Push(departure);
}

template <typename A, typename R>
void
RnicConnection::DoSend(TcpEndPointTable& table,
                       const TcpSegmentHead& head,
                       const Ptr<Packet>& packet,
                       const A& from,
                       const A& to,
                       const Ptr<R>& route)
{
    const uint32_t header = IpTraitsOfAddress<A>::HEADER_SIZE;
    const uint32_t size = packet->GetSize();
    RnicProtection protection;
    const uint8_t tcp = TcpL4Protocol::PROT_NUMBER;
    const EspForecast* forecast = m_rnic->GetForecast();
    const bool isProtected =
        forecast && forecast->Predict({from, to, tcp, head.sourcePort, head.destinationPort},
                                      size + header,
                                      header,
                                      protection.work);
    if (isProtected)
    {
        protection.frame = m_rnic->GetFrame(protection.work.sealed);
    }
    RnicSegment segment = MakeSegment(head, IpTraitsOfAddress<A>::GetTos(*packet));
    segment.frame = m_rnic->GetFrame(size + header);
    const auto* marks = table.GetDontFragment();
    const bool whole = marks && marks->IsMarking();
    const Time since = Simulator::Now();
    const auto down =
        [rnic = m_rnic, key = m_state.key, since, packet, from, to, route, whole](uint32_t octets) {
            if (TcpEndPointTable* below = rnic->GetTable()) // the node is still there
            {
                rnic->NotifyTransmitted(key, octets, Simulator::Now() - since);
                const TcpDontFragment::Mark mark(whole ? below->GetDontFragment() : nullptr);
                below->SendDown(packet, from, to, route);
            }
        };
    const auto leave = [self = Ptr<RnicConnection>(this), down](const RnicSegment& through) {
        const RnicTime left = std::max<RnicTime>(0, through.time - through.now);
        self->m_rnic->GetOutgoing().Pass(FromRnicTime(left),
                                         [down, octets = through.frame] { down(octets); });
    };
    Transmit(head, size, segment, isProtected ? &protection : nullptr, leave);
}

void
RnicConnection::Send(TcpEndPointTable& table,
                     const TcpSegmentHead& head,
                     Ptr<Packet> packet,
                     Ipv4Address from,
                     Ipv4Address to,
                     Ptr<Ipv4Route> route)
{
    DoSend(table, head, packet, from, to, route);
}

void
RnicConnection::Send(TcpEndPointTable& table,
                     const TcpSegmentHead& head,
                     Ptr<Packet> packet,
                     Ipv6Address from,
                     Ipv6Address to,
                     Ptr<Ipv6Route> route)
{
    DoSend(table, head, packet, from, to, route);
}

void
RnicConnection::Removed()
{
    Unfollow();
    m_rnic->Release(m_state.key);
}

// ---- what MPA tells and asks --------------------------------------------------------------------

bool
RnicConnection::HasMemoryLimit() const
{
    return m_rnic->GetDatapath().GetMemory().HasLimit();
}

uint64_t
RnicConnection::GetMemoryRoom(bool inOrder) const
{
    const auto& memory = m_rnic->GetDatapath().GetMemory();
    return memory.GetLimit(m_state.key, inOrder) - memory.GetHeld(m_state.key);
}

uint64_t
RnicConnection::GetMemoryBehind() const
{
    return m_rnic->GetDatapath().GetMemory().GetPoolLimit(m_state.key);
}

void
RnicConnection::Segment(const RecordSegmentReport& report,
                        uint32_t size,
                        const RecordPlacementList& placements,
                        uint64_t held)
{
    const RnicOps ops = CountOps(report, placements);
    m_rnic->NotifyOps(m_state.key, ops);
    if (report.memoryFull)
    {
        const uint32_t refused = size - report.whole;
        auto& memory = m_rnic->GetDatapath().GetMemory();
        m_rnic->NotifyDropped(m_state.key, refused, ReasonOf(memory.Refuse(m_state.key, refused)));
    }
    SetHeld(held);
    if (report.duplicate || report.dropped)
    {
        return;
    }
    uint64_t placed = 0;
    for (const auto& placement : placements)
    {
        placed += placement.octets;
    }
    const Time delay = m_rnic->IsIdeal() ? Time(0) : Place(size, ops, placements);
    m_rnic->NotifyPlaced(m_state.key, placed, delay, report.aligned);
}

void
RnicConnection::ReleaseHeld()
{
    SetHeld(0);
}

void
RnicConnection::SetHeld(uint64_t held)
{
    if (held != m_held)
    {
        m_held = held;
        m_rnic->SetMemoryHeld(m_state.key, held);
    }
}

Time
RnicConnection::Place(uint32_t size, const RnicOps& ops, const RecordPlacementList& placements)
{
    const RnicTime now = GetRnicNow();
    RnicSegment segment;
    segment.time = segment.checked = now;
    if (m_atTcp)
    {
        segment = *m_atTcp;
        // the frame leaves once, with the first of its pieces
        m_atTcp->frame = m_atTcp->buffered = 0;
    }
    segment.connection = &m_state;
    segment.now = now;
    segment.ops = &ops;
    segment.placements = &placements;
    m_rnic->GetDatapath().Place(segment);
    m_placedAt = std::max(m_placedAt, segment.time);
    if (m_retirement)
    {
        m_retirement->Add(size, m_placedAt);
    }
    m_seenAt = std::max(m_seenAt, segment.seen);
    return FromRnicTime(segment.visible - now);
}

bool
RnicConnection::WantsSources() const
{
    return m_rnic->TranslatesAddresses();
}

uint64_t
RnicConnection::GetUnretired()
{
    if (!m_retirement)
    {
        m_retirement = std::make_unique<RnicRetirement>();
    }
    return m_retirement->GetHeld(GetRnicNow());
}

Time
RnicConnection::GetTimeToRetire(uint64_t octets)
{
    const RnicTime now = GetRnicNow();
    return m_retirement ? FromRnicTime(m_retirement->GetTime(now, octets) - now) : Time(0);
}

Time
RnicConnection::GetTimeToHost() const
{
    return m_rnic->IsIdeal() ? Time(0)
                             : FromRnicTime(std::max<RnicTime>(0, m_seenAt - GetRnicNow()));
}

// ---- records beside TCP -------------------------------------------------------------------------

bool
RnicConnection::HoldsSegments() const
{
    return !m_rnic->IsTcpOnHost();
}

void
RnicConnection::SetService(const RecordService& service)
{
    m_state.service = service;
}

bool
RnicConnection::Follow(const RecordFraming& framing, uint32_t seq, RecordOffload::User& user)
{
    RnicRxRecordStage* engine = m_rnic->GetRecordEngine();
    const auto& service = m_state.service;
    if (!engine || m_offload || !(service.crc || service.cipher || service.placement) ||
        !engine->Acquire())
    {
        return false;
    }
    m_offload = std::make_unique<RnicOffload>(framing,
                                              seq,
                                              engine->GetConfig(),
                                              user,
                                              m_rnic->GetOffloadCounters());
    m_follows = true;
    return true;
}

void
RnicConnection::Unfollow()
{
    if (std::exchange(m_follows, false))
    {
        m_rnic->GetRecordEngine()->Release();
    }
}

bool
RnicConnection::WasWorkedOn() const
{
    return m_atTcp && m_atTcp->worked > 0;
}

bool
RnicConnection::WaitsForSoftware() const
{
    return !m_rnic->GetRecordEngine()->GetConfig().searches;
}

void
RnicConnection::Answer(uint32_t seq, bool isRecord)
{
    Simulator::Schedule(m_rnic->GetRecordEngine()->GetAnswerTime(),
                        [self = Ptr<RnicConnection>(this), seq, isRecord] {
                            if (!self->m_follows)
                            {
                                return;
                            }
                            auto& tracker = self->m_offload->GetTracker();
                            isRecord ? tracker.Confirm(seq) : tracker.Reject(seq);
                        });
}

void
RnicConnection::Resume(uint32_t seq)
{
    Simulator::Schedule(m_rnic->GetRecordEngine()->GetAnswerTime(),
                        [self = Ptr<RnicConnection>(this), seq] {
                            if (self->m_follows)
                            {
                                self->m_offload->GetTracker().Resume(seq);
                            }
                        });
}

// ---- what RDMAP tells and asks ------------------------------------------------------------------

bool
RnicConnection::RingDoorbell(uint32_t count, uint64_t payload, bool inlined, uint32_t waiting)
{
    return !m_rnic->IsIdeal() && m_rnic->GetDatapath().GetQueuePairs().Ring(GetRnicNow(),
                                                                            m_state.sends,
                                                                            count,
                                                                            payload,
                                                                            inlined,
                                                                            waiting);
}

Time
RnicConnection::Begin(uint32_t waiting)
{
    if (m_rnic->IsIdeal())
    {
        return Time(0);
    }
    const RnicTime now = GetRnicNow();
    auto& queuePairs = m_rnic->GetDatapath().GetQueuePairs();
    return FromRnicTime(queuePairs.Begin(now, m_state.sends, waiting) - now);
}

Time
RnicConnection::BeginLocal(uint32_t waiting, uint32_t pages)
{
    if (m_rnic->IsIdeal())
    {
        return Time(0);
    }
    const RnicTime now = GetRnicNow();
    auto& queuePairs = m_rnic->GetDatapath().GetQueuePairs();
    return FromRnicTime(queuePairs.BeginLocal(now, m_state.sends, waiting, pages) - now);
}

void
RnicConnection::ConsumeReceive()
{
    ++m_state.receivesTaken;
}

Time
RnicConnection::Complete(bool invalidates)
{
    if (m_rnic->IsIdeal())
    {
        return Time(0);
    }
    RnicDatapath& path = m_rnic->GetDatapath();
    const RnicTime now = GetRnicNow();
    RnicTime done = std::max(now, m_placedAt);
    if (invalidates)
    {
        done = path.GetQueuePairs().Invalidate(now, done);
    }
    return FromRnicTime(path.GetHost().Complete(now, done) - now);
}

} // namespace ns3
