/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/mpa-marker.h"

#include <vector>

using namespace ns3;
using namespace ns3::mpa;

IWARP_TEST_SUITE(mpaMarker, "mpa-marker");

/// Markers of an FPDU in closed form, against a walk over its octets.
IWARP_TEST(mpaMarker, "Markers in an FPDU against a walk")
{
    for (uint32_t position = 0; position < 1024; position += 4)
    {
        // one walk a start: Markers met before base octet number i
        uint32_t markers = 0;
        uint32_t here = position;
        for (uint32_t base = 1; base <= 3000; ++base)
        {
            if (here % 512 == 0)
            {
                ++markers;
                here += 4;
            }
            ++here;
            NS_TEST_ASSERT_MSG_EQ(MarkersInFpdu(position, base),
                                  markers,
                                  "start " << position << " base " << base);
            IWARP_COVERS("MPA-4.3-04");
        }
    }
    // no ULPDU length makes a Marker split the length field, the pad or the CRC
    for (uint32_t length = 1; length <= 2000; ++length)
    {
        const uint32_t size = WireSize(length, 0, true);
        const uint32_t crc = size - 4;
        NS_TEST_ASSERT_MSG_EQ(size % 4, 0, "length " << length);
        NS_TEST_ASSERT_MSG_EQ((crc % 512 == 0), false, "Marker on the CRC of " << length);
        IWARP_COVERS("MPA-4.3-18");
    }
}

/// Where Markers stand and where they point to.
IWARP_TEST(mpaMarker, "arithmetic and wrap")
{
    for (uint32_t position = 0; position < 2048; ++position)
    {
        NS_TEST_ASSERT_MSG_EQ((position + DistanceToMarker(position)) % 512, 0, position);
        NS_TEST_ASSERT_MSG_LT(DistanceToMarker(position), 512, position);
    }

    /// A half connection and its first Markers.
    struct Half
    {
        uint32_t seqStart;             //!< sequence number of the first Marker
        std::vector<uint32_t> markers; //!< sequence numbers of the first ones
    };

    const Half halves[] = {
        {11, {11, 523, 1035, 1547}},
        {0xFFFFFF00, {0xFFFFFF00, 0x00000100, 0x00000300}},
        {0xFFFFFFF0 + 1 + 20 + 13, {0x00000012, 0x00000212, 0x00000412}}, // 13 private octets
    };
    for (const auto& half : halves)
    {
        uint32_t seq = half.seqStart;
        for (uint32_t expected : half.markers)
        {
            seq += DistanceToMarker(seq - half.seqStart);
            NS_TEST_EXPECT_MSG_EQ(seq, expected, "SeqStart " << half.seqStart);
            ++seq;
        }
    }
    IWARP_COVERS("MPA-4.3-11 MPA-4.3-12");
    NS_TEST_EXPECT_MSG_EQ(HeaderPosition(0x00000100, 0x0180), 0xFFFFFF80, "over the wrap");
    IWARP_COVERS("MPA-4.3-06");
    for (uint16_t low = 0; low < 4; ++low)
    {
        NS_TEST_EXPECT_MSG_EQ(HeaderPosition(512, 0x0014 | low), 492, "low bits " << low);
        NS_TEST_EXPECT_MSG_EQ(HeaderPosition(512, low), 516, "pointer 0, low bits " << low);
    }
    IWARP_COVERS("MPA-4.3-09");
    NS_TEST_EXPECT_MSG_EQ(HeaderPosition(512, 0x0017), 492, "MPA-4.2-06");
    IWARP_COVERS("MPA-4.2-06");
    NS_TEST_EXPECT_MSG_EQ(HeaderPosition(65280, 0xFF00), 0, "largest pointer");
}

/// Small FPDUs share an interval: each Marker tells of the one it falls in, or of none.
IWARP_TEST(mpaMarker, "FPDUs of 28 octets")
{
    const std::vector<uint8_t> ulpdu(20, 0xEE);
    std::vector<uint8_t> wire(11000);
    uint32_t end = 0;
    while (end < 10000)
    {
        end += EncodeFpdu(wire.data() + end, ulpdu.data(), 20, nullptr, 0, end, {true, true});
    }
    auto isLength = [&](uint32_t at) { return wire[at] == 0 && wire[at + 1] == 20; };
    uint32_t inside = 0;
    uint32_t between = 0;
    for (uint32_t marker = 0; marker + MARKER_SIZE < end; marker += 512)
    {
        NS_TEST_ASSERT_MSG_EQ(wire[marker] + wire[marker + 1], 0, "reserved field");
        const uint32_t pointer = wire[marker + 2] << 8 | wire[marker + 3];
        if (pointer == 0)
        {
            ++between;
            NS_TEST_ASSERT_MSG_EQ(isLength(marker + 4), true, "an FPDU begins at " << marker);
            IWARP_COVERS("MPA-4.3-14");
        }
        else
        {
            ++inside;
            NS_TEST_ASSERT_MSG_EQ(pointer % 4, 0, "at " << marker);
            NS_TEST_ASSERT_MSG_LT(pointer, 28, "at " << marker);
            NS_TEST_ASSERT_MSG_EQ(isLength(marker - pointer), true, "before " << marker);
            IWARP_COVERS("MPA-4.3-14");
        }
    }
    NS_TEST_EXPECT_MSG_GT(inside, 10, "Markers inside FPDUs");
    NS_TEST_EXPECT_MSG_GT(between, 1, "Markers between FPDUs");
}
