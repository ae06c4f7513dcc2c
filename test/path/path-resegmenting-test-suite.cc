/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-two-hosts.h"
#include "../iwarp-test.h"
#include "path-tcp-datagram.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/ns3-compat.h"
#include "ns3/nstime.h"
#include "ns3/path-random-impairment.h"
#include "ns3/path-resegmenting-middlebox.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathResegmenting, "path-resegmenting", TestSuite::Type::SYSTEM);

/// Ends a simulation when it goes.
class DestroyAtEnd
{
  public:
    ~DestroyAtEnd()
    {
        Simulator::Destroy();
    }
};

/// Counts what a box does.
class Recuts
{
  public:
    explicit Recuts(Ptr<PathMiddlebox> box) //!< @param box it
    {
        box->TraceConnectWithoutContext("Recut", MakeCallback(&Recuts::Note, this));
        box->TraceConnectWithoutContext("Held", MakeCallback(&Recuts::NoteHeld, this));
    }

    Recuts(const Recuts&) = delete;
    Recuts& operator=(const Recuts&) = delete;

    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_seen; //!< how often by segments and pieces
    uint32_t m_most{0};                                       //!< most octets held

  private:
    void Note(uint32_t segments, uint32_t pieces)
    {
        m_seen[{segments, pieces}]++;
    }

    void NoteHeld(uint32_t /* before */, uint32_t held)
    {
        m_most = std::max(m_most, held);
    }
};

/// Senders of one host to a sink of another, with content.
class Transfers
{
  public:
    /// @param from host that sends @param to host that receives @param any where it listens
    /// @param remote its address and port @param senders how many @param octets of each
    Transfers(Ptr<Node> from,
              Ptr<Node> to,
              const Address& any,
              const Address& remote,
              uint32_t senders,
              uint32_t octets)
        : m_expected(uint64_t{senders} * octets)
    {
        MpaSinkHelper sinks(any);
        sinks.SetAttribute("Backed", BooleanValue(true));
        m_sink = DynamicCast<MpaSink>(sinks.Install(to).Get(0));
        MpaBulkSenderHelper helper(remote);
        helper.SetAttribute("Backed", BooleanValue(true));
        helper.SetAttribute("MaxOctets", UintegerValue(octets));
        helper.SetAttribute("MessageSizes",
                            StringValue("ns3::UniformRandomVariable[Min=1|Max=4000]"));
        int64_t stream = 100;
        for (uint32_t i = 0; i < senders; i++)
        {
            auto sender = helper.Install(from);
            sender.Start(MilliSeconds(1) + MicroSeconds(50) * i);
            stream += MpaApplicationHelper::AssignStreams(sender, stream);
        }
    }

    /// @return "", or what is wrong at the end
    std::string GetProblem() const
    {
        if (m_sink->GetContentErrors() > 0 || m_sink->GetBadUlpdus() > 0)
        {
            return "octets are wrong";
        }
        return m_sink->GetMessageOctets() == m_expected ? m_sink->GetError() : "octets are missing";
    }

  private:
    uint64_t m_expected; //!< octets of all
    Ptr<MpaSink> m_sink; //!< where they arrive
};

/**
 * @ingroup iwarp-test
 * The box in a link of several stations: frames keep their link-layer addresses, so that ARP and
 * neighbour discovery work through it, and segments are re-cut.
 */
