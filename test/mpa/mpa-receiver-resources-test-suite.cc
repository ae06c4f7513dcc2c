/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>
#include <utility>

using namespace ns3;
using namespace mpatest;

/// Suite of operations and memory that a receiver takes.
IWARP_TEST_SUITE(mpaReceiverResources, "mpa-receiver-resources");

/// Operations that an RNIC's timing is made from.
struct MpaReceiverOperations : TestCase
{
    using TestCase::TestCase;

    /// @param r report @return its operations: CRC runs, octets, fetches, stores, state, copies
    static std::string Ops(const RecordSegmentReport& r)
    {
        return std::to_string(r.crcRuns) + " " + std::to_string(r.crcOctets) + " " +
               std::to_string(r.partialCrcFetches) + " " + std::to_string(r.partialCrcStores) +
               " " + std::to_string(r.stateFetches) + " " + std::to_string(r.copies) +
               (r.aligned ? " aligned" : "");
    }
};

IWARP_TEST(mpaReceiverResources, "operations per segment", MpaReceiverOperations)
{
    Stream stream(true);
    stream.PostSizes({1442, 1442, 1442, 1442, 1442, 200, 200});

    // aligned, in order and out of order alike
    ReceiverProbe aligned(ReceiverConfig(stream));
    NS_TEST_EXPECT_MSG_EQ(Ops(aligned.Feed(stream, 0, 1460)), "1 1460 0 0 0 1 aligned", "1st");
    NS_TEST_EXPECT_MSG_EQ(Ops(aligned.Feed(stream, 2920, 4380)),
                          "1 1460 0 0 0 1 aligned",
                          "out of order");
    NS_TEST_EXPECT_MSG_EQ(Ops(aligned.Feed(stream, 1460, 2920)),
                          "1 1460 0 0 0 1 aligned",
                          "closing the gap");
    NS_TEST_EXPECT_MSG_EQ(Ops(aligned.Feed(stream, 4380, 7300)),
                          "2 2920 0 0 0 2 aligned",
                          "n FPDUs, n loops");
    IWARP_COVERS("MPA-B.2.1-11 MPA-B.2.1-12");

    // unaligned, in order
    ReceiverProbe crossing(ReceiverConfig(stream));
    NS_TEST_EXPECT_MSG_EQ(Ops(crossing.Feed(stream, 0, 1000)), "1 1000 0 1 0 0", "start N");
    IWARP_COVERS("MPA-B.2.1-07");
    NS_TEST_EXPECT_MSG_EQ(Ops(crossing.Feed(stream, 1000, 2460)),
                          "2 1460 1 1 1 2",
                          "finish N-1, start N");
    IWARP_COVERS("MPA-B.2.1-04 MPA-B.2.1-05 MPA-B.2.1-07");
    NS_TEST_EXPECT_MSG_EQ(Ops(crossing.Feed(stream, 2460, 2500)), "1 40 1 1 1 0", "middle of N");
    NS_TEST_EXPECT_MSG_EQ(Ops(crossing.Feed(stream, 2500, 2920)), "1 420 1 0 1 3", "finish N");
    IWARP_COVERS("MPA-B.2.1-06");

    // unaligned, out of order: what was held goes through the CRC again
    ReceiverProbe late(ReceiverConfig(stream));
    NS_TEST_EXPECT_MSG_EQ(Ops(late.Feed(stream, 1000, 2460)), "1 1460 0 1 1 0", "held");
    NS_TEST_EXPECT_MSG_EQ(late.receiver.GetHeld(), 1460, "more than a segment can be held");
    IWARP_COVERS("MPA-B.2.1-08");
    NS_TEST_EXPECT_MSG_EQ(Ops(late.Feed(stream, 0, 1000)), "1 1460 1 0 0 2", "closes the gap");
    IWARP_COVERS("MPA-B.2.1-09");
    NS_TEST_EXPECT_MSG_EQ(late.passed.size(), 1, "first FPDU");
    NS_TEST_EXPECT_MSG_EQ(Ops(late.Feed(stream, 2460, 2920)), "1 1460 1 0 1 2", "and second");
    IWARP_COVERS("MPA-4.4-18");

    // two FPDUs in one segment, without Markers: both go through the CRC again
    Stream plain(false);
    plain.PostSizes({1442, 1442, 1442});
    ReceiverProbe two(ReceiverConfig(plain));
    NS_TEST_EXPECT_MSG_EQ(Ops(two.Feed(plain, 1448, 4344)), "1 2896 0 1 1 0", "held");
    NS_TEST_EXPECT_MSG_EQ(Ops(two.Feed(plain, 0, 1448)),
                          "3 4344 2 0 0 3 aligned",
                          "closes the gap");

    // a path MTU cut: one FPDU in three segments of at most 536
    ReceiverProbe cut(ReceiverConfig(stream));
    uint32_t runs = 0;
    for (uint32_t at = 0; at < 1460; at += 536)
    {
        runs += cut.Feed(stream, at, std::min(at + 536, 1460U)).crcRuns;
    }
    NS_TEST_EXPECT_MSG_EQ(runs, 3, "a run a segment");
    NS_TEST_EXPECT_MSG_EQ(cut.Order(), "0+ ", "passed");
    IWARP_COVERS("MPA-B.2.1-02");

    // without CRC there are no CRC operations
    Stream bare(true, false);
    bare.PostSizes({1442, 1442});
    ReceiverProbe off(ReceiverConfig(bare));
    NS_TEST_EXPECT_MSG_EQ(Ops(off.Feed(bare, 0, 1000)), "0 0 0 0 0 0", "CRC off");
    NS_TEST_EXPECT_MSG_EQ(Ops(off.Feed(bare, 1000, 2920)), "0 0 0 0 1 3", "CRC off");
}

