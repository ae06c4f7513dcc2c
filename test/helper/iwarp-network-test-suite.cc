/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"

#include "ns3/config.h"
#include "ns3/iwarp-topology-abilene.h"
#include "ns3/iwarp-topology-dumbbell.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-data-file.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpNetwork, "iwarp-network");

/// Send one datagram across a network. @param network where @param from host @param to host
/// @return time from sending to reception; negative if it did not come
Time
Probe(IwarpNetwork& network, uint32_t from, uint32_t to)
{
    Datagrams datagrams(network, from, to);
    datagrams.Send(Seconds(1), 0);
    Simulator::Run();
    return datagrams.m_arrivals.empty() ? Seconds(-1) : datagrams.m_arrivals[0].at - Seconds(1);
}

/**
 * @ingroup iwarp-test
 * A datagram across a dumbbell takes the sum of propagation and transmission times.
 */
class DumbbellTest : public TestCase
{
  public:
    explicit DumbbellTest(bool ipv6)
        : TestCase(std::string("Dumbbell, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        auto topology = CreateObject<IwarpDumbbellTopology>();
        topology->SetAttribute("LinkRate", StringValue("1Gbps"));
        topology->SetAttribute("Delay", StringValue("3ms"));
        topology->SetAttribute("AccessRate", StringValue("2Gbps"));
        topology->SetAttribute("AccessDelay", StringValue("7us"));
        NS_TEST_EXPECT_MSG_EQ(topology->Check(3, m_ipv6), "", "attributes fit");
        NS_TEST_EXPECT_MSG_EQ(topology->GetBottleneckRate(), DataRate("1Gbps"), "bottleneck");
        IwarpNetwork dumbbell(m_ipv6);
        const auto ends = topology->Build(dumbbell, 3);
        dumbbell.InstallRoutes();
        NS_TEST_ASSERT_MSG_EQ(ends.size(), 3, "pairs");
        for (const auto& [sender, receiver] : ends)
        {
            NS_TEST_EXPECT_MSG_EQ(dumbbell.GetPathDelay(sender, receiver),
                                  MicroSeconds(3014),
                                  "propagation delay");
        }
        // octets on each link: payload, UDP, IP; Ethernet's preamble, header and FCS
        const uint32_t size = 1000 + 8 + (m_ipv6 ? 40 : 20) + 8 + 14 + 4;
        const Time taken = Probe(dumbbell, ends[2].first, ends[0].second);
        NS_TEST_EXPECT_MSG_EQ(taken,
                              MicroSeconds(3014) + NanoSeconds(size * 8 + 2 * size * 4),
                              "delay of a datagram");
        Simulator::Destroy();
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Abilene: delays of all pairs of cities by another formula for the great circle and another
 * algorithm for shortest paths, and a datagram from coast to coast.
 */
class AbileneTest : public TestCase
{
  public:
    explicit AbileneTest(bool ipv6)
        : TestCase(std::string("Abilene, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        struct Place
        {
            double x, y, z;
        };

        std::vector<std::string> names;
        std::map<std::string, Place> places;
        std::ifstream nodes(iwarp::FindDataFile("abilene-nodes"));
        std::string line;
        std::getline(nodes, line);
        while (std::getline(nodes, line))
        {
            const auto name = line.substr(0, line.find(','));
            const auto second = line.find(',', line.find(',') + 1);
            double latitude;
            double longitude;
            NS_TEST_ASSERT_MSG_EQ(
                std::sscanf(line.c_str() + second + 1, "%lf,%lf", &latitude, &longitude),
                2,
                line);
            latitude *= M_PI / 180;
            longitude *= M_PI / 180;
            names.push_back(name);
            places[name] = {std::cos(latitude) * std::cos(longitude),
                            std::cos(latitude) * std::sin(longitude),
                            std::sin(latitude)};
        }
        NS_TEST_ASSERT_MSG_EQ(names.size(), 11, "cities");
        const double infinity = std::numeric_limits<double>::infinity();
        std::map<std::pair<std::string, std::string>, double> delay;
        std::map<std::pair<std::string, std::string>, int> hops;
        for (const auto& a : names)
        {
            for (const auto& b : names)
            {
                delay[{a, b}] = a == b ? 0 : infinity;
            }
        }
        std::ifstream links(iwarp::FindDataFile("abilene-links"));
        std::getline(links, line);
        int count = 0;
        while (std::getline(links, line))
        {
            const auto a = line.substr(0, 4);
            const auto b = line.substr(5, 4);
            const Place& p = places.at(a);
            const Place& q = places.at(b);
            const double angle = std::acos(p.x * q.x + p.y * q.y + p.z * q.z);
            delay[{a, b}] = delay[{b, a}] = 6371008.8 * angle / (2.0 / 3 * 299792458);
            hops[{a, b}] = hops[{b, a}] = 1;
            count++;
        }
        NS_TEST_ASSERT_MSG_EQ(count, 14, "number of links");
        for (const auto& via : names)
        {
            for (const auto& a : names)
            {
                for (const auto& b : names)
                {
                    if (delay[{a, via}] + delay[{via, b}] < delay[{a, b}])
                    {
                        delay[{a, b}] = delay[{a, via}] + delay[{via, b}];
                        hops[{a, b}] = hops[{a, via}] + hops[{via, b}];
                    }
                }
            }
        }

        // pairs in turn: each city sends to the next
        std::string pairs;
        for (std::size_t i = 0; i < names.size(); i++)
        {
            pairs += (i > 0 ? "," : "") + names[i] + "-" + names[(i + 1) % names.size()];
        }
        auto topology = CreateObject<IwarpAbileneTopology>();
        topology->SetAttribute("Pairs", StringValue(pairs));
        topology->SetAttribute("AccessRate", StringValue("10Gbps"));
        NS_TEST_EXPECT_MSG_EQ(topology->Check(11, m_ipv6), "", "attributes fit");
        IwarpNetwork abilene(m_ipv6);
        const auto ends = topology->Build(abilene, 12);
        abilene.InstallRoutes();
        NS_TEST_ASSERT_MSG_EQ(ends.size(), 12, "pairs");
        NS_TEST_EXPECT_MSG_EQ(abilene.GetNLinks(), 14 + 24, "links");
        std::map<std::string, uint32_t> hosts;
        for (std::size_t i = 0; i < names.size(); i++)
        {
            hosts[names[i]] = ends[i].first;
            const std::size_t next = (i + 1) % names.size();
            NS_TEST_EXPECT_MSG_EQ(abilene.GetPathDelay(ends[i].second, ends[next].first),
                                  MicroSeconds(2),
                                  "hosts of one city");
        }
        for (const auto& a : names)
        {
            for (const auto& b : names)
            {
                // a nanosecond a link is lost in ns-3's clock
                const double expected = delay[{a, b}] + 2e-6;
                NS_TEST_EXPECT_MSG_EQ_TOL(abilene.GetPathDelay(hosts[a], hosts[b]).GetSeconds(),
                                          expected,
                                          1e-8,
                                          a << " to " << b);
            }
        }
        // Seattle to Washington: 3,700 km of great circle, so no less than 18.5 ms
        NS_TEST_EXPECT_MSG_GT((delay[{"STTL", "WASH"}]), 0.0185, "plausible");
        NS_TEST_EXPECT_MSG_LT((delay[{"STTL", "WASH"}]), 0.026, "plausible");
        const uint32_t size = 1000 + 8 + (m_ipv6 ? 40 : 20) + 8 + 14 + 4;
        const double far = delay[{"STTL", "WASH"}] + 2e-6;
        const int crossed = hops[{"STTL", "WASH"}] + 2;
        const Time taken = Probe(abilene, hosts["STTL"], hosts["WASH"]);
        NS_TEST_EXPECT_MSG_EQ_TOL(taken.GetSeconds(),
                                  far + crossed * size * 8 / 10e9,
                                  1e-8,
                                  "delay of a datagram");
        Simulator::Destroy();
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/// Routers in a ring, as a user may write it; a pair is at two neighbours.
class RingTopology : public IwarpTopology
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::UserRingTopology")
                                .SetParent<IwarpTopology>()
                                .AddConstructor<RingTopology>()
                                .AddAttribute("Routers",
                                              "How many there are",
                                              UintegerValue(5),
                                              MakeUintegerAccessor(&RingTopology::m_routers),
                                              MakeUintegerChecker<uint32_t>(3, 256));
        return tid;
    }

    Ends Build(IwarpNetwork& network, uint32_t pairs) const override
    {
        Ends ends;
        for (uint32_t i = 0; i < m_routers; i++)
        {
            network.AddRouter();
        }
        for (uint32_t i = 0; i < m_routers; i++)
        {
            network.AddLink(i, (i + 1) % m_routers, MakeLink(MilliSeconds(1)));
        }
        for (uint32_t i = 0; i < pairs; i++)
        {
            const uint32_t sender = network.AddHost(i % m_routers, MakeAccessLink());
            ends.emplace_back(sender, network.AddHost((i + 1) % m_routers, MakeAccessLink()));
        }
        return ends;
    }

  private:
    uint32_t m_routers{0}; //!< routers
};

IWARP_TEST_CASES(iwarpNetwork)
{
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new DumbbellTest(ipv6));
        suite.AddTestCase(new AbileneTest(ipv6));
    }
    RingTopology::GetTypeId(); // registers it
}

/// A topology is found by name, the user's as well; what does not fit together is told.
struct TopologyTest : TestCase
{
    using TestCase::TestCase;

    /// @param attributes of Abilene @param begin what the complaint begins with
    void Reject(const std::map<std::string, std::string>& attributes, const std::string& begin)
    {
        auto topology = CreateObject<IwarpAbileneTopology>();
        for (const auto& [name, value] : attributes)
        {
            topology->SetAttribute(name, StringValue(value));
        }
        const std::string problem = topology->Check(4, true);
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, begin.size()), begin, problem);
    }
};

