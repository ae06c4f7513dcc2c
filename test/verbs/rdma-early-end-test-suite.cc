/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include <string>

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

IWARP_TEST_CASES(rdmaEarlyEnd)
{
    suite.AddTestCase(new RdmaEarlyEndTest(false));
    suite.AddTestCase(new RdmaEarlyEndTest(true));
}

} // namespace
