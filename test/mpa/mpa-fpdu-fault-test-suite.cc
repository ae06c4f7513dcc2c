/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-fpdu-test-util.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::mpa;
using namespace mpatest;

IWARP_TEST_SUITE(mpaFpduFault, "mpa-fpdu-fault");

/// What a receiver ignores, and what it must not.
IWARP_TEST(mpaFpduFault, "faults and what is no fault")
{
    const Octets good = Encode(Ramp(700), 400, MARKED);
    NS_TEST_ASSERT_MSG_EQ(Fault(good, 400), GOOD, "unaltered");
    for (std::size_t bit = 16; bit < good.size() * 8; ++bit)
    {
        Octets bad = good;
        bad[bit / 8] ^= 1 << bit % 8;
        NS_TEST_ASSERT_MSG_EQ(Fault(bad, 400), BAD_CRC, "bit " << bit);
        IWARP_COVERS("MPA-4.1-06 MPA-4.4-19");
    }
    uint32_t state = 7;
    auto random = [&state]() { return (state = state * 1664525 + 1013904223) >> 8; };
    for (int i = 0; i < 1000; ++i) // bursts of at most 32 bits and pairs of bits
    {
        Octets bad = good;
        const std::size_t at = 2 + random() % (bad.size() - 6);
        const uint32_t burst = random() << 8 | 1;
        for (int k = 0; k < 4; ++k)
        {
            bad[at + k] ^= static_cast<uint8_t>(burst >> (8 * k));
        }
        NS_TEST_ASSERT_MSG_EQ(Fault(bad, 400), BAD_CRC, "burst at " << at);
        Octets two = good;
        two[2 + random() % (two.size() - 2)] ^= 1;
        two[2 + random() % (two.size() - 2)] ^= 2;
        NS_TEST_ASSERT_MSG_EQ(Fault(two, 400), BAD_CRC, "two bits");
        IWARP_COVERS("MPA-4.4-19");
    }

    // pad 55: fine with the CRC over it, not with that over zero
    Octets pad = Encode(Ramp(601), 0, MARKED);
    pad[pad.size() - 5] = 0x55;
    NS_TEST_EXPECT_MSG_EQ(Fault(pad, 0), BAD_CRC, "pad 55, CRC over 00");
    FixCrc(pad);
    NS_TEST_EXPECT_MSG_EQ(Fault(pad, 0), GOOD, "pad 55, CRC over 55");
    IWARP_COVERS("MPA-4.1-04");

    // reserved half of a Marker, and the low bits of the pointer
    const std::size_t marker = 112;
    for (uint8_t low = 0; low < 4; ++low)
    {
        Octets odd = good;
        odd[marker] = odd[marker + 1] = 0xFF;
        odd[marker + 3] |= low;
        NS_TEST_EXPECT_MSG_EQ(Fault(odd, 400), BAD_CRC, "reserved FFFF, CRC over 0000");
        FixCrc(odd);
        NS_TEST_EXPECT_MSG_EQ(Fault(odd, 400), GOOD, "reserved FFFF, low bits " << int(low));
        IWARP_COVERS("MPA-4.2-03 MPA-4.2-06 MPA-4.3-09");
    }

    // pointers: which ones are compared depends on CheckMarkers
    Octets first = good;
    first[marker + 3] += 4;
    NS_TEST_EXPECT_MSG_EQ(Fault(first, 400), BAD_CRC, "the CRC is looked at first");
    FixCrc(first);
    NS_TEST_EXPECT_MSG_EQ(Fault(first, 400, CheckMarkers::ALL), BAD_MARKER, "first, all");
    IWARP_COVERS("MPA-8-05");
    NS_TEST_EXPECT_MSG_EQ(Fault(first, 400, CheckMarkers::FIRST), BAD_MARKER, "first, first");
    NS_TEST_EXPECT_MSG_EQ(Fault(first, 400, CheckMarkers::NONE), GOOD, "first, none");
    IWARP_COVERS("MPA-5.2-02");
    Octets second = good;
    second[marker + 512 + 3] += 4;
    FixCrc(second);
    NS_TEST_EXPECT_MSG_EQ(Fault(second, 400, CheckMarkers::ALL), BAD_MARKER, "second, all");
    NS_TEST_EXPECT_MSG_EQ(Fault(second, 400, CheckMarkers::FIRST), GOOD, "second, first");
    IWARP_COVERS("MPA-8-08");
    Octets leading = Encode(Ramp(10), 512, MARKED);
    leading[3] = 4;
    FixCrc(leading);
    NS_TEST_EXPECT_MSG_EQ(Fault(leading, 512), BAD_MARKER, "leading Marker not zero");

    // CRC off: any field, damaged ULPDU, but Markers are still compared
    const FpduFormat unchecked{true, false};
    Octets off = Encode(Ramp(700), 400, unchecked);
    NS_TEST_EXPECT_MSG_EQ(off.size(), good.size(), "same size");
    NS_TEST_EXPECT_MSG_EQ(ToHex(&off[off.size() - 4], 4), "00 00 00 00", "field is sent");
    IWARP_COVERS("MPA-4.4-12");
    off[5] ^= 0xFF;
    std::copy_n(FromHex("DE AD BE EF").begin(), 4, off.end() - 4);
    auto view = ParseFpdu(off.data(), off.size(), 400, MARKED, CheckMarkers::ALL);
    NS_TEST_EXPECT_MSG_EQ((view.fault == FpduFault::CRC), true, "CRC on");
    view = ParseFpdu(off.data(), off.size(), 400, unchecked, CheckMarkers::ALL);
    NS_TEST_EXPECT_MSG_EQ((view.fault == FpduFault::NONE), true, "CRC off");
    IWARP_COVERS("MPA-4.1-07 MPA-4.1-08");
    off[marker + 3] += 4;
    view = ParseFpdu(off.data(), off.size(), 400, unchecked, CheckMarkers::ALL);
    NS_TEST_EXPECT_MSG_EQ((view.fault == FpduFault::MARKER), true, "CRC off, Marker bad");
    IWARP_COVERS("MPA-7.1.1-12");
}

