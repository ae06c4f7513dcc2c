/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdmap-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>

using namespace ns3;

namespace
{

/// Suite of RDMAP streams over simulated links.
IWARP_TEST_SUITE(rdmapStream, "rdmap-stream");

/// Data in both directions, on a clean and on a lossy path, ended gracefully.
class RdmapStreamTransferTest : public TestCase
{
  public:
    /// @param loss share of packets lost @param ipv6 over IPv6
    RdmapStreamTransferTest(double loss, bool ipv6)
        : TestCase("transfer with loss " + std::to_string(loss) +
                   (ipv6 ? " over IPv6" : " over IPv4")),
          m_loss(loss),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        RdmapTestConnection c(m_ipv6);
        if (m_loss > 0)
        {
            for (uint32_t host = 0; host < 2; host++)
            {
                auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(m_loss);
                errors->AssignStreams(100 + host);
                c.hosts.GetDevice(host)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
            }
        }
        c.a.onEstablished = [&] {
            c.a.Post(RdmapWorkKind::WRITE, 0, 200000, c.b, RdmapTestEnd::SIZE / 2);
            c.a.Post(RdmapWorkKind::SEND, 1000, 50000, c.b, 0);
            c.a.Post(RdmapWorkKind::READ, 250000, 100000, c.b, 300000);
            c.a.Post(RdmapWorkKind::SEND, 5, 0, c.b, 0);
            c.a.stream->Close();
            NS_TEST_EXPECT_MSG_EQ(c.a.Post(RdmapWorkKind::SEND, 0, 1, c.b, 0),
                                  ESHUTDOWN,
                                  "no more after Close()");
            IWARP_COVERS("DDP-6.2.1-2");
        };
        // the other direction goes on after the first has closed
        c.b.onPeerClosed = [&] {
            NS_TEST_EXPECT_MSG_EQ(c.b.closed, 0, "half of it is over");
            IWARP_COVERS("DDP-6.2.1-4");
            c.b.Post(RdmapWorkKind::SEND, 7, 60000, c.a, 0);
            c.b.Post(RdmapWorkKind::SEND, 8, 60000, c.a, 0);
            c.b.stream->Close();
        };
        c.Run();
        NS_TEST_EXPECT_MSG_EQ(c.a.established, 1, "once");
        NS_TEST_EXPECT_MSG_EQ(c.b.established, 1, "once");
        IWARP_COVERS("DDP-6.1-1");
        NS_TEST_ASSERT_MSG_EQ(c.a.ended.size(), 4, "all work has ended");
        NS_TEST_EXPECT_MSG_EQ(std::count(c.a.ended.begin(), c.a.ended.end(), RdmapStatus::SUCCESS),
                              4,
                              "well");
        NS_TEST_ASSERT_MSG_EQ(c.b.received.size(), 2, "Sends");
        IWARP_COVERS("DDP-1.2-4 RDMAP-5.3-11");
        NS_TEST_EXPECT_MSG_EQ(c.b.received[0].length, 50000, "length");
        NS_TEST_EXPECT_MSG_EQ(c.b.received[0].afterWrite, true, "behind the Write");
        IWARP_COVERS("RDMAP-5.1-07");
        // the Write landed in the receive area of b, the Send overwrote its start
        NS_TEST_EXPECT_MSG_EQ(std::equal(c.a.memory.begin() + 1000,
                                         c.a.memory.begin() + 51000,
                                         c.b.memory.begin() + RdmapTestEnd::SIZE / 2),
                              true,
                              "octets of the Send");
        NS_TEST_EXPECT_MSG_EQ(std::equal(c.a.memory.begin() + 50000,
                                         c.a.memory.begin() + 200000,
                                         c.b.memory.begin() + RdmapTestEnd::SIZE / 2 + 50000),
                              true,
                              "octets of the Write");
        IWARP_COVERS("DDP-3-6");
        NS_TEST_EXPECT_MSG_EQ(std::equal(c.b.memory.begin() + 300000,
                                         c.b.memory.begin() + 400000,
                                         c.a.memory.begin() + 250000),
                              true,
                              "octets of the Read");
        IWARP_COVERS("RDMAP-5.5-13");
        NS_TEST_ASSERT_MSG_EQ(c.a.received.size(), 2, "Sends into the half-closed end");
        NS_TEST_EXPECT_MSG_EQ(std::equal(c.b.memory.begin() + 8,
                                         c.b.memory.begin() + 60008,
                                         c.a.memory.begin() + RdmapTestEnd::SIZE / 2 + 60000),
                              true,
                              "their octets");
        IWARP_COVERS("DDP-6.2.1-5 DDP-6.2.1-8");
        // 28 octets of a Read Request are RDMAP's own (RFC 5040 section 4.4)
        const std::vector<std::pair<RdmapOpcode, uint64_t>> sent{{RdmapOpcode::WRITE, 200000},
                                                                 {RdmapOpcode::SEND, 50000},
                                                                 {RdmapOpcode::READ_REQUEST, 28},
                                                                 {RdmapOpcode::SEND, 0}};
        NS_TEST_EXPECT_MSG_EQ((c.a.sent == sent), true, "MessageSent tells of whole messages");
        IWARP_COVERS("RDMAP-5.2-01 RDMAP-5.5-15");
        NS_TEST_EXPECT_MSG_EQ((c.b.delivered == sent), true, "as MessageDelivered does");
        IWARP_COVERS("DDP-3-5 DDP-6.2.1-1 RDMAP-5.5-10");
        NS_TEST_EXPECT_MSG_EQ((c.b.sent == c.a.delivered), true, "in the other direction too");
        for (const RdmapTestEnd* end : {&c.a, &c.b})
        {
            NS_TEST_EXPECT_MSG_EQ(end->failures.size(), 0, "no failure");
            NS_TEST_EXPECT_MSG_EQ(end->peerClosed, 1, "FIN is told once");
            IWARP_COVERS("DDP-3-15");
            NS_TEST_EXPECT_MSG_EQ(end->closed, 1, "and the end once");
            IWARP_COVERS("DDP-3-14");
            NS_TEST_EXPECT_MSG_EQ(end->fins.size(), 1, "each half ends with a FIN");
            IWARP_COVERS("DDP-6.2-2 DDP-6.2.1-6 RDMAP-6.2-01");
            NS_TEST_EXPECT_MSG_EQ(end->resets, 0, "and not with RST");
            IWARP_COVERS("DDP-6.2.1-7");
        }
        NS_TEST_EXPECT_MSG_EQ((c.a.outOfOrder + c.b.outOfOrder > 0),
                              (m_loss > 0),
                              "placed out of order when segments are lost");
        IWARP_COVERS("DDP-1.1-1 DDP-3-7 DDP-5.3-5 RDMAP-5.5-03");
    }

