/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"
#include "mpa-tcp-test.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/global-value.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpPath, "mpa-tcp-path");

/// A path, and the EMSS that has to come of it.
struct Path
{
    std::string name;                         //!< of the case
    uint32_t mtu;                             //!< of the link
    bool ipv6;                                //!< IPv6
    bool timestamps;                          //!< timestamps option
    std::map<std::string, uint32_t> integers; //!< attributes of both sockets
    uint32_t emss;                            //!< expected EMSS
    uint32_t mss;                             //!< expected MSS option
};

/**
 * @ingroup iwarp-test
 * The EMSS that follows from MTU, IP version, options, and attributes, and the MSS option as the
 * octets of the SYN segments have it, with a right checksum and never more than the link takes.
 */
class EmssTest : public TestCase
{
  public:
    explicit EmssTest(const Path& path)
        : TestCase("EMSS: " + path.name),
          m_path(path)
    {
    }

  private:
    // MSS option in the octets of a TCP segment, 0 if there is none
    static uint32_t FindMss(const uint8_t* tcp)
    {
        const uint32_t end = (tcp[12] >> 4) * 4;
        for (uint32_t i = 20; i < end && tcp[i] != 0;)
        {
            if (tcp[i] == 1)
            {
                ++i;
                continue;
            }
            if (tcp[i] == 2)
            {
                return tcp[i + 1] == 4 ? tcp[i + 2] * 256 + tcp[i + 3] : 0;
            }
            i += tcp[i + 1];
        }
        return 0;
    }

    void Sniff(Ptr<const Packet> p)
    {
        std::vector<uint8_t> octets(p->GetSize());
        p->CopyData(octets.data(), octets.size());
        // The frame has two octets of PPP
        const uint32_t tcp = 2 + (m_path.ipv6 ? 40 : 20);
        if (octets[tcp + 13] & TcpHeader::SYN)
        {
            m_options.push_back(FindMss(&octets[tcp]));
        }
        m_largest = std::max(m_largest, p->GetSize() - 2);
    }

    void DoRun() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        MpaTcpSetup setup;
        setup.mtu = m_path.mtu;
        setup.ipv6 = m_path.ipv6;
        setup.timestamps = m_path.timestamps;
        setup.integers = m_path.integers;
        setup.realOctets = true;
        setup.records.assign(100, m_path.emss);
        MpaTcpRun run(setup);
        for (uint32_t i = 0; i < 2; ++i)
        {
            run.devices.Get(i)->TraceConnectWithoutContext("PhyTxBegin",
                                                           MakeCallback(&EmssTest::Sniff, this));
        }
        run.Run();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        NS_TEST_ASSERT_MSG_EQ(run.received, 100U * m_path.emss, "all there");
        NS_TEST_ASSERT_MSG_EQ(run.intact, true, "unharmed");
        NS_TEST_EXPECT_MSG_EQ(run.emss.front(), 536U, "EMSS before the route is known");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), m_path.emss, "EMSS");
        IWARP_COVERS("MPA-2-01 MPA-5.1-02 MPA-5.1-03 MPA-3-10");
        NS_TEST_EXPECT_MSG_EQ(run.CountData(), 100U, "a record a segment");
        NS_TEST_ASSERT_MSG_EQ(m_options.size(), 2U, "a SYN and its answer");
        NS_TEST_EXPECT_MSG_EQ(m_options[0], m_path.mss, "MSS option of the SYN");
        NS_TEST_EXPECT_MSG_EQ(m_options[1], m_path.mss, "MSS option of the answer");
        const uint32_t headers = m_path.ipv6 ? 60 : 40;
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_options[0] + headers, m_path.mtu, "no more than the link's");
        IWARP_COVERS("MPA-A.5.1-09");
        const uint32_t overhead =
            m_path.integers.count("PathOverhead") ? m_path.integers["PathOverhead"] : 0;
        NS_TEST_EXPECT_MSG_EQ((m_largest + overhead <= m_path.mtu), true, "datagrams fit the path");
    }

    Path m_path;                     //!< path and expectations
    std::vector<uint32_t> m_options; //!< MSS options seen
    uint32_t m_largest{0};           //!< octets of the largest datagram
};

