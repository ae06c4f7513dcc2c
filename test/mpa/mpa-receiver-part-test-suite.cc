/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-random.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace mpatest;

/// Suite of segments that are taken in part.
IWARP_TEST_SUITE(mpaReceiverPart, "mpa-receiver-part");

/// How much of a segment needs no memory.
struct MpaReceiverWhole : TestCase
{
    using TestCase::TestCase;

    /// Limits of a memory shared with others
    struct Room
    {
        uint64_t inOrder; //!< octets that may be held in addition
        uint64_t behind;  //!< octets of the FPDU behind one that ends
    };

    /// A segment
    struct Piece
    {
        uint32_t from; //!< first position
        uint32_t to;   //!< behind the last one
    };

    /**
     * @param stream where from
     * @param before segments that came
     * @param room left then
     * @param last segment
     * @param whole octets at its beginning that may be taken; all of it if that is its size
     * @param what for messages
     */
    void Check(const Stream& stream,
               const std::vector<Piece>& before,
               Room room,
               Piece last,
               uint32_t whole,
               const std::string& what)
    {
        ReceiverProbe probe(ReceiverConfig(stream));
        for (const auto& piece : before)
        {
            probe.Feed(stream, piece.from, piece.to);
        }
        probe.receiver.SetRoom(room.inOrder, 0, room.behind);
        const uint64_t held = probe.receiver.GetHeld();
        const std::size_t passed = probe.passed.size();
        const uint32_t size = last.to - last.from;
        const auto report = probe.Feed(stream, last.from, last.to);
        if (whole == size)
        {
            NS_TEST_EXPECT_MSG_EQ(report.dropped, false, what);
            NS_TEST_EXPECT_MSG_EQ(report.whole, 0, what);
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(report.dropped, true, what);
        NS_TEST_EXPECT_MSG_EQ(report.memoryFull, true, what);
        NS_TEST_EXPECT_MSG_EQ(report.whole, whole, what);
        NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetHeld(), held, what << ", nothing has changed");
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), passed, what << ", nothing has passed");
        if (whole == 0)
        {
            return;
        }
        const auto part = probe.Feed(stream, last.from, last.from + whole);
        NS_TEST_EXPECT_MSG_EQ(part.dropped, false, what << ", so much of it is taken");
        NS_TEST_EXPECT_MSG_EQ(part.stored, 0, what << " and needs no memory");
        NS_TEST_EXPECT_MSG_GT(probe.passed.size(), passed, what << ", FPDUs pass");
        NS_TEST_EXPECT_MSG_EQ(probe.Same(stream), true, what << ", as they were posted");
    }
};

