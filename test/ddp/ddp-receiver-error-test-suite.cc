/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ddp-receiver-test-util.h"

#include <algorithm>
#include <functional>

using namespace ns3;

namespace
{

/// Suite of the errors that the receiver finds.
IWARP_TEST_SUITE(ddpReceiverError, "ddp-receiver-error");

/// Every row of the error table, each on a fresh stream.
struct DdpReceiverErrorTest : TestCase
{
    using TestCase::TestCase;

    /// @param error error expected @param header segment's header @param payload its payload
    /// @param what for messages @param prepare done to the sink before
    void Expect(
        DdpError error,
        const DdpHeader& header,
        uint32_t payload,
        const std::string& what,
        const std::function<void(DdpTestSink&)>& prepare = [](DdpTestSink&) {})
    {
        DdpTestSink sink;
        // an arena with a buffer in its middle: 0x1000 to 0x1FFF
        std::vector<uint8_t> arena(3 * 4096, 0xEE);
        const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data() + 4096, 4096), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, STAG, "first STag of a table");
        DdpBuffer buffer;
        buffer.length = 4096;
        buffer.sges.push_back({0x1000, 4096, stag});
        for (uint32_t i = 0; i < 5; i++)
        {
            sink.receiver.GetQueue(0).Post(DdpBuffer(buffer));
        }
        prepare(sink);
        const auto before = arena;
        const uint64_t delivered = sink.deliveries.size();
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(header, payload), false, what << ": refused");
        IWARP_COVERS("DDP-7.1-1 DDP-7.1-12");
        NS_TEST_ASSERT_MSG_EQ(sink.errors.size(), 1, what << ": one report");
        NS_TEST_EXPECT_MSG_EQ(DdpErrorText(sink.errors[0]), std::string(DdpErrorText(error)), what);
        IWARP_COVERS("DDP-7.1-19 DDP-6.2.2-3 DDP-6.2.2-4");
        NS_TEST_EXPECT_MSG_EQ(sink.reportedLength, header.GetSize() + payload, what);
        NS_TEST_EXPECT_MSG_EQ(sink.reported.size(), header.GetSize() + payload, "header");
        IWARP_COVERS("DDP-7.1-20");
        // a hundred valid segments after the error
        for (uint32_t i = 0; i < 50; i++)
        {
            sink.Arrive(Tagged(stag, 0x1000), 16);
            sink.Arrive(Untagged(sink.receiver.GetQueue(0).GetLower(), 0, true), 16);
        }
        NS_TEST_EXPECT_MSG_EQ((arena == before), true, what << ": nothing placed");
        IWARP_COVERS("DDP-7.1-1 DDP-7.1-12 DDP-7.1-18");
        NS_TEST_EXPECT_MSG_EQ(sink.errors.size(), 1, what << ": no further report");
        IWARP_COVERS("DDP-8.3-9");
        NS_TEST_EXPECT_MSG_EQ(sink.receiver.GetStats().systemFaults,
                              (error == DdpError::UNTAGGED_NO_BUFFER),
                              what << ": a system fault, if a buffer was missing");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), delivered, what << ": nothing delivered");
        NS_TEST_EXPECT_MSG_EQ(sink.receiver.GetStats().dropped, 100, what << ": silently dropped");
        IWARP_COVERS("DDP-7.1-21");
    }

    /// A segment for a Tagged Buffer that is not what the peer takes it for. @param change done to
    /// its entry @param error error expected @param what for messages
    void ExpectOf(const std::function<void(DdpStagEntry&)>& change,
                  DdpError error,
                  const std::string& what)
    {
        Expect(error, Tagged(STAG, 0x1000), 4, what, [&change](DdpTestSink& s) {
            DdpStagEntry e = *s.table.Find(STAG);
            change(e);
            s.table.Update(STAG, e);
        });
    }

    static constexpr uint32_t STAG = 0x101; //!< first STag of a table
};

