/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"

#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rdmaVanishedPeer, "rdma-vanished-peer");

/**
 * @ingroup iwarp-tests
 * A connection whose peer is gone ends all the same, and says so: rdma_disconnect() when nothing
 * comes through any more gives the FIN up (RFC 9293 section 3.8.3), and a reset is not answered
 * (section 3.10.7.4), though the stream closes TCP when it hears of it.
 */
class VanishedPeerTest : public TestCase
{
  public:
    /// @param listens the side that stays is the one that listens @param resets the peer resets
    /// the connection, and does not vanish
    VanishedPeerTest(bool listens, bool resets)
        : TestCase(std::string("the peer of the side that ") +
                   (listens ? "listens " : "connects ") +
                   (resets ? "resets the connection" : "vanishes")),
          m_listens(listens),
          m_resets(resets)
    {
    }

  private:
    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        RdmaTestPair p;
        const auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(1);
        loss->Disable();
        for (const uint32_t side : {0, 1})
        {
            p.hosts.GetDevice(side)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        p.hosts.GetDevice(m_listens)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&VanishedPeerTest::Count, this));
        p.Start();
        auto& here = m_listens ? p.b : p.a;
        Simulator::Schedule(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(here.Count(Kind::ESTABLISHED), 1, "a connection");
            m_sent = 0;
            if (m_resets)
            {
                (m_listens ? p.connector : p.accepted)->GetMpa()->GetSocket()->EndWithin(Time(0));
                return;
            }
            loss->Enable();
            NS_TEST_EXPECT_MSG_EQ((m_listens ? p.accepted : p.connector)->Disconnect(), 0, "end");
        });
        p.Run(Seconds(1000));
        NS_TEST_EXPECT_MSG_EQ(here.Count(Kind::DISCONNECTED), 1, "told of the end");
        NS_TEST_EXPECT_MSG_EQ(here.Count(Kind::CLOSED), 1, "all of it");
        NS_TEST_EXPECT_MSG_EQ((here.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
        // FIN and six more, as many as DataRetries
        NS_TEST_EXPECT_MSG_EQ(m_sent, (m_resets ? 0 : 7), "segments behind it");
        m_sent = 0;
        const uint64_t before = Simulator::GetEventCount();
        p.Run(Seconds(1000000));
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount() - before, 1, "the simulation has ended");
        NS_TEST_EXPECT_MSG_EQ(m_sent, 0, "nothing more is sent");
    }

    void Count(Ptr<const Packet> /* packet */)
    {
        m_sent++;
    }

    bool m_listens;     //!< the side that stays is the one that listens
    bool m_resets;      //!< the peer resets the connection
    uint32_t m_sent{0}; //!< frames of the side that stays
};

IWARP_TEST_CASES(rdmaVanishedPeer)
{
    for (const bool listens : {false, true})
    {
        suite.AddTestCase(new VanishedPeerTest(listens, false));
        suite.AddTestCase(new VanishedPeerTest(listens, true));
    }
}

} // namespace
