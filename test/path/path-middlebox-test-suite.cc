/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-datagrams.h"
#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-topology-dumbbell.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/path-adversary-middlebox.h"
#include "ns3/path-icmp-filter-middlebox.h"
#include "ns3/path-middlebox.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathMiddlebox, "path-middlebox");

/// Forwards each packet of a direction so many times, but every nth not at all.
class CountingMiddlebox : public PathMiddlebox
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::PathCountingMiddlebox")
                .SetParent<PathMiddlebox>()
                .SetGroupName("Iwarp")
                .AddConstructor<CountingMiddlebox>()
                .AddAttribute("Drop",
                              "Which packets do not go on; 0 is none [packets]",
                              UintegerValue(0),
                              MakeUintegerAccessor(&CountingMiddlebox::m_drop),
                              MakeUintegerChecker<uint32_t>())
                .AddAttribute("Copies",
                              "How often the others go on, the second time 10 us later",
                              UintegerValue(1),
                              MakeUintegerAccessor(&CountingMiddlebox::m_copies),
                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    int64_t AssignStreams(int64_t /* stream */) override
    {
        return 7;
    }

    std::map<PathDirection, std::vector<uint32_t>> m_seen; //!< octets of the packets that came
    std::map<PathDirection, uint16_t> m_protocol;          //!< protocol of the last one

  private:
    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override
    {
        auto& seen = m_seen[direction];
        seen.push_back(packet->GetSize());
        m_protocol[direction] = protocol;
        if (m_drop > 0 && seen.size() % m_drop == 0)
        {
            return;
        }
        for (uint32_t i = 1; i < m_copies; i++)
        {
            Simulator::Schedule(i * MicroSeconds(10), [this, packet, protocol, direction] {
                Forward(packet->Copy(), protocol, direction);
            });
        }
        Forward(packet->Copy(), protocol, direction);
    }

    uint32_t m_drop{0};   //!< which packets do not go on
    uint32_t m_copies{1}; //!< how often the others go on
};

/// Ends a simulation when it goes.
class Cleanup
{
  public:
    ~Cleanup()
    {
        Simulator::Destroy();
    }
};

/// A dumbbell with datagrams in both directions.
class MiddleboxBench
{
  public:
    /// @param ipv6 use IPv6 @param pairs pairs of hosts
    explicit MiddleboxBench(bool ipv6, uint32_t pairs = 1)
        : m_network(ipv6),
          m_ends(CreateObject<IwarpDumbbellTopology>()->Build(m_network, pairs)),
          m_forth(m_network, 0, 1),
          m_back(m_network, 1, 0)
    {
        m_network.InstallRoutes();
    }

    void Run() //!< Send ten datagrams each way
    {
        m_forth.SendTrain(10);
        m_back.SendTrain(10);
        Simulator::Run();
    }

    /// @param n how many @return 0 to n - 1
    static std::vector<uint32_t> All(uint32_t n)
    {
        std::vector<uint32_t> numbers(n);
        for (uint32_t i = 0; i < n; i++)
        {
            numbers[i] = i;
        }
        return numbers;
    }

    Cleanup m_cleanup;          //!< goes last
    IwarpNetwork m_network;     //!< network; link 0 is the bottleneck, 1 and 2 the hosts'
    IwarpTopology::Ends m_ends; //!< host 0 sends to host 1
    Datagrams m_forth;          //!< from host 0 to host 1
    Datagrams m_back;           //!< from host 1 to host 0
};

/// A filter to which a test gives packets.
class FedFilter : public PathIcmpFilterMiddlebox
{
  public:
    using PathIcmpFilterMiddlebox::Pass;
};

/**
 * Of all ICMP messages the filter keeps back those that tell of a datagram too large: type 3 with
 * code 4 (RFC 792, RFC 1191), and ICMPv6's type 2 (RFC 4443 section 3.2).
 */