IWARP_TEST(ddpReceiverError, "the error table", DdpReceiverErrorTest)
{
    using E = DdpError;
    Expect(E::TAGGED_INVALID_STAG, Tagged(0x9900, 0x1000), 4, "unknown");
    IWARP_COVERS("DDP-7.2-4 DDP-7.1-13");
    Expect(E::TAGGED_INVALID_STAG, Tagged(STAG, 0x1000), 4, "invalidated", [](DdpTestSink& s) {
        s.table.Invalidate(STAG);
    });
    IWARP_COVERS("DDP-7.1-14");
    Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x0FFF), 4, "below base");
    IWARP_COVERS("DDP-7.1-15");
    Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x1FFE), 4, "past end");
    IWARP_COVERS("DDP-7.2-5 DDP-7.1-16");
    Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x5000), 2, "far past the end");
    Expect(E::TAGGED_TO_WRAP, Tagged(STAG, 0xFFFFFFFFFFFFFFFE), 4, "carry");
    IWARP_COVERS("DDP-7.2-7 DDP-7.1-17");
    ExpectOf([](DdpStagEntry& e) { e.pd = DdpTestSink::PD + 1; },
             E::TAGGED_NOT_ASSOCIATED,
             "another domain");
    IWARP_COVERS("DDP-7.2-6 DDP-4.2-6 DDP-8.2-1");
    ExpectOf([](DdpStagEntry& e) { e.stream = DdpTestSink::STREAM + 1; },
             E::TAGGED_NOT_ASSOCIATED,
             "another stream");
    IWARP_COVERS("DDP-8.2-3");
    ExpectOf([](DdpStagEntry& e) { e.access = DDP_ACCESS_REMOTE_READ; },
             E::TAGGED_INVALID_STAG,
             "no right to write");
    IWARP_COVERS("DDP-8.3.1-6");
    DdpHeader version = Tagged(STAG, 0x1000);
    version.version = 3;
    Expect(E::TAGGED_VERSION, version, 4, "version");
    IWARP_COVERS("DDP-7.2-8 DDP-4.1-13");
    version = Untagged(1, 0, true);
    version.version = 3;
    Expect(E::UNTAGGED_VERSION, version, 4, "version");
    IWARP_COVERS("DDP-7.2-14 DDP-4.1-13");
    version.version = 0;
    Expect(E::UNTAGGED_VERSION, version, 4, "a version that changes", [](DdpTestSink& s) {
        s.Arrive(Untagged(1, 0, true), 0);
    });
    IWARP_COVERS("DDP-4.1-12");

    Expect(E::UNTAGGED_INVALID_QN, Untagged(1, 0, true, 9), 4, "queue 9");
    IWARP_COVERS("DDP-7.2-9 DDP-7.1-2");
    Expect(E::UNTAGGED_INVALID_QN, Untagged(1, 0, true, 0xFFFFFFFF), 4, "largest QN");
    Expect(E::UNTAGGED_INVALID_QN, Untagged(1, 0, true, 1), 4, "between two", [](DdpTestSink& s) {
        s.receiver.EnableQueue(2);
    });
    Expect(E::UNTAGGED_NO_BUFFER, Untagged(6, 0, true), 4, "MSN 6 of 5");
    IWARP_COVERS("DDP-7.2-10 DDP-7.1-3");
    Expect(E::UNTAGGED_NO_BUFFER, Untagged(6, 0, true), 0, "even if it is empty");
    Expect(E::UNTAGGED_NO_BUFFER, Untagged(0x80000000, 0, true), 4, "far above the window");
    Expect(E::UNTAGGED_MSN_RANGE, Untagged(0, 0, true), 4, "MSN 0 comes first");
    IWARP_COVERS("DDP-4.3-9");
    Expect(E::UNTAGGED_MSN_RANGE, Untagged(0x80000001, 0, true), 4, "half of all numbers below");
    Expect(E::UNTAGGED_MSN_RANGE, Untagged(1, 0, true), 4, "MSN 1 again", [](DdpTestSink& s) {
        s.Arrive(Untagged(1, 0, true), 0);
    });
    IWARP_COVERS("DDP-7.2-11 DDP-7.1-10");
    Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 5000, true), 4, "MO 5000");
    IWARP_COVERS("DDP-7.2-12 DDP-7.1-8");
    Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 4096, true), 1, "MO at the end");
    Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 4097, true), 0, "MO behind it, and no octets");
    Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 0xFFFFFFFF, true), 2, "MO plus length wraps");
    Expect(E::UNTAGGED_TOO_LONG, Untagged(1, 4000, true), 200, "past the end");
    IWARP_COVERS("DDP-7.2-13 DDP-7.1-9");
    Expect(E::UNTAGGED_TOO_LONG, Untagged(1, 0, true), 4097, "by one octet");
    Expect(E::LOCAL_CATASTROPHIC,
           Untagged(1, 0, true),
           4,
           "the buffer's own memory is gone",
           [](DdpTestSink& s) { s.table.Remove(STAG); });
    IWARP_COVERS("DDP-7.2-3");
    Expect(E::UNTAGGED_MSN_RANGE, Untagged(2, 0, true), 0, "a message was left out");

    // what came before the segment in error stays, so that a buffer is neither as
    // it was nor as the message would have it
    {
        DdpTestSink sink;
        std::vector<uint8_t> arena(4096, 0xEE);
        const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 4096), 0x1000);
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 0x1000, false), 1000), true, "good");
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 0x1000 + 3500), 1000), false, "too far");
        std::vector<uint8_t> expected(4096, 0xEE);
        std::fill_n(expected.begin(), 1000, 0xAA);
        NS_TEST_EXPECT_MSG_EQ((arena == expected), true, "the first segment, and no more");
        IWARP_COVERS("DDP-7.1-23");
    }

    // segments shorter than their header
    for (uint32_t size = 0; size < 18; size++)
    {
        for (uint8_t control : {0x41, 0xC1})
        {
            if (control == 0xC1 && size >= 14)
            {
                continue;
            }
            DdpTestSink sink;
            std::vector<uint8_t> octets(size, control);
            NS_TEST_EXPECT_MSG_EQ(sink.ArriveOctets(octets), false, "short");
            NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector<DdpError>{E::LOCAL_CATASTROPHIC}),
                                  true,
                                  "malformed");
            IWARP_COVERS("DDP-4.4-1");
        }
    }
}

