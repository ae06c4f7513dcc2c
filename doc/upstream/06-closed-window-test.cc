/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-error-model.h"
#include "tcp-general-test.h"

#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief A receiver that may send, too.
 */
class TcpSocketSlowReader : public TcpSocketMsgBase
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

NS_OBJECT_ENSURE_REGISTERED(TcpSocketSlowReader);

TypeId
TcpSocketSlowReader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpSocketSlowReader")
                            .SetParent<TcpSocketMsgBase>()
                            .SetGroupName("Internet")
                            .AddConstructor<TcpSocketSlowReader>();
    return tid;
}

Ptr<TcpSocketBase>
TcpSocketSlowReader::Fork()
{
    return CopyObject<TcpSocketSlowReader>(this);
}

void
TcpSocketSlowReader::CompleteFork(Ptr<Packet> p,
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
 * @brief A receiver's window closes with the last octet that is there to send. Octets that come
 * later are probed for, and go on when the window has opened.
 */
class TcpClosedWindowTest : public TcpGeneralTest
{
  public:
    /**
     * @brief Constructor.
     * @param desc Test description.
     */
    TcpClosedWindowTest(const std::string& desc);

  protected:
    void ConfigureEnvironment() override;
    Ptr<TcpSocketMsgBase> CreateReceiverSocket(Ptr<Node> node) override;
    void ReceivePacket(Ptr<Socket> socket) override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void NormalClose(SocketWho who) override;
    void FinalChecks() override;

    /**
     * @brief The receiver's application reads from here on.
     */
    void Open();

    uint32_t m_octets{0}; //!< What the receiver's application has read
    bool m_closed{false}; //!< The sender has closed

  private:
    bool m_reads{false};  //!< The receiver's application reads
    uint32_t m_probes{0}; //!< Probes of the closed window
    uint32_t m_bare{0};   //!< Probes without ACK
};

TcpClosedWindowTest::TcpClosedWindowTest(const std::string& desc)
    : TcpGeneralTest(desc)
{
}

void
TcpClosedWindowTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetTransmitStart(Seconds(10));
    // five packets fill the receiver's buffer; the sixth is there 20 s later
    SetAppPktCount(6);
    SetAppPktInterval(Seconds(20));
    Simulator::Schedule(Seconds(150), &TcpClosedWindowTest::Open, this);
    Simulator::Stop(Seconds(1000));
}

Ptr<TcpSocketMsgBase>
TcpClosedWindowTest::CreateReceiverSocket(Ptr<Node> node)
{
    Ptr<TcpSocketMsgBase> socket =
        CreateSocket(node, TcpSocketSlowReader::GetTypeId(), m_congControlTypeId);
    socket->SetAttribute("RcvBufSize", UintegerValue(2500));
    return socket;
}

void
TcpClosedWindowTest::ReceivePacket(Ptr<Socket> socket)
{
    if (m_reads)
    {
        m_octets += socket->Recv()->GetSize();
    }
}

void
TcpClosedWindowTest::Open()
{
    m_reads = true;
    if (GetReceiverSocket()->GetRxAvailable() > 0)
    {
        ReceivePacket(GetReceiverSocket());
    }
}

void
TcpClosedWindowTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (who == SENDER && p->GetSize() == 1)
    {
        ++m_probes;
        m_bare += (h.GetFlags() & TcpHeader::ACK) == 0;
    }
}

void
TcpClosedWindowTest::NormalClose(SocketWho who)
{
    if (who == SENDER)
    {
        m_closed = true;
    }
    else
    {
        Open();
        GetReceiverSocket()->Close();
    }
}

void
TcpClosedWindowTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_GT(m_probes, 0, "The closed window is not probed");
    NS_TEST_EXPECT_MSG_EQ(m_bare, 0, "Probes have no ACK");
    NS_TEST_EXPECT_MSG_EQ(m_octets, 3000, "The receiver has not got all");
    NS_TEST_EXPECT_MSG_EQ(m_closed, true, "The sender has not closed");
}

/**
 * @ingroup internet-test
 *
 * @brief A FIN is sent again though the peer's window is closed.
 */
class TcpClosedWindowFinTest : public TcpClosedWindowTest
{
  public:
    TcpClosedWindowFinTest();

  protected:
    void ConfigureEnvironment() override;
    Ptr<ErrorModel> CreateReceiverErrorModel() override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief The receiver sends a packet.
     */
    void Talk();

    uint32_t m_fins{0}; //!< FINs of the sender
};

TcpClosedWindowFinTest::TcpClosedWindowFinTest()
    : TcpClosedWindowTest("a closed window and a FIN that is lost")
{
}

void
TcpClosedWindowFinTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetTransmitStart(Seconds(10));
    // five packets fill the receiver's buffer, and are acknowledged before the end
    SetAppPktCount(5);
    SetAppPktInterval(Seconds(1));
    Simulator::Schedule(Seconds(15) + MilliSeconds(500), &TcpClosedWindowFinTest::Talk, this);
    Simulator::Stop(Seconds(1000));
}

Ptr<ErrorModel>
TcpClosedWindowFinTest::CreateReceiverErrorModel()
{
    Ptr<TcpFlagErrorModel> errorModel = CreateObject<TcpFlagErrorModel>();
    errorModel->SetFlagToKill(TcpHeader::FIN);
    errorModel->SetKillRepeat(2); // that is, one
    return errorModel;
}

void
TcpClosedWindowFinTest::Talk()
{
    GetReceiverSocket()->Send(Create<Packet>(100), 0);
}

void
TcpClosedWindowFinTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    m_fins += who == SENDER && (h.GetFlags() & TcpHeader::FIN);
}

void
TcpClosedWindowFinTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_fins, 2, "FINs of the sender");
    NS_TEST_EXPECT_MSG_EQ(m_octets, 2500, "The receiver has not got all");
    NS_TEST_EXPECT_MSG_EQ(m_closed, true, "The sender has not closed");
}

/**
 * @ingroup internet-test
 *
 * @brief Closed windows: TestSuite
 */
class TcpClosedWindowTestSuite : public TestSuite
{
  public:
    TcpClosedWindowTestSuite()
        : TestSuite("tcp-closed-window-test", Type::UNIT)
    {
        AddTestCase(new TcpClosedWindowTest("a closed window and nothing to send"),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpClosedWindowFinTest(), TestCase::Duration::QUICK);
    }
};

static TcpClosedWindowTestSuite
    g_tcpClosedWindowTestSuite; //!< Static variable for test initialization