IWARP_TEST(pathMiddlebox, "ICMP messages that a filter keeps back")
{
    MiddleboxBench bench(false);
    const auto filter = CreateObject<FedFilter>();
    bench.m_network.InsertMiddlebox(0, filter);
    for (const int type : {3, 11, 5, 0, 8})
    {
        for (uint8_t code = 0; code < 16; code++)
        {
            Icmpv4Header icmp;
            icmp.SetType(static_cast<uint8_t>(type));
            icmp.SetCode(code);
            Ptr<Packet> packet = Create<Packet>(32);
            packet->AddHeader(icmp);
            Ipv4Header ip;
            ip.SetProtocol(1);
            ip.SetTtl(9);
            ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
            packet->AddHeader(ip);
            const uint64_t before = filter->GetDropped();
            filter->Pass(packet, 0x0800, PathDirection::A_TO_B);
            NS_TEST_EXPECT_MSG_EQ(filter->GetDropped() - before,
                                  (type == 3 && code == 4 ? 1 : 0),
                                  "type " << type << ", code " << int{code});
        }
    }
    for (const int type : {1, 2, 3, 4, 128, 129})
    {
        Icmpv6Header icmp;
        icmp.SetType(static_cast<uint8_t>(type));
        Ptr<Packet> packet = Create<Packet>(32);
        packet->AddHeader(icmp);
        Ipv6Header ip;
        ip.SetNextHeader(58);
        ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
        packet->AddHeader(ip);
        const uint64_t before = filter->GetDropped();
        filter->Pass(packet, 0x86DD, PathDirection::A_TO_B);
        NS_TEST_EXPECT_MSG_EQ(filter->GetDropped() - before,
                              (type == 2 ? 1 : 0),
                              "ICMPv6's type " << type);
    }
}

/**
 * @ingroup iwarp-test
 * A middlebox sees every packet of both directions whole, and passes on what it wants. A packet is
 * sent once more than without it and takes no longer else; one box more of the same link, one
 * sending more.
 */
class MiddleboxTest : public TestCase
{
  public:
    /// @param link where the box is @param ipv6 use IPv6
    MiddleboxTest(uint32_t link, bool ipv6)
        : TestCase("Middlebox in link " + std::to_string(link) + (ipv6 ? ", IPv6" : ", IPv4")),
          m_link(link),
          m_ipv6(ipv6)
    {
    }

  private:
    /// @param boxes middleboxes to insert one after the other @return when the last datagram came
    Time Run(const std::vector<Ptr<CountingMiddlebox>>& boxes)
    {
        MiddleboxBench bench(m_ipv6);
        for (const auto& box : boxes)
        {
            Ptr<Node> node = bench.m_network.InsertMiddlebox(m_link, box);
            NS_TEST_EXPECT_MSG_EQ((node->GetObject<PathMiddlebox>() == box), true, "on its node");
            NS_TEST_EXPECT_MSG_EQ(node->GetNDevices(), 2, "two ports");
        }
        NS_TEST_EXPECT_MSG_EQ(bench.m_network.AssignStreams(100),
                              7 * static_cast<int64_t>(boxes.size()),
                              "streams of the boxes");
        NS_TEST_EXPECT_MSG_EQ(IwarpHelper::AssignStreams(NodeContainer::GetGlobal(), 100),
                              7 * static_cast<int64_t>(boxes.size()),
                              "streams of the boxes by their nodes");
        bench.Run();
        m_forth = bench.m_forth.GetNumbers();
        m_back = bench.m_back.GetNumbers();
        return bench.m_forth.m_arrivals.empty() ? Time(0) : bench.m_forth.m_arrivals.back().at;
    }

