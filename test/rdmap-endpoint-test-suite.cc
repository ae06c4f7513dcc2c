/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-capture.h"
#include "rdmap-pair.h"

#include "ns3/ns3-compat.h"
#include "ns3/test.h"

#include <cerrno>
#include <cstring>
#include <numeric>

using namespace ns3;

namespace
{

RdmapConfig
Config(uint32_t ird = 4, uint32_t ord = 4)
{
    RdmapConfig config;
    config.pd = 7;
    config.stream = 5;
    config.ird = ird;
    config.ord = ord;
    return config;
}

/// @param pair pair @return memory of 64 KiB at a with octets 1, 2, 3, ..., and zeros at b
struct Memories
{
    std::vector<uint8_t> a; //!< octets at a
    std::vector<uint8_t> b; //!< octets at b
    uint32_t stagA;         //!< STag at a
    uint32_t stagB;         //!< STag at b

    explicit Memories(RdmapTestPair& pair)
        : a(65536),
          b(65536)
    {
        std::iota(a.begin(), a.end(), 1);
        stagA = pair.a.Register(DdpMemory::Wrap(a.data(), a.size()), 0x10000);
        stagB = pair.b.Register(DdpMemory::Wrap(b.data(), b.size()), 0x20000);
    }

    bool Equal(uint32_t placeA, uint32_t placeB, uint32_t size) const
    {
        return std::equal(a.begin() + placeA, a.begin() + placeA + size, b.begin() + placeB);
    }
};

/// Each kind of message once.
class RdmapMessagesTest : public TestCase
{
  public:
    RdmapMessagesTest()
        : TestCase("DDP-1.2-1 DDP-5.1.1-1 each kind of message once")
    {
    }

  private:
    void DoRun() override
    {
        RdmapTestPair pair(Config());
        Memories m(pair);
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
        NS_TEST_ASSERT_MSG_EQ(pair.b.received.size(), 5, "buffers used");
        for (uint32_t i = 0; i < 5; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(pair.b.received[i].buffer.context, 100 + i, "in order");
        }
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].length, 3000, "length");
        NS_TEST_EXPECT_MSG_EQ(m.Equal(0, 0, 3000), true, "Send");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[0].solicited, false, "no event");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[1].solicited, true, "event");
        NS_TEST_EXPECT_MSG_EQ(+m.b[8192 + 4], 5, "inline data");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[3].invalidated, true, "invalidated");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[3].invalidatedStag, window, "which");
        NS_TEST_EXPECT_MSG_EQ(pair.b.table.Find(window)->valid, false, "no longer valid");
        NS_TEST_EXPECT_MSG_EQ(m.Equal(0, 40000, 9000), true, "Write");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].hasImmediate, true, "Immediate Data");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].immediate, 0x1122334455667788, "its value");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].afterWrite, true, "right after a Write");
        NS_TEST_EXPECT_MSG_EQ(pair.b.received[4].length, 8, "an 8-octet Send");
        NS_TEST_EXPECT_MSG_EQ(m.Equal(30000, 40000, 5000), true, "Read");
        const std::vector<RdmapOpcode> order = {RdmapOpcode::SEND,
                                                RdmapOpcode::SEND_SE,
                                                RdmapOpcode::SEND,
                                                RdmapOpcode::SEND_INVALIDATE,
                                                RdmapOpcode::WRITE,
                                                RdmapOpcode::IMMEDIATE,
                                                RdmapOpcode::READ_REQUEST};
        NS_TEST_EXPECT_MSG_EQ((pair.b.delivered == order), true, "delivered in order");
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), true, "nothing left");
        NS_TEST_EXPECT_MSG_EQ(pair.b.endpoint->IsDrained(), true, "nothing left");
    }
};

/// Atomics on backed memory.
class RdmapAtomicsTest : public TestCase
{
  public:
    RdmapAtomicsTest()
        : TestCase("Atomics: order, original values, memory, and a Read in between")
    {
    }