    double m_loss; //!< share of packets lost
    bool m_ipv6;   //!< over IPv6
};

IWARP_TEST_CASES(rdmapStream)
{
    suite.AddTestCase(new RdmapStreamTransferTest(0, false));
    suite.AddTestCase(new RdmapStreamTransferTest(0.03, false));
    suite.AddTestCase(new RdmapStreamTransferTest(0.03, true));
}

/// A peer that breaks rules: Terminate, then FIN.
IWARP_TEST(rdmapStream, "Terminate and then FIN; a connection that is lost")
{
    {
        RdmapTestConnection c;
        c.a.onEstablished = [&] {
            c.a.Post(RdmapWorkKind::WRITE, 0, 5000, c.b,
                     RdmapTestEnd::SIZE - 100); // past the end
            c.a.Post(RdmapWorkKind::READ, 0, 5000, c.b, 0);
        };
        c.Run();
        NS_TEST_ASSERT_MSG_EQ(c.b.failures.size(), 1, "one report");
        NS_TEST_EXPECT_MSG_EQ(c.b.failures[0],
                              "DDP, tagged buffer: base or bounds violation (1/1/1)",
                              "at the sink");
        IWARP_COVERS("DDP-6.2.2-4");
        NS_TEST_ASSERT_MSG_EQ(c.a.failures.size(), 1, "one report");
        NS_TEST_EXPECT_MSG_EQ(c.a.failures[0],
                              "peer: DDP, tagged buffer: base or bounds violation (1/1/1)",
                              "at the source, by the Terminate");
        IWARP_COVERS("RDMAP-3.2-02 RDMAP-5.4-05");
        NS_TEST_EXPECT_MSG_EQ(
            (c.a.ended == std::vector<RdmapStatus>{RdmapStatus::SUCCESS, RdmapStatus::FLUSHED}),
            true,
            "the Write had left, the Read is flushed");
        IWARP_COVERS("DDP-6.2.2-5 RDMAP-5.4-07 RDMAP-6.2.1-02");
        NS_TEST_EXPECT_MSG_EQ(c.b.sent.size(), 1, "one message before FIN");
        IWARP_COVERS("DDP-7.1-22 RDMAP-5.4-08");
        NS_TEST_EXPECT_MSG_EQ((c.b.sent == c.a.delivered), true, "as long as it arrived");
        IWARP_COVERS("RDMAP-5.4-04");
        NS_TEST_EXPECT_MSG_EQ((c.b.sent[0].first == RdmapOpcode::TERMINATE), true, "that");
        IWARP_COVERS("DDP-6.2.2-6");
        NS_TEST_EXPECT_MSG_EQ(c.b.fins.size(), 1, "then FIN");
        IWARP_COVERS("RDMAP-6.2-01");
        NS_TEST_EXPECT_MSG_EQ(c.b.resets, 0, "and not RST");
        IWARP_COVERS("RDMAP-6.2.1-04");
        for (const RdmapTestEnd* end : {&c.a, &c.b})
        {
            NS_TEST_EXPECT_MSG_EQ(end->closed, 1, "closed");
            NS_TEST_EXPECT_MSG_EQ(end->stream->GetReferenceCount(),
                                  1U,
                                  "no event that is over holds the stream");
        }
        IWARP_COVERS("RDMAP-7-04");
    }
    {
        RdmapTestConnection c;
        c.a.onEstablished = [&] {
            c.a.Post(RdmapWorkKind::READ, 0, 100, c.b, 0);
            c.a.Post(RdmapWorkKind::SEND, 0, 100, c.b, 0);
            c.a.stream->Abort();
            NS_TEST_EXPECT_MSG_EQ(c.a.Post(RdmapWorkKind::SEND, 0, 1, c.b, 0),
                                  ESHUTDOWN,
                                  "no more after Abort()");
        };
        c.Run();
        NS_TEST_EXPECT_MSG_EQ(c.a.ended.size(), 2, "work is ended");
        NS_TEST_EXPECT_MSG_EQ((c.a.ended[0] == RdmapStatus::FLUSHED), true, "in error");
        IWARP_COVERS("DDP-6.2.2-5");
        NS_TEST_EXPECT_MSG_EQ(c.a.closed, 1, "closed");
    }
}

