/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-inbound.h"

#include "ipsec-datagram.h"

#include "ns3/esp-packet.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <type_traits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecInbound");

IpsecInbound::IpsecInbound(IpsecAssociations& associations,
                           IpsecTiming& timing,
                           const IpsecIpLayer& ip,
                           IpsecFragmentPorts& fragmentPorts,
                           IpsecStatistics& statistics)
    : m_associations(associations),
      m_timing(timing),
      m_ip(ip),
      m_fragmentPorts(fragmentPorts),
      m_statistics(statistics)
{
}

bool
IpsecInbound::IsDelivering() const
{
    return m_opened;
}

template <typename V>
IpL4Protocol::RxStatus
IpsecInbound::Receive(const Ptr<Packet>& packet,
                      const typename V::Header& header,
                      const Ptr<typename V::Interface>& interface)
{
    if (packet->GetSize() < ESP_HEADER_SIZE)
    {
        m_statistics.Drop(IpsecDrop::TRUNCATED, packet);
        return IpL4Protocol::RX_OK;
    }
    EspHeader esp;
    packet->PeekHeader(esp);
    const std::shared_ptr<IpsecAssociation> association =
        m_associations.GetInbound().Find(esp.GetSpi(), header.GetDestination());
    if (!association)
    {
        m_statistics.Drop(IpsecDrop::NO_ASSOCIATION, packet);
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
        m_timing.Charge(work);
    }
    if (drop != IpsecDrop::NONE || next == ESP_NO_NEXT_HEADER)
    {
        return IpL4Protocol::RX_OK;
    }
    work.clear = packet->GetSize() + (config.mode == IpsecMode::TUNNEL ? 0 : V::HEADER_SIZE);
    if (!m_timing.HasEngine())
    {
        const EspForecast::Arrival arrival(m_timing.GetForecast(), work);
        return ReceiveOpened<V>(packet, *association, next, header, interface);
    }
    m_timing.Process(EspDirection::INBOUND,
                     work,
                     [this, packet, association, next, header, interface] {
                         ReceiveOpened<V>(packet, *association, next, header, interface);
                     });
    return IpL4Protocol::RX_OK;
}

template <typename V>
IpL4Protocol::RxStatus
IpsecInbound::ReceiveOpened(const Ptr<Packet>& packet,
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
            m_statistics.Drop(IpsecDrop::POLICY, packet);
        }
        return IpL4Protocol::RX_OK;
    }
    typename V::Header inner = header;
    V::SetPayload(inner, next, packet->GetSize());
    const Ptr<IpL4Protocol> protocol = m_ip.GetIp<V>()->GetProtocol(next);
    const IpsecFlow flow = ReadIpsecFlow(header.GetSource(), header.GetDestination(), next, packet);
    if (!protocol || !IsSelected(association, flow, packet))
    {
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return protocol->Receive(packet, inner, interface);
}

IpsecDrop
IpsecInbound::Open(IpsecAssociation& association,
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
        m_statistics.Drop(drop, packet);
        return drop;
    }
    m_statistics.CountOpened();
    m_associations.Notify(association, true);
    return drop;
}

bool
IpsecInbound::IsSelected(const IpsecAssociation& association,
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
IpsecInbound::Reassemble(const IpsecView& view,
                         const Ptr<Packet>& packet,
                         typename V::Header& header,
                         const IpsecAssociation& association)
{
    if (!view.fragment || m_ip.GetIp<V>()->GetInterfaceForAddress(header.GetDestination()) < 0)
    {
        return packet;
    }
    packet->RemoveAtStart(view.payload); // what all fragments have in front
    const auto& config = association.GetConfig();
    const IpsecFlow ends{config.source, config.destination, ESP_PROTOCOL};
    uint8_t tos = V::GetTos(header);
    const Ptr<Packet> whole =
        m_reassembly.Add(view, IpsecFlowHash()(ends), packet, tos, Simulator::Now());
    if (whole)
    {
        V::SetTos(header, tos);
        V::SetWhole(header);
        V::SetPayload(header, view.flow.protocol, whole->GetSize());
    }
    return whole;
}

template <typename V>
void
IpsecInbound::ReceiveInner(const Ptr<Packet>& packet,
                           IpsecAssociation& association,
                           uint8_t tos,
                           const Ptr<NetDevice>& device)
{
    typename V::Header header;
    if (!m_ip.GetIp<V>() || packet->GetSize() < V::HEADER_SIZE)
    {
        m_statistics.Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveHeader(header);
    if (packet->GetSize() < V::GetPayload(header))
    {
        m_statistics.Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveAtEnd(packet->GetSize() - V::GetPayload(header)); // TFC padding
    uint8_t inner = V::GetTos(header);
    IpsecView view = ReadIpsecView(header, packet);
    m_fragmentPorts.Find(view, true, Simulator::Now());
    if (!IsSelected(association, view.flow, packet) || !CopyIpsecEcn(tos, inner))
    { // a fragment whose ports nobody knows is of a selector of all ports only
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return;
    }
    V::SetTos(header, inner);
    const Ptr<Packet> whole = Reassemble<V>(view, packet, header, association);
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
    m_ip.GetIp<V>()
        ->Receive(device, whole, V::ETHER_TYPE, Address(), Address(), NetDevice::PACKET_HOST);
    m_opened = false;
}

template IpL4Protocol::RxStatus IpsecInbound::Receive<Ipv4Traits>(const Ptr<Packet>&,
                                                                  const Ipv4Header&,
                                                                  const Ptr<Ipv4Interface>&);

template IpL4Protocol::RxStatus IpsecInbound::Receive<Ipv6Traits>(const Ptr<Packet>&,
                                                                  const Ipv6Header&,
                                                                  const Ptr<Ipv6Interface>&);

} // namespace ns3
