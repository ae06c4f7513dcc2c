/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"

#include <optional>

/**
 * @file
 * @ingroup iwarp-rnic
 * Rnic: the ways of segments up and down.
 */

namespace ns3
{

namespace
{

// @param forecast of IPsec @param framing of the link @param flow of a segment that goes out
// @param datagram octets @param ip octets of IP's header @return what ESP does to it, if it does
std::optional<RnicProtection>
Foresee(const EspForecast& forecast,
        PathFraming framing,
        const IpsecFlow& flow,
        uint32_t datagram,
        uint32_t ip)
{
    RnicProtection protection;
    if (!forecast.Foresee(flow, datagram, ip, protection.work))
    {
        return std::nullopt;
    }
    protection.frame = framing::GetFrameOctets(framing, protection.work.sealed);
    return protection;
}

} // namespace

template <typename H, typename I>
struct Rnic::Delivery
{
    Ptr<RnicConnection> connection; //!< connection
    TcpSegmentHead head;            //!< what is known of the segment
    Ptr<Packet> packet;             //!< segment
    H header;                       //!< IP header
    Ptr<I> interface;               //!< where it came in
    RnicSegment segment;            //!< how it came
};

template <typename H, typename I>
void
Rnic::Deliver(const Delivery<H, I>& delivery)
{
    --m_coming;
    if (!m_table)
    {
        return; // the node is gone
    }
    RnicConnection& connection = *delivery.connection;
    RnicSegment segment = delivery.segment;
    connection.atTcp = &segment;
    m_table->Deliver(connection,
                     delivery.head,
                     delivery.packet,
                     delivery.header,
                     delivery.interface);
    connection.atTcp = nullptr;
    m_path->Discard(segment); // what MPA has not taken
}

template <typename H, typename I>
void
Rnic::DoReceive(RnicConnection& connection,
                const TcpSegmentHead& head,
                Ptr<Packet> packet,
                const H& header,
                Ptr<I> interface)
{
    if (HasMemoryLimit())
    {
        m_path->GetMemory().KeepReserve(interface->GetDevice()->GetMtu());
    }
    const uint64_t key = connection.path.key;
    const uint32_t clear = packet->GetSize() + header.GetSerializedSize();
    const EspWork* arrived = m_protects && m_forecast ? m_forecast->GetArrival() : nullptr;
    const uint32_t octets = framing::GetFrameOctets(m_framing, arrived ? arrived->sealed : clear);
    if (m_ideal)
    {
        m_receiveTrace(key, octets, Time(0));
        m_table->Deliver(connection, head, packet, header, interface);
        return;
    }
    const RnicTime now = Now();
    RnicSegment segment;
    segment.connection = &connection.path;
    segment.now = now;
    segment.frame = octets;
    std::optional<RnicProtection> protection;
    if (arrived)
    {
        protection = {*arrived, framing::GetFrameOctets(m_framing, clear), true};
        segment.protection = &*protection;
    }
    const bool admitted = m_path->Receive(segment);
    segment.protection = nullptr;
    m_bufferHeld = m_path->GetBuffer().GetHeld(now);
    if (!admitted)
    {
        m_dropTrace(key, octets, DropReason::PACKET_BUFFER);
        return;
    }
    const Time delay = FromRnicTime(segment.time - now);
    m_receiveTrace(key, octets, delay);
    const Delivery<H, I> delivery{&connection, head, packet, header, interface, segment};
    if (++m_coming == 1 && delay.IsZero())
    {
        Deliver(delivery);
    }
    else
    {
        Simulator::Schedule(delay, &Rnic::Deliver<H, I>, this, delivery);
    }
}

void
Rnic::Receive(RnicConnection& connection,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              const Ipv4Header& header,
              Ptr<Ipv4Interface> interface)
{
    DoReceive(connection, head, packet, header, interface);
}

void
Rnic::Receive(RnicConnection& connection,
              const TcpSegmentHead& head,
              Ptr<Packet> packet,
              const Ipv6Header& header,
              Ptr<Ipv6Interface> interface)
{
    DoReceive(connection, head, packet, header, interface);
}

Time
Rnic::Transmit(RnicConnection& connection,
               const TcpSegmentHead& head,
               uint32_t size,
               uint32_t ip,
               RnicProtection* protection)
{
    const uint32_t frame = framing::GetFrameOctets(m_framing, size + ip);
    const RnicTime now = Now();
    RnicSegment segment;
    segment.connection = &connection.path;
    segment.now = now;
    segment.frame = frame;
    segment.protection = protection;
    segment.payload = head.GetPayload(size);
    segment.inlined = segment.payload > 0
                          ? connection.GetInlineOctets(SequenceNumber32(head.seq), segment.payload)
                          : 0;
    RecordPlacementList sources;
    if (m_translates && segment.payload > segment.inlined)
    {
        connection.ForEachSource(SequenceNumber32(head.seq),
                                 segment.payload,
                                 [&sources](uint32_t region, uint64_t address, uint64_t octets) {
                                     sources.push_back({octets, 0, region, address});
                                 });
        segment.placements = &sources;
    }
    m_path->Transmit(segment);
    const Time delay = FromRnicTime(segment.time - now);
    m_transmitTrace(connection.path.key, segment.frame, delay);
    return delay;
}

template <typename A, typename R>
void
Rnic::DoSend(RnicConnection& connection,
             const TcpSegmentHead& head,
             Ptr<Packet> packet,
             const A& from,
             const A& to,
             Ptr<R> route,
             uint32_t ip)
{
    std::optional<RnicProtection> protection;
    if (m_protects && m_forecast)
    {
        const uint8_t tcp = TcpL4Protocol::PROT_NUMBER;
        protection = Foresee(*m_forecast,
                             m_framing,
                             {from, to, tcp, head.sourcePort, head.destinationPort},
                             packet->GetSize() + ip,
                             ip);
    }
    const Time delay =
        Transmit(connection, head, packet->GetSize(), ip, protection ? &*protection : nullptr);
    if (delay.IsZero() && m_leaving == 0) // nothing overtakes what waits
    {
        m_table->SendDown(packet, from, to, route);
        return;
    }
    ++m_leaving;
    const auto* marks = m_table->GetDontFragment();
    const bool whole = marks && marks->IsMarking();
    Simulator::Schedule(delay, &Rnic::SendNow<A, R>, this, packet, from, to, route, whole);
}

void
Rnic::Send(RnicConnection& connection,
           const TcpSegmentHead& head,
           Ptr<Packet> packet,
           Ipv4Address from,
           Ipv4Address to,
           Ptr<Ipv4Route> route)
{
    DoSend(connection, head, packet, from, to, route, 20);
}

void
Rnic::Send(RnicConnection& connection,
           const TcpSegmentHead& head,
           Ptr<Packet> packet,
           Ipv6Address from,
           Ipv6Address to,
           Ptr<Ipv6Route> route)
{
    DoSend(connection, head, packet, from, to, route, 40);
}

template <typename A, typename R>
void
Rnic::SendNow(Ptr<Packet> packet, A from, A to, Ptr<R> route, bool whole)
{
    --m_leaving;
    if (m_table)
    {
        const TcpDontFragment::Mark mark(whole ? m_table->GetDontFragment() : nullptr);
        m_table->SendDown(packet, from, to, route);
    }
}

} // namespace ns3
