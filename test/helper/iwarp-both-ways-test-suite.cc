/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <algorithm>
#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpBothWays, "iwarp-both-ways");

/**
 * @ingroup iwarp-test
 * Requests whose data go the one way or the other: what a run tells of senders and receivers is of
 * the data, so that reads and writes of as much give about the same.
 */
struct BothWaysTest : ScenarioTestCase
{
    explicit BothWaysTest(const std::string& name) //!< @param name of the case
        : ScenarioTestCase(
              name,
              {{"MessageSizes", "fixed:65536"}, {"Octets", "2000000"}, {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpBothWays, "Segments and adapters of reads and of writes", BothWaysTest)
{
    for (const std::string workload : {"storage", "nvme-tcp"})
    {
        const std::string share = workload == "storage" ? "StorageReadShare" : "NvmeReadShare";
        const auto of = [&](const std::string& reads) {
            return RunScenario({{"Workload", workload}, {share, reads}, {"Rnic", "t5-like"}});
        };
        auto writes = of("0");
        auto reads = of("1");
        for (const auto* metric : {"segments_sent", "rnic_octets_to_host", "octets_on_wire"})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(reads[metric],
                                      writes[metric],
                                      0.1 * writes[metric],
                                      workload << ": " << metric);
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(reads["rnic_octets_to_host"], reads["payload_octets"], "all");
    }
}

IWARP_TEST(iwarpBothWays, "Payload of Sends in several segments", BothWaysTest)
{
    auto found = RunScenario({{"Workload", "storage"},
                              {"StorageReadShare", "0"},
                              {"StorageInlineThreshold", "8192"},
                              {"MessageSizes", "fixed:5000"},
                              {"Flows", "1"},
                              {"QueueDepth", "1"},
                              {"Octets", "500000"}});
    const double complete = 5000 * found["messages"];
    NS_TEST_EXPECT_MSG_GT_OR_EQ(found["payload_octets"], complete, "of each all");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(found["payload_octets"],
                                complete + 5000,
                                "and nothing that is in front of it");
}

IWARP_TEST(iwarpBothWays, "Pauses of the hosts that send what reads bring", BothWaysTest)
{
    for (const std::string share : {"0", "1"})
    {
        auto found = RunScenario({{"Workload", "storage"},
                                  {"StorageReadShare", share},
                                  {"Flows", "2"},
                                  {"PfcXoff", "30000"},
                                  {"QueueSize", "500p"}});
        NS_TEST_EXPECT_MSG_GT(found["host_pause_time"], 0, "hosts pause, reads " << share);
        NS_TEST_EXPECT_MSG_GT(found["host_pause_share"], 0, "of those that send, reads " << share);
    }
}

IWARP_TEST(iwarpBothWays, "A caution where only one way is harmed", BothWaysTest)
{
    const auto harmed = [this](ScenarioSettings settings) {
        settings.insert({{"Workload", "storage"}, {"Octets", "200000"}});
        const auto scenario = Make(settings);
        Measure(scenario);
        const auto& cautions = scenario->GetCautions();
        return std::count_if(cautions.begin(), cautions.end(), [](const std::string& one) {
            return one.compare(0, 20, "ImpairmentDirection:") == 0;
        });
    };
    NS_TEST_EXPECT_MSG_EQ(harmed({}), 0, "nothing is lost");
    NS_TEST_EXPECT_MSG_EQ(harmed({{"Loss", "0.01"}}), 1, "one way");
    NS_TEST_EXPECT_MSG_EQ(harmed({{"Loss", "0.01"}, {"ImpairmentDirection", "both"}}), 0, "both");
    NS_TEST_EXPECT_MSG_EQ(harmed({{"Loss", "0.01"}, {"Workload", "mpa"}}), 0, "data go one way");
}

/// What a reader asks for again is sent again, though its peer alone sends data.
IWARP_TEST(iwarpBothWays, "Read Requests that are sent again", BothWaysTest)
{
    const ScenarioSettings reads{{"Workload", "rdma-read"}, {"MessageSizes", "fixed:4000"}};
    auto lossy = reads;
    lossy.insert({{"Loss", "0.05"}, {"ImpairmentDirection", "acks"}});
    auto whole = RunScenario(reads);
    auto found = RunScenario(lossy);
    NS_TEST_EXPECT_MSG_EQ(whole["retransmitted_octets"], 0, "nothing is lost");
    NS_TEST_EXPECT_MSG_EQ(found["segments_sent"], whole["segments_sent"], "data are sent once");
    NS_TEST_EXPECT_MSG_GT(found["retransmitted_octets"], 0, "Read Requests are not");
}

/// A load is what requests carry, which NVMe has in whole blocks.
IWARP_TEST(iwarpBothWays, "Load of requests in blocks", BothWaysTest)
{
    for (const std::string block : {"512", "4096"})
    {
        auto found = RunScenario({{"Workload", "nvme-tcp"},
                                  {"Topology", "point-to-point"},
                                  {"Delay", "1us"},
                                  {"Load", "0.1"},
                                  {"MessageSizes", "ns3::UniformRandomVariable[Min=200|Max=5000]"},
                                  {"Octets", "0"},
                                  {"Duration", "5ms"},
                                  {"QueueDepth", "512"},
                                  {"NvmeReadShare", "0"},
                                  {"NvmeHost.BlockSize", block},
                                  {"NvmeTarget.BlockSize", block}});
        NS_TEST_EXPECT_MSG_EQ_TOL(found["goodput"], 1e9, 0.1e9, "blocks of " << block);
    }
}

/// What began before the time that counts does not count, of messages as of requests, and what
/// began within it does, also if its flow had nothing to do before.
IWARP_TEST(iwarpBothWays, "What begins within the time that counts", BothWaysTest)
{
    // hosts that send seldom, of which most have nothing under way when the warm-up ends
    auto idle = RunScenario({{"Topology", "star"},
                             {"HostPairs", "4"},
                             {"Pattern", "all-to-all"},
                             {"WarmUp", "10000"},
                             {"Octets", "20000"},
                             {"Load", "0.01"},
                             {"MessageSizes", "fixed:10000"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(10000 * idle["messages"], idle["payload_octets"], 20000, "all");

    for (const std::string workload : {"nvme-tcp", "storage"})
    {
        const std::string name = workload == "storage" ? "storage" : "nvme";
        auto found = RunScenario({{"Workload", workload},
                                  {"MessageSizes", "fixed:1000000"},
                                  {"WarmUp", "1000000"},
                                  {"Octets", "1000000"},
                                  {"Flows", "8"},
                                  {"StartSpread", "5ms"},
                                  {"QueueDepth", "1"}});
        NS_TEST_EXPECT_MSG_EQ(found[name + "_requests"], found["messages"], workload);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found[name + "_read_octets"] + found[name + "_write_octets"],
                                    found["payload_octets"],
                                    workload << ": no more than came");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found[name + "_goodput"],
                                    1.001 * found["goodput"],
                                    workload << ": no more in the same time");
    }
}

} // namespace