/// Reassembly memory.
struct MpaReceiverMemory : TestCase
{
    using TestCase::TestCase;

    /// @param stream stream @param memory limit @param piece octets of each segment
    /// @return FPDUs passed until a segment is refused
    static std::size_t InOrder(const Stream& stream, uint64_t memory, uint32_t piece)
    {
        auto config = ReceiverConfig(stream);
        config.memory = memory;
        ReceiverProbe probe(config);
        for (uint32_t at = 0; at < stream.octets.size(); at += piece)
        {
            const auto to = std::min<uint32_t>(at + piece, stream.octets.size());
            if (probe.Feed(stream, at, to).dropped)
            {
                break;
            }
        }
        return probe.passed.size();
    }

    /// @param stream stream @param piece octets of each segment, 0 for aligned ones
    /// @return most octets held if every second segment comes behind its successor
    static uint64_t Reordered(const Stream& stream, uint32_t piece)
    {
        std::vector<std::pair<uint32_t, uint32_t>> segments;
        for (uint32_t at = 0; piece > 0 && at < stream.octets.size(); at += piece)
        {
            segments.push_back({at, std::min<uint32_t>(at + piece, stream.octets.size())});
        }
        for (const auto& f : stream.fpdus)
        {
            if (piece == 0)
            {
                segments.push_back({f.start, f.end});
            }
        }
        ReceiverProbe probe(ReceiverConfig(stream));
        uint64_t peak = 0;
        for (std::size_t i = 0; i < segments.size(); ++i)
        {
            const std::size_t k = (i ^ 3) < segments.size() ? i ^ 3 : i; // 3 2 1 0 7 6 5 4
            probe.Feed(stream, segments[k].first, segments[k].second);
            peak = std::max(peak, probe.receiver.GetHeld());
        }
        return probe.passed.size() == stream.fpdus.size() ? peak : UINT64_MAX;
    }
};

