/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-helper.h"
#include "ns3/roce-client.h"
#include "ns3/roce-head.h"
#include "ns3/roce-host.h"
#include "ns3/roce-server.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// RoCE's applications over one link
IWARP_TEST_SUITE(roceApplications, "roce-applications");

/// Two hosts on a link of 10 Gbit/s and 10 us.
struct RoceApplicationsTest : TestCase
{
    using TestCase::TestCase;

    void DoSetup() override
    {
        hosts.Create(2);
        InternetStackHelper().Install(hosts);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", StringValue("10us"));
        devices = link.Install(hosts);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
        Ipv6AddressHelper("fd01::", Ipv6Prefix(64)).Assign(devices);
    }

    /// Put a server on the second host. @param pair number of its queue pair @return it
    Ptr<RoceServer> Serve(uint32_t pair)
    {
        const auto server = CreateObject<RoceServer>();
        server->SetAttribute("QueuePair", UintegerValue(pair));
        hosts.Get(1)->AddApplication(server);
        return server;
    }

    /// Put a client on the first host. @param remote address of its server @return it
    Ptr<RoceClient> Connect(const Address& remote)
    {
        const auto client = CreateObject<RoceClient>();
        client->SetAttribute("Remote", AddressValue(remote));
        client->Allow(0); // but for those of Post()
        hosts.Get(0)->AddApplication(client);
        return client;
    }

    /// Count messages that a server has. @param server it
    void Count(const Ptr<RoceServer>& server)
    {
        server->TraceConnectWithoutContext("MessageReceived",
                                           MakeCallback(&RoceApplicationsTest::Received, this));
    }

    /// A message has come. @param octets of it
    void Received(uint64_t octets)
    {
        received++;
        sizes.push_back(octets);
        last = Simulator::Now();
    }

    /// Lose packets on their way to the second host. @param numbers of them, from 0 on
    void Lose(const std::list<uint32_t>& numbers)
    {
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(numbers);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /// Send a packet by hand from the first host. @param pair queue pair @param psn its number
    /// @param marked by ECN
    void SendPacket(uint32_t pair, uint32_t psn, bool marked)
    {
        if (!socket)
        {
            socket = Socket::CreateSocket(hosts.Get(0), UdpSocketFactory::GetTypeId());
            socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), RoceHead::PORT));
            socket->SetRecvCallback(MakeCallback(&RoceApplicationsTest::Read, this));
        }
        RoceHead head;
        head.kind = RoceHead::Kind::WRITE_ONLY;
        head.queuePair = pair;
        head.psn = psn;
        head.length = 100;
        std::vector<uint8_t> octets(head.GetSize() + head.length + RoceHead::ICRC);
        head.Write(octets.data());
        const auto packet = Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
        SocketIpTosTag tos; // whether SendTo() takes the socket's depends on the version of ns-3
        tos.SetTos(marked ? 3 : 2);
        packet->AddPacketTag(tos);
        socket->SendTo(packet, 0, InetSocketAddress("10.1.0.2", RoceHead::PORT));
    }

    /// Read answers. @param from where
    void Read(Ptr<Socket> from)
    {
        while (const auto packet = from->Recv())
        {
            uint8_t octets[RoceHead::LONGEST];
            const auto size = packet->CopyData(octets, sizeof octets);
            RoceHead head;
            NS_TEST_ASSERT_MSG_EQ(head.Read(octets, size, packet->GetSize()), true, "an answer");
            answers[head.kind]++;
        }
    }

    NodeContainer hosts;                     ///< client's and server's
    NetDeviceContainer devices;              ///< of the link
    Ptr<Socket> socket;                      ///< of SendPacket()
    std::map<RoceHead::Kind, int> answers{}; ///< that came to it
    uint32_t received{0};                    ///< messages
    std::vector<uint64_t> sizes;             ///< of these, one after the other
    Time last;                               ///< when the last came
};