    void DoRun() override
    {
        // octets of a datagram, and with Ethernet's preamble, header and FCS
        const uint32_t size = 1000 + 8 + (m_ipv6 ? 40 : 20);
        const int64_t octets = size + 8 + 14 + 4;
        const int64_t rate = m_link == 0 ? 10 : 40; // Gbit/s
        const auto sending = [&](int64_t times) { return NanoSeconds(8 * times * octets / rate); };
        const auto all = MiddleboxBench::All(10);
        const Time plain = Run({});
        const auto box = CreateObject<CountingMiddlebox>();
        const Time one = Run({box});
        NS_TEST_EXPECT_MSG_EQ_TOL(one, plain + sending(1), NanoSeconds(1), "one sending more");
        NS_TEST_EXPECT_MSG_EQ((m_forth == all && m_back == all), true, "all pass");
        const std::vector<uint32_t> sizes(10, size);
        for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
        {
            NS_TEST_EXPECT_MSG_EQ((box->m_seen[direction] == sizes), true, "sees all, whole");
            NS_TEST_EXPECT_MSG_EQ(box->m_protocol[direction], (m_ipv6 ? 0x86DD : 0x0800), "IP");
        }
        const Time two =
            Run({CreateObject<CountingMiddlebox>(), CreateObject<CountingMiddlebox>()});
        NS_TEST_EXPECT_MSG_EQ_TOL(two, plain + sending(2), NanoSeconds(1), "two sendings more");

        const auto dropping = CreateObject<CountingMiddlebox>();
        dropping->SetAttribute("Drop", UintegerValue(5));
        Run({dropping});
        const std::vector<uint32_t> rest{0, 1, 2, 3, 5, 6, 7, 8};
        NS_TEST_EXPECT_MSG_EQ((m_forth == rest && m_back == rest), true, "every fifth is gone");

        const auto copying = CreateObject<CountingMiddlebox>();
        copying->SetAttribute("Copies", UintegerValue(2));
        Run({copying});
        std::vector<uint32_t> twice;
        for (const uint32_t number : all)
        {
            twice.insert(twice.end(), 2, number);
        }
        NS_TEST_EXPECT_MSG_EQ((m_forth == twice && m_back == twice), true, "each comes twice");
    }

    uint32_t m_link;               //!< where the box is
    bool m_ipv6;                   //!< IPv6 rather than IPv4
    std::vector<uint32_t> m_forth; //!< what arrived at host 1
    std::vector<uint32_t> m_back;  //!< what arrived at host 0
};

/**
 * @ingroup iwarp-test
 * MPA over a path with a middlebox that loses packets: every octet arrives as it was sent.
 */
class MiddleboxStreamTest : public TestCase
{
  public:
    explicit MiddleboxStreamTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("A stream through a losing middlebox, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        MiddleboxBench bench(m_ipv6);
        const auto box = CreateObject<CountingMiddlebox>();
        box->SetAttribute("Drop", UintegerValue(50));
        bench.m_network.InsertMiddlebox(0, box);
        MpaSinkHelper sinks(bench.m_network.GetAnySocketAddress(5000));
        sinks.SetAttribute("Backed", BooleanValue(true));
        auto sink = DynamicCast<MpaSink>(sinks.Install(bench.m_network.GetHost(1)).Get(0));
        MpaBulkSenderHelper senders(bench.m_network.GetHostSocketAddress(1, 5000));
        senders.SetAttribute("Backed", BooleanValue(true));
        senders.SetAttribute("MaxOctets", UintegerValue(500000));
        senders.SetAttribute("MessageSizes",
                             StringValue("ns3::ConstantRandomVariable[Constant=5000]"));
        senders.Install(bench.m_network.GetHost(0)).Start(MilliSeconds(1));
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink->GetMessageOctets(), 500000, "octets");
        NS_TEST_EXPECT_MSG_EQ(sink->GetContentErrors(), 0, "as they were sent");
        NS_TEST_EXPECT_MSG_GT(box->m_seen[PathDirection::A_TO_B].size(), 340, "segments");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/// Make an impairment that loses all. @return it
Ptr<PathRandomImpairment>
MakeLoss()
{
    auto impairment = CreateObject<PathRandomImpairment>();
    impairment->SetAttribute("Loss", DoubleValue(1));
    return impairment;
}

/**
 * @ingroup iwarp-test
 * An impairment concerns one link and one direction; several come one after the other.
 */
class ImpairedLinkTest : public TestCase
{
  public:
    explicit ImpairedLinkTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Impairments of a link and direction, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const auto all = MiddleboxBench::All(10);
        for (const uint32_t link : {0, 1, 2})
        {
            for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
            {
                MiddleboxBench bench(m_ipv6);
                bench.m_network.Impair(link, direction, MakeLoss());
                bench.Run();
                // host 0 is end B of its link 1: what it sends goes from B to A there
                const bool forth = (direction == PathDirection::A_TO_B) != (link == 1);
                NS_TEST_EXPECT_MSG_EQ((bench.m_forth.GetNumbers() == all),
                                      !forth,
                                      "forth " << link);
                NS_TEST_EXPECT_MSG_EQ((bench.m_back.GetNumbers() == all), forth, "back " << link);
                NS_TEST_EXPECT_MSG_EQ(bench.m_forth.m_arrivals.size() +
                                          bench.m_back.m_arrivals.size(),
                                      10,
                                      "none of the other direction");
            }
        }
        DoRunOneAfterTheOther();
    }

