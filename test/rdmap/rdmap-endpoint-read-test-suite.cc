/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-test-memories.h"

#include <cerrno>
#include <utility>

using namespace ns3;

namespace
{

/// Suite of Reads and Atomics of the RDMAP endpoint.
IWARP_TEST_SUITE(rdmapEndpointRead, "rdmap-endpoint-read");

/// Atomics on backed memory.
IWARP_TEST(rdmapEndpointRead, "Atomics: order, original values, memory, and a Read in between")
{
    RdmapTestPair pair(RdmapTestConfig(2, 2));
    std::vector<uint64_t> a(64);
    std::vector<uint64_t> b(64);
    const uint32_t stagA =
        pair.a.Register(DdpMemory::Wrap(reinterpret_cast<uint8_t*>(a.data()), 512));
    const uint32_t stagB =
        pair.b.Register(DdpMemory::Wrap(reinterpret_cast<uint8_t*>(b.data()), 512));
    b[3] = 1000;
    for (uint64_t i = 0; i < 10; i++)
    {
        RdmapWork work = MakeWork(i, RdmapWorkKind::ATOMIC, {{8 * i, 8, stagA}});
        work.remoteStag = stagB;
        work.remoteTo = 24;
        work.atomic.data = 5;
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), 0, "posted");
    }
    RdmapWork swap = MakeWork(10, RdmapWorkKind::ATOMIC, {{80, 8, stagA}});
    swap.remoteStag = stagB;
    swap.remoteTo = 24;
    swap.atomic.opcode = 2;
    swap.atomic.compare = 1050;
    swap.atomic.data = 77;
    swap.atomic.dataMask = ~uint64_t(0);
    pair.a.endpoint->PostSend(RdmapWork(swap));
    RdmapWork read = MakeWork(11, RdmapWorkKind::READ, {{88, 8, stagA}});
    read.remoteStag = stagB;
    read.remoteTo = 24;
    pair.a.endpoint->PostSend(std::move(read));
    swap.id = 12;
    swap.sges[0].to = 96;
    pair.a.endpoint->PostSend(RdmapWork(swap)); // compares with 1050: fails
    pair.Pump();
    NS_TEST_ASSERT_MSG_EQ(pair.a.failure.has_value(), false, "no failure");
    NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 13, "all have ended");
    IWARP_COVERS("EXT-5-02 EXT-5.2.1-14 EXT-5.2.2-06 EXT-5.2.1-02");
    for (uint64_t i = 0; i < 10; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(a[i], 1000 + 5 * i, "original value of addition " << i);
    }
    IWARP_COVERS("EXT-5-06 EXT-5.1.1-05 EXT-5.1.1-02 EXT-5.2.1-13 EXT-5.2.2-08");
    NS_TEST_EXPECT_MSG_EQ(a[10], 1050, "original value of the swap");
    NS_TEST_EXPECT_MSG_EQ(a[11], 77, "read in between");
    IWARP_COVERS("EXT-7-02 EXT-5.4-07");
    NS_TEST_EXPECT_MSG_EQ(a[12], 77, "original value of the failing swap");
    NS_TEST_EXPECT_MSG_EQ(b[3], 77, "and no change");
    IWARP_COVERS("EXT-5.1.2-01 EXT-5.1.2-02 EXT-5.1.2-03");

    RdmapWork odd = MakeWork(13, RdmapWorkKind::ATOMIC, {{0, 4, stagA}});
    NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(RdmapWork(odd)), EINVAL, "4 octets");
    odd.sges[0].length = 8;
    odd.atomic.opcode = 1;
    NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(RdmapWork(odd)), EINVAL, "reserved");
    odd.atomic.opcode = 0;
    odd.remoteStag = stagB;
    odd.remoteTo = 28;
    pair.a.endpoint->PostSend(RdmapWork(odd));
    const auto before = b;
    pair.Pump();
    NS_TEST_ASSERT_MSG_EQ(pair.a.failure.has_value(), true, "not aligned");
    NS_TEST_EXPECT_MSG_EQ(pair.a.failure->Describe(),
                          "RDMAP, remote operation: catastrophic, this stream (0/2/7)",
                          "code");
    IWARP_COVERS("EXT-5.1.1-03 EXT-5.2.1-04 EXT-8.2-02");
    NS_TEST_EXPECT_MSG_EQ(pair.a.failure->hasDdpHeader, true, "M and D");
    NS_TEST_EXPECT_MSG_EQ(pair.a.failure->hasReadHeader, false, "not R");
    IWARP_COVERS("EXT-8.1-02");
    NS_TEST_EXPECT_MSG_EQ((b == before), true, "memory untouched");
    IWARP_COVERS("EXT-5.1.1-04");
    const auto& last = pair.a.completions.back();
    NS_TEST_EXPECT_MSG_EQ((last.status == RdmapStatus::REMOTE_INVALID), true, "its status");
}

