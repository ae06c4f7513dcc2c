/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-general-test.h"

#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief A receiver whose application reads from a full buffer tells the sender at once.
 */
class TcpWindowUpdateTest : public TcpGeneralTest
{
  public:
    TcpWindowUpdateTest();

  protected:
    void ConfigureEnvironment() override;
    void ConfigureProperties() override;
    Ptr<TcpSocketMsgBase> CreateReceiverSocket(Ptr<Node> node) override;
    void ReceivePacket(Ptr<Socket> socket) override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The receiver's application reads.
     * @param octets How much it reads at most.
     */
    void Read(uint32_t octets);

    const Time m_little{Seconds(12)}; //!< When it reads 100 octets
    const Time m_all{Seconds(13)};    //!< When it reads the rest
    bool m_reads{false};              //!< It reads all that comes
    uint32_t m_octets{0};             //!< What it has read
    Time m_goesOn;                    //!< When the sender sends the first segment behind m_all
    uint32_t m_small{0};              //!< Updates for little room
};

TcpWindowUpdateTest::TcpWindowUpdateTest()
    : TcpGeneralTest("window updates")
{
}

void
TcpWindowUpdateTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetTransmitStart(Seconds(10));
    SetAppPktCount(20);
    Simulator::Schedule(m_little, &TcpWindowUpdateTest::Read, this, 100);
    Simulator::Schedule(m_all, &TcpWindowUpdateTest::Read, this, UINT32_MAX);
}

void
TcpWindowUpdateTest::ConfigureProperties()
{
    TcpGeneralTest::ConfigureProperties();
    SetInitialCwnd(SENDER, 10);
}

Ptr<TcpSocketMsgBase>
TcpWindowUpdateTest::CreateReceiverSocket(Ptr<Node> node)
{
    Ptr<TcpSocketMsgBase> socket = TcpGeneralTest::CreateReceiverSocket(node);
    socket->SetAttribute("RcvBufSize", UintegerValue(2500));
    return socket;
}

void
TcpWindowUpdateTest::Read(uint32_t octets)
{
    m_octets += GetReceiverSocket()->Recv(octets, 0)->GetSize();
    m_reads = Simulator::Now() >= m_all;
}

void
TcpWindowUpdateTest::ReceivePacket(Ptr<Socket> socket)
{
    if (m_reads)
    {
        m_octets += socket->Recv()->GetSize();
    }
}

void
TcpWindowUpdateTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (who == SENDER && p->GetSize() == 500 && Simulator::Now() > m_all && m_goesOn.IsZero())
    {
        m_goesOn = Simulator::Now();
    }
    if (who == RECEIVER && Simulator::Now() >= m_little && Simulator::Now() < m_all)
    {
        ++m_small;
    }
}

void
TcpWindowUpdateTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_octets, 10000, "The receiver has not got all");
    NS_TEST_EXPECT_MSG_EQ(m_small, 0, "A window of less than a segment is told of");
    NS_TEST_EXPECT_MSG_LT(m_goesOn, m_all + MilliSeconds(100), "The sender waits for its timer");
}

/**
 * @ingroup internet-test
 *
 * @brief Window updates: TestSuite
 */
class TcpWindowUpdateTestSuite : public TestSuite
{
  public:
    TcpWindowUpdateTestSuite()
        : TestSuite("tcp-window-update-test", Type::UNIT)
    {
        AddTestCase(new TcpWindowUpdateTest(), TestCase::Duration::QUICK);
    }
};

static TcpWindowUpdateTestSuite
    g_tcpWindowUpdateTestSuite; //!< Static variable for test initialization
