/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"
#include "path-switch-bench.h"

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
    // The queue fills with 9 Gbit/s from Xon to Xoff, and for the round trip of 20 us that a pause
    // takes to show; it empties with 1 Gbit/s, and for a round trip beyond Xon
    const double fill = 8. * XOFF / 2 / 9e9 + 20e-6;
    const double period = fill + fill * 9;
    NS_TEST_EXPECT_MSG_EQ_TOL(enough.at("pause_frames"), seconds / period, 15, "one a period");

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

/**
 * Four hosts of a star send to one as fast as they can, by way of one switch with shared memory:
 * nothing is lost, and each pauses for three quarters of the time.
 */
struct IncastTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IncastTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "star"},
                            {"Pattern", "incast"},
                            {"IncastSenders", "4"},
                            {"Flows", "1"},
                            {"HostPairs", "3"},
                            {"Workload", "go-back-n"},
                            {"IwarpRoceWorkload.Timeout", "1s"},
                            {"IwarpRoceWorkload.Window", "4000"},
                            {"MessageSizes", "fixed:1440000"},
                            {"Octets", "2880000"},
                            {"AccessRate", "10Gbps"},
                            {"BufferSize", "1000000"},
                            {"PfcHeadroom", "auto"},
                            {"StartSpread", "0s"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(pathPause, "Shared memory with pauses", IncastTest)
{
    for (const std::string ipv6 : {"false", "true"})
    {
        const auto found = RunScenario({{"Ipv6", ipv6}});
        NS_TEST_EXPECT_MSG_EQ(found.at("queue_drops"), 0, "no packet is lost");
        NS_TEST_EXPECT_MSG_EQ(found.at("headroom_drops"), 0, "no headroom is too small");
        NS_TEST_EXPECT_MSG_EQ(found.at("buffer_drops"), 0, "all is lossless");
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("host_pause_share"), 0.75, 0.05, "a quarter each");
        // sums of the same seconds, by links and by hosts
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("pause_time"),
                                  found.at("host_pause_time"),
                                  1e-12,
                                  "all of hosts");
        NS_TEST_EXPECT_MSG_GT(found.at("pause_frames"), 10, "again and again");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at("switch_buffer_peak"), 1e6, "within the memory");
        NS_TEST_EXPECT_MSG_EQ(found.count("victim_pause_share"), 0U, "each has part in it");
    }
    const auto lossy = RunScenario({{"PfcHeadroom", "none"}, {"IwarpRoceWorkload.Timeout", "1ms"}});
    NS_TEST_EXPECT_MSG_GT(lossy.at("buffer_drops"), 0, "without pauses");
    NS_TEST_EXPECT_MSG_EQ(lossy.at("queue_drops"), lossy.at("buffer_drops"), "by the memory alone");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(lossy.at("switch_buffer_peak"), 501500, "half of it: alpha is 1");
}

/**
 * A host that sends to a slow receiver and, in another class, to a fast one: if only the first
 * class pauses the second one keeps its rate; if there is one class it waits for the first.
 */
struct ClassTest : TestCase
{
    /// @param title of the case
    explicit ClassTest(const std::string& title)
        : TestCase(title)
    {
    }

    /// @param lossless mask of priorities that pause @param count priorities @param ipv6 version
    /// @return datagrams that the fast receiver has after the time in which 400 can come
    uint64_t CountFast(uint8_t lossless, uint8_t count, bool ipv6)
    {
        SwitchBench bench(ipv6);
        IwarpNetwork& network = bench.GetNetwork();
        network.AddRouter();
        IwarpNetwork::Link link{DataRate("10Gbps"), MicroSeconds(1), QueueSize("10000p")};
        link.priorities = PathPriorities(count);
        link.priorities.ParseWeights(count == 2 ? "1,1" : "");
        link.pause.xoff = 20000;
        link.pause.xon = 10000;
        link.pause.priorities = lossless;
        link.hasAutoHeadroom = true;
        network.AddHost(0, link);
        network.AddHost(0, link);
        link.rate = DataRate("10Mbps");
        network.AddHost(0, link);
        bench.Start();
        bench.Send(MilliSeconds(1), 0, 2, 8, {{500, 1500}});
        bench.Send(MilliSeconds(1), 0, 1, 0, {{600, 1500}});
        Simulator::Stop(MilliSeconds(1) + 400 * PicoSeconds(1230400));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.GetMemory(0).GetDrops().headroom, 0U, "nothing is lost");
        const uint64_t fast = bench.GetReceived(1);
        Simulator::Destroy();
        return fast;
    }
};

IWARP_TEST(pathPause, "One priority pauses and another does not", ClassTest)
{
    for (const bool ipv6 : {false, true})
    {
        NS_TEST_EXPECT_MSG_GT(CountFast(2, 2, ipv6), 360U, "all of the link but what 20000 took");
        NS_TEST_EXPECT_MSG_EQ(CountFast(1, 1, ipv6), 0U, "behind what waits");
    }
}

/**
 * What is all of one class is as if there were no classes, whichever it is and whatever weight it
 * has: with marks and drops, of DCTCP, whose ECN a DSCP leaves alone, and of go-back-N.
 */
