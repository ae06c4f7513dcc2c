/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/uinteger.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of connections that end early.
IWARP_TEST_SUITE(rdmaEarlyEnd, "rdma-early-end");

/**
 * @ingroup iwarp-tests
 * A connection that ends before an FPDU has passed: both ends are told, whichever of them ends it,
 * and TCP is over (RFC 9293 section 3.6), though the Reply is still to be acknowledged.
 */
class RdmaEarlyEndTest : public TestCase
{
  public:
    /// @param listens the side that listens disconnects
    explicit RdmaEarlyEndTest(bool listens)
        : TestCase(std::string("no FPDU yet, and the side that ") +
                   (listens ? "listens" : "connects") + " disconnects"),
          m_listens(listens)
    {
    }

  private:
    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        RdmaTestPair p;
        p.Start();
        Simulator::Schedule(MilliSeconds(200), [&] {
            NS_TEST_EXPECT_MSG_EQ((m_listens ? p.accepted : p.connector)->Disconnect(), 0, "ends");
        });
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::CLOSED), 1, "over at the side that connected");
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "over at the side that listened");
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
        NS_TEST_EXPECT_MSG_EQ((p.b.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
    }

    bool m_listens; //!< the side that listens disconnects
};

/// @param host a host @param id of a work request @return its completions
std::vector<RdmapStatus>
FindStatuses(const RdmaTestHost& host, uint64_t id)
{
    std::vector<RdmapStatus> found;
    for (const auto& completion : host.completions)
    {
        if (completion.id == id)
        {
            found.push_back(completion.status);
        }
    }
    return found;
}

/**
 * @ingroup iwarp-tests
 * A Responder sends behind the first FPDU only (RFC 5044 section 7.1.2). If the peer closes without
 * one, what was posted is flushed, and the connection ends at both sides.
 */
class RdmaNoFirstFpduTest : public TestCase
{
  public:
    /// When the Responder posts its Send, and whether it disconnects first
    enum class When : uint8_t
    {
        BEFORE, //!< before the peer's FIN
        BEHIND, //!< behind it
        FIRST,  //!< before its own Disconnect(), which is before the peer's
    };

    /// @param when it posts @param title of the case
    RdmaNoFirstFpduTest(When when, const std::string& title)
        : TestCase("no FPDU, and a Send waits for one: " + title),
          m_when(when)
    {
    }

  private:
    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        RdmaTestPair p;
        p.Start();
        const auto post = [&] {
            NS_TEST_EXPECT_MSG_EQ(p.b.qp->PostSend(p.b.Send(7, RdmaOpcode::SEND, 0, 100)), 0, "it");
        };
        if (m_when != When::BEHIND)
        {
            Simulator::Schedule(MilliSeconds(150), post);
        }
        else
        {
            p.onDisconnected = [&](RdmaTestHost& host) {
                if (&host == &p.b)
                {
                    post();
                }
            };
        }
        if (m_when == When::FIRST)
        {
            Simulator::Schedule(MilliSeconds(180), [&] { p.accepted->Disconnect(); });
        }
        Simulator::Schedule(MilliSeconds(200), [&] { p.connector->Disconnect(); });
        p.Run();
        const auto statuses = FindStatuses(p.b, 7);
        NS_TEST_ASSERT_MSG_EQ(statuses.size(), 1, "completes once");
        NS_TEST_EXPECT_MSG_EQ((statuses == std::vector{RdmapStatus::FLUSHED}), true, "flushed");
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::CLOSED), 1, "over at the side that connected");
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "over at the side that listened");
        IWARP_COVERS("MPA-7.1.2-19");
    }

    When m_when; //!< when it posts
};

/**
 * @ingroup iwarp-tests
 * The peer has sent its last octet (RFC 5041 section 6.2.1), so that no response can come: a Read
 * that begins then fails, with what is behind it, and what is ahead of it goes out.
 */
class RdmaReadBehindFinTest : public TestCase
{
  public:
    /// @param queued the Read waits behind a long Write when the FIN comes; otherwise it is posted
    /// behind it
    explicit RdmaReadBehindFinTest(bool queued)
        : TestCase(std::string("a Read ") + (queued ? "that waits when" : "posted after") +
                   " the peer has closed"),
          m_queued(queued)
    {
    }

