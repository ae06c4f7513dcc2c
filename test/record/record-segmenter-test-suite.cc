/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"

#include "ns3/record-segment-classifier.h"
#include "ns3/record-segmenter.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(recordSegmenter, "record-segmenter");

/// @param limit most octets of the segment @param widest window that the peer has offered @return
/// what a sender with nothing in flight is allowed, where congestion is no matter
TcpSendAllowance
Idle(uint32_t limit, uint32_t widest = 65535)
{
    TcpSendAllowance allowance;
    allowance.widest = widest;
    allowance.limit = limit;
    allowance.window = limit;
    allowance.offered = limit;
    allowance.unsent = UINT32_MAX;
    allowance.idle = true;
    return allowance;
}

/// @param emss EMSS @param records sizes of records @return a segmenter that has them
RecordSegmenter
MakeSegmenter(uint32_t emss, std::initializer_list<uint32_t> records)
{
    RecordSegmenter segmenter;
    segmenter.SetEmss(emss, false);
    for (uint32_t size : records)
    {
        segmenter.Append(size);
    }
    return segmenter;
}

/**
 * What a window that is too narrow does to the next segment (RFC 1122 section
 * 4.2.3.4).
 */
IWARP_TEST(recordSegmenter, "a window that is too narrow")
{
    RecordSegmenter s = MakeSegmenter(1460, {700, 700, 1460, 3000});
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, Idle(1460)).size, 1400, "two records share a segment");
    IWARP_COVERS("MPA-A.1-02");
    auto allowance = Idle(1000);
    allowance.idle = false;
    auto segment = s.Choose(0, allowance);
    NS_TEST_EXPECT_MSG_EQ(segment.size, 0, "an ACK will come: wait");
    NS_TEST_EXPECT_MSG_EQ(segment.wanted, 1400, "for room for both");
    NS_TEST_EXPECT_MSG_EQ(segment.mayOverride, false, "without a timer");
    segment = s.Choose(0, Idle(1000));
    NS_TEST_EXPECT_MSG_EQ(segment.size, 700, "none will come: the records that fit");
    segment = s.Choose(0, Idle(500));
    NS_TEST_EXPECT_MSG_EQ(segment.size, 0, "none fits: wait");
    NS_TEST_EXPECT_MSG_EQ(segment.mayOverride, true, "by the timer");
    allowance = Idle(500);
    allowance.overridden = true;
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, allowance).size, 500, "it has run out: cut");
    allowance.overridden = false;
    allowance.offered = 501;
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, allowance).size, 500, "the peer is not the limit: cut");
    RecordSegmenter narrow = MakeSegmenter(1460, {1460});
    NS_TEST_EXPECT_MSG_EQ(narrow.Choose(0, Idle(500, 1000)).size,
                          500,
                          "half the widest window: cut");
    NS_TEST_EXPECT_MSG_EQ(narrow.Choose(0, Idle(499, 1000)).size, 0, "less: wait");
}

/// A segment of one record stays that when it is sent again, though another fits behind it now.
IWARP_TEST(recordSegmenter, "a segment sent again is no longer than it was")
{
    RecordSegmenter s = MakeSegmenter(1460, {700});
    s.Sent(0, 700);
    s.Append(700);
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(0), 700, "sent before the second was there");
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(700), 700, "the second");
    IWARP_COVERS("MPA-A.1-09");
    RecordSegmenter packed = MakeSegmenter(1460, {700, 700});
    NS_TEST_EXPECT_MSG_EQ(packed.GetFullSize(0), 1400, "both, where neither was sent");
}

/// Which segments that wait become one: those next to each other, where no record begins.
IWARP_TEST(recordSegmenter, "segments that are joined")
{
    RecordSegmentClassifier segments;
    segments.Add(0, 100, true, true);
    segments.Add(200, 300, false, true);
    NS_TEST_EXPECT_MSG_EQ(segments.GetWaiting(), 2, "a hole is between them");
    segments.Add(300, 400, false, true);
    NS_TEST_EXPECT_MSG_EQ(segments.GetWaiting(), 2, "next to the second");
    segments.Add(400, 500, true, true);
    NS_TEST_EXPECT_MSG_EQ(segments.GetWaiting(), 3, "a record begins with it");
    segments.Add(500, 600, false, false);
    NS_TEST_EXPECT_MSG_EQ(segments.GetWaiting(), 4, "not to be joined");
}

