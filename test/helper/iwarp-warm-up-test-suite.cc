/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// Warm-ups of scenarios.
IWARP_TEST_SUITE(iwarpWarmUp, "iwarp-warm-up", TestSuite::Type::SYSTEM);

constexpr double PATH_TIME = 0.01; //!< s
constexpr double SEGMENTS = 20;    //!< that fit the receive window

/// Flows that a receive window of 20 segments limits, on a link that is hardly used.
class WarmUpTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit WarmUpTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"HostPairs", "1"},
                            {"LinkRate", "400Gbps"},
                            {"AccessRate", "400Gbps"},
                            {"Delay", "5ms"},
                            {"AccessDelay", "0s"},
                            {"Mtu", "1552"}, // segments of 1500 octets
                            {"ReceiveBuffer", "30720"},
                            {"SendBuffer", "131072"},
                            {"StartSpread", "10ms"},
                            {"DelayedAck", "1ms"},
                            {"PlainTcp", "false"}})
    {
    }
};

} // namespace

/// Rates in steady state are those of full windows: connecting and slow start do not count.
IWARP_TEST(iwarpWarmUp, "after a warm-up each round trip carries a window", WarmUpTest)
{
    const double rate = 3 * SEGMENTS / PATH_TIME;
    for (const char* workload : {"mpa", "rdma-write", "rdma-read", "send"})
    {
        const ScenarioSettings settings{{"Workload", workload},
                                        {"Flows", "3"},
                                        {"Alignment", "false"}, // full segments
                                        {"MessageSizes", "fixed:8192"},
                                        {"Octets", "1200000"},
                                        {"PlainTcp", "true"}};
        ScenarioResults whole = RunScenario(settings);
        NS_TEST_EXPECT_MSG_LT(whole["segments_sent"] / whole["duration"],
                              0.95 * rate,
                              workload << ": slow start counts");
        NS_TEST_EXPECT_MSG_EQ(whole["warm_up"], 0, "none");
        ScenarioSettings warm = settings;
        warm["WarmUp"] = "150000";
        ScenarioResults steady = RunScenario(warm);
        NS_TEST_EXPECT_MSG_EQ_TOL(steady["segments_sent"] / steady["duration"],
                                  rate,
                                  0.03 * rate,
                                  workload << ": full windows");
        NS_TEST_EXPECT_MSG_EQ_TOL(steady["plain_tcp_segments"] / steady["plain_tcp_duration"],
                                  rate,
                                  0.03 * rate,
                                  "plain TCP: full windows");
        NS_TEST_EXPECT_MSG_GT(steady["warm_up"], 5 * PATH_TIME, "five windows and connecting");
        NS_TEST_EXPECT_MSG_EQ_TOL(steady["payload_octets"],
                                  3.6e6 + 3 * 8192,
                                  3 * 8192,
                                  "of three flows, with what is of messages under way");
        NS_TEST_EXPECT_MSG_EQ_TOL(steady["goodput"] * steady["duration"] / 8,
                                  steady["payload_octets"],
                                  1,
                                  "both count from the same time");
    }
}

/// A message that began before the time that counts does not count in it.
IWARP_TEST(iwarpWarmUp,
           "a short time after a warm-up carries no more than the link does",
           WarmUpTest)
{
    for (uint32_t run = 1; run <= 5; run++)
    {
        ScenarioResults results = RunScenario({{"Flows", "8"},
                                               {"LinkRate", "1Gbps"},
                                               {"Delay", "10us"},
                                               {"MessageSizes", "fixed:60000"},
                                               {"Markers", "false"},
                                               {"WarmUp", "120000"},
                                               {"Octets", "120000"},
                                               {"Run", std::to_string(run)}});
        // 1500 octets less 2 + 4 of MPA and 14 of DDP, in datagrams of 1552
        NS_TEST_EXPECT_MSG_LT(results["goodput"], 1e9 * 1480 / 1552, "run " << run);
        NS_TEST_EXPECT_MSG_GT(results["goodput"], 0.5e9, "run " << run);
    }
}

/// What is counted is counted of the time behind the warm-up, whoever counts it: a message that was
/// not sent again has no NAK, and there are no more requests than messages.
IWARP_TEST(iwarpWarmUp, "counts leave a warm-up out", WarmUpTest)
{
    const ScenarioSettings quick{{"LinkRate", "10Gbps"},
                                 {"AccessRate", "10Gbps"},
                                 {"Delay", "1us"},
                                 {"Mtu", "1500"},
                                 {"SendBuffer", "4194304"},
                                 {"ReceiveBuffer", "4194304"},
                                 {"StartSpread", "0s"},
                                 {"Flows", "1"},
                                 {"Octets", "100000"}};
    const auto run = [&](const ScenarioSettings& more) {
        auto settings = quick;
        settings.insert(more.begin(), more.end());
        return RunScenario(settings);
    };
    auto roce = run({{"Workload", "go-back-n"}, {"Loss", "0.005"}, {"WarmUp", "20000000"}});
    NS_TEST_ASSERT_MSG_EQ(roce.at("retransmitted_octets"), 0, "with this seed nothing is lost");
    NS_TEST_EXPECT_MSG_EQ(roce.at("roce_naks"), 0, "so that there is no NAK");
    NS_TEST_EXPECT_MSG_EQ(roce.at("segments_dropped"), 0, "and nothing is dropped for order");
    for (const std::string workload : {"storage", "nvme"})
    {
        auto found =
            run({{"Workload", workload == "nvme" ? "nvme-tcp" : workload}, {"WarmUp", "20000000"}});
        NS_TEST_EXPECT_MSG_EQ(found.at(workload + "_requests"), found.at("messages"), workload);
        const double rate = found.at(workload + "_goodput");
        NS_TEST_EXPECT_MSG_LT(rate, found.at("goodput") * 1.001, workload << " over the same time");
    }
    for (const char* workload : {"mpa", "rdma-write", "tls", "go-back-n"})
    {
        auto found = run({{"Workload", workload},
                          {"Intervals", "fixed:0.00001"},
                          {"QueueDepth", "1"},
                          {"WarmUp", "5000000"}});
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at("messages_refused"),
                                    found.at("duration") / 0.00001 + 1,
                                    workload << ": no more than arrived");
        NS_TEST_EXPECT_MSG_GT(found.at("messages_refused"), 0, workload << ": but some are");
    }
}