class SharedLinkTest : public TestCase
{
  public:
    explicit SharedLinkTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("A box between two shared links, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const DestroyAtEnd cleanup;
        NodeContainer hosts(2);
        const auto middle = CreateObject<Node>();
        SimpleNetDeviceHelper helper;
        NetDeviceContainer ends;
        NetDeviceContainer ports;
        for (uint32_t i = 0; i < 2; i++)
        {
            const auto channel = CreateObject<SimpleChannel>();
            channel->SetAttribute("Delay", TimeValue(MicroSeconds(5)));
            ends.Add(helper.Install(hosts.Get(i), channel));
            ports.Add(helper.Install(middle, channel));
            ends.Get(i)->SetMtu(1500);
            ports.Get(i)->SetMtu(1500);
        }
        const auto box = CreateObject<PathResegmentingMiddlebox>();
        box->SetAttribute("MaxPayload", UintegerValue(700));
        box->Install(ports.Get(0), ports.Get(1));
        const Recuts recuts(box);

        InternetStackHelper().Install(hosts);
        IwarpHelper().Install(hosts);
        Address any;
        Address remote;
        if (m_ipv6)
        {
            Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
            remote = Inet6SocketAddress(addresses.Assign(ends).GetAddress(1, 1), 5000);
            any = Inet6SocketAddress(Ipv6Address::GetAny(), 5000);
        }
        else
        {
            Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
            remote = InetSocketAddress(addresses.Assign(ends).GetAddress(1), 5000);
            any = InetSocketAddress(Ipv4Address::GetAny(), 5000);
        }
        Transfers transfers(hosts.Get(0), hosts.Get(1), any, remote, 1, 100000);
        if (m_ipv6)
        {
            hosts.Get(0)->GetApplication(0)->SetStartTime(Seconds(3)); // addresses are unique then
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transfers.GetProblem(), "", "a stream through the box");
        NS_TEST_EXPECT_MSG_GT(recuts.m_seen.at({1, 3}), 40, "full ones");
        if (!m_ipv6)
        {
            const auto ip = hosts.Get(0)->GetObject<Ipv4L3Protocol>();
            const auto cache =
                ip->GetInterface(ip->GetInterfaceForDevice(ends.Get(0)))->GetArpCache();
            const auto entry = cache->Lookup(InetSocketAddress::ConvertFrom(remote).GetIpv4());
            NS_TEST_ASSERT_MSG_EQ((entry != nullptr), true, "known by ARP");
            NS_TEST_EXPECT_MSG_EQ(entry->GetMacAddress(), ends.Get(1)->GetAddress(), "its own");
        }
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Many small transfers each way through a box with all its rules in turn, with loss, reordering and
 * duplication before and behind it: every octet arrives as it was sent.
 */
class TransfersTest : public TestCase
{
  public:
    /// @param first seed @param seeds how many @param transfers each way, with each seed
    TransfersTest(uint32_t first, uint32_t seeds, uint32_t transfers)
        : TestCase(std::to_string(2 * seeds * transfers) + " transfers through boxes, seeds from " +
                   std::to_string(first)),
          m_first(first),
          m_seeds(seeds),
          m_transfers(transfers)
    {
    }

  private:
    /// @param seed a seed @return a box with rules of its own
    static Ptr<PathMiddlebox> MakeBox(uint32_t seed)
    {
        auto box = CreateObject<PathResegmentingMiddlebox>();
        const std::vector<std::pair<std::string, std::string>> rules[] = {
            {{"MaxPayload", "700"}},
            {{"PieceSize", "ns3::UniformRandomVariable[Min=1|Max=2000]"}},
            {{"CoalesceSize", "65535"}, {"HoldTime", "30us"}},
            {{"CoalesceSize", "20000"}, {"MaxPayload", "1000"}, {"StripTimestamps", "true"}},
            {{"CoalesceSize", "9000"},
             {"PieceSize", "ns3::ExponentialRandomVariable[Mean=600]"},
             {"CoalesceMemory", "20000"}},
            {{"StripSack", "true"}, {"MssClamp", "900"}, {"MaxPayload", "400"}},
            {{"MaxPayload", "100"}, {"Direction", "AToB"}, {"StripSack", "true"}},
        };
        for (const auto& [name, value] : rules[seed % 7])
        {
            box->SetAttribute(name, StringValue(value));
        }
        return box;
    }

    /// @param seed seed of all that is random
    void Run(uint32_t seed)
    {
        const DestroyAtEnd cleanup;
        RngSeedManager::SetRun(seed + 1);
        const bool checksums = seed % 3 == 0;
        Config::SetGlobal("ChecksumEnabled", BooleanValue(checksums));
        TwoHosts network(seed % 2 == 1);
        const auto box = MakeBox(seed);
        network.InsertMiddlebox(0, box);
        const Recuts recuts(box);
        for (const uint32_t link : {0, 1, 2})
        {
            for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
            {
                auto impairment = CreateObject<PathRandomImpairment>();
                impairment->SetAttribute("Loss", DoubleValue(0.005));
                impairment->SetAttribute("Reordering", DoubleValue(0.02));
                impairment->SetAttribute("Duplication", DoubleValue(0.01));
                network.Impair(link, direction, impairment);
            }
        }
        network.AssignStreams(1);
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(10)));
        const auto transfer = [&](uint32_t from, uint32_t to) {
            return Transfers(network.GetHost(from),
                             network.GetHost(to),
                             network.GetAnySocketAddress(5000),
                             network.GetHostSocketAddress(to, 5000),
                             m_transfers,
                             4000);
        };
        const auto forth = transfer(0, 1);
        const auto back = transfer(1, 0);
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(forth.GetProblem(), "", "forth, seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(back.GetProblem(), "", "back, seed " << seed);
        NS_TEST_EXPECT_MSG_GT(recuts.m_seen.size(), 1, "segments were cut or merged");
        NS_TEST_EXPECT_MSG_EQ(box->GetObject<PathResegmentingMiddlebox>()->GetHeld(), 0, "no rest");
        Config::SetGlobal("ChecksumEnabled", BooleanValue(false));
    }

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_seeds; seed++)
        {
            Run(seed);
        }
        IWARP_COVERS("MPA-A.4-01");
        Config::Reset();
    }

    uint32_t m_first;     //!< first seed
    uint32_t m_seeds;     //!< how many
    uint32_t m_transfers; //!< each way, with each seed
};

