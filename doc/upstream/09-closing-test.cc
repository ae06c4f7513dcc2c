/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-general-test.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief A channel that loses one segment: the first of the receiver with data, or the first
 * without data that acknowledges all up to a number.
 */
class TcpLossyChannel : public SimpleChannel
{
  public:
    /**
     * @brief Constructor.
     * @param ack Acknowledgment number of the segment, or 0 for the one with data.
     */
    TcpLossyChannel(uint32_t ack);

    void Send(Ptr<Packet> p,
              uint16_t protocol,
              Mac48Address to,
              Mac48Address from,
              Ptr<SimpleNetDevice> sender) override;

  private:
    uint32_t m_ack;     //!< Acknowledgment number of the segment, or 0
    bool m_lost{false}; //!< It has been lost
};

TcpLossyChannel::TcpLossyChannel(uint32_t ack)
    : m_ack(ack)
{
}

void
TcpLossyChannel::Send(Ptr<Packet> p,
                      uint16_t protocol,
                      Mac48Address to,
                      Mac48Address from,
                      Ptr<SimpleNetDevice> sender)
{
    if (!m_lost && protocol == Ipv4L3Protocol::PROT_NUMBER)
    {
        Ptr<Packet> copy = p->Copy();
        Ipv4Header ipHeader;
        copy->RemoveHeader(ipHeader);
        TcpHeader tcpHeader;
        copy->RemoveHeader(tcpHeader);
        m_lost = m_ack > 0 ? tcpHeader.GetFlags() == TcpHeader::ACK && copy->GetSize() == 0 &&
                                 tcpHeader.GetAckNumber() == SequenceNumber32(m_ack)
                           : tcpHeader.GetSourcePort() == 4477 && copy->GetSize() > 0;
        if (m_lost)
        {
            return;
        }
    }
    SimpleChannel::Send(p, protocol, to, from, sender);
}

/**
 * @ingroup internet-test
 *
 * @brief A receiver that may send, too.
 */
class TcpSocketReplier : public TcpSocketMsgBase
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

NS_OBJECT_ENSURE_REGISTERED(TcpSocketReplier);

TypeId
TcpSocketReplier::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpSocketReplier")
                            .SetParent<TcpSocketMsgBase>()
                            .SetGroupName("Internet")
                            .AddConstructor<TcpSocketReplier>();
    return tid;
}

Ptr<TcpSocketBase>
TcpSocketReplier::Fork()
{
    return CopyObject<TcpSocketReplier>(this);
}

