/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "ddp-receiver-test-util.h"

#include "ns3/ddp-receiver.h"

#include <array>
#include <deque>

using namespace ns3;

namespace
{

/// Suite of the receiver: what is legal, and buffers from a shared source.
IWARP_TEST_SUITE(ddpReceiver, "ddp-receiver");

/// What is legal although it looks odd.
IWARP_TEST(ddpReceiver, "legal oddities")
{
    DdpTestSink sink;
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(0, ~uint64_t(0)), 0), true, "empty, no STag");
    IWARP_COVERS("DDP-5.2-14 DDP-5.2-15");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), 1, "delivered");
    IWARP_COVERS("DDP-4.4-2");
    sink.Post(100, 11);
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(1, 0, true), 0), true, "empty Send");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().buffer.context, 11, "takes a buffer");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().length, 0, "of which it fills nothing");
    IWARP_COVERS("DDP-5.2-13");

    // all reserved bits set; RsvdULP that differs between segments
    sink.Post(100);
    DdpHeader odd = Untagged(2, 0, false);
    odd.reserved = 0xF;
    odd.ulpControl = 0x45;
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(odd, 10), true, "0x3D");
    IWARP_COVERS("DDP-4.1-10");
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(2, 10, true), 10), true, "another RsvdULP");
    const uint8_t control = sink.deliveries.back().header.ulpControl;
    NS_TEST_EXPECT_MSG_EQ((control == 0x43 || control == 0x45), true, "either");
    IWARP_COVERS("DDP-4.3-5");

    // only the L segment of a message
    sink.Post(100);
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(3, 40, true), 10), true, "first part missing");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().length, 50, "MO and payload");
    IWARP_COVERS("DDP-5.2-16");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().placed, 10, "what came");

    // the window of MSNs moves: buffers 4 to 8, then 5 to 9
    for (uint32_t i = 0; i < 5; i++)
    {
        sink.Post(100);
    }
    auto& queue = sink.receiver.GetQueue(0);
    NS_TEST_EXPECT_MSG_EQ(queue.GetLower(), 4, "lower edge");
    NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 5, "five buffers");
    sink.Arrive(Untagged(4, 0, true), 1);
    NS_TEST_EXPECT_MSG_EQ(queue.GetLower(), 5, "lower edge");
    NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 4, "four buffers");
    sink.Post(100);
    NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 5, "five buffers");
    IWARP_COVERS("DDP-7.1-11");

    // queues are apart: none left on 0, one on 2
    sink.receiver.EnableQueue(2);
    sink.Post(100, 22, 2);
    for (uint32_t msn = 5; msn <= 9; msn++)
    {
        sink.Arrive(Untagged(msn, 0, true), 1);
    }
    NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 0, "none left");
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(1, 0, true, 2), 1), true, "queue 2 goes on");
    NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().buffer.context, 22, "its own buffer");
    IWARP_COVERS("DDP-5.1.2-1 DDP-4.3-7");

    // three Writes fill one region; then access is withdrawn in mid-message
    Ptr<DdpMemory> memory = DdpMemory::CreateBacked(16384);
    memory->StartRecording();
    const uint32_t stag = sink.Register(memory, 0);
    for (uint32_t i = 0; i < 3; i++)
    {
        sink.Arrive(Tagged(stag, 4096 * i), 4096);
    }
    NS_TEST_EXPECT_MSG_EQ(memory->IsRecorded(0, 12288), true, "12 KiB as one region");
    IWARP_COVERS("DDP-5.2-12");
    for (const uint8_t value : {1, 2})
    {
        const DdpHeader again = Tagged(stag, 0);
        std::vector<uint8_t> octets(again.GetSize() + 1, value);
        again.Write(octets.data());
        NS_TEST_EXPECT_MSG_EQ(sink.ArriveOctets(octets), true, "the same place once more");
    }
    uint8_t octet = 0;
    memory->Read(0, &octet, 1);
    NS_TEST_EXPECT_MSG_EQ(+octet, 2, "the second stays");
    IWARP_COVERS("DDP-5.1.1-2");
    sink.Arrive(Tagged(stag, 12288, false), 100);
    sink.table.Invalidate(stag);
    NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 12388, false), 100), false, "revoked");
    NS_TEST_EXPECT_MSG_EQ(memory->GetRecorded(), 12388, "not an octet after the revoke");
    IWARP_COVERS("DDP-8.3-6 DDP-8.3.1-7 RDMAP-8.1.1-06");
}

/// A supply of buffers shared by streams.
struct DdpReceiverSourceTest : TestCase
{
    using TestCase::TestCase;

    struct Pool : DdpBufferSource
    {
        std::deque<DdpBuffer> buffers; // next first

        uint32_t GetAvailable() const override
        {
            return buffers.size();
        }

        bool Pop(DdpBuffer& buffer) override
        {
            if (buffers.empty())
            {
                return false;
            }
            buffer = buffers.front();
            buffers.pop_front();
            return true;
        }
    };
};

IWARP_TEST(ddpReceiver, "buffers from a shared source", DdpReceiverSourceTest)
{
    Pool pool;
    DdpTestSink a;
    DdpTestSink b;
    a.receiver.EnableQueue(0, &pool);
    b.receiver.EnableQueue(0, &pool);
    std::array<uint8_t, 64> memory{};
    for (uint64_t i = 0; i < 4; i++)
    {
        DdpBuffer buffer;
        buffer.context = i;
        buffer.length = 16;
        buffer.octets = memory.data() + 16 * i;
        pool.buffers.push_back(buffer);
    }
    NS_TEST_EXPECT_MSG_EQ(a.receiver.GetQueue(0).GetWindow(), 4, "all four");
    a.Arrive(Untagged(1, 0, false), 8);
    NS_TEST_EXPECT_MSG_EQ(b.receiver.GetQueue(0).GetWindow(), 3, "three left");
    b.Arrive(Untagged(1, 0, true), 16);
    a.Arrive(Untagged(1, 8, true), 8);
    NS_TEST_EXPECT_MSG_EQ(a.deliveries[0].buffer.context, 0, "taken first");
    NS_TEST_EXPECT_MSG_EQ(b.deliveries[0].buffer.context, 1, "taken next");
    // MSN 3 before MSN 2: both have to find a buffer
    const std::vector<uint8_t> late = Hex("4143 00000000 00000000 00000003 00000000 01");
    const std::vector<uint8_t> early = Hex("4143 00000000 00000000 00000002 00000000 02");
    a.receiver.Segment(11, late.data(), late.size(), late.size(), false);
    a.receiver.Segment(10, early.data(), early.size(), early.size(), true);
    a.receiver.Deliver(2);
    NS_TEST_ASSERT_MSG_EQ(a.deliveries.size(), 3, "both");
    NS_TEST_EXPECT_MSG_EQ(a.deliveries[1].header.msn, 2, "in order");
    NS_TEST_EXPECT_MSG_EQ(+memory[32], 1, "the first to arrive has the first buffer");
    NS_TEST_EXPECT_MSG_EQ(+memory[48], 2, "the second the second");
    NS_TEST_EXPECT_MSG_EQ(b.Arrive(Untagged(2, 0, true), 1), false, "none left");
    NS_TEST_EXPECT_MSG_EQ((b.errors[0] == DdpError::UNTAGGED_NO_BUFFER), true, "code");
    IWARP_COVERS("DDP-7.1-3 DDP-7.1-7");
    NS_TEST_EXPECT_MSG_EQ(b.receiver.GetStats().systemFaults, 1, "a system fault");
    IWARP_COVERS("DDP-7.1-4");
}

} // namespace
