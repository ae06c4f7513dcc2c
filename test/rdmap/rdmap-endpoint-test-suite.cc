/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-test-memories.h"

#include <cerrno>
#include <memory>
#include <utility>

using namespace ns3;

namespace
{

/// Suite of the RDMAP endpoint: messages, and what ends on its own side.
IWARP_TEST_SUITE(rdmapEndpoint, "rdmap-endpoint");

/// A ULPDU that MPA has not taken is cut anew when MULPDU becomes smaller (RFC 5041 section 5.2),
/// and not when it grows.
IWARP_TEST(rdmapEndpoint, "MULPDU changes before a ULPDU is taken")
{
    RdmapTestPair pair(RdmapTestConfig());
    RdmapTestMemories m(pair);
    pair.b.PostReceive(1, m.stagB, 0x20000, 4096);
    pair.a.endpoint->PostSend(MakeWork(2, RdmapWorkKind::SEND, {{0x10000, 3000, m.stagA}}));
    for (const auto& [mulpdu, size] :
         {std::pair(1442U, 1442U), {500U, 500U}, {128U, 128U}, {1442U, 128U}})
    {
        const RdmapOutput* output = pair.a.endpoint->GetOutput(mulpdu);
        NS_TEST_EXPECT_MSG_EQ((output ? output->GetSize() : 0), size, "with MULPDU " << mulpdu);
        NS_TEST_EXPECT_MSG_EQ((output && output->last), false, "more follow");
    }
    pair.Pump(600);
    NS_TEST_ASSERT_MSG_EQ(pair.b.received.size(), 1, "a message");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].length, 3000, "all of it");
    IWARP_COVERS("DDP-5.2-2");
    NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 1, "and it is sent");
}

/// What ends a stream between the two steps of sending a segment is said behind that segment.
IWARP_TEST(rdmapEndpoint, "a stream that fails while MPA takes a segment")
{
    RdmapTestPair pair(RdmapTestConfig());
    RdmapTestMemories m(pair);
    pair.a.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0x10000, 10, m.stagA}}));
    NS_TEST_ASSERT_MSG_NE(pair.a.endpoint->GetOutput(1442), nullptr, "a segment");
    pair.a.Input(Hex("C140 00009900 0000000000001000 AA"));
    NS_TEST_ASSERT_MSG_EQ(pair.a.failure.has_value(), true, "an STag that nobody has given out");
    pair.a.endpoint->OutputTaken();
    const auto terminate = pair.a.Output();
    NS_TEST_ASSERT_MSG_GT(terminate.size(), 18, "the Terminate is still to be sent");
    NS_TEST_EXPECT_MSG_EQ(+terminate[1], 0x47, "it");
    NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "once");
    IWARP_COVERS("RDMAP-7.1-02");
}

/// A flush gives back the receives of the user, and none of them for the indication of readiness
/// that has not come (RFC 6581 section 9.2).
IWARP_TEST(rdmapEndpoint, "a flush ahead of the indication of readiness")
{
    RdmapTestNode node(RdmapTestConfig());
    const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
    node.endpoint->ExpectIndication();
    for (uint64_t id = 1; id <= 3; id++)
    {
        node.PostReceive(id, stag, 0x1000, 16);
    }
    DdpBuffer buffer;
    for (uint64_t id = 1; id <= 3; id++)
    {
        NS_TEST_ASSERT_MSG_EQ(node.endpoint->FlushReceive(buffer), true, id);
        NS_TEST_EXPECT_MSG_EQ(buffer.context, id, "in order");
    }
    NS_TEST_EXPECT_MSG_EQ(node.endpoint->FlushReceive(buffer), false, "all");
}

