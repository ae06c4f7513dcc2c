/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"
#include "ns3/record-receive-path.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the receiving half.
IWARP_TEST_SUITE(mpaReceivePath, "mpa-receive-path");

/// Counts what comes out.
class Counter : public MpaReceiver::Listener
{
  public:
    void Pass(const MpaUlpdu& ulpdu) override
    {
        passed.emplace_back(ulpdu.data, ulpdu.data + ulpdu.length);
    }

    void Deliver(uint32_t count) override
    {
        delivered += count;
    }

    void Error(MpaError /* error */, uint32_t /* seq */) override
    {
        errors++;
    }

    void Classified(uint32_t, uint32_t, bool, bool) override
    {
    }

    std::vector<mpatest::Octets> passed; //!< ULPDUs
    uint32_t delivered{0};               //!< of these, delivered
    uint32_t errors{0};                  //!< errors
};

/// Octets that TCP handed up before the ULP accepted are the first of the stream.
struct MpaReceivePathEarlyTest : TestCase
{
    using TestCase::TestCase;

    /// @param early octets that come before @param edge sequence number behind them
    void Try(uint32_t early, uint32_t edge)
    {
        mpatest::Stream stream(true);
        stream.PostSizes({100, 200, 300});
        const auto size = static_cast<uint32_t>(stream.octets.size());
        RecordReceivePath<MpaReceiver> path;
        Counter count;
        // in two parts, as TCP happens to give them
        path.HoldEarly(stream.octets.data(), early / 2);
        path.HoldEarly(stream.octets.data() + early / 2, early - early / 2);
        NS_TEST_EXPECT_MSG_EQ(path.IsOpen(), false, "not yet");
        MpaReceiverConfig config;
        config.format = stream.format;
        path.Open(config, edge, false, count);
        NS_TEST_ASSERT_MSG_EQ(path.IsOpen(), true, "now");
        NS_TEST_EXPECT_MSG_EQ(path.GetReceiver().GetNext(), edge - early, "the first octet");
        const auto held = path.ReleaseEarly();
        NS_TEST_ASSERT_MSG_EQ(held.size(), early, "all of them");
        NS_TEST_EXPECT_MSG_EQ(path.ReleaseEarly().size(), 0, "once");
        if (early > 0)
        {
            path.GetReceiver().Segment(edge - early, held.data(), early);
        }
        path.GetReceiver().Segment(edge, stream.octets.data() + early, size - early);
        NS_TEST_ASSERT_MSG_EQ(count.passed.size(), 3, "ULPDUs");
        for (uint32_t i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ((count.passed[i] == stream.fpdus[i].ulpdu), true, "their octets");
            IWARP_COVERS("DDP-3-10");
        }
        NS_TEST_EXPECT_MSG_EQ(count.delivered, 0, "TCP is not that far");
        path.Drained(edge - early + size, false);
        NS_TEST_EXPECT_MSG_EQ(count.delivered, 3, "delivered");
        IWARP_COVERS("MPA-7.1.2-18");
        NS_TEST_EXPECT_MSG_EQ(count.errors, 0, "no error");
    }
};

IWARP_TEST(mpaReceivePath,
           "octets from before the ULP's decision are not lost",
           MpaReceivePathEarlyTest)
{
    for (const uint32_t edge : {1000U, 30U, 0U, UINT32_MAX - 20})
    {
        for (const uint32_t early : {0U, 1U, 50U, 119U, 400U})
        {
            Try(early, edge);
        }
    }
}

/// While TCP holds octets that the receiver did not see arrive, it gets them as they are drained.
IWARP_TEST(mpaReceivePath, "octets that TCP held when Full Operation began")
{
    Counter count;
    {
        RecordReceivePath<MpaReceiver> path;
        path.Open(MpaReceiverConfig{}, 1, false, count);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), false, "all is seen as it arrives");
        path.Drained(1, true);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), false, "also what TCP holds later");
    }
    {
        RecordReceivePath<MpaReceiver> path;
        path.Open(MpaReceiverConfig{}, 1, true, count);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), true, "some was there before");
        path.Drained(1, true);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), true, "still");
        path.Drained(1, false);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), false, "no more");
        IWARP_COVERS("MPA-7.1.2-11");
        path.Drained(1, true);
        NS_TEST_EXPECT_MSG_EQ(path.FeedsOnDrain(), false, "nor ever again");
    }
}

} // namespace
