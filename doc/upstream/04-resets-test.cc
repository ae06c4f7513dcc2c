/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-general-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/node.h"
#include "ns3/simple-channel.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief A sender that may also send segments that are not of its connection's state.
 */
class TcpSocketForger : public TcpSocketMsgBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Send a segment without data and options.
     * @param flags Its flags.
     * @param seq Its sequence number.
     * @param ack Its acknowledgment number.
     */
    void Forge(uint8_t flags, SequenceNumber32 seq, SequenceNumber32 ack);
};

NS_OBJECT_ENSURE_REGISTERED(TcpSocketForger);

TypeId
TcpSocketForger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpSocketForger")
                            .SetParent<TcpSocketMsgBase>()
                            .SetGroupName("Internet")
                            .AddConstructor<TcpSocketForger>();
    return tid;
}

void
TcpSocketForger::Forge(uint8_t flags, SequenceNumber32 seq, SequenceNumber32 ack)
{
    TcpHeader header;
    header.SetFlags(flags);
    header.SetSequenceNumber(seq);
    header.SetAckNumber(ack);
    header.SetWindowSize(1000);
    header.SetSourcePort(m_endPoint->GetLocalPort());
    header.SetDestinationPort(m_endPoint->GetPeerPort());
    m_tcp->SendPacket(Create<Packet>(),
                      header,
                      m_endPoint->GetLocalAddress(),
                      m_endPoint->GetPeerAddress(),
                      nullptr);
}

/**
 * @ingroup internet-test
 *
 * @brief What a segment with RST or SYN does to a connection.
 */
class TcpResetTest : public TcpGeneralTest
{
  public:
    /**
     * @brief Constructor.
     * @param desc Test description.
     * @param flags Flags of the segment.
     * @param offset Its sequence number, from the one that is expected next.
     * @param closes Whether it ends the connection.
     * @param challenged Whether it is answered with an ACK.
     */
    TcpResetTest(const std::string& desc,
                 uint8_t flags,
                 int32_t offset,
                 bool closes,
                 bool challenged);

  protected:
    void ConfigureEnvironment() override;
    Ptr<TcpSocketMsgBase> CreateSenderSocket(Ptr<Node> node) override;
    void Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who) override;
    void FinalChecks() override;

  private:
    /**
     * @brief Send the segment.
     */
    void Forge();
    /**
     * @brief See what has become of the connection.
     */
    void Check();

    uint8_t m_flags;               //!< Flags of the segment
    int32_t m_offset;              //!< Sequence number, from the one that is expected next
    bool m_closes;                 //!< Whether it ends the connection
    bool m_challenged;             //!< Whether it is answered with an ACK
    bool m_forged{false};          //!< The segment has been sent
    uint32_t m_acks{0};            //!< ACKs that came for it
    uint32_t m_resets{0};          //!< Resets that came for it
    TcpSocket::TcpStates_t m_then; //!< The receiver's state behind it
};

TcpResetTest::TcpResetTest(const std::string& desc,
                           uint8_t flags,
                           int32_t offset,
                           bool closes,
                           bool challenged)
    : TcpGeneralTest(desc),
      m_flags(flags),
      m_offset(offset),
      m_closes(closes),
      m_challenged(challenged),
      m_then(TcpSocket::LAST_STATE)
{
}

void
TcpResetTest::ConfigureEnvironment()
{
    TcpGeneralTest::ConfigureEnvironment();
    SetPropagationDelay(MilliSeconds(10));
    SetTransmitStart(Seconds(10));
    Simulator::Schedule(Seconds(5), &TcpResetTest::Forge, this);
    Simulator::Schedule(Seconds(6), &TcpResetTest::Check, this);
}

Ptr<TcpSocketMsgBase>
TcpResetTest::CreateSenderSocket(Ptr<Node> node)
{
    return CreateSocket(node, TcpSocketForger::GetTypeId(), m_congControlTypeId);
}

