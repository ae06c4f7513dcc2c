/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-input.h"

#include "ipsec-stack.h"

#include "ns3/esp-format.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/node.h"

#include <boost/endian/conversion.hpp>
#include <type_traits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpsecInput);
NS_OBJECT_ENSURE_REGISTERED(IpsecIcmpv6Input);

TypeId
IpsecInput::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpsecInput").SetParent<IpL4Protocol>().SetGroupName("Iwarp");
    return tid;
}

IpsecInput::IpsecInput(IpsecStack* stack, int protocol)
    : m_stack(stack),
      m_protocol(protocol)
{
}

int
IpsecInput::GetProtocolNumber() const
{
    return m_protocol;
}

template <typename H, typename I>
IpL4Protocol::RxStatus
IpsecInput::DoReceive(const Ptr<Packet>& packet, const H& header, const Ptr<I>& interface)
{
    const auto protocol = static_cast<uint8_t>(m_protocol);
    if (IpTraitsOf<H>::GetProtocol(header) == protocol)
    {
        return m_stack->Receive(packet, header, interface);
    }
    H own = header; // of IPv6, with extension headers that are gone in early releases
    IpTraitsOf<H>::SetPayload(own, protocol, IpTraitsOf<H>::GetPayload(header));
    return m_stack->Receive(packet, own, interface);
}

std::optional<uint32_t>
IpsecInput::ReadSpi(const uint8_t payload[8]) const
{
    return m_protocol == ESP_PROTOCOL ? std::make_optional(boost::endian::load_big_u32(payload))
                                      : std::nullopt;
}

template <typename V>
void
IpsecInput::DoReceiveIcmp(const IpIcmpMessage<V>& message)
{
    bool isTooBig = message.type == Icmpv6Header::ICMPV6_ERROR_PACKET_TOO_BIG;
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        isTooBig = message.type == Icmpv4Header::ICMPV4_DEST_UNREACH &&
                   message.code == Icmpv4DestinationUnreachable::ICMPV4_FRAG_NEEDED;
    }
    if (isTooBig)
    {
        m_stack->NotifyPathMtu(message.to, ReadSpi(message.payload), message.info);
    }
}

template IpL4Protocol::RxStatus IpsecInput::DoReceive(const Ptr<Packet>&,
                                                      const Ipv4Header&,
                                                      const Ptr<Ipv4Interface>&);
template void IpsecInput::DoReceiveIcmp(const IpIcmpMessage<Ipv4Traits>&);
template IpL4Protocol::RxStatus IpsecInput::DoReceive(const Ptr<Packet>&,
                                                      const Ipv6Header&,
                                                      const Ptr<Ipv6Interface>&);
template void IpsecInput::DoReceiveIcmp(const IpIcmpMessage<Ipv6Traits>&);

TypeId
IpsecIcmpv6Input::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IpsecIcmpv6Input").SetParent<Icmpv6L4Protocol>().SetGroupName("Iwarp");
    return tid;
}

IpsecIcmpv6Input::IpsecIcmpv6Input(Ptr<Icmpv6L4Protocol> icmp, Ptr<IpL4Protocol> input)
    : IpL4Relay(input),
      m_icmp(icmp)
{
    SetNode(icmp->GetObject<Node>());
}

void
IpsecIcmpv6Input::NotifyConstructionCompleted()
{
    IpL4Relay::NotifyConstructionCompleted();
    const TypeId type = Icmpv6L4Protocol::GetTypeId();
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        const auto attribute = type.GetAttribute(i);
        const Ptr<AttributeValue> value = attribute.checker->Create();
        m_icmp->GetAttribute(attribute.name, *value);
        SetAttribute(attribute.name, *value);
    }
}

void
IpsecIcmpv6Input::DoDispose()
{
    m_icmp = nullptr;
    IpL4Relay::DoDispose();
}

void
IpsecIcmpv6Input::SendNS(Ipv6Address src, Ipv6Address dst, Ipv6Address target, Address hardware)
{
    m_icmp->SendNS(src, dst, target, hardware);
}

} // namespace ns3
