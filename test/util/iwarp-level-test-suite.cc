/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"
#include "../rnic/rnic-test-util.h"

#include "ns3/rnic-packet-buffer.h"
#include "ns3/rnic-reassembly-memory.h"
#include "ns3/simulator.h"
#include "ns3/util-level-histogram.h"
#include "ns3/util-sample-set.h"

#include <cmath>
#include <cstdint>
#include <string>

using namespace ns3;
using namespace rnictest;

/// Levels over time, and from when on they count.
IWARP_TEST_SUITE(iwarpLevel, "iwarp-level");

/// Where the bins are: each level in one, 0.1 % wide at most.
IWARP_TEST(iwarpLevel, "bins hold each level once and are 0.1 % wide")
{
    using Histogram = iwarp::LevelHistogram;
    for (std::size_t bin = 0; bin < 20000; bin++)
    {
        const uint64_t top = Histogram::GetTop(bin);
        NS_TEST_ASSERT_MSG_EQ(Histogram::GetBin(top), bin, "the last of its bin");
        NS_TEST_ASSERT_MSG_EQ(Histogram::GetBin(top + 1), bin + 1, "the first of the next");
    }
    for (uint64_t level : {uint64_t{2047}, uint64_t{2048}, uint64_t{1} << 40, UINT64_MAX})
    {
        const uint64_t top = Histogram::GetTop(Histogram::GetBin(level));
        NS_TEST_EXPECT_MSG_GT_OR_EQ(top, level, "the bin's end");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(double(top - level), level / 1024.0, "0.1 % above it");
    }
}

/// Quantiles of distributions that have them in closed form, with more levels than bins.
IWARP_TEST(iwarpLevel, "quantiles by time in closed form, in bounded memory")
{
    constexpr uint64_t N = 1000000;
    iwarp::LevelHistogram uniform;
    iwarp::LevelHistogram exponential;
    for (uint64_t level = 1; level <= N; level++)
    {
        uniform.Add(level, 7);
        // a level twice as often seen counts twice
        const double share = std::exp(-50.0 * level / N);
        exponential.Add(level, std::llround(1e12 * share));
    }
    for (double p : {0.001, 0.25, 0.5, 0.99, 0.999, 1.0})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(double(uniform.GetQuantile(p)), p * N, p * N / 1000, p);
    }
    iwarp::LevelHistogram high;
    high.Add(1000, 7);
    NS_TEST_EXPECT_MSG_EQ(high.GetQuantile(0), 1000, "the least that there was");
    for (double p : {0.25, 0.5, 0.99, 0.999})
    {
        const double level = -std::log(1 - p) * N / 50;
        NS_TEST_EXPECT_MSG_EQ_TOL(double(exponential.GetQuantile(p)), level, level / 1000, p);
    }
    NS_TEST_EXPECT_MSG_EQ(uniform.GetQuantile(1), N, "the highest level is exact");
    NS_TEST_EXPECT_MSG_LT(uniform.GetBins(), 12000U, "a million levels");
    iwarp::LevelHistogram none;
    none.Add(5, 0);
    NS_TEST_EXPECT_MSG_EQ(none.GetQuantile(0.5), 0, "no time, no level");
}

