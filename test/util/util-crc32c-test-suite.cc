/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-test-util.h"

#include "ns3/util-crc32c.h"

#include <boost/crc.hpp>

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(utilCrc32c, "util-crc32c");

/// @param data octets @return their CRC as it stands on the wire
static std::string
WireCrc(const Octets& data)
{
    iwarp::Crc32c crc;
    crc.Update(data.data(), data.size());
    uint8_t field[iwarp::Crc32c::SIZE];
    crc.Write(field);
    return ToHex(field, sizeof(field));
}

/// Check values of RFC 3720 B.4 and the RFC 5044 figures.
IWARP_TEST(utilCrc32c, "check values and wire order")
{
    Octets down = Ramp(32);
    for (auto& o : down)
    {
        o = 31 - o;
    }
    NS_TEST_EXPECT_MSG_EQ(WireCrc(Octets(32, 0)), "AA 36 91 8A", "32 zero octets");
    NS_TEST_EXPECT_MSG_EQ(WireCrc(Octets(32, 0xFF)), "43 AB A8 62", "32 octets FF");
    NS_TEST_EXPECT_MSG_EQ(WireCrc(Ramp(32)), "4E 79 DD 46", "00..1F");
    NS_TEST_EXPECT_MSG_EQ(WireCrc(down), "5C DB 3F 11", "1F..00");
    const Octets digits = FromHex("31 32 33 34 35 36 37 38 39");
    NS_TEST_EXPECT_MSG_EQ(WireCrc(digits), "83 92 06 E3", "wire order");
    IWARP_COVERS("MPA-4.4-01 MPA-4.4-13");
    iwarp::Crc32c crc;
    crc.Update(digits.data(), digits.size());
    NS_TEST_EXPECT_MSG_EQ(crc.GetValue(), 0xE3069283, "value");
    const Octets right = FromHex("83 92 06 E3");
    const Octets reversed = FromHex("E3 06 92 83");
    NS_TEST_EXPECT_MSG_EQ(crc.Matches(right.data()), true, "right field");
    NS_TEST_EXPECT_MSG_EQ(crc.Matches(reversed.data()), false, "octets reversed");
    crc.Update(right.data(), right.size());
    NS_TEST_EXPECT_MSG_EQ(crc.GetValue(), 0x48674BC7, "residue over data and its CRC");
}

/// Any content, any split, zeros or not: always the same checksum.
IWARP_TEST(utilCrc32c, "agrees bit by bit, with Boost.CRC, over splits and zero runs")
{
    uint32_t state = 1;
    auto random = [&state]() { return (state = state * 1664525 + 1013904223) >> 8; };
    Octets data(3000);
    for (auto& o : data)
    {
        o = static_cast<uint8_t>(random());
    }
    for (uint32_t size = 0; size < 300; ++size)
    {
        const Octets part(data.begin(), data.begin() + size);
        NS_TEST_ASSERT_MSG_EQ(WireCrc(part), ToHex(SlowCrc(part.data(), size)), size);
    }
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> whole;
    whole.process_bytes(data.data(), data.size());
    for (int i = 0; i < 500; ++i)
    {
        iwarp::Crc32c crc;
        std::size_t done = 0;
        while (done < data.size())
        {
            const std::size_t run = std::min<std::size_t>(random() % 700, data.size() - done);
            crc.Update(data.data() + done, run);
            done += run;
        }
        NS_TEST_ASSERT_MSG_EQ(crc.GetValue(), whole.checksum(), "split run " << i);
    }
    const Octets zeros(70000, 0);
    for (uint32_t count = 0; count < zeros.size(); count += count < 1100 ? 1 : 997)
    {
        iwarp::Crc32c read;
        read.Update(data.data(), 17);
        iwarp::Crc32c combined = read;
        read.Update(zeros.data(), count);
        combined.UpdateZeros(count);
        NS_TEST_ASSERT_MSG_EQ(combined.GetValue(), read.GetValue(), count << " zeros");
    }
}

/// Counts that cannot be read octet by octet.
IWARP_TEST(utilCrc32c, "zero runs up to 2^64 - 1")
{
    const uint8_t seed[] = {1, 2, 3};
    iwarp::Crc32c start;
    start.Update(seed, sizeof(seed));
    for (unsigned k = 12; k < 63; ++k)
    {
        iwarp::Crc32c once = start;
        once.UpdateZeros(uint64_t{1} << (k + 1));
        iwarp::Crc32c twice = start;
        twice.UpdateZeros((uint64_t{1} << k) - 5);
        twice.UpdateZeros((uint64_t{1} << k) + 5);
        NS_TEST_ASSERT_MSG_EQ(once.GetValue(), twice.GetValue(), "2^" << k + 1);
    }
    // x has order 2^31 - 1, so that as many zero octets change nothing
    iwarp::Crc32c around = start;
    around.UpdateZeros((uint64_t{1} << 31) - 1);
    NS_TEST_EXPECT_MSG_EQ(around.GetValue(), start.GetValue(), "order of x");
    around.UpdateZeros(UINT64_MAX);
    iwarp::Crc32c rest = start;
    rest.UpdateZeros(UINT64_MAX % ((uint64_t{1} << 31) - 1));
    NS_TEST_EXPECT_MSG_EQ(around.GetValue(), rest.GetValue(), "2^64 - 1");
}
