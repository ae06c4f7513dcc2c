/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-general-test.h"

#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief ShutdownSend() sends a FIN behind octets that are under way.
 */
class TcpShutdownSendTest : public TcpGeneralTest
{
  public:
    /**
     * @brief Constructor.
     * @param desc Test description.
     * @param delay From the last Send() to ShutdownSend().
     */
    TcpShutdownSendTest(const std::string& desc, Time delay);

  protected:
    void ConfigureEnvironment() override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void NormalClose(SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The sender has nothing more to send.
     */
    void Shutdown();

    Time m_delay;                 //!< From the last Send() to ShutdownSend()
    uint32_t m_fins{0};           //!< FINs of the sender
    bool m_senderClosed{false};   //!< The sender has closed
    bool m_receiverClosed{false}; //!< The receiver has closed
};

TcpShutdownSendTest::TcpShutdownSendTest(const std::string& desc, Time delay)
    : TcpGeneralTest(desc),
      m_delay(delay)
{
}

void
TcpShutdownSendTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(50));
    SetTransmitStart(Seconds(10));
    SetAppPktCount(1);
    SetAppPktInterval(Seconds(100));
    Simulator::Schedule(Seconds(10) + m_delay, &TcpShutdownSendTest::Shutdown, this);
}

void
TcpShutdownSendTest::Shutdown()
{
    GetSenderSocket()->ShutdownSend();
}

void
TcpShutdownSendTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    // the application calls Close() at 110 s
    if (who == SENDER && (h.GetFlags() & TcpHeader::FIN) && Simulator::Now() < Seconds(100))
    {
        ++m_fins;
    }
}

void
TcpShutdownSendTest::NormalClose(SocketWho who)
{
    if (Simulator::Now() < Seconds(100))
    {
        m_senderClosed |= who == SENDER;
        m_receiverClosed |= who == RECEIVER;
    }
}

void
TcpShutdownSendTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_fins, 1, "FINs of the sender");
    NS_TEST_EXPECT_MSG_EQ(m_receiverClosed, true, "The receiver does not hear of the end");
    NS_TEST_EXPECT_MSG_EQ(m_senderClosed, true, "The sender does not close");
}

/**
 * @ingroup internet-test
 *
 * @brief ShutdownSend(): TestSuite
 */
class TcpShutdownSendTestSuite : public TestSuite
{
  public:
    TcpShutdownSendTestSuite()
        : TestSuite("tcp-shutdown-send-test", Type::UNIT)
    {
        AddTestCase(new TcpShutdownSendTest("before the octets are sent", Seconds(0)),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpShutdownSendTest("while the octets are under way", MilliSeconds(20)),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpShutdownSendTest("behind their ACK", Seconds(5)),
                    TestCase::Duration::QUICK);
    }
};

static TcpShutdownSendTestSuite
    g_tcpShutdownSendTestSuite; //!< Static variable for test initialization