  private:
    void DoRun() override
    {
        RdmapTestPair pair(Config(2, 2));
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
        swap.pieces[0].to = 96;
        pair.a.endpoint->PostSend(RdmapWork(swap)); // compares with 1050: fails
        pair.Pump();
        NS_TEST_ASSERT_MSG_EQ(pair.a.failure.has_value(), false, "no failure");
        NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 13, "all have ended");
        for (uint64_t i = 0; i < 10; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(a[i], 1000 + 5 * i, "original value of addition " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(a[10], 1050, "original value of the swap");
        NS_TEST_EXPECT_MSG_EQ(a[11], 77, "read in between");
        NS_TEST_EXPECT_MSG_EQ(a[12], 77, "original value of the failing swap");
        NS_TEST_EXPECT_MSG_EQ(b[3], 77, "and no change");

        RdmapWork odd = MakeWork(13, RdmapWorkKind::ATOMIC, {{0, 4, stagA}});
        NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(RdmapWork(odd)), EINVAL, "4 octets");
        odd.pieces[0].length = 8;
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
        NS_TEST_EXPECT_MSG_EQ(pair.a.failure->hasDdpHeader, true, "M and D");
        NS_TEST_EXPECT_MSG_EQ(pair.a.failure->hasReadHeader, false, "not R");
        NS_TEST_EXPECT_MSG_EQ((b == before), true, "memory untouched");
        const auto& last = pair.a.completions.back();
        NS_TEST_EXPECT_MSG_EQ((last.status == RdmapStatus::REMOTE_INVALID), true, "its status");
    }
};

/// ORD holds Reads back, IRD refuses them, fences wait.
class RdmapReadLimitTest : public TestCase
{
  public:
    RdmapReadLimitTest()
        : TestCase("ENH-9.1-1 ORD queues at the requester, IRD is an error at the responder, "
                   "fences wait")
    {
    }

  private:
    RdmapWork Read(uint64_t id, const Memories& m)
    {
        RdmapWork work = MakeWork(id, RdmapWorkKind::READ, {{0x10000 + 100 * id, 100, m.stagA}});
        work.remoteStag = m.stagB;
        work.remoteTo = 0x20000 + 100 * id;
        return work;
    }

    void DoRun() override
    {
        {
            RdmapTestPair pair(Config(3, 3));
            Memories m(pair);
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
            for (const auto& r : requests)
            {
                pair.b.Input(r);
            }
            NS_TEST_EXPECT_MSG_EQ(pair.b.endpoint->GetResponder().GetPending(), 3, "IRD is full");
            pair.a.Input(pair.b.Output());
            NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 1, "one is done");
            pair.b.Input(pair.a.Output());
            NS_TEST_EXPECT_MSG_EQ(pair.a.Output().size(), 0, "one goes out for it, no more");
            pair.Pump();
            NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 17, "all are done");
            NS_TEST_EXPECT_MSG_EQ(pair.a.failure.has_value(), false, "no failure");
            NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 1, "and the Send came");
        }
        {
            RdmapTestPair pair(Config(4, 4), Config(2, 2));
            Memories m(pair);
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
                                  "DDP-1.2-2 code");
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
            RdmapTestPair pair(Config(0, 0));
            Memories m(pair);
            NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(Read(0, m)), EINVAL, "ORD 0");
        }
        {
            RdmapTestPair pair(Config());
            Memories m(pair);
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
            NS_TEST_EXPECT_MSG_GT(pair.a.Output().size(), 0, "then the Write goes out");
        }
    }
};

/// A Read that its own side ends wrongly, and reads of nothing.
class RdmapReadOddTest : public TestCase
{
  public:
    RdmapReadOddTest()
        : TestCase("empty Reads; responses that were not asked for, too short, or elsewhere")
    {
    }

