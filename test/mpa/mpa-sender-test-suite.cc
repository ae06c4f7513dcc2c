/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/mpa-mulpdu.h"
#include "ns3/mpa-sender.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the sending half.
IWARP_TEST_SUITE(mpaSender, "mpa-sender");

using Admission = MpaSender::Admission;

/// What becomes of ULPDUs in each state of the sending half.
struct MpaSenderJudgeTest : TestCase
{
    using TestCase::TestCase;

    /// @param sender sending half @param size octets of a ULPDU @param most as for Admit()
    /// @param accepted as for Admit() @param expected what becomes of it
    void Expect(const MpaSender& sender,
                uint64_t size,
                uint32_t most,
                bool accepted,
                Admission expected)
    {
        NS_TEST_EXPECT_MSG_EQ((sender.Admit(size, most, accepted) == expected),
                              true,
                              size << " octets, at most " << most << ", accepted " << accepted
                                   << ", open " << sender.IsOpen());
    }
};

IWARP_TEST(mpaSender, "what becomes of a ULPDU in each state", MpaSenderJudgeTest)
{
    MpaSender sender;
    Expect(sender, 100, 0, false, Admission::NOT_OPEN);
    IWARP_COVERS("MPA-7.1.2-12");
    Expect(sender, 100, 0, true, Admission::QUEUE);
    Expect(sender, 100, 50, true, Admission::QUEUE); // MULPDU is not known yet
    Expect(sender, 0, 0, true, Admission::BAD_SIZE);
    Expect(sender, mpa::MAX_ULPDU + 1, 0, true, Admission::BAD_SIZE);
    IWARP_COVERS("MPA-3-06");
    Expect(sender, uint64_t(1) << 32 | 100, 0, true, Admission::BAD_SIZE);

    sender.Open({true, true}, 1000);
    Expect(sender, 100, 0, false, Admission::SEND);
    Expect(sender, mpa::MAX_ULPDU, 0, false, Admission::SEND);
    IWARP_COVERS("MPA-3-06");
    Expect(sender, 100, 100, false, Admission::SEND);
    Expect(sender, 101, 100, false, Admission::BAD_SIZE);
    Expect(sender, 0, 0, false, Admission::BAD_SIZE);

    sender.Shutdown();
    NS_TEST_EXPECT_MSG_EQ(sender.IsShutdown(), true, "noted");
    Expect(sender, 100, 0, false, Admission::SHUTDOWN);
    Expect(sender, 0, 0, false, Admission::BAD_SIZE);
}

/// ULPDUs wait in their order, and nothing overtakes them.
IWARP_TEST(mpaSender, "what waits for Full Operation goes first")
{
    MpaSender sender;
    const auto one = PatternUlpdu(100, 1);
    const auto two = PatternUlpdu(60, 2);
    NS_TEST_EXPECT_MSG_EQ((sender.GetFront() == nullptr), true, "nothing waits");
    NS_TEST_EXPECT_MSG_EQ(sender.Enqueue(one.data(), 14, one.data() + 14, 86, 500),
                          true,
                          "in two parts");
    const uint32_t queued = sender.GetQueued();
    NS_TEST_EXPECT_MSG_EQ(queued, mpa::WireSize(100, 0, true), "room for its FPDU");
    NS_TEST_EXPECT_MSG_EQ(sender.Enqueue(two.data(), 60, nullptr, 0, queued + 60),
                          false,
                          "no room");
    NS_TEST_EXPECT_MSG_EQ(sender.GetQueued(), queued, "so it does not wait");
    NS_TEST_EXPECT_MSG_EQ(sender.Enqueue(two.data(), 60, nullptr, 0, 500), true, "room");
    // the rest of zero octets that nobody has in memory
    NS_TEST_EXPECT_MSG_EQ(sender.Enqueue(two.data(), 1, nullptr, 3, 500), true, "room");

    sender.Open({true, true}, 7);
    NS_TEST_EXPECT_MSG_EQ((sender.Admit(10, 0, false) == Admission::BUSY), true, "in its turn");
    NS_TEST_EXPECT_MSG_EQ((*sender.GetFront() == one), true, "first");
    sender.Pop();
    NS_TEST_EXPECT_MSG_EQ((*sender.GetFront() == two), true, "second");
    sender.Pop();
    NS_TEST_EXPECT_MSG_EQ((*sender.GetFront() == std::vector<uint8_t>{two[0], 0, 0, 0}),
                          true,
                          "third");
    sender.Pop();
    NS_TEST_EXPECT_MSG_EQ((sender.GetFront() == nullptr), true, "nothing waits");
    NS_TEST_EXPECT_MSG_EQ(sender.GetQueued(), 0, "nor needs room");
    NS_TEST_EXPECT_MSG_EQ((sender.Admit(10, 0, false) == Admission::SEND), true, "its turn");
}

/// Octets of FPDUs depend on their place in the stream, across the wrap of sequence numbers.
IWARP_TEST(mpaSender, "octets and sizes by the place in the stream")
{
    constexpr uint32_t start = UINT32_MAX - 99; // 100 octets before the wrap
    const auto ulpdu = PatternUlpdu(600, 3);
    for (const bool markers : {false, true})
    {
        MpaSender sender;
        sender.Open({markers, true}, start);
        for (const uint32_t position : {0U, 60U, 100U, 508U, 512U, 1024U})
        {
            const uint32_t seq = start + position;
            const uint32_t size = sender.GetWireSize(600, seq);
            const auto expected = MakeFpdu(ulpdu, position, markers);
            NS_TEST_ASSERT_MSG_EQ(size, expected.size(), "octets at " << position);
            std::vector<uint8_t> octets(size);
            sender.Encode(octets.data(), ulpdu.data(), 14, ulpdu.data() + 14, 586, seq);
            NS_TEST_EXPECT_MSG_EQ((octets == expected), true, "FPDU at " << position);
            IWARP_COVERS("MPA-4.3-10 MPA-4.3-11");
        }
        NS_TEST_EXPECT_MSG_EQ(sender.GetMulpdu(1448), mpa::Mulpdu(1448, markers), "MULPDU");
        NS_TEST_EXPECT_MSG_EQ(sender.GetOfferedMulpdu(1448, 700, start + 748),
                              mpa::OfferedMulpdu(1448, 700, 748, markers),
                              "MULPDU for the rest of a segment");
    }
}

} // namespace
