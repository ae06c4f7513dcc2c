/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/mpa-mulpdu.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::mpa;

IWARP_TEST_SUITE(mpaMulpdu, "mpa-mulpdu");

/// The formulas of section 4.5 with their floor and ceiling.
struct MpaMulpduTable : TestCase
{
    using TestCase::TestCase;

    /// One row: EMSS, MULPDU with and without Markers, FPDU without and smallest and largest with.
    struct Row
    {
        uint32_t emss;    //!< EMSS
        uint32_t with;    //!< MULPDU with Markers
        uint32_t without; //!< MULPDU without Markers
        uint32_t plain;   //!< FPDU without Markers
        uint32_t least;   //!< FPDU with Markers, best start
        uint32_t most;    //!< FPDU with Markers, worst start
        uint32_t few;     //!< starts with the smaller number of Markers, of 127
    };
};

IWARP_TEST(mpaMulpdu, "table of values", MpaMulpduTable)
{
    const Row rows[] = {
        {128, 128, 128, 136, 136, 140, 93},
        {536, 522, 530, 536, 532, 536, 122},
        {1024, 1010, 1018, 1024, 1024, 1024, 127},
        {1448, 1430, 1442, 1448, 1444, 1448, 22},
        {1460, 1442, 1454, 1460, 1456, 1460, 19},
        {8948, 8870, 8942, 8948, 8944, 8948, 67},
        {8960, 8882, 8954, 8960, 8956, 8960, 64},
        {65483, 64768, 64768, 64776, 65284, 65288, 62},
        {136, 128, 130, 136, 136, 140, 93},
        {140, 130, 134, 140, 136, 140, 93},
        {1220, 1202, 1214, 1220, 1216, 1220, 79},
        {1440, 1422, 1434, 1440, 1436, 1440, 24},
    };
    for (const auto& r : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(Mulpdu(r.emss, true), r.with, "Markers, EMSS " << r.emss);
        IWARP_COVERS("MPA-3-03 MPA-4.5-01");
        NS_TEST_EXPECT_MSG_EQ(Mulpdu(r.emss, false), r.without, "EMSS " << r.emss);
        IWARP_COVERS("MPA-4.5-02");
        NS_TEST_EXPECT_MSG_EQ(WireSize(r.without, 0, false), r.plain, "EMSS " << r.emss);
        uint32_t least = UINT32_MAX;
        uint32_t most = 0;
        uint32_t few = 0;
        for (int pass = 0; pass < 2; ++pass)
        {
            for (uint32_t start = 0; start < 512; start += 4)
            {
                if (start != 4) // an FPDU never starts there
                {
                    const uint32_t size = WireSize(r.with, start, true);
                    least = std::min(least, size);
                    most = std::max(most, size);
                    few += pass == 1 && size == least ? 1 : 0;
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(least, r.least, "smallest FPDU, EMSS " << r.emss);
        NS_TEST_EXPECT_MSG_EQ(most, r.most, "largest FPDU, EMSS " << r.emss);
        NS_TEST_EXPECT_MSG_EQ(few, r.few, "starts, EMSS " << r.emss);
    }
    IWARP_COVERS("MPA-4.5-12");
    for (uint32_t emss : {0U, 1U, 6U, 7U, 64U, 100U, 127U})
    {
        NS_TEST_EXPECT_MSG_EQ(Mulpdu(emss, true), 128, "floor, EMSS " << emss);
        NS_TEST_EXPECT_MSG_EQ(Mulpdu(emss, false), 128, "floor, EMSS " << emss);
    }
    IWARP_COVERS("MPA-4.5-08");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(UINT32_MAX, true), 64768, "ceiling");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(UINT32_MAX, false), 64768, "ceiling");
    IWARP_COVERS("MPA-3-05");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(1410, true), 1390, "50 octets of ESP");
    IWARP_COVERS("MPA-3-10");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(960, true), 946, "path MTU 1000");
    IWARP_COVERS("MPA-4.5-07");
    // the ceiling itself: 65535 - 60 - 60, less the worst overhead, floored to 128
    NS_TEST_EXPECT_MSG_EQ((65415 - (6 + 4 * 128 + 3)) / 128 * 128, MAX_ULPDU, "MPA-3-09");
    IWARP_COVERS("MPA-3-09");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(65288, true), MAX_ULPDU, "cap first reached with Markers");
    NS_TEST_EXPECT_MSG_LT(Mulpdu(65287, true), MAX_ULPDU, "below the cap with Markers");
    NS_TEST_EXPECT_MSG_EQ(Mulpdu(64776, false), MAX_ULPDU, "cap first reached");
    NS_TEST_EXPECT_MSG_LT(Mulpdu(64775, false), MAX_ULPDU, "below the cap");
    for (uint32_t emss = 136; emss < 10000; ++emss)
    {
        for (bool markers : {false, true})
        {
            const uint32_t mulpdu = Mulpdu(emss, markers);
            if (mulpdu == MIN_MULPDU)
            {
                continue;
            }
            uint32_t most = 0;
            for (uint32_t start = 0; start < 512; start += 4)
            {
                most = start == 4 ? most : std::max(most, WireSize(mulpdu, start, markers));
            }
            NS_TEST_ASSERT_MSG_LT_OR_EQ(most, emss, "fits wherever it starts");
            NS_TEST_ASSERT_MSG_GT(most + 8, emss, "no more than a Marker is wasted");
        }
    }
}

/// MULPDU offered into a segment that has FPDUs in it, against trying every length.
IWARP_TEST(mpaMulpdu, "room in a packed segment")
{
    NS_TEST_EXPECT_MSG_EQ(OfferedMulpdu(1460, 760, 700, false), 754, "MPA-4.5-05");
    IWARP_COVERS("MPA-4.5-04 MPA-4.5-05");
    NS_TEST_EXPECT_MSG_EQ(OfferedMulpdu(1460, 100, 1360, false), 1454, "MPA-4.5-10");
    NS_TEST_EXPECT_MSG_EQ(OfferedMulpdu(1460, 100, 1360, true), 1442, "MPA-4.5-10");
    IWARP_COVERS("MPA-4.5-10");
    NS_TEST_EXPECT_MSG_EQ(OfferedMulpdu(1460, 0, 1460, true), 1442, "no room");
    NS_TEST_EXPECT_MSG_EQ(OfferedMulpdu(65483, 65483, 0, true), 64768, "ceiling");
    for (uint32_t start = 0; start < 512; start += 12)
    {
        for (uint32_t room = 0; room <= 1460; room += 7)
        {
            for (bool markers : {false, true})
            {
                uint32_t fits = 0;
                while (WireSize(fits + 1, start, markers) <= room)
                {
                    ++fits;
                }
                const uint32_t whole = Mulpdu(1460, markers);
                const uint32_t expected = fits >= 128 ? std::min(fits, whole) : whole;
                NS_TEST_ASSERT_MSG_EQ(OfferedMulpdu(1460, room, start, markers),
                                      expected,
                                      "start " << start << " room " << room);
                IWARP_COVERS("MPA-4.5-05 MPA-4.5-10");
            }
        }
    }
}