IWARP_TEST_CASES(mpaTcpPath)
{
    for (const Path& path :
         std::vector<Path>{{"IPv4", 1500, false, false, {}, 1460, 1460},
                           {"IPv4, timestamps", 1500, false, true, {}, 1448, 1460},
                           {"IPv6", 1500, true, false, {}, 1440, 1440},
                           {"IPv6, timestamps", 1500, true, true, {}, 1428, 1440},
                           {"jumbo frames", 9000, false, false, {}, 8960, 8960},
                           {"jumbo frames, timestamps", 9000, false, true, {}, 8948, 8960},
                           {"MTU 576", 576, false, false, {}, 536, 536},
                           {"MTU 65535, timestamps", 65535, false, true, {}, 65483, 65495},
                           {"ESP", 1500, false, true, {{"PathOverhead", 36}}, 1412, 1424},
                           {"limit", 1500, false, true, {{"MaxEmss", 1000}}, 1000, 1460}})
    {
        suite.AddTestCase(new EmssTest(path));
    }
}

/**
 * What the peer says in its SYN, and what holds if it says nothing. A listening socket
 * offers each peer the same, whatever the ones before could do.
 */
struct PeerTest : TestCase
{
    using TestCase::TestCase;

    uint32_t Go(const MpaTcpSetup& s, const std::function<void(Ptr<Socket>)>& onListening = {})
    {
        MpaTcpSetup setup = s;
        setup.records.assign(20, 500);
        MpaTcpRun run(setup);
        run.onListening = onListening;
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 10000U, "all there");
        return run.emss.back();
    }
};

IWARP_TEST(mpaTcpPath, "EMSS and the peer's options", PeerTest)
{
    MpaTcpSetup setup;
    NS_TEST_EXPECT_MSG_EQ(
        Go(setup,
           [](Ptr<Socket> socket) { socket->SetAttribute("PathOverhead", UintegerValue(200)); }),
        1260U - 12,
        "the peer takes an MSS of 1260");
    IWARP_COVERS("MPA-2-01");
    NS_TEST_EXPECT_MSG_EQ(
        Go(setup,
           [](Ptr<Socket> socket) { socket->SetAttribute("Timestamp", BooleanValue(false)); }),
        1460U,
        "the peer does without timestamps");
    setup.mpaReceiver = false;
    NS_TEST_EXPECT_MSG_EQ(Go(setup), 1448U, "plain ns-3 TCP sends no option, but takes all");
    setup.integers["PeerMssDefault"] = 536;
    NS_TEST_EXPECT_MSG_EQ(Go(setup), 524U, "RFC 1122");

    // One listening socket, and two peers in turn
    setup = MpaTcpSetup();
    setup.records.assign(20, 500);
    MpaTcpRun run(setup);
    Ptr<Socket> second;
    Ptr<Socket> accepted;
    Address address;
    Ptr<Socket> listening;
    run.onListening = [&](Ptr<Socket> socket) {
        listening = socket;
        socket->GetSockName(address);
    };
    run.onCreated = [](Ptr<Socket> socket) {
        for (const auto& name : {"Timestamp", "Sack", "WindowScaling"})
        {
            socket->SetAttribute(name, BooleanValue(false));
        }
    };
    Simulator::Schedule(Seconds(3), [&]() {
        second = Socket::CreateSocket(run.nodes.Get(0), MpaTcpSocketFactory::GetTypeId());
        second->Connect(address);
    });
    Simulator::Schedule(Seconds(4), [&]() {
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<MpaTcpSocket>(second)->GetEmss(),
                              1448U,
                              "the second peer has timestamps again");
        for (const auto& name : {"Timestamp", "Sack", "WindowScaling"})
        {
            BooleanValue still;
            listening->GetAttribute(name, still);
            NS_TEST_EXPECT_MSG_EQ(still.Get(), true, name << " is offered to the next");
        }
    });
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.emss.back(), 1460U, "the first had none");
    NS_TEST_EXPECT_MSG_EQ(run.received, 10000U, "all there");
}

/**
 * @ingroup iwarp-test
 * A hop that takes no datagram above a size and says so by ICMP.
 */
class NarrowHop : public ErrorModel
{
  public:
    uint32_t mtu{1500};   //!< octets of a datagram that the hop takes
    uint32_t told{0};     //!< what it tells by ICMP, 0 for the truth
    uint32_t dropped{0};  //!< datagrams it did not take
    bool ipv6{false};     //!< IPv6
    bool harmless{false}; //!< takes everything, but complains
    Ptr<Node> node;       //!< who sends the ICMP message

