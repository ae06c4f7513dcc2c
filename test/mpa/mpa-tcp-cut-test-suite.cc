/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/record-boundary-map.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <random>
#include <set>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpCut, "mpa-tcp-cut");

/// The map of boundaries against a plain ordered set.
IWARP_TEST(mpaTcpCut, "boundaries agree with an ordered set")
{
    std::mt19937 random(5044);
    RecordBoundaryMap map;
    std::set<uint64_t> oracle{0};
    for (uint32_t step = 0; step < 20000; ++step)
    {
        const uint64_t back = *oracle.rbegin();
        if (random() % 3 || oracle.size() < 3)
        {
            const uint64_t end = back + 1 + random() % 3000;
            map.Append(end);
            oracle.insert(end);
        }
        else
        {
            const uint64_t low = *oracle.begin();
            const uint64_t at = low + random() % (back - low + 1);
            map.DropUpTo(at);
            oracle.erase(oracle.begin(), std::prev(oracle.upper_bound(at)));
        }
        NS_TEST_ASSERT_MSG_EQ(map.GetBack(), *oracle.rbegin(), "back");
        NS_TEST_ASSERT_MSG_EQ(map.GetSize(), oracle.size() - 1, "size");
        const uint64_t low = *oracle.begin();
        const uint64_t at = low + random() % (map.GetBack() - low + 1);
        NS_TEST_ASSERT_MSG_EQ(map.UpTo(at), *std::prev(oracle.upper_bound(at)), "up to");
        NS_TEST_ASSERT_MSG_EQ(map.IsBoundary(at), oracle.count(at), "boundary");
        if (at < map.GetBack())
        {
            NS_TEST_ASSERT_MSG_EQ(map.After(at), *oracle.upper_bound(at), "after");
        }
    }
}

/// The cutting rule alone.
IWARP_TEST(mpaTcpCut, "the cutting rule")
{
    RecordBoundaryMap records;
    uint64_t end = 0;
    for (uint32_t size : {500, 500, 500, 4000, 100, 1460, 1361, 99, 1})
    {
        records.Append(end += size);
    }
    auto full = [&records](uint64_t at, bool packing) {
        return RecordFullSegment(records, at, 1460, packing);
    };
    NS_TEST_ASSERT_MSG_EQ(full(0, true), 1000U, "two of 500 fit, the third does not");
    IWARP_COVERS("MPA-A.1-02 MPA-5.1-05");
    NS_TEST_ASSERT_MSG_EQ(full(0, false), 500U, "no packing");
    NS_TEST_ASSERT_MSG_EQ(full(1000, true), 500U, "the long one goes alone");
    NS_TEST_ASSERT_MSG_EQ(full(1500, true), 1460U, "first part of the long one");
    NS_TEST_ASSERT_MSG_EQ(full(2960, true), 1460U, "second part");
    NS_TEST_ASSERT_MSG_EQ(full(4420, true), 1080U, "its rest goes alone, though 100 more fit");
    NS_TEST_ASSERT_MSG_EQ(full(5500, true), 100U, "the next one would not fit");
    NS_TEST_ASSERT_MSG_EQ(full(5600, true), 1460U, "exactly an EMSS");
    IWARP_COVERS("MPA-A.1-01");
    NS_TEST_ASSERT_MSG_EQ(full(7060, true), 1460U, "99 octets left, and 99 used");
    IWARP_COVERS("MPA-4.5-11");
    NS_TEST_ASSERT_MSG_EQ(full(8520, true), 1U, "the last one");
    NS_TEST_ASSERT_MSG_EQ(full(250, true), 250U, "the rest of one that was cut goes alone");
    NS_TEST_ASSERT_MSG_EQ(RecordWholeSegment(records, 0, 999, true), 500U, "narrow window");
    NS_TEST_ASSERT_MSG_EQ(RecordWholeSegment(records, 0, 499, true), 0U, "no whole record fits");
    NS_TEST_ASSERT_MSG_EQ(RecordWholeSegment(records, 1500, 1460, true), 0U, "nor a long one");
    NS_TEST_ASSERT_MSG_EQ(RecordWholeSegment(records, 4420, 1080, true), 1080U, "but its rest");
}