/// Each kind of message once.
IWARP_TEST(rdmapEndpoint, "each kind of message once")
{
    RdmapTestPair pair(RdmapTestConfig());
    RdmapTestMemories m(pair);
    for (uint32_t i = 0; i < 8; i++)
    {
        pair.b.PostReceive(100 + i, m.stagB, 0x20000 + 4096 * i, 4096);
    }
    auto post = [&](RdmapWork work) {
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), 0, "posted");
    };

    post(MakeWork(1, RdmapWorkKind::SEND, {{0x10000, 3000, m.stagA}}));
    RdmapWork work = MakeWork(2, RdmapWorkKind::SEND);
    work.solicited = true;
    post(work);
    work = MakeWork(3, RdmapWorkKind::SEND);
    work.inlined = true;
    work.inlineOctets = {1, 2, 3, 4, 5};
    post(work);

    const uint32_t window = pair.b.Register(DdpMemory::CreateVirtual(4), 0);
    work = MakeWork(4, RdmapWorkKind::SEND, {{0x10000, 4, m.stagA}});
    work.invalidate = true;
    work.invalidateStag = window;
    post(work);

    work = MakeWork(5, RdmapWorkKind::WRITE, {{0x10000, 9000, m.stagA}});
    work.remoteStag = m.stagB;
    work.remoteTo = 0x20000 + 40000;
    post(work);
    work = MakeWork(6, RdmapWorkKind::IMMEDIATE);
    work.immediate = 0x1122334455667788;
    post(work);

    work = MakeWork(7, RdmapWorkKind::READ, {{0x10000 + 30000, 5000, m.stagA}});
    work.remoteStag = m.stagB;
    work.remoteTo = 0x20000 + 40000;
    post(work);
    pair.Pump();

    NS_TEST_ASSERT_MSG_EQ(pair.a.failure.has_value(), false, "no failure");
    NS_TEST_ASSERT_MSG_EQ(pair.b.failure.has_value(), false, "no failure");
    NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 7, "all have ended");
    const uint32_t octets[] = {3000, 0, 5, 4, 9000, 0, 5000};
    for (uint32_t i = 0; i < 7; i++)
    {
        const auto& c = pair.a.completions[i];
        NS_TEST_EXPECT_MSG_EQ(c.id, i + 1, "in order");
        NS_TEST_EXPECT_MSG_EQ((c.status == RdmapStatus::SUCCESS), true, "well");
        NS_TEST_EXPECT_MSG_EQ(c.octets, octets[i], "octets");
    }
    IWARP_COVERS("RDMAP-5.5-17");
    NS_TEST_ASSERT_MSG_EQ(pair.b.received.size(), 5, "buffers used");
    for (uint32_t i = 0; i < 5; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[i].buffer.context, 100 + i, "in order");
    }
    IWARP_COVERS("RDMAP-5.3-05");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].length, 3000, "length");
    IWARP_COVERS("DDP-1.2-1 RDMAP-3.2-01 RDMAP-5.3-03");
    NS_TEST_EXPECT_MSG_EQ(m.Equal(0, 0, 3000), true, "Send");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].solicited, false, "no event");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[1].solicited, true, "event");
    IWARP_COVERS("RDMAP-5.3-06");
    NS_TEST_EXPECT_MSG_EQ(+m.b[8192 + 4], 5, "inline data");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[3].invalidated, true, "invalidated");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[3].invalidatedStag, window, "which");
    IWARP_COVERS("RDMAP-3.2-01");
    NS_TEST_EXPECT_MSG_EQ(pair.b.table.Find(window)->valid, false, "no longer valid");
    IWARP_COVERS("RDMAP-5.3-13 RDMAP-5.3-12");
    NS_TEST_EXPECT_MSG_EQ(m.Equal(0, 40000, 9000), true, "Write");
    IWARP_COVERS("DDP-5.1.1-1");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].hasImmediate, true, "Immediate Data");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].immediate, 0x1122334455667788, "its value");
    IWARP_COVERS("EXT-6.1-01");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].afterWrite, true, "right after a Write");
    IWARP_COVERS("EXT-6.4-01");
    NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].length, 8, "an 8-octet Send");
    IWARP_COVERS("EXT-6.3-02");
    NS_TEST_EXPECT_MSG_EQ(m.Equal(30000, 40000, 5000), true, "Read");
    IWARP_COVERS("RDMAP-5.5-13");
    const std::vector<RdmapOpcode> order = {RdmapOpcode::SEND,
                                            RdmapOpcode::SEND_SE,
                                            RdmapOpcode::SEND,
                                            RdmapOpcode::SEND_INVALIDATE,
                                            RdmapOpcode::WRITE,
                                            RdmapOpcode::IMMEDIATE,
                                            RdmapOpcode::READ_REQUEST};
    NS_TEST_EXPECT_MSG_EQ((pair.b.delivered == order), true, "delivered in order");
    IWARP_COVERS("RDMAP-5.5-15 EXT-6.3-03");
    NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), true, "nothing left");
    NS_TEST_EXPECT_MSG_EQ(pair.b.endpoint->IsDrained(), true, "nothing left");
}

/// What is refused when it is posted, and what ends on this side.
struct RdmapLocalTest : TestCase
{
    using TestCase::TestCase;

    struct Note : RdmapLocalWork
    {
        std::vector<uint32_t>* seen;
        RdmapTestNode* node;

        RdmapStatus Perform() override
        {
            seen->push_back(node->completions.size());
            return RdmapStatus::SUCCESS;
        }
    };
};