    void DoRunOneAfterTheOther()
    {
        MiddleboxBench bench(m_ipv6);
        // ns-3's own loses the third, the next holds each for 20 us, the last doubles each
        auto third = CreateObject<ReceiveListErrorModel>();
        third->SetList({2});
        auto device = bench.m_network.GetLinkDevices(0).Get(1);
        device->SetAttribute("ReceiveErrorModel", PointerValue(third));
        auto holding = CreateObject<PathRandomImpairment>();
        holding->SetAttribute("Reordering", DoubleValue(1));
        holding->SetAttribute("HoldTime",
                              StringValue("ns3::ConstantRandomVariable[Constant=20e-6]"));
        bench.m_network.Impair(0, PathDirection::A_TO_B, holding);
        auto last = CreateObject<PathRandomImpairment>();
        last->SetAttribute("Duplication", DoubleValue(1));
        last->SetAttribute("HoldTime", StringValue("ns3::ConstantRandomVariable[Constant=30e-6]"));
        bench.m_network.Impair(0, PathDirection::A_TO_B, last);
        NS_TEST_EXPECT_MSG_EQ(holding->Install(device), false, "installed already");
        NS_TEST_EXPECT_MSG_EQ(bench.m_network.AssignStreams(100), 8, "streams of both");
        bench.m_forth.SendTrain(10);
        Simulator::Run();
        const std::vector<uint32_t> rest{0, 0, 1, 1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9};
        NS_TEST_EXPECT_MSG_EQ((bench.m_forth.GetNumbers() == rest), true, "lost, held, doubled");
        const auto& arrivals = bench.m_forth.m_arrivals;
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 18, "arrivals");
        NS_TEST_EXPECT_MSG_EQ(arrivals[1].at - arrivals[0].at, MicroSeconds(30), "the copy");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

IWARP_TEST_CASES(pathMiddlebox)
{
    CountingMiddlebox::GetTypeId(); // registers it
    for (const bool ipv6 : {false, true})
    {
        for (const uint32_t link : {0, 1, 2})
        {
            suite.AddTestCase(new MiddleboxTest(link, ipv6));
        }
        suite.AddTestCase(new MiddleboxStreamTest(ipv6));
        suite.AddTestCase(new ImpairedLinkTest(ipv6));
    }
}

/// @brief An adversary who does nothing passes all, fragments and packets that are no segments,
/// too.
IWARP_TEST(pathMiddlebox, "An adversary at rest")
{
    for (const bool ipv6 : {false, true})
    {
        MiddleboxBench bench(ipv6);
        bench.m_network.InsertMiddlebox(0, CreateObject<PathAdversaryMiddlebox>());
        for (uint32_t i = 0; i < 10; i++)
        {
            bench.m_forth.Send(MilliSeconds(i + 1), i, 0, i % 2 == 0 ? 20000 : 100);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((bench.m_forth.GetNumbers() == MiddleboxBench::All(10)),
                              true,
                              (ipv6 ? "IPv6" : "IPv4"));
    }
}

/// @brief A box between links whose frames have addresses is a bridge: a frame keeps both, and goes
/// to the one it is for.
IWARP_TEST(pathMiddlebox, "Frames keep their addresses")
{
    const Cleanup cleanup;
    NodeContainer nodes(4); // a host, the box, two hosts behind it
    SimpleNetDeviceHelper link;
    const NetDeviceContainer before = link.Install(NodeContainer(nodes.Get(0), nodes.Get(1)));
    const NetDeviceContainer behind =
        link.Install(NodeContainer(nodes.Get(1), nodes.Get(2), nodes.Get(3)));
    const auto box = CreateObject<CountingMiddlebox>();
    box->Install(before.Get(1), behind.Get(0));
    using Frames = std::vector<std::pair<Address, uint32_t>>;
    Frames frames[3]; // of the hosts: from whom, and octets
    const Ptr<NetDevice> hosts[] = {before.Get(0), behind.Get(1), behind.Get(2)};
    for (uint32_t i = 0; i < 3; i++)
    {
        hosts[i]->SetReceiveCallback(
            iwarp::MakeLambdaCallback<
                Callback<bool, Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&>>(
                [&frames,
                 i](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& from) {
                    frames[i].emplace_back(from, packet->GetSize());
                    return true;
                }));
    }
    const auto send = [&hosts](uint32_t from, uint32_t to, uint32_t octets) {
        hosts[from]->Send(Create<Packet>(octets), hosts[to]->GetAddress(), 0x0800);
    };
    send(0, 1, 100);
    send(0, 2, 200);
    send(1, 0, 300);
    hosts[0]->Send(Create<Packet>(400), hosts[0]->GetBroadcast(), 0x0800);
    Simulator::Run();
    const Address a = hosts[0]->GetAddress();
    NS_TEST_EXPECT_MSG_EQ((frames[0] == Frames{{hosts[1]->GetAddress(), 300}}), true, "back");
    NS_TEST_EXPECT_MSG_EQ((frames[1] == Frames{{a, 100}, {a, 400}}), true, "its own, and all's");
    NS_TEST_EXPECT_MSG_EQ((frames[2] == Frames{{a, 200}, {a, 400}}), true, "its own, and all's");
}

/// Places on the flows' paths, and middleboxes found by name.
struct MiddleboxPlaceTest : TestCase
{
    using TestCase::TestCase;

    /// Compare hops. @param bench network @param place where @param back direction of the ACKs
    /// @param links expected links @param direction expected direction
    void Compare(MiddleboxBench& bench,
                 iwarp::PathPlace place,
                 bool back,
                 const std::vector<uint32_t>& links,
                 PathDirection direction)
    {
        std::vector<uint32_t> found;
        for (const auto& hop : iwarp::FindHops(bench.m_network, bench.m_ends, place, back))
        {
            found.push_back(hop.link);
            NS_TEST_EXPECT_MSG_EQ((hop.direction == direction), true, "direction");
        }
        NS_TEST_EXPECT_MSG_EQ((found == links), true, "links");
    }
};

IWARP_TEST(pathMiddlebox, "Places and names", MiddleboxPlaceTest)
{
    MiddleboxBench bench(false, 2);
    using iwarp::PathPlace;
    Compare(bench, PathPlace::SENDER, false, {1, 3}, PathDirection::B_TO_A);
    Compare(bench, PathPlace::SENDER, true, {1, 3}, PathDirection::A_TO_B);
    Compare(bench, PathPlace::CORE, false, {0}, PathDirection::A_TO_B);
    Compare(bench, PathPlace::CORE, true, {0}, PathDirection::B_TO_A);
    Compare(bench, PathPlace::RECEIVER, false, {2, 4}, PathDirection::A_TO_B);
    Compare(bench, PathPlace::RECEIVER, true, {2, 4}, PathDirection::B_TO_A);

    TypeId type;
    NS_TEST_EXPECT_MSG_EQ(iwarp::FindType("counting", PathMiddlebox::GetTypeId(), type),
                          "",
                          "the user's middlebox");
    NS_TEST_EXPECT_MSG_EQ(type, CountingMiddlebox::GetTypeId(), "by its short name");
    NS_TEST_EXPECT_MSG_EQ(iwarp::FindType("random", PathImpairment::GetTypeId(), type),
                          "",
                          "an impairment");
    NS_TEST_EXPECT_MSG_EQ(type, PathRandomImpairment::GetTypeId(), "by its short name");
}

} // namespace
