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
 * @brief A receiver that may send, too.
 */
class TcpSocketTwoWay : public TcpSocketMsgBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  protected:
    Ptr<TcpSocketBase> Fork() override;
    void CompleteFork(Ptr<Packet> p,
                      const TcpHeader& tcpHeader,
                      const Address& fromAddress,
                      const Address& toAddress) override;
};

NS_OBJECT_ENSURE_REGISTERED(TcpSocketTwoWay);

TypeId
TcpSocketTwoWay::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpSocketTwoWay")
                            .SetParent<TcpSocketMsgBase>()
                            .SetGroupName("Internet")
                            .AddConstructor<TcpSocketTwoWay>();
    return tid;
}

Ptr<TcpSocketBase>
TcpSocketTwoWay::Fork()
{
    return CopyObject<TcpSocketTwoWay>(this);
}

void
TcpSocketTwoWay::CompleteFork(Ptr<Packet> p,
                              const TcpHeader& tcpHeader,
                              const Address& fromAddress,
                              const Address& toAddress)
{
    m_shutdownSend = false;
    m_closeOnEmpty = false;
    TcpSocketMsgBase::CompleteFork(p, tcpHeader, fromAddress, toAddress);
}

/**
 * @ingroup internet-test
 *
 * @brief A timeout that has been doubled stays so while ACKs of received data are sent.
 */
class TcpRtoBackoffTest : public TcpGeneralTest
{
  public:
    TcpRtoBackoffTest();

  protected:
    void ConfigureEnvironment() override;
    void ConfigureProperties() override;
    Ptr<TcpSocketMsgBase> CreateReceiverSocket(Ptr<Node> node) override;
    Ptr<ErrorModel> CreateReceiverErrorModel() override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void NormalClose(SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The receiver sends a packet.
     */
    void Talk();
    /**
     * @brief The sender receives a packet.
     * @param socket The socket.
     */
    void Listen(Ptr<Socket> socket);

    std::vector<Time> m_sent; //!< When the first data segment has been sent
};

TcpRtoBackoffTest::TcpRtoBackoffTest()
    : TcpGeneralTest("timeouts while ACKs are sent")
{
}

void
TcpRtoBackoffTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetAppPktCount(1);
    SetAppPktInterval(Seconds(60));
}

void
TcpRtoBackoffTest::ConfigureProperties()
{
    TcpGeneralTest::ConfigureProperties();
    GetSenderSocket()->SetRecvCallback(MakeCallback(&TcpRtoBackoffTest::Listen, this));
    for (int i = 0; i < 200; ++i)
    {
        Simulator::Schedule(Seconds(5) + MilliSeconds(250 * i), &TcpRtoBackoffTest::Talk, this);
    }
}

Ptr<TcpSocketMsgBase>
TcpRtoBackoffTest::CreateReceiverSocket(Ptr<Node> node)
{
    return CreateSocket(node, TcpSocketTwoWay::GetTypeId(), m_congControlTypeId);
}

Ptr<ErrorModel>
TcpRtoBackoffTest::CreateReceiverErrorModel()
{
    Ptr<TcpSeqErrorModel> errorModel = CreateObject<TcpSeqErrorModel>();
    for (int i = 0; i < 4; ++i)
    {
        errorModel->AddSeqToKill(SequenceNumber32(1));
    }
    return errorModel;
}

void
TcpRtoBackoffTest::Talk()
{
    GetReceiverSocket()->Send(Create<Packet>(100), 0);
}

void
TcpRtoBackoffTest::Listen(Ptr<Socket> socket)
{
    socket->Recv();
}

void
TcpRtoBackoffTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (who == SENDER && p->GetSize() > 0)
    {
        m_sent.push_back(Simulator::Now());
    }
}

void
TcpRtoBackoffTest::NormalClose(SocketWho who)
{
    if (who == RECEIVER)
    {
        GetReceiverSocket()->Close();
    }
}

void
TcpRtoBackoffTest::FinalChecks()
{
    NS_TEST_ASSERT_MSG_EQ(m_sent.size(), 5, "Four of five copies are lost");
    for (std::size_t i = 0; i < 4; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(m_sent[i + 1] - m_sent[i],
                                  Seconds(1 << i),
                                  MilliSeconds(10),
                                  "Timeout " << i + 1 << " is not twice the one before");
    }
}

/**
 * @ingroup internet-test
 *
 * @brief Timeouts while ACKs are sent: TestSuite
 */
class TcpRtoBackoffTestSuite : public TestSuite
{
  public:
    TcpRtoBackoffTestSuite()
        : TestSuite("tcp-rto-backoff-test", Type::UNIT)
    {
        AddTestCase(new TcpRtoBackoffTest(), TestCase::Duration::QUICK);
    }
};

static TcpRtoBackoffTestSuite g_tcpRtoBackoffTestSuite; //!< Static variable for test initialization