/// A Read of what the peer does not grant.
IWARP_TEST(rdmapEndpointRead, "a Read that the peer refuses has its status")
{
    RdmapTestPair pair(RdmapTestConfig());
    RdmapTestMemories m(pair);
    RdmapWork work = MakeWork(1, RdmapWorkKind::READ, {{0x10000, 4, m.stagA}});
    work.remoteStag = 0x9900;
    pair.a.endpoint->PostSend(std::move(work));
    pair.Pump();
    NS_TEST_ASSERT_MSG_EQ(pair.b.failure.has_value(), true, "no such STag");
    NS_TEST_EXPECT_MSG_EQ(pair.b.failure->Describe(),
                          "RDMAP, remote protection: invalid STag (0/1/0)",
                          "code");
    NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 1, "it has ended");
    NS_TEST_EXPECT_MSG_EQ((pair.a.completions[0].status == RdmapStatus::REMOTE_ACCESS),
                          true,
                          "its status");
}

/// ORD holds Reads back, IRD refuses them, fences wait.
struct RdmapReadLimitTest : TestCase
{
    using TestCase::TestCase;

    RdmapWork Read(uint64_t id, const RdmapTestMemories& m)
    {
        RdmapWork work = MakeWork(id, RdmapWorkKind::READ, {{0x10000 + 100 * id, 100, m.stagA}});
        work.remoteStag = m.stagB;
        work.remoteTo = 0x20000 + 100 * id;
        return work;
    }
};

