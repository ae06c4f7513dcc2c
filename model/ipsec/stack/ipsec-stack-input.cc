/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/esp-packet.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/simulator.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <type_traits>

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: the way in.
 */

namespace ns3
{

bool
IpsecStack::Permits(const IpsecFlow& flow)
{
    return m_opened || IsKeyExchange(flow) ||
           GetAction(m_inPolicies, m_inPolicies.Find(flow)) == IpsecAction::BYPASS;
}

template <typename H, typename I>
IpL4Protocol::RxStatus
IpsecStack::Receive(Ptr<Packet> packet, const H& header, Ptr<I> interface)
{
    using V = IpTraitsOf<H>;
    NS_LOG_FUNCTION(this << packet << header);
    const uint8_t protocol = V::GetProtocol(header);
    if (protocol == ESP_PROTOCOL)
    {
        return ReceiveEsp<V>(packet, header, interface);
    }
    const IpsecFlow flow =
        ReadIpsecFlow(header.GetSource(), header.GetDestination(), protocol, packet);
    if (protocol == UdpL4Protocol::PROT_NUMBER && flow.destinationPort == ESP_UDP_PORT &&
        packet->GetSize() > ESP_UDP_HEADER_SIZE + 1) // a single octet keeps a NAT's mapping alive
    {
        packet->RemoveAtStart(ESP_UDP_HEADER_SIZE);
        return ReceiveEsp<V>(packet, header, interface);
    }
    if (protocol == V::ICMP ? !PermitsIcmp(packet, flow) : !Permits(flow))
    {
        Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return GetIp<V>()->GetProtocol(protocol)->Receive(packet, header, interface);
}

template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv4Header&,
                                                    Ptr<Ipv4Interface>);
template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv6Header&,
                                                    Ptr<Ipv6Interface>);

template <typename V>
IpL4Protocol::RxStatus
IpsecStack::ReceiveEsp(const Ptr<Packet>& packet,
                       const typename V::Header& header,
                       const Ptr<typename V::Interface>& interface)
{
    if (packet->GetSize() < ESP_HEADER_SIZE)
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return IpL4Protocol::RX_OK;
    }
    EspHeader esp;
    packet->PeekHeader(esp);
    const Association association = m_inbound.Find(esp.GetSpi(), header.GetDestination());
    if (!association)
    {
        Drop(IpsecDrop::NO_ASSOCIATION, packet);
        return IpL4Protocol::RX_OK;
    }
    const auto& config = association->GetConfig();
    const auto& codec = association->GetCodec();
    EspWork work;
    work.association = config.number;
    work.transform = config.transform;
    work.sealed = V::HEADER_SIZE + packet->GetSize() + (config.udp ? ESP_UDP_HEADER_SIZE : 0);
    work.ciphered = packet->GetSize() - codec.GetHeadSize() - config.transform->icvSize;
    uint8_t next = 0;
    const IpsecDrop drop = Open(*association, esp.GetSequence(), packet, next);
    if (drop == IpsecDrop::BAD_ICV)
    {
        Waste(work);
    }
    if (drop != IpsecDrop::NONE || next == ESP_NO_NEXT_HEADER)
    {
        return IpL4Protocol::RX_OK;
    }
    work.clear = packet->GetSize() + (config.mode == IpsecMode::TUNNEL ? 0 : V::HEADER_SIZE);
    if (!m_engine)
    {
        const EspForecast::Arrival arrival(*m_forecast, work);
        return ReceiveOpened<V>(packet, *association, next, header, interface);
    }
    Engage(EspDirection::INBOUND, work, [this, packet, association, next, header, interface] {
        ReceiveOpened<V>(packet, *association, next, header, interface);
    });
    return IpL4Protocol::RX_OK;
}

