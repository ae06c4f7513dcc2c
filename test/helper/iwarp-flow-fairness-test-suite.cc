/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-flow-collector.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::iwarp;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpFlowFairness, "iwarp-flow-fairness");

constexpr uint64_t UNIT = 1000; //!< octets that a flow gets in a step, or some of them

/**
 * Flows get so many units in each of ten steps, and one that has begun earlier more before, which
 * does not count. @param units of each flow in a step @return metric common_fairness; -1 if there
 * is none
 */
double
RunFlows(const std::vector<uint64_t>& units)
{
    FlowTotals totals;
    FlowListener listener{};
    listener.totals = &totals;
    std::vector<Ptr<FlowCollector>> flows;
    for (std::size_t i = 0; i < units.size(); i++)
    {
        flows.push_back(Create<FlowCollector>(listener));
    }
    flows.front()->Posted();
    flows.front()->Placed(50 * UNIT);
    for (std::size_t i = 1; i < flows.size(); i++)
    {
        Simulator::Schedule(Seconds(1), &FlowCollector::Posted, flows[i]);
    }
    for (int step = 0; step < 10; step++)
    {
        for (std::size_t i = 0; i < flows.size(); i++)
        {
            Simulator::Schedule(Seconds(2 + step),
                                &FlowCollector::Placed,
                                flows[i],
                                units[i] * UNIT);
        }
    }
    Simulator::Run();
    MetricSet metrics;
    totals.Report(metrics, false, 1);
    Simulator::Destroy();
    for (const auto& metric : metrics.Get())
    {
        if (metric.name == "common_fairness")
        {
            return metric.value;
        }
    }
    return -1;
}

IWARP_TEST(iwarpFlowFairness, "Jain's index is that of what flows get while all of them run")
{
    NS_TEST_EXPECT_MSG_EQ_TOL(RunFlows({1, 1, 1, 1}), 1, 1e-12, "the same for all");
    NS_TEST_EXPECT_MSG_EQ_TOL(RunFlows({0, 0, 0, 1}), 0.25, 1e-12, "all for one of four");
    NS_TEST_EXPECT_MSG_EQ_TOL(RunFlows({3, 1}), 0.8, 1e-12, "(3 + 1)^2 / (2 (9 + 1))");
    // R. Jain, D. Chiu and W. Hawe, DEC-TR-301, 1984: k of n users that share alike have k / n
    NS_TEST_EXPECT_MSG_EQ_TOL(RunFlows({2, 2, 2, 0, 0}), 0.6, 1e-12, "three of five");
    NS_TEST_EXPECT_MSG_EQ(RunFlows({1}), -1, "one flow has nobody to share with");
}

/// Three flows begin one by one, and have carried all that they have to one by one.
IWARP_TEST(iwarpFlowFairness, "All flows run from when the last begins until the first ends")
{
    FlowTotals totals;
    FlowListener listener{};
    listener.totals = &totals;
    listener.octets = 10 * UNIT;
    listener.message = MakeLambdaCallback<Callback<void, uint64_t>>([](uint64_t) {});
    listener.warm = MakeLambdaCallback<Callback<void>>([] {});
    std::vector<Ptr<FlowCollector>> flows;
    for (int i = 0; i < 3; i++)
    {
        flows.push_back(Create<FlowCollector>(listener));
        Simulator::Schedule(Seconds(1 + i), &FlowCollector::Posted, flows[i]);
        Simulator::Schedule(Seconds(10 * (1 + i)), &FlowCollector::Placed, flows[i], 10 * UNIT);
        Simulator::Schedule(Seconds(10 * (1 + i)),
                            &FlowCollector::Completed,
                            flows[i],
                            10 * UNIT,
                            1);
    }
    Simulator::Run();
    MetricSet metrics;
    totals.Report(metrics, false, 1);
    Simulator::Destroy();
    double common = 0;
    for (const auto& metric : metrics.Get())
    {
        common = metric.name == "common_time" ? metric.value : common;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(common, 10 - 3, 1e-9, "from 3 to 10 s");
}

/// Both directions of a flow are its own: with one flow there is nobody to share with.
struct FairnessScenarioTest : ScenarioTestCase
{
    /// @param name of the case
    explicit FairnessScenarioTest(const std::string& name)
        : ScenarioTestCase(name, {{"Octets", "400000"}, {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpFlowFairness, "A flow of two directions is one", FairnessScenarioTest)
{
    for (const char* workload : {"storage", "nvme-tcp"})
    {
        const ScenarioSettings reads{{"Workload", workload},
                                     {"StorageReadShare", "1"},
                                     {"NvmeReadShare", "1"}};
        auto one = reads;
        one["Flows"] = "1";
        NS_TEST_EXPECT_MSG_EQ(RunScenario(one).count("common_fairness"), 0, workload);
        auto two = reads;
        two["Flows"] = "2";
        NS_TEST_EXPECT_MSG_GT(RunScenario(two).at("common_fairness"), 0.9, workload);
    }
}

} // namespace
