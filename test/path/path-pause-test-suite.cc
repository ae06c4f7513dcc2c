/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Priority flow control
IWARP_TEST_SUITE(pathPause, "path-pause");

/**
 * A host that sends at 10 Gbit/s without end to a link of 1 Gbit/s behind a switch: it pauses for
 * 9/10 of the time, nothing is lost if the queue holds Xoff and what closed forms say comes after,
 * and the link stays full.
 */
struct PauseTest : ScenarioTestCase
{
    /// @param title of the case
    explicit PauseTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "dumbbell"},
                            {"Flows", "1"},
                            {"Workload", "go-back-n"},
                            {"IwarpRoceWorkload.Timeout", "1s"},
                            {"MessageSizes", "fixed:1440000"},
                            {"Octets", "4320000"},
                            {"LinkRate", "1Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"AccessDelay", "10us"},
                            {"Delay", "10us"},
                            {"QueueDisc", "threshold"},
                            {"MarkingThreshold", "20000B"},
                            {"StartSpread", "0s"},
                            {"PlainTcp", "false"}})
    {
    }

    static constexpr int XOFF = 30000;         //!< octets
    static constexpr int TRIP = 2 * 10 * 1250; //!< octets that 10 Gbit/s sends in 20 us
    static constexpr int FRAME = 1538;         //!< octets of a full frame

    /// @param headroom octets of the queue beyond XOFF @param pause whether there are pauses
    /// @return metrics
    ScenarioResults Try(int headroom, bool pause)
    {
        return RunScenario({{"IwarpRoceWorkload.Window", pause ? "4000" : "100"},
                            {"PfcXoff", std::to_string(pause ? XOFF : 0)},
                            {"PfcXon", std::to_string(pause ? XOFF / 2 : 0)},
                            {"QueueSize", std::to_string(XOFF + headroom) + "B"}});
    }
};

IWARP_TEST(pathPause, "A switch has a host pause", PauseTest)
{
    const auto enough = Try(TRIP + 4 * FRAME, true);
    NS_TEST_EXPECT_MSG_EQ(enough.at("queue_drops"), 0, "no packet is lost");
    NS_TEST_EXPECT_MSG_EQ(enough.at("retransmitted_octets"), 0, "none is sent again");
    const double seconds = enough.at("duration");
    NS_TEST_EXPECT_MSG_EQ_TOL(enough.at("pause_time") / seconds, 0.9, 0.02, "9/10 of the time");
    const double full = 1e9 * 1440 / (1440 + 44 + 38);
    NS_TEST_EXPECT_MSG_EQ_TOL(enough.at("goodput"), full, 0.01 * full, "the link stays full");

    const auto little = Try(TRIP / 2, true);
    NS_TEST_EXPECT_MSG_GT(little.at("queue_drops"), 0, "too small a headroom");

    const auto none = Try(TRIP + 4 * FRAME, false);
    NS_TEST_EXPECT_MSG_GT(none.at("queue_drops"), 60, "without pauses");
    NS_TEST_EXPECT_MSG_EQ(none.count("pause_time"), 0U, "no pauses to speak of");
}

/**
 * Pauses spread: in a leaf-spine an incast has leaves pause spines, and these other leaves; nothing
 * is lost, of TCP, with go-back-N and with IPv6.
 */
struct SpreadTest : ScenarioTestCase
{
    /// @param title of the case
    explicit SpreadTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "leaf-spine"},
                            {"Leaves", "3"},
                            {"Spines", "2"},
                            {"HostsPerLeaf", "3"},
                            {"Pattern", "incast"},
                            {"Octets", "400000"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Delay", "2us"},
                            {"QueueDisc", "red"},
                            {"QueueSize", "3000p"},
                            {"PfcXoff", "30000"},
                            {"PfcXon", "15000"},
                            {"RedQueueDisc.MinTh", "3000"},
                            {"RedQueueDisc.MaxTh", "3000"},
                            {"StartSpread", "0s"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(pathPause, "Pauses spread through a fabric", SpreadTest)
{
    for (const std::string workload : {"go-back-n", "rdma-write"})
    {
        for (const std::string ipv6 : {"false", "true"})
        {
            const auto found = RunScenario({{"Workload", workload},
                                            {"Ipv6", ipv6},
                                            {"IwarpRoceWorkload.Window", "300"},
                                            {"IwarpRoceWorkload.Timeout", "1s"}});
            NS_TEST_EXPECT_MSG_EQ(found.at("queue_drops"), 0, workload);
            NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), 0, workload);
            NS_TEST_EXPECT_MSG_GT(found.at("pause_time"), found.at("duration"), "several pause");
        }
    }
}

/// What does not go together with pauses.
struct PauseCheckTest : ScenarioTestCase
{
    /// @param title of the case
    explicit PauseCheckTest(const std::string& title)
        : ScenarioTestCase(title, {{"PfcXoff", "30000"}})
    {
    }
};

IWARP_TEST(pathPause, "What does not go together", PauseCheckTest)
{
    const std::vector<std::pair<ScenarioSettings, std::string>> cases{
        {{}, "PfcXoff, QueueDisc: "},
        {{{"QueueDisc", "red"}, {"PfcXon", "30001"}}, "PfcXon: "},
        {{{"QueueDisc", "red"}, {"Middlebox", "resegmenting"}}, "PfcXoff, Middlebox: "}};
    for (const auto& [settings, begin] : cases)
    {
        const auto scenario = Make(settings);
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, begin);
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError().rfind(begin, 0), 0U, scenario->GetError());
    }
}

} // namespace
