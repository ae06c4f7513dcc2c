/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-route.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

/**
 * @file
 * @ingroup iwarp-rnic
 * Rnic: the ways of segments up and down.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicForward");

namespace
{

constexpr uint32_t TCP_HEADER = 20; // octets of a TCP header without options

// @param octets two, most significant first @return their value
uint16_t
Read16(const uint8_t* octets)
{
    return static_cast<uint16_t>(octets[0] << 8 | octets[1]);
}

// @param packet segment @param local destination @param peer source @return its checksum is good
template <typename A>
bool
IsIntact(const Ptr<Packet>& packet, const A& local, const A& peer)
{
    TcpHeader header;
    header.EnableChecksums();
    header.InitializeChecksum(peer, local, 6);
    packet->PeekHeader(header);
    return header.IsChecksumOk();
}

} // namespace

template <typename H, typename I>
struct Rnic::Delivery
{
    Ptr<RnicFlow> flow;            //!< connection
    Ptr<Packet> packet;            //!< segment
    H header;                      //!< IP header
    Ptr<I> interface;              //!< where it came in
    uint16_t port;                 //!< of the peer
    RnicDatapath::Arrival arrival; //!< how it came
    uint32_t frame;                //!< octets of its frame
};

RnicFlow*
Rnic::Find(const RnicTuple& tuple)
{
    const auto found = m_flows.find(tuple);
    if (found == m_flows.end())
    {
        return nullptr;
    }
    RnicFlow* flow = PeekPointer(found->second);
    if (!flow->GetEndPoint() && !flow->GetEndPoint6())
    {
        flow->tuple = nullptr;
        m_flows.erase(found); // closed, though its socket is still there
        return nullptr;
    }
    return flow;
}

template <typename E, typename I>
bool
Rnic::Takes(E& endPoint, const Ptr<I>& interface)
{
    return endPoint.IsRxEnabled() &&
           (!endPoint.GetBoundNetDevice() ||
            (interface && endPoint.GetBoundNetDevice() == interface->GetDevice()));
}

template <typename A, typename I>
RnicFlow*
Rnic::FindReceiver(const Ptr<Packet>& packet,
                   const A& local,
                   const A& peer,
                   const Ptr<I>& interface,
                   uint16_t& port)
{
    uint8_t ports[4];
    if (packet->CopyData(ports, sizeof(ports)) < sizeof(ports))
    {
        return nullptr;
    }
    port = Read16(ports);
    const uint16_t localPort = Read16(ports + 2);
    RnicFlow* flow = Find(RnicTuple(local, localPort, peer, port));
    if (!flow)
    {
        flow = Find(RnicTuple(local, localPort, A::GetAny(), 0));
    }
    if (!flow)
    {
        flow = Find(RnicTuple(A::GetAny(), localPort, A::GetAny(), 0));
    }
    const bool takes = flow && (flow->GetEndPoint() ? Takes(*flow->GetEndPoint(), interface)
                                                    : Takes(*flow->GetEndPoint6(), interface));
    return takes ? flow : nullptr;
}

void
Rnic::Forward(RnicFlow& flow,
              Ptr<Packet> packet,
              const Ipv4Header& header,
              uint16_t port,
              Ptr<Ipv4Interface> interface)
{
    if (auto* endPoint = flow.GetEndPoint())
    {
        endPoint->ForwardUp(packet, header, port, interface);
    }
    else if (auto* endPoint6 = flow.GetEndPoint6())
    { // an IPv6 socket that talks to an IPv4 peer sees IPv4-mapped addresses
        Ipv6Header mapped;
        mapped.SetSource(Ipv6Address::MakeIpv4MappedAddress(header.GetSource()));
        mapped.SetDestination(Ipv6Address::MakeIpv4MappedAddress(header.GetDestination()));
        endPoint6->ForwardUp(packet, mapped, port, nullptr);
    }
    else
    {
        m_tcp->Receive(packet, header, interface);
    }
}

void
Rnic::Forward(RnicFlow& flow,
              Ptr<Packet> packet,
              const Ipv6Header& header,
              uint16_t port,
              Ptr<Ipv6Interface> interface)
{
    if (auto* endPoint = flow.GetEndPoint6())
    {
        endPoint->ForwardUp(packet, header, port, interface);
    }
    else
    {
        m_tcp->Receive(packet, header, interface);
    }
}

template <typename H, typename I>
void
Rnic::Deliver(const Delivery<H, I>& delivery)
{
    --m_coming;
    const Current outer = m_current;
    m_current.flow = PeekPointer(delivery.flow);
    m_current.arrival = delivery.arrival;
    m_current.frame = delivery.frame;
    Forward(*delivery.flow, delivery.packet, delivery.header, delivery.port, delivery.interface);
    m_path->Discard(delivery.arrival, m_current.frame); // what MPA has not taken
    m_current = outer;
}

template <typename H, typename I>
IpL4Protocol::RxStatus
Rnic::DoReceive(Ptr<Packet> packet, const H& header, Ptr<I> interface)
{
    uint16_t port = 0;
    const auto local = header.GetDestination();
    const auto peer = header.GetSource();
    RnicFlow* flow = FindReceiver(packet, local, peer, interface, port);
    if (!flow)
    {
        return m_tcp->Receive(packet, header, interface);
    }
    if (Node::ChecksumEnabled() && !IsIntact(packet, local, peer))
    {
        return IpL4Protocol::RX_CSUM_FAILED;
    }
    const uint32_t frame = packet->GetSize() + header.GetSerializedSize() + m_linkOverhead;
    if (m_ideal)
    {
        m_receiveTrace(flow->path.key, frame, Time(0));
        Forward(*flow, packet, header, port, interface);
        return IpL4Protocol::RX_OK;
    }
    const RnicTime now = Now();
    const auto arrival = m_path->Receive(now, flow->path, frame);
    m_bufferHeld = m_path->GetBuffer().GetHeld(now);
    if (!arrival.admitted)
    {
        m_dropTrace(flow->path.key, frame, DropReason::PACKET_BUFFER);
        return IpL4Protocol::RX_OK;
    }
    m_cacheTrace(Cache::CONTEXT, flow->path.key, arrival.contextHit);
    const Time delay = FromRnicTime(arrival.toTcp - now);
    m_receiveTrace(flow->path.key, frame, delay);
    const Delivery<H, I> delivery{flow, packet, header, interface, port, arrival, frame};
    if (++m_coming == 1 && delay.IsZero())
    {
        Deliver(delivery);
    }
    else
    {
        Simulator::Schedule(delay, &Rnic::Deliver<H, I>, this, delivery);
    }
    return IpL4Protocol::RX_OK;
}

IpL4Protocol::RxStatus
Rnic::Receive(Ptr<Packet> packet, const Ipv4Header& header, Ptr<Ipv4Interface> interface)
{
    return DoReceive(packet, header, interface);
}

IpL4Protocol::RxStatus
Rnic::Receive(Ptr<Packet> packet, const Ipv6Header& header, Ptr<Ipv6Interface> interface)
{
    return DoReceive(packet, header, interface);
}

void
Rnic::ReceiveIcmp(Ipv4Address source,
                  uint8_t ttl,
                  uint8_t type,
                  uint8_t code,
                  uint32_t info,
                  Ipv4Address from,
                  Ipv4Address to,
                  const uint8_t payload[8])
{
    RnicFlow* flow = Find(RnicTuple(from, Read16(payload), to, Read16(payload + 2)));
    if (flow && flow->GetEndPoint())
    {
        flow->GetEndPoint()->ForwardIcmp(source, ttl, type, code, info);
    }
    else if (!flow)
    {
        m_tcp->ReceiveIcmp(source, ttl, type, code, info, from, to, payload);
    }
}

void
Rnic::ReceiveIcmp(Ipv6Address source,
                  uint8_t ttl,
                  uint8_t type,
                  uint8_t code,
                  uint32_t info,
                  Ipv6Address from,
                  Ipv6Address to,
                  const uint8_t payload[8])
{
    RnicFlow* flow = Find(RnicTuple(from, Read16(payload), to, Read16(payload + 2)));
    if (flow && flow->GetEndPoint6())
    {
        flow->GetEndPoint6()->ForwardIcmp(source, ttl, type, code, info);
    }
    else if (!flow)
    {
        m_tcp->ReceiveIcmp(source, ttl, type, code, info, from, to, payload);
    }
}

template <typename A>
bool
Rnic::Delay(const Ptr<Packet>& packet, const A& from, const A& to, uint32_t header, Time& delay)
{
    uint8_t octets[13];
    if (m_ideal || packet->CopyData(octets, sizeof(octets)) < sizeof(octets))
    {
        return false;
    }
    RnicFlow* flow = Find(RnicTuple(from, Read16(octets), to, Read16(octets + 2)));
    if (!flow)
    {
        return false;
    }
    const uint32_t size = packet->GetSize();
    const uint32_t tcp = (octets[12] >> 4) * 4U;
    const uint32_t payload = size > tcp ? size - tcp : 0;
    const uint32_t frame = size + header + m_linkOverhead;
    const bool inlined = payload > 0 && payload <= flow->inlineOctets;
    flow->inlineOctets -= inlined ? payload : 0;
    const RnicTime now = Now();
    const auto departure = m_path->Transmit(now, flow->path, frame, payload, inlined);
    delay = FromRnicTime(departure.at - now);
    m_cacheTrace(Cache::CONTEXT, flow->path.key, departure.contextHit);
    m_transmitTrace(flow->path.key, frame, delay);
    return !delay.IsZero() || m_leaving > 0; // nothing overtakes what waits
}

void
Rnic::Send(Ptr<Packet> packet,
           Ipv4Address from,
           Ipv4Address to,
           uint8_t protocol,
           Ptr<Ipv4Route> route)
{
    Time delay;
    if (!Delay(packet, from, to, 20, delay))
    {
        m_down(packet, from, to, protocol, route);
        return;
    }
    ++m_leaving;
    Simulator::Schedule(delay, &Rnic::SendNow, this, packet, from, to, route);
}

void
Rnic::Send6(Ptr<Packet> packet,
            Ipv6Address from,
            Ipv6Address to,
            uint8_t protocol,
            Ptr<Ipv6Route> route)
{
    Time delay;
    if (!Delay(packet, from, to, 40, delay))
    {
        m_down6(packet, from, to, protocol, route);
        return;
    }
    ++m_leaving;
    Simulator::Schedule(delay, &Rnic::SendNow6, this, packet, from, to, route);
}

void
Rnic::SendNow(Ptr<Packet> packet, Ipv4Address from, Ipv4Address to, Ptr<Ipv4Route> route)
{
    --m_leaving;
    m_down(packet, from, to, TcpL4Protocol::PROT_NUMBER, route);
}

void
Rnic::SendNow6(Ptr<Packet> packet, Ipv6Address from, Ipv6Address to, Ptr<Ipv6Route> route)
{
    --m_leaving;
    m_down6(packet, from, to, TcpL4Protocol::PROT_NUMBER, route);
}

void
Rnic::SetDownTarget(IpL4Protocol::DownTargetCallback down)
{
    m_down = down;
}

void
Rnic::SetDownTarget6(IpL4Protocol::DownTargetCallback6 down)
{
    m_down6 = down;
}

IpL4Protocol::DownTargetCallback
Rnic::GetDownTarget() const
{
    return m_down;
}

IpL4Protocol::DownTargetCallback6
Rnic::GetDownTarget6() const
{
    return m_down6;
}

} // namespace ns3