/**
 * @ingroup iwarp-test
 * The box concerns the segments that match all of what is set; the rest passes as it came.
 */
class FilterTest : public TestCase
{
  public:
    explicit FilterTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Which flows are concerned, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    using Rules = std::vector<std::pair<std::string, std::string>>; //!< attributes

    /// @param rules attributes @return how many segments were merged or cut @param most octets held
    uint32_t Go(const Rules& rules, uint32_t& most)
    {
        const DestroyAtEnd cleanup;
        TwoHosts network(m_ipv6);
        const auto box = CreateObject<PathResegmentingMiddlebox>();
        box->SetAttribute("MaxPayload", UintegerValue(700));
        for (const auto& [name, value] : rules)
        {
            box->SetAttribute(name, StringValue(value));
        }
        network.InsertMiddlebox(0, box);
        const Recuts recuts(box);
        const Transfers transfers(network.GetHost(0),
                                  network.GetHost(1),
                                  network.GetAnySocketAddress(5000),
                                  network.GetHostSocketAddress(1, 5000),
                                  20,
                                  20000);
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transfers.GetProblem(), "", "all arrives");
        most = recuts.m_most;
        uint32_t sum = 0;
        for (const auto& [what, times] : recuts.m_seen)
        {
            sum += times * what.first;
        }
        return sum;
    }

    /// @param rules attributes @return how many segments were merged or cut
    uint32_t Go(const Rules& rules)
    {
        uint32_t most = 0;
        return Go(rules, most);
    }

    void DoRun() override
    {
        TwoHosts network(m_ipv6);
        const auto text = [&](uint32_t host) {
            std::ostringstream stream;
            const Address address = network.GetHostSocketAddress(host, 1);
            if (m_ipv6)
            {
                stream << Inet6SocketAddress::ConvertFrom(address).GetIpv6();
            }
            else
            {
                stream << InetSocketAddress::ConvertFrom(address).GetIpv4();
            }
            return stream.str();
        };
        const std::string from = text(0);
        const std::string to = text(1);
        Simulator::Destroy();
        const uint32_t all = Go({});
        NS_TEST_EXPECT_MSG_GT(all, 20 * 13, "all are concerned");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Direction", "AToB"}}), all, "that way");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Direction", "BToA"}}), 0, "not the other");
        NS_TEST_EXPECT_MSG_EQ(Go({{"DestinationPort", "5000"}}), all, "the port");
        NS_TEST_EXPECT_MSG_EQ(Go({{"SourcePort", "5000"}}), 0, "the port, of ACKs");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Source", from}, {"Destination", to}}), all, "the addresses");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Source", to}}), 0, "another source");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Destination", from}}), 0, "another destination");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Source", m_ipv6 ? "::/0" : "0.0.0.0/0"}}), all, "all of IP");
        NS_TEST_EXPECT_MSG_EQ(Go({{"Source", m_ipv6 ? "0.0.0.0/0" : "::/0"}}), 0, "the other IP");
        uint32_t most = 0;
        Go({{"Direction", "AToB"},
            {"CoalesceSize", "65535"},
            {"HoldTime", "1ms"},
            {"CoalesceMemory", "9000"}},
           most);
        NS_TEST_EXPECT_MSG_GT(most, 7000, "memory is used");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(most, 9000, "not more than there is");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * A bare ACK goes behind the data of its flow that the box holds, as they came (what a NIC merges
 * is flushed before a segment that it cannot merge); that of another flow does not wait.
 */
