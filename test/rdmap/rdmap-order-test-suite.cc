/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-test-connections.h"
#include "rdmap-capture.h"
#include "rdmap-stream-fixture.h"
#include "rdmap-test-memories.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the order of RDMAP's operations, and of what one leaves alone.
IWARP_TEST_SUITE(rdmapOrder, "rdmap-order");

/// @param id its id @param kind which @param m memories @param local place at a
/// @param remote place at b @param octets length @return an operation of a on b's memory
RdmapWork
MakeRemote(uint64_t id,
           RdmapWorkKind kind,
           const RdmapTestMemories& m,
           uint32_t local,
           uint32_t remote,
           uint32_t octets)
{
    RdmapWork work = MakeWork(id, kind, {{0x10000 + local, octets, m.stagA}});
    work.remoteStag = m.stagB;
    work.remoteTo = 0x20000 + remote;
    work.atomic.data = 1;
    return work;
}

/// When an operation is complete, and in which order.
struct RdmapOrderTest : TestCase
{
    using TestCase::TestCase;

    void RunSource() //!< an operation is not complete while DDP does not have all of it
    {
        for (const auto kind : {RdmapWorkKind::SEND, RdmapWorkKind::WRITE})
        {
            RdmapTestPair pair(RdmapTestConfig());
            RdmapTestMemories m(pair);
            pair.a.endpoint->PostSend(MakeRemote(1, kind, m, 0, 0, 4000));
            for (uint32_t segment = 0; segment < 2; segment++)
            {
                NS_TEST_EXPECT_MSG_EQ(pair.a.Output(1442).size(), 1442, "full segment");
                NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 0, "and there is more to come");
                IWARP_COVERS("RDMAP-5.5-16");
            }
            NS_TEST_EXPECT_MSG_GT(pair.a.Output(1442).size(), 0, "the last one");
            NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 1, "complete");
        }
    }

    void RunCrossing() //!< either order of what the two ends send
    {
        for (const bool first : {false, true})
        {
            RdmapTestPair pair(RdmapTestConfig());
            RdmapTestMemories m(pair);
            pair.a.PostReceive(1, m.stagA, 0x10000, 100);
            pair.b.PostReceive(1, m.stagB, 0x20000, 100);
            pair.a.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0x10000, 8, m.stagA}}));
            pair.b.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0x20000, 9, m.stagB}}));
            const auto fromA = pair.a.Output();
            const auto fromB = pair.b.Output();
            if (first)
            {
                pair.b.Input(fromA);
            }
            pair.a.Input(fromB);
            if (!first)
            {
                pair.b.Input(fromA);
            }
            NS_TEST_ASSERT_MSG_EQ(pair.a.received.size(), 1, "b's Send");
            NS_TEST_ASSERT_MSG_EQ(pair.b.received.size(), 1, "a's Send");
            NS_TEST_EXPECT_MSG_EQ(pair.a.received[0].length, 9, "its length");
            NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].length, 8, "its length");
            NS_TEST_EXPECT_MSG_EQ((pair.a.failure || pair.b.failure), false, "no failure");
            IWARP_COVERS("RDMAP-5.5-02");
        }
    }

    void RunImmediate() //!< requests behind Immediate Data that is not there yet
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        pair.b.PostReceive(1, m.stagB, 0x20000, 100);
        pair.a.endpoint->PostSend(MakeWork(1, RdmapWorkKind::IMMEDIATE));
        pair.a.endpoint->PostSend(MakeRemote(2, RdmapWorkKind::READ, m, 0, 0, 100));
        pair.a.endpoint->PostSend(MakeRemote(3, RdmapWorkKind::ATOMIC, m, 40000, 40000, 8));
        const std::vector<uint8_t> sent[] = {pair.a.Output(), pair.a.Output(), pair.a.Output()};
        for (const uint32_t early : {1, 2})
        {
            const auto& octets = sent[early];
            pair.b.endpoint->Segment(early, octets.data(), octets.size(), octets.size(), false);
        }
        pair.b.endpoint->Deliver(0);
        NS_TEST_EXPECT_MSG_EQ(pair.b.Output().size(), 0, "no request is answered yet");
        pair.b.endpoint->Segment(0, sent[0].data(), sent[0].size(), sent[0].size(), true);
        pair.b.endpoint->Deliver(3);
        NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 1, "the Immediate Data is complete");
        NS_TEST_EXPECT_MSG_EQ(+m.b[40000], 0, "before the Atomic");
        NS_TEST_EXPECT_MSG_EQ(pair.b.Output().size(), 114, "then the Read's answer");
        NS_TEST_EXPECT_MSG_EQ(pair.b.Output().size(), 30, "and the Atomic's");
        IWARP_COVERS("EXT-7-01");
    }
};

IWARP_TEST(rdmapOrder,
           "completion behind the last segment, crossing Sends, Immediate Data",
           RdmapOrderTest)
{
    RunSource();
    RunCrossing();
    RunImmediate();
}

/// Requests within what was agreed, within a buffer, and those that cannot be made.
struct RdmapRequestTest : TestCase
{
    using TestCase::TestCase;