/// What SegmentCountTest compares with.
struct CutCount
{
    uint32_t size;     //!< octets of each record
    uint32_t number;   //!< records
    uint32_t aligned;  //!< segments with alignment and packing
    uint32_t unpacked; //!< with alignment, without packing
    uint32_t stream;   //!< without alignment
};

/**
 * @ingroup iwarp-test
 * Segments that a number of waiting records take, against the closed forms of RFC 5044 B.2.2.
 */
class SegmentCountTest : public TestCase
{
  public:
    SegmentCountTest(const CutCount& count, bool sack)
        : TestCase(std::to_string(count.number) + " records of " + std::to_string(count.size) +
                   (sack ? ", SACK" : "")),
          m_count(count),
          m_sack(sack)
    {
    }

  private:
    std::unique_ptr<MpaTcpRun> Go(bool alignment, bool packing)
    {
        MpaTcpSetup setup;
        setup.timestamps = false;
        setup.sack = m_sack;
        setup.sndBuf = m_count.size * m_count.number + 1;
        setup.records.assign(m_count.number, m_count.size);
        setup.booleans = {{"Alignment", alignment}, {"Packing", packing}};
        setup.realOctets = true;
        auto run = std::make_unique<MpaTcpRun>(setup);
        run->Run();
        NS_TEST_EXPECT_MSG_EQ(run->received, uint64_t(m_count.size) * m_count.number, "all there");
        NS_TEST_EXPECT_MSG_EQ(run->intact, true, "the octets do not change");
        IWARP_COVERS("MPA-A.1-07");
        return run;
    }

    void DoRun() override
    {
        auto packed = Go(true, true);
        NS_TEST_EXPECT_MSG_EQ(packed->CountData(), m_count.aligned, "aligned and packed");
        auto unpacked = Go(true, false);
        NS_TEST_EXPECT_MSG_EQ(unpacked->CountData(), m_count.unpacked, "aligned, one each");
        auto stream = Go(false, true);
        NS_TEST_EXPECT_MSG_EQ(stream->CountData(), m_count.stream, "octet stream");
        IWARP_COVERS("MPA-B.2.2-03 MPA-A.2-06 MPA-B.2.2-05 MPA-B.2.2-12 MPA-B.2.2-07 MPA-5.1-05");
        if (m_count.size <= 1460)
        {
            for (const auto& run : {packed.get(), unpacked.get()})
            {
                NS_TEST_EXPECT_MSG_EQ(run->cutReasons.size(), 0U, "nothing is cut");
                for (const auto& cut : run->cuts)
                {
                    NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "aligned at " << cut.seq);
                }
                IWARP_COVERS("MPA-A.1-01 MPA-B-03");
            }
            const uint32_t perSegment = 1460 / m_count.size * m_count.size;
            NS_TEST_EXPECT_MSG_EQ(packed->cuts.front().size, perSegment, "size");
            IWARP_COVERS("MPA-B.2.2-04");
        }
        // Without alignment a segment starts with a record where the sizes happen to agree
        uint32_t atStart = 0;
        uint32_t expected = 0;
        for (uint64_t i = 0; i < stream->cuts.size(); ++i)
        {
            atStart += stream->cuts[i].headerAligned;
            expected += (i * 1460) % m_count.size == 0;
        }
        NS_TEST_EXPECT_MSG_EQ(atStart, expected, "aligned by chance only");
        IWARP_COVERS("MPA-5.1-07 MPA-5.1-06");
    }

    CutCount m_count; //!< what to compare with
    bool m_sack;      //!< SACK
};

