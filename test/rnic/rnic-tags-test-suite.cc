/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/rnic-timeline.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

IWARP_TEST_SUITE(rnicTags, "rnic-tags");

constexpr RnicTime TAGS_NS = 1000; // ps

} // namespace

/// Tags that reads will hold later are free until then.
IWARP_TEST(rnicTags, "reads booked ahead take no tag from reads that are due now")
{
    const auto host = StartPart<RnicHostInterface>("ReadTags=2 ReadLatency=1us");
    for (uint32_t i = 0; i < 10; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(host->Read(0, 100'000 * TAGS_NS, 64),
                              (100'000 + 1000 * (i / 2 + 1)) * TAGS_NS,
                              "two at a time, later");
    }
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 0, 64), 1000 * TAGS_NS, "due now");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 500 * TAGS_NS, 64), 1500 * TAGS_NS, "due soon");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 600 * TAGS_NS, 64), 2000 * TAGS_NS, "when the first is in");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 99'001 * TAGS_NS, 64),
                          106'000 * TAGS_NS,
                          "would not be in before both tags are needed");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 99'000 * TAGS_NS, 64), 100'000 * TAGS_NS, "just in time");
}

/// By Little's law as many tags are busy as reads start in the time of one.
struct RnicTagsShared : TestCase
{
    using TestCase::TestCase;

    /// A read every 100 ns for each user, 1 us long. @param tags so many
    /// @return ps, the mean wait of a read for its tag
    double MeanWait(uint32_t tags)
    {
        const auto host =
            StartPart<RnicHostInterface>("ReadLatency=1us ReadTags=" + std::to_string(tags));
        const uint32_t n = 2000;
        for (uint32_t i = 0; i < n; ++i)
        {
            const RnicTime now = i * 100 * TAGS_NS;
            host->Read(now, now + 50'000 * TAGS_NS, 64); // a backlogged transmitter
            host->Read(now, now, 64);                    // a receiver
        }
        return static_cast<double>(host->GetTagWait()) / (2 * n);
    }
};

IWARP_TEST(rnicTags,
           "two users of the tags, one far ahead: busy tags are rate times latency",
           RnicTagsShared)
{
    NS_TEST_EXPECT_MSG_EQ(MeanWait(4096), 0, "tags for all");
    NS_TEST_EXPECT_MSG_EQ(MeanWait(20), 0, "2 reads in 100 ns, of 1 us each: 20 tags");
    NS_TEST_EXPECT_MSG_GT(MeanWait(19), 0, "too few");
}

/// Each read starts at the first time from which on a tag is free for all of it.
struct RnicTagsExact : TestCase
{
    using TestCase::TestCase;

