/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-outbound.h"

#include "ns3/esp-packet.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <type_traits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecOutbound");

namespace
{

/// @param association of a packet @param packet ESP, which UDP goes before if that is to be
/// @param whole nobody may divide it @param entropy of what it protects @return protocol of the
/// packet
uint8_t
Finish(const IpsecAssociation& association, const Ptr<Packet>& packet, bool whole, uint64_t entropy)
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
    header.SetSourcePort(config.udpEntropy ? GetIpsecUdpPort(entropy) : config.udpSource);
    header.SetDestinationPort(config.udpDestination);
    packet->AddHeader(header);
    return UdpL4Protocol::PROT_NUMBER;
}

/// Take off what a socket wants of the IP header, as IP does: it is of the header within.
/// @param packet of a socket @param hops what it has otherwise @return time to live or hop limit
template <typename V>
uint8_t
TakeHops(Packet& packet, uint8_t hops)
{
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        SocketIpTosTag tos;
        SocketIpTtlTag ttl;
        packet.RemovePacketTag(tos);
        return packet.RemovePacketTag(ttl) ? ttl.GetTtl() : hops;
    }
    else
    {
        SocketIpv6TclassTag tclass;
        SocketIpv6HopLimitTag limit;
        packet.RemovePacketTag(tclass);
        return packet.RemovePacketTag(limit) ? limit.GetHopLimit() : hops;
    }
}

} // namespace

IpsecOutbound::IpsecOutbound(const Rules& rules,
                             IpsecPolicies& policies,
                             IpsecAssociations& associations,
                             IpsecTiming& timing,
                             IpsecIpLayer& ip,
                             IpsecStatistics& statistics)
    : m_rules(rules),
      m_policies(policies),
      m_associations(associations),
      m_timing(timing),
      m_ip(ip),
      m_statistics(statistics),
      m_paths(associations.GetOutbound())
{
}

template <typename V>
void
IpsecOutbound::Protect(const IpsecOutgoing<V>& datagram,
                       const IpsecFlow& flow,
                       const IpsecFlow& traffic,
                       IpsecPolicyDatabase::Index policy)
{
    const std::shared_ptr<IpsecAssociation> association =
        m_associations.FindAssociation(policy, traffic);
    if (!association)
    {
        m_associations
            .Await(policy, traffic, datagram.packet, [this, datagram, flow, traffic, policy] {
                const TcpDontFragment::Mark mark(datagram.whole ? m_ip.GetMarks() : nullptr);
                Protect(datagram, flow, traffic, policy);
            });
    }
    else if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    {
        SendTransport(datagram, flow, *association);
    }
    else
    {
        SendTunnel<V>(datagram, {flow, traffic, policy}, *association);
    }
}

template <typename V>
void
IpsecOutbound::Forward(const Ptr<Packet>& packet,
                       const typename V::Header& header,
                       const IpsecFlow& flow,
                       const IpsecFlow& traffic,
                       IpsecPolicyDatabase::Index policy)
{
    const std::shared_ptr<IpsecAssociation> association =
        m_associations.FindAssociation(policy, traffic);
    if (!association)
    {
        m_associations.Await(policy,
                             traffic,
                             packet,
                             [this, packet, header, flow, traffic, policy] {
                                 Forward<V>(packet, header, flow, traffic, policy);
                             });
        return;
    }
    if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    { // is for what a node sends itself (RFC 4301 section 4.1)
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return;
    }
    const Selected selected{flow, traffic, policy};
    Tunnel<V>(packet, header, selected, *association, V::MIN_PATH_MTU, [&](uint32_t mtu) {
        m_ip.NotifyTooBig(packet, header, mtu);
    });
}