void
TcpSocketReplier::CompleteFork(Ptr<Packet> p,
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
 * @brief The sender sends 500 octets and closes; the receiver replies later, and closes. One
 * segment is lost.
 */
class TcpClosingTest : public TcpGeneralTest
{
  public:
    /// Which segment is lost
    enum Lost
    {
        ACK_OF_FIRST_FIN, //!< the receiver's ACK of the sender's FIN
        ACK_OF_LAST_FIN,  //!< the sender's ACK of the receiver's FIN
        REPLY             //!< the first segment of the reply
    };

    /**
     * @brief Constructor.
     * @param desc Test description.
     * @param lost Which segment is lost.
     * @param closeDelay From the reply to the receiver's Close().
     */
    TcpClosingTest(const std::string& desc, Lost lost, Time closeDelay);

  protected:
    void ConfigureEnvironment() override;
    void ConfigureProperties() override;
    Ptr<TcpSocketMsgBase> CreateReceiverSocket(Ptr<Node> node) override;
    Ptr<SimpleChannel> CreateChannel() override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void NormalClose(SocketWho who) override;
    void ErrorClose(SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The receiver replies.
     */
    void Reply();
    /**
     * @brief The receiver closes.
     */
    void CloseReceiver();
    /**
     * @brief The sender receives a reply.
     * @param socket The socket.
     */
    void ReceiveReply(Ptr<Socket> socket);

    Lost m_lost;                //!< Which segment is lost
    Time m_closeDelay;          //!< From the reply to the receiver's Close()
    uint32_t m_senderFins{0};   //!< FINs of the sender
    uint32_t m_receiverFins{0}; //!< FINs of the receiver
    uint32_t m_octets{0};       //!< Octets of the reply that have come
    bool m_closed{false};       //!< The sender has closed
    uint32_t m_errors{0};       //!< Ends with an error
};

TcpClosingTest::TcpClosingTest(const std::string& desc, Lost lost, Time closeDelay)
    : TcpGeneralTest(desc),
      m_lost(lost),
      m_closeDelay(closeDelay)
{
}

void
TcpClosingTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetTransmitStart(Seconds(10));
    SetAppPktCount(1);
    SetAppPktInterval(Seconds(1));
    Simulator::Stop(Seconds(1000));
}

void
TcpClosingTest::ConfigureProperties()
{
    TcpGeneralTest::ConfigureProperties();
    SetInitialCwnd(RECEIVER, 10);
    GetSenderSocket()->SetRecvCallback(MakeCallback(&TcpClosingTest::ReceiveReply, this));
}

Ptr<TcpSocketMsgBase>
TcpClosingTest::CreateReceiverSocket(Ptr<Node> node)
{
    return CreateSocket(node, TcpSocketReplier::GetTypeId(), m_congControlTypeId);
}

Ptr<SimpleChannel>
TcpClosingTest::CreateChannel()
{
    // 500 octets and the FIN one way, 1500 octets and the FIN the other way
    const uint32_t ack = m_lost == ACK_OF_FIRST_FIN ? 502 : m_lost == ACK_OF_LAST_FIN ? 1502 : 0;
    Ptr<SimpleChannel> channel = CreateObject<TcpLossyChannel>(ack);
    channel->SetAttribute("Delay", TimeValue(GetPropagationDelay()));
    return channel;
}

void
TcpClosingTest::NormalClose(SocketWho who)
{
    if (who == SENDER)
    {
        m_closed = true;
    }
    else
    {
        Simulator::Schedule(Seconds(20), &TcpClosingTest::Reply, this);
    }
}

void
TcpClosingTest::Reply()
{
    for (int i = 0; i < 3; ++i)
    {
        GetReceiverSocket()->Send(Create<Packet>(500), 0);
    }
    Simulator::Schedule(m_closeDelay, &TcpClosingTest::CloseReceiver, this);
}

void
TcpClosingTest::CloseReceiver()
{
    GetReceiverSocket()->Close();
}

void
TcpClosingTest::ReceiveReply(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        m_octets += packet->GetSize();
    }
}

void
TcpClosingTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (h.GetFlags() & TcpHeader::FIN)
    {
        ++(who == SENDER ? m_senderFins : m_receiverFins);
    }
}

void
TcpClosingTest::ErrorClose(SocketWho who)
{
    ++m_errors;
}

void
TcpClosingTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_octets, 1500, "Octets of the reply");
    NS_TEST_EXPECT_MSG_EQ(m_errors, 0, "Ends with an error");
    NS_TEST_EXPECT_MSG_EQ(m_closed, true, "The sender has not closed");
    NS_TEST_EXPECT_MSG_EQ(GetTcpState(SENDER), TcpSocket::CLOSED, "The sender's state");
    NS_TEST_EXPECT_MSG_EQ(GetTcpState(RECEIVER), TcpSocket::CLOSED, "The receiver's state");
    NS_TEST_EXPECT_MSG_EQ(m_senderFins, (m_lost == ACK_OF_FIRST_FIN ? 2 : 1), "Sender's FINs");
    NS_TEST_EXPECT_MSG_EQ(m_receiverFins, (m_lost == ACK_OF_LAST_FIN ? 2 : 1), "Receiver's FINs");
}

/**
 * @ingroup internet-test
 *
 * @brief Closing: TestSuite
 */
class TcpClosingTestSuite : public TestSuite
{
  public:
    TcpClosingTestSuite()
        : TestSuite("tcp-closing-test", Type::UNIT)
    {
        const Time atOnce = Seconds(0);
        const Time later = MilliSeconds(5);
        AddTestCase(new TcpClosingTest("the ACK of the first FIN is lost",
                                       TcpClosingTest::ACK_OF_FIRST_FIN,
                                       later),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpClosingTest("the ACK of the last FIN is lost",
                                       TcpClosingTest::ACK_OF_LAST_FIN,
                                       Seconds(1)),
                    TestCase::Duration::QUICK);
        AddTestCase(
            new TcpClosingTest("octets before a FIN are lost", TcpClosingTest::REPLY, later),
            TestCase::Duration::QUICK);
        AddTestCase(new TcpClosingTest("octets before a FIN with octets are lost",
                                       TcpClosingTest::REPLY,
                                       atOnce),
                    TestCase::Duration::QUICK);
    }
};

static TcpClosingTestSuite g_tcpClosingTestSuite; //!< Static variable for test initialization