IWARP_TEST(roceApplications, "a server tells of marks, once an interval", RoceApplicationsTest)
{
    const auto server = Serve(7);
    server->SetAttribute("CnpInterval", StringValue("50us"));
    const auto deaf = Serve(8); // on a host whose packets' marks are looked at
    const auto send = [&](int us, uint32_t pair, uint32_t psn, bool marked) {
        Simulator::Schedule(MicroSeconds(us),
                            [this, pair, psn, marked]() { SendPacket(pair, psn, marked); });
    };
    send(100, 7, 0, true);
    send(110, 7, 1, true);
    send(120, 7, 2, false);
    send(155, 7, 3, true);
    send(160, 8, 0, true);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(server->GetMarked(), 3U, "marked");
    NS_TEST_EXPECT_MSG_EQ(server->GetCnps(), 2U, "at 110 and 165 us");
    NS_TEST_EXPECT_MSG_EQ(answers[RoceHead::Kind::NOTIFICATION], 2, "they come");
    NS_TEST_EXPECT_MSG_EQ(deaf->GetMarked() + deaf->GetCnps(), 0U, "without CnpInterval");
    NS_TEST_EXPECT_MSG_EQ(answers[RoceHead::Kind::ACKNOWLEDGE], 5, "each packet");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "a server counts what came behind a hole", RoceApplicationsTest)
{
    const auto server = Serve(7);
    server->SetAttribute("Recovery", StringValue("SelectiveRepeat"));
    Simulator::Schedule(MicroSeconds(100), [this]() {
        for (const uint32_t psn : {0, 2, 3, 1, 4, 2})
        {
            SendPacket(7, psn, false);
        }
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(server->GetEarly(), 2U, "2 and 3");
    NS_TEST_EXPECT_MSG_EQ(server->GetDropped(), 0U, "there was room");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "a server counts what is beyond its window", RoceApplicationsTest)
{
    const auto server = Serve(7);
    server->SetAttribute("Recovery", StringValue("SelectiveRepeat"));
    server->SetAttribute("Window", UintegerValue(4));
    Simulator::Schedule(MicroSeconds(100), [this]() {
        for (const uint32_t psn : {3, 4, 5, 0})
        {
            SendPacket(7, psn, false);
        }
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(server->GetEarly(), 1U, "3");
    NS_TEST_EXPECT_MSG_EQ(server->GetDropped(), 2U, "4 and 5");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "a server that is gone takes no other's packets", RoceApplicationsTest)
{
    const auto first = Serve(7);
    first->SetStopTime(MicroSeconds(50));
    const auto second = Serve(7);
    second->SetStartTime(MicroSeconds(60));
    Count(second);
    Simulator::Schedule(MicroSeconds(70), &RoceServer::Dispose, first);
    Simulator::Schedule(MicroSeconds(100), [this]() { SendPacket(7, 0, false); });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 1U, "the second's");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "frames leave one behind the other", RoceApplicationsTest)
{
    const auto host = RoceHost::Get(hosts.Get(0));
    NS_TEST_EXPECT_MSG_EQ(host->GetLineRate(), 1e10, "the link's");
    NS_TEST_EXPECT_MSG_EQ(host->ReserveLine(MicroSeconds(3)), MicroSeconds(3), "the first");
    NS_TEST_EXPECT_MSG_EQ(host->ReserveLine(MicroSeconds(2)), MicroSeconds(5), "behind it");
    Simulator::Schedule(MicroSeconds(9), [&]() {
        NS_TEST_EXPECT_MSG_EQ(host->ReserveLine(MicroSeconds(1)), MicroSeconds(10), "a free one");
    });
    Simulator::Run();
    Simulator::Destroy();
}

/// Datagrams keep 50 packets in the queue for 10 ms. A message of 32 packets, 16 of which wait at a
/// time behind those and those before, until as many more have left, takes twice that: at most
/// (50 + 32 + 16) times 1.2 us.
IWARP_TEST(roceApplications, "an adapter has its turn among others", RoceApplicationsTest)
{
    constexpr uint32_t BEFORE = 50;
    constexpr uint32_t COUNT = 8300;
    const auto udp = UdpSocketFactory::GetTypeId();
    const auto sink = Socket::CreateSocket(hosts.Get(1), udp);
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    const auto source = Socket::CreateSocket(hosts.Get(0), udp);
    source->Connect(InetSocketAddress("10.1.0.2", 9));
    for (uint32_t i = 0; i < BEFORE + COUNT; i++)
    {
        // 1502 octets are 1201.6 ns
        Simulator::Schedule(NanoSeconds(i < BEFORE ? 0 : 1202 * (i - BEFORE)),
                            [source] { source->Send(Create<Packet>(1472)); });
    }
    const auto server = Serve(1);
    Count(server);
    const auto client = Connect(InetSocketAddress("10.1.0.2", 1));
    Simulator::Schedule(MilliSeconds(1), [client] { client->Post(32 * 1024); });
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 1, "it has come");
    NS_TEST_EXPECT_MSG_LT(last, MilliSeconds(1) + MicroSeconds(2 * 118 + 20), "in its turn");
    NS_TEST_EXPECT_MSG_GT(last, MilliSeconds(1) + MicroSeconds(2 * 60), "behind those before");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "messages arrive over IPv6", RoceApplicationsTest)
{
    Count(Serve(7));
    // ns-3.35 numbers devices through all tests of a process
    const auto address = hosts.Get(1)->GetObject<Ipv6>()->GetAddress(1, 1).GetAddress();
    const auto client = Connect(Inet6SocketAddress(address, 7));
    client->SetStartTime(Seconds(3)); // behind duplicate address detection
    for (uint32_t i = 0; i < 20; i++)
    {
        client->Post(5000);
    }
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 20U, "all");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "messages arrive from memory that takes time", RoceApplicationsTest)
{
    RnicHelper("ideal").Install(hosts);
    Count(Serve(7));
    const auto client = Connect(InetSocketAddress("10.1.0.2", 7));
    for (uint32_t i = 0; i < 200; i++)
    {
        client->Post(5000);
    }
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 200U, "all");
    // 1,000 packets at the rate of the link, and two ways
    NS_TEST_EXPECT_MSG_LT(last, MicroSeconds(1100), "without waits");
    Simulator::Destroy();
}