/// Without Alignment, segments are as full as TCP likes.
IWARP_TEST(recordSegmenter, "without alignment")
{
    RecordSegmenter s = MakeSegmenter(1460, {700, 700, 1460, 3000});
    s.SetAlignment(false);
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(0), 1460, "an EMSS");
    NS_TEST_EXPECT_MSG_EQ(s.Fit(0, 1000), 1000, "what there is room for");
    IWARP_COVERS("MPA-5.1-07");
    NS_TEST_EXPECT_MSG_EQ(s.GetRoom(0), 1460, "no segment is filled");
    auto allowance = Idle(1000);
    allowance.idle = false;
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, allowance).size, 0, "no silly window");
    allowance.unsent = 1000;
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, allowance).size, 1000, "but the last octets");
    allowance.unsent = 5860;
    allowance.limit = 800;
    allowance.window = 1460;
    NS_TEST_EXPECT_MSG_EQ(s.Choose(0, allowance).size, 800, "or those that are lost");
}

/**
 * Segments keep their ends when they are sent again, as long as the path takes them; records
 * handed over before it became narrow may stay whole.
 */
IWARP_TEST(recordSegmenter, "segments sent again")
{
    RecordSegmenter s = MakeSegmenter(1460, {700, 1460});
    NS_TEST_EXPECT_MSG_EQ(s.Sent(0, 700), false, "new");
    s.Append(100);
    s.Append(700);
    NS_TEST_EXPECT_MSG_EQ(s.Sent(700, 1460), false, "new");
    NS_TEST_EXPECT_MSG_EQ(s.Sent(0, 700), true, "again");
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(0), 700, "as before");
    IWARP_COVERS("MPA-A.1-09");
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(100), 600, "the rest of it");
    NS_TEST_EXPECT_MSG_EQ(s.GetPartBefore(100), 100, "what the peer has of it");
    NS_TEST_EXPECT_MSG_EQ(s.GetPartBefore(700), 0, "all of it");
    NS_TEST_EXPECT_MSG_EQ(s.Fit(700, 1000), 0, "no whole record fits");
    NS_TEST_EXPECT_MSG_EQ(s.Fit(2160, 750), 100, "one of two fits");

    RecordSegmenter whole = s;
    NS_TEST_EXPECT_MSG_EQ(s.SetEmss(1000, false), 1000, "narrow");
    IWARP_COVERS("MPA-A.1-03");
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(0), 700, "still fits");
    NS_TEST_EXPECT_MSG_EQ(s.GetFullSize(700), 1000, "does not");
    NS_TEST_EXPECT_MSG_EQ(s.GetPartBefore(800), 0, "no use to send it as a whole");
    NS_TEST_EXPECT_MSG_EQ(s.IsLongRecord(1700), true, "longer than the EMSS now");
    IWARP_COVERS("MPA-5.1-10");

    NS_TEST_EXPECT_MSG_EQ(whole.SetEmss(1000, true), 1460, "records that are there stay whole");
    whole.Append(300);
    NS_TEST_EXPECT_MSG_EQ(whole.GetFullSize(700), 1460, "in segments as before");
    NS_TEST_EXPECT_MSG_EQ(whole.GetFullSize(2160), 800, "up to the last of them");
    NS_TEST_EXPECT_MSG_EQ(whole.GetFullSize(2960), 300, "apart from new ones");
    NS_TEST_EXPECT_MSG_EQ(whole.EndKeepingWhole(2959), false, "an octet is missing");
    NS_TEST_EXPECT_MSG_EQ(whole.EndKeepingWhole(2960), true, "all have arrived");
    NS_TEST_EXPECT_MSG_EQ(whole.EndKeepingWhole(2960), false, "told once");
    NS_TEST_EXPECT_MSG_EQ(whole.SetEmss(1460, true), 1460, "wider");
}