IWARP_TEST_CASES(mpaTcpCut)
{
    // 732 is the worst case, 600 and 500 leave room, 200 and less are packed, above 732 the
    // effect falls to none at 1460
    for (const CutCount& count : std::vector<CutCount>{{732, 1000, 1000, 1000, 502},
                                                       {600, 1000, 500, 1000, 411},
                                                       {500, 1000, 500, 1000, 343},
                                                       {200, 1001, 143, 1001, 138},
                                                       {100, 1000, 72, 1000, 69},
                                                       {72, 1000, 50, 1000, 50},
                                                       {1008, 1000, 1000, 1000, 691},
                                                       {1200, 1000, 1000, 1000, 822},
                                                       {1460, 1000, 1000, 1000, 1000},
                                                       {730, 1000, 500, 1000, 500}})
    {
        for (bool sack : {false, true})
        {
            suite.AddTestCase(new SegmentCountTest(count, sack));
        }
    }
}

/**
 * A record longer than the EMSS: its first segment begins with it, the next record starts a new
 * one, and each cut is told.
 */
IWARP_TEST(mpaTcpCut, "records longer than the EMSS")
{
    MpaTcpSetup setup;
    setup.timestamps = false;
    setup.realOctets = true;
    setup.records = {4000, 100, 100, 2000, 1460, 1461};
    MpaTcpRun run(setup);
    run.Run();
    NS_TEST_ASSERT_MSG_EQ(run.intact, true, "octets");
    NS_TEST_ASSERT_MSG_EQ(run.received, 9121U, "all there");

    struct Expected
    {
        uint32_t size;
        bool header;
        bool whole;
    };

    const std::vector<Expected> expected{{1460, true, false},
                                         {1460, false, false},
                                         {1080, false, false},
                                         {200, true, true},
                                         {1460, true, false},
                                         {540, false, false},
                                         {1460, true, true},
                                         {1460, true, false},
                                         {1, false, false}};
    NS_TEST_ASSERT_MSG_EQ(run.cuts.size(), expected.size(), "segments");
    for (size_t i = 0; i < expected.size(); ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(run.cuts[i].size, expected[i].size, "size of " << i);
        NS_TEST_EXPECT_MSG_EQ(run.cuts[i].headerAligned, expected[i].header, "start of " << i);
        NS_TEST_EXPECT_MSG_EQ(run.cuts[i].recordAligned, expected[i].whole, "end of " << i);
    }
    IWARP_COVERS("MPA-2-03");
    NS_TEST_EXPECT_MSG_EQ(run.cutReasons[MpaTcpSocket::CutReason::EMSS], 4U, "cuts");
    NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 1U, "no other reason");
    IWARP_COVERS("MPA-4.5-09");
}

/**
 * Small records and Nagle's algorithm: records
 * of 100 octets, one each 100 us. Without delay each goes at once; with Nagle they gather while an
 * ACK is on its way, so that more share a segment the longer the round trip takes.
 */
struct NagleTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t RECORDS = 400; //!< records sent

    std::unique_ptr<MpaTcpRun> Go(bool noDelay, Time delay, uint32_t records = RECORDS)
    {
        MpaTcpSetup setup;
        setup.timestamps = false;
        setup.noDelay = noDelay;
        setup.delay = delay;
        setup.delAck = 1;
        setup.closeAtEnd = false;
        auto run = std::make_unique<MpaTcpRun>(setup);
        for (uint32_t i = 0; i < records; ++i)
        {
            Simulator::Schedule(Seconds(2) + MicroSeconds(100 * i),
                                [r = run.get()]() { r->sender->Send(Create<Packet>(100)); });
        }
        run->Run();
        NS_TEST_EXPECT_MSG_EQ(run->received, 100U * records, "all there");
        NS_TEST_EXPECT_MSG_EQ(run->cutReasons.size(), 0U, "nothing is cut");
        return run;
    }
};