void
TcpResetTest::Forge()
{
    m_forged = true;
    DynamicCast<TcpSocketForger>(GetSenderSocket())
        ->Forge(m_flags,
                GetRxBuffer(RECEIVER)->NextRxSequence() + m_offset,
                GetHighestTxMark(RECEIVER));
}

void
TcpResetTest::Check()
{
    m_forged = false;
    m_then = GetTcpState(RECEIVER);
}

void
TcpResetTest::Tx(const Ptr<const Packet> p, const TcpHeader& h, SocketWho who)
{
    if (m_forged && who == RECEIVER)
    {
        m_acks += h.GetFlags() == TcpHeader::ACK;
        m_resets += (h.GetFlags() & TcpHeader::RST) != 0;
    }
}

void
TcpResetTest::FinalChecks()
{
    NS_TEST_EXPECT_MSG_EQ(m_then,
                          (m_closes ? TcpSocket::CLOSED : TcpSocket::ESTABLISHED),
                          "State of the connection");
    NS_TEST_EXPECT_MSG_EQ(m_acks, m_challenged, "Challenge ACKs");
    NS_TEST_EXPECT_MSG_EQ(m_resets, 0, "It is answered with a reset");
}

/**
 * @ingroup internet-test
 *
 * @brief A connection to a port where nobody listens fails at once.
 */
class TcpConnectionRefusedTest : public TestCase
{
  public:
    TcpConnectionRefusedTest();

  private:
    void DoRun() override;
    /**
     * @brief The connection has failed.
     * @param socket The socket.
     */
    void Fail(Ptr<Socket> socket);

    Time m_failed{Time::Max()}; //!< When the connection failed
};

TcpConnectionRefusedTest::TcpConnectionRefusedTest()
    : TestCase("connection refused")
{
}

void
TcpConnectionRefusedTest::Fail(Ptr<Socket> socket)
{
    m_failed = Simulator::Now();
}

void
TcpConnectionRefusedTest::DoRun()
{
    Ptr<Node> node = CreateObject<Node>();
    InternetStackHelper internet;
    internet.Install(node);

    Ptr<Socket> socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                               MakeCallback(&TcpConnectionRefusedTest::Fail, this));
    socket->Connect(InetSocketAddress(Ipv4Address::GetLoopback(), 9));
    Simulator::Run();
    Simulator::Destroy();

    NS_TEST_EXPECT_MSG_LT(m_failed, Seconds(1), "The connection does not fail at once");
}

/**
 * @ingroup internet-test
 *
 * @brief Resets: TestSuite
 */
class TcpResetTestSuite : public TestSuite
{
  public:
    TcpResetTestSuite()
        : TestSuite("tcp-resets-test", Type::UNIT)
    {
        const uint8_t rst = TcpHeader::RST;
        const uint8_t rstAck = TcpHeader::RST | TcpHeader::ACK;
        AddTestCase(new TcpResetTest("RST with the number expected", rst, 0, true, false),
                    TestCase::Duration::QUICK);
        AddTestCase(
            new TcpResetTest("RST and ACK with the number expected", rstAck, 0, true, false),
            TestCase::Duration::QUICK);
        AddTestCase(new TcpResetTest("RST elsewhere in the window", rst, 100, false, true),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpResetTest("RST below the window", rst, -1, false, false),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpResetTest("RST above the window", rst, 10000000, false, false),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpResetTest("SYN in the window", TcpHeader::SYN, 0, false, true),
                    TestCase::Duration::QUICK);
        AddTestCase(
            new TcpResetTest("SYN outside of the window", TcpHeader::SYN, -100, false, true),
            TestCase::Duration::QUICK);
        AddTestCase(new TcpConnectionRefusedTest(), TestCase::Duration::QUICK);
    }
};

static TcpResetTestSuite g_tcpResetTestSuite; //!< Static variable for test initialization