/// Work requests of a send queue begin in the order in which they were posted (IBTA), though one
/// that comes with the doorbell would be there before one that has to be read.
IWARP_TEST(roceApplications, "messages keep their order", RoceApplicationsTest)
{
    RnicHelper helper("ideal");
    helper.Set("HostInterface.ReadLatency", StringValue("1us"));
    helper.Set("HostInterface.InlineLimit", UintegerValue(64));
    helper.Install(hosts);
    Count(Serve(7));
    const auto client = Connect(InetSocketAddress("10.1.0.2", 7));
    client->SetAttribute("QueueDepth", UintegerValue(2));
    client->Post(5000);
    client->Post(64);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint64_t>{5000, 64}), true, "as posted");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "what answers in time does not time out", RoceApplicationsTest)
{
    Count(Serve(7));
    const auto client = Connect(InetSocketAddress("10.1.0.2", 7));
    client->SetAttribute("Timeout", StringValue("1ms"));
    client->SetAttribute("ShortTimeout", StringValue("1ms"));
    client->Post(10'000'000); // takes 8 ms of the link
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 1U, "the message");
    NS_TEST_EXPECT_MSG_EQ(client->GetTimeouts(), 0U, "each answer begins the time anew");
    Simulator::Destroy();
}

/// What is on the link.
struct RocePortsTest : RoceApplicationsTest
{
    using RoceApplicationsTest::RoceApplicationsTest;

    /// @param frame of PPP, IPv4, UDP and a BTH
    void Sniff(Ptr<const Packet> frame)
    {
        uint8_t octets[58];
        frame->CopyData(octets, sizeof octets);
        if (octets[2] >> 4 != 4)
        {
            return; // what IPv6 looks for neighbours with
        }
        ports.insert(octets[22] << 8 | octets[23]);
        opcodes.push_back(octets[30]);
        if (octets[30] == 6 || octets[30] == 10)
        { // a RETH: address, key and length
            addresses.push_back(boost::endian::load_big_u64(octets + 42));
            lengths.push_back(boost::endian::load_big_u32(octets + 54));
        }
    }

    std::set<int> ports;             ///< source ports of what was sent
    std::vector<int> opcodes;        ///< of BTHs
    std::vector<uint64_t> addresses; ///< of RETHs
    std::vector<uint32_t> lengths;   ///< of RETHs
};