/// FPDUs that are not all there.
IWARP_TEST(mpaFpduFault, "an FPDU short of octets is not complete")
{
    for (uint32_t start : {0U, 400U, 508U, 512U - 12})
    {
        const Octets fpdu = Encode(Ramp(700), start, MARKED);
        const uint32_t header = start == 0 ? 4 : 0;
        for (std::size_t size = 0; size < fpdu.size(); ++size)
        {
            const Octets held(fpdu.begin(), fpdu.begin() + size); // for the sanitizer
            const auto view = ParseFpdu(held.data(), size, start, MARKED, CheckMarkers::ALL);
            NS_TEST_ASSERT_MSG_EQ(view.complete, false, "size " << size);
            IWARP_COVERS("MPA-6-09");
            const bool known = size >= header + 2;
            NS_TEST_ASSERT_MSG_EQ(view.wireSize, (known ? fpdu.size() : 0), "size " << size);
        }
    }
    // lengths that DDP may not post but a peer can send
    Octets empty = Encode(Octets(), 4, PLAIN);
    NS_TEST_EXPECT_MSG_EQ(empty.size(), 8, "length 0");
    const auto view = ParseFpdu(empty.data(), 8, 4, PLAIN, CheckMarkers::ALL);
    NS_TEST_EXPECT_MSG_EQ(view.complete, true, "length 0");
    for (uint32_t start = 0; start < 512; start += 4)
    {
        const Octets longest = Encode(Octets(65535, 1), start, MARKED);
        NS_TEST_ASSERT_MSG_EQ(Fault(longest, start), GOOD, "length 65535 at " << start);
    }
}