IWARP_TEST(mpaReceiverPart, "up to the last FPDU that a refused segment ends", MpaReceiverWhole)
{
    Stream plain(false);
    plain.PostSizes({994, 994, 994, 994});
    NS_TEST_ASSERT_MSG_EQ(plain.fpdus[3].end, 4000, "layout");
    Check(plain, {}, {140, 140}, {0, 1140}, 1140, "a tail that fits");
    Check(plain, {}, {140, 140}, {0, 1141}, 1000, "a tail that does not");
    Check(plain, {}, {0, 0}, {0, 2999}, 2000, "two FPDUs and a part");
    Check(plain, {}, {0, 0}, {0, 3000}, 3000, "whole FPDUs");
    Check(plain, {}, {500, 0}, {0, 1001}, 1000, "room, but not behind an FPDU");
    Check(plain, {}, {500, 0}, {0, 500}, 500, "room for the FPDU itself");
    Check(plain, {}, {499, 999}, {0, 500}, 0, "no FPDU ends");
    Check(plain, {{0, 600}}, {0, 0}, {600, 1400}, 400, "the end of an FPDU and a part");
    Check(plain, {{0, 600}}, {0, 0}, {500, 1400}, 500, "the same, some of which has come before");
    Check(plain, {{0, 600}}, {0, 400}, {600, 1400}, 800, "with room behind");
    Check(plain, {{0, 600}}, {0, 399}, {600, 1400}, 400, "with too little");
    Check(plain, {{0, 600}}, {0, 999}, {600, 700}, 0, "the FPDU goes on");
    Check(plain, {{0, 600}, {1000, 1300}}, {0, 0}, {600, 1000}, 400, "octets wait behind it");
    Check(plain,
          {{1400, 1700}},
          {0, 0},
          {0, 1400},
          1000,
          "what waits out of order is held behind the FPDU with it");
    Check(plain, {{2000, 3000}}, {0, 0}, {0, 1500}, 1000, "out of order besides");

    Stream marked(true);
    marked.PostSizes({1442, 1442, 1442});
    NS_TEST_ASSERT_MSG_EQ(marked.fpdus[1].start, 1460, "layout");
    Check(marked, {}, {100, 100}, {0, 1561}, 1460, "with Markers");
    Check(marked, {{1460, 2920}}, {0, 0}, {0, 1460}, 1460, "an FPDU behind that has passed");

    // a fault is the reason, whatever the memory
    plain.octets[998] ^= 1;
    ReceiverProbe faulty(ReceiverConfig(plain));
    faulty.receiver.SetRoom(0, 0, 0);
    const auto report = faulty.Feed(plain, 0, 1400);
    NS_TEST_EXPECT_MSG_EQ(report.whole, 0, "no part of it is good");
    NS_TEST_EXPECT_MSG_EQ(faulty.errors.size(), 1, "told");
}

/// Senders that are not aligned and share a memory: each segment in order that ends an FPDU is
/// taken that far, whatever others hold.
IWARP_TEST(mpaReceiverPart, "each segment that ends an FPDU gets on in a full memory")
{
    uint32_t parts = 0;
    uint32_t refused = 0;
    for (uint32_t seed = 0; seed < 300; ++seed)
    {
        Dice dice(seed + 70000);
        const uint32_t ulpdu = 100 + dice.Below(1400);
        const Stream stream = RandomStream(dice, dice.Chance(50), true, 40 * ulpdu, ulpdu);
        const auto size = static_cast<uint32_t>(stream.octets.size());
        const uint32_t emss = ulpdu + 20 + dice.Below(300);
        ReceiverProbe probe(ReceiverConfig(stream));
        uint32_t edge = 0;
        while (edge < size)
        {
            const auto fpdu = std::find_if(stream.fpdus.begin(),
                                           stream.fpdus.end(),
                                           [edge](const auto& f) { return f.end > edge; });
            const uint32_t to = std::min(edge + 1 + dice.Below(emss), size);
            const uint64_t held = probe.receiver.GetHeld();
            const uint64_t room = dice.Chance(50) ? 0 : dice.Below(ulpdu);
            probe.receiver.SetRoom(room, room, dice.Below(2) * room);
            auto report = probe.Feed(stream, edge, to);
            uint32_t taken = report.dropped ? 0 : to - edge;
            if (report.whole > 0)
            {
                ++parts;
                taken = report.whole;
                report = probe.Feed(stream, edge, edge + taken);
            }
            NS_TEST_ASSERT_MSG_EQ((fpdu->end <= to && taken < fpdu->end - edge),
                                  false,
                                  "the FPDU that ends is taken, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(report.dropped, (taken == 0), "seed " << seed);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(probe.receiver.GetHeld(), held + room, "seed " << seed);
            refused += taken == 0 ? 1 : 0;
            edge += taken;
            probe.receiver.Advance(1000 + edge);
        }
        NS_TEST_ASSERT_MSG_EQ(probe.delivered, stream.fpdus.size(), "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(probe.Same(stream), true, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetHeld(), 0, "seed " << seed);
        IWARP_COVERS("MPA-A.5.2-05");
    }
    NS_TEST_EXPECT_MSG_GT(parts, 1000, "segments were taken in part");
    NS_TEST_EXPECT_MSG_GT(refused, 1000, "and not at all");
}