/// An error is told in its turn.
struct DdpReceiverTurnTest : TestCase
{
    using TestCase::TestCase;

    /// A segment arrives and is not delivered. @param sink where @param order its place
    /// @param header its header @param inOrder all ahead of it have come
    static void Bring(DdpTestSink& sink, uint32_t order, const DdpHeader& header, bool inOrder)
    {
        std::vector<uint8_t> octets(header.GetSize() + 4, 0xAA);
        header.Write(octets.data());
        sink.receiver.Segment(order, octets.data(), octets.size(), octets.size(), inOrder);
    }
};

IWARP_TEST(ddpReceiverError, "an error waits for its turn", DdpReceiverTurnTest)
{
    for (const bool inOrder : {true, false})
    {
        DdpTestSink sink;
        sink.Post(10);
        sink.Post(10);
        std::vector<uint8_t> arena(100, 0xEE);
        const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 100), 0);
        const uint32_t order[] = {0, 1, 2, 3};
        const DdpHeader headers[] = {Untagged(1, 0, true),
                                     Untagged(2, 0, true),
                                     Untagged(3, 0, true),
                                     Tagged(stag, 0)};
        for (const uint32_t i : order)
        {
            const uint32_t at = inOrder ? i : (i + 2) % 4; // 2 3 0 1
            Bring(sink, at, headers[at], inOrder || at < 2);
        }
        NS_TEST_EXPECT_MSG_EQ(sink.errors.size(), 0, "not yet");
        sink.receiver.Deliver(4);
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), 2, "what is ahead is delivered");
        IWARP_COVERS("DDP-5.4-6");
        NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector{DdpError::UNTAGGED_NO_BUFFER}),
                              true,
                              "then the error is told");
        NS_TEST_EXPECT_MSG_EQ((arena == std::vector<uint8_t>(100, 0xEE)),
                              true,
                              "and what is behind it is not placed");
        NS_TEST_EXPECT_MSG_EQ(sink.reportedLength, 22, "the segment in error");
    }
    // of two errors, the one that is ahead
    DdpTestSink sink;
    sink.Post(10);
    Bring(sink, 2, Tagged(0x9900, 0), false);
    Bring(sink, 1, Untagged(1, 11, true), false);
    Bring(sink, 0, Untagged(1, 0, false), true);
    sink.receiver.Deliver(3);
    NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector{DdpError::UNTAGGED_INVALID_MO}),
                          true,
                          "the first in order");
}

