/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"

#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/object-factory.h"
#include "ns3/path-direction.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpTopology, "iwarp-topology");

using Settings = std::map<std::string, std::string>; //!< attributes and values

/// Make a topology by name. @param name as the scenario takes it @param settings its attributes
/// @return it, or nullptr if there is none of that name
Ptr<IwarpTopology>
MakeTopology(const std::string& name, const Settings& settings)
{
    TypeId type;
    if (!iwarp::FindType(name, IwarpTopology::GetTypeId(), type).empty())
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(type);
    for (const auto& [attribute, value] : settings)
    {
        factory.Set(attribute, StringValue(value));
    }
    return factory.Create<IwarpTopology>();
}

/// What a topology has to be
struct Shape
{
    std::string name;  //!< topology
    Settings settings; //!< its attributes
    uint32_t pairs;    //!< asked for
    uint32_t routers;  //!< of the network
    uint32_t between;  //!< links between routers
    uint32_t hosts;    //!< hosts
    Time delay;        //!< of the path of the first pair
    uint32_t crossed;  //!< links of LinkRate that each packet of it crosses
    uint32_t listed;   //!< links of all its paths
};

/// @return shapes by the formulas of what they are named after
std::vector<Shape>
GetShapes()
{
    const Time us = MicroSeconds(1);
    const Settings links{{"Delay", "10us"}, {"AccessDelay", "1us"}};
    std::vector<Shape> shapes{
        {"point-to-point", links, 1, 0, 0, 2, 10 * us, 1, 1},
        {"point-to-point", links, 5, 0, 0, 10, 10 * us, 1, 1},
        {"dumbbell", links, 3, 2, 1, 6, 12 * us, 1, 3},
        {"star", links, 4, 1, 0, 8, 2 * us, 0, 2},
        // 12000 km at two thirds of 299792.458 km/s, and 280 ms each
        {"wan",
         {{"Distance", "12000"}, {"AccessDelay", "0us"}},
         2,
         2,
         1,
         4,
         NanoSeconds(60041537),
         1,
         3},
        {"wan",
         {{"Distance", "0"}, {"SatelliteHops", "1"}, {"AccessDelay", "0us"}},
         1,
         2,
         1,
         2,
         MilliSeconds(280),
         1,
         3},
    };
    for (const uint32_t k : {1, 2, 5})
    {
        Settings settings = links;
        settings["Bottlenecks"] = std::to_string(k);
        shapes.push_back(
            {"parking-lot", settings, k + 1, k + 1, k, 2 * (k + 1), (10 * k + 2) * us, k, k + 2});
    }
    for (const uint32_t leaves : {2, 4, 7})
    {
        const uint32_t spines = leaves + 1;
        Settings settings = links;
        settings["Leaves"] = std::to_string(leaves);
        settings["Spines"] = std::to_string(spines);
        settings["HostsPerLeaf"] = "6";
        shapes.push_back({"leaf-spine",
                          settings,
                          2,
                          leaves + spines,
                          leaves * spines,
                          6 * leaves,
                          22 * us,
                          2,
                          2 + 2 * spines});
    }
    for (const uint32_t k : {2, 4, 6, 8})
    {
        // Al-Fares et al., SIGCOMM 2008, section 3: k^3/4 hosts, 5k^2/4 switches; each layer has as
        // many links as there are hosts. From the first pod to the one half of all hosts away there
        // are k/2 ways up to the aggregation, k^2/4 to the cores, and as many down
        Settings settings = links;
        settings["K"] = std::to_string(k);
        shapes.push_back({"fat-tree",
                          settings,
                          k * k * k / 8,
                          5 * k * k / 4,
                          k * k * k / 2,
                          k * k * k / 4,
                          42 * us,
                          4,
                          2 + 2 * (k / 2 + k * k / 4)});
    }
    return shapes;
}

/**
 * @ingroup iwarp-test
 * Routers, links, hosts, and the path of a pair by formula; a datagram takes the sum of propagation
 * and transmission times.
 */
