/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/path-network-table.h"
#include "ns3/util-ip-traits.h"

#include <cstdint>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace ns3;

namespace
{

/// Values of networks by the longest prefix.
IWARP_TEST_SUITE(pathNetworkTable, "path-network-table");

/// @tparam V Ipv4Traits or Ipv6Traits @param bits first bits of an address @return it
template <typename V>
typename V::Address
MakeAddress(uint32_t bits)
{
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        return Ipv4Address(bits);
    }
    else
    {
        uint8_t octets[16] = {};
        for (int i = 0; i < 4; i++)
        {
            octets[i] = static_cast<uint8_t>(bits >> (24 - 8 * i));
        }
        return Ipv6Address(octets);
    }
}

/// @tparam V Ipv4Traits or Ipv6Traits @param length of a prefix @return its mask
template <typename V>
typename V::Mask
MakeMask(uint32_t length)
{
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        return Ipv4Mask(length == 0 ? 0U : ~0U << (32 - length));
    }
    else
    {
        return Ipv6Prefix(static_cast<uint8_t>(length));
    }
}

/// Networks in a list, each looked at for every address.
struct NetworkTableTest : TestCase
{
    using TestCase::TestCase;

    /// A network
    struct Network
    {
        uint32_t bits;   //!< address
        uint32_t length; //!< of its prefix
        int value;       //!< of it
    };

    /// @param networks all @param address of which bits are looked at @return value of the longest
    /// prefix, or 0
    static int Search(const std::vector<Network>& networks, uint32_t address)
    {
        int value = 0;
        int longest = -1;
        for (const auto& network : networks)
        {
            const uint32_t rest = 32 - network.length;
            const bool same = rest == 32 || (network.bits ^ address) >> rest == 0;
            if (same && static_cast<int>(network.length) > longest)
            {
                longest = static_cast<int>(network.length);
                value = network.value;
            }
        }
        return value;
    }

    /// Compare for one version of IP. @tparam V it
    template <typename V>
    void Compare()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 200; round++)
        {
            PathNetworkTable<V, int> table;
            std::vector<Network> networks;
            for (int i = 1; i <= 30; i++)
            {
                // few bits differ, so that networks lie in each other
                const uint32_t length = random() % 33;
                const uint32_t bits = (random() & 0x0F0000FFU) | 0x0A000000U;
                int& value = table.Insert(MakeAddress<V>(bits), MakeMask<V>(length));
                networks.push_back({bits, length, value == 0 ? i : value});
                value = networks.back().value;
            }
            Check<V>(table, networks, random);
            table.EraseIf([](int value) { return value % 3 == 0; });
            std::vector<Network> left;
            for (const auto& network : networks)
            {
                if (network.value % 3 != 0)
                {
                    left.push_back(network);
                }
            }
            Check<V>(table, left, random);
        }
    }

    /// Look addresses up. @tparam V version of IP @param table of networks @param networks the same
    /// @param random draws addresses
    template <typename V>
    void Check(PathNetworkTable<V, int>& table,
               const std::vector<Network>& networks,
               std::mt19937& random)
    {
        for (int i = 0; i < 100; i++)
        {
            const uint32_t address =
                (random() & 0x0F0000FFU) | (random() % 4 > 0 ? 0x0A000000U : 0);
            const int* entry = table.Find(MakeAddress<V>(address));
            const int found = entry ? *entry : 0;
            NS_TEST_ASSERT_MSG_EQ(found, Search(networks, address), address);
        }
    }
};

IWARP_TEST(pathNetworkTable, "the longest prefix, against a list of all", NetworkTableTest)
{
    Compare<Ipv4Traits>();
    Compare<Ipv6Traits>();
}

} // namespace