template <typename V>
void
IpsecOutbound::SendTransport(const IpsecOutgoing<V>& datagram,
                             const IpsecFlow& flow,
                             IpsecAssociation& association)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = V::HEADER_SIZE + datagram.packet->GetSize();
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE);
    const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
    const uint32_t link = datagram.route ? datagram.route->GetOutputDevice()->GetMtu()
                                         : m_ip.FindLinkMtu(datagram.to);
    const IpsecPathMtu::Limit limit = FindLimit(datagram.to, link);
    if (datagram.whole && octets > limit.mtu)
    {
        TcpDontFragment::NotifyTooBig(m_ip.GetNode(),
                                      datagram.from,
                                      datagram.to,
                                      datagram.packet,
                                      encapsulation.GetInnerMtu(limit.mtu, V::HEADER_SIZE));
        m_statistics.Drop(IpsecDrop::TOO_BIG, datagram.packet);
        return;
    }
    const auto fields = Begin(association, sizes, datagram.protocol, datagram.packet);
    if (!fields)
    {
        return;
    }
    const bool whole = datagram.whole && limit.whole;
    if (whole)
    {
        m_paths.NotifySent(*datagram.packet, flow, datagram.to, size, octets, true);
    }
    m_statistics.TraceSealed(datagram.packet, flow, octets);
    Seal(association, *fields, sizes, datagram.packet);
    m_statistics.CountSealed(octets, octets - size);
    const uint64_t entropy = GetIpsecEntropy(flow);
    const uint8_t protocol = Finish(association, datagram.packet, whole, entropy);
    if (!m_timing.HasEngine())
    {
        const TcpDontFragment::Pause pause(whole ? nullptr : m_ip.GetMarks());
        m_ip.DownProtected(datagram, protocol, entropy);
        return;
    }
    const EspWork work(association.GetConfig().number, encapsulation, size, V::HEADER_SIZE);
    m_timing.Process(EspDirection::OUTBOUND, work, [this, datagram, protocol, whole, entropy] {
        const TcpDontFragment::Mark mark(whole ? m_ip.GetMarks() : nullptr);
        m_ip.DownProtected(datagram, protocol, entropy);
    });
}

template <typename V>
void
IpsecOutbound::SendTunnel(const IpsecOutgoing<V>& datagram,
                          const Selected& selected,
                          IpsecAssociation& association)
{
    typename V::Header header;
    header.SetSource(datagram.from);
    header.SetDestination(datagram.to);
    V::SetPayload(header, datagram.protocol, datagram.packet->GetSize());
    V::SetTos(header, V::GetTos(*datagram.packet));
    V::SetHops(header, TakeHops<V>(*datagram.packet, m_ip.GetHops<V>()));
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        header.SetIdentification(m_ip.AllocateIdentification());
        if (datagram.whole)
        {
            header.SetDontFragment();
        }
    }
    else if (const Ipv6FlowLabels* labels = m_ip.GetLabels())
    {
        header.SetFlowLabel(labels->GetLabel(header, datagram.packet));
    }
    if (!datagram.whole)
    { // a host divides what it sends itself
        Tunnel<V>(datagram.packet,
                  header,
                  selected,
                  association,
                  V::IsWhole(header) ? UINT32_MAX : 0,
                  nullptr);
        return;
    }
    Tunnel<V>(datagram.packet, header, selected, association, 0, [&](uint32_t mtu) {
        TcpDontFragment::NotifyTooBig(m_ip.GetNode(),
                                      datagram.from,
                                      datagram.to,
                                      datagram.packet,
                                      mtu);
    });
}

