/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-watched-connection.h"

#include "ns3/double.h"
#include "ns3/path-random-impairment.h"

#include <algorithm>
#include <utility>

using namespace ns3;

namespace
{

/// Rules for messages that show only in the whole stack.
IWARP_TEST_SUITE(rdmapRules, "rdmap-rules");

constexpr uint32_t RULES_SIZE = RdmapTestEnd::SIZE; //!< octets of memory at each end

/// Reads in flight stay within ORD, and hold up what is posted behind them.
IWARP_TEST(rdmapRules, "reads on the wire")
{
    RdmapWatchedConnection t;
    t.c.a.enhanced.ord = 2;
    uint32_t asked = 0;
    uint32_t answered = 0;
    uint32_t most = 0;
    t.c.a.onEstablished = [&] {
        for (uint32_t i = 0; i < 20; i++)
        {
            t.c.a.Post(RdmapWorkKind::READ, 1000 * i, 1000, t.c.b, 0);
        }
        t.c.a.Post(RdmapWorkKind::SEND, 0, 100, t.c.b, 0);
    };
    t.c.Run(Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(t.c.a.ended.size(), 21, "all done");
    IWARP_COVERS("RDMAP-5.2.1-11 RDMAP-5.2.2-04");
    NS_TEST_EXPECT_MSG_EQ(t.c.a.failures.size() + t.c.b.failures.size(), 0, "no Terminate");
    // in the order of time: a request reaches the Responder after it was sent, so what the
    // Initiator sent until the k-th response was complete is what was under way
    for (const auto& [opcode, when] : t.a.sent)
    {
        if (opcode == RdmapOpcode::READ_REQUEST)
        {
            asked++;
            answered = std::count_if(t.b.sent.begin(), t.b.sent.end(), [w = when](const auto& m) {
                return m.first == RdmapOpcode::READ_RESPONSE && m.second < w;
            });
            most = std::max(most, asked - answered);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(asked, 20, "requests");
    NS_TEST_EXPECT_MSG_EQ(most, 2, "no more than ORD under way, and as many");
    IWARP_COVERS("ENH-4.1-3 ENH-9.1-2 RDMAP-6.1-05");
    NS_TEST_EXPECT_MSG_EQ((t.a.sent.back().first == RdmapOpcode::SEND), true, "in turn");
    IWARP_COVERS("ENH-4.1-4");
    for (const auto& header : t.b.placed)
    {
        const bool request = (header.ulpControl & 0x0F) == 1;
        NS_TEST_EXPECT_MSG_EQ(header.tagged, false, "requests and Sends are untagged");
        NS_TEST_EXPECT_MSG_EQ(header.qn, (request ? 1 : 0), "queue");
    }
    IWARP_COVERS("ENH-4.1-1 RDMAP-4.1-05 RDMAP-5.2.1-01 RDMAP-5.2.1-06 RDMAP-5.3-01 "
                 "RDMAP-5.3-08");
    for (const auto& header : t.a.placed)
    {
        NS_TEST_EXPECT_MSG_EQ(header.tagged, true, "responses are tagged");
        NS_TEST_EXPECT_MSG_EQ((header.ulpControl & 0x0F), 2, "Read Response");
    }
    IWARP_COVERS("ENH-4.1-1 RDMAP-4.1-03 RDMAP-5.2.2-02 RDMAP-5.2.2-01");
}

/// Revision 2 changes startup only: the FPDUs behind it are the same.
IWARP_TEST(rdmapRules, "the same FPDUs with MPA revision 1 and 2")
{
    std::vector<std::vector<uint32_t>> sizes;
    std::vector<std::vector<std::vector<uint8_t>>> heads;
    for (uint8_t revision : {1, 2})
    {
        RdmapWatchedConnection t;
        t.c.a.revision = revision;
        t.c.b.revision = revision;
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 30000, t.c.b, RULES_SIZE / 2);
            t.c.a.Post(RdmapWorkKind::SEND, 0, 5000, t.c.b, 0);
            t.c.a.Post(RdmapWorkKind::READ, 0, 7000, t.c.b, 0);
        };
        t.c.Run(Seconds(5));
        sizes.push_back(t.a.ulpdus);
        heads.push_back(t.b.passed);
        for (const auto* watch : {&t.a, &t.b})
        {
            NS_TEST_ASSERT_MSG_GT(watch->segments.size(), 1, "startup and FPDUs");
            const auto& frame = watch->segments[0];
            NS_TEST_EXPECT_MSG_EQ(frame.size, (revision == 2 ? 24 : 20), "the frame alone");
            NS_TEST_EXPECT_MSG_EQ(watch->fpdus[0].seq,
                                  frame.seq + frame.size,
                                  "FPDUs begin right behind it");
            NS_TEST_EXPECT_MSG_EQ(watch->segments[1].seq,
                                  watch->fpdus[0].seq,
                                  "in a segment of their own");
        }
        IWARP_COVERS("ENH-4.3-1 ENH-4.3-2");
    }
    NS_TEST_EXPECT_MSG_EQ((sizes[0] == sizes[1]), true, "lengths");
    NS_TEST_EXPECT_MSG_EQ((heads[0] == heads[1]), true, "headers");
    IWARP_COVERS("ENH-4.2-2");
}

/// The indication goes out before the Initiator tells of the connection, and counts as a message.
struct IndicationTest : TestCase
{
    using TestCase::TestCase;

    /// An indication of which the ULP sees nothing. @param read a Read, or else a Write
    void RunSilent(bool read)
    {
        RdmapWatchedConnection t;
        for (auto* end : {&t.c.a, &t.c.b})
        {
            end->enhanced.peerToPeer = true;
            end->enhanced.rtr = {false, !read, read};
        }
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::SEND, 0, 100, t.c.b, 0);
            t.c.a.Post(RdmapWorkKind::READ, 0, 100, t.c.b, 0);
        };
        t.c.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(t.b.placed.size(), 3, "indication, Send, Read Request");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].tagged, !read, "a Write, or a Read Request");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[1].msn, 1, "the first Send is message 1");
        NS_TEST_EXPECT_MSG_EQ(t.c.a.ended.size(), 2, "completions of the work posted");
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 1, "and the Send's receive");
        IWARP_COVERS("ENH-4.4.2-1 ENH-4.4.3-1");
        if (!read)
        {
            NS_TEST_EXPECT_MSG_EQ(t.b.placed[2].msn, 1, "the first Read is message 1");
            IWARP_COVERS("ENH-9.2-22");
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].qn, 1, "queue of Reads");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].msn, 1, "the indication is message 1");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[2].msn, 2, "the first Read is message 2");
        NS_TEST_ASSERT_MSG_EQ(t.a.placed.size(), 2, "both are answered");
        NS_TEST_EXPECT_MSG_EQ((t.a.placed[0].ulpControl & 0x0F), 2, "by a Read Response");
        IWARP_COVERS("ENH-9.2-23");
    }
};