IWARP_TEST(mpaTcpCut, "small records with and without Nagle", NagleTest)
{
    NS_TEST_EXPECT_MSG_EQ(Go(true, MilliSeconds(10), 100)->cuts.size(),
                          100U,
                          "no delay: one record a segment, whatever the round trip");
    IWARP_COVERS("MPA-A.2-09 MPA-A.2-02");
    NS_TEST_EXPECT_MSG_EQ(Go(false, MicroSeconds(10))->cuts.size(),
                          RECORDS,
                          "the ACK is back before the next record");
    IWARP_COVERS("MPA-A.2-04");
    // Round trip 1.002 ms: the first record goes alone, then 10 or 11 at a time
    auto run = Go(false, MicroSeconds(500));
    NS_TEST_EXPECT_MSG_EQ_TOL(run->cuts.size(), RECORDS / 10.0, 3.0, "10 in a round trip");
    IWARP_COVERS("MPA-A.2-05 MPA-A.2-04");
    // 20 ms: 14 fill a segment, which need not wait
    run = Go(false, MilliSeconds(10));
    NS_TEST_EXPECT_MSG_EQ_TOL(run->cuts.size(), RECORDS / 14.0, 3.0, "14 fill a segment");
    NS_TEST_EXPECT_MSG_EQ(run->cuts[1].size, 1400U, "full, as far as whole records go");
    IWARP_COVERS("MPA-A.2-11");
}

/**
 * GetRoomInSegment() while records wait, and the sequence
 * numbers of what comes next.
 */
IWARP_TEST(mpaTcpCut, "room left in the segment")
{
    MpaTcpSetup setup;
    setup.timestamps = false;
    setup.sndBuf = 1000000;
    setup.closeAtEnd = false;
    MpaTcpRun run(setup);
    auto socket = [&run]() { return DynamicCast<MpaTcpSocket>(run.sender); };
    auto send = [&](uint32_t size) {
        run.sender->Send(Create<Packet>(size));
        return socket()->GetRoomInSegment();
    };
    Simulator::Schedule(Seconds(1.5), [&]() {
        NS_TEST_EXPECT_MSG_EQ(socket()->GetEmss(), 1460U, "EMSS");
        NS_TEST_EXPECT_MSG_EQ(socket()->GetNextTxOctet().GetValue(), 1U, "behind the SYN");
        NS_TEST_EXPECT_MSG_EQ(socket()->GetRoomInSegment(), 1460U, "nothing waits");
        NS_TEST_EXPECT_MSG_EQ(send(700), 760U, "700 in the segment");
        NS_TEST_EXPECT_MSG_EQ(send(700), 60U, "1400 in the segment");
        IWARP_COVERS("MPA-4.5-05");
        NS_TEST_EXPECT_MSG_EQ(send(100), 1360U, "does not fit: a new one");
        NS_TEST_EXPECT_MSG_EQ(send(1360), 0U, "full");
        NS_TEST_EXPECT_MSG_EQ(send(1), 1459U, "a new one");
        NS_TEST_EXPECT_MSG_EQ(send(3000), 1460U, "a long one lets nobody join");
        NS_TEST_EXPECT_MSG_EQ(send(10), 1450U, "so that the next one starts a segment");
        NS_TEST_EXPECT_MSG_EQ(socket()->GetNextTxOctet().GetValue(), 5872U, "next octet");
    });
    Simulator::Schedule(Seconds(2), [&]() {
        NS_TEST_EXPECT_MSG_EQ(socket()->GetRoomInSegment(), 1460U, "all has been sent");
        for (uint32_t i = 0; i < 200; ++i)
        { // more than the congestion window takes
            send(730);
        }
    });
    Simulator::Schedule(Seconds(2.000020), [&]() {
        NS_TEST_EXPECT_MSG_EQ(socket()->GetRoomInSegment(), 0U, "an even number waits");
        NS_TEST_EXPECT_MSG_EQ(send(400), 1060U, "a new one");
        socket()->SetPathMtu(1040);
        NS_TEST_EXPECT_MSG_EQ(socket()->GetRoomInSegment(), 600U, "of 1000 now");
    });
    run.Run();
    std::vector<uint32_t> sizes;
    for (size_t i = 0; i < 7; ++i)
    {
        sizes.push_back(run.cuts[i].size);
    }
    NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint32_t>{1400, 1460, 1, 1460, 1460, 80, 10}),
                          true,
                          "as foretold");
    NS_TEST_EXPECT_MSG_EQ(run.received, 5871U + 200 * 730 + 400, "all there");
}

} // namespace
