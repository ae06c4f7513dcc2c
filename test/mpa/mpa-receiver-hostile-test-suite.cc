/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace ns3;
using namespace mpatest;

namespace
{

/// Suite of peers that want to use up a receiver.
IWARP_TEST_SUITE(mpaReceiverHostile, "mpa-receiver-hostile");

/// Small segments that arrive in the worst order: what is kept account of stays within a limit.
struct MpaReceiverRecords : TestCase
{
    using TestCase::TestCase;

    /// @param stream stream @param records limit @param step from one segment to the next, octets
    void Backwards(const Stream& stream, uint32_t records, uint32_t step)
    {
        auto config = ReceiverConfig(stream);
        config.records = records;
        ReceiverProbe probe(config);
        const auto size = static_cast<uint32_t>(stream.octets.size());
        uint32_t taken = 0;
        uint32_t refused = 0;
        uint32_t most = 0;
        for (uint32_t at = size; at > step; at -= step)
        {
            const auto report = probe.Feed(stream, at - step, at - step + 1);
            taken += report.dropped ? 0 : 1;
            refused += report.memoryFull ? 1 : 0;
            NS_TEST_ASSERT_MSG_EQ(report.dropped, report.memoryFull, "the reason is told");
            most = std::max(most, probe.receiver.GetRecords());
        }
        NS_TEST_EXPECT_MSG_EQ(taken + probe.passed.size(), records, "a segment or an FPDU each");
        NS_TEST_EXPECT_MSG_EQ(refused, (size - 1) / step - taken, "TCP is to see them lost");
        NS_TEST_EXPECT_MSG_EQ(most, records, "never more");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(probe.receiver.GetHeld(), taken, "octets");
        NS_TEST_EXPECT_MSG_EQ(probe.passed.empty(),
                              (!stream.format.markers || step > 1 || records < 1460),
                              "whole FPDUs need no memory where Markers prove them");

        // octets in order are taken although there is no room for others, so all gets through
        for (uint32_t at = 0; at < size; at += 1000)
        {
            const auto to = std::min(at + 1000, size);
            NS_TEST_ASSERT_MSG_EQ(probe.Feed(stream, at, to).dropped, false, "in order");
        }
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), stream.fpdus.size(), "all pass");
        NS_TEST_EXPECT_MSG_EQ(probe.Same(stream), true, "as they were sent");
        NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetRecords(), 0, "nothing is left");
    }
};

IWARP_TEST(mpaReceiverHostile, "segments of one octet that arrive backwards", MpaReceiverRecords)
{
    for (const bool markers : {false, true})
    {
        Stream stream(markers);
        stream.PostSizes(std::vector<uint32_t>(28, 1442));
        Backwards(stream, MpaReceiverConfig().records, 1);
        Backwards(stream, 100, 1);
        Backwards(stream, 1000, 2);
    }
}

/// Octets in order cannot be refused: beyond the limit they share a record.
IWARP_TEST(mpaReceiverHostile, "an FPDU in segments of one octet, in order")
{
    for (const bool markers : {false, true})
    {
        Stream stream(markers);
        stream.PostSizes({64768, 100}); // the longest ULPDU that MPA takes
        auto config = ReceiverConfig(stream);
        config.records = 100;
        ReceiverProbe probe(config);
        uint32_t most = 0;
        for (uint32_t at = 0; at < stream.octets.size(); at++)
        {
            NS_TEST_ASSERT_MSG_EQ(probe.Feed(stream, at, at + 1).dropped, false, "in order");
            most = std::max(most, probe.receiver.GetRecords());
        }
        NS_TEST_EXPECT_MSG_EQ(most, config.records, "records");
        NS_TEST_EXPECT_MSG_EQ(probe.Same(stream), true, "all pass as they were sent");
        NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetRecords(), 0, "nothing is left");
    }
}

/// FPDUs that are passed out of order count as well.
IWARP_TEST(mpaReceiverHostile, "small FPDUs that arrive out of order")
{
    Stream stream(true);
    stream.PostSizes(std::vector<uint32_t>(600, 506));
    auto config = ReceiverConfig(stream);
    config.records = 300;
    ReceiverProbe probe(config);
    uint32_t passed = 0;
    for (std::size_t i = stream.fpdus.size() - 1; i > 0; i--)
    {
        const auto& f = stream.fpdus[i];
        passed += probe.Feed(stream, f.start, f.end).passedOutOfOrder;
    }
    NS_TEST_EXPECT_MSG_EQ(passed, 150, "a record for the segment, and one for its FPDU");
    NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetRecords(), 300, "in use");
    for (const auto& f : stream.fpdus)
    {
        probe.Feed(stream, f.start, f.end);
    }
    NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 600, "all pass, once");
    NS_TEST_EXPECT_MSG_EQ(probe.receiver.GetRecords(), 0, "nothing is left");
}

/// Octets that look like long FPDUs and are none are put through the CRC once.
IWARP_TEST(mpaReceiverHostile, "Markers that claim FPDUs of 500 octets, all of them faulty")
{
    // behind a gap: each Marker points to a start of its own, where a length is
    Stream stream(true);
    stream.octets.assign(64 * 512, 0);
    for (uint32_t marker = 512; marker < stream.octets.size(); marker += 512)
    {
        stream.octets[marker + 3] = 16; // FPDUPTR: 16 octets back
        stream.octets[marker - 16] = 1; // ULPDU_Length 500
        stream.octets[marker - 15] = 244;
    }
    ReceiverProbe probe(ReceiverConfig(stream));
    uint32_t searches = 0;
    for (uint32_t at = 400; at + 100 <= stream.octets.size(); at += 100)
    {
        const auto report = probe.Feed(stream, at, at + 100);
        NS_TEST_ASSERT_MSG_EQ(report.dropped, false, "held");
        searches = std::max(searches, report.markerSearches);
    }
    NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 0, "nothing is proved");
    NS_TEST_EXPECT_MSG_LT(searches, 3, "only FPDUs that a segment has a part in are looked at");
}

} // namespace
