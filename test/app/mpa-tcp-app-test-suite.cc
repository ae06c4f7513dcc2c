/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-tcp-test.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpApp, "mpa-tcp-app");

/// @ingroup iwarp-test
/// An application of ns-3's sends 1,000,000 octets to a PacketSink.
class AppRun
{
  public:
    /// @param factory name of the socket factory @param bulk BulkSend, or OnOff
    AppRun(const std::string& factory, bool bulk)
        : m_nodes(2)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        link.SetChannelAttribute("Delay", TimeValue(MilliSeconds(1)));
        auto devices = link.Install(m_nodes);
        InternetStackHelper().Install(m_nodes);
        auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        MpaTcpSocketFactory::Install(m_nodes.Get(0));
        MpaTcpSocketFactory::Install(m_nodes.Get(1));
        const InetSocketAddress address(addresses.GetAddress(1), 9);
        ApplicationContainer sinks = PacketSinkHelper(factory, address).Install(m_nodes.Get(1));
        sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&AppRun::Receive, this));
        ApplicationContainer senders;
        if (bulk)
        {
            BulkSendHelper helper(factory, address);
            helper.SetAttribute("SendSize", UintegerValue(1000));
            helper.SetAttribute("MaxBytes", UintegerValue(1000000));
            senders = helper.Install(m_nodes.Get(0));
        }
        else
        {
            OnOffHelper helper(factory, address);
            helper.SetConstantRate(DataRate("8Mbps"), 1000);
            helper.SetAttribute("MaxBytes", UintegerValue(1000000));
            senders = helper.Install(m_nodes.Get(0));
        }
        senders.Start(Seconds(1));
        devices.Get(0)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&AppRun::Sniff, this));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        Simulator::Destroy();
    }

    uint64_t received{0};           //!< octets that arrived
    Time last;                      //!< when the last ones did
    std::vector<uint32_t> payloads; //!< octets of payload of each segment
    uint32_t synSize{0};            //!< octets of the SYN's datagram

  private:
    void Receive(Ptr<const Packet> p, const Address&)
    {
        received += p->GetSize();
        last = Simulator::Now();
    }

    void Sniff(Ptr<const Packet> p)
    {
        uint8_t octets[42];
        p->CopyData(octets, sizeof(octets));
        const uint32_t header = 22 + (octets[34] >> 4) * 4;
        if (octets[35] & TcpHeader::SYN)
        {
            synSize = p->GetSize() - 2;
        }
        if (p->GetSize() > header)
        {
            payloads.push_back(p->GetSize() - header);
        }
    }

    NodeContainer m_nodes; //!< the hosts
};

/**
 * ns-3's own applications over MpaTcpSocket by its factory's name. BulkSend's records of 1000
 * octets go one a segment, and plain sockets on the same nodes stay as they are:
 * 4 octets less in a SYN.
 */
IWARP_TEST(mpaTcpApp, "ns-3's applications")
{
    AppRun plain("ns3::TcpSocketFactory", true);
    AppRun bulk("ns3::MpaTcpSocketFactory", true);
    AppRun onOff("ns3::MpaTcpSocketFactory", false);
    for (const auto* run : {&plain, &bulk, &onOff})
    {
        NS_TEST_EXPECT_MSG_EQ(run->received, 1000000U, "all arrive");
    }
    for (const auto* run : {&bulk, &onOff})
    {
        NS_TEST_EXPECT_MSG_EQ(run->payloads.size(), 1000U, "a record a segment");
        NS_TEST_EXPECT_MSG_EQ(std::count(run->payloads.begin(), run->payloads.end(), 1000U),
                              1000,
                              "each of them");
    }
    NS_TEST_EXPECT_MSG_EQ(plain.payloads.front(), 536U, "SegmentSize, as ns-3 has it");
    IWARP_COVERS("MPA-A-01");
    NS_TEST_EXPECT_MSG_EQ(bulk.synSize, plain.synSize + 4, "the MSS option");
    IWARP_COVERS("MPA-B.2.2-01");
    NS_TEST_EXPECT_MSG_EQ((bulk.last < plain.last), true, "larger segments end sooner");
}

/// A plain connection beside an MPA-aware one on the same hosts sends no MSS option.
struct NeighbourTest : TestCase
{
    using TestCase::TestCase;

    void Sniff(Ptr<const Packet> p)
    {
        uint8_t octets[42];
        p->CopyData(octets, sizeof(octets));
        if (octets[35] & TcpHeader::SYN)
        {
            m_syns.push_back(p->GetSize());
        }
    }

    std::vector<uint32_t> m_syns; //!< octets of each SYN's frame
};

