/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-enhanced-words.h"

#include "ns3/mpa-enhanced.h"

#include <cstdint>

using namespace ns3;
using namespace mpatest;

/// @brief Suite of worked negotiations.
IWARP_TEST_SUITE(mpaEnhancedExamples, "mpa-enhanced-examples");

/// @brief Worked negotiations: Request's word, Reply's word, and what both ends settle.
struct MpaEnhancedExamplesTest : TestCase
{
    using TestCase::TestCase;

    static constexpr auto none = MpaError::NONE; //!< no Terminate

    /// What an end settles
    struct Settled
    {
        uint16_t ird;                   //!< its IRD
        uint16_t ord;                   //!< its ORD
        MpaError error{MpaError::NONE}; //!< code of its Terminate
        MpaRtr rtr{MpaRtr::NONE};       //!< its first message
    };

    /// A negotiation
    struct Row
    {
        const char* name;            //!< for people
        MpaEnhancedConfig initiator; //!< Initiator
        uint32_t offer;              //!< word in the Request
        MpaEnhancedConfig responder; //!< Responder
        uint32_t answer;             //!< word in the Reply
        Settled atResponder;         //!< what comes of it there
        Settled atInitiator;         //!< and at the other end
    };

    /// @param result of a negotiation @param settled what was to come of it @param peer word that
    /// the other end has sent @param row negotiation
    void Check(const MpaEnhancedResult& result,
               const Settled& settled,
               uint32_t peer,
               const Row& row)
    {
        NS_TEST_EXPECT_MSG_EQ(result.ird, settled.ird, row.name);
        NS_TEST_EXPECT_MSG_EQ(result.ord, settled.ord, row.name);
        NS_TEST_EXPECT_MSG_EQ((result.error == settled.error), true, row.name);
        NS_TEST_EXPECT_MSG_EQ((result.rtr == settled.rtr), true, row.name);
        NS_TEST_EXPECT_MSG_EQ(result.peerIrd, Word(peer).ird, row.name);
        NS_TEST_EXPECT_MSG_EQ(result.peerOrd, Word(peer).ord, row.name);
        NS_TEST_EXPECT_MSG_EQ(result.peerToPeer, row.initiator.peerToPeer, row.name);
    }

    /// @param config configuration @return the same for the peer-to-peer model
    static MpaEnhancedConfig P2p(MpaEnhancedConfig config)
    {
        config.peerToPeer = true;
        return config;
    }

    /// @param config configuration @param ord ORD needed @return both
    static MpaEnhancedConfig Need(MpaEnhancedConfig config, uint16_t ord)
    {
        config.minOrd = ord;
        return config;
    }

    /// @param config configuration @return the same, strict
    static MpaEnhancedConfig Strict(MpaEnhancedConfig config)
    {
        config.strictIrd = true;
        return config;
    }

    /// Negotiate, and compare both words and what either end makes of them. @param row negotiation
    void Negotiate(const Row& row)
    {
        NS_TEST_EXPECT_MSG_EQ(MpaCheckEnhanced(row.initiator), nullptr, row.name);
        NS_TEST_EXPECT_MSG_EQ(MpaCheckEnhanced(row.responder), nullptr, row.name);
        NS_TEST_EXPECT_MSG_EQ(Number(MpaMakeOffer(row.initiator)), row.offer, row.name);
        IWARP_COVERS("ENH-9.1-3 ENH-9.1-4 ENH-9.3-1");
        MpaEnhancedWord answer;
        const MpaEnhancedResult r = MpaMakeAnswer(row.responder, Word(row.offer), answer);
        NS_TEST_EXPECT_MSG_EQ(Number(answer), row.answer, row.name);
        IWARP_COVERS("ENH-9.3-2");
        Check(r, row.atResponder, row.offer, row);
        IWARP_COVERS("ENH-9.1-5");
        Check(MpaProcessAnswer(row.initiator, Word(row.answer)), row.atInitiator, row.answer, row);
    }