/// Records and segments as two plain lists: cuts by going through all records each time.
class SlowSegmenter
{
  public:
    std::vector<uint64_t> ends; //!< of the records
    uint64_t sent{0};           //!< octets sent
    uint32_t emss{1460};        //!< EMSS

    /// @return offset behind the last record
    uint64_t GetTail() const
    {
        return ends.empty() ? 0 : ends.back();
    }

    /// @param offset any @return true if a record ends or the stream starts there
    bool IsBoundary(uint64_t offset) const
    {
        return offset == 0 || std::binary_search(ends.begin(), ends.end(), offset);
    }

    /// @param offset of a segment not sent yet @param limit most octets @return its octets
    uint32_t Size(uint64_t offset, uint32_t limit) const
    {
        auto end = std::upper_bound(ends.begin(), ends.end(), offset);
        if (*end - offset > limit)
        {
            return limit;
        }
        while (IsBoundary(offset) && std::next(end) != ends.end() &&
               *std::next(end) <= offset + limit)
        {
            ++end;
        }
        return *end - offset;
    }

    /// @return octets left in the last segment
    uint32_t GetRoom() const
    {
        uint64_t start = sent;
        while (start < GetTail() && start + Size(start, emss) < GetTail())
        {
            start += Size(start, emss);
        }
        return start < GetTail() && IsBoundary(start) ? emss - (GetTail() - start) : emss;
    }
};

/**
 * @ingroup iwarp-test
 * Random records, windows and EMSS, against a segmenter that starts from the beginning each time:
 * sizes of segments and the room in the last one.
 */
class RandomSegmentsTest : public TestCase
{
  public:
    explicit RandomSegmentsTest(uint32_t seed)
        : TestCase("random records and windows, seed " + std::to_string(seed)),
          m_random(RandomSeed(seed))
    {
    }

  private:
    void Send(RecordSegmenter& s, SlowSegmenter& oracle)
    {
        const uint32_t limit = m_random() % 4 ? oracle.emss : 1 + m_random() % oracle.emss;
        const uint32_t full = oracle.Size(oracle.sent, oracle.emss);
        NS_TEST_ASSERT_MSG_EQ(s.GetFullSize(oracle.sent), full, "size at " << oracle.sent);
        uint32_t size = s.Fit(oracle.sent, limit);
        const uint64_t next =
            *std::upper_bound(oracle.ends.begin(), oracle.ends.end(), oracle.sent);
        const uint32_t whole = next - oracle.sent > limit ? 0 : oracle.Size(oracle.sent, limit);
        NS_TEST_ASSERT_MSG_EQ(size, (full <= limit ? full : whole), "window of " << limit);
        IWARP_COVERS("MPA-5.1-05 MPA-A.1-02");
        size = size > 0 ? size : limit;
        s.Sent(oracle.sent, size);
        oracle.sent += size;
    }

    void DoRun() override
    {
        RecordSegmenter s = MakeSegmenter(1460, {});
        SlowSegmenter oracle;
        for (uint32_t step = 0; step < 5000; ++step)
        {
            const uint32_t kind = m_random() % 100;
            if (kind < 55)
            {
                const uint32_t size = 1 + m_random() % (m_random() % 8 ? 900 : 4000);
                s.Append(size);
                oracle.ends.push_back(oracle.GetTail() + size);
            }
            else if (kind < 95 && oracle.sent < oracle.GetTail())
            {
                Send(s, oracle);
            }
            else if (kind == 99)
            {
                oracle.emss = 500 + m_random() % 3000;
                s.SetEmss(oracle.emss, false);
            }
            if (m_random() % 2)
            {
                NS_TEST_ASSERT_MSG_EQ(s.GetRoom(0), oracle.GetRoom(), "room at " << step);
            }
            if (m_random() % 50 == 0)
            {
                s.DropUpTo(oracle.sent / 2);
            }
        }
        NS_TEST_EXPECT_MSG_GT(oracle.sent, 500000, "it goes on");
    }

    std::mt19937 m_random; //!< what happens next
};

IWARP_TEST_CASES(recordSegmenter)
{
    for (uint32_t seed = 1; seed <= 4; ++seed)
    {
        suite.AddTestCase(new RandomSegmentsTest(seed));
    }
}

} // namespace
