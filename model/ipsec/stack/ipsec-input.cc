/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-input.h"

#include "ipsec-stack.h"

#include "ns3/esp-format.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpsecInput);

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

IpL4Protocol::RxStatus
IpsecInput::Receive(Ptr<Packet> packet, const Ipv4Header& header, Ptr<Ipv4Interface> interface)
{
    return m_stack->Receive(packet, header, interface);
}

IpL4Protocol::RxStatus
IpsecInput::Receive(Ptr<Packet> packet, const Ipv6Header& header, Ptr<Ipv6Interface> interface)
{
    Ipv6Header own = header; // which names extension headers that are gone in early releases
    own.SetNextHeader(m_protocol);
    return m_stack->Receive(packet, own, interface);
}

std::optional<uint32_t>
IpsecInput::ReadSpi(const uint8_t payload[8]) const
{
    return m_protocol == ESP_PROTOCOL ? std::make_optional(boost::endian::load_big_u32(payload))
                                      : std::nullopt;
}

void
IpsecInput::ReceiveIcmp(Ipv4Address /* source */,
                        uint8_t /* ttl */,
                        uint8_t type,
                        uint8_t code,
                        uint32_t info,
                        Ipv4Address /* from */,
                        Ipv4Address to,
                        const uint8_t payload[8])
{
    if (type == Icmpv4Header::ICMPV4_DEST_UNREACH &&
        code == Icmpv4DestinationUnreachable::ICMPV4_FRAG_NEEDED)
    {
        m_stack->NoticePathMtu(to, ReadSpi(payload), info);
    }
}

void
IpsecInput::ReceiveIcmp(Ipv6Address /* source */,
                        uint8_t /* ttl */,
                        uint8_t type,
                        uint8_t /* code */,
                        uint32_t info,
                        Ipv6Address /* from */,
                        Ipv6Address to,
                        const uint8_t payload[8])
{
    if (type == Icmpv6Header::ICMPV6_ERROR_PACKET_TOO_BIG)
    {
        m_stack->NoticePathMtu(to, ReadSpi(payload), info);
    }
}

void
IpsecInput::SetDownTarget(DownTargetCallback callback)
{
    m_down = callback;
}

void
IpsecInput::SetDownTarget6(DownTargetCallback6 callback)
{
    m_down6 = callback;
}

IpL4Protocol::DownTargetCallback
IpsecInput::GetDownTarget() const
{
    return m_down;
}

IpL4Protocol::DownTargetCallback6
IpsecInput::GetDownTarget6() const
{
    return m_down6;
}

} // namespace ns3
