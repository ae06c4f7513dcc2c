/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-udp-errors.h"

#include "ns3/esp-format.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv6-interface.h"
#include "ns3/udp-l4-protocol.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpsecUdpErrors);

TypeId
IpsecUdpErrors::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IpsecUdpErrors").SetParent<IpL4Protocol>().SetGroupName("Iwarp");
    return tid;
}

IpsecUdpErrors::IpsecUdpErrors(Ptr<IpL4Protocol> esp, Ptr<IpL4Protocol> udp)
    : m_esp(esp),
      m_udp(udp)
{
}

void
IpsecUdpErrors::DoDispose()
{
    m_esp = nullptr;
    m_udp = nullptr;
    IpL4Protocol::DoDispose();
}

int
IpsecUdpErrors::GetProtocolNumber() const
{
    return UdpL4Protocol::PROT_NUMBER;
}

IpL4Protocol&
IpsecUdpErrors::Choose(const uint8_t payload[8]) const
{
    const bool isEsp = boost::endian::load_big_u16(payload) == ESP_UDP_PORT ||
                       boost::endian::load_big_u16(payload + 2) == ESP_UDP_PORT;
    return isEsp ? *m_esp : *m_udp;
}

void
IpsecUdpErrors::ReceiveIcmp(Ipv4Address source,
                            uint8_t ttl,
                            uint8_t type,
                            uint8_t code,
                            uint32_t info,
                            Ipv4Address from,
                            Ipv4Address to,
                            const uint8_t payload[8])
{
    Choose(payload).ReceiveIcmp(source, ttl, type, code, info, from, to, payload);
}

void
IpsecUdpErrors::ReceiveIcmp(Ipv6Address source,
                            uint8_t ttl,
                            uint8_t type,
                            uint8_t code,
                            uint32_t info,
                            Ipv6Address from,
                            Ipv6Address to,
                            const uint8_t payload[8])
{
    Choose(payload).ReceiveIcmp(source, ttl, type, code, info, from, to, payload);
}

IpL4Protocol::RxStatus
IpsecUdpErrors::Receive(Ptr<Packet> packet, const Ipv4Header& header, Ptr<Ipv4Interface> interface)
{
    return m_udp->Receive(packet, header, interface);
}

IpL4Protocol::RxStatus
IpsecUdpErrors::Receive(Ptr<Packet> packet, const Ipv6Header& header, Ptr<Ipv6Interface> interface)
{
    return m_udp->Receive(packet, header, interface);
}

void
IpsecUdpErrors::SetDownTarget(DownTargetCallback callback)
{
    m_udp->SetDownTarget(callback);
}

void
IpsecUdpErrors::SetDownTarget6(DownTargetCallback6 callback)
{
    m_udp->SetDownTarget6(callback);
}

IpL4Protocol::DownTargetCallback
IpsecUdpErrors::GetDownTarget() const
{
    return m_udp->GetDownTarget();
}

IpL4Protocol::DownTargetCallback6
IpsecUdpErrors::GetDownTarget6() const
{
    return m_udp->GetDownTarget6();
}

} // namespace ns3
