/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/data-rate.h"
#include "ns3/iwarp-link-loads.h"
#include "ns3/iwarp-link-shares.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-slowdown.h"
#include "ns3/nstime.h"
#include "ns3/path-direction.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// What part of each link traffic takes.
IWARP_TEST_SUITE(iwarpLinkLoads, "iwarp-link-loads");

using Kind = iwarp::LinkLoads::Kind;

/// @param rate of a link @return it
IwarpNetwork::Link
MakeLink(const char* rate)
{
    IwarpNetwork::Link link;
    link.rate = DataRate(rate);
    link.delay = MicroSeconds(1);
    return link;
}

/**
 * Two leaves with two spines, one of which is reached by two links in a row: traffic across divides
 * at each router by the number of next hops, and that inside a leaf crosses no link between
 * routers.
 */
IWARP_TEST(iwarpLinkLoads, "equal paths share, by hand")
{
    IwarpNetwork network;
    const uint32_t left = network.AddRouter();
    const uint32_t right = network.AddRouter();
    const uint32_t spines[] = {network.AddRouter(), network.AddRouter(), network.AddRouter()};
    std::vector<uint32_t> up;
    std::vector<uint32_t> down;
    for (const uint32_t spine : spines)
    {
        up.push_back(network.AddLink(left, spine, MakeLink("20Gbps")));
        down.push_back(network.AddLink(spine, right, MakeLink("20Gbps")));
    }
    down.push_back(network.AddLink(spines[2], right, MakeLink("10Gbps"))); // beside the other one
    const uint32_t hosts[] = {network.AddHost(left, MakeLink("10Gbps")),
                              network.AddHost(left, MakeLink("40Gbps")),
                              network.AddHost(right, MakeLink("10Gbps"))};
    network.InstallRoutes();
    iwarp::LinkLoads loads(network);
    NS_TEST_EXPECT_MSG_EQ(loads.FindBusiest(Kind::CORE).load, 0, "nothing yet");
    loads.Add(hosts[0], hosts[2], 6e9);
    loads.Add(hosts[1], hosts[0], 8e9);
    const auto forth = PathDirection::A_TO_B;
    const auto back = PathDirection::B_TO_A;
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(up[0], forth), 0.1, 1e-12, "a third of 6 of 20");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(down[1], forth), 0.1, 1e-12, "goes on");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(down[2], forth), 0.05, 1e-12, "half of that");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(down[3], forth), 0.1, 1e-12, "the other half of 10");
    NS_TEST_EXPECT_MSG_EQ(loads.GetLoad(up[0], back), 0, "one way");
    const uint32_t link = network.GetHostLink(hosts[0]); // end A is the router
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(link, back), 0.6, 1e-12, "sends 6 of 10");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.GetLoad(link, forth), 0.8, 1e-12, "receives 8 of 10");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.FindBusiest(Kind::EDGE).load, 0.8, 1e-12, "of hosts");
    NS_TEST_EXPECT_MSG_EQ(loads.FindBusiest(Kind::EDGE).link, link, "that one");
    NS_TEST_EXPECT_MSG_EQ_TOL(loads.FindBusiest(Kind::CORE).load, 0.1, 1e-12, "of routers");
    Simulator::Destroy();
}

/**
 * What paths of the same two routers have in common is looked up once, and says of each pair of
 * hosts what its own path does: time alone, links that all packets cross, and those of the core.
 */
IWARP_TEST(iwarpLinkLoads, "what paths share, against each path by itself")
{
    IwarpNetwork network;
    const uint32_t leaves[] = {network.AddRouter(), network.AddRouter(), network.AddRouter()};
    const uint32_t spines[] = {network.AddRouter(), network.AddRouter()};
    for (const uint32_t spine : spines)
    {
        network.AddLink(leaves[0], spine, MakeLink("40Gbps"));
        network.AddLink(spine, leaves[1], MakeLink("20Gbps"));
    }
    network.AddLink(leaves[1], leaves[2], MakeLink("10Gbps"));
    for (const uint32_t leaf : leaves)
    {
        for (const char* rate : {"10Gbps", "10Gbps", "25Gbps"})
        {
            network.AddHost(leaf, MakeLink(rate));
        }
    }
    network.AddHosts(MakeLink("10Gbps"));
    network.InstallRoutes();
    constexpr uint32_t ROUTED = 9; // hosts with a router
    IwarpTopology::Ends ends{{ROUTED, ROUTED + 1}, {ROUTED + 1, ROUTED}};
    for (uint32_t from = 0; from < ROUTED; from++)
    {
        for (uint32_t to = 0; to < ROUTED; to++)
        {
            if (from != to)
            {
                ends.emplace_back(from, to);
            }
        }
    }
    using Place = iwarp::PathPlace;
    constexpr uint32_t HEADERS = 92;
    iwarp::EmptyPaths paths(network, HEADERS);
    std::set<Ptr<iwarp::EmptyPath>> different;
    std::set<iwarp::Way> core;
    for (const auto& [from, to] : ends)
    {
        const auto path = paths.Get(from, to);
        const iwarp::EmptyPath alone(network, from, to, HEADERS);
        different.insert(path);
        for (const uint64_t octets : {1U, 5000U, 100000U})
        {
            NS_TEST_EXPECT_MSG_EQ(path->GetTime(octets), alone.GetTime(octets), from << '-' << to);
        }
        NS_TEST_EXPECT_MSG_EQ(path->GetWindow(), alone.GetWindow(), from << '-' << to);
        const auto hops = network.GetPath(from, to);
        for (std::size_t i = 1; i + 1 < hops.size(); i++)
        {
            core.emplace(hops[i].link, hops[i].direction);
        }
        // of leaf 0, and no other, the way to another leaf divides
        const auto leaf = [](uint32_t host) { return host / 3; };
        const bool divides =
            from < ROUTED && leaf(from) != leaf(to) && (leaf(from) == 0 || leaf(to) == 0);
        NS_TEST_EXPECT_MSG_EQ(iwarp::FindWays(network, from, to).size(),
                              (divides ? 2U : hops.size()),
                              from << '-' << to);
    }
    // 3 x 3 pairs of leaves with 2 x 2 kinds of hosts' links, and the two hosts without a router
    NS_TEST_EXPECT_MSG_EQ(different.size(), 9U * 4 - 3 + 1, "shared; no leaf has two fast hosts");
    for (const bool back : {false, true})
    {
        // each pair is there in both directions; a link from host to host is of each place
        std::set<iwarp::Way> found;
        for (const auto& hop : iwarp::FindHops(network, ends, Place::CORE, back))
        {
            NS_TEST_EXPECT_MSG_EQ(found.emplace(hop.link, hop.direction).second, true, "once");
        }
        const uint32_t line = network.GetHostLink(ROUTED);
        std::set<iwarp::Way> expected = core;
        expected.emplace(line, PathDirection::A_TO_B);
        expected.emplace(line, PathDirection::B_TO_A);
        NS_TEST_EXPECT_MSG_EQ((found == expected), true, "core, back " << back);
        for (const auto place : {Place::SENDER, Place::RECEIVER})
        {
            NS_TEST_EXPECT_MSG_EQ(iwarp::FindHops(network, ends, place, back).size(),
                                  ROUTED + 2U,
                                  "hosts' links, back " << back);
        }
    }
    Simulator::Destroy();
}

} // namespace
