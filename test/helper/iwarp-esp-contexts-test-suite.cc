/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Contexts of associations, in the whole of a simulation.
IWARP_TEST_SUITE(iwarpEspContexts, "iwarp-esp-contexts", TestSuite::Type::SYSTEM);

/**
 * Contexts of associations on an RNIC's chip with room for C, of N connections with an association
 * for each way and one message under way at a time: at either end a message is a packet and its
 * acknowledgment, whose contexts are used one behind the other.
 *
 * Each message draws its connection, and both packets find theirs if that is among the C / 2 which
 * were used last: with the probability C / 2 / N.
 */
struct ContextTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ContextTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"Flows", "1"},
                            {"PlainTcp", "false"},
                            {"Workload", "perf"},
                            {"PerfOrder", "Random"},
                            {"PerfQp", std::to_string(N)},
                            {"PerfSize", "1000"},
                            {"PerfTxDepth", "1"},
                            {"RdmaPerfClient.Window", "1"},
                            {"TcpSocket.DelAckCount", "1"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Ipsec", "transport"},
                            {"IpsecSharing", "connection"},
                            {"Rnic", "e810-like"},
                            {"EspEngine", "inline"}})
    {
    }

    static constexpr int N = 32; //!< connections

    /// What contexts were needed for
    struct Needs
    {
        double all;    //!< packets
        double missed; //!< that found them off chip
    };

    /// @param room for contexts @param messages of each connection @return needs of the whole run
    Needs Count(int room, int messages)
    {
        auto run = RunScenario({{"EspEngine.AssociationCache.Entries", std::to_string(room)},
                                {"PerfIterations", std::to_string(messages)}});
        const double needs = 2 * run["esp_packets"]; // one to protect, one to take that off
        return {needs, std::round(needs * run["esp_context_misses"])};
    }
};

IWARP_TEST(iwarpEspContexts, "contexts of associations on chip", ContextTest)
{
    const double messages = 40 * N;
    const double needs = messages * 2 * 2; // packets, ends
    for (const int room : {4, 16, 48})
    {
        // without what starting and ending need
        const Needs few = Count(room, 10);
        const Needs many = Count(room, 50);
        NS_TEST_EXPECT_MSG_EQ(many.all - few.all, needs, "a packet and its acknowledgment");
        const double miss = 1 - room / 2.0 / N;
        // a message misses four times or not at all
        NS_TEST_EXPECT_MSG_EQ_TOL(many.missed - few.missed,
                                  needs * miss,
                                  4 * 4 * std::sqrt(messages * miss * (1 - miss)),
                                  "at random, room for " << room);
    }
}

} // namespace
