/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-network.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-topology-abilene.h"
#include "ns3/iwarp-topology-file.h"
#include "ns3/iwarp-topology-function.h"
#include "ns3/iwarp-topology-table.h"
#include "ns3/iwarp-topology.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpTopologyRun, "iwarp-topology-run");

using Settings = std::map<std::string, std::string>; //!< attributes and values

/// A scenario runs on each topology, with the round trip by formula, and says what does not fit.
struct TopologyRunTest : TestCase
{
    using TestCase::TestCase;

    /// @param settings parameters @param error what it says, or "" @return round trip
    double Run(const Settings& settings, const std::string& error = "")
    {
        auto scenario = CreateObject<IwarpScenario>();
        scenario->SetParameter("PlainTcp", "false");
        scenario->SetParameter("Octets", "100000");
        scenario->SetParameter("TimeLimit", "100s");
        std::string problem;
        for (const auto& [name, value] : settings)
        {
            const std::string wrong = scenario->SetParameter(name, value);
            problem = wrong.empty() ? problem : wrong;
        }
        if (problem.empty() && !scenario->Run())
        {
            problem = scenario->GetError();
        }
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, error.empty() ? problem.size() : error.size()),
                              error,
                              settings.at("Topology"));
        for (const auto& metric : scenario->GetMetrics())
        {
            if (metric.name == "round_trip")
            {
                return metric.value;
            }
        }
        return 0;
    }
};