IWARP_TEST(iwarpNetwork, "Topologies by name", TopologyTest)
{
    const TypeId base = IwarpTopology::GetTypeId();
    for (const auto& [name, expected] :
         std::map<std::string, TypeId>{{"dumbbell", IwarpDumbbellTopology::GetTypeId()},
                                       {"abilene", IwarpAbileneTopology::GetTypeId()},
                                       {"user-ring", RingTopology::GetTypeId()},
                                       {"UserRingTopology", RingTopology::GetTypeId()},
                                       {"ns3::UserRingTopology", RingTopology::GetTypeId()}})
    {
        TypeId type;
        NS_TEST_EXPECT_MSG_EQ(iwarp::FindType(name, base, type), "", name);
        NS_TEST_EXPECT_MSG_EQ(type, expected, name);
    }
    TypeId type;
    const std::string problem = iwarp::FindType("ring", base, type);
    NS_TEST_EXPECT_MSG_EQ(problem.find("there is no 'ring'; there are abilene, dumbbell"),
                          0,
                          problem);
    NS_TEST_EXPECT_MSG_NE(problem.find(", user-ring"), std::string::npos, problem);
    // what all topologies have can be set for all of them
    Config::SetDefault("ns3::IwarpTopology::AccessDelay", StringValue("250us"));
    auto ring = ObjectFactory("ns3::UserRingTopology").Create<IwarpTopology>();
    Config::SetDefault("ns3::IwarpTopology::AccessDelay", StringValue("1us"));
    NS_TEST_EXPECT_MSG_EQ(ring->Check(2, false), "", "attributes fit");
    IwarpNetwork network;
    const auto ends = ring->Build(network, 2);
    network.InstallRoutes();
    NS_TEST_EXPECT_MSG_EQ(network.GetPathDelay(ends[0].first, ends[0].second),
                          MicroSeconds(1500),
                          "neighbours");
    NS_TEST_EXPECT_MSG_EQ(network.GetPathDelay(ends[0].first, ends[1].second),
                          MicroSeconds(2500),
                          "one router between them");
    NS_TEST_EXPECT_MSG_EQ(network.GetPath(ends[0].first, ends[1].second).size(), 4, "links");
    Simulator::Destroy();

    Reject({{"Mtu", "1000"}}, "Mtu");
    Reject({{"LinkRate", "0bps"}}, "LinkRate");
    Reject({{"QueueSize", "1000B"}}, "QueueSize");
    Reject({{"Pairs", "STTL-ROME"}}, "Pairs");
    Reject({{"Pairs", "STTL-STTL"}}, "Pairs");
    Reject({{"Pairs", ""}}, "Pairs");
    Reject({{"Nodes", "no-such.csv"}}, "Nodes");
    const std::string links = CreateTempDirFilename("links.csv");
    std::ofstream(links) << "a,b\nSTTL,SNVA\nLOSA,HSTN\n";
    Reject({{"Links", links}, {"Pairs", "STTL-SNVA,STTL-HSTN"}},
           "Topology: no path joins STTL and HSTN");
}

} // namespace