IWARP_TEST(rdmapEndpointRead,
           "ORD queues at the requester, IRD is an error at the responder, fences wait",
           RdmapReadLimitTest)
{
    {
        RdmapTestPair pair(RdmapTestConfig(3, 3));
        RdmapTestMemories m(pair);
        for (uint64_t i = 0; i < 16; i++)
        {
            pair.a.endpoint->PostSend(Read(i, m));
        }
        pair.b.PostReceive(0, m.stagB, 0x20000, 100);
        pair.a.endpoint->PostSend(MakeWork(16, RdmapWorkKind::SEND));
        std::vector<std::vector<uint8_t>> requests;
        for (auto u = pair.a.Output(); !u.empty(); u = pair.a.Output())
        {
            requests.push_back(u);
        }
        NS_TEST_EXPECT_MSG_EQ(requests.size(), 3, "ORD of them go out, and nothing behind");
        IWARP_COVERS("ENH-9.1-1 RDMAP-6.1-04 RDMAP-6.1-05");
        for (const auto& r : requests)
        {
            pair.b.Input(r);
        }
        NS_TEST_EXPECT_MSG_EQ(pair.b.endpoint->GetResponder().GetPending(), 3, "IRD is full");
        IWARP_COVERS("RDMAP-6.1-03 RDMAP-5.2.2-03");
        pair.a.Input(pair.b.Output());
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 1, "one is done");
        pair.b.Input(pair.a.Output());
        NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "one goes out for it, no more");
        IWARP_COVERS("RDMAP-6.1-05");
        pair.Pump();
        NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 17, "all are done");
        IWARP_COVERS("RDMAP-6.1-02 RDMAP-8.1.1-11");
        NS_TEST_EXPECT_MSG_EQ(pair.a.failure.has_value(), false, "no failure");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 1, "and the Send came");
    }
    for (const auto form : {RdmapTerminateForm::RFC, RdmapTerminateForm::MIRRORED})
    {
        auto asking = RdmapTestConfig(4, 4);
        auto asked = RdmapTestConfig(2, 2);
        asking.terminateForm = asked.terminateForm = form;
        RdmapTestPair pair(asking, asked);
        RdmapTestMemories m(pair);
        for (uint64_t i = 0; i < 3; i++)
        {
            pair.a.endpoint->PostSend(Read(i, m));
        }
        for (uint32_t i = 0; i < 3; i++)
        {
            pair.b.Input(pair.a.Output());
        }
        NS_TEST_ASSERT_MSG_EQ(pair.b.failure.has_value(), true, "one too many");
        NS_TEST_EXPECT_MSG_EQ(pair.b.failure->Describe(),
                              "DDP, untagged buffer: invalid MSN, no buffer available (1/2/2)",
                              "code");
        IWARP_COVERS("DDP-1.2-2 RDMAP-6.1-06 ENH-9.1-1");
        pair.Pump();
        NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 3, "all have ended");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[1].status == RdmapStatus::FLUSHED),
                              true,
                              "flushed");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[2].status == RdmapStatus::REMOTE_OPERATION),
                              true,
                              "the one that the Terminate names");
    }
    {
        RdmapTestPair pair(RdmapTestConfig(0, 0));
        RdmapTestMemories m(pair);
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(Read(0, m)), EINVAL, "ORD 0");
    }
    {
        RdmapTestPair pair(RdmapTestConfig());
        RdmapTestMemories m(pair);
        m.b[0] = 42;
        pair.a.endpoint->PostSend(Read(0, m));
        RdmapWork write = MakeWork(1, RdmapWorkKind::WRITE, {{0x10000 + 5000, 10, m.stagA}});
        write.remoteStag = m.stagB;
        write.remoteTo = 0x20000;
        write.fence = true;
        pair.a.endpoint->PostSend(std::move(write));
        const auto request = pair.a.Output();
        NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "the fence holds");
        pair.b.Input(request);
        pair.a.Input(pair.b.Output());
        NS_TEST_EXPECT_MSG_EQ(+m.a[0], 42, "Read before Write");
        IWARP_COVERS("RDMAP-5.5-14");
        NS_TEST_EXPECT_MSG_GT(pair.a.Output().size(), 0, "then the Write goes out");
    }
}

/// A Read that its own side ends wrongly, and reads of nothing.
struct RdmapReadOddTest : TestCase
{
    using TestCase::TestCase;

    void Expect(const std::string& response, const std::string& description)
    {
        RdmapTestNode node(RdmapTestConfig());
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(1000), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, 0x101, "first STag of a table");
        RdmapWork work = MakeWork(1, RdmapWorkKind::READ, {{0x1100, 4, stag}});
        work.remoteStag = 0x9900;
        node.endpoint->PostSend(std::move(work));
        node.Output();
        node.Input(Hex(response));
        NS_TEST_EXPECT_MSG_EQ(node.failure.has_value(), !description.empty(), response);
        if (node.failure)
        {
            NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(), description, response);
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(node.completions.size(), 1, response);
        }
    }
};