  private:
    bool DoCorrupt(Ptr<Packet> p) override
    {
        if (p->GetSize() - 2 <= mtu)
        {
            return false;
        }
        ++dropped;
        Ptr<Packet> copy = p->Copy();
        PppHeader ppp;
        copy->RemoveHeader(ppp);
        const uint32_t say = told ? told : mtu;
        if (ipv6)
        {
            Ipv6Header ip;
            copy->PeekHeader(ip);
            node->GetObject<Icmpv6L4Protocol>()->SendErrorTooBig(copy, ip.GetSource(), say);
        }
        else
        {
            Ipv4Header ip;
            copy->RemoveHeader(ip);
            node->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(
                ip,
                copy,
                static_cast<uint16_t>(say));
        }
        return !harmless;
    }

    void DoReset() override
    {
    }
};

/**
 * @ingroup iwarp-test
 * Path MTU discovery mid-stream: all
 * that was accepted arrives, cut where it no longer fits, later records fit again; no
 * retransmission timer is needed.
 */
class IcmpTest : public TestCase
{
  public:
    IcmpTest(const std::string& name, bool ipv6, bool sack, const std::string& congestion)
        : TestCase("path MTU by ICMP: " + name),
          m_ipv6(ipv6),
          m_sack(sack),
          m_congestion(congestion)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t mtu = m_ipv6 ? 1300 : 1000;
        const uint32_t before = 1500 - (m_ipv6 ? 60 : 40) - 12;
        const uint32_t after = mtu - (m_ipv6 ? 60 : 40) - 12;
        MpaTcpSetup setup;
        setup.ipv6 = m_ipv6;
        setup.sack = m_sack;
        setup.congestion = m_congestion;
        setup.realOctets = true;
        setup.rate = "10Mbps";
        setup.records.assign(400, before);
        setup.records.insert(setup.records.end(), 200, after);
        MpaTcpRun run(setup);
        auto hop = CreateObject<NarrowHop>();
        hop->ipv6 = m_ipv6;
        hop->node = run.nodes.Get(1);
        run.devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(hop));
        Simulator::Schedule(Seconds(m_ipv6 ? 3.2 : 1.2), [hop, mtu]() { hop->mtu = mtu; });
        run.Run();
        if (m_congestion == "ns3::TcpBbr" && !iwarp::TCP_SINCE_3_43)
        {
            // its BBR creeps behind the loss; what gets through is right, and goes on coming
            NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
            NS_TEST_EXPECT_MSG_EQ(run.emss.back(), after, "EMSS");
            NS_TEST_EXPECT_MSG_GT(run.received, 400U * before, "old records are cut and arrive");
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(run.received, 400U * before + 200U * after, "all there");
        IWARP_COVERS("MPA-A.1-04");
        NS_TEST_ASSERT_MSG_EQ(run.intact, true, "unharmed");
        IWARP_COVERS("MPA-A.1-07");
        NS_TEST_ASSERT_MSG_GT(hop->dropped, 0U, "the path did become narrow");
        NS_TEST_EXPECT_MSG_EQ(run.emss.back(), after, "EMSS");
        NS_TEST_EXPECT_MSG_GT(run.cutReasons[MpaTcpSocket::CutReason::EMSS], 100U, "old records");
        IWARP_COVERS("MPA-5.1-10 MPA-A.1-05");
        NS_TEST_EXPECT_MSG_EQ((run.lastReceived < Seconds(m_ipv6 ? 3.9 : 1.9)),
                              true,
                              "no timer was needed, but " << run.lastReceived.As(Time::S));
        uint32_t aligned = 0;
        for (const auto& cut : run.cuts)
        {
            aligned += cut.seq > 400 * before && cut.recordAligned;
        }
        NS_TEST_EXPECT_MSG_EQ(aligned, 200U, "the records that fit are whole");
        IWARP_COVERS("MPA-A.5.2-06");
    }

    bool m_ipv6;              //!< IPv6
    bool m_sack;              //!< SACK
    std::string m_congestion; //!< congestion control
};

IWARP_TEST_CASES(mpaTcpPath)
{
    suite.AddTestCase(new IcmpTest("IPv4", false, true, "ns3::TcpCubic"));
    suite.AddTestCase(new IcmpTest("IPv6", true, true, "ns3::TcpNewReno"));
    suite.AddTestCase(new IcmpTest("no SACK", false, false, "ns3::TcpNewReno"));
    suite.AddTestCase(new IcmpTest("BBR", false, true, "ns3::TcpBbr"));
}