    void RunMixture() //!< as many as were agreed, in any mixture
    {
        for (uint32_t atomics = 0; atomics <= 4; atomics++)
        {
            RdmapTestPair pair(RdmapTestConfig(4, 4));
            RdmapTestMemories m(pair);
            std::vector<std::vector<uint8_t>> requests;
            for (uint32_t i = 0; i < 4; i++)
            {
                const auto kind = i < atomics ? RdmapWorkKind::ATOMIC : RdmapWorkKind::READ;
                pair.a.endpoint->PostSend(MakeRemote(i, kind, m, 40000 + 8 * i, 40000, 8));
                requests.push_back(pair.a.Output());
                NS_TEST_EXPECT_MSG_GT(requests.back().size(), 0, "goes out at once");
            }
            for (const auto& request : requests)
            {
                pair.b.Input(request);
            }
            NS_TEST_EXPECT_MSG_EQ(pair.b.endpoint->GetResponder().GetPending(), 4, "all taken");
            pair.Pump();
            NS_TEST_EXPECT_MSG_EQ(std::count_if(pair.a.completions.begin(),
                                                pair.a.completions.end(),
                                                [](const auto& completion) {
                                                    return completion.status ==
                                                           RdmapStatus::SUCCESS;
                                                }),
                                  4,
                                  "all answered, with " << atomics << " Atomics");
            NS_TEST_EXPECT_MSG_EQ(+m.b[40000], atomics, "and each Atomic once");
            IWARP_COVERS("EXT-5.2.2-04");
        }
    }

    void RunOneBuffer() //!< a Read does not go on into the next buffer
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        std::vector<uint8_t> next(64, 0x55);
        pair.b.Register(DdpMemory::Wrap(next.data(), next.size()), 0x20000 + m.b.size());
        const auto before = m.a;
        pair.a.endpoint->PostSend(MakeRemote(1, RdmapWorkKind::READ, m, 0, m.b.size() - 8, 16));
        pair.Pump();
        NS_TEST_ASSERT_MSG_EQ(pair.b.failure.has_value(), true, "refused");
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure->Describe(),
                              "RDMAP, remote protection: base or bounds violation (0/1/1)",
                              "8 octets of one buffer and 8 of that behind it");
        NS_TEST_EXPECT_MSG_EQ((m.a == before), true, "nothing is read");
        IWARP_COVERS("RDMAP-5.2.1-09");
    }

    void RunBadAtomic() //!< an Atomic whose own buffer is not there
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        RdmapWork work = MakeRemote(1, RdmapWorkKind::ATOMIC, m, 0, 40000, 8);
        work.sges[0].to = 0x0FFFF;
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), 0, "posted");
        const auto terminate = Hex("4147 00000000 00000002 00000001 00000000 00000000");
        NS_TEST_EXPECT_MSG_EQ((pair.a.Output() == terminate), true, "a Terminate in its place");
        IWARP_COVERS("EXT-8.1-01");
        NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "and nothing behind it");
    }
};

IWARP_TEST(rdmapOrder,
           "Reads and Atomics at once, one buffer a Read, an Atomic that cannot be made",
           RdmapRequestTest)
{
    RunMixture();
    RunOneBuffer();
    RunBadAtomic();
}

/// A completion queue overflows, and another queue pair of the same device goes on.
IWARP_TEST(rdmapOrder, "an overflow of one completion queue of two")
{
    RdmaTestConnections c;
    c.Connect();
    c.Connect();
    auto& full = *c.left[0];
    auto& other = *c.left[1];
    full.cq->SetNotifyCallback(MakeNullCallback<void, Ptr<RdmaCompletionQueue>>());
    c.ready = [&] {
        for (uint32_t i = 0; i < 120; i++) // of 100 that the queue holds
        {
            Simulator::Schedule(MicroSeconds(100 * i), [&full] {
                RdmaSendRequest write;
                write.opcode = RdmaOpcode::RDMA_WRITE;
                write.flags = RDMA_SEND_SIGNALED;
                full.pair->PostSend(write);
            });
        }
    };
    Simulator::Schedule(Seconds(1), [&] {
        NS_TEST_EXPECT_MSG_EQ(full.cq->HasOverflowed(), true, "overflow");
        NS_TEST_EXPECT_MSG_EQ((full.pair->GetState() == RdmaQpState::ERR), true, "its end");
        NS_TEST_EXPECT_MSG_EQ((other.pair->GetState() == RdmaQpState::RTS), true, "no other's");
        other.Send(5000);
    });
    c.Run();
    NS_TEST_EXPECT_MSG_GT(c.right[1]->received, Seconds(1), "the other goes on");
    IWARP_COVERS("RDMAP-8.1.1-10");
    NS_TEST_EXPECT_MSG_EQ(other.over, Time(0), "without an error");
}

/// Who sent a Terminate, and who got it, end the stream at once.
IWARP_TEST(rdmapOrder, "the end of the stream within a round trip of the Terminate")
{
    RdmapTestConnection c; // a round trip takes 2 ms
    Time posted;
    c.a.onEstablished = [&] {
        posted = Simulator::Now();
        c.a.Post(RdmapWorkKind::WRITE, 0, 100, c.b, RdmapTestEnd::SIZE - 50);
    };
    c.Run(Seconds(5));
    NS_TEST_ASSERT_MSG_EQ(c.a.failures.size(), 1, "a Terminate");
    // it leaves b after half a round trip
    const Time most = posted + MicroSeconds(3100);
    NS_TEST_ASSERT_MSG_EQ(c.a.closed, 1, "over at a");
    NS_TEST_ASSERT_MSG_EQ(c.b.closed, 1, "over at b");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(c.a.closedAt, most + MilliSeconds(1), "at a");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(c.b.closedAt, most, "at b");
    IWARP_COVERS("RDMAP-6.2.1-03");
}

} // namespace
