/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-fpdu-test-util.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/util-crc32c.h"

#include <algorithm>
#include <tuple>

using namespace ns3;
using namespace ns3::mpa;
using namespace mpatest;

IWARP_TEST_SUITE(mpaFpdu, "mpa-fpdu");

/// Octets of the RFC's figures and of the edge placements, both ways.
struct MpaFpduVectors : TestCase
{
    using TestCase::TestCase;

    /// @param name case @param ulpdu ULPDU @param position start @param format framing
    /// @param expected every octet in hex
    void Both(const std::string& name,
              const Octets& ulpdu,
              uint32_t position,
              const FpduFormat& format,
              const std::string& expected)
    {
        const Octets fpdu = Encode(ulpdu, position, format);
        NS_TEST_EXPECT_MSG_EQ(ToHex(fpdu), ToHex(FromHex(expected)), name);
        const FpduView view =
            ParseFpdu(fpdu.data(), fpdu.size(), position, format, CheckMarkers::ALL);
        NS_TEST_EXPECT_MSG_EQ(view.complete, true, name);
        NS_TEST_EXPECT_MSG_EQ((view.fault == FpduFault::NONE), true, name);
        Octets scratch;
        const uint8_t* out = ExtractUlpdu(fpdu.data(), view, position, format, scratch);
        NS_TEST_EXPECT_MSG_EQ(ToHex(out, view.ulpduLength), ToHex(ulpdu), name);
    }

    /// @param control first two octets @param msn message number @return the figures' ULPDU
    static Octets Figure(const std::string& control, uint8_t msn)
    {
        Octets ulpdu = FromHex(control);
        ulpdu.resize(42);
        ulpdu[13] = msn;
        return ulpdu;
    }
};

IWARP_TEST(mpaFpdu, "vectors", MpaFpduVectors)
{
    const std::string zeros24(48, '0');
    Both("RFC 5044 Figure 5",
         Figure("4143", 1),
         0,
         MARKED,
         "00000000 002A4143 00000000 00000000 00000001 00000000" + zeros24 + "52239983");
    IWARP_COVERS("MPA-4.3-10 MPA-4.4-16 MPA-4.4-21");
    Both("RFC 5044 Figure 6",
         Figure("4143", 2),
         0x1EC,
         MARKED,
         "002A4143 00000000 00000000 00000002 00000000 00000014" + zeros24 + "84925898");
    IWARP_COVERS("MPA-4.2-01 MPA-4.3-01 MPA-4.3-05 MPA-4.4-14 MPA-4.4-22");
    Both("draft-01 Figure 5",
         Figure("4003", 1),
         0,
         MARKED,
         "00000000 002A4003 00000000 00000000 00000001 00000000" + zeros24 + "4C86B384");
    Both("draft-01 Figure 6",
         Figure("4003", 2),
         0x1EC,
         MARKED,
         "002A4003 00000000 00000000 00000002 00000000 00000014" + zeros24 + "A19CD103");
    Both("smallest", Octets{0}, 0, PLAIN, "00 01 00 00 B9 D9 26 ED");
    IWARP_COVERS("MPA-4.1-01");
    Both("smallest, Marker", Octets{0}, 0, MARKED, "00000000 00010000 F4206929");
    Both("Figure 4",
         Ramp(16),
         500,
         MARKED,
         "00 10 00 01 02 03 04 05 06 07 08 09 00 00 00 0C 0A 0B 0C 0D 0E 0F 00 00 10 5B 1C 88");
    IWARP_COVERS("MPA-4.3-15");
    Both("Marker after the first word",
         Ramp(8),
         508,
         MARKED,
         "00 08 00 01 00 00 00 04 02 03 04 05 06 07 00 00 C1 0C 47 6E");
    IWARP_COVERS("MPA-4.3-05");
    Both("leading Marker", Ramp(3), 512, MARKED, "00000000 00030001 02000000 288C1314");
    IWARP_COVERS("MPA-4.3-08");

    /// An FPDU of ramp octets whose end and CRC are known.
    struct Edge
    {
        uint32_t length;  //!< ULPDU
        uint32_t start;   //!< position
        uint32_t markers; //!< Markers inside
        uint16_t last;    //!< FPDUPTR of the last one
        uint32_t pad;     //!< PAD
        uint32_t end;     //!< position behind it
        const char* crc;  //!< on the wire
    };

    const Edge edges[] = {
        {16, 500, 1, 0x000C, 2, 528, "10 5B 1C 88"},
        {503, 0, 2, 0x01FC, 3, 520, "D7 80 C0 2F"},
        {504, 0, 2, 0x01FC, 2, 520, "2D BC 0F 96"},
        {505, 0, 2, 0x01FC, 1, 520, "53 A8 E8 ED"},
        {506, 0, 2, 0x01FC, 0, 520, "29 EC D9 09"},
        {498, 0, 1, 0x0000, 0, 508, "A1 98 E4 DF"},
        {8, 508, 1, 0x0004, 2, 528, "C1 0C 47 6E"},
        {502, 0, 1, 0x0000, 0, 512, "22 8A DB 98"},
        {3, 512, 1, 0x0000, 3, 528, "28 8C 13 14"},
        {482, 0, 1, 0x0000, 0, 492, "A3 59 E0 7C"},
    };
    for (const auto& e : edges)
    {
        const Octets fpdu = Encode(Ramp(e.length), e.start, MARKED);
        NS_TEST_ASSERT_MSG_EQ(e.start + fpdu.size(), e.end, "end of " << e.length);
        NS_TEST_EXPECT_MSG_EQ(ToHex(&fpdu[fpdu.size() - 4], 4), e.crc, "CRC of " << e.length);
        IWARP_COVERS("MPA-4.4-15 MPA-4.4-17");
        NS_TEST_EXPECT_MSG_EQ(PadSize(e.length), e.pad, "pad of " << e.length);
        const auto view = ParseFpdu(fpdu.data(), fpdu.size(), e.start, MARKED, CheckMarkers::ALL);
        NS_TEST_EXPECT_MSG_EQ(view.markers, e.markers, "Markers in " << e.length);
        const uint32_t at = DistanceToMarker(e.start) + 512 * (e.markers - 1);
        NS_TEST_EXPECT_MSG_EQ((fpdu[at + 2] << 8 | fpdu[at + 3]), e.last, e.length);
        IWARP_COVERS("MPA-4.3-07");
    }
    IWARP_COVERS("MPA-4.3-18");
}