IWARP_TEST(rdmapEndpoint, "local errors, closing, work done in its turn", RdmapLocalTest)
{
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        auto refused = [&](RdmapWork work, int error, const std::string& what) {
            NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), error, what);
        };
        DdpSgeList huge(2, DdpSge{0x10000, 0x80000000, m.stagA});
        refused(MakeWork(1, RdmapWorkKind::SEND, huge), EMSGSIZE, "2^32 octets");
        IWARP_COVERS("DDP-5.2-3");
        RdmapWork work = MakeWork(1, RdmapWorkKind::READ);
        work.inlined = true;
        refused(work, EINVAL, "inline Read");
        work = MakeWork(1, RdmapWorkKind::READ, DdpSgeList(2));
        refused(work, EINVAL, "a Read into two pieces");
        work = MakeWork(1, RdmapWorkKind::WRITE);
        work.invalidate = true;
        refused(work, EINVAL, "a Write that invalidates");
        refused(MakeWork(1, RdmapWorkKind::LOCAL), EINVAL, "nothing to do");
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 0, "none was taken");

        // a local buffer that is not there: the peer is told, what is queued is flushed
        pair.b.PostReceive(1, m.stagB, 0x20000, 100);
        pair.a.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND, {{0x10000, 10, m.stagA}}));
        pair.a.endpoint->PostSend(MakeWork(2, RdmapWorkKind::SEND, {{0x0FFFF, 10, m.stagA}}));
        pair.a.endpoint->PostSend(MakeWork(3, RdmapWorkKind::SEND));
        pair.Pump();
        NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 3, "all have ended");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[0].status == RdmapStatus::SUCCESS), true, "1");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[1].status == RdmapStatus::LOCAL_PROTECTION),
                              true,
                              "2");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[2].status == RdmapStatus::FLUSHED), true, "3");
        NS_TEST_EXPECT_MSG_EQ(pair.b.failedByPeer, true, "told by a Terminate");
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure->Describe(),
                              "RDMAP, local catastrophic error (0/0/0)",
                              "code");
        IWARP_COVERS("RDMAP-7.1-02");
    }
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        std::vector<uint32_t> seen;
        RdmapWork work = MakeWork(0, RdmapWorkKind::READ, {{0x10000, 100, m.stagA}});
        work.remoteStag = m.stagB;
        work.remoteTo = 0x20000;
        pair.a.endpoint->PostSend(std::move(work));
        for (uint64_t i = 1; i <= 2; i++)
        {
            auto note = std::make_shared<Note>();
            note->seen = &seen;
            note->node = &pair.a;
            work = MakeWork(i, RdmapWorkKind::LOCAL);
            work.fence = i == 2;
            work.local = note;
            pair.a.endpoint->PostSend(RdmapWork(work));
        }
        const auto request = pair.a.Output();
        NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "nothing behind the Read");
        pair.b.Input(request);
        pair.Pump();
        NS_TEST_EXPECT_MSG_EQ((seen == std::vector<uint32_t>{0, 2}),
                              true,
                              "without a fence at once, with one after the Read");
        IWARP_COVERS("RDMAP-5.5-14");
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 3, "reported in order");
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions[0].id, 0, "the Read first");
        IWARP_COVERS("RDMAP-5.5-17");
    }
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        for (uint64_t i = 0; i < 5; i++)
        {
            pair.b.PostReceive(i, m.stagB, 0x20000, 5000);
            pair.a.endpoint->PostSend(MakeWork(i, RdmapWorkKind::SEND, {{0x10000, 5000, m.stagA}}));
        }
        pair.a.endpoint->Close();
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(MakeWork(9, RdmapWorkKind::SEND)),
                              ESHUTDOWN,
                              "refused after Close()");
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), false, "what was posted goes out");
        pair.Pump();
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), true, "all is out");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 5, "and there");
        IWARP_COVERS("DDP-6.2.1-1");
        // the other half goes on when the peer has closed its own
        pair.b.endpoint->LlpClosed();
        pair.a.PostReceive(0, m.stagA, 0x10000, 100);
        pair.b.endpoint->PostSend(MakeWork(0, RdmapWorkKind::SEND, {{0x20000, 50, m.stagB}}));
        pair.Pump();
        NS_TEST_EXPECT_MSG_EQ(pair.a.received.size(), 1, "half-closed");
        IWARP_COVERS("DDP-6.2.1-5 DDP-6.2.1-8");
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), false, "no failure");
        RdmapWork read = MakeWork(1, RdmapWorkKind::READ, {{0x20000, 1, m.stagB}});
        read.remoteStag = m.stagA;
        read.remoteTo = 0x10000;
        pair.b.endpoint->PostSend(std::move(read));
        pair.b.Output();
        pair.b.endpoint->LlpClosed();
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), true, "no answer can come any more");
    }
    {
        // nor of one that was asked for before
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        RdmapWork read = MakeWork(1, RdmapWorkKind::READ, {{0x20000, 1, m.stagB}});
        read.remoteStag = m.stagA;
        read.remoteTo = 0x10000;
        pair.b.endpoint->PostSend(std::move(read));
        pair.b.Output();
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), false, "its answer may come");
        pair.b.endpoint->LlpClosed();
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), true, "none comes behind a FIN");
    }
}

} // namespace
