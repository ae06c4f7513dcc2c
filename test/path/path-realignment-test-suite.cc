/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathRealignment, "path-realignment", TestSuite::Type::SYSTEM);

/// A test that runs scenarios.
class RealignmentScenarioTest : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    using Values = std::map<std::string, std::string>; //!< parameters

    /// @param values parameters @return metrics
    std::map<std::string, double> Go(const Values& values)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        Values all{{"PlainTcp", "false"},
                   {"Backed", "true"},
                   {"Octets", "300000"},
                   {"Middlebox", "resegmenting"},
                   {"MessageSizes", "fixed:1000"}, // an FPDU of 2 + 14 + 1000 + 4 octets
                   {"Markers", "false"},
                   {"Packing", "false"}};
        for (const auto& [name, value] : values)
        {
            all[name] = value;
        }
        std::map<std::string, double> metrics;
        for (const auto& [name, value] : all)
        {
            const std::string problem = scenario->SetParameter(name, value);
            NS_TEST_EXPECT_MSG_EQ(problem, "", name << "=" << value);
        }
        const bool done = scenario->Run();
        NS_TEST_EXPECT_MSG_EQ(done, true, scenario->GetError());
        for (const auto& metric : scenario->GetMetrics())
        {
            metrics[metric.name] = metric.value;
        }
        NS_TEST_EXPECT_MSG_EQ(metrics["content_errors"], 0, "as they were sent");
        NS_TEST_EXPECT_MSG_EQ(metrics["messages"], 300, "all of them");
        return metrics;
    }
};

/**
 * Of FPDUs of s octets, one a segment, pieces of m octets begin with one in 1 of ceil(s/m), and
 * hold whole FPDUs if m is not less than s.
 */
IWARP_TEST(pathRealignment, "Alignment behind cuts of a fixed size", RealignmentScenarioTest)
{
    constexpr uint32_t SIZE = 1020;
    for (const uint32_t most : {1428U, 1020U, 1019U, 700U, 510U, 509U, 100U})
    {
        const auto metrics = Go({{"PathResegmentingMiddlebox.MaxPayload", std::to_string(most)}});
        const double pieces = (SIZE + most - 1) / most;
        NS_TEST_EXPECT_MSG_EQ(metrics.at("header_aligned_share_sent"), 1, "as sent");
        NS_TEST_EXPECT_MSG_EQ(metrics.at("fpdus_sent"), 300, "FPDUs");
        NS_TEST_EXPECT_MSG_EQ(metrics.at("segments_sent"), 301, "one a segment, and the Request");
        NS_TEST_EXPECT_MSG_EQ_TOL(metrics.at("header_aligned_share"),
                                  1 / pieces,
                                  1e-9,
                                  "one of " << pieces);
        NS_TEST_EXPECT_MSG_EQ(metrics.at("fpdu_aligned_share"), (pieces > 1 ? 0 : 1), "whole");
    }
    IWARP_COVERS("MPA-A.4-02 MPA-A.4-01");
}

/**
 * Behind cuts, FPDUs that come out of order are passed at once with Markers, and never without; so
 * less has to be kept.
 */
IWARP_TEST(pathRealignment, "Markers behind cuts", RealignmentScenarioTest)
{
    Values values{{"PathResegmentingMiddlebox.MaxPayload", "700"},
                  {"MessageSizes", "fixed:10000"},
                  {"Octets", "3000000"},
                  {"Reordering", "0.02"}};
    const auto without = Go(values);
    values["Markers"] = "true";
    const auto with = Go(values);
    NS_TEST_EXPECT_MSG_EQ(without.at("fpdus_passed_out_of_order"), 0, "none without");
    NS_TEST_EXPECT_MSG_GT(with.at("fpdus_passed_out_of_order"), 100, "with Markers");
    IWARP_COVERS("MPA-A.4-03");
    NS_TEST_EXPECT_MSG_LT(with.at("reassembly_peak"),
                          without.at("reassembly_peak") / 2,
                          "less to keep");
    IWARP_COVERS("MPA-A.5-03");
}

/// FPDUs of 220 octets, one a segment, are merged by as many as fit: what was aligned stays so.
IWARP_TEST(pathRealignment, "Alignment behind merging", RealignmentScenarioTest)
{
    Values values{{"PathResegmentingMiddlebox.CoalesceSize", "1428"},
                  {"PathResegmentingMiddlebox.HoldTime", "100us"},
                  {"MessageSizes", "fixed:200"},
                  {"Octets", "60000"}};
    const auto merged = Go(values);
    NS_TEST_EXPECT_MSG_EQ(merged.at("segments_sent"), 301, "one a segment, and the Request");
    NS_TEST_EXPECT_MSG_EQ(merged.at("header_aligned_share"), 1, "begin with an FPDU");
    NS_TEST_EXPECT_MSG_EQ(merged.at("fpdu_aligned_share"), 1, "whole ones");
    // 65535 octets of 297 are cut at the MTU: 1448 are no multiple of 220
    values["PathResegmentingMiddlebox.CoalesceSize"] = "65535";
    const auto recut = Go(values);
    NS_TEST_EXPECT_MSG_LT(recut.at("header_aligned_share"), 0.3, "hardly any");
    NS_TEST_EXPECT_MSG_LT(recut.at("fpdu_aligned_share"), 0.3, "hardly any");
    IWARP_COVERS("MPA-A.4-02");
}

} // namespace
