/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/iwarp-network.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-topology-function.h"
#include "ns3/iwarp-topology.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

using namespace ns3;

namespace
{

using Settings = std::map<std::string, std::string>; //!< attributes and values

/**
 * @ingroup iwarp-test
 * A scenario runs on each topology, with the round trip by formula, and says what does not fit.
 */
class TopologyRunTest : public TestCase
{
  public:
    TopologyRunTest()
        : TestCase("Scenarios on each topology")
    {
    }

  private:
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

    void DoRun() override
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
        const double satellite =
            Run({{"Topology", "wan"}, {"Distance", "0"}, {"SatelliteHops", "1"}});
        NS_TEST_EXPECT_MSG_EQ_TOL(satellite, 2 * (0.28 + 2e-6), 1e-12, "satellite");
        Run({{"Topology", "fat-tree"}, {"FatTreeK", "5"}}, "FatTreeK: it has to be even");
        Run({{"Topology", "leaf-spine"}, {"Leaves", "1"}, {"HostsPerLeaf", "1"}},
            "Leaves, HostsPerLeaf: ");
        Run({{"Topology", "file:/no/such"}}, "IwarpFileTopology.File: there is no file '/no/such'");
        Run({{"Topology", "files:x"}}, "Topology: there is no 'files:x'");
    }
};

/**
 * @ingroup iwarp-test
 * A function of the user's builds the network of a scenario: two routers with two links.
 */
class FunctionTest : public TestCase
{
  public:
    FunctionTest()
        : TestCase("A network from a function")
    {
    }

  private:
    void DoRun() override
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
};

/// The suite
class TopologyRunTestSuite : public TestSuite
{
  public:
    TopologyRunTestSuite()
        : TestSuite("iwarp-topology-run", TestSuite::Type::UNIT)
    {
        AddTestCase(new TopologyRunTest, IWARP_TEST_QUICK);
        AddTestCase(new FunctionTest, IWARP_TEST_QUICK);
    }
};

TopologyRunTestSuite g_topologyRunTestSuite; //!< registers the suite

} // namespace
