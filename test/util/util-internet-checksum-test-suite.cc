/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/util-internet-checksum.h"

#include <array>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(utilInternetChecksum, "util-internet-checksum");

} // namespace

/// @brief The worked example of RFC 1071 section 3, whole and in pieces, and octets that are odd in
/// number.
IWARP_TEST(utilInternetChecksum, "RFC 1071: its example")
{
    const std::array<uint8_t, 8> octets{0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
    const uint64_t whole = iwarp::SumInternetChecksum(0, octets.data(), octets.size());
    NS_TEST_EXPECT_MSG_EQ(iwarp::FoldInternetChecksum(whole), 0xDDF2, "in one go");
    for (uint32_t cut = 0; cut <= octets.size(); cut += 2)
    {
        uint64_t sum = iwarp::SumInternetChecksum(0, octets.data(), cut);
        sum = iwarp::SumInternetChecksum(sum, octets.data() + cut, octets.size() - cut);
        NS_TEST_EXPECT_MSG_EQ(iwarp::FoldInternetChecksum(sum), 0xDDF2, "cut at " << cut);
    }
    // without the last octet it is 0xF7 less
    const uint64_t odd = iwarp::SumInternetChecksum(0, octets.data(), octets.size() - 1);
    NS_TEST_EXPECT_MSG_EQ(iwarp::FoldInternetChecksum(odd), 0xDDF2 - 0xF7, "seven octets");
    const uint64_t one = iwarp::SumInternetChecksum(0, octets.data() + 2, 1);
    NS_TEST_EXPECT_MSG_EQ(iwarp::FoldInternetChecksum(one), 0xF200, "one octet");
}
