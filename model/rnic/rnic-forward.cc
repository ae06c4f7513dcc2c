/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

/**
 * @file
 * @ingroup iwarp-rnic
 * Rnic: the ways of segments up and down.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicForward");

template <typename H, typename I>
struct Rnic::Delivery
{
    Ptr<RnicConnection> connection; //!< connection
    TcpSegmentHead head;            //!< what is known of the segment
    Ptr<Packet> packet;             //!< segment
    H header;                       //!< IP header
    Ptr<I> interface;               //!< where it came in
    RnicConnection::Frame frame;    //!< how it came
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
    RnicConnection::Frame frame = delivery.frame;
    connection.atTcp = &frame;
    m_table->Deliver(connection,
                     delivery.head,
                     delivery.packet,
                     delivery.header,
                     delivery.interface);
    connection.atTcp = nullptr;
    m_path->Discard(frame.arrival, frame.held); // what MPA has not taken
}

template <typename H, typename I>
void
Rnic::DoReceive(RnicConnection& connection,
                const TcpSegmentHead& head,
                Ptr<Packet> packet,
                const H& header,
                Ptr<I> interface)
{
    const uint64_t key = connection.path.key;
    const uint32_t octets = packet->GetSize() + header.GetSerializedSize() + m_linkOverhead;
    if (m_ideal)
    {
        m_receiveTrace(key, octets, Time(0));
        m_table->Deliver(connection, head, packet, header, interface);
        return;
    }
    const RnicTime now = Now();
    const auto arrival = m_path->Receive(now, connection.path, octets);
    m_bufferHeld = m_path->GetBuffer().GetHeld(now);
    if (!arrival.admitted)
    {
        m_dropTrace(key, octets, DropReason::PACKET_BUFFER);
        return;
    }
    m_cacheTrace(Cache::CONTEXT, key, arrival.contextHit);
    const Time delay = FromRnicTime(arrival.toTcp - now);
    m_receiveTrace(key, octets, delay);
    const Delivery<H, I> delivery{&connection, head, packet, header, interface, {arrival, octets}};
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
Rnic::Transmit(RnicConnection& connection, const TcpSegmentHead& head, uint32_t size, uint32_t ip)
{
    const uint32_t payload = head.GetPayload(size);
    const uint32_t frame = size + ip + m_linkOverhead;
    const uint32_t inlined =
        payload > 0 ? connection.GetInlineOctets(SequenceNumber32(head.seq), payload) : 0;
    const RnicTime now = Now();
    const auto departure = m_path->Transmit(now, connection.path, frame, payload, inlined);
    const Time delay = FromRnicTime(departure.at - now);
    m_cacheTrace(Cache::CONTEXT, connection.path.key, departure.contextHit);
    m_transmitTrace(connection.path.key, frame, delay);
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
    const Time delay = Transmit(connection, head, packet->GetSize(), ip);
    if (delay.IsZero() && m_leaving == 0) // nothing overtakes what waits
    {
        m_table->SendDown(packet, from, to, route);
        return;
    }
    ++m_leaving;
    Simulator::Schedule(delay, &Rnic::SendNow<A, R>, this, packet, from, to, route);
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
Rnic::SendNow(Ptr<Packet> packet, A from, A to, Ptr<R> route)
{
    --m_leaving;
    if (m_table)
    {
        m_table->SendDown(packet, from, to, route);
    }
}

} // namespace ns3
