/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/data-rate.h"
#include "ns3/iwarp-link-loads.h"
#include "ns3/iwarp-network.h"
#include "ns3/nstime.h"
#include "ns3/path-direction.h"
#include "ns3/simulator.h"

#include <cstdint>
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

} // namespace
