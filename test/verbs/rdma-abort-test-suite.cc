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

/// Suite of connections that one side ends at once.
IWARP_TEST_SUITE(rdmaAbort, "rdma-abort");

/**
 * @ingroup iwarp-tests
 * A queue pair is moved to ERR while octets of the peer wait for one that was lost: TCP resets the
 * connection (RFC 9293 section 3.6.1: with data not delivered, RST shows the loss), and the peer is
 * told.
 */
class RdmaAbortTest : public TestCase
{
  public:
    /// @param listens the side that listens is moved to ERR @param unacknowledged it has data under
    /// way as well @param first what was lost is the peer's first FPDU
    RdmaAbortTest(bool listens, bool unacknowledged, bool first)
        : TestCase(std::string("ERR with octets out of order, at the side that ") +
                   (listens ? "listens" : "connects") +
                   (unacknowledged ? ", a Send under way" : "") + (first ? ", first FPDU" : "")),
          m_listens(listens),
          m_unacknowledged(unacknowledged),
          m_first(first)
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
        p.hosts.GetDevice(m_listens)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        p.Start();
        auto& here = m_listens ? p.b : p.a;
        auto& there = m_listens ? p.a : p.b;
        for (uint64_t id = 1; id < 4; id++)
        {
            here.PostReceive(id, id * 1000, 1000);
            there.PostReceive(id, id * 1000, 1000);
        }
        const auto send = [this](RdmaTestHost& host, uint64_t id) {
            NS_TEST_EXPECT_MSG_EQ(host.qp->PostSend(host.Send(id, RdmaOpcode::SEND, 0, 500)),
                                  0,
                                  "posted");
        };
        if (!m_first || !m_listens)
        { // the side that listens may send behind it
            Simulator::Schedule(MilliSeconds(150), [&] { send(p.a, 10); });
        }
        Simulator::Schedule(MilliSeconds(200), [&] {
            loss->Enable();
            send(there, 11);
        });
        Simulator::Schedule(MilliSeconds(205), [&] {
            loss->Disable();
            send(there, 12);
        });
        Simulator::Schedule(MilliSeconds(220), [&] {
            const auto mpa = (m_listens ? p.accepted : p.connector)->GetMpa();
            NS_TEST_EXPECT_MSG_EQ(mpa->GetSocket()->HoldsReceivedData(), true, "out of order");
            if (m_unacknowledged)
            {
                send(here, 13);
            }
            NS_TEST_EXPECT_MSG_EQ(here.qp->Modify(RdmaQpState::ERR), 0, "ERR");
        });
        Simulator::Schedule(MilliSeconds(240), [&] {
            NS_TEST_EXPECT_MSG_EQ(there.Count(Kind::CLOSED), 1, "the peer is told at once");
        });
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(here.Count(Kind::CLOSED), 1, "over here");
        NS_TEST_EXPECT_MSG_EQ(there.Count(Kind::CLOSED), 1, "over there");
        NS_TEST_EXPECT_MSG_EQ((there.qp->GetState() == RdmaQpState::ERR), true, "queue pair");
    }

    bool m_listens;        //!< the side that listens is moved to ERR
    bool m_unacknowledged; //!< it has data under way
    bool m_first;          //!< the peer's first FPDU was lost
};

IWARP_TEST_CASES(rdmaAbort)
{
    for (const bool listens : {false, true})
    {
        for (const bool unacknowledged : {false, true})
        {
            for (const bool first : {false, true})
            {
                suite.AddTestCase(new RdmaAbortTest(listens, unacknowledged, first));
            }
        }
    }
}

} // namespace
