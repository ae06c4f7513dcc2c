/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-enhanced-words.h"

#include "ns3/mpa-enhanced.h"

#include <algorithm>
#include <cstdint>
#include <random>

using namespace ns3;
using namespace mpatest;

/// @brief Suite of the enhanced word and its rules.
IWARP_TEST_SUITE(mpaEnhanced, "mpa-enhanced");

/// @brief Octets of the word.
IWARP_TEST(mpaEnhanced, "word")
{
    struct Row
    {
        uint32_t number;   // octets
        bool peerToPeer;   // A
        const char* kinds; // B, C, D
        uint16_t ird;      // IRD
        uint16_t ord;      // ORD
    };

    const Row rows[] = {
        {0x8010C008, true, "CD", 16, 8},
        {0x012C0005, false, "", 300, 5},
        {0x80000000, true, "", 0, 0},
        {0x40000000, false, "B", 0, 0},
        {0x00008000, false, "C", 0, 0},
        {0x00004000, false, "D", 0, 0},
        {0x3FFF0000, false, "", ULP, 0},
        {0x00003FFF, false, "", 0, ULP},
        {0x3FFE3FFE, false, "", 16382, 16382},
        {0xFFFFFFFF, true, "BCD", ULP, ULP},
        {0x95552AAA, true, "", 0x1555, 0x2AAA},
    };
    for (const auto& row : rows)
    {
        MpaEnhancedWord word;
        word.peerToPeer = row.peerToPeer;
        word.rtr = Kinds(row.kinds);
        word.ird = row.ird;
        word.ord = row.ord;
        NS_TEST_EXPECT_MSG_EQ(Number(word), row.number, "encoded");
        IWARP_COVERS("ENH-9-1 ENH-9-2");
        const MpaEnhancedWord read = Word(row.number);
        NS_TEST_EXPECT_MSG_EQ(read.peerToPeer, row.peerToPeer, "A");
        NS_TEST_EXPECT_MSG_EQ(read.rtr.send, word.rtr.send, "B");
        NS_TEST_EXPECT_MSG_EQ(read.rtr.write, word.rtr.write, "C");
        NS_TEST_EXPECT_MSG_EQ(read.rtr.read, word.rtr.read, "D");
        NS_TEST_EXPECT_MSG_EQ(read.ird, row.ird, "IRD");
        NS_TEST_EXPECT_MSG_EQ(read.ord, row.ord, "ORD");
    }
    IWARP_COVERS("ENH-9-4 ENH-9.2-1");
    // Every octet string is a word and comes back as it was.
    std::mt19937 random(6581);
    for (int i = 0; i < 1000; i++)
    {
        const auto number = static_cast<uint32_t>(random());
        NS_TEST_EXPECT_MSG_EQ(Number(Word(number)), number, "there and back");
    }
}