IWARP_TEST(mpaReceiverResources, "reassembly memory", MpaReceiverMemory)
{
    // 140 octets: one FPDU of 128 with a Marker, over an MTU of 100
    Stream least(true);
    least.PostSizes({128, 128, 128, 128, 128});
    NS_TEST_ASSERT_MSG_EQ(least.fpdus[0].end, 140, "layout");
    NS_TEST_EXPECT_MSG_EQ(InOrder(least, 140, 60), 5, "140 octets are enough");
    NS_TEST_EXPECT_MSG_EQ(InOrder(least, 0, 60), 5, "less is raised to 140");
    IWARP_COVERS("MPA-A.5.2-03");

    // ten FPDUs of 1460 cut again to 960: no progress without a buffer
    Stream recut(true);
    recut.PostSizes(std::vector<uint32_t>(10, 1442));
    NS_TEST_EXPECT_MSG_EQ(InOrder(recut, 140, 960), 0, "deadlock");
    IWARP_COVERS("MPA-A.5.2-05");
    NS_TEST_EXPECT_MSG_EQ(InOrder(recut, 1500, 960), 10, "all pass");
    for (uint32_t piece = 1; piece < 1500; piece += 13)
    {
        NS_TEST_ASSERT_MSG_EQ(InOrder(recut, 1500, piece), 10, "pieces of " << piece);
    }
    IWARP_COVERS("MPA-A.5.2-01 MPA-A.5.2-02");

    // what needs the memory: no Markers and reordering, or lost alignment
    Stream plain(false);
    plain.PostSizes(std::vector<uint32_t>(40, 1442));
    Stream marked(true);
    marked.PostSizes(std::vector<uint32_t>(40, 1442));
    NS_TEST_EXPECT_MSG_EQ(Reordered(marked, 0), 0, "aligned, Markers");
    NS_TEST_EXPECT_MSG_EQ(Reordered(plain, 0), 3 * plain.fpdus[0].end, "aligned, no Markers");
    IWARP_COVERS("MPA-A.5-02");
    NS_TEST_EXPECT_MSG_GT(Reordered(marked, 700), 0, "cut again, Markers");
    NS_TEST_EXPECT_MSG_LT(Reordered(marked, 4000), Reordered(plain, 4000) / 2, "Markers help");
    IWARP_COVERS("MPA-A.5-03");

    // out-of-order data is refused before it takes the room of data in order
    auto config = ReceiverConfig(plain);
    config.memory = 4000;
    config.reserve = 1460;
    ReceiverProbe probe(config);
    const auto f = plain.fpdus;
    NS_TEST_EXPECT_MSG_EQ(probe.Feed(plain, f[2].start, f[2].end).dropped, false, "fits");
    const auto full = probe.Feed(plain, f[4].start, f[4].end);
    NS_TEST_EXPECT_MSG_EQ(full.dropped, true, "reserve");
    NS_TEST_EXPECT_MSG_EQ(full.memoryFull, true, "reserve");
    NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetHeld(), f[2].end - f[2].start, "nothing kept");
    NS_TEST_EXPECT_MSG_EQ(probe.Feed(plain, 0, 1440).dropped, false, "in order");
    NS_TEST_EXPECT_MSG_EQ(probe.Feed(plain, 1440, f[1].end).dropped, false, "in order");
    NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 3, "and out again");
    NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetHeld(), 0, "and out again");
    // the reserve grows to the longest FPDU that was passed
    config.reserve = 0;
    ReceiverProbe grown(config);
    grown.Feed(plain, 0, f[0].end);
    NS_TEST_EXPECT_MSG_EQ(grown.Feed(plain, f[2].start, f[2].end).dropped, false, "fits");
    NS_TEST_EXPECT_MSG_EQ(grown.Feed(plain, f[4].start, f[4].end).dropped, true, "reserve");
    ReceiverProbe fresh(config);
    NS_TEST_EXPECT_MSG_EQ(fresh.Feed(plain, f[2].start, f[2].end).dropped, false, "fits");
    NS_TEST_EXPECT_MSG_EQ(fresh.Feed(plain, f[4].start, f[4].end).dropped, false, "fits");
    NS_TEST_EXPECT_MSG_EQ(fresh.Feed(plain, 0, 1400).dropped, false, "in order all the same");
    NS_TEST_EXPECT_MSG_EQ(fresh.Feed(plain, 1400, f[1].end).dropped, false, "and out again");
    NS_TEST_EXPECT_MSG_EQ(fresh.passed.size(), 3, "and out again");

    // Markers: an FPDU that can be passed at once needs no memory
    config = ReceiverConfig(marked);
    config.memory = 140;
    ReceiverProbe direct(config);
    for (std::size_t i : {3, 2, 5, 1, 0})
    {
        const auto& g = marked.fpdus[i];
        NS_TEST_EXPECT_MSG_EQ(direct.Feed(marked, g.start, g.end).dropped, false, "FPDU " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(direct.passed.size(), 5, "all placed");
}
