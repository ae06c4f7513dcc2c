/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/channel.h"
#include "ns3/ipv6-header.h"
#include "ns3/iwarp-network.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"

#include <cstdint>
#include <set>
#include <string>

using namespace ns3;

namespace
{

/// What users put on a scenario's network
IWARP_TEST_SUITE(iwarpObserver, "iwarp-observer");

/// What crosses links
struct Seen
{
    std::set<uint32_t> hosts; //!< nodes
    uint64_t octets{0};       //!< of IP datagrams that hosts sent
    uint64_t fragments{0};    //!< of IPv6, on all links
    uint64_t packets{0};      //!< on all links
};

/// As AnimationInterface sees packets. @param seen adds there @param packet frame @param from
/// device
void
See(Seen* seen, Ptr<const Packet> packet, Ptr<NetDevice> from, Ptr<NetDevice>, Time, Time)
{
    constexpr uint32_t PPP = 2; // octets of its header
    seen->packets++;
    seen->octets += seen->hosts.count(from->GetNode()->GetId()) * uint64_t{packet->GetSize() - PPP};
    uint8_t head[PPP + 7];
    packet->CopyData(head, sizeof(head));
    const bool ipv6 = head[PPP] >> 4 == 6;
    seen->fragments += ipv6 && head[PPP + 6] == Ipv6Header::IPV6_EXT_FRAGMENTATION;
}

/**
 * What an observer puts on the network sees what the run does: by the trace of links that NetAnim's
 * AnimationInterface goes by, all that hosts send, as the metric counts it (20, 40 of IP and 32 of
 * TCP in an acknowledgment).
 */
struct ObserverTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ObserverTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "leaf-spine"},
                            {"Leaves", "2"},
                            {"Spines", "2"},
                            {"HostsPerLeaf", "2"},
                            {"Flows", "2"},
                            {"Octets", "100000"}})
    {
    }

    /// Compare what hosts sent. @param settings of a run @param fragments there are some
    void Observe(const ScenarioSettings& settings, bool fragments)
    {
        Seen seen;
        uint32_t calls = 0;
        const auto scenario = Make(settings);
        scenario->SetObserver([&](IwarpNetwork& network) {
            calls++;
            NS_TEST_EXPECT_MSG_EQ(network.GetNHosts(), 4, "the network");
            for (uint32_t i = 0; i < network.GetNHosts(); i++)
            {
                seen.hosts.insert(network.GetHost(i)->GetId());
            }
            for (uint32_t i = 0; i < network.GetNLinks(); i++)
            {
                network.GetLinkDevices(i).Get(0)->GetChannel()->TraceConnectWithoutContext(
                    "TxRxPointToPoint",
                    MakeBoundCallback(&See, &seen));
            }
        });
        const auto found = Measure(scenario);
        NS_TEST_EXPECT_MSG_EQ(calls, 1, "called once, and not for plain TCP");
        // the run ends when all has come: the last acknowledgments have no link yet
        const double waiting = found.at("octets_on_wire") - static_cast<double>(seen.octets);
        NS_TEST_EXPECT_MSG_EQ((waiting >= 0 && waiting <= 2 * 72), true, waiting << " of them");
        NS_TEST_EXPECT_MSG_EQ((seen.fragments > 0), fragments, "fragments");
        // each crosses the links of two hosts, and two between a leaf, a spine and a leaf
        NS_TEST_EXPECT_MSG_GT(seen.packets, 3 * found.at("segments_sent"), "on all links");
        scenario->SetObserver({});
        Measure(scenario);
        NS_TEST_EXPECT_MSG_EQ(calls, 1, "no more");
    }
};

IWARP_TEST(iwarpObserver, "An observer sees all packets", ObserverTest)
{
    for (const std::string plain : {"false", "true"})
    {
        for (const std::string ipv6 : {"false", "true"})
        {
            Observe({{"PlainTcp", plain}, {"Ipv6", ipv6}}, false);
        }
    }
    // hosts cut what they send into fragments once the path takes less
    const ScenarioSettings narrow = {{"PlainTcp", "false"},
                                     {"Ipv6", "true"},
                                     {"DontFragment", "false"},
                                     {"LinkSchedule", "1100us:mtu=1280"}};
    ScenarioSettings whole = narrow;
    whole["MpaTcpSocket.FragmentOnShrink"] = "true";
    Observe(whole, true);
    // but not since another connection to the same host has probed with less
    const ScenarioSettings probes = {{"PlainTcp", "false"},
                                     {"Ipv6", "true"},
                                     {"DontFragment", "false"},
                                     {"MtuProbing", "Always"},
                                     {"Workload", "perf"},
                                     {"PerfQp", "2"},
                                     {"PerfOrder", "Random"},
                                     {"PerfIterations", "20"}};
    Observe(probes, false);
}

} // namespace