/// A listener of IPv6 with a peer of IPv4: datagrams are IPv4's, and so is the ICMP about them.
struct MappedPeerTest : TestCase
{
    using TestCase::TestCase;

    /// The listener has a peer, and sends. @param socket its socket
    void Accept(Ptr<Socket> socket, const Address& /* peer */)
    {
        accepted = DynamicCast<MpaTcpSocket>(socket);
        server = std::make_unique<RawEnd>(socket);
        server->Send(PatternUlpdu(100000, 1));
    }

    Ptr<MpaTcpSocket> accepted;     //!< socket of the listening side
    std::unique_ptr<RawEnd> server; //!< what it does
};

IWARP_TEST(mpaTcpPath, "path MTU by ICMP: a listener of IPv6, a peer of IPv4", MappedPeerTest)
{
    constexpr uint16_t PORT = 5000;
    MpaLinkedHosts hosts;
    const auto make = [&hosts](uint32_t host) {
        return Socket::CreateSocket(hosts.GetNode(host), MpaTcpSocketFactory::GetTypeId());
    };
    const Ptr<Socket> listener = make(1);
    listener->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), PORT));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&MappedPeerTest::Accept, this));
    const Ptr<Socket> socket = make(0);
    RawEnd client(socket);
    Simulator::Schedule(MilliSeconds(10), [&socket] {
        socket->Connect(InetSocketAddress(Ipv4Address("10.0.0.2"), PORT));
    });
    auto hop = CreateObject<NarrowHop>();
    hop->node = hosts.GetNode(0);
    hop->mtu = 1000;
    hosts.GetDevice(0)->SetAttribute("ReceiveErrorModel", PointerValue(hop));
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_GT(hop->dropped, 0U, "the path is narrow");
    NS_TEST_EXPECT_MSG_EQ((client.received == PatternUlpdu(100000, 1)), true, "all there");
    NS_TEST_ASSERT_MSG_EQ((accepted != nullptr), true, "accepted");
    NS_TEST_EXPECT_MSG_EQ(accepted->GetEmss(), 1000U - 40 - 12, "EMSS");
    accepted = nullptr;
    Simulator::Destroy();
}

/// An ICMP message that tells a path MTU below the limit is ignored.
struct IcmpLimitTest : TestCase
{
    using TestCase::TestCase;

    uint32_t Go(bool ipv6, uint32_t told, uint32_t limit)
    {
        MpaTcpSetup setup;
        setup.ipv6 = ipv6;
        setup.timestamps = false;
        setup.records.assign(100, 1000);
        if (limit)
        {
            setup.integers["MinPathMtu"] = limit;
        }
        MpaTcpRun run(setup);
        auto hop = CreateObject<NarrowHop>();
        hop->ipv6 = ipv6;
        hop->node = run.nodes.Get(1);
        hop->mtu = 1000;
        hop->told = told;
        hop->harmless = true;
        run.devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(hop));
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 100000U, "all there");
        NS_TEST_EXPECT_MSG_GT(hop->dropped, 0U, "messages were sent");
        return run.emss.back();
    }
};

IWARP_TEST(mpaTcpPath, "path MTU by ICMP: incredible", IcmpLimitTest)
{
    NS_TEST_EXPECT_MSG_EQ(Go(false, 68, 0), 1460U, "68 is below 576");
    NS_TEST_EXPECT_MSG_EQ(Go(false, 576, 0), 536U, "576 is believed");
    NS_TEST_EXPECT_MSG_EQ(Go(false, 68, 68), 28U, "without the limit");
    NS_TEST_EXPECT_MSG_EQ(Go(false, 1600, 0), 1460U, "a path never becomes wider");
    NS_TEST_EXPECT_MSG_EQ(Go(true, 1279, 0), 1440U, "1279 is below 1280");
    NS_TEST_EXPECT_MSG_EQ(Go(true, 1280, 0), 1220U, "1280 is believed");
    IWARP_COVERS("MPA-9.1-03");
}

/// What a socket's options ask of IP is in each datagram with octets, also in those that take the
/// short way, as they do where nothing looks at segments.
struct IpFieldsTest : TestCase
{
    using TestCase::TestCase;

    /// @param p frame of the sender, with two octets of PPP
    void Sniff(Ptr<const Packet> p)
    {
        std::vector<uint8_t> octets(p->GetSize());
        p->CopyData(octets.data(), octets.size());
        const uint8_t* ip = octets.data() + 2;
        const bool ipv6 = ip[0] >> 4 == 6;
        if (p->GetSize() < 500)
        { // no octets, or no TCP
            return;
        }
        m_datagrams++;
        m_classes.insert(ipv6 ? (ip[0] & 15) << 4 | ip[1] >> 4 : ip[1]);
        m_hops.insert(ipv6 ? ip[7] : ip[8]);
    }

