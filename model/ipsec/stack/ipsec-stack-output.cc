/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/esp-packet.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <type_traits>

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: the way out.
 */

namespace ns3
{

namespace
{

constexpr uint8_t OUTER_HOPS = 64; // time to live of headers made here

/// @param association of a packet @param packet ESP, which UDP goes before if that is to be
/// @param whole nobody may divide it @return protocol of the packet
uint8_t
Finish(const IpsecAssociation& association, const Ptr<Packet>& packet, bool whole)
{
    const auto& config = association.GetConfig();
    if (!whole && association.GetCodec().GetMode() == EspCodec::Mode::MODELLED)
    {
        FillEspPacket(packet);
    }
    if (!config.udp)
    {
        return ESP_PROTOCOL;
    }
    UdpHeader header; // its checksum stays 0 (RFC 3948 section 2.1)
    header.SetSourcePort(config.udpSource);
    header.SetDestinationPort(config.udpDestination);
    packet->AddHeader(header);
    return UdpL4Protocol::PROT_NUMBER;
}

} // namespace

TcpDontFragment*
IpsecStack::GetMarks() const
{
    return m_table ? m_table->GetDontFragment() : nullptr;
}

void
IpsecStack::Down(const Outgoing<Ipv4Traits>& datagram, uint8_t protocol)
{
    m_down(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

void
IpsecStack::Down(const Outgoing<Ipv6Traits>& datagram, uint8_t protocol)
{
    m_down6(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

void
IpsecStack::Send(Ptr<Packet> packet,
                 Ipv4Address from,
                 Ipv4Address to,
                 uint8_t protocol,
                 Ptr<Ipv4Route> route)
{
    const TcpDontFragment* marks = GetMarks();
    Dispatch<Ipv4Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

void
IpsecStack::Send6(Ptr<Packet> packet,
                  Ipv6Address from,
                  Ipv6Address to,
                  uint8_t protocol,
                  Ptr<Ipv6Route> route)
{
    const TcpDontFragment* marks = GetMarks();
    Dispatch<Ipv6Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

template <typename V>
void
IpsecStack::Dispatch(const Outgoing<V>& datagram)
{
    NS_LOG_FUNCTION(this << datagram.packet << datagram.from << datagram.to);
    const IpsecFlow flow =
        ReadIpsecFlow(datagram.from, datagram.to, datagram.protocol, datagram.packet);
    IpsecFlow traffic = flow;
    Index policy = m_outPolicies.Find(flow);
    const IpsecAction action = datagram.protocol == V::ICMP
                                   ? DecideIcmp(datagram.packet, flow, traffic, policy)
                               : IsKeyExchange(flow) ? IpsecAction::BYPASS
                                                     : GetAction(m_outPolicies, policy);
    switch (action)
    {
    case IpsecAction::BYPASS:
        Down(datagram, datagram.protocol);
        break;
    case IpsecAction::DISCARD:
        Drop(IpsecDrop::POLICY, datagram.packet);
        break;
    case IpsecAction::PROTECT:
        Protect(datagram, flow, traffic, policy);
        break;
    }
}

template <typename V>
void
IpsecStack::Protect(const Outgoing<V>& datagram,
                    const IpsecFlow& flow,
                    const IpsecFlow& traffic,
                    Index policy)
{
    const Association association = FindAssociation(policy, traffic);
    if (!association)
    {
        Await(policy, traffic, datagram.packet, [this, datagram, flow, traffic, policy] {
            const TcpDontFragment::Mark mark(datagram.whole ? GetMarks() : nullptr);
            Protect(datagram, flow, traffic, policy);
        });
    }
    else if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    {
        SendTransport(datagram, flow, *association);
    }
    else
    {
        SendTunnel(datagram, flow, *association);
    }
}

template <typename V>
void
IpsecStack::SendTransport(const Outgoing<V>& datagram,
                          const IpsecFlow& flow,
                          IpsecAssociation& association)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = V::HEADER_SIZE + datagram.packet->GetSize();
    const uint32_t octets = encapsulation.GetProtected(size, V::HEADER_SIZE);
    const uint32_t link =
        datagram.route ? datagram.route->GetOutputDevice()->GetMtu() : FindLinkMtu(datagram.to);
    const Room room = FindRoom(datagram.to, link);
    if (datagram.whole && octets > room.mtu)
    {
        TcpDontFragment::TellTooBig(m_node,
                                    datagram.from,
                                    datagram.to,
                                    datagram.packet,
                                    encapsulation.GetInnerMtu(room.mtu, V::HEADER_SIZE));
        Drop(IpsecDrop::TOO_BIG, datagram.packet);
        return;
    }
    const bool whole = datagram.whole && room.whole;
    if (whole)
    {
        Remember(datagram.packet, flow, datagram.to, size, octets, true);
    }
    m_sealedTrace(datagram.packet, flow, octets);
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE);
    if (Seal(association, sizes, datagram.protocol, datagram.packet))
    {
        m_counters.sealedOctets += octets;
        m_counters.added += octets - size;
        const uint8_t protocol = Finish(association, datagram.packet, whole);
        if (!m_engine)
        {
            const TcpDontFragment::Pause pause(whole ? nullptr : GetMarks());
            Down(datagram, protocol);
            return;
        }
        const EspWork work(association.GetConfig().number, encapsulation, size, V::HEADER_SIZE);
        Engage(EspDirection::OUTBOUND, work, [this, datagram, protocol, whole] {
            const TcpDontFragment::Mark mark(whole ? GetMarks() : nullptr);
            Down(datagram, protocol);
        });
    }
}

template <typename V>
void
IpsecStack::SendTunnel(const Outgoing<V>& datagram,
                       const IpsecFlow& flow,
                       IpsecAssociation& association)
{
    typename V::Header header;
    header.SetSource(datagram.from);
    header.SetDestination(datagram.to);
    V::SetPayload(header, datagram.protocol, datagram.packet->GetSize());
    V::SetTos(header, V::GetTos(*datagram.packet));
    V::SetHops(header, OUTER_HOPS);
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        header.SetIdentification(m_identification++);
        if (datagram.whole)
        {
            header.SetDontFragment();
        }
    }
    if (!datagram.whole)
    { // a host divides what it sends itself
        Tunnel<V>(datagram.packet,
                  header,
                  flow,
                  association,
                  V::IsWhole(header) ? UINT32_MAX : 0,
                  nullptr);
        return;
    }
    Tunnel<V>(datagram.packet, header, flow, association, 0, [&](uint32_t mtu) {
        TcpDontFragment::TellTooBig(m_node, datagram.from, datagram.to, datagram.packet, mtu);
    });
}

template <typename V>
void
IpsecStack::Tunnel(const Ptr<Packet>& payload,
                   const typename V::Header& header,
                   const IpsecFlow& flow,
                   IpsecAssociation& association,
                   uint32_t least,
                   const std::function<void(uint32_t mtu)>& tell)
{
    const auto& encapsulation = association.GetEncapsulation();
    const auto& config = association.GetConfig();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    const uint32_t octets = encapsulation.GetProtected(size, V::HEADER_SIZE);
    const Room room = FindRoom(config.destination, FindLinkMtu(config.destination));
    const bool fits = octets <= room.mtu;
    const uint32_t inner = encapsulation.GetInnerMtu(room.mtu, V::HEADER_SIZE);
    // a sender is not asked for less than it believes (RFC 2473 section 7.1, RFC 4459 section 3.1)
    const auto outer = !fits && size <= least ? IpsecDontFragment::CLEAR : m_dontFragment;
    const auto passage = PlanIpsecPassage(fits, !V::IsWhole(header), outer, m_fragments);
    if (passage == IpsecPassage::TOO_BIG)
    {
        tell(std::max(inner, least));
        Drop(IpsecDrop::TOO_BIG, payload);
        return;
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (passage == IpsecPassage::FRAGMENTED_FIRST)
        {
            const auto pieces = DivideIpv4(header, payload, inner);
            uint32_t all = 0;
            for (const auto& [head, rest] : pieces)
            {
                all += encapsulation.GetProtected(head.GetSerializedSize() + rest->GetSize(),
                                                  V::HEADER_SIZE);
            }
            m_sealedTrace(payload, flow, all);
            const bool set = m_dontFragment == IpsecDontFragment::SET;
            for (const auto& [head, rest] : pieces)
            {
                Enclose<V>(rest, head, association, set && room.whole);
            }
            return;
        }
    }
    const bool whole = passage == IpsecPassage::WHOLE && room.whole;
    if (whole && tell && V::IsWhole(header))
    {
        Remember(payload, flow, config.destination, size, octets, least == 0);
    }
    m_sealedTrace(payload, flow, octets);
    Enclose<V>(payload, header, association, whole);
}

template <typename V>
void
IpsecStack::Enclose(const Ptr<Packet>& payload,
                    const typename V::Header& header,
                    IpsecAssociation& association,
                    bool whole)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE);
    typename V::Header first = header;
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (Node::ChecksumEnabled())
        {
            first.EnableChecksum();
        }
    }
    payload->AddHeader(first);
    if (Seal(association, sizes, V::PROTOCOL, payload))
    {
        const uint32_t octets = encapsulation.GetProtected(size, V::HEADER_SIZE);
        m_counters.sealedOctets += octets;
        m_counters.added += octets - size;
        const uint8_t tos = V::GetTos(header);
        if (!m_engine)
        {
            SendOuter(payload, association, tos, whole);
            return;
        }
        const EspWork work(association.GetConfig().number, encapsulation, size, V::HEADER_SIZE);
        const Association kept = association.shared_from_this();
        const bool marked = GetMarks() && GetMarks()->IsMarking();
        Engage(EspDirection::OUTBOUND, work, [this, payload, kept, tos, whole, marked] {
            const TcpDontFragment::Mark mark(marked ? GetMarks() : nullptr);
            SendOuter(payload, *kept, tos, whole);
        });
    }
}

template <typename H>
void
IpsecStack::Forward(Ptr<const Packet> packet, const H& header, const std::function<void()>& forward)
{
    using V = IpTraitsOf<H>;
    NS_LOG_FUNCTION(this << packet << header);
    IpsecView view = ReadIpsecView(header, packet);
    const IpsecFlow& flow = view.flow;
    if (!m_fragmentPorts.Find(view, m_opened, Simulator::Now()) &&
        (m_outPolicies.NeedsPorts(flow) || m_inPolicies.NeedsPorts(flow)))
    { // nobody can tell what it is a part of (RFC 4301 section 7.3)
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    Index policy = m_outPolicies.Find(flow);
    IpsecFlow traffic = flow;
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (const Index answering = error ? FindAnswering(*error) : IpsecPolicyDatabase::NONE;
        answering != IpsecPolicyDatabase::NONE)
    {
        policy = answering;
        traffic = error->flow.GetReverse();
    }
    else if ((error && !m_opened && Protects(error->flow)) || !MayForward(flow, policy))
    { // ICMP about what leaves protected would come so
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    const bool bypass =
        policy == IpsecPolicyDatabase::NONE || GetPolicy(policy).action == IpsecAction::BYPASS;
    if (bypass || V::GetHops(header) <= 1) // IP tells who sent it
    {
        forward();
        return;
    }
    H inner = header;
    V::SetHops(inner, static_cast<uint8_t>(V::GetHops(header) - 1));
    ForwardProtected<V>(packet->Copy(), inner, flow, traffic, policy);
}

bool
IpsecStack::MayForward(const IpsecFlow& flow, Index out)
{
    // each datagram crosses once, outward or inward: only a policy of one way need select it
    const Index in = m_opened ? IpsecPolicyDatabase::NONE : m_inPolicies.Find(flow);
    if (in != IpsecPolicyDatabase::NONE && m_inPolicies.Get(in).action != IpsecAction::BYPASS)
    {
        return false;
    }
    if (out != IpsecPolicyDatabase::NONE)
    {
        return GetPolicy(out).action != IpsecAction::DISCARD;
    }
    return m_opened || in != IpsecPolicyDatabase::NONE || m_otherwise == IpsecAction::BYPASS;
}

template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv4Header&,
                                  const std::function<void()>&);
template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv6Header&,
                                  const std::function<void()>&);

template <typename V>
void
IpsecStack::ForwardProtected(const Ptr<Packet>& packet,
                             const typename V::Header& header,
                             const IpsecFlow& flow,
                             const IpsecFlow& traffic,
                             Index policy)
{
    const Association association = FindAssociation(policy, traffic);
    if (!association)
    {
        Await(policy, traffic, packet, [this, packet, header, flow, traffic, policy] {
            ForwardProtected<V>(packet, header, flow, traffic, policy);
        });
        return;
    }
    if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    { // is for what a node sends itself (RFC 4301 section 4.1)
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    Tunnel<V>(packet, header, flow, *association, V::MIN_PATH_MTU, [&](uint32_t mtu) {
        TellTooBig(packet, header, mtu);
    });
}

bool
IpsecStack::Seal(IpsecAssociation& association,
                 const EspSizes& sizes,
                 uint8_t next,
                 const Ptr<Packet>& packet)
{
    EspFields fields;
    fields.nextHeader = next;
    const IpsecDrop drop = association.Begin(sizes.GetCiphered(), Simulator::Now(), fields);
    if (drop != IpsecDrop::NONE)
    {
        // what RFC 4303 section 3.3.3 has an audit log say
        const auto& config = association.GetConfig();
        NS_LOG_WARN(ToString(drop) << ": SPI " << config.spi << " from " << config.source.ToString()
                                   << " to " << config.destination.ToString()
                                   << ", sequence number " << association.GetSequence());
        Drop(drop, packet);
        return false;
    }
    SealEspPacket(association.GetCodec(), fields, sizes, packet);
    ++m_counters.sealed;
    Tell(association, false);
    return true;
}

void
IpsecStack::SendOuter(const Ptr<Packet>& packet,
                      const IpsecAssociation& association,
                      uint8_t tos,
                      bool whole)
{
    const auto& config = association.GetConfig();
    const uint8_t protocol = Finish(association, packet, whole);
    const TcpDontFragment::Pause pause(whole ? nullptr : GetMarks());
    SocketIpTosTag tosTag;
    packet->RemovePacketTag(tosTag);
    if (config.destination.IsIpv6())
    {
        SocketIpv6TclassTag tag;
        tag.SetTclass(tos);
        packet->ReplacePacketTag(tag);
        m_ip6->Send(packet,
                    config.source.GetIpv6(),
                    config.destination.GetIpv6(),
                    protocol,
                    nullptr);
        return;
    }
    Ipv4Header header;
    header.SetSource(config.source.GetIpv4());
    header.SetDestination(config.destination.GetIpv4());
    Ipv4Traits::SetPayload(header, protocol, packet->GetSize());
    header.SetTos(tos);
    header.SetTtl(OUTER_HOPS);
    header.SetIdentification(m_identification++);
    if (whole)
    {
        header.SetDontFragment();
    }
    Socket::SocketErrno error;
    const Ptr<Ipv4Route> route =
        m_ip4->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error);
    m_ip4->SendWithHeader(packet, header, route);
}

} // namespace ns3