template <typename V>
IpL4Protocol::RxStatus
IpsecStack::ReceiveOpened(const Ptr<Packet>& packet,
                          IpsecAssociation& association,
                          uint8_t next,
                          const typename V::Header& header,
                          const Ptr<typename V::Interface>& interface)
{
    if (association.GetConfig().mode == IpsecMode::TUNNEL)
    {
        const uint8_t tos = V::GetTos(header);
        if (next == Ipv4Traits::PROTOCOL)
        {
            ReceiveInner<Ipv4Traits>(packet, association, tos, interface->GetDevice());
        }
        else if (next == Ipv6Traits::PROTOCOL)
        {
            ReceiveInner<Ipv6Traits>(packet, association, tos, interface->GetDevice());
        }
        else
        {
            Drop(IpsecDrop::POLICY, packet);
        }
        return IpL4Protocol::RX_OK;
    }
    typename V::Header inner = header;
    V::SetPayload(inner, next, packet->GetSize());
    const Ptr<IpL4Protocol> protocol = GetIp<V>()->GetProtocol(next);
    const IpsecFlow flow = ReadIpsecFlow(header.GetSource(), header.GetDestination(), next, packet);
    if (!protocol || !IsSelected(association, flow, packet))
    {
        Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return protocol->Receive(packet, inner, interface);
}

IpsecDrop
IpsecStack::Open(IpsecAssociation& association,
                 uint32_t low,
                 const Ptr<Packet>& packet,
                 uint8_t& next)
{
    const Time now = Simulator::Now();
    const uint32_t size = packet->GetSize();
    const auto& codec = association.GetCodec();
    uint64_t sequence = 0;
    IpsecDrop drop = association.Admit(low, now, sequence);
    if (drop == IpsecDrop::NONE)
    {
        const EspOpened opened = OpenEspPacket(codec, sequence, packet);
        const uint32_t around = codec.GetHeadSize() + codec.GetTransform().icvSize;
        next = opened.nextHeader;
        drop = association.Finish(sequence, size - std::min(size, around), opened.result, now);
    }
    if (drop != IpsecDrop::NONE)
    {
        Drop(drop, packet);
        return drop;
    }
    ++m_counters.opened;
    Tell(association, true);
    return drop;
}

bool
IpsecStack::IsSelected(const IpsecAssociation& association,
                       const IpsecFlow& flow,
                       const Ptr<const Packet>& packet)
{
    const IpsecSelector& selector = association.GetConfig().selector;
    if (selector.Selects(flow))
    {
        return true;
    }
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    return error && selector.Selects(error->flow.GetReverse()); // RFC 4301 section 6.2
}

template <typename V>
Ptr<Packet>
IpsecStack::PutTogether(const IpsecView& view,
                        const Ptr<Packet>& packet,
                        typename V::Header& header,
                        const IpsecAssociation& association)
{
    if (!view.fragment || GetIp<V>()->GetInterfaceForAddress(header.GetDestination()) < 0)
    {
        return packet;
    }
    packet->RemoveAtStart(view.payload); // what all fragments have in front
    const Ptr<Packet> whole =
        m_reassembly.Add(view, association.GetConfig().number, packet, Simulator::Now());
    if (whole)
    {
        V::SetWhole(header);
        V::SetPayload(header, view.flow.protocol, whole->GetSize());
    }
    return whole;
}

template <typename V>
void
IpsecStack::ReceiveInner(const Ptr<Packet>& packet,
                         IpsecAssociation& association,
                         uint8_t tos,
                         const Ptr<NetDevice>& device)
{
    typename V::Header header;
    if (!GetIp<V>() || packet->GetSize() < V::HEADER_SIZE)
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveHeader(header);
    if (packet->GetSize() < V::GetPayload(header))
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveAtEnd(packet->GetSize() - V::GetPayload(header)); // TFC padding
    uint8_t inner = V::GetTos(header);
    IpsecView view = ReadIpsecView(header, packet);
    const bool known = m_fragmentPorts.Find(view, true, Simulator::Now()) ||
                       association.GetConfig().selector.TakesAllPorts();
    if (!known || !IsSelected(association, view.flow, packet) || !BringIpsecEcn(tos, inner))
    {
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    V::SetTos(header, inner);
    const Ptr<Packet> whole = PutTogether<V>(view, packet, header, association);
    if (!whole)
    {
        return;
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum();
        }
    }
    whole->AddHeader(header);
    m_opened = true;
    GetIp<V>()->Receive(device, whole, V::ETHER_TYPE, Address(), Address(), NetDevice::PACKET_HOST);
    m_opened = false;
}

} // namespace ns3