    /// Models, and kinds of indications.
    void TryKinds()
    {
        Negotiate({"normal",
                   P2p(Enhanced(16, 8, 32, "CD")),
                   0x8010C008,
                   Enhanced(1, 16, 32, "C"),
                   0x80088010,
                   {8, 16},
                   {16, 8, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-9.2-3");
        Negotiate({"client-server",
                   Enhanced(16, 8, 32, "CD"),
                   0x00100008,
                   Enhanced(1, 16, 32, "BCD"),
                   0x00080010,
                   {8, 16},
                   {16, 8}});
        IWARP_COVERS("ENH-1.1-2 ENH-9.2-17 ENH-9.2-19 ENH-9.3-2");
        Negotiate({"a kind that was not offered",
                   P2p(Enhanced(16, 8, 32, "CD")),
                   0x8010C008,
                   Enhanced(1, 16, 32, "BC"),
                   0xC0088010,
                   {8, 16},
                   {16, 8, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-9.2-2 ENH-9.2-10");
        Negotiate({"the Initiator picks one of two",
                   P2p(Enhanced(4, 4, 32, "CD")),
                   0x8004C004,
                   Enhanced(4, 4, 32, "CD"),
                   0x8004C004,
                   {4, 4},
                   {4, 4, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-1.1-3 ENH-9.2-7");
        Negotiate({"Read and Send, Read first",
                   P2p(Enhanced(4, 4, 32, "BD")),
                   0xC0044004,
                   Enhanced(4, 4, 32, "BCD"),
                   0x8004C004, // Send is left out, since Read will do
                   {4, 4},
                   {4, 4, none, MpaRtr::READ}});
        IWARP_COVERS("ENH-9.2-4 ENH-9.2-8");
        Negotiate({"Send alone",
                   P2p(Enhanced(4, 4, 32, "B")),
                   0xC0040004,
                   Enhanced(4, 4, 32, "BCD"),
                   0xC004C004,
                   {4, 4},
                   {4, 4, none, MpaRtr::SEND}});
        IWARP_COVERS("ENH-9.2-9");
        Negotiate({"no common kind",
                   P2p(Enhanced(16, 8, 32, "D")),
                   0x80104008,
                   Enhanced(1, 16, 32, "B"),
                   0xC0080010,
                   {8, 16},
                   {16, 8, MpaError::NO_RTR}});
        IWARP_COVERS("ENH-9.2-11 ENH-9.2-13");
        Negotiate({"Read as an indication although nothing is read",
                   P2p(Enhanced(4, 0, 32, "D")),
                   0x80044000,
                   Enhanced(0, 16, 32, "D"),
                   0x80014004,
                   {1, 4},
                   {4, 0, none, MpaRtr::READ}});
        IWARP_COVERS("ENH-9.1-6 ENH-9.1-11");
        Negotiate({"no room for a Read, so it is not listed",
                   P2p(Enhanced(0, 0, 0, "BD")),
                   0xC0004000,
                   Enhanced(0, 0, 0, "BD"),
                   0xC0000000,
                   {0, 0},
                   {0, 0, none, MpaRtr::SEND}});
        Negotiate({"no room for a Read, and nothing else",
                   P2p(Enhanced(0, 0, 0, "D")),
                   0x80004000,
                   Enhanced(0, 0, 0, "D"),
                   0x80004000,
                   {0, 0},
                   {0, 0, MpaError::NO_RTR}});
    }

    /// Depths.
    void TryDepths()
    {
        Negotiate({"ORD left to the ULP",
                   P2p(Enhanced(16, ULP, 32, "CD")),
                   0x8010FFFF,
                   Enhanced(32, 16, 32, "C"),
                   0xBFFF8010,
                   {32, 16},
                   {16, ULP, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-9.1-23 ENH-9.1-24");
        Negotiate({"both left to the ULP",
                   Enhanced(ULP, ULP, 32, "CD"),
                   0x3FFF3FFF,
                   Enhanced(32, 16, 64, "C"),
                   0x3FFF3FFF,
                   {32, 16},
                   {ULP, ULP}});
        IWARP_COVERS("ENH-9.1-23 ENH-9.1-24 ENH-9.1-27");
        Negotiate({"Responder needs more reads",
                   P2p(Enhanced(2, 8, 32, "C")),
                   0x80028008,
                   Need(Enhanced(1, 8, 32, "C"), 8),
                   0x80088008,
                   {8, 2, MpaError::INSUFFICIENT_IRD},
                   {8, 8, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-9.1-13");
        Negotiate({"Responder short of resources",
                   P2p(Enhanced(16, 64, 128, "C")),
                   0x80108040,
                   Enhanced(16, 16, 32, "C"),
                   0x80208010,
                   {32, 16},
                   {16, 32, none, MpaRtr::WRITE}});
        IWARP_COVERS("ENH-9.1-16");
        Negotiate({"the same, both strict",
                   Strict(P2p(Enhanced(16, 64, 128, "C"))),
                   0x80108040,
                   Strict(Enhanced(16, 16, 32, "C")),
                   0x80208010,
                   {32, 16, MpaError::INSUFFICIENT_IRD},
                   {16, 32, MpaError::INSUFFICIENT_IRD, MpaRtr::WRITE}});
        Negotiate({"largest depths",
                   Enhanced(16382, 16382, 16382, "C"),
                   0x3FFE3FFE,
                   Enhanced(1, 16382, 16382, "C"),
                   0x3FFE3FFE,
                   {16382, 16382},
                   {16382, 16382}});
        IWARP_COVERS("ENH-12-1");
        const MpaEnhancedResult kept = MpaProcessAnswer(Enhanced(4, 24, 32, "C"), Word(0x3FFF3FFF));
        NS_TEST_EXPECT_MSG_EQ(kept.ord, 24, "the Responder's IRD is left to the ULP");
        IWARP_COVERS("ENH-9.1-25");
        NS_TEST_EXPECT_MSG_EQ(kept.ird, 4, "and its ORD");
        IWARP_COVERS("ENH-9.1-28");
    }

    /// Peers that break rules.
    void TryRuleBreakers()
    {
        MpaEnhancedWord answer;
        MpaMakeAnswer(Enhanced(8, 16, 32, "BCD"), Word(0x4010C008), answer);
        NS_TEST_EXPECT_MSG_EQ(Number(answer), 0x00080010, "flags without A are ignored");
        IWARP_COVERS("ENH-9.2-20");
        MpaMakeAnswer(Enhanced(8, 16, 32, "B"), Word(0x80100008), answer);
        NS_TEST_EXPECT_MSG_EQ(Number(answer), 0xC0080010, "A without a kind gets one");
        IWARP_COVERS("ENH-12-1");
        const MpaEnhancedConfig strict = Strict(Enhanced(4, 16, 8, "C"));
        NS_TEST_EXPECT_MSG_EQ((MpaMakeAnswer(strict, Word(0x00100008), answer).error == none),
                              true,
                              "as many reads as there are resources for");
        NS_TEST_EXPECT_MSG_EQ(
            (MpaMakeAnswer(strict, Word(0x00100009), answer).error == MpaError::INSUFFICIENT_IRD),
            true,
            "one more");
        const MpaEnhancedConfig four = P2p(Enhanced(4, 4, 4, "C"));
        NS_TEST_EXPECT_MSG_EQ(
            (MpaProcessAnswer(four, Word(0x80048010)).error == MpaError::INSUFFICIENT_IRD),
            true,
            "more reads than were offered, and no resources for them");
        IWARP_COVERS("ENH-9.1-17");
        const MpaEnhancedResult more =
            MpaProcessAnswer(P2p(Enhanced(4, 4, 16, "C")), Word(0x80048010));
        NS_TEST_EXPECT_MSG_EQ((more.error == none), true, "... but with resources");
        NS_TEST_EXPECT_MSG_EQ(more.ird, 16, "as many as the Responder has outbound");
        IWARP_COVERS("ENH-9.1-15");
        NS_TEST_EXPECT_MSG_EQ((MpaProcessAnswer(four, Word(0x00040004)).error == MpaError::NO_RTR),
                              true,
                              "the other connection model");
        const MpaEnhancedResult client = MpaProcessAnswer(Enhanced(4, 4, 4, "C"), Word(0x80048004));
        NS_TEST_EXPECT_MSG_EQ((client.rtr == MpaRtr::NONE), true, "nothing was asked for");
        NS_TEST_EXPECT_MSG_EQ(client.peerToPeer, false, "nothing was asked for");
    }
};

IWARP_TEST(mpaEnhancedExamples, "examples", MpaEnhancedExamplesTest)
{
    TryKinds();
    TryDepths();
    TryRuleBreakers();
}