IWARP_TEST(rdmapEndpointRead,
           "empty Reads; responses that were not asked for, too short, or elsewhere",
           RdmapReadOddTest)
{
    Expect("C142 00000101 0000000000001100 AABBCCDD", "");
    Expect("C142 00000101 0000000000001100 AABBCC",
           "RDMAP, remote operation: unspecified (0/2/255)");
    Expect("C142 00000101 0000000000001100 AABBCCDDEE",
           "DDP, tagged buffer: base or bounds violation (1/1/1)");
    Expect("C142 00000101 0000000000001101 AABBCCDD",
           "DDP, tagged buffer: base or bounds violation (1/1/1)");
    Expect("C142 00000101 00000000000010FF AABBCCDD",
           "DDP, tagged buffer: base or bounds violation (1/1/1)");
    Expect("C142 00000102 0000000000001100 AABBCCDD", "DDP, tagged buffer: invalid STag (1/1/0)");
    Expect("C142 00000101 0000000000001100", "RDMAP, remote operation: unspecified (0/2/255)");
    IWARP_COVERS("RDMAP-5.2.2-05 RDMAP-5.2.2-08");

    RdmapTestNode idle(RdmapTestConfig());
    idle.Input(Hex("C142 00000101 0000000000001100 AABBCCDD"));
    NS_TEST_EXPECT_MSG_EQ(idle.failure->Describe(),
                          "RDMAP, remote operation: unexpected opcode (0/2/6)",
                          "nothing was asked for");
    IWARP_COVERS("RDMAP-5.2.2-05");

    // of two sinks the one that has the STag says what is wrong, whichever was asked for first
    for (const uint32_t first : {0, 1})
    {
        RdmapTestNode node(RdmapTestConfig());
        const uint32_t stags[] = {node.Register(DdpMemory::CreateVirtual(1000), 0x1000),
                                  node.Register(DdpMemory::CreateVirtual(1000), 0x1000)};
        for (const uint32_t i : {first, 1 - first})
        {
            RdmapWork read = MakeWork(i, RdmapWorkKind::READ, {{0x1100, 4, stags[i]}});
            read.remoteStag = 0x9900;
            node.endpoint->PostSend(std::move(read));
            node.Output();
        }
        NS_TEST_ASSERT_MSG_EQ(stags[0], 0x101, "first STag of a table");
        node.Input(Hex("C142 00000101 0000000000001101 AABBCCDD"));
        NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(),
                              "DDP, tagged buffer: base or bounds violation (1/1/1)",
                              first);
    }

    // an empty Read: neither source nor sink is looked at
    RdmapTestPair pair(RdmapTestConfig());
    RdmapWork work = MakeWork(1, RdmapWorkKind::READ);
    work.remoteStag = 0xDEADBEEF;
    work.remoteTo = ~uint64_t(0);
    pair.a.endpoint->PostSend(std::move(work));
    pair.Pump();
    NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 1, "done");
    NS_TEST_EXPECT_MSG_EQ((pair.a.completions[0].status == RdmapStatus::SUCCESS), true, "well");
    IWARP_COVERS("RDMAP-5.2.1-12 RDMAP-5.2.1-14");

    // the source is withdrawn while the response is under way: the Terminate says what is left
    RdmapTestPair cut(RdmapTestConfig());
    RdmapTestMemories m(cut);
    work = MakeWork(1, RdmapWorkKind::READ, {{0x10000, 5000, m.stagA}});
    work.remoteStag = m.stagB;
    work.remoteTo = 0x20000;
    cut.a.endpoint->PostSend(std::move(work));
    cut.b.Input(cut.a.Output());
    const auto first = cut.b.Output(1442);
    NS_TEST_EXPECT_MSG_EQ(first.size(), 1442, "first segment");
    cut.b.table.Invalidate(m.stagB);
    const auto terminate = cut.b.Output(1442);
    const auto expected = Hex("4147 00000000 00000002 00000001 00000000 0100E000 002E"
                              "4141 00000000 00000001 00000001 00000000"
                              "00000101 0000000000010594 00000DF4 00000101 0000000000020594");
    NS_TEST_EXPECT_MSG_EQ((terminate == expected), true, "advanced by 1428 octets");
    IWARP_COVERS("RDMAP-4.8-09");
    NS_TEST_EXPECT_MSG_EQ(cut.b.Output().size(), 0, "and nothing behind it");
}

} // namespace