/// IBTA's opcodes of RDMA Writes of a reliable connection: first, middle, last, only.
IWARP_TEST(roceApplications, "opcodes of a message's packets", RocePortsTest)
{
    devices.Get(0)->TraceConnectWithoutContext("PhyTxBegin",
                                               MakeCallback(&RocePortsTest::Sniff, this));
    Count(Serve(7));
    const auto client = Connect(InetSocketAddress("10.1.0.2", 7));
    client->Post(3500);
    client->Post(1500);
    client->Post(500);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 3U, "messages");
    const std::vector<int> expected{6, 7, 7, 8, 6, 8, 10};
    NS_TEST_EXPECT_MSG_EQ((opcodes == expected), true, "packets of 1024 octets");
    NS_TEST_EXPECT_MSG_EQ((lengths == std::vector<uint32_t>{3500, 1500, 500}), true, "lengths");
    NS_TEST_ASSERT_MSG_EQ(addresses.size(), 3, "addresses");
    NS_TEST_EXPECT_MSG_EQ(addresses[1] - addresses[0], 3500, "one behind the other");
    NS_TEST_EXPECT_MSG_EQ(addresses[2] - addresses[1], 1500, "one behind the other");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications,
           "each connection has a port of its own, by which routers tell it",
           RocePortsTest)
{
    devices.Get(0)->TraceConnectWithoutContext("PhyTxBegin",
                                               MakeCallback(&RocePortsTest::Sniff, this));
    for (const uint32_t pair : {7, 8, 9})
    {
        Count(Serve(pair));
        Connect(InetSocketAddress("10.1.0.2", static_cast<uint16_t>(pair)))->Post(1000);
    }
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 3U, "messages");
    NS_TEST_EXPECT_MSG_EQ(ports.size(), 3U, "ports");
    NS_TEST_EXPECT_MSG_GT(*ports.begin(), 49151, "dynamic ones");
    Simulator::Destroy();
}

/// A connection ends at the eighth timeout in a row with a retry count of 7, IBTA's most; whatever
/// is acknowledged begins the count anew.
IWARP_TEST(roceApplications, "a retry count", RoceApplicationsTest)
{
    Count(Serve(7));
    Time failed;
    for (const uint16_t pair : {7, 8}) // nobody serves 8
    {
        const auto client = Connect(InetSocketAddress("10.1.0.2", pair));
        client->SetAttribute("RetryCount", UintegerValue(7));
        client->SetAttribute("Timeout", StringValue("1ms"));
        client->SetAttribute("QueueDepth", UintegerValue(1));
        client->TraceConnectWithoutContext(
            "Failed",
            iwarp::MakeLambdaCallback<Callback<void, const std::string&>>(
                [this, &failed, pair](const std::string&) {
                    NS_TEST_EXPECT_MSG_EQ(pair, 8, "the one");
                    NS_TEST_EXPECT_MSG_EQ(failed, Time(), "once");
                    failed = Simulator::Now();
                }));
        client->SetStartTime(Seconds(pair == 7 ? 10 : 20)); // behind what IPv6 sends at first
        client->Post(1000);
        client->Post(1000);
    }
    Simulator::Schedule(Seconds(9), [this] {
        Lose({0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14}); // each of two seven times
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(received, 2, "each once it has come");
    NS_TEST_EXPECT_MSG_EQ(failed, Seconds(20) + MilliSeconds(8), "at the eighth timeout");
    Simulator::Destroy();
}

IWARP_TEST(roceApplications, "few packets under way time out early", RoceApplicationsTest)
{
    const auto server = Serve(7);
    server->SetAttribute("Recovery", StringValue("SelectiveRepeat"));
    Count(server);
    const auto client = Connect(InetSocketAddress("10.1.0.2", 7));
    client->SetAttribute("Recovery", StringValue("SelectiveRepeat"));
    client->SetAttribute("Timeout", StringValue("10ms"));
    client->SetAttribute("ShortTimeout", StringValue("100us"));
    client->SetStartTime(Seconds(10)); // behind what IPv6 sends at first
    client->Post(10 * 1024);
    Simulator::Schedule(Seconds(9), [this] {
        Lose({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); // each timeout sends one packet again
    });
    Simulator::Stop(Seconds(11));
    Simulator::Run();
    last -= Seconds(10);
    NS_TEST_EXPECT_MSG_EQ(received, 1U, "the message");
    NS_TEST_EXPECT_MSG_EQ(client->GetTimeouts(), 10U, "by so many");
    NS_TEST_EXPECT_MSG_GT(last, MilliSeconds(70), "seven while more than three are under way");
    NS_TEST_EXPECT_MSG_LT(last, MilliSeconds(71), "and three short ones");
    Simulator::Destroy();
}

} // namespace