IWARP_TEST(iwarpTopologyRun, "Scenarios on each topology", TopologyRunTest)
{
    const std::string file = CreateTempDirFilename("line.txt");
    std::ofstream(file) << "1 2\n2 3\n";
    for (const char* ipv6 : {"false", "true"})
    {
        for (const auto& [name, expected] :
             std::map<std::string, double>{{"point-to-point", 100e-6},
                                           {"star", 4e-6},
                                           {"parking-lot", 304e-6},
                                           {"leaf-spine", 204e-6},
                                           {"fat-tree", 404e-6},
                                           {"file:" + file, 204e-6}})
        {
            const double taken =
                Run({{"Topology", name}, {"Ipv6", ipv6}, {"Flows", "3"}, {"Loss", "0.01"}});
            NS_TEST_EXPECT_MSG_EQ_TOL(taken, expected, 1e-12, "round trip of " << name);
        }
    }
    const double satellite = Run({{"Topology", "wan"}, {"Distance", "0"}, {"SatelliteHops", "1"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(satellite, 2 * (0.28 + 2e-6), 1e-12, "satellite");
    Run({{"Topology", "fat-tree"}, {"FatTreeK", "5"}}, "FatTreeK: it has to be even");
    Run({{"Topology", "leaf-spine"}, {"Leaves", "1"}, {"HostsPerLeaf", "1"}},
        "Leaves, HostsPerLeaf: ");
    Run({{"Topology", "file:/no/such"}}, "IwarpFileTopology.File: there is no file '/no/such'");
    Run({{"Topology", "files:x"}}, "Topology: there is no 'files:x'");
}

/// A function of the user's builds the network of a scenario: two routers with two links.
IWARP_TEST(iwarpTopologyRun, "A network from a function")
{
    uint32_t calls = 0;
    const auto build = [&calls](IwarpNetwork& network,
                                uint32_t pairs,
                                const IwarpNetwork::Link& link,
                                const IwarpNetwork::Link& access) {
        calls++;
        network.AddRouter();
        network.AddRouter();
        network.AddLink(0, 1, link);
        network.AddLink(0, 1, link);
        IwarpTopology::Ends ends;
        for (uint32_t i = 0; i < pairs; i++)
        {
            const uint32_t sender = network.AddHost(0, access);
            ends.emplace_back(sender, network.AddHost(1, access));
        }
        return ends;
    };
    auto scenario = CreateObject<IwarpScenario>();
    auto topology = CreateObject<IwarpFunctionTopology>(build);
    topology->SetAttribute("Delay", StringValue("10us"));
    scenario->SetTopology(topology);
    scenario->SetParameter("PlainTcp", "false");
    scenario->SetParameter("Octets", "100000");
    scenario->SetParameter("Flows", "3");
    NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
    NS_TEST_EXPECT_MSG_EQ(calls, 1, "one network");
    for (const auto& metric : scenario->GetMetrics())
    {
        if (metric.name == "round_trip")
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(metric.value, 24e-6, 1e-12, "its delays");
        }
    }
}

/// A function of the user's that asks for a link that cannot be is told so.
struct BadLinkTest : TestCase
{
    using TestCase::TestCase;

    /// @param change made to a link @param core it is one between routers @param ipv6 rather than
    /// IPv4 @return what the scenario says
    static std::string Run(const std::function<void(IwarpNetwork::Link&)>& change,
                           bool core,
                           bool ipv6 = false)
    {
        const auto build = [&](IwarpNetwork& network,
                               uint32_t /* pairs */,
                               IwarpNetwork::Link link,
                               IwarpNetwork::Link access) {
            change(core ? link : access);
            network.AddRouter();
            network.AddRouter();
            network.AddLink(0, 1, link);
            const uint32_t sender = network.AddHost(0, access);
            return IwarpTopology::Ends{{sender, network.AddHost(1, access)}};
        };
        auto scenario = CreateObject<IwarpScenario>();
        scenario->SetTopology(CreateObject<IwarpFunctionTopology>(build));
        scenario->SetParameter("PlainTcp", "false");
        scenario->SetParameter("Octets", "10000");
        scenario->SetParameter("Ipv6", ipv6 ? "true" : "false");
        return scenario->Run() ? "" : scenario->GetError();
    }
};

IWARP_TEST(iwarpTopologyRun, "Links that cannot be", BadLinkTest)
{
    using Link = IwarpNetwork::Link;
    for (const bool core : {true, false})
    {
        const std::string begin = core ? "Topology: link 0: its " : "Topology: link 1: its ";
        const auto expect = [&](const std::function<void(Link&)>& change,
                                const std::string& says,
                                bool ipv6 = false) {
            NS_TEST_EXPECT_MSG_EQ(Run(change, core, ipv6), begin + says, "which link and why");
        };
        const std::string delay = "delay has to be 0 s to 1000000 s, not ";
        expect([](Link& link) { link.delay = MilliSeconds(-1); }, delay + "-0.001000 s");
        expect([](Link& link) { link.delay = Time::Max(); }, delay + "9223372036.854776 s");
        expect([](Link& link) { link.rate = DataRate(0); }, "rate has to be more than 0");
        expect([](Link& link) { link.mtu = 65536; }, "MTU has to be 68 to 65535 octets, not 65536");
        expect([](Link& link) { link.mtu = 1279; },
               "MTU has to be 1280 to 65535 octets, not 1279",
               true);
        expect([](Link& link) { link.queue = QueueSize("0p"); }, "queue has to hold a packet");
        NS_TEST_EXPECT_MSG_EQ(Run([](Link&) {}, core), "", "as they are they can be");
    }
}

/// A table of the user's, with a link and a host of its own kind.
class OddTableTopology : public IwarpTableTopology
{
  public:
    std::string MakeTable(iwarp::TopologyTable& table, uint32_t /* pairs */) const override
    {
        table.AddRouters(2, "router ");
        table.links.push_back(link);
        table.AddPair(0, 1);
        table.hosts[1] = host;
        table.pairs[0].second = last;
        return "";
    }

    iwarp::TopologyTable::Link link{0, 1, Time(0)}; //!< the only link
    uint32_t host{1};                               //!< router of the second host
    uint32_t last{1};                               //!< host that receives
};

/// A table of the user's that names what is not there is told so.
IWARP_TEST(iwarpTopologyRun, "Tables that cannot be")
{
    const auto expect = [this](const std::function<void(OddTableTopology&)>& change,
                               const std::string& says) {
        const auto topology = CreateObject<OddTableTopology>();
        change(*topology);
        NS_TEST_EXPECT_MSG_EQ(topology->Check(1, false), says, "what is wrong");
    };
    expect([](OddTableTopology&) {}, "");
    expect([](OddTableTopology& topology) { topology.link.delay = Seconds(-1); },
           "Topology: the link of router 0 and router 1: its delay has to be 0 s to 1000000 s, "
           "not -1.000000 s");
    expect([](OddTableTopology& topology) { topology.link.b = 2; },
           "Topology: a link does not join two of the 2 routers, but 0 and 2");
    expect([](OddTableTopology& topology) { topology.link.b = 0; },
           "Topology: a link does not join two of the 2 routers, but 0 and 0");
    expect([](OddTableTopology& topology) { topology.host = 2; },
           "Topology: a host is at router 2 of 2");
    expect([](OddTableTopology& topology) { topology.last = 0; },
           "Topology: the pair 0-0 is not two of the 2 hosts");
}

/// A map whose places cannot be on Earth, or not told apart, is refused by file and line.
IWARP_TEST(iwarpTopologyRun, "Maps that cannot be")
{
    const std::string prefix = CreateTempDirFilename("map");
    const std::string range = "latitudes are -90 to 90 degrees, longitudes -180 to 180, not '";
    std::ofstream(prefix + "-links.csv") << "a,b\nA,B\n";
    for (const auto& [rows, says] : std::map<std::string, std::string>{
             {"A,a,90,-180\nB,b,-90,180\n", ""},
             {"A,a,1,1\nB,b,nan,2\n", range + "nan' and '2'"},
             {"A,a,1,1\nB,b,1,inf\n", range + "1' and 'inf'"},
             {"A,a,1,1\nB,b,900,2\n", range + "900' and '2'"},
             {"A,a,1,1\nB,b,2,-181\n", range + "2' and '-181'"},
             {"A,a,1,1\nA,b,2,2\nB,c,3,3\n", "there is another 'A'; each has a name of its own"}})
    {
        std::ofstream(prefix + "-nodes.csv") << "node,city,latitude,longitude\n" << rows;
        auto scenario = CreateObject<IwarpScenario>();
        scenario->SetParameter("Topology", "file:" + prefix);
        const std::string where = "IwarpFileTopology.File: " + prefix + "-nodes.csv, line 3: ";
        NS_TEST_EXPECT_MSG_EQ(scenario->Check(), (says.empty() ? "" : where + says), rows);
    }
}

/**
 * Columns of a file of links are what links have of their own: the rates and queues of devices, and
 * the delays of paths, are those of the file, and where a cell is empty those of the attributes.
 */
IWARP_TEST(iwarpTopologyRun, "Links with settings of their own")
{
    const std::string prefix = CreateTempDirFilename("own");
    std::ofstream(prefix + "-nodes.csv") << "node,city,latitude,longitude\n"
                                         << "A,a,0,0\nB,b,0,0\nC,c,0,90\n";
    std::ofstream(prefix + "-links.csv") << "a,b,delay,rate,buffer,queue\n"
                                         << "A,B,7us,100Gbps,50p,codel\nB,C,,,,\n";
    auto topology = CreateObject<IwarpFileTopology>();
    topology->SetAttribute("File", StringValue(prefix));
    topology->SetAttribute("Pairs", StringValue("A-C"));
    topology->SetAttribute("LinkRate", StringValue("2Gbps"));
    topology->SetAttribute("QueueSize", StringValue("90p"));
    NS_TEST_ASSERT_MSG_EQ(topology->Check(1, false), "", "good");
    NS_TEST_EXPECT_MSG_EQ(topology->GetBottleneckRate(), DataRate("2Gbps"), "of the second link");
    auto backbone = CreateObject<IwarpAbileneTopology>();
    backbone->SetAttribute("Nodes", StringValue(prefix + "-nodes.csv"));
    backbone->SetAttribute("Links", StringValue(prefix + "-links.csv"));
    backbone->SetAttribute("Pairs", StringValue("A-C"));
    backbone->SetAttribute("LinkRate", StringValue("200Gbps"));
    backbone->SetAttribute("AccessRate", StringValue("400Gbps"));
    NS_TEST_EXPECT_MSG_EQ(backbone->GetBottleneckRate(), DataRate("100Gbps"), "of the first link");
    IwarpNetwork network;
    topology->Build(network, 1);
    const auto& own = network.GetLink(0);
    const auto& usual = network.GetLink(1);
    NS_TEST_EXPECT_MSG_EQ(own.rate, DataRate("100Gbps"), "rate");
    NS_TEST_EXPECT_MSG_EQ(own.delay, MicroSeconds(7), "delay");
    NS_TEST_EXPECT_MSG_EQ(own.queue, QueueSize("50p"), "buffer");
    NS_TEST_EXPECT_MSG_EQ(own.queueDisc.GetTypeId().GetName(), "ns3::CoDelQueueDisc", "queue");
    NS_TEST_EXPECT_MSG_EQ(usual.rate, DataRate("2Gbps"), "LinkRate");
    // a quarter of the equator, at two thirds of the speed of light
    const double quarter = M_PI / 2 * 6371008.8 / (299792458.0 * 2 / 3);
    NS_TEST_EXPECT_MSG_EQ_TOL(usual.delay.GetSeconds(), quarter, 1e-9, "distance");
    NS_TEST_EXPECT_MSG_EQ(usual.queue, QueueSize("90p"), "QueueSize");
    NS_TEST_EXPECT_MSG_EQ(usual.queueDisc.IsTypeIdSet(), false, "QueueDisc");
    Simulator::Destroy();

    const std::string file = prefix + "-links.csv, line ";
    for (const auto& [text, says] : std::map<std::string, std::string>{
             {"a,b,speed\nA,B,1\n", "File: " + file + "1: there is no column 'speed'"},
             {"a,b,rate,rate\nA,B,1Gbps,1Gbps\n", "File: " + file + "1: column 'rate' is there"},
             {"a\nA\n", "File: " + file + "1: the first two columns"},
             {"a,b,rate\nA,B\n", "File: " + file + "2: not 3 columns"},
             {"a,b,rate\nA,B,\nA,C,fast\n", "File: " + file + "3: rate: "},
             {"a,b,delay\nA,B,-1us\n", "File: " + file + "2: delay: "},
             {"a,b,queue\nA,B,sfq\n", "File: " + file + "2: queue: "},
             {"a,b,buffer\nA,B,many\n", "File: " + file + "2: buffer: "},
             {"a,b,rate\nA,B,0bps\nB,C,\n",
              "Topology: " + file + "2: rate: it has to be more than 0"},
             {"a,b,buffer\nA,B,100B\nB,C,\n",
              "Topology: " + file + "2: QueueSize: it has to hold a packet"}})
    {
        std::ofstream(prefix + "-links.csv") << text;
        NS_TEST_EXPECT_MSG_EQ(topology->Check(1, false).substr(0, says.size()), says, text);
    }
}

/**
 * IP's time to live lets a datagram of 64 cross 63 routers (RFC 791 section 3.2, RFC 8200 section
 * 3), and a scenario that needs more says so before it runs.
 */
struct LongPathTest : TestCase
{
    using TestCase::TestCase;

    /// @param routers in a row @param settings besides @return what is wrong, or ""
    std::string Run(uint32_t routers, const Settings& settings)
    {
        const std::string file = CreateTempDirFilename("row.txt");
        std::ofstream out(file);
        for (uint32_t i = 1; i < routers; i++)
        {
            out << i << ' ' << i + 1 << '\n';
        }
        out.close();
        auto scenario = CreateObject<IwarpScenario>();
        Settings all{{"Topology", "file:" + file},
                     {"IwarpFileTopology.Pairs", "1-" + std::to_string(routers)},
                     {"Octets", "1000"},
                     {"TimeLimit", "20s"},
                     {"PlainTcp", "false"}};
        all.insert(settings.begin(), settings.end());
        for (const auto& [name, value] : all)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        return scenario->Run() ? "" : scenario->GetError();
    }
};

IWARP_TEST(iwarpTopologyRun, "More routers in a row than a packet may cross", LongPathTest)
{
    for (const std::string ip : {"Ipv4", "Ipv6"})
    {
        const std::string ipv6 = ip == "Ipv6" ? "true" : "false";
        const std::string begin = "Topology, " + ip +
                                  "L3Protocol.DefaultTtl: packets between "
                                  "hosts 0 and 1 cross ";
        NS_TEST_EXPECT_MSG_EQ(Run(63, {{"Ipv6", ipv6}}), "", "as many as may");
        NS_TEST_EXPECT_MSG_EQ(Run(64, {{"Ipv6", ipv6}}).rfind(begin + "64 routers", 0),
                              0,
                              "one more");
        NS_TEST_EXPECT_MSG_EQ(Run(200, {{"Ipv6", ipv6}}).rfind(begin + "200 routers", 0),
                              0,
                              "many more");
        NS_TEST_EXPECT_MSG_EQ(Run(64, {{"Ipv6", ipv6}, {ip + "L3Protocol.DefaultTtl", "65"}}),
                              "",
                              "which live longer");
    }
}

} // namespace
