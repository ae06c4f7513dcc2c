/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "mpa-receiver-random.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(mpaReceiverRandom, "mpa-receiver-random");

/**
 * @brief Any segmentation, order, duplication and overlap, with altered duplicates.
 *
 * The model is a bitmap of octets that have come. From it follow the FPDUs that have to be passed
 * (whole, and found by a Marker of their own or by the length of one passed before them), the
 * octets held, the deliveries and the classes.
 */
class MpaReceiverRandom : public TestCase
{
  public:
    /// @param first seed @param count seeds
    MpaReceiverRandom(uint32_t first, uint32_t count)
        : TestCase("random segments, seeds " + std::to_string(first) + " on"),
          m_first(first),
          m_count(count)
    {
    }

  private:
    void DoRun() override
    {
        uint64_t outOfOrder[2] = {0, 0};
        for (uint32_t seed = m_first; seed < m_first + m_count; ++seed)
        {
            Run(seed, outOfOrder);
        }
        NS_TEST_EXPECT_MSG_EQ(outOfOrder[0], 0, "none without Markers");
        IWARP_COVERS("MPA-6-05");
        NS_TEST_EXPECT_MSG_GT(outOfOrder[1], 0, "some with Markers");
        IWARP_COVERS("MPA-A.4-03");
    }

