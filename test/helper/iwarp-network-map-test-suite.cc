/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-network-map.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/node-list.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpNetworkMap, "iwarp-network-map");

using Settings = std::map<std::string, std::string>; //!< parameters and values

/// @param settings parameters @param [out] map of the network @return "", or what is wrong
std::string
FindMap(const Settings& settings, IwarpNetworkMap& map)
{
    auto scenario = CreateObject<IwarpScenario>();
    for (const auto& [name, value] : settings)
    {
        const std::string wrong = scenario->SetParameter(name, value);
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    return scenario->FindMap(map);
}

/// What a map has to have
struct MapShape
{
    Settings settings;    //!< of the scenario
    uint32_t routers;     //!< of its network
    uint32_t hosts;       //!< likewise
    uint32_t links;       //!< those of hosts included
    uint32_t used;        //!< links of all shortest paths between hosts that send and receive
    uint32_t bottlenecks; //!< links with the least for each path
    uint32_t sending;     //!< hosts
    uint32_t receiving;   //!< hosts
};

/// Routers, hosts and links by the formulas of what the topologies are named after.
struct MapShapeTest : TestCase
{
    using TestCase::TestCase;

    /// @param all nodes or links @param mark what some of them are @return how many are
    template <typename T>
    static uint32_t Count(const std::vector<T>& all, bool T::*mark)
    {
        return static_cast<uint32_t>(
            std::count_if(all.begin(), all.end(), [mark](const T& one) { return one.*mark; }));
    }
};

IWARP_TEST(iwarpNetworkMap, "Nodes and links of each topology by formula", MapShapeTest)
{
    const std::vector<MapShape> shapes{
        {{{"Topology", "point-to-point"}, {"Flows", "3"}}, 0, 6, 3, 3, 3, 3, 3},
        {{{"Topology", "dumbbell"}, {"Flows", "4"}}, 2, 8, 9, 9, 1, 4, 4},
        {{{"Topology", "dumbbell"}, {"Flows", "4"}, {"HostPairs", "1"}}, 2, 2, 3, 3, 1, 1, 1},
        {{{"Topology", "wan"}, {"Flows", "2"}}, 2, 4, 5, 5, 1, 2, 2},
        // all but one send to it, over its link
        {{{"Topology", "star"}, {"Pattern", "incast"}, {"HostPairs", "3"}}, 1, 6, 6, 6, 1, 5, 1},
        // the first pair crosses n links, each of the others one, and each shares it with one
        {{{"Topology", "parking-lot"}, {"Flows", "4"}, {"Bottlenecks", "3"}},
         4,
         8,
         11,
         11,
         3,
         4,
         4},
        // l s links between switches, of which one pair may take 2 s and its hosts' two
        {{{"Topology", "leaf-spine"},
          {"Flows", "1"},
          {"Leaves", "4"},
          {"Spines", "3"},
          {"HostsPerLeaf", "5"}},
         7,
         20,
         32,
         8,
         1,
         1,
         1},
        // 5 k^2 / 4 switches, k^3 / 4 hosts, 3 k^3 / 4 links; of one pair's paths over k pods
        // 2 + k + k^2 / 2
        {{{"Topology", "fat-tree"}, {"Flows", "1"}, {"FatTreeK", "4"}}, 20, 16, 48, 14, 1, 1, 1},
        // 11 cities with 14 links, and two for each pair of hosts; three pairs meet between
        // Kansas City and Indianapolis, two between Atlanta and Washington
        {{{"Topology", "abilene"}, {"Flows", "4"}}, 11, 8, 22, 19, 2, 4, 4},
    };
    for (const auto& shape : shapes)
    {
        IwarpNetworkMap map;
        const std::string& name = shape.settings.at("Topology");
        NS_TEST_ASSERT_MSG_EQ(FindMap(shape.settings, map), "", name);
        const auto routers = std::count_if(map.nodes.begin(), map.nodes.end(), [](auto& node) {
            return node.router;
        });
        NS_TEST_EXPECT_MSG_EQ(routers, shape.routers, name);
        NS_TEST_EXPECT_MSG_EQ(map.nodes.size() - routers, shape.hosts, name);
        NS_TEST_EXPECT_MSG_EQ(map.links.size(), shape.links, name);
        NS_TEST_EXPECT_MSG_EQ(Count(map.links, &IwarpNetworkMap::Link::used),
                              shape.used,
                              "links in use, " << name);
        NS_TEST_EXPECT_MSG_EQ(Count(map.links, &IwarpNetworkMap::Link::bottleneck),
                              shape.bottlenecks,
                              "bottlenecks, " << name);
        NS_TEST_EXPECT_MSG_EQ(Count(map.nodes, &IwarpNetworkMap::Node::sends), shape.sending, name);
        NS_TEST_EXPECT_MSG_EQ(Count(map.nodes, &IwarpNetworkMap::Node::receives),
                              shape.receiving,
                              name);
        NS_TEST_EXPECT_MSG_EQ(NodeList::GetNNodes(), 0, "nothing is left of the network");
    }
}

/// What nodes and links are: names and places from a file, ends, rates, delays.
IWARP_TEST(iwarpNetworkMap, "Names, places, ends, rates, delays; what is wrong")
{
    IwarpNetworkMap map;
    NS_TEST_EXPECT_MSG_EQ(FindMap({{"Topology", "abilene"}}, map), "", "Abilene");
    const auto seattle = std::find_if(map.nodes.begin(), map.nodes.end(), [](auto& node) {
        return node.name == "STTL";
    });
    NS_TEST_ASSERT_MSG_EQ((seattle != map.nodes.end()), true, "by its name in the file");
    NS_TEST_EXPECT_MSG_EQ(seattle->placed, true, "the file says where");
    NS_TEST_EXPECT_MSG_EQ_TOL(seattle->latitude, 47.61, 1e-9, "degrees north");
    NS_TEST_EXPECT_MSG_EQ_TOL(seattle->longitude, -122.33, 1e-9, "degrees east");
    NS_TEST_EXPECT_MSG_EQ(map.nodes.back().placed, false, "a host is anywhere");

    IwarpNetworkMap two;
    const Settings line{{"Topology", "dumbbell"},
                        {"LinkRate", "1Gbps"},
                        {"Delay", "3ms"},
                        {"AccessDelay", "2us"},
                        {"AccessRate", "40Gbps"}};
    NS_TEST_EXPECT_MSG_EQ(FindMap(line, two), "", "dumbbell");
    NS_TEST_ASSERT_MSG_EQ(two.links.size(), 3, "a pair");
    // the link between the routers comes first; the hosts' have their routers at end A
    const std::vector<std::vector<double>> expected{{0, 1, 1e9, 3e-3, 1},
                                                    {0, 2, 40e9, 2e-6, 0},
                                                    {1, 3, 40e9, 2e-6, 0}};
    for (std::size_t i = 0; i < expected.size(); i++)
    {
        const auto& link = two.links[i];
        NS_TEST_EXPECT_MSG_EQ(link.a, expected[i][0], "end A of link " << i);
        NS_TEST_EXPECT_MSG_EQ(link.b, expected[i][1], "end B of link " << i);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.rate, expected[i][2], 1e-3, "rate of link " << i);
        NS_TEST_EXPECT_MSG_EQ_TOL(link.delay, expected[i][3], 1e-12, "delay of link " << i);
        NS_TEST_EXPECT_MSG_EQ(link.bottleneck, (expected[i][4] == 1), "link " << i);
    }

    IwarpNetworkMap none;
    NS_TEST_EXPECT_MSG_EQ(FindMap({{"Topology", "file:/no/such"}}, none),
                          "IwarpFileTopology.File: there is no file '/no/such', and no "
                          "'/no/such-nodes.csv'",
                          "as a run says it");
    NS_TEST_EXPECT_MSG_EQ(none.nodes.empty(), true, "no map");
}

} // namespace