/// @brief Any two endpoints: what holds after every successful negotiation.
IWARP_TEST(mpaEnhanced, "invariants")
{
    std::mt19937 random(20110);
    const auto depth = [&random](uint16_t most) {
        return random() % 8 == 0 ? ULP : static_cast<uint16_t>(random() % (most + 1));
    };
    int succeeded = 0;
    for (int i = 0; i < 20000; i++)
    {
        MpaEnhancedConfig ends[2];
        for (auto& end : ends)
        {
            end.maxIrd = random() % 9;
            end.ird = depth(end.maxIrd);
            end.ord = depth(8);
            end.minOrd = random() % 4 == 0 ? random() % (std::min<int>(end.ord, 8) + 1) : 0;
            end.peerToPeer = random() % 2 == 0;
            end.strictIrd = random() % 4 == 0;
            const unsigned kinds = 1 + random() % 7;
            end.rtr = {(kinds & 1) != 0, (kinds & 2) != 0, (kinds & 4) != 0};
            NS_TEST_ASSERT_MSG_EQ(MpaCheckEnhanced(end), nullptr, "a sound configuration");
        }
        const MpaEnhancedWord offer = MpaMakeOffer(ends[0]);
        MpaEnhancedWord answer;
        const MpaEnhancedResult r = MpaMakeAnswer(ends[1], offer, answer);
        NS_TEST_ASSERT_MSG_EQ(answer.peerToPeer, offer.peerToPeer, "A is copied");
        IWARP_COVERS("ENH-9.2-6 ENH-9.2-18");
        NS_TEST_ASSERT_MSG_EQ(answer.rtr.Empty(), !offer.peerToPeer, "a kind if A, else none");
        NS_TEST_ASSERT_MSG_EQ(offer.rtr.Empty(), !offer.peerToPeer, "a kind if A, else none");
        IWARP_COVERS("ENH-9.2-19");
        NS_TEST_ASSERT_MSG_EQ((answer.ird == ULP),
                              (offer.ord == ULP || ends[1].ird == ULP),
                              "an ORD left to the ULP leaves the IRD to it");
        NS_TEST_ASSERT_MSG_EQ((answer.ord == ULP),
                              (offer.ird == ULP),
                              "an IRD left to the ULP leaves the ORD to it");
        if (r.error != MpaError::NONE)
        {
            continue;
        }
        const MpaEnhancedResult a = MpaProcessAnswer(ends[0], answer);
        if (a.error != MpaError::NONE)
        {
            continue;
        }
        succeeded++;
        if (offer.ord != ULP && answer.ird != ULP)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(a.ord, r.ird, "Initiator ORD, Responder IRD");
            IWARP_COVERS("ENH-9.1-7 ENH-9.1-16 ENH-3-1");
        }
        if (offer.ird != ULP && answer.ord != ULP)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(r.ord, a.ird, "Responder ORD, Initiator IRD");
            IWARP_COVERS("ENH-9.1-8 ENH-9.1-10 ENH-9.1-12");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(ends[1].minOrd, r.ord, "the ORD that is needed");
        }
        if (r.ird != ULP)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(r.ird, ends[1].maxIrd, "within resources");
        }
        if (a.ird != ULP)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(a.ird, ends[0].maxIrd, "within resources");
        }
        const bool agreed = (a.rtr == MpaRtr::SEND && r.rtrKinds.send) ||
                            (a.rtr == MpaRtr::WRITE && r.rtrKinds.write) ||
                            (a.rtr == MpaRtr::READ && r.rtrKinds.read && answer.ird > 0);
        NS_TEST_ASSERT_MSG_EQ(agreed, offer.peerToPeer, "one kind that both listed");
        IWARP_COVERS("ENH-9.2-12");
    }
    NS_TEST_EXPECT_MSG_GT(succeeded, 5000, "many succeed");
}

/// @brief Configurations that cannot work say so.
IWARP_TEST(mpaEnhanced, "configuration")
{
    MpaEnhancedConfig needy = Enhanced(4, 4, 4, "C");
    needy.minOrd = 5;
    const MpaEnhancedConfig bad[] = {
        Enhanced(4, 4, 4, ""),
        Enhanced(0x4000, 4, 0x3FFE, "C"),
        Enhanced(4, 0x4000, 4, "C"),
        Enhanced(4, 4, 0x3FFF, "C"),
        Enhanced(5, 4, 4, "C"),
        needy,
    };
    for (const auto& config : bad)
    {
        NS_TEST_EXPECT_MSG_NE(MpaCheckEnhanced(config), nullptr, "cannot work");
    }
    NS_TEST_EXPECT_MSG_EQ(MpaCheckEnhanced(MpaEnhancedConfig()), nullptr, "defaults work");
    NS_TEST_EXPECT_MSG_EQ(MpaCheckEnhanced(Enhanced(ULP, ULP, 4, "B")), nullptr, "ULP's");
    IWARP_COVERS("ENH-9.2-5 ENH-9.1-22");
}
