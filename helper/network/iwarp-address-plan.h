/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ADDRESS_PLAN_H
#define IWARP_ADDRESS_PLAN_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Addresses of an IwarpNetwork, of which each device has an IPv4 and an IPv6 one.
 */
struct AddressPlan
{
    /// Addresses of both versions
    struct Pair
    {
        Ipv4Address v4; //!< IPv4
        Ipv6Address v6; //!< IPv6
    };

    static constexpr uint32_t HOSTS_PER_ROUTER = 16384; //!< most hosts of a router
    static constexpr uint32_t PLACES = 256;             //!< most routers with hosts
    static constexpr uint32_t LINES = 16384;            //!< most pairs of hosts without a router

    /// Get the address of a router on a link. @param link number of the link between routers
    /// @param end 1 at end A, 2 at end B @return addresses, in networks of 30 and 64 bits
    static Pair GetLink(uint32_t link, uint32_t end)
    {
        return {Ipv4Address(0xAC100000 + 4 * link + end), MakeIpv6(PREFIX6 | link, end)};
    }

    /// Get the addresses on a host's link. @param place number of its router among those with
    /// hosts @param host its number there @param end 1 at the router, 2 at the host
    /// @return addresses, in networks of 30 and 64 bits
    static Pair GetHost(uint32_t place, uint32_t host, uint32_t end)
    {
        return {Ipv4Address(0x0A000000 + (place << 16) + 4 * host + end),
                MakeIpv6(GetPrefix(place) | host, end)};
    }

    /// Get the network that holds all hosts of a router. @param place number of the router among
    /// those with hosts @return addresses, of networks of 16 and 48 bits
    static Pair GetHosts(uint32_t place)
    {
        return GetHost(place, 0, 0);
    }

    /// Get the addresses of two hosts without a router. @param line number of the link between them
    /// @param end 1 at end A, 2 at end B @return addresses, in networks of 30 and 64 bits
    static Pair GetLine(uint32_t line, uint32_t end)
    {
        return {Ipv4Address(0xC0A80000 + 4 * line + end), MakeIpv6(GetPrefix(PLACES) | line, end)};
    }

  private:
    static constexpr uint64_t PREFIX6 = 0xFD00000000000000; //!< fd00::, as ns-3 forwards no
                                                            //!< 2001:db8::

    /// Get the prefix of a router's hosts. @param place its number @return upper 64 bits
    static uint64_t GetPrefix(uint32_t place)
    {
        return PREFIX6 | (uint64_t{place} + 1) << 16;
    }

    /// Make an IPv6 address. @param high upper 64 bits @param low lower 64 bits @return it
    static Ipv6Address MakeIpv6(uint64_t high, uint64_t low)
    {
        uint8_t octets[16];
        for (int i = 0; i < 8; i++)
        {
            octets[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
            octets[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
        }
        return Ipv6Address(octets);
    }
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_ADDRESS_PLAN_H