IWARP_TEST(ddpReceiverError, "what an error in its turn stops", DdpReceiverTurnTest)
{
    // of two messages that are told of at once the first one is an error: nothing behind it counts
    DdpTestSink sink;
    sink.Post(10);
    sink.Post(10);
    Bring(sink, 0, Untagged(2, 0, true), true);
    Bring(sink, 1, Tagged(0, 0), true);
    sink.receiver.Deliver(2);
    NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector{DdpError::UNTAGGED_MSN_RANGE}),
                          true,
                          "message 1 was left out");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), 0, "an RDMA Write behind it is not delivered");
    IWARP_COVERS("DDP-7.1-1");
}

IWARP_TEST(ddpReceiverError, "an STag that is taken away before its segment's turn")
{
    DdpTestSink sink;
    std::vector<uint8_t> arena(100, 0xEE);
    const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 100), 0);
    DdpReceiverTurnTest::Bring(sink, 1, Tagged(stag, 0), false);
    NS_TEST_EXPECT_MSG_EQ(+arena[3], 0xAA, "placed when it came");
    sink.table.Invalidate(stag);
    DdpReceiverTurnTest::Bring(sink, 0, Untagged(1, 0, true, 0), true);
    NS_TEST_EXPECT_MSG_EQ(sink.errors.size(), 1, "there is no buffer for the first");

    DdpTestSink other;
    other.Post(10);
    const uint32_t again = other.Register(DdpMemory::Wrap(arena.data(), 100), 0);
    DdpReceiverTurnTest::Bring(other, 1, Tagged(again, 0), false);
    other.table.Invalidate(again);
    DdpReceiverTurnTest::Bring(other, 0, Untagged(1, 0, true), true);
    other.receiver.Deliver(2);
    NS_TEST_EXPECT_MSG_EQ(other.deliveries.size(), 1, "what is ahead of it");
    NS_TEST_EXPECT_MSG_EQ((other.errors == std::vector{DdpError::TAGGED_INVALID_STAG}),
                          true,
                          "in its turn it is an error");
}

IWARP_TEST(ddpReceiverError, "an error that has become another by its turn")
{
    DdpTestSink sink;
    sink.Post(10);
    std::vector<uint8_t> arena(100, 0xEE);
    const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 100), 0);
    DdpReceiverTurnTest::Bring(sink, 1, Tagged(stag, 98), false);
    sink.table.Invalidate(stag);
    DdpReceiverTurnTest::Bring(sink, 0, Untagged(1, 0, true), true);
    sink.receiver.Deliver(2);
    NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector{DdpError::TAGGED_INVALID_STAG}),
                          true,
                          "out of bounds when it came, without an STag now");
}

/// A layer above that ends the stream when it is told of a segment.
struct StoppingDdpSink : DdpTestSink
{
    void SegmentDelivered(const DdpHeader&, uint32_t) override
    {
        receiver.Stop();
    }
};

IWARP_TEST(ddpReceiverError, "the last segment of a message stops the stream")
{
    StoppingDdpSink sink;
    std::vector<uint8_t> arena(100, 0xEE);
    const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 100), 0);
    sink.Arrive(Tagged(stag, 0), 4);
    NS_TEST_EXPECT_MSG_EQ(sink.receiver.HasStopped(), true, "as the layer above wanted");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), 0, "its message is not delivered any more");
}

} // namespace
