/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief The options that one client lacks are still there for the listener's next client.
 */
class TcpListenerOptionsTest : public TestCase
{
  public:
    TcpListenerOptionsTest();

  private:
    void DoRun() override;

    /**
     * @brief Connect a client to the listener.
     * @param node The node of both.
     * @param options Whether the client has options in its SYN.
     */
    void Connect(Ptr<Node> node, bool options);

    /**
     * @brief A client receives a segment.
     * @param packet The packet.
     * @param header The TCP header.
     * @param socket The client.
     */
    void Receive(Ptr<const Packet> packet,
                 const TcpHeader& header,
                 Ptr<const TcpSocketBase> socket);

    std::vector<Ptr<Socket>> m_clients; //!< The clients, in order of their connections
    TcpHeader m_synAck;                 //!< The last SYN and ACK that came
};

TcpListenerOptionsTest::TcpListenerOptionsTest()
    : TestCase("options of one client and of the next")
{
}

void
TcpListenerOptionsTest::Receive(Ptr<const Packet> packet,
                                const TcpHeader& header,
                                Ptr<const TcpSocketBase> socket)
{
    if (header.GetFlags() & TcpHeader::SYN)
    {
        m_synAck = header;
    }
}

void
TcpListenerOptionsTest::Connect(Ptr<Node> node, bool options)
{
    Ptr<Socket> socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->SetAttribute("Sack", BooleanValue(options));
    socket->SetAttribute("Timestamp", BooleanValue(options));
    socket->SetAttribute("WindowScaling", BooleanValue(options));
    socket->TraceConnectWithoutContext("Rx", MakeCallback(&TcpListenerOptionsTest::Receive, this));
    socket->Connect(InetSocketAddress(Ipv4Address::GetLoopback(), 9));
    m_clients.push_back(socket);
}

void
TcpListenerOptionsTest::DoRun()
{
    Ptr<Node> node = CreateObject<Node>();
    InternetStackHelper internet;
    internet.Install(node);

    Ptr<Socket> listener = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    listener->Listen();

    Simulator::Schedule(Seconds(1), &TcpListenerOptionsTest::Connect, this, node, false);
    Simulator::Schedule(Seconds(2), &TcpListenerOptionsTest::Connect, this, node, true);
    Simulator::Run();

    NS_TEST_EXPECT_MSG_EQ(m_synAck.HasOption(TcpOption::SACKPERMITTED), true, "No SACK");
    NS_TEST_EXPECT_MSG_EQ(m_synAck.HasOption(TcpOption::TS), true, "No timestamps");
    NS_TEST_EXPECT_MSG_EQ(m_synAck.HasOption(TcpOption::WINSCALE), true, "No window scaling");

    m_clients.clear();
    Simulator::Destroy();
}

/**
 * @ingroup internet-test
 *
 * @brief Options of a listener's clients: TestSuite
 */
class TcpListenerOptionsTestSuite : public TestSuite
{
  public:
    TcpListenerOptionsTestSuite()
        : TestSuite("tcp-listener-options-test", Type::UNIT)
    {
        AddTestCase(new TcpListenerOptionsTest(), TestCase::Duration::QUICK);
    }
};

static TcpListenerOptionsTestSuite
    g_tcpListenerOptionsTestSuite; //!< Static variable for test initialization