  private:
    void Expect(const std::string& response, const std::string& description)
    {
        RdmapTestNode node(Config());
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

    void DoRun() override
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
        Expect("C142 00000102 0000000000001100 AABBCCDD",
               "DDP, tagged buffer: invalid STag (1/1/0)");
        Expect("C142 00000101 0000000000001100", "RDMAP, remote operation: unspecified (0/2/255)");

        RdmapTestNode idle(Config());
        idle.Input(Hex("C142 00000101 0000000000001100 AABBCCDD"));
        NS_TEST_EXPECT_MSG_EQ(idle.failure->Describe(),
                              "RDMAP, remote operation: unexpected opcode (0/2/6)",
                              "nothing was asked for");

        // an empty Read: neither source nor sink is looked at
        RdmapTestPair pair(Config());
        RdmapWork work = MakeWork(1, RdmapWorkKind::READ);
        work.remoteStag = 0xDEADBEEF;
        work.remoteTo = ~uint64_t(0);
        pair.a.endpoint->PostSend(std::move(work));
        pair.Pump();
        NS_TEST_ASSERT_MSG_EQ(pair.a.completions.size(), 1, "done");
        NS_TEST_EXPECT_MSG_EQ((pair.a.completions[0].status == RdmapStatus::SUCCESS), true, "well");

        // the source is withdrawn while the response is under way: the Terminate says what is left
        RdmapTestPair cut(Config());
        Memories m(cut);
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
        NS_TEST_EXPECT_MSG_EQ(cut.b.Output().size(), 0, "and nothing behind it");
    }
};

/// Terminates for what a peer does wrong, to the octet.
class RdmapTerminateCauseTest : public TestCase
{
  public:
    RdmapTerminateCauseTest()
        : TestCase("DDP-7.1-20 DDP-7.1-22 DDP-6.2.2-6 DDP-7.2-3 DDP-7.2-4 DDP-7.2-5 DDP-7.2-6 "
                   "DDP-7.2-7 DDP-7.2-8 DDP-7.2-9 DDP-7.2-10 DDP-7.2-11 DDP-7.2-12 DDP-7.2-13 "
                   "DDP-7.2-14 a Terminate for each cause")
    {
    }