class ShapeTest : public TestCase
{
  public:
    explicit ShapeTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Counts, delays and hops by formula, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        for (const Shape& shape : GetShapes())
        {
            const auto topology = MakeTopology(shape.name, shape.settings);
            NS_TEST_ASSERT_MSG_NE(topology, nullptr, "there is a topology " << shape.name);
            NS_TEST_EXPECT_MSG_EQ(topology->Check(shape.pairs, m_ipv6), "", shape.name);
            Compare(shape, *topology);
        }
    }

    /// @param shape what is expected @param topology it
    void Compare(const Shape& shape, const IwarpTopology& topology)
    {
        IwarpNetwork network(m_ipv6);
        const auto ends = topology.Build(network, shape.pairs);
        network.InstallRoutes();
        const std::string name = shape.name + " of " + std::to_string(shape.hosts) + " hosts";
        NS_TEST_EXPECT_MSG_EQ(ends.size(), shape.pairs, "pairs of " << name);
        NS_TEST_EXPECT_MSG_EQ(network.GetNRouters(), shape.routers, "routers of " << name);
        NS_TEST_EXPECT_MSG_EQ(network.GetNHosts(), shape.hosts, "hosts of " << name);
        const uint32_t ofHosts = shape.routers > 0 ? shape.hosts : shape.hosts / 2;
        NS_TEST_EXPECT_MSG_EQ(network.GetNLinks(), shape.between + ofHosts, "links of " << name);
        std::set<std::pair<uint32_t, uint32_t>> different(ends.begin(), ends.end());
        NS_TEST_EXPECT_MSG_EQ(different.size(), shape.pairs, "different pairs of " << name);
        const auto& [from, to] = ends[0];
        NS_TEST_EXPECT_MSG_EQ(network.GetPathDelay(from, to), shape.delay, "delay of " << name);
        NS_TEST_EXPECT_MSG_EQ(network.GetPath(from, to).size(), shape.listed, "path of " << name);
        // octets on each link: payload, UDP, IP; Ethernet's preamble, header and FCS. Links of
        // LinkRate have 10 Gbit/s, those of AccessRate 40 Gbit/s
        const double size = 8 * (1000 + 8 + (m_ipv6 ? 40 : 20) + 8 + 14 + 4);
        const double access = shape.routers > 0 ? 2 : 0;
        Datagrams datagrams(network, from, to);
        Datagrams back(network, to, from);
        datagrams.Send(Seconds(1), 0);
        back.Send(Seconds(2), 0);
        Simulator::Run();
        for (const auto& [arrivals, sent] :
             {std::make_pair(datagrams.m_arrivals, 1), std::make_pair(back.m_arrivals, 2)})
        {
            NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 1, "a datagram across " << name);
            NS_TEST_EXPECT_MSG_EQ_TOL((arrivals[0].at - Seconds(sent)).GetSeconds(),
                                      shape.delay.GetSeconds() + access * size / 40e9 +
                                          shape.crossed * size / 10e9,
                                      1e-8,
                                      "time across " << name);
        }
        Simulator::Destroy();
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

IWARP_TEST_CASES(iwarpTopology)
{
    suite.AddTestCase(new ShapeTest(false));
    suite.AddTestCase(new ShapeTest(true));
}

/**
 * Paths within an edge, a pod and the whole of a fat tree, and within a leaf and across; no two
 * pairs of a fabric share a host while there are enough.
 */
struct FabricTest : TestCase
{
    using TestCase::TestCase;

    /// Build a fabric. @param name topology @param settings attributes @param pairs of hosts
    /// @param far delays of the path from host 0 to others, in microseconds
    void Compare(const std::string& name,
                 const Settings& settings,
                 uint32_t pairs,
                 const std::map<uint32_t, int>& far)
    {
        const auto topology = MakeTopology(name, settings);
        NS_TEST_ASSERT_MSG_NE(topology, nullptr, "there is a topology " << name);
        IwarpNetwork network;
        std::set<uint32_t> hosts;
        for (const auto& [from, to] : topology->Build(network, pairs))
        {
            hosts.insert(from);
            hosts.insert(to);
        }
        NS_TEST_EXPECT_MSG_EQ(hosts.size(), 2 * pairs, "hosts of their own, " << name);
        network.InstallRoutes();
        for (const auto& [host, delay] : far)
        {
            NS_TEST_EXPECT_MSG_EQ(network.GetPathDelay(0, host),
                                  MicroSeconds(delay),
                                  name << ", host " << host);
        }
        Simulator::Destroy();
    }
};

IWARP_TEST(iwarpTopology, "Near and far hosts of fabrics", FabricTest)
{
    const Settings links{{"Delay", "10us"}, {"AccessDelay", "1us"}};
    // k = 4: two hosts at an edge switch, four in a pod
    Compare("fat-tree", links, 8, {{1, 2}, {2, 22}, {3, 22}, {4, 42}, {15, 42}});
    // four leaves of 16
    Compare("leaf-spine", links, 32, {{1, 2}, {15, 2}, {16, 22}, {63, 22}});
}

/**
 * Files in the forms of ns3's topology readers, with links listed once and twice, and what is wrong
 * with others.
 */
struct FileTest : TestCase
{
    using TestCase::TestCase;

    /// @param text of a file @return its name
    std::string Write(const std::string& text)
    {
        const std::string name = CreateTempDirFilename("map-" + std::to_string(m_files++) + ".txt");
        std::ofstream(name) << text;
        return name;
    }