IWARP_TEST(rdmapRules, "a Send, Write or Read as ready-to-receive indication", IndicationTest)
{
    RunSilent(false);
    RunSilent(true);
    RdmapWatchedConnection t;
    for (auto* end : {&t.c.a, &t.c.b})
    {
        end->enhanced.peerToPeer = true;
        end->enhanced.rtr = {true, false, false};
    }
    Time established;
    std::size_t completed = 1;
    t.c.a.onEstablished = [&] {
        established = Simulator::Now();
        completed = t.c.a.ended.size() + t.c.a.received.size();
        t.c.a.Post(RdmapWorkKind::SEND, 0, 100, t.c.b, 0);
    };
    t.c.Run(Seconds(5));
    NS_TEST_ASSERT_MSG_EQ(t.a.sent.size(), 2, "the indication and a Send");
    NS_TEST_EXPECT_MSG_EQ((established >= t.a.sent[0].second), true, "told after it was sent");
    IWARP_COVERS("ENH-5-5");
    NS_TEST_EXPECT_MSG_EQ(completed, 0, "startup makes no completions");
    IWARP_COVERS("ENH-5-6");
    NS_TEST_ASSERT_MSG_EQ(t.b.placed.size(), 2, "both came");
    NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].qn + t.b.placed[1].qn, 0, "queue 0");
    NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].msn, 1, "the indication is message 1");
    NS_TEST_EXPECT_MSG_EQ(t.b.placed[1].msn, 2, "the first Send message 2");
    IWARP_COVERS("RDMAP-5.3-09");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 1, "the indication none of those posted");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.received[0].buffer.context, 0, "so the Send gets the first");
    IWARP_COVERS("ENH-9.2-21 RDMAP-5.3-02");
}

