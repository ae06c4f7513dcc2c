/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-udp-errors.h"

#include "ns3/esp-format.h"
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
    : IpL4Relay(udp),
      m_esp(esp)
{
}

void
IpsecUdpErrors::DoDispose()
{
    m_esp = nullptr;
    IpL4Relay::DoDispose();
}

int
IpsecUdpErrors::GetProtocolNumber() const
{
    return UdpL4Protocol::PROT_NUMBER;
}

template <typename V>
void
IpsecUdpErrors::DoReceiveIcmp(const IpIcmpMessage<V>& message)
{
    const bool isEsp = boost::endian::load_big_u16(message.payload) == ESP_UDP_PORT ||
                       boost::endian::load_big_u16(message.payload + 2) == ESP_UDP_PORT;
    message.HandTo(isEsp ? *m_esp : *m_next);
}

template void IpsecUdpErrors::DoReceiveIcmp(const IpIcmpMessage<Ipv4Traits>&);
template void IpsecUdpErrors::DoReceiveIcmp(const IpIcmpMessage<Ipv6Traits>&);

} // namespace ns3
