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
 * @brief A receiver that may send, too.
 */
class TcpSocketEchoReply : public TcpSocketMsgBase
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

NS_OBJECT_ENSURE_REGISTERED(TcpSocketEchoReply);

TypeId
TcpSocketEchoReply::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpSocketEchoReply")
                            .SetParent<TcpSocketMsgBase>()
                            .SetGroupName("Internet")
                            .AddConstructor<TcpSocketEchoReply>();
    return tid;
}

Ptr<TcpSocketBase>
TcpSocketEchoReply::Fork()
{
    return CopyObject<TcpSocketEchoReply>(this);
}

void
TcpSocketEchoReply::CompleteFork(Ptr<Packet> p,
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
 * @brief Where data carries the ACKs, timestamps echoed are those of the last segment, and the
 * round trip is measured as it is.
 */
class TcpTimestampEchoTest : public TcpGeneralTest
{
  public:
    TcpTimestampEchoTest();

  protected:
    void ConfigureEnvironment() override;
    void ConfigureProperties() override;
    Ptr<TcpSocketMsgBase> CreateReceiverSocket(Ptr<Node> node) override;
    void ReceivePacket(Ptr<Socket> socket) override;
    void RttTrace(Time oldTime, Time newTime) override;
    void NormalClose(SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The sender of requests receives a reply.
     * @param socket The socket.
     */
    void ReceiveReply(Ptr<Socket> socket);

    uint32_t m_replies{0}; //!< Octets of replies
    Time m_maxRtt;         //!< Longest round trip measured
};

TcpTimestampEchoTest::TcpTimestampEchoTest()
    : TcpGeneralTest("timestamps echoed by data")
{
}

void
TcpTimestampEchoTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(50));
    SetAppPktCount(10);
    SetAppPktInterval(Seconds(3));
}

void
TcpTimestampEchoTest::ConfigureProperties()
{
    TcpGeneralTest::ConfigureProperties();
    GetSenderSocket()->SetRecvCallback(MakeCallback(&TcpTimestampEchoTest::ReceiveReply, this));
}

Ptr<TcpSocketMsgBase>
TcpTimestampEchoTest::CreateReceiverSocket(Ptr<Node> node)
{
    return CreateSocket(node, TcpSocketEchoReply::GetTypeId(), m_congControlTypeId);
}

void
TcpTimestampEchoTest::ReceivePacket(Ptr<Socket> socket)
{
    Ptr<Packet> request = socket->Recv();
    if (request && request->GetSize() > 0)
    {
        socket->Send(Create<Packet>(request->GetSize()));
    }
}

void
TcpTimestampEchoTest::ReceiveReply(Ptr<Socket> socket)
{
    while (Ptr<Packet> reply = socket->Recv())
    {
        m_replies += reply->GetSize();
    }
}

void
TcpTimestampEchoTest::RttTrace(Time oldTime, Time newTime)
{
    m_maxRtt = Max(m_maxRtt, newTime);
}

void
TcpTimestampEchoTest::NormalClose(SocketWho who)
{
    if (who == RECEIVER)
    {
        GetReceiverSocket()->Close();
    }
}

void
TcpTimestampEchoTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_replies, 5000, "Not all replies came");
    // 100 ms for the path, and as much to spare
    NS_TEST_EXPECT_MSG_LT(m_maxRtt, MilliSeconds(200), "Round trips are measured too long");
}

/**
 * @ingroup internet-test
 *
 * @brief Timestamps echoed: TestSuite
 */
class TcpTimestampEchoTestSuite : public TestSuite
{
  public:
    TcpTimestampEchoTestSuite()
        : TestSuite("tcp-timestamp-echo-test", Type::UNIT)
    {
        AddTestCase(new TcpTimestampEchoTest(), TestCase::Duration::QUICK);
    }
};

static TcpTimestampEchoTestSuite
    g_tcpTimestampEchoTestSuite; //!< Static variable for test initialization
