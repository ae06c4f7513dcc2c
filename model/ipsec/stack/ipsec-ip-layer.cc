/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-ip-layer.h"

#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/net-device.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace
{

/// @param ip of a node, or nullptr @return time to live, or hop limit, of what it sends
uint8_t
FindDefaultHops(const Object* ip)
{
    UintegerValue hops(0);
    if (ip)
    {
        ip->GetAttribute("DefaultTtl", hops);
    }
    return static_cast<uint8_t>(hops.Get());
}

} // namespace

void
IpsecIpLayer::Start(Node* node)
{
    m_node = node;
    m_ip4 = PeekPointer(node->GetObject<Ipv4L3Protocol>());
    m_ip6 = PeekPointer(node->GetObject<Ipv6L3Protocol>());
    m_hops = FindDefaultHops(m_ip4);
    m_hops6 = FindDefaultHops(m_ip6);
}

Node*
IpsecIpLayer::GetNode() const
{
    return m_node;
}

void
IpsecIpLayer::SetDownTargets(const IpL4Protocol::DownTargetCallback& down,
                             const IpL4Protocol::DownTargetCallback6& down6)
{
    m_down = down;
    m_down6 = down6;
}

void
IpsecIpLayer::SetTable(TcpEndPointTable* table)
{
    m_table = table;
}

void
IpsecIpLayer::SetLabels(Ipv6FlowLabels* labels)
{
    m_labels = labels;
}

Ipv6FlowLabels*
IpsecIpLayer::GetLabels() const
{
    return m_labels;
}

void
IpsecIpLayer::Clear()
{
    m_down.Nullify();
    m_down6.Nullify();
}

uint16_t
IpsecIpLayer::AllocateIdentification()
{
    return m_identification++;
}

TcpDontFragment*
IpsecIpLayer::GetMarks() const
{
    return m_table ? m_table->GetDontFragment() : nullptr;
}

uint32_t
IpsecIpLayer::FindLinkMtu(const IpsecAddress& destination) const
{
    const Ptr<NetDevice> device = destination.IsIpv6()
                                      ? FindIpDevice<Ipv6Traits>(m_ip6, destination.GetIpv6())
                                      : FindIpDevice<Ipv4Traits>(m_ip4, destination.GetIpv4());
    return device ? device->GetMtu() : UINT16_MAX;
}

void
IpsecIpLayer::Down(const IpsecOutgoing<Ipv4Traits>& datagram, uint8_t protocol)
{
    m_down(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

void
IpsecIpLayer::Down(const IpsecOutgoing<Ipv6Traits>& datagram, uint8_t protocol)
{
    m_down6(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

template <typename V>
void
IpsecIpLayer::DownProtected(const IpsecOutgoing<V>& datagram, uint8_t protocol, uint64_t entropy)
{
    const Ipv6FlowLabels::Mark label(m_labels, entropy);
    Down(datagram, protocol);
}

template void IpsecIpLayer::DownProtected(const IpsecOutgoing<Ipv4Traits>&, uint8_t, uint64_t);
template void IpsecIpLayer::DownProtected(const IpsecOutgoing<Ipv6Traits>&, uint8_t, uint64_t);

void
IpsecIpLayer::SendOuter(const Ptr<Packet>& packet,
                        const IpsecAssociation& association,
                        uint8_t protocol,
                        uint8_t tos,
                        bool whole,
                        uint64_t entropy)
{
    const auto& config = association.GetConfig();
    const TcpDontFragment::Pause pause(whole ? nullptr : GetMarks());
    if (config.destination.IsIpv6())
    {
        SocketIpv6TclassTag tag;
        tag.SetTclass(tos);
        packet->ReplacePacketTag(tag);
        const Ipv6FlowLabels::Mark label(m_labels, entropy);
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
    header.SetTtl(m_hops);
    header.SetIdentification(AllocateIdentification());
    if (whole)
    {
        header.SetDontFragment();
    }
    Socket::SocketErrno error;
    const Ptr<Ipv4Route> route =
        m_ip4->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error);
    m_ip4->SendWithHeader(packet, header, route);
}

void
IpsecIpLayer::NotifyTooBig(const Ptr<Packet>& packet, const Ipv4Header& header, uint32_t mtu)
{
    m_ip4->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(header,
                                                                    packet,
                                                                    static_cast<uint16_t>(mtu));
}

void
IpsecIpLayer::NotifyTooBig(const Ptr<Packet>& packet, const Ipv6Header& header, uint32_t mtu)
{
    const Ptr<Packet> whole = packet->Copy();
    whole->AddHeader(header);
    m_ip6->GetObject<Icmpv6L4Protocol>()->SendErrorTooBig(whole, header.GetSource(), mtu);
}

} // namespace ns3
