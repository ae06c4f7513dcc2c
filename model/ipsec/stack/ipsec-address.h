/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_ADDRESS_H
#define IPSEC_ADDRESS_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief An address of either version of IP, so that databases need not be written twice.
class IpsecAddress
{
  public:
    IpsecAddress() = default;          ///< 0.0.0.0
    IpsecAddress(Ipv4Address address); ///< @param address of IPv4
    IpsecAddress(Ipv6Address address); ///< @param address of IPv6
    IpsecAddress(const char* text);    ///< @param text as ns-3 reads it: "10.0.0.1", "2001:db8::1"

    /// Tell which version of IP it is of. @return true for IPv6
    bool IsIpv6() const
    {
        return m_ipv6;
    }

    /// Tell whether it stands for none: 0.0.0.0 or ::. @return true if so
    bool IsAny() const;

    /// Find how long it is. @return bits: 32 or 128
    uint8_t GetBits() const
    {
        return m_ipv6 ? 128 : 32;
    }

    /// @return the address; only if it is not of IPv6
    Ipv4Address GetIpv4() const;

    /// @return the address; only if it is of IPv6
    Ipv6Address GetIpv6() const;

    /**
     * @brief Tell whether another address begins alike.
     * @param other an address
     * @param bits that have to agree, 0 to GetBits()
     * @return true if it is of the same version, and they agree
     */
    bool Agrees(const IpsecAddress& other, uint8_t bits) const;

    /// @return the address as text
    std::string ToString() const;

    /// @return octets in network order; those of IPv4 are the first four, the rest is zero
    const std::array<uint8_t, 16>& GetOctets() const
    {
        return m_octets;
    }

    /// @param other an address @return whether it is the same
    bool operator==(const IpsecAddress& other) const
    {
        return m_ipv6 == other.m_ipv6 && m_octets == other.m_octets;
    }

    /// @param other an address @return whether it is another
    bool operator!=(const IpsecAddress& other) const
    {
        return !(*this == other);
    }

  private:
    std::array<uint8_t, 16> m_octets{}; //!< in network order
    bool m_ipv6{false};                 //!< all of them count, otherwise four
};

} // namespace ns3

#endif // IPSEC_ADDRESS_H