/// A level that is high before the time of observation and a sawtooth then.
IWARP_TEST(iwarpLevel, "what was before Restart() does not count")
{
    iwarp::LevelOverTime level;
    const auto at = [](uint64_t us, auto&& action) {
        Simulator::Schedule(MicroSeconds(us), action);
    };
    at(0, [&level] { level.Change(0, 50000); });
    at(700, [&level] { level.Change(50000, 100); });
    at(1000, [&level] { level.Restart(); });
    // 100, 200 … 10000, for 10 us each
    for (uint64_t i = 1; i < 100; i++)
    {
        at(1000 + 10 * i, [&level, i] { level.Change(100 * i, 100 * (i + 1)); });
    }
    at(1500, [this, &level] { NS_TEST_EXPECT_MSG_EQ(level.GetPeak(), 5100, "so far"); });
    at(2000, [&level] { level.Stop(); });
    Simulator::Run();
    Simulator::Destroy();
    NS_TEST_EXPECT_MSG_EQ(level.GetPeak(), 10000, "50000 was before");
    NS_TEST_EXPECT_MSG_EQ(level.GetQuantile(0.01), 100, "lowest");
    NS_TEST_EXPECT_MSG_EQ_TOL(double(level.GetQuantile(0.5)), 5000, 5, "half of the time");
    NS_TEST_EXPECT_MSG_EQ_TOL(double(level.GetQuantile(0.99)), 9900, 10, "99 %");
    NS_TEST_EXPECT_MSG_EQ(level.GetQuantile(1), 10000, "all");
}

/// What memory and packet buffer of an RNIC count anew.
IWARP_TEST(iwarpLevel, "an RNIC's memories count anew")
{
    const auto memory = StartPart<RnicReassemblyMemory>("");
    memory->SetHeld(0, 1, 6000);
    memory->SetHeld(2000, 2, 3000);
    memory->SetHeld(5000, 2, 0);
    memory->RestartStatistics(10000);
    NS_TEST_EXPECT_MSG_EQ(memory->GetHeld(), 6000, "is still there");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeak(), 6000, "so far");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLongest(10000), 0, "no time has passed");
    memory->SetHeld(12000, 2, 2000);
    memory->SetHeld(17000, 2, 0);
    // 6000 for 10 ns, 2000 for 5 ns
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMean(20000), 7000, 1e-9, "mean");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeak(), 8000, "peak");
    NS_TEST_EXPECT_MSG_EQ(memory->GetPeakHolders(), 2, "holders");
    NS_TEST_EXPECT_MSG_EQ(memory->GetTaken(), 8000, "went in, and what was there");
    NS_TEST_EXPECT_MSG_EQ(memory->GetLongest(20000), 10000, "what was there still is");
    NS_TEST_EXPECT_MSG_EQ_TOL(memory->GetMeanStay(20000), 8750, 1e-6, "7000 x 10 ns / 8000");

    const auto buffer = StartPart<RnicPacketBuffer>("");
    buffer->Admit(0, 9000);
    buffer->HoldUntil(9000, 4000);
    buffer->Admit(1000, 1000);
    buffer->HoldUntil(1000, 15000);
    buffer->RestartStatistics(10000);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeak(), 1000, "9000 have left");
    NS_TEST_EXPECT_MSG_EQ_TOL(buffer->GetMean(20000), 500, 1e-9, "1000 for half of the time");
}

/// The mean of some times is at most the longest of them, with what is held at the start and at the
/// end of the time that is measured.
struct LevelRnicStay : ScenarioTestCase
{
    /// @param title of the case
    explicit LevelRnicStay(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Flows", "2"},
                            {"HostPairs", "1"},
                            {"Rnic", "t5-like"},
                            {"Alignment", "false"},
                            {"Markers", "false"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpLevel, "an octet stays no longer on average than the longest does", LevelRnicStay)
{
    for (const auto& settings :
         {ScenarioSettings{{"Octets", "0"}, {"Duration", "1ms"}, {"Loss", "0.005"}},
          ScenarioSettings{{"Octets", "30000"}, {"WarmUp", "30000"}, {"Loss", "0.02"}}})
    {
        for (const std::string seed : {"1", "2", "3"})
        {
            auto all = settings;
            all["Seed"] = seed;
            const auto results = RunScenario(all);
            NS_TEST_EXPECT_MSG_GT(results.at("rnic_memory_stay_mean"), 0, "some is held");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(results.at("rnic_memory_stay_mean"),
                                        results.at("rnic_memory_stay_max"),
                                        "seed " << seed);
        }
    }
}