IWARP_TEST(mpaTcpApp, "a plain socket beside", NeighbourTest)
{
    MpaTcpSetup setup;
    setup.records.assign(10, 1000);
    MpaTcpRun run(setup);
    run.devices.Get(0)->TraceConnectWithoutContext("PhyTxEnd",
                                                   MakeCallback(&NeighbourTest::Sniff, this));
    Address address;
    run.onListening = [&address](Ptr<Socket> socket) { socket->GetSockName(address); };
    Simulator::Schedule(Seconds(2), [&run, &address]() {
        auto plain =
            Socket::CreateSocket(run.nodes.Get(0), TypeId::LookupByName("ns3::TcpSocketFactory"));
        NS_ASSERT(!DynamicCast<MpaTcpSocket>(plain));
        plain->Connect(address);
    });
    run.Run();
    NS_TEST_ASSERT_MSG_EQ(m_syns.size(), 2U, "two connections");
    NS_TEST_EXPECT_MSG_EQ(m_syns[0], m_syns[1] + 4, "only one has the option");
}

/**
 * @ingroup iwarp-test
 * Half-closed connections: one end goes on sending after the other has closed; sending after one's
 * own end is an error that takes nothing.
 */
class AppHalfCloseTest : public TestCase
{
  public:
    explicit AppHalfCloseTest(bool mpa)
        : TestCase(mpa ? "half-closed" : "half-closed, a plain peer"),
          m_mpa(mpa)
    {
    }

  private:
    void DoRun() override
    {
        MpaTcpSetup setup;
        setup.mpaReceiver = m_mpa;
        setup.closeAtEnd = false;
        setup.realOctets = true;
        setup.records.assign(50, 1200);
        MpaTcpRun run(setup);
        uint64_t back = 0;
        uint32_t largest = 0;
        Simulator::Schedule(Seconds(2), [&]() {
            run.sender->SetRecvCallback(
                iwarp::MakeLambdaCallback<Callback<void, Ptr<Socket>>>([&](Ptr<Socket> socket) {
                    while (socket->GetRxAvailable() > 0)
                    {
                        back += socket->Recv()->GetSize();
                    }
                }));
            run.receiver->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                            MakeNullCallback<void, Ptr<Socket>>());
            run.sender->ShutdownSend();
            NS_TEST_EXPECT_MSG_EQ(run.sender->Send(Create<Packet>(100)), -1, "closed by itself");
            NS_TEST_EXPECT_MSG_EQ(run.sender->GetErrno(), Socket::ERROR_SHUTDOWN, "and says so");
        });
        if (m_mpa)
        {
            Simulator::Schedule(Seconds(2.5), [&]() {
                run.receiver->TraceConnectWithoutContext(
                    "SegmentSent",
                    iwarp::MakeLambdaCallback<
                        Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>>(
                        [&largest](SequenceNumber32, uint32_t size, bool, bool, bool) {
                            largest = std::max(largest, size);
                        }));
            });
        }
        Simulator::Schedule(Seconds(3), [&]() {
            for (uint32_t i = 0; i < 60; ++i)
            {
                run.receiver->Send(Create<Packet>(1100));
            }
            run.receiver->Close();
        });
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 60000U, "all there");
        NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
        NS_TEST_EXPECT_MSG_EQ(back, 66000U, "and all back");
        if (m_mpa)
        {
            NS_TEST_EXPECT_MSG_EQ(largest, 1100U, "in whole records");
        }
    }

    bool m_mpa; //!< both ends are MpaTcpSockets
};

IWARP_TEST_CASES(mpaTcpApp)
{
    suite.AddTestCase(new AppHalfCloseTest(true));
    suite.AddTestCase(new AppHalfCloseTest(false));
}

/// The factory takes congestion control and recovery from the node, or as it is told.
struct FactoryTest : TestCase
{
    using TestCase::TestCase;

    // @param socket a socket @return name of its congestion control
    static std::string GetCongestion(Ptr<Socket> socket)
    {
        PointerValue value;
        socket->GetAttribute("CongestionOps", value);
        return value.Get<TcpCongestionOps>()->GetInstanceTypeId().GetName();
    }
};

IWARP_TEST(mpaTcpApp, "the factory", FactoryTest)
{
    Ptr<Node> node = CreateObject<Node>();
    InternetStackHelper().Install(node);
    auto factory = MpaTcpSocketFactory::Install(node);
    NS_TEST_EXPECT_MSG_EQ(MpaTcpSocketFactory::Install(node), factory, "one a node");
    node->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(TcpBbr::GetTypeId()));
    auto socket = Socket::CreateSocket(node, MpaTcpSocketFactory::GetTypeId());
    NS_TEST_EXPECT_MSG_EQ(socket->GetInstanceTypeId().GetName(), "ns3::MpaTcpSocket", "type");
    NS_TEST_EXPECT_MSG_EQ(GetCongestion(socket), "ns3::TcpBbr", "the node's");
    NS_TEST_EXPECT_MSG_EQ(GetCongestion(factory->CreateSocket(TcpDctcp::GetTypeId())),
                          "ns3::TcpDctcpMinCwnd",
                          "as told, with a least window");
    BooleanValue noDelay;
    socket->GetAttribute("TcpNoDelay", noDelay);
    NS_TEST_EXPECT_MSG_EQ(noDelay.Get(), true, "no delay by default");
    IWARP_COVERS("MPA-A.2-09");
    Simulator::Destroy();
}

} // namespace