template <typename V>
void
IpsecOutbound::Tunnel(const Ptr<Packet>& payload,
                      const typename V::Header& header,
                      const Selected& selected,
                      IpsecAssociation& association,
                      uint32_t least,
                      const std::function<void(uint32_t mtu)>& tell)
{
    const IpsecFlow& flow = selected.flow;
    const auto& encapsulation = association.GetEncapsulation();
    const auto& config = association.GetConfig();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    const IpsecPathMtu::Limit limit =
        FindLimit(config.destination, m_ip.FindLinkMtu(config.destination));
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE, limit.mtu);
    const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
    const bool fits = octets <= limit.mtu;
    const uint32_t inner = encapsulation.GetInnerMtu(limit.mtu, V::HEADER_SIZE);
    // a sender is not asked for less than it believes (RFC 2473 section 7.1, RFC 4459 section 3.1)
    const auto outer = !fits && size <= least ? IpsecDontFragment::CLEAR : m_rules.dontFragment;
    const auto passage = PlanIpsecPassage(fits, !V::IsWhole(header), outer, m_rules.fragments);
    if (passage == IpsecPassage::TOO_BIG)
    {
        tell(std::max(inner, least));
        m_statistics.Drop(IpsecDrop::TOO_BIG, payload);
        return;
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (passage == IpsecPassage::FRAGMENTED_FIRST)
        {
            const auto pieces = DivideIpv4(header, payload, inner);
            std::vector<EspSizes> parts;
            uint32_t all = 0;
            for (const auto& [head, rest] : pieces)
            {
                const uint32_t part = head.GetSerializedSize() + rest->GetSize();
                parts.push_back(encapsulation.GetSizes(part, V::HEADER_SIZE, limit.mtu));
                all += encapsulation.GetProtected(parts.back(), V::HEADER_SIZE);
            }
            m_statistics.TraceSealed(payload, flow, all);
            const bool set = m_rules.dontFragment == IpsecDontFragment::SET;
            for (std::size_t i = 0; i < pieces.size(); i++)
            {
                const auto& [head, rest] = pieces[i];
                EnclosePiece<V>(rest, head, selected, parts[i], set && limit.whole);
            }
            return;
        }
    }
    const auto fields = Begin(association, sizes, V::PROTOCOL, payload);
    if (!fields)
    {
        return;
    }
    const bool whole = passage == IpsecPassage::WHOLE && limit.whole;
    if (whole && tell && V::IsWhole(header))
    {
        m_paths.NotifySent(*payload, flow, config.destination, size, octets, least == 0);
    }
    m_statistics.TraceSealed(payload, flow, octets);
    Enclose<V>(payload, header, flow, association, *fields, sizes, whole);
}

template <typename V>
void
IpsecOutbound::EnclosePiece(const Ptr<Packet>& payload,
                            const typename V::Header& header,
                            const Selected& selected,
                            const EspSizes& sizes,
                            bool whole)
{
    const std::shared_ptr<IpsecAssociation> association =
        m_associations.FindAssociation(selected.policy, selected.traffic);
    if (association)
    {
        if (const auto fields = Begin(*association, sizes, V::PROTOCOL, payload))
        {
            Enclose<V>(payload, header, selected.flow, *association, *fields, sizes, whole);
        }
        return;
    }
    m_associations.Await(selected.policy,
                         selected.traffic,
                         payload,
                         [this, payload, header, selected, sizes, whole] {
                             EnclosePiece<V>(payload, header, selected, sizes, whole);
                         });
}

template <typename V>
void
IpsecOutbound::Enclose(const Ptr<Packet>& payload,
                       const typename V::Header& header,
                       const IpsecFlow& flow,
                       IpsecAssociation& association,
                       const EspFields& fields,
                       const EspSizes& sizes,
                       bool whole)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    typename V::Header first = header;
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (Node::ChecksumEnabled())
        {
            first.EnableChecksum();
        }
    }
    payload->AddHeader(first);
    Seal(association, fields, sizes, payload);
    const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
    m_statistics.CountSealed(octets, octets - size);
    const uint8_t tos = V::GetTos(header);
    const uint64_t entropy = GetIpsecEntropy(flow, V::GetFlowLabel(header));
    if (!m_timing.HasEngine())
    {
        SendOuter(payload, association, tos, whole, entropy);
        return;
    }
    const EspWork work(association.GetConfig().number, encapsulation, sizes, size, V::HEADER_SIZE);
    const std::shared_ptr<IpsecAssociation> kept = association.shared_from_this();
    const bool marked = m_ip.GetMarks() && m_ip.GetMarks()->IsMarking();
    m_timing.Process(EspDirection::OUTBOUND,
                     work,
                     [this, payload, kept, tos, whole, marked, entropy] {
                         const TcpDontFragment::Mark mark(marked ? m_ip.GetMarks() : nullptr);
                         SendOuter(payload, *kept, tos, whole, entropy);
                     });
}

std::optional<EspFields>
IpsecOutbound::Begin(IpsecAssociation& association,
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
        m_statistics.Drop(drop, packet);
        return std::nullopt;
    }
    return fields;
}

void
IpsecOutbound::Seal(IpsecAssociation& association,
                    const EspFields& fields,
                    const EspSizes& sizes,
                    const Ptr<Packet>& packet)
{
    SealEspPacket(association.GetCodec(), fields, sizes, packet);
    m_associations.Notify(association, false);
}