/// Looking at times only whether all has come changes when a run ends, not what its link carries.
IWARP_TEST(iwarpWarmUp, "a warm-up, and a run that is looked at now and then", WarmUpTest)
{
    for (const auto& [octets, seed] : {std::pair("100000", "1"), {"2000000", "6"}})
    {
        ScenarioResults found = RunScenario({{"LinkRate", "10Gbps"},
                                             {"Delay", "1us"},
                                             {"Mtu", "1500"},
                                             {"SendBuffer", "4194304"},
                                             {"ReceiveBuffer", "4194304"},
                                             {"CheckInterval", "1ms"},
                                             {"WarmUp", "100000"},
                                             {"Octets", octets},
                                             {"Flows", "3"},
                                             {"Seed", seed}});
        NS_TEST_EXPECT_MSG_GT(found["goodput"], 0, "a run");
        NS_TEST_EXPECT_MSG_LT(found["goodput"], found["goodput_bound"], octets);
        NS_TEST_EXPECT_MSG_EQ_TOL(found["goodput"] * found["duration"] / 8,
                                  found["payload_octets"],
                                  1,
                                  "both count the same time");
    }
}

/// What is held of unaligned FPDUs without loss, in closed form: each connection is somewhere in an
/// FPDU, and more likely in a long one.
IWARP_TEST(iwarpWarmUp, "memory for unaligned FPDUs in steady state, in closed form", WarmUpTest)
{
    constexpr double N = 100;
    const ScenarioSettings settings{
        {"Rnic", "ideal"},
        {"Flows", "100"},
        {"Alignment", "false"},
        {"Markers", "false"},
        {"MessageSizes", "ns3::UniformRandomVariable[Min=600|Max=1401]"},
        {"WarmUp", "100000"},
        {"Octets", "300000"}};
    double moments[4]{};
    for (uint32_t size = 600; size <= 1400; size++)
    {
        // ULPDU_Length, 14 octets of DDP and RDMAP, payload, padding, CRC
        const double fpdu = 4 * ((2 + 14 + size + 3) / 4) + 4;
        for (uint32_t power = 0; power < 4; power++)
        {
            moments[power] += std::pow(fpdu, power);
        }
    }
    // where a renewal process is, seen at any time: E[L²]/2E[L], and E[L³]/3E[L] for its square
    const double mean = moments[2] / (2 * moments[1]);
    const double deviation = std::sqrt(moments[3] / (3 * moments[1]) - mean * mean);
    ScenarioResults results = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ_TOL(results["rnic_memory_mean"], N * mean, 0.02 * N * mean, "mean");
    NS_TEST_EXPECT_MSG_EQ_TOL(results["rnic_memory_p50"], N * mean, 0.03 * N * mean, "median");
    const double high = N * mean + 2.326 * std::sqrt(N) * deviation;
    NS_TEST_EXPECT_MSG_EQ_TOL(results["rnic_memory_p99"], high, 0.05 * high, "99 %");
    for (const char* quantile : {"p50", "p99", "p999", "peak"})
    {
        NS_TEST_EXPECT_MSG_EQ(results[std::string("rnic_memory_") + quantile],
                              results[std::string("reassembly_") + quantile],
                              "MPA says the same of " << quantile);
    }
    NS_TEST_EXPECT_MSG_GT(results["rnic_memory_p999"], results["rnic_memory_p99"], "99.9 %");
}

/// What cannot be measured is said.
IWARP_TEST(iwarpWarmUp, "a run that ends before its flows are warm fails and says so", WarmUpTest)
{
    Ptr<IwarpScenario> scenario =
        Make({{"Flows", "4"}, {"WarmUp", "10000000"}, {"Duration", "50ms"}});
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "too short");
    NS_TEST_EXPECT_MSG_EQ(scenario->GetError().find("4 of 4 flows had not carried WarmUp"),
                          0,
                          scenario->GetError());
    ScenarioResults results =
        RunScenario({{"Flows", "4"}, {"WarmUp", "30000"}, {"Octets", "0"}, {"Duration", "100ms"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(results["warm_up"] + results["duration"], 0.1, 1e-9, "Duration");
}
