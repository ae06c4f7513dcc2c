/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"

#include "ns3/tcp-held-octets.h"

#include <random>
#include <set>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpHeldOctets, "tcp-held-octets");

/// Pieces by hand, across the wrap of sequence numbers.
IWARP_TEST(tcpHeldOctets, "pieces of a segment that are new")
{
    const SequenceNumber32 base(0xffffff00); // 256 octets before the wrap
    TcpHeldOctets held(base);
    NS_TEST_EXPECT_MSG_EQ(held.IsEmpty(), true, "nothing yet");
    held.Add({base + 200, 100}); // around it
    held.Add({base + 400, 50});
    NS_TEST_EXPECT_MSG_EQ(held.GetFirst(), base + 200, "the first");
    const auto pieces = held.FindNew(base + 100, 400);
    NS_TEST_ASSERT_MSG_EQ(pieces.size(), 3, "before, between and behind");
    NS_TEST_EXPECT_MSG_EQ(pieces[0].seq, base + 100, "before");
    NS_TEST_EXPECT_MSG_EQ(pieces[0].size, 100, "before");
    NS_TEST_EXPECT_MSG_EQ(pieces[1].seq, base + 300, "between");
    NS_TEST_EXPECT_MSG_EQ(pieces[1].size, 100, "between");
    NS_TEST_EXPECT_MSG_EQ(pieces[2].seq, base + 450, "behind");
    NS_TEST_EXPECT_MSG_EQ(pieces[2].size, 50, "behind");
    NS_TEST_EXPECT_MSG_EQ(held.FindNew(base + 210, 90).size(), 0, "nothing new");
    held.DropUpTo(base + 420);
    NS_TEST_EXPECT_MSG_EQ(held.GetFirst(), base + 420, "the rest of one");
    held.DropUpTo(base + 450);
    NS_TEST_EXPECT_MSG_EQ(held.IsEmpty(), true, "nothing left");
}

/// Random segments around a window that moves on for several wraps, against a set of octets.
IWARP_TEST(tcpHeldOctets, "agrees with a set of octets")
{
    std::mt19937 random(RandomSeed(5044));
    const uint32_t unit = 50000000; // octets that stand for one of the oracle's
    uint64_t next = 70;             // in units
    TcpHeldOctets held(SequenceNumber32(static_cast<uint32_t>(next * unit)));
    std::set<uint64_t> oracle;
    for (uint32_t step = 0; step < 20000; ++step)
    {
        const uint64_t from = next + random() % 20;
        const uint64_t size = 1 + random() % 10;
        std::set<uint64_t> found;
        for (const auto& piece :
             held.FindNew(SequenceNumber32(static_cast<uint32_t>(from * unit)), size * unit))
        {
            const uint32_t at = (piece.seq.GetValue() - static_cast<uint32_t>(next * unit)) / unit;
            for (uint32_t i = 0; i < piece.size / unit; ++i)
            {
                found.insert(next + at + i);
            }
            held.Add(piece);
        }
        for (uint64_t i = from; i < from + size; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(found.count(i), 1 - oracle.count(i), "octet " << i);
            oracle.insert(i);
        }
        if (random() % 2)
        {
            next += random() % 20;
            held.DropUpTo(SequenceNumber32(static_cast<uint32_t>(next * unit)));
            oracle.erase(oracle.begin(), oracle.lower_bound(next));
        }
        NS_TEST_ASSERT_MSG_EQ(held.IsEmpty(), oracle.empty(), "empty");
        if (!oracle.empty())
        {
            NS_TEST_ASSERT_MSG_EQ(held.GetFirst().GetValue(),
                                  static_cast<uint32_t>(*oracle.begin() * unit),
                                  "first");
        }
    }
    NS_TEST_EXPECT_MSG_GT((next * unit >> 32), 100, "it has wrapped often");
}

} // namespace