    /// @param text of a file @param routers that it has @param links between them
    /// @param pairs names or "" @param delay of the path of the first pair, links
    void Accept(const std::string& text,
                uint32_t routers,
                uint32_t links,
                const std::string& pairs,
                int delay)
    {
        const auto topology =
            MakeTopology("file", {{"File", Write(text)}, {"Pairs", pairs}, {"AccessDelay", "0us"}});
        NS_TEST_ASSERT_MSG_NE(topology, nullptr, "there is a topology file");
        NS_TEST_ASSERT_MSG_EQ(topology->Check(2, false), "", text);
        IwarpNetwork network;
        const auto ends = topology->Build(network, 2);
        network.InstallRoutes();
        NS_TEST_EXPECT_MSG_EQ(network.GetNRouters(), routers, "routers of " << text);
        NS_TEST_EXPECT_MSG_EQ(network.GetNLinks(), links + 4, "links of " << text);
        NS_TEST_EXPECT_MSG_EQ(network.GetPathDelay(ends[0].first, ends[0].second),
                              delay * MicroSeconds(50),
                              "path of " << text);
        Simulator::Destroy();
    }

    /// @param text of a file @param words of the complaint @param pairs names or ""
    void Reject(const std::string& text, const std::string& words, const std::string& pairs = "")
    {
        const auto topology = MakeTopology("file", {{"File", Write(text)}, {"Pairs", pairs}});
        NS_TEST_ASSERT_MSG_NE(topology, nullptr, "there is a topology file");
        const std::string problem = topology->Check(4, false);
        NS_TEST_EXPECT_MSG_NE(problem.find(words), std::string::npos, problem << " of " << text);
        NS_TEST_EXPECT_MSG_EQ(problem.find('\n'), std::string::npos, problem);
    }

    int m_files{0}; //!< written so far
};

IWARP_TEST(iwarpTopology, "Networks from files", FileTest)
{
    // Inet: a ring of four, with a link that crosses it
    Accept("4 5\n0\t10\t20\n1\t30\t40\n2\t5\t6\n3\t7\t8\n"
           "0\t1\t100\n1\t2\t10\n2\t3\t10\n3\t0\t10\n0\t2\t9\n",
           4,
           5,
           "",
           1);
    Accept("4 3\n0 1 2\n1 3 4\n2 5 6\n3 7 8\n0 1 1\n1 2 1\n2 3 1\n", 4, 3, "0-3,1-2", 3);
    // Orbis: links alone, one of them twice
    Accept("956 1413\n366 1413\n366 7\n7 366\n", 4, 3, "956-7", 3);
    // Rocketfuel's weights, each link in both directions
    Accept("San+Jose,+CA4062 Anaheim,+CA4101 2.5\nAnaheim,+CA4101 San+Jose,+CA4062 2.5\n"
           "Anaheim,+CA4101 Relay,+MD4110 8\nRelay,+MD4110 Anaheim,+CA4101 8\n",
           3,
           2,
           "",
           1);
    // Rocketfuel's maps: an address outside and a router of radius 1 do not count
    Accept("112 @Mumbai-VSB,+IN + bb\t(14) &5 -> <468> <471>  =203.197.33.209 r0\n"
           "468 @Mumbai-LVSB,+IN + bb\t(1) &11 -> <112>  {-3} =lvsb.bbone.vsnl.net.in! r0\n"
           "471 @Mumbai-VSB,+IN + bb\t(6) &7 -> <112>  =vsb-lvsb-e3.bbone.vsnl.net.in r0\n"
           "900 @T\t(1) -> <471>  =far.away r1\n"
           "-3 =10.0.0.1 r1\n",
           3,
           2,
           "468-471",
           2);
    Reject("", "File: ");
    Reject("1 2\n3 x\n", "line 2");
    Reject("a b 1\nc\n", "line 2");
    Reject("1 1\n", "line 1");
    Reject("4 3\n0 1 2\n1 3 4\n2 5\n3 7 8\n0 1 1\n", "line 4");
    Reject("12 @Here -> <>  =x r0\n", "line 1");
    Reject("1 2\n3 4\n", "Topology: no path joins 1 and 3");
    Reject("1 2\n2 3\n", "Pairs: '1-9' are not two places; there are 1, 2, 3", "1-9");
    std::string line;
    for (int i = 0; i < 5000; i++)
    {
        line += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
    }
    Reject(line, "Topology: 5001 routers are more than the 4096");
    const auto missing = MakeTopology("file", {{"File", "/no/such"}});
    NS_TEST_EXPECT_MSG_EQ(missing->Check(1, false).find("File: there is no file '/no/such'"),
                          0,
                          missing->Check(1, false));
}

} // namespace
