/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace mpatest;

/// Suite of lengths and sizes at their limits.
IWARP_TEST_SUITE(mpaReceiverFit, "mpa-receiver-fit");

/// The longest ULPDU, and one octet more.
IWARP_TEST(mpaReceiverFit, "a ULPDU of 64768 octets, where lengths are checked")
{
    for (bool markers : {false, true})
    {
        for (uint32_t size : {64768U, 64769U})
        {
            Stream stream(markers);
            stream.PostSizes({size, 100});
            auto config = ReceiverConfig(stream);
            config.strictLength = true;
            ReceiverProbe probe(config);
            const uint32_t all = stream.octets.size();
            for (uint32_t at = 0; at < all; at += 8948)
            {
                probe.Feed(stream, at, std::min(at + 8948, all));
            }
            const bool good = size == 64768;
            NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), (good ? 2 : 0), size << " octets");
            NS_TEST_EXPECT_MSG_EQ(probe.errors.size(), (good ? 0 : 1), size << " octets");
            NS_TEST_EXPECT_MSG_EQ(probe.Same(stream), true, "as they were posted");
            if (!good)
            {
                NS_TEST_ASSERT_MSG_EQ(probe.errors.empty(), false, "told");
                NS_TEST_EXPECT_MSG_EQ(probe.errors[0], 3, "invalid length");
            }
        }
    }
    IWARP_COVERS("MPA-3-07");
}

/// What fills the memory to the last octet is taken, and an octet more is not.
struct MpaReceiverExactFit : TestCase
{
    using TestCase::TestCase;

    /// A segment
    struct Piece
    {
        uint32_t from; //!< first position
        uint32_t to;   //!< behind the last one
    };

    /// @param stream where from @param memory of the receiver @param before segments that came
    /// @param last segment that fits exactly @param held octets then @param what for messages
    void Check(const Stream& stream,
               uint64_t memory,
               const std::vector<Piece>& before,
               Piece last,
               uint64_t held,
               const std::string& what)
    {
        for (uint32_t more : {0U, 1U})
        {
            const bool full = more > 0;
            auto config = ReceiverConfig(stream);
            config.memory = memory;
            ReceiverProbe probe(config);
            for (const auto& piece : before)
            {
                NS_TEST_ASSERT_MSG_EQ(probe.Feed(stream, piece.from, piece.to).dropped,
                                      false,
                                      what);
            }
            const uint64_t first = probe.receiver.GetHeld();
            const auto report = probe.Feed(stream, last.from, last.to + more);
            NS_TEST_EXPECT_MSG_EQ(report.dropped, full, what << " and " << more);
            NS_TEST_EXPECT_MSG_EQ(report.memoryFull, full, what << " and " << more);
            NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetHeld(), (full ? first : held), what);
        }
    }
};

IWARP_TEST(mpaReceiverFit, "exact fits in the reassembly memory", MpaReceiverExactFit)
{
    Stream plain(false);
    plain.PostSizes({994, 994, 994});
    NS_TEST_ASSERT_MSG_EQ(plain.fpdus[0].end, 1000, "layout");
    Check(plain, 140, {}, {0, 1140}, 140, "an FPDU and a part");
    Check(plain, 140, {}, {0, 140}, 140, "a part");
    Check(plain, 140, {{0, 100}}, {100, 140}, 140, "a part more");
    Check(plain, 140, {{0, 100}}, {100, 1140}, 140, "the rest and a part");
    Check(plain, 1140, {}, {1000, 2000}, 1000, "out of order, besides the reserve");
    Check(plain, 1140, {{1500, 2000}}, {2000, 2500}, 1000, "two of them");
    Check(plain, 1140, {{0, 600}}, {2000, 2540}, 1140, "besides a part that takes more");

    Stream marked(true);
    marked.PostSizes({1442, 1442, 1442});
    NS_TEST_ASSERT_MSG_EQ(marked.fpdus[1].start, 1460, "layout");
    Check(marked, 640, {}, {1460, 2920 + 500}, 500, "out of order, behind an FPDU passed");

    // the same limits where they come from a memory shared with others
    for (uint32_t more : {0U, 1U})
    {
        const bool full = more > 0;
        ReceiverProbe first(ReceiverConfig(plain));
        first.receiver.SetRoom(140, 0);
        NS_TEST_EXPECT_MSG_EQ(first.Feed(plain, 0, 1140 + more).dropped, full, "in place");
        ReceiverProbe next(ReceiverConfig(plain));
        next.Feed(plain, 0, 100);
        next.receiver.SetRoom(40, 0);
        NS_TEST_EXPECT_MSG_EQ(next.Feed(plain, 100, 1140 + more).dropped, full, "in order");
        ReceiverProbe late(ReceiverConfig(plain));
        late.Feed(plain, 2000, 2100);
        late.receiver.SetRoom(0, 900);
        NS_TEST_EXPECT_MSG_EQ(late.Feed(plain, 1000, 1900 + more).dropped, full, "late");
    }
}

/// An FPDU that ends where a Marker stands, which belongs to the next one.
IWARP_TEST(mpaReceiverFit, "an FPDU that ends at a Marker is not proved by it")
{
    Stream stream(true);
    stream.PostSizes({94, 402, 94});
    NS_TEST_ASSERT_MSG_EQ(stream.fpdus[1].start, 104, "layout");
    NS_TEST_ASSERT_MSG_EQ(stream.fpdus[1].end, 512, "it has no Marker");
    NS_TEST_ASSERT_MSG_EQ(stream.fpdus[2].end, 616, "the next one has it");

    ReceiverProbe good(ReceiverConfig(stream));
    good.Feed(stream, 104, 616);
    NS_TEST_EXPECT_MSG_EQ(good.Order(), "512 ", "only what the Marker proves");
    good.Feed(stream, 0, 104);
    NS_TEST_EXPECT_MSG_EQ(good.Order(), "512 0+ 104+ ", "the others by the length chain");
    NS_TEST_EXPECT_MSG_EQ(good.errors.size(), 0, "no error");

    // a Marker that lies: it points to the header of the FPDU before
    stream.octets[514] = 408 >> 8;
    stream.octets[515] = 408 & 0xFF;
    stream.FixCrc(2);
    ReceiverProbe bad(ReceiverConfig(stream));
    bad.Feed(stream, 104, 616);
    NS_TEST_EXPECT_MSG_EQ(bad.Order(), "", "nothing is proved");
    IWARP_COVERS("MPA-6-02 MPA-6-05");
    bad.Feed(stream, 0, 104);
    NS_TEST_EXPECT_MSG_EQ(bad.Order(), "0+ 104+ ", "up to there all is good");
    NS_TEST_ASSERT_MSG_EQ(bad.errors.size(), 1, "an error");
    NS_TEST_EXPECT_MSG_EQ(bad.errors[0], 3, "Marker and length disagree");
    NS_TEST_EXPECT_MSG_EQ(bad.errorAt, 512, "there");
}