  private:
    /// @param name cause @param ulpdu what the peer sends @param control first 4 octets of the
    /// Terminate header @param copy what follows @param prepare done before
    void Expect(
        const std::string& name,
        const std::string& ulpdu,
        const std::string& control,
        const std::string& copy,
        const std::function<void(RdmapTestNode&)>& prepare = [](RdmapTestNode&) {},
        const RdmapConfig& config = Config())
    {
        RdmapTestNode node(config);
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(0x1000), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, 0x101, "first STag of a table");
        node.PostReceive(1, stag, 0x1000, 16);
        RdmapWork work = MakeWork(9, RdmapWorkKind::SEND, {{0x1000, 4000, stag}});
        node.endpoint->PostSend(std::move(work));
        node.Output(); // a message is under way
        prepare(node);
        node.Input(Hex(ulpdu));
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, name);
        NS_TEST_EXPECT_MSG_EQ(node.completions.size(), 1, name << ": requests are flushed");
        const auto expected = Hex("4147 00000000 00000002 00000001 00000000" + control + copy);
        const auto terminate = node.Output();
        NS_TEST_EXPECT_MSG_EQ((terminate == expected),
                              true,
                              name << ": " << node.failure->Describe());
        NS_TEST_EXPECT_MSG_EQ(node.Output().size(), 0, name << ": nothing behind the Terminate");
        const uint64_t deliveries = node.delivered.size();
        node.Input(Hex("C140 00000101 0000000000001000 AA"));
        NS_TEST_EXPECT_MSG_EQ(node.delivered.size(), deliveries, name << ": peer is ignored");
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND)),
                              ESHUTDOWN,
                              name << ": no more work");
        DdpBuffer buffer;
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->FlushReceive(buffer),
                              node.received.empty(),
                              name << ": receive buffers come back");
        NS_TEST_EXPECT_MSG_EQ(node.endpoint->FlushReceive(buffer), false, name << ": each once");
    }

    void DoRun() override
    {
        auto tie = [](uint32_t pd, uint32_t access) {
            return [pd, access](RdmapTestNode& n) {
                DdpStagEntry e = *n.table.Find(0x101);
                e.pd = pd;
                e.access = access;
                n.table.Update(0x101, e);
            };
        };
        // Tagged: DDP finds them
        Expect("unknown STag",
               "C140 00009900 0000000000001000 AAAA",
               "1100C000",
               "0010 C140 00009900 0000000000001000");
        Expect("bounds",
               "C140 00000101 0000000000001FFF AAAA",
               "1101C000",
               "0010 C140 00000101 0000000000001FFF");
        Expect("domain",
               "C140 00000101 0000000000001000 AAAA",
               "1102C000",
               "0010 C140 00000101 0000000000001000",
               tie(8, 15));
        Expect("TO wrap",
               "C140 00000101 FFFFFFFFFFFFFFFF AAAA",
               "1103C000",
               "0010 C140 00000101 FFFFFFFFFFFFFFFF");
        Expect("version",
               "C240 00000101 0000000000001000 AAAA",
               "1104C000",
               "0010 C240 00000101 0000000000001000");
        Expect("no right to write",
               "C140 00000101 0000000000001000 AAAA",
               "1100C000",
               "0010 C140 00000101 0000000000001000",
               tie(7, 5));
        // Untagged: DDP finds them
        Expect("queue",
               "4143 00000000 00000009 00000001 00000000 AA",
               "1201C000",
               "0013 4143 00000000 00000009 00000001 00000000");
        Expect("no buffer",
               "4143 00000000 00000000 00000002 00000000 AA",
               "1202C000",
               "0013 4143 00000000 00000000 00000002 00000000");
        Expect(
            "message twice",
            "4143 00000000 00000000 00000001 00000000 AA",
            "1203C000",
            "0013 4143 00000000 00000000 00000001 00000000",
            [](RdmapTestNode& n) { n.Input(Hex("4143 00000000 00000000 00000001 00000000 AA")); });
        Expect("offset",
               "4143 00000000 00000000 00000001 00000010 AA",
               "1204C000",
               "0013 4143 00000000 00000000 00000001 00000010");
        Expect("too long",
               "4143 00000000 00000000 00000001 0000000F AAAA",
               "1205C000",
               "0014 4143 00000000 00000000 00000001 0000000F");
        Expect("version",
               "4343 00000000 00000000 00000001 00000000 AA",
               "1206C000",
               "0013 4343 00000000 00000000 00000001 00000000");
        Expect("buffer gone",
               "4143 00000000 00000000 00000001 00000000 AA",
               "1000C000",
               "0013 4143 00000000 00000000 00000001 00000000",
               [](RdmapTestNode& n) { n.table.Remove(0x101); });
        Expect("short segment", "4143 0000", "10000000", "");
        // RDMAP finds them
        Expect("RDMAP version",
               "4103 00000000 00000000 00000001 00000000 AA",
               "0205C000",
               "0013 4103 00000000 00000000 00000001 00000000");
        Expect("reserved opcode",
               "414C 00000000 00000000 00000001 00000000 AA",
               "0206C000",
               "0013 414C 00000000 00000000 00000001 00000000");
        Expect("Tagged Send",
               "C143 00000101 0000000000001000 AA",
               "0206C000",
               "000F C143 00000101 0000000000001000");
        Expect("Untagged Write",
               "4140 00000000 00000000 00000001 00000000 AA",
               "0206C000",
               "0013 4140 00000000 00000000 00000001 00000000");
        Expect("Send on queue 1",
               "4143 00000000 00000001 00000001 00000000 AA",
               "0206C000",
               "0013 4143 00000000 00000001 00000001 00000000");
        RdmapConfig plain = Config();
        plain.extensions = false;
        Expect(
            "extension that is off",
            "4148 00000000 00000000 00000001 00000000 0102030405060708",
            "0206C000",
            "001A 4148 00000000 00000000 00000001 00000000",
            [](RdmapTestNode&) {},
            plain);
        Expect(
            "queue 3 without the extension",
            "414B 00000000 00000003 00000001 00000000 000000070000000000000029",
            "1201C000",
            "001E 414B 00000000 00000003 00000001 00000000",
            [](RdmapTestNode&) {},
            plain);
        Expect("Immediate Data of 7 octets",
               "4148 00000000 00000000 00000001 00000000 01020304050607",
               "02FFC000",
               "0019 4148 00000000 00000000 00000001 00000000");
        Expect("Read Request of 27 octets",
               "4141 00000000 00000001 00000001 00000000" + std::string(54, '0'),
               "02FFC000",
               "002D 4141 00000000 00000001 00000001 00000000");
        Expect("Atomic Response that nobody awaits",
               "414B 00000000 00000003 00000001 00000000 000000070000000000000029",
               "1202C000",
               "001E 414B 00000000 00000003 00000001 00000000");
        Expect("STag to invalidate unknown",
               "4144 00009900 00000000 00000001 00000000 AA",
               "0109C000",
               "0013 4144 00009900 00000000 00000001 00000000");
        Expect("STag to invalidate of another domain",
               "4144 00000102 00000000 00000001 00000000 AA",
               "0109C000",
               "0013 4144 00000102 00000000 00000001 00000000",
               [](RdmapTestNode& n) {
                   DdpStagEntry e;
                   e.pd = 8;
                   e.memory = DdpMemory::CreateVirtual(1);
                   n.table.Add(e);
               });
        // Read Requests
        const std::string header = "4141 00000000 00000001 00000001 00000000";
        auto read = [&](const std::string& name,
                        const std::string& size,
                        const std::string& stag,
                        const std::string& to,
                        const std::string& control,
                        const std::function<void(RdmapTestNode&)>& prepare) {
            const std::string request = "00001100 0000000000010000" + size + stag + to;
            Expect(name, header + request, control, "002E" + header + request, prepare);
        };
        auto nothing = [](RdmapTestNode&) {};
        read("source unknown", "00001000", "00009900", "0000000000001000", "0100E000", nothing);
        read("source bounds", "00001001", "00000101", "0000000000001000", "0101E000", nothing);
        read("source right", "00000001", "00000101", "0000000000001000", "0102E000", tie(7, 3));
        read("source domain", "00000001", "00000101", "0000000000001000", "0103E000", tie(8, 15));
        read("source wrap", "00001000", "00000101", "FFFFFFFFFFFFF000", "0104E000", nothing);
        // Atomics
        Expect("Atomic with a reserved operation",
               "414A 00000000 00000001 00000001 00000000 00000001 00000007 00000101"
               "0000000000001000" +
                   std::string(64, '0'),
               "0206C000",
               "0046 414A 00000000 00000001 00000001 00000000");
        Expect("Atomic out of bounds",
               "414A 00000000 00000001 00000001 00000000 00000000 00000007 00000101"
               "0000000000002000" +
                   std::string(64, '0'),
               "0101C000",
               "0046 414A 00000000 00000001 00000001 00000000");

        // from below, and from nowhere
        for (uint8_t code : {2, 3, 6, 7})
        {
            RdmapTestNode node(Config());
            node.endpoint->LlpFailed(code);
            auto expected = Hex("4147 00000000 00000002 00000001 00000000 20000000");
            expected[19] = code;
            NS_TEST_EXPECT_MSG_EQ((node.Output() == expected), true, "DDP-7-1 MPA code");
        }
        RdmapTestNode local(Config());
        local.endpoint->FailLocally();
        NS_TEST_EXPECT_MSG_EQ(
            (local.Output() == Hex("4147 00000000 00000002 00000001 00000000 00000000")),
            true,
            "local catastrophic");
        RdmapTestNode lost(Config());
        lost.endpoint->PostSend(MakeWork(1, RdmapWorkKind::SEND));
        lost.endpoint->LlpLost();
        NS_TEST_EXPECT_MSG_EQ(lost.Output().size(), 0, "DDP-6.2.2-1 nothing can be sent");
        NS_TEST_EXPECT_MSG_EQ(lost.failure.has_value(), true, "but the layer above knows");
        NS_TEST_EXPECT_MSG_EQ(lost.completions.size(), 1, "DDP-6.2.2-5 and its work has ended");
    }
};