/// Answers that a wrong reading of the RFC would give are not ours.
struct MpaFpduDetectors : TestCase
{
    using TestCase::TestCase;

    /// @param data octets @return their CRC on the wire
    static std::string Crc(const Octets& data)
    {
        iwarp::Crc32c crc;
        crc.Update(data.data(), data.size());
        Octets field(4);
        crc.Write(field.data());
        return ToHex(field);
    }
};

IWARP_TEST(mpaFpdu, "wrong readings give other CRCs", MpaFpduDetectors)
{
    for (const auto& [control, first, second] :
         {std::make_tuple("4143", "B7 24 3E C3", "29 0F BE DE"),
          std::make_tuple("4003", "A9 81 14 C4", "37 AA 94 D9")})
    {
        Octets ulpdu = FromHex(control);
        ulpdu.resize(42);
        ulpdu[13] = 1;
        Octets five = Encode(ulpdu, 0, MARKED);
        five.resize(48);
        NS_TEST_EXPECT_MSG_EQ(Crc(Octets(five.begin() + 4, five.end())), first, "no Marker");
        NS_TEST_EXPECT_MSG_NE(Crc(five), first, "the Marker counts");
        IWARP_COVERS("MPA-4.3-01 MPA-4.4-16");
        ulpdu[13] = 2;
        Octets six = Encode(ulpdu, 0x1EC, MARKED);
        six.resize(48);
        NS_TEST_EXPECT_MSG_NE(Crc(six), second, "the Marker counts");
        six.erase(six.begin() + 20, six.begin() + 24);
        NS_TEST_EXPECT_MSG_EQ(Crc(six), second, "Marker skipped");
        IWARP_COVERS("MPA-4.3-01");
    }
    Octets reversed = Encode(Ramp(16), 500, MARKED);
    std::reverse(reversed.end() - 4, reversed.end());
    NS_TEST_EXPECT_MSG_EQ(Fault(reversed, 500), BAD_CRC, "CRC octets reversed");
    IWARP_COVERS("MPA-4.4-13");
}

