/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-error-model.h"
#include "tcp-general-test.h"

#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief A FIN that nobody acknowledges is sent again ever later, and in the end given up.
 */
class TcpFinRetriesTest : public TcpGeneralTest
{
  public:
    TcpFinRetriesTest();

  protected:
    void ConfigureEnvironment() override;
    Ptr<ErrorModel> CreateReceiverErrorModel() override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void ErrorClose(SocketWho who) override;
    void FinalChecks() override;

  private:
    std::vector<Time> m_fins; //!< When a FIN has been sent
    bool m_error{false};      //!< The sender has given up
};

TcpFinRetriesTest::TcpFinRetriesTest()
    : TcpGeneralTest("a FIN that is always lost")
{
}

void
TcpFinRetriesTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetAppPktCount(1);
    SetAppPktInterval(Seconds(1));
    Simulator::Stop(Seconds(1000));
}

Ptr<ErrorModel>
TcpFinRetriesTest::CreateReceiverErrorModel()
{
    Ptr<TcpFlagErrorModel> errorModel = CreateObject<TcpFlagErrorModel>();
    errorModel->SetFlagToKill(TcpHeader::FIN);
    errorModel->SetKillRepeat(-1);
    return errorModel;
}

void
TcpFinRetriesTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (who == SENDER && (h.GetFlags() & TcpHeader::FIN))
    {
        m_fins.push_back(Simulator::Now());
    }
}

void
TcpFinRetriesTest::ErrorClose(SocketWho who)
{
    m_error |= who == SENDER;
}

void
TcpFinRetriesTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_error, true, "The FIN is not given up");
    NS_TEST_ASSERT_MSG_EQ(m_fins.size(), 7, "One FIN and six retries, as of data");
    for (std::size_t i = 0; i < 6; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fins[i + 1] - m_fins[i],
                                  Seconds(std::min(1 << i, 60)),
                                  MilliSeconds(10),
                                  "Timeout " << i + 1 << " is not twice the one before");
    }
}

/**
 * @ingroup internet-test
 *
 * @brief Retries of FIN: TestSuite
 */
class TcpFinRetriesTestSuite : public TestSuite
{
  public:
    TcpFinRetriesTestSuite()
        : TestSuite("tcp-fin-retries-test", Type::UNIT)
    {
        AddTestCase(new TcpFinRetriesTest(), TestCase::Duration::QUICK);
    }
};

static TcpFinRetriesTestSuite g_tcpFinRetriesTestSuite; //!< Static variable for test initialization