struct OneClassTest : ScenarioTestCase
{
    /// @param title of the case
    explicit OneClassTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "dumbbell"},
                            {"Flows", "4"},
                            {"Octets", "400000"},
                            {"LinkRate", "1Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Delay", "20us"},
                            {"QueueDisc", "threshold"},
                            {"QueueSize", "60p"},
                            {"MarkingThreshold", "20p"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "500us"},
                            {"IwarpRoceWorkload.Window", "12"},
                            {"CongestionControl", "TcpDctcp"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(pathPause, "All in one class is as without classes", OneClassTest)
{
    const ScenarioSettings classes{{"Priorities", "4"}, {"PriorityWeights", "3,1,2,0"}};
    for (const std::string workload : {"rdma-write", "go-back-n"})
    {
        for (const std::string ipv6 : {"false", "true"})
        {
            const ScenarioSettings common{{"Workload", workload}, {"Ipv6", ipv6}};
            const auto without = RunScenario(common);
            NS_TEST_EXPECT_MSG_GT(without.at("ecn_marks"), 100, "marks");
            for (const std::string dscp : {"0", "10", "26"})
            {
                ScenarioSettings settings = common;
                settings.insert(classes.begin(), classes.end());
                settings["Dscp"] = dscp;
                const auto found = RunScenario(settings);
                for (const std::string metric :
                     {"duration", "ecn_marks", "queue_drops", "queue_peak", "octets_on_wire"})
                {
                    NS_TEST_EXPECT_MSG_EQ(found.at(metric), without.at(metric), metric << dscp);
                }
            }
        }
    }
}

/// Each priority has a disc of any kind, which looks at the device as it does alone.
IWARP_TEST(pathPause, "Discs of classes are as those without classes", OneClassTest)
{
    for (const std::string disc : {"codel", "fq-codel", "threshold"})
    {
        const ScenarioSettings alone{{"Workload", "rdma-write"}, {"QueueDisc", disc}};
        ScenarioSettings classes = alone;
        classes["Priorities"] = "2";
        auto without = RunScenario(alone);
        auto found = RunScenario(classes);
        NS_TEST_EXPECT_MSG_GT(without["duration"], 0, disc);
        for (const char* metric : {"duration", "queue_drops", "queue_peak", "octets_on_wire"})
        {
            NS_TEST_EXPECT_MSG_EQ(found[metric], without[metric], metric << " with " << disc);
        }
    }
}

/// Where one flow alone comes by a port, its virtual output queue is the output's: all figures are
/// as with one queue, but for those of memory.
struct OneInputTest : ScenarioTestCase
{
    /// @param title of the case
    explicit OneInputTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "dumbbell"},
                            {"Flows", "1"},
                            {"Octets", "1000000"},
                            {"LinkRate", "1Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"QueueSize", "10000p"},
                            {"IwarpRoceWorkload.Window", "300"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(pathPause, "One input is as one queue", OneInputTest)
{
    for (const std::string workload : {"rdma-write", "go-back-n"})
    {
        for (const std::string ipv6 : {"false", "true"})
        {
            const ScenarioSettings own{{"Workload", workload}, {"Ipv6", ipv6}};
            const auto without = RunScenario(own);
            auto settings = own;
            settings["InputBuffer"] = "10000000";
            const auto with = RunScenario(settings);
            NS_TEST_EXPECT_MSG_GT(with.at("switch_buffer_peak"), 10000, "much waits");
            NS_TEST_EXPECT_MSG_EQ(with.at("buffer_drops"), 0, "none is lost");
            // 3.35 does not tell what devices without a queue disc drop
            const std::size_t drops = with.count("queue_drops") - without.count("queue_drops");
            NS_TEST_EXPECT_MSG_EQ(with.size(), without.size() + 2 + drops, "those two besides");
            for (const auto& [metric, value] : without)
            {
                // 3.37 has more events of its own with queue discs than without, 3.44 has not
                const double found = metric == "events" ? value : with.at(metric);
                NS_TEST_EXPECT_MSG_EQ(found, value, metric << ", " << workload);
            }
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
        {{{"QueueDisc", "red"}, {"PfcXon", "30001"}}, "PfcXon: "},
        {{{"QueueDisc", "red"}, {"Middlebox", "resegmenting"}}, "PfcXoff, Middlebox: "},
        {{{"PfcPriorities", "1"}}, "PfcPriorities, Priorities: "},
        {{{"PfcHeadroom", "much"}}, "PfcHeadroom: "},
        {{{"PfcHeadroom", "auto"}, {"PfcXoff", "0"}}, "PfcHeadroom, PfcXoff, BufferSize: "},
        {{{"BufferSize", "100000"}}, "PfcHeadroom, BufferSize: "},
        {{{"BufferSize", "10000"}, {"PfcHeadroom", "auto"}}, "Topology: router 0: headroom "},
        {{{"BufferAlpha", "1,1"}}, "BufferAlpha, Priorities: "},
        {{{"InputBuffer", "29999"}}, "PfcXoff: at most InputBuffer"},
        {{{"InputBuffer", "1499"}}, "InputBuffer: "},
        {{{"InputBuffer", "60000"}, {"QueueDisc", "red"}}, "InputBuffer, QueueDisc: "},
        {{{"InputBuffer", "60000"}, {"BufferSize", "60000"}}, "InputBuffer, BufferSize: "},
        {{{"BufferAlpha", "0"}}, "BufferAlpha: "},
        {{{"Priorities", "2"}, {"DscpPriorities", "8:2"}}, "DscpPriorities: "},
        {{{"Priorities", "2"}, {"PriorityWeights", "1"}}, "PriorityWeights, Priorities: "},
        {{{"Dscp", "8"}}, "Dscp, Priorities: "},
        {{{"CrossTraffic", "udp"}, {"CrossDscp", "8"}}, "CrossDscp, Priorities: "}};
    for (const auto& [settings, begin] : cases)
    {
        const auto scenario = Make(settings);
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, begin);
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError().rfind(begin, 0), 0U, scenario->GetError());
    }
}

} // namespace