  private:
    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        constexpr uint32_t LONG = 1000000;
        RdmaTestPair p;
        const auto post = [&] {
            auto write = p.a.Send(1, RdmaOpcode::RDMA_WRITE, 0, LONG);
            write.remoteAddress = 0x10000;
            write.rkey = p.b.region->GetRkey();
            auto read = p.a.Send(2, RdmaOpcode::RDMA_READ, 0, 1000);
            read.remoteAddress = 0x10000;
            read.rkey = p.b.region->GetRkey();
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(write), 0, "the Write");
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(read), 0, "the Read");
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(p.a.Send(3, RdmaOpcode::SEND, 0, 10)), 0, "it");
        };
        p.connector->SetSocketAttribute("SndBufSize", UintegerValue(100000));
        p.Start();
        if (m_queued)
        {
            Simulator::Schedule(MilliSeconds(199), post);
        }
        else
        {
            p.onDisconnected = [&](RdmaTestHost& host) {
                if (&host == &p.a)
                {
                    post();
                }
            };
        }
        Simulator::Schedule(MilliSeconds(200), [&] { p.accepted->Disconnect(); });
        p.Run();
        for (const auto& [id, status] : {std::pair(1, RdmapStatus::SUCCESS),
                                         {2, RdmapStatus::FLUSHED},
                                         {3, RdmapStatus::FLUSHED}})
        {
            const auto statuses = FindStatuses(p.a, id);
            NS_TEST_ASSERT_MSG_EQ(statuses.size(), 1, id << " completes once");
            NS_TEST_EXPECT_MSG_EQ((statuses == std::vector{status}), true, "as it has to: " << id);
        }
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::CLOSED), 1, "over at the side that connected");
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "over at the side that listened");
        IWARP_COVERS("DDP-6.2.1-5");
    }

    bool m_queued; //!< the Read was posted before
};

/**
 * @ingroup iwarp-tests
 * The side that connects ends the connection before it has the Reply, so that its FIN comes while
 * the Reply waits for its acknowledgment. The other side disconnects as soon as it is told, and its
 * FIN follows that acknowledgment, though no FPDU has passed: the end is graceful at both sides
 * (RFC 5040 section 6.2, RFC 5041 sections 6.2 and 6.2.1).
 */
class RdmaReplyUnderWayTest : public TestCase
{
  public:
    /// @param when the side that connects disconnects @param title of the case
    RdmaReplyUnderWayTest(Time when, const std::string& title)
        : TestCase("the side that connects disconnects " + title),
          m_when(when)
    {
    }

  private:
    /// A host sends a frame. @param packet frame
    void Sniff(Ptr<const Packet> packet)
    {
        const TcpHeader tcp = ReadTcpHeader(packet);
        m_fins += (tcp.GetFlags() & TcpHeader::FIN) != 0;
        m_resets += (tcp.GetFlags() & TcpHeader::RST) != 0;
    }

    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        RdmaTestPair p;
        for (const uint32_t host : {0, 1})
        {
            p.hosts.GetDevice(host)->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeCallback(&RdmaReplyUnderWayTest::Sniff, this));
        }
        uint32_t acknowledged = 1;
        p.onDisconnected = [&](RdmaTestHost& host) {
            if (&host == &p.b)
            {
                const auto socket = p.accepted->GetMpa()->GetSocket();
                acknowledged = socket->GetTxAvailable() == socket->GetTxCapacity();
            }
        };
        p.Start();
        p.b.PostReceive(7, 0, 100);
        Simulator::Schedule(m_when, [&] {
            NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ESTABLISHED), 0, "the Reply is not there");
            NS_TEST_EXPECT_MSG_EQ(p.connector->Disconnect(), 0, "ends");
        });
        // the acknowledgment may be delayed by 200 ms, and the rest is a round trip of 2 ms
        Simulator::Schedule(MilliSeconds(300), [&] {
            NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::CLOSED), 1, "over at the side that connected");
            NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "over at the side that listened");
            IWARP_COVERS("DDP-6.2.1-6 RDMAP-6.2-01");
        });
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(acknowledged, 0, "the FIN came while the Reply was under way");
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::CLOSED), 1, "once");
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "once");
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::FAILED), 0, "not by an error");
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::FAILED), 0, "not by an error");
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
        NS_TEST_EXPECT_MSG_EQ((p.b.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
        NS_TEST_EXPECT_MSG_EQ(FindStatuses(p.b, 7).size(), 1, "what was posted is flushed");
        NS_TEST_EXPECT_MSG_EQ(m_fins, 2, "each side sends its FIN");
        NS_TEST_EXPECT_MSG_EQ(m_resets, 0, "no reset");
        IWARP_COVERS("DDP-6.2.1-7");
    }

    Time m_when;          //!< the side that connects disconnects
    uint32_t m_fins{0};   //!< segments with FIN
    uint32_t m_resets{0}; //!< segments with RST
};

IWARP_TEST_CASES(rdmaEarlyEnd)
{
    suite.AddTestCase(new RdmaEarlyEndTest(false));
    suite.AddTestCase(new RdmaEarlyEndTest(true));
    // TCP is there at 12 ms, the Reply leaves at 13 ms, and comes at 14 ms
    suite.AddTestCase(new RdmaReplyUnderWayTest(MicroSeconds(12500), "before the Reply leaves"));
    suite.AddTestCase(new RdmaReplyUnderWayTest(MicroSeconds(13500), "before the Reply comes"));
    using When = RdmaNoFirstFpduTest::When;
    suite.AddTestCase(new RdmaNoFirstFpduTest(When::BEFORE, "posted before the FIN"));
    suite.AddTestCase(new RdmaNoFirstFpduTest(When::BEHIND, "posted behind the FIN"));
    suite.AddTestCase(new RdmaNoFirstFpduTest(When::FIRST, "both sides disconnect"));
    suite.AddTestCase(new RdmaReadBehindFinTest(true));
    suite.AddTestCase(new RdmaReadBehindFinTest(false));
}

} // namespace