    /// @param ipv6 version of IP @param set options of the socket
    void Go(bool ipv6, const std::function<void(Ptr<Socket>)>& set)
    {
        m_datagrams = 0;
        m_classes.clear();
        m_hops.clear();
        MpaLinkedHosts hosts(MilliSeconds(1), 1500, ipv6);
        std::unique_ptr<RawEnd> left;
        std::unique_ptr<RawEnd> right;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                set(socket);
                left = std::make_unique<RawEnd>(socket);
                left->Send(PatternUlpdu(50000, 1));
            },
            [&](Ptr<MpaTcpSocket> socket) { right = std::make_unique<RawEnd>(socket); });
        hosts.GetDevice(0)->TraceConnectWithoutContext("PhyTxBegin",
                                                       MakeCallback(&IpFieldsTest::Sniff, this));
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(right->received.size(), 50000, "all there");
        NS_TEST_EXPECT_MSG_GT(m_datagrams, 30, "in datagrams");
        Simulator::Destroy();
    }

    uint32_t m_datagrams{0};      //!< with octets, sent
    std::set<uint32_t> m_classes; //!< TOS or traffic class of these
    std::set<uint32_t> m_hops;    //!< TTL or hop limit of these
};

IWARP_TEST(mpaTcpPath, "TOS, TTL, traffic class and hop limit of a socket", IpFieldsTest)
{
    using Values = std::set<uint32_t>;
    Go(false, [](Ptr<Socket> socket) { socket->SetIpTos(0x28); });
    NS_TEST_EXPECT_MSG_EQ((m_classes == Values{0x28}), true, "TOS");
    Go(false, [](Ptr<Socket> socket) { socket->SetIpTos(0x04); });
    NS_TEST_EXPECT_MSG_EQ((m_classes == Values{0x04}), true, "TOS without a priority of its own");
    Go(false, [](Ptr<Socket> socket) { socket->SetIpTtl(9); });
    NS_TEST_EXPECT_MSG_EQ((m_hops == Values{9}), true, "TTL");
    Go(true, [](Ptr<Socket> socket) { socket->SetIpv6Tclass(0x28); });
    NS_TEST_EXPECT_MSG_EQ((m_classes == Values{0x28}), true, "traffic class");
    Go(true, [](Ptr<Socket> socket) { socket->SetIpv6HopLimit(9); });
    NS_TEST_EXPECT_MSG_EQ((m_hops == Values{9}), true, "hop limit");
}

/// A scenario that changes path MTU and overhead mid-stream.
IWARP_TEST(mpaTcpPath, "EMSS as a scenario says")
{
    MpaTcpSetup setup;
    setup.timestamps = false;
    setup.realOctets = true;
    setup.rate = "10Mbps";
    setup.records.assign(1000, 900);
    MpaTcpRun run(setup);
    auto socket = [&run]() { return DynamicCast<MpaTcpSocket>(run.sender); };
    Simulator::Schedule(Seconds(1.1), [&]() { socket()->SetPathMtu(1000); });
    Simulator::Schedule(Seconds(1.2), [&]() { socket()->SetPathMtu(740); });
    Simulator::Schedule(Seconds(1.3), [&]() { socket()->SetPathMtu(9000); });
    Simulator::Schedule(Seconds(1.4),
                        [&]() { run.sender->SetAttribute("PathOverhead", UintegerValue(36)); });
    Simulator::Schedule(Seconds(1.5),
                        [&]() { run.sender->SetAttribute("MaxEmss", UintegerValue(1000)); });
    run.Run();
    NS_TEST_ASSERT_MSG_EQ(run.received, 900000U, "all there");
    NS_TEST_ASSERT_MSG_EQ(run.intact, true, "unharmed");
    const std::vector<uint32_t> expected{536, 1460, 960, 700, 1460, 1424, 1000};
    NS_TEST_EXPECT_MSG_EQ((run.emss == expected), true, "each change is told");
    IWARP_COVERS("MPA-A.1-03");
    NS_TEST_EXPECT_MSG_GT(run.cutReasons[MpaTcpSocket::CutReason::EMSS], 50U, "at 700 octets");
    NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 1U, "no other reason");
}

} // namespace