/// The stream of 1442-octet ULPDUs, and the largest ULPDU.
IWARP_TEST(mpaFpdu, "worked stream, largest ULPDU")
{
    const std::vector<uint16_t> pointers[] = {{0x0000, 0x01FC, 0x03FC},
                                              {0x004C, 0x024C, 0x044C},
                                              {0x0098, 0x0298, 0x0498},
                                              {0x00E4, 0x02E4, 0x04E4},
                                              {0x0130, 0x0330, 0x0530},
                                              {0x017C, 0x037C, 0x057C},
                                              {0x01C8, 0x03C8},
                                              {0x0018, 0x0218, 0x0418}};
    const uint32_t ends[] = {1460, 2920, 4380, 5840, 7300, 8760, 10216, 11676};
    Octets stream;
    for (std::size_t i = 0; i < 8; ++i)
    {
        const auto start = static_cast<uint32_t>(stream.size());
        const Octets fpdu = Encode(Ramp(1442), start, MARKED);
        stream.insert(stream.end(), fpdu.begin(), fpdu.end());
        NS_TEST_ASSERT_MSG_EQ(stream.size(), ends[i], "end of FPDU " << i + 1);
        const uint32_t header = start + (start % 512 == 0 ? 4 : 0);
        NS_TEST_EXPECT_MSG_EQ((stream[header] << 8 | stream[header + 1]), 0x05A2, "length");
        IWARP_COVERS("MPA-4.1-02");
        std::size_t k = 0;
        for (uint32_t at = start + DistanceToMarker(start); at < ends[i]; at += 512)
        {
            NS_TEST_ASSERT_MSG_LT(k, pointers[i].size(), "Markers of FPDU " << i + 1);
            NS_TEST_EXPECT_MSG_EQ((stream[at] << 8 | stream[at + 1]), 0, "reserved");
            const int pointer = stream[at + 2] << 8 | stream[at + 3];
            NS_TEST_EXPECT_MSG_EQ(pointer, pointers[i][k], "Marker at " << at);
            IWARP_COVERS("MPA-4.2-04 MPA-4.3-10 MPA-4.3-13");
            NS_TEST_EXPECT_MSG_EQ(HeaderPosition(at, pointer), header, "Marker at " << at);
            ++k;
        }
        NS_TEST_EXPECT_MSG_EQ(k, pointers[i].size(), "Markers of FPDU " << i + 1);
    }
    IWARP_COVERS("MPA-4.3-04 MPA-4.5-03");
    Octets largest(WireSize(MAX_ULPDU, 0, true));
    NS_TEST_ASSERT_MSG_EQ(largest.size(), 65288, "largest FPDU");
    const auto wrote = EncodeFpdu(largest.data(), nullptr, 0, nullptr, MAX_ULPDU, 0, MARKED);
    NS_TEST_EXPECT_MSG_EQ(wrote, 65288, "largest FPDU");
    NS_TEST_EXPECT_MSG_EQ(BaseSize(MAX_ULPDU), 64776, "without Markers");
    NS_TEST_EXPECT_MSG_EQ(ToHex(&largest[65284], 4), "39 50 28 D5", "CRC of 64768 zeros");
    NS_TEST_EXPECT_MSG_EQ(ToHex(&largest[65024], 4), "00 00 FD FC", "last Marker");
    const auto view = ParseFpdu(largest.data(), wrote, 0, MARKED, CheckMarkers::ALL);
    NS_TEST_EXPECT_MSG_EQ(view.markers, 128, "Markers in the largest FPDU");
    NS_TEST_EXPECT_MSG_EQ((view.fault == FpduFault::NONE), true, "largest FPDU");
    uint32_t largestPointer = 0;
    for (uint32_t start = 0; start < 512; start += 4)
    {
        const uint32_t n = start == 4 ? 0 : MarkersInFpdu(start, BaseSize(MAX_ULPDU));
        const uint32_t d = DistanceToMarker(start);
        largestPointer = n == 0 ? largestPointer
                                : std::max(largestPointer, d + 512 * (n - 1) - (d == 0 ? 4 : 0));
    }
    NS_TEST_EXPECT_MSG_EQ(largestPointer, 0xFF00, "largest FPDUPTR");
}

/// Every length and start against the octet-by-octet rendering, and back.
IWARP_TEST(mpaFpdu, "every length and start against brute force")
{
    const uint32_t pads[] = {1, 0, 3, 2, 1, 0};
    for (uint32_t length = 1; length <= 6; ++length)
    {
        NS_TEST_EXPECT_MSG_EQ(PadSize(length), pads[length - 1], "pad of " << length);
        IWARP_COVERS("MPA-4.1-05");
    }
    Octets scratch;
    for (uint32_t length = 1; length <= 2200; length += length < 40 ? 1 : 31)
    {
        const Octets ulpdu = Ramp(length);
        for (uint32_t start = 0; start < 512; start += 4)
        {
            for (bool markers : {false, true})
            {
                const FpduFormat format{markers, true};
                const uint32_t position = 0xFFFFFE00 + start; // over the wrap of 2^32
                const Octets slow = SlowFpdu(ulpdu, position, markers);
                const Octets fpdu = Encode(ulpdu, position, format);
                const bool same = fpdu == slow;
                NS_TEST_ASSERT_MSG_EQ(same, true, "length " << length << " start " << start);
                IWARP_COVERS("MPA-3-01 MPA-4.1-03 MPA-4.1-09 MPA-4.2-02 MPA-4.2-05");
                const auto view =
                    ParseFpdu(fpdu.data(), fpdu.size() + 0, position, format, CheckMarkers::ALL);
                NS_TEST_ASSERT_MSG_EQ(view.complete, true, "length " << length);
                NS_TEST_ASSERT_MSG_EQ(view.wireSize, fpdu.size(), "length " << length);
                NS_TEST_ASSERT_MSG_EQ(view.ulpduLength, length, "length " << length);
                IWARP_COVERS("MPA-3-11");
                NS_TEST_ASSERT_MSG_EQ((view.fault == FpduFault::NONE), true, length);
                const uint8_t* out = ExtractUlpdu(fpdu.data(), view, position, format, scratch);
                NS_TEST_ASSERT_MSG_EQ(std::equal(ulpdu.begin(), ulpdu.end(), out), true, start);
                IWARP_COVERS("MPA-3-07 MPA-4.3-17");
                // zero octets given as nullptr
                Octets zeros(fpdu.size());
                EncodeFpdu(zeros.data(), ulpdu.data(), 1, nullptr, length - 1, position, format);
                Octets sparse(length, 0);
                sparse[0] = ulpdu[0];
                const bool equal = zeros == SlowFpdu(sparse, position, markers);
                NS_TEST_ASSERT_MSG_EQ(equal, true, "zeros, length " << length);
            }
        }
    }
}