IWARP_TEST(pathResegmenting, "A bare ACK behind data that are held")
{
    const DestroyAtEnd cleanup;
    NodeContainer nodes(2);
    SimpleNetDeviceHelper helper;
    NetDeviceContainer ports;
    NetDeviceContainer ends;
    std::vector<std::pair<int, uint32_t>> came; // flow and octets of payload
    for (uint32_t i = 0; i < 2; i++)
    {
        const auto channel = CreateObject<SimpleChannel>();
        ports.Add(helper.Install(nodes.Get(0), channel));
        ends.Add(helper.Install(nodes.Get(1), channel));
        ends.Get(i)->SetReceiveCallback(iwarp::MakeLambdaCallback<NetDevice::ReceiveCallback>(
            [&came](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                const auto datagram = Datagram::Read(packet);
                came.emplace_back(datagram.host, datagram.payload.size());
                return true;
            }));
    }
    const auto box = CreateObject<PathResegmentingMiddlebox>();
    box->SetAttribute("CoalesceSize", UintegerValue(1000));
    box->SetAttribute("HoldTime", TimeValue(MicroSeconds(10)));
    box->Install(ports.Get(0), ports.Get(1));
    const auto feed = [&ends](uint8_t host, uint32_t seq, uint32_t size) {
        Datagram datagram;
        datagram.host = host;
        datagram.seq = seq;
        datagram.payload = Datagram::MakePayload(size);
        ends.Get(0)->Send(datagram.Make(), ends.Get(1)->GetAddress(), datagram.GetProtocol());
    };
    feed(1, 1, 100);
    feed(2, 1, 200);
    feed(1, 101, 0);
    feed(3, 1, 0);
    Simulator::Run();
    const std::vector<std::pair<int, uint32_t>> expected{{1, 100}, {1, 0}, {3, 0}, {2, 200}};
    NS_TEST_EXPECT_MSG_EQ((came == expected), true, "in order");
}

IWARP_TEST_CASES(pathResegmenting)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new SharedLinkTest(ipv6));
        suite.AddTestCase(new FilterTest(ipv6));
    }
    suite.AddTestCase(new TransfersTest(0, 21, 25));
    suite.AddTestCase(new TransfersTest(1000, 420, 50), IWARP_TEST_EXTENSIVE);
}

} // namespace