/// What is refused when it is posted, and what ends on this side.
class RdmapLocalTest : public TestCase
{
  public:
    RdmapLocalTest()
        : TestCase("DDP-6.2.1-1 DDP-6.2.1-2 DDP-6.2.1-4 DDP-5.2-3 local errors, closing, work done "
                   "in its turn")
    {
    }

  private:
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

    void DoRun() override
    {
        {
            RdmapTestPair pair(Config());
            Memories m(pair);
            auto refused = [&](RdmapWork work, int error, const std::string& what) {
                NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(std::move(work)), error, what);
            };
            DdpSgeList huge(2, DdpSge{0x10000, 0x80000000, m.stagA});
            refused(MakeWork(1, RdmapWorkKind::SEND, huge), EMSGSIZE, "2^32 octets");
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
            NS_TEST_EXPECT_MSG_EQ((pair.a.completions[0].status == RdmapStatus::SUCCESS),
                                  true,
                                  "1");
            NS_TEST_EXPECT_MSG_EQ((pair.a.completions[1].status == RdmapStatus::LOCAL_PROTECTION),
                                  true,
                                  "2");
            NS_TEST_EXPECT_MSG_EQ((pair.a.completions[2].status == RdmapStatus::FLUSHED),
                                  true,
                                  "3");
            NS_TEST_EXPECT_MSG_EQ(pair.b.failedByPeer, true, "told by a Terminate");
            NS_TEST_EXPECT_MSG_EQ(pair.b.failure->Describe(),
                                  "RDMAP, local catastrophic error (0/0/0)",
                                  "code");
        }
        {
            RdmapTestPair pair(Config());
            Memories m(pair);
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
            NS_TEST_EXPECT_MSG_EQ(pair.a.completions.size(), 3, "reported in order");
            NS_TEST_EXPECT_MSG_EQ(pair.a.completions[0].id, 0, "the Read first");
        }
        {
            RdmapTestPair pair(Config());
            Memories m(pair);
            for (uint64_t i = 0; i < 5; i++)
            {
                pair.b.PostReceive(i, m.stagB, 0x20000, 5000);
                pair.a.endpoint->PostSend(
                    MakeWork(i, RdmapWorkKind::SEND, {{0x10000, 5000, m.stagA}}));
            }
            pair.a.endpoint->Close();
            NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->PostSend(MakeWork(9, RdmapWorkKind::SEND)),
                                  ESHUTDOWN,
                                  "refused after Close()");
            NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), false, "what was posted goes out");
            pair.Pump();
            NS_TEST_EXPECT_MSG_EQ(pair.a.endpoint->IsDrained(), true, "all is out");
            NS_TEST_EXPECT_MSG_EQ(pair.b.received.size(), 5, "and there");
            // the other half goes on when the peer has closed its own
            pair.b.endpoint->LlpClosed();
            pair.a.PostReceive(0, m.stagA, 0x10000, 100);
            pair.b.endpoint->PostSend(MakeWork(0, RdmapWorkKind::SEND, {{0x20000, 50, m.stagB}}));
            pair.Pump();
            NS_TEST_EXPECT_MSG_EQ(pair.a.received.size(), 1, "DDP-6.2.1-5 DDP-6.2.1-8 half-closed");
            NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), false, "no failure");
            RdmapWork read = MakeWork(1, RdmapWorkKind::READ, {{0x20000, 1, m.stagB}});
            read.remoteStag = m.stagA;
            read.remoteTo = 0x10000;
            pair.b.endpoint->PostSend(std::move(read));
            pair.b.Output();
            pair.b.endpoint->LlpClosed();
            NS_TEST_EXPECT_MSG_EQ(pair.b.failure.has_value(), true, "no answer can come any more");
        }
    }
};

/// Suite of the RDMAP endpoint.
class RdmapEndpointTestSuite : public TestSuite
{
  public:
    RdmapEndpointTestSuite()
        : TestSuite("rdmap-endpoint", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmapMessagesTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapAtomicsTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapReadLimitTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapReadOddTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapTerminateCauseTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmapLocalTest, IWARP_TEST_QUICK);
    }
};

RdmapEndpointTestSuite g_rdmapEndpointTestSuite;

} // namespace