    /// @param seed seed @param outOfOrder FPDUs passed out of order without and with Markers
    void Run(uint32_t seed, uint64_t (&outOfOrder)[2])
    {
        Dice dice(RandomSeed(seed));
        const bool markers = dice.Chance(65);
        const bool crc = dice.Chance(80);
        const uint32_t longest = dice.Chance(10) ? 60000 : dice.Chance(50) ? 1442 : 200;
        const Stream stream =
            RandomStream(dice, markers, crc, longest > 2000 ? 200000 : 20000, longest);
        const auto size = static_cast<uint32_t>(stream.octets.size());

        MpaReceiverConfig config;
        config.seqStart = dice.Chance(50) ? 0U - dice.Below(size) : dice.Below(UINT32_MAX);
        config.format = stream.format;
        config.outOfOrder = dice.Chance(80);
        config.check = static_cast<mpa::CheckMarkers>(dice.Below(3));
        config.silentDrop = dice.Chance(20);
        config.records = UINT32_MAX; // segments of an octet can be more than the default
        ReceiverProbe probe(config);

        std::vector<uint64_t> have(size, 0); // stamp with which each octet came, 0 if it did not
        std::vector<bool> passed(stream.fpdus.size(), false);
        std::vector<ReceiverProbe::Class> classes;
        uint32_t edge = 0;
        uint32_t advanced = 0;
        uint32_t held = 0;
        std::size_t seen = 0;
        const uint32_t window = 1000 + dice.Below(longest > 2000 ? 150000 : 15000);
        const uint32_t piece = 1 + dice.Below(longest > 2000 ? 9000 : 2200);
        const bool aligned = dice.Chance(50);
        const uint32_t order = 20 + dice.Below(80); // percent of segments at the left edge
        uint64_t clock = 0;
        while (edge < size)
        {
            // where, and how much
            uint32_t from = edge;
            if (!dice.Chance(order))
            {
                from = std::min(size - 1, edge + dice.Below(window));
                from -= dice.Chance(20) ? std::min(from, dice.Below(2000)) : 0;
            }
            uint32_t to = std::min(size, from + 1 + dice.Below(piece));
            if (aligned && dice.Chance(95))
            {
                auto f = std::find_if(stream.fpdus.begin(),
                                      stream.fpdus.end(),
                                      [from](const auto& s) { return s.end > from; });
                from = f->start;
                const auto last = std::min<std::size_t>(stream.fpdus.end() - f, 1 + dice.Below(4));
                to = (f + (last - 1))->end;
            }

            // what has come before comes altered
            Octets segment(stream.octets.begin() + from, stream.octets.begin() + to);
            uint32_t fresh = 0;
            for (uint32_t i = from; i < to; ++i)
            {
                segment[i - from] ^= have[i] ? dice.Below(256) : 0;
                fresh += have[i] ? 0 : 1;
            }
            const auto report =
                probe.receiver.Segment(config.seqStart + from, segment.data(), to - from, ++clock);
            NS_TEST_ASSERT_MSG_EQ(report.dropped, false, "seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(report.duplicate, (fresh == 0), "seed " << seed);
            if (fresh > 0)
            {
                const bool inOrder = from <= edge && to > edge;
                NS_TEST_ASSERT_MSG_EQ(report.inOrder, inOrder, "seed " << seed);
                const uint32_t start = std::max(from, edge);
                classes.push_back({start, to - start, false, false});
            }
            std::replace(have.begin() + from, have.begin() + to, uint64_t{0}, clock);
            held += fresh;
            while (edge < size && have[edge])
            {
                ++edge;
            }

            // what must have been passed by now, and nothing else
            uint32_t must = 0;
            uint32_t late = 0;
            bool before = true;
            uint32_t next = 0;
            for (std::size_t k = 0; k < stream.fpdus.size(); ++k)
            {
                const auto& f = stream.fpdus[k];
                const bool whole = f.end <= edge || (f.start >= edge && f.start < edge + 200000 &&
                                                     std::all_of(have.begin() + f.start,
                                                                 have.begin() + f.end,
                                                                 [](uint64_t b) { return b > 0; }));
                const bool inOrder = f.end <= edge;
                const bool located = config.outOfOrder && markers && (f.marker || before);
                before = whole && (inOrder || located);
                if (inOrder)
                {
                    next = f.end;
                }
                if (before && !passed[k])
                {
                    passed[k] = true;
                    ++must;
                    late += inOrder ? 0 : 1;
                    held -= f.end - f.start;
                }
            }
            NS_TEST_ASSERT_MSG_EQ(report.passed, must, "seed " << seed << " at " << from);
            NS_TEST_ASSERT_MSG_EQ(report.passedOutOfOrder, late, "seed " << seed);
            IWARP_COVERS("MPA-1.2-01 MPA-3-12 MPA-6-05 MPA-A.3-04");
            NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetHeld(), held, "seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetNext(), config.seqStart + next, seed);
            IWARP_COVERS("MPA-4.3-06");
            outOfOrder[markers] += late;
            for (; seen < probe.passed.size(); ++seen)
            {
                const auto& ulpdu = probe.passed[seen].ulpdu;
                const auto first = have.begin() + (ulpdu.seq - config.seqStart);
                const auto came = std::minmax_element(first, first + ulpdu.wireSize);
                const bool one = *came.first == *came.second;
                NS_TEST_ASSERT_MSG_EQ(ulpdu.stamp, *came.second, "stamp, seed " << seed);
                IWARP_COVERS("MPA-3-13");
                NS_TEST_ASSERT_MSG_EQ(ulpdu.aligned, one, "one segment, seed " << seed);
            }

            if (dice.Chance(70) || edge == size)
            {
                probe.receiver.Advance(config.seqStart + edge);
                advanced = edge;
            }
            const auto delivered = std::count_if(stream.fpdus.begin(),
                                                 stream.fpdus.end(),
                                                 [=](const auto& f) { return f.end <= advanced; });
            NS_TEST_ASSERT_MSG_EQ(probe.delivered, delivered, "seed " << seed);
            IWARP_COVERS("MPA-1.2-01 MPA-3-14");
        }
        NS_TEST_ASSERT_MSG_EQ(probe.passed.size(), stream.fpdus.size(), "seed " << seed);
        IWARP_COVERS("MPA-4.3-16 MPA-5.1-12 MPA-A.4-01");
        NS_TEST_ASSERT_MSG_EQ(probe.Same(stream), true, "seed " << seed);
        IWARP_COVERS("MPA-A.3-05");
        NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetPassed(), stream.fpdus.size(), "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(probe.errors.size(), 0, "seed " << seed);
        for (auto& c : classes)
        {
            for (const auto& f : stream.fpdus)
            {
                c.header = c.header || f.start == c.seq;
                c.fpdu = c.fpdu || f.end == c.seq + c.size;
            }
            c.fpdu = c.fpdu && c.header;
        }
        std::sort(classes.begin(), classes.end());
        std::sort(probe.classes.begin(), probe.classes.end());
        const bool same = classes == probe.classes;
        NS_TEST_ASSERT_MSG_EQ(same, true, "classes, seed " << seed);
    }

    uint32_t m_first; //!< first seed
    uint32_t m_count; //!< seeds
};

IWARP_TEST_CASES(mpaReceiverRandom)
{
    for (uint32_t first = 1; first < 600; first += 100)
    {
        suite.AddTestCase(new MpaReceiverRandom(first, 100));
    }
}

/// Reassembly memory of every size: bounded, and never in the way of data in order.
IWARP_TEST(mpaReceiverRandom, "memory limit sweep")
{
    const uint32_t longest[] = {128, 400, 1442, 9000};
    uint32_t refused = 0;
    for (uint32_t seed = 0; seed < 300; ++seed)
    {
        Dice dice(seed + 5000);
        const uint32_t ulpdu = longest[dice.Below(4)];
        const Stream stream = RandomStream(dice, dice.Chance(60), true, 30 * ulpdu, ulpdu);
        uint32_t largest = 140;
        for (const auto& f : stream.fpdus)
        {
            largest = std::max(largest, f.end - f.start);
        }
        MpaReceiverConfig config;
        config.seqStart = 0U - dice.Below(2000);
        config.format = stream.format;
        config.outOfOrder = dice.Chance(70);
        config.memory = largest + (dice.Chance(50) ? 0 : dice.Below(4 * largest));
        const bool known = dice.Chance(50);
        config.reserve = known ? largest : 0;
        ReceiverProbe probe(config);

        // one segmentation for good: what is refused comes again as it was
        std::vector<uint32_t> cuts{0};
        const uint32_t piece = 1 + dice.Below(2 * largest);
        while (cuts.back() < stream.octets.size())
        {
            cuts.push_back(
                std::min<uint32_t>(cuts.back() + 1 + dice.Below(piece), stream.octets.size()));
        }
        std::vector<bool> taken(cuts.size() - 1, false);
        std::size_t first = 0;
        while (first < taken.size())
        {
            std::size_t i = dice.Chance(30) ? first : first + dice.Below(40);
            i = std::min(i, taken.size() - 1);
            if (taken[i])
            {
                continue;
            }
            const auto report = probe.Feed(stream, cuts[i], cuts[i + 1]);
            taken[i] = !report.dropped;
            refused += report.dropped ? 1 : 0;
            NS_TEST_ASSERT_MSG_EQ(report.memoryFull, report.dropped, "seed " << seed);
            NS_TEST_ASSERT_MSG_EQ((i == first && report.dropped),
                                  false,
                                  "the left edge waits, seed " << seed);
            const uint64_t most = config.memory + (known ? 0 : largest);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(probe.receiver.GetHeld(), most, "seed " << seed);
            IWARP_COVERS("MPA-A.5.2-02");
            while (first < taken.size() && taken[first])
            {
                ++first;
            }
            probe.receiver.Advance(config.seqStart + cuts[first]);
        }
        NS_TEST_ASSERT_MSG_EQ(probe.delivered, stream.fpdus.size(), "seed " << seed);
        IWARP_COVERS("MPA-A.5.2-07");
        NS_TEST_ASSERT_MSG_EQ(probe.Same(stream), true, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetHeld(), 0, "seed " << seed);
    }
    NS_TEST_EXPECT_MSG_GT(refused, 1000, "the limits were felt");
}

/// Damage on the path that TCP does not see, with and without silent drop.
IWARP_TEST(mpaReceiverRandom, "damaged segments")
{
    uint32_t dropped = 0;
    uint32_t reported = 0;
    for (uint32_t seed = 0; seed < 400; ++seed)
    {
        Dice dice(seed + 9000);
        const Stream stream = RandomStream(dice, dice.Chance(70), true, 15000, 1442);
        MpaReceiverConfig config;
        config.seqStart = dice.Below(UINT32_MAX);
        config.format = stream.format;
        config.silentDrop = dice.Chance(50);
        ReceiverProbe probe(config);
        // whole FPDUs, so that a damaged segment shows its damage at once
        std::vector<bool> taken(stream.fpdus.size(), false);
        std::size_t first = 0;
        bool damaged = false;
        while (first < taken.size() && probe.errors.empty())
        {
            std::size_t i = std::min(first + dice.Below(8), taken.size() - 1);
            const auto& f = stream.fpdus[i];
            Octets segment(stream.octets.begin() + f.start, stream.octets.begin() + f.end);
            const bool hit = !taken[i] && dice.Chance(5);
            if (hit)
            {
                // not in the length field: a length is believed until its CRC can be seen
                const auto at = 6 + dice.Below(segment.size() - 6);
                segment[at] ^= 1 << dice.Below(8);
            }
            const auto before = probe.passed.size();
            const uint64_t heldBefore = probe.receiver.GetHeld();
            const auto report =
                probe.receiver.Segment(config.seqStart + f.start, segment.data(), segment.size());
            const bool noticed = hit && report.dropped;
            if (report.dropped)
            {
                NS_TEST_ASSERT_MSG_EQ(config.silentDrop, true, "seed " << seed);
                NS_TEST_ASSERT_MSG_EQ(probe.passed.size(), before, "seed " << seed);
                NS_TEST_ASSERT_MSG_EQ(probe.receiver.GetHeld(), heldBefore, "unchanged");
                IWARP_COVERS("MPA-8-11");
                ++dropped;
            }
            damaged = damaged || (hit && !noticed);
            taken[i] = taken[i] || !report.dropped;
            while (first < taken.size() && taken[first])
            {
                ++first;
            }
            const uint32_t edge =
                first < taken.size() ? stream.fpdus[first].start : stream.octets.size();
            probe.receiver.Advance(config.seqStart + edge);
        }
        NS_TEST_ASSERT_MSG_EQ(probe.errors.empty(), !damaged, "seed " << seed);
        IWARP_COVERS("MPA-6-03 MPA-8-03");
        NS_TEST_ASSERT_MSG_EQ(probe.Same(stream), true, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(probe.passedAfterError + probe.deliveredAfterError, 0, seed);
        IWARP_COVERS("MPA-8-13");
        if (!damaged)
        {
            NS_TEST_ASSERT_MSG_EQ(probe.delivered, stream.fpdus.size(), "seed " << seed);
        }
        reported += damaged ? 1 : 0;
        const auto passed = probe.passed.size();
        probe.Feed(stream, 0, stream.octets.size());
        NS_TEST_ASSERT_MSG_EQ(probe.passed.size(), passed, "nothing new, seed " << seed);
    }
    NS_TEST_EXPECT_MSG_GT(dropped, 100, "silent drops");
    NS_TEST_EXPECT_MSG_GT(reported, 100, "errors");
}
