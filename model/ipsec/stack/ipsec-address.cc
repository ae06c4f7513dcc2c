/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-address.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace ns3
{

IpsecAddress::IpsecAddress(Ipv4Address address)
{
    address.Serialize(m_octets.data());
}

IpsecAddress::IpsecAddress(Ipv6Address address)
    : m_ipv6(true)
{
    address.Serialize(m_octets.data());
}

IpsecAddress::IpsecAddress(const char* text)
    : IpsecAddress(std::strchr(text, ':') ? IpsecAddress(Ipv6Address(text))
                                          : IpsecAddress(Ipv4Address(text)))
{
}

bool
IpsecAddress::IsAny() const
{
    return m_octets == std::array<uint8_t, 16>{};
}

Ipv4Address
IpsecAddress::GetIpv4() const
{
    return Ipv4Address::Deserialize(m_octets.data());
}

Ipv6Address
IpsecAddress::GetIpv6() const
{
    return Ipv6Address::Deserialize(m_octets.data());
}

bool
IpsecAddress::Agrees(const IpsecAddress& other, uint8_t bits) const
{
    const std::size_t whole = bits / 8U;
    if (m_ipv6 != other.m_ipv6 ||
        !std::equal(m_octets.begin(), m_octets.begin() + whole, other.m_octets.begin()))
    {
        return false;
    }
    const uint32_t rest = bits % 8U;
    return rest == 0 || (m_octets[whole] ^ other.m_octets[whole]) >> (8 - rest) == 0;
}

std::string
IpsecAddress::ToString() const
{
    std::ostringstream text;
    m_ipv6 ? GetIpv6().Print(text) : GetIpv4().Print(text);
    return text.str();
}

} // namespace ns3