void
IpsecOutbound::SendOuter(const Ptr<Packet>& packet,
                         const IpsecAssociation& association,
                         uint8_t tos,
                         bool whole,
                         uint64_t entropy)
{
    const uint8_t protocol = Finish(association, packet, whole, entropy);
    m_ip.SendOuter(packet, association, protocol, tos, whole, entropy);
}

IpsecPathMtu::Limit
IpsecOutbound::FindLimit(const IpsecAddress& destination, uint32_t mtu) const
{
    return m_paths.FindLimit(destination, mtu, Simulator::Now(), m_rules.pathMtuAge);
}

template <typename V>
void
IpsecOutbound::NotifySender(const IpsecSentLog::Entry& entry,
                            uint32_t mtu,
                            const typename V::Address& from,
                            const typename V::Address& to)
{
    const IpsecPolicyDatabase::Index policy = m_policies.FindOutbound(entry.flow);
    if (m_policies.GetAction(policy) != IpsecAction::PROTECT)
    {
        return;
    }
    const uint32_t inner = m_policies.GetEncapsulation(policy).GetInnerMtu(mtu, V::HEADER_SIZE);
    const Ptr<Packet> payload =
        Create<Packet>(entry.head.data(), static_cast<uint32_t>(entry.head.size()));
    if (entry.own)
    {
        TcpDontFragment::NotifyTooBig(m_ip.GetNode(), from, to, payload, inner);
        return;
    }
    typename V::Header quoted;
    quoted.SetSource(from);
    quoted.SetDestination(to);
    V::SetPayload(quoted, entry.flow.protocol, entry.size - V::HEADER_SIZE);
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        quoted.SetDontFragment();
    }
    m_ip.NotifyTooBig(payload, quoted, std::max(inner, V::MIN_PATH_MTU));
}

void
IpsecOutbound::NotifyPathMtu(const IpsecAddress& destination,
                             std::optional<uint32_t> spi,
                             uint32_t mtu)
{
    NS_LOG_FUNCTION(this << destination.ToString() << mtu);
    if (m_paths.Update(destination, spi, mtu, Simulator::Now(), m_rules.pathMtuAge))
    {
        const IpsecPathMtu::Limit limit = FindLimit(destination, mtu);
        for (const auto& entry : m_paths.ExtractTooBig(destination, limit.mtu))
        {
            const IpsecAddress& from = entry.flow.source;
            const IpsecAddress& to = entry.flow.destination;
            from.IsIpv6()
                ? NotifySender<Ipv6Traits>(entry, limit.mtu, from.GetIpv6(), to.GetIpv6())
                : NotifySender<Ipv4Traits>(entry, limit.mtu, from.GetIpv4(), to.GetIpv4());
        }
    }
}

bool
IpsecOutbound::HasSent(std::optional<uint32_t> spi, const IpsecAddress& destination) const
{
    return m_paths.HasSent(spi, destination);
}

void
IpsecOutbound::NotifyGone(const std::shared_ptr<IpsecAssociation>& association)
{
    m_paths.NotifyGone(association);
}

template void IpsecOutbound::Protect(const IpsecOutgoing<Ipv4Traits>&,
                                     const IpsecFlow&,
                                     const IpsecFlow&,
                                     IpsecPolicyDatabase::Index);

template void IpsecOutbound::Forward<Ipv4Traits>(const Ptr<Packet>&,
                                                 const Ipv4Header&,
                                                 const IpsecFlow&,
                                                 const IpsecFlow&,
                                                 IpsecPolicyDatabase::Index);

template void IpsecOutbound::Protect(const IpsecOutgoing<Ipv6Traits>&,
                                     const IpsecFlow&,
                                     const IpsecFlow&,
                                     IpsecPolicyDatabase::Index);

template void IpsecOutbound::Forward<Ipv6Traits>(const Ptr<Packet>&,
                                                 const Ipv6Header&,
                                                 const IpsecFlow&,
                                                 const IpsecFlow&,
                                                 IpsecPolicyDatabase::Index);

} // namespace ns3