/// Enhanced startup: IRD and ORD take effect, each ready-to-receive indication works.
struct RdmapStreamStartupTest : TestCase
{
    using TestCase::TestCase;

    void Indicate(MpaRtrSet kinds, std::vector<RdmapOpcode> first, uint16_t ord)
    {
        RdmapTestConnection c;
        for (RdmapTestEnd* end : {&c.a, &c.b})
        {
            end->enhanced.peerToPeer = true;
            end->enhanced.rtr = kinds;
            end->enhanced.ord = ord;
            end->enhanced.ird = 4;
        }
        // the Responder is first to speak, which only the indication allows
        c.b.onEstablished = [&] { c.b.Post(RdmapWorkKind::SEND, 0, 100, c.a, 0); };
        c.a.onReceived = [&] {
            if (ord > 0)
            {
                c.a.Post(RdmapWorkKind::READ, 0, 100, c.b, 0);
            }
        };
        c.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(c.a.startupFailures.size(), 0, "startup");
        NS_TEST_ASSERT_MSG_EQ(c.a.received.size(), 1, "the Responder's Send came");
        NS_TEST_ASSERT_MSG_GT(c.a.sent.size(), 0, "something was sent");
        NS_TEST_EXPECT_MSG_EQ((c.a.sent[0].first == first[0]), true, "the indication is first");
        IWARP_COVERS("ENH-1.1-1");
        NS_TEST_EXPECT_MSG_EQ(c.a.ended.size(), (ord > 0 ? 1 : 0), "no completion for it here");
        NS_TEST_EXPECT_MSG_EQ(c.b.received.size(), 0, "nor there");
        IWARP_COVERS("ENH-4.4.2-1 ENH-4.4.3-1");
        NS_TEST_EXPECT_MSG_EQ(c.a.failures.size() + c.b.failures.size(), 0, "no failure");
    }
};

IWARP_TEST(rdmapStream, "IRD, ORD and ready-to-receive indications", RdmapStreamStartupTest)
{
    Indicate({false, true, false}, {RdmapOpcode::WRITE}, 4);
    Indicate({false, false, true}, {RdmapOpcode::READ_REQUEST}, 4);
    Indicate({false, false, true}, {RdmapOpcode::READ_REQUEST}, 0);
    Indicate({true, false, false}, {RdmapOpcode::SEND}, 4);
    {
        RdmapTestConnection c;
        c.a.enhanced.ord = 3;
        c.b.enhanced.ird = 1;
        c.b.enhanced.maxIrd = 2;
        c.b.config.ird = 0;
        c.a.onEstablished = [&] {
            NS_TEST_EXPECT_MSG_EQ(c.a.stream->GetEndpoint()->GetRequester().GetOrd(),
                                  2,
                                  "what the Responder can hold");
            IWARP_COVERS("ENH-9.1-16");
            for (uint32_t i = 0; i < 10; i++)
            {
                c.a.Post(RdmapWorkKind::READ, 100 * i, 100, c.b, 0);
            }
        };
        c.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(c.a.ended.size(), 10, "none overruns the Responder");
        NS_TEST_EXPECT_MSG_EQ(c.b.failures.size(), 0, "no failure");
    }
    {
        // no common indication: a Terminate of layer 2, code 7
        RdmapTestConnection c;
        c.a.enhanced.peerToPeer = true;
        c.a.enhanced.rtr = {false, true, false};
        c.b.enhanced.rtr = {false, false, true};
        c.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(c.a.established, 0, "no stream");
        NS_TEST_EXPECT_MSG_EQ(c.a.startupFailures.size(), 1, "the Initiator knows");
        NS_TEST_ASSERT_MSG_EQ(c.b.failures.size(), 1, "the Responder is told");
        NS_TEST_EXPECT_MSG_EQ(c.b.failures[0], "peer: MPA, no matching RTR option (2/0/7)", "why");
    }
}

} // namespace