    /// @param tags so many @param ahead ps, by which reads are booked ahead at most
    void Check(uint32_t tags, uint32_t ahead)
    {
        // an octet a ps from the host; read requests take no time
        const auto host = StartPart<RnicHostInterface>(
            "ReadRate=8000Gbps ReadLatency=1ns MaxReadRequest=64 ReadTags=" + std::to_string(tags));
        auto rng = CreateObject<UniformRandomVariable>();
        rng->SetStream(7);
        const std::size_t end = 1'000'000;
        std::vector<uint8_t> held(end, 0);
        std::vector<uint8_t> busy(end, 0);
        RnicTime clock = 0;
        for (uint32_t i = 0; i < 500; ++i)
        {
            clock += rng->GetInteger(0, 2 * 1100 / tags);
            const RnicTime arrival = clock + rng->GetInteger(0, ahead);
            const uint32_t octets = rng->GetInteger(1, 64);
            RnicTime start = arrival;
            RnicTime in = 0;
            for (bool fits = false; !fits;)
            {
                in = start + 1000;
                for (uint32_t left = octets; left > 0; ++in)
                {
                    left -= !busy[in];
                }
                const auto full = std::find(held.begin() + start, held.begin() + in, tags);
                fits = full == held.begin() + in;
                start = fits ? start : full - held.begin() + 1;
            }
            NS_TEST_ASSERT_MSG_EQ(host->Read(clock, arrival, octets), in, "read " << i);
            std::for_each(held.begin() + start, held.begin() + in, [](auto& n) { ++n; });
            RnicTime at = start + 1000;
            for (uint32_t left = octets; left > 0; ++at)
            {
                left -= !busy[at];
                busy[at] = 1;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(uint32_t(*std::max_element(held.begin(), held.end())),
                              tags,
                              "all are used");
    }
};

IWARP_TEST(rnicTags, "random reads against bookkeeping of each picosecond", RnicTagsExact)
{
    for (const uint32_t tags : {1U, 2U, 7U, 16U})
    {
        Check(tags, 0);
        Check(tags, 5000);
    }
}

/// With the connections' contexts in host memory, what waits to be sent does not delay what comes.
struct RnicTagsConnections : TestCase
{
    using TestCase::TestCase;

    /// Frames come in every 400 ns, each of another connection, whose context is not on chip; each
    /// is answered, 309 ns in the scheduler, and so were 1,000 at once in the beginning.
    /// @param tags of the host interface @return ps, mean delay of a received frame
    double MeanDelay(uint32_t tags)
    {
        const auto path = StartPath("TxSchedule.TimePerPacket=309ns ContextCache.Entries=1 "
                                    "HostInterface.ReadLatency=500ns HostInterface.ReadTags=" +
                                    std::to_string(tags));
        const uint32_t n = 2000;
        std::vector<RnicConnectionState> states(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            states[i].key = i;
        }
        for (uint32_t i = 0; i < 1000; ++i)
        {
            Transmit(*path, 0, states[i], 1000, 900);
        }
        double delay = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            const RnicTime now = (i + 1) * 400 * TAGS_NS;
            delay += static_cast<double>(Receive(*path, now, states[i], 94).time - now) / n;
            Transmit(*path, now, states[(i + 1000) % n], 1000, 900);
        }
        return delay;
    }
};

IWARP_TEST(rnicTags,
           "2,000 connections that answer Reads: receiving waits for a handful of tags",
           RnicTagsConnections)
{
    // a context each way and two requests of payload in 309 ns, of 500 ns each: 6 or 7 busy
    NS_TEST_EXPECT_MSG_EQ_TOL(MeanDelay(4096), 500.0 * TAGS_NS, 1, "tags for all");
    NS_TEST_EXPECT_MSG_EQ_TOL(MeanDelay(64), 500.0 * TAGS_NS, 1, "64 tags are more than are busy");
    NS_TEST_EXPECT_MSG_EQ_TOL(MeanDelay(10), 500.0 * TAGS_NS, 1, "10 are enough");
}

/// What an RNIC books ahead is kept in order, while the clock takes it off at the front.
IWARP_TEST(rnicTags, "a timeline against a vector, things taken off and put in anywhere")
{
    auto rng = CreateObject<UniformRandomVariable>();
    rng->SetStream(5);
    RnicTimeline<RnicTime> line;
    std::vector<RnicTime> all;
    std::size_t most = 0;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        const bool grows = i % 4000 < 2000;
        const auto size = static_cast<uint32_t>(all.size());
        switch (rng->GetInteger(0, grows ? 3 : 7))
        {
        case 0:
            line.Insert(size, i);
            all.push_back(i);
            break;
        case 1:
        case 2: {
            const uint32_t at = rng->GetInteger(0, size);
            line.Insert(at, i);
            all.insert(all.begin() + at, i);
            break;
        }
        case 3: {
            const uint32_t from = rng->GetInteger(0, size);
            const uint32_t to = std::min(size, from + rng->GetInteger(0, 2));
            line.Erase(from, to);
            all.erase(all.begin() + from, all.begin() + to);
            break;
        }
        default:
            if (size > 0)
            {
                line.PopFront();
                all.erase(all.begin());
            }
        }
        NS_TEST_ASSERT_MSG_EQ(line.GetSize(), all.size(), "as many");
        NS_TEST_ASSERT_MSG_EQ(line.IsEmpty(), all.empty(), "or none");
        const bool same = std::equal(line.begin(), line.end(), all.begin(), all.end());
        NS_TEST_ASSERT_MSG_EQ(same, true, "the same in the same order, step " << i);
        most = std::max(most, all.size());
    }
    NS_TEST_EXPECT_MSG_GT(most, 500, "many at a time");
}

/// An interrupt that is due later keeps nobody from one that is due now.
IWARP_TEST(rnicTags, "completions booked ahead, and those that are due before them")
{
    const auto host = StartPart<RnicHostInterface>("Notify=Interrupt InterruptModeration=50us");
    auto complete = [&host](RnicTime us) {
        return host->Complete(0, us * 1000 * TAGS_NS) / TAGS_NS;
    };
    NS_TEST_EXPECT_MSG_EQ(complete(1000), 1'000'000, "ahead: its data is written then");
    NS_TEST_EXPECT_MSG_EQ(complete(0), 0, "due now");
    NS_TEST_EXPECT_MSG_EQ(complete(10), 50'000, "50 us behind that");
    NS_TEST_EXPECT_MSG_EQ(complete(20), 50'000, "with the same interrupt");
    NS_TEST_EXPECT_MSG_EQ(complete(950), 950'000, "50 us before the next");
    NS_TEST_EXPECT_MSG_EQ(complete(960), 1'000'000, "with the first of all");
    NS_TEST_EXPECT_MSG_EQ(complete(1001), 1'050'000, "50 us behind it");
    NS_TEST_EXPECT_MSG_EQ(host->GetInterrupts(), 5, "interrupts");

    // random: never two within 50 us, and nobody waits for more
    auto rng = CreateObject<UniformRandomVariable>();
    rng->SetStream(11);
    const auto busy = StartPart<RnicHostInterface>("Notify=Interrupt InterruptModeration=50us");
    std::vector<RnicTime> told;
    for (RnicTime now = 0; now < 20'000'000 * TAGS_NS; now += rng->GetInteger(0, 20'000) * TAGS_NS)
    {
        const RnicTime due = now + rng->GetInteger(0, 400'000) * TAGS_NS;
        told.push_back(busy->Complete(now, due));
        NS_TEST_ASSERT_MSG_GT_OR_EQ(told.back(), due, "not before it is complete");
        NS_TEST_ASSERT_MSG_LT(told.back(), due + 100'000 * TAGS_NS, "within two periods");
    }
    std::sort(told.begin(), told.end());
    told.erase(std::unique(told.begin(), told.end()), told.end());
    NS_TEST_EXPECT_MSG_EQ(busy->GetInterrupts(), told.size(), "interrupts");
    for (std::size_t i = 1; i < told.size(); ++i)
    {
        NS_TEST_ASSERT_MSG_GT_OR_EQ(told[i] - told[i - 1], 50'000 * TAGS_NS, "moderation");
    }
}