/// A work request is done when TCP has promised to deliver, whether or not it can.
IWARP_TEST(rdmapRules, "completion at the source")
{
    RdmapWatchedConnection t;
    uint32_t buffered = 0;
    auto lossy = CreateObject<PathRandomImpairment>();
    lossy->SetAttribute("Loss", DoubleValue(1));
    t.c.a.onEstablished = [&] {
        lossy->Install(t.c.hosts.GetDevice(1));
        t.c.a.Post(RdmapWorkKind::SEND, 0, 50000, t.c.b, 0);
        buffered = 131072 - t.a.mpa->GetSocket()->GetTxAvailable();
    };
    t.c.Run(Seconds(5));
    NS_TEST_ASSERT_MSG_EQ(t.c.a.ended.size(), 1, "done");
    NS_TEST_EXPECT_MSG_EQ((t.c.a.ended[0] == RdmapStatus::SUCCESS), true, "well");
    IWARP_COVERS("DDP-5.4-1");
    NS_TEST_EXPECT_MSG_GT(buffered, 49999, "TCP holds it");
    IWARP_COVERS("DDP-5.4-2");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 0, "though it never comes");
    IWARP_COVERS("DDP-5.4-1 RDMAP-5.5-09");
}

/// A Segment that MPA finds good may still be one that DDP refuses.
IWARP_TEST(rdmapRules, "an FPDU with an STag that nobody has given out")
{
    RdmapWatchedConnection t;
    t.c.a.onEstablished = [&] {
        RdmapWork work;
        work.kind = RdmapWorkKind::WRITE;
        work.sges.push_back({0, 100, t.c.a.stag});
        work.remoteStag = t.c.b.stag ^ 0xFF00;
        t.c.a.stream->PostSend(std::move(work));
    };
    t.c.Run(Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(t.b.passed.size(), 1, "MPA passes it");
    NS_TEST_EXPECT_MSG_EQ(t.b.placed.size(), 0, "DDP does not place it");
    NS_TEST_ASSERT_MSG_EQ(t.c.b.failures.size(), 1, "an error of DDP");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.failures[0].find("DDP"), 0, t.c.b.failures[0]);
    IWARP_COVERS("MPA-9.1-02 RDMAP-5.1-03");
}

/// A Responder that closes before it has had an FPDU still takes what the Initiator sends.
struct EarlyCloseTest : TestCase
{
    using TestCase::TestCase;

    void HandleState(MpaStartup::State /* before */, MpaStartup::State after)
    {
        if (after == MpaStartup::State::FULL_RX_ONLY)
        {
            Simulator::ScheduleNow(&RdmapStream::Close, m_bench->c.b.stream);
            m_early++;
        }
    }

    RdmapWatchedConnection* m_bench{nullptr}; //!< the connection
    uint32_t m_early{0};                      //!< times that the Responder closed early
};

IWARP_TEST(rdmapRules, "the Responder closes before the first FPDU", EarlyCloseTest)
{
    RdmapWatchedConnection t;
    m_bench = &t;
    t.c.b.onMpa = [this, then = t.c.b.onMpa](Ptr<MpaStream> stream) {
        then(stream);
        stream->TraceConnectWithoutContext("StartupState",
                                           MakeCallback(&EarlyCloseTest::HandleState, this));
    };
    t.c.a.onEstablished = [&] {
        t.c.a.Post(RdmapWorkKind::WRITE, 0, 200000, t.c.b, RULES_SIZE / 2);
        t.c.a.Post(RdmapWorkKind::SEND, 0, 1000, t.c.b, 0);
        t.c.a.stream->Close();
    };
    t.c.Run(Seconds(20));
    NS_TEST_EXPECT_MSG_EQ(m_early, 1, "closed before");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 1, "the Send has come");
    NS_TEST_EXPECT_MSG_EQ(std::equal(t.c.a.memory.begin() + 60000,
                                     t.c.a.memory.begin() + 200000,
                                     t.c.b.memory.begin() + RULES_SIZE / 2 + 60000),
                          true,
                          "and the Write");
    IWARP_COVERS("DDP-6.2.1-1");
    NS_TEST_EXPECT_MSG_EQ(t.c.a.failures.size() + t.c.b.failures.size(), 0, "no failure");
    NS_TEST_EXPECT_MSG_EQ(t.c.a.closed + t.c.b.closed, 2, "both ends are over");
}

} // namespace
