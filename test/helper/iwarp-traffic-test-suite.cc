/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../path/path-test-impairment.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-traffic-pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpTraffic, "iwarp-traffic");

using iwarp::TrafficPattern;
using Ends = IwarpTopology::Ends;                    //!< hosts that send and receive
using Settings = std::map<std::string, std::string>; //!< parameters and values
using Results = std::map<std::string, double>;       //!< metrics

/// Patterns by their counts; permutations are without a fixed point, each as likely as another.
struct PatternTest : TestCase
{
    using TestCase::TestCase;

    /// @param pattern who sends to whom @param hosts there are @param senders of an incast
    /// @return ends, for a topology with pairs from each even host to the next
    Ends Make(TrafficPattern pattern, uint32_t hosts, uint32_t senders = 0)
    {
        Ends pairs;
        for (uint32_t i = 0; i + 1 < hosts; i += 2)
        {
            pairs.emplace_back(i, i + 1);
        }
        std::vector<uint32_t> all(hosts);
        std::iota(all.begin(), all.end(), 0);
        return iwarp::MakeEnds(pattern, all, pairs, senders, [this](uint32_t most) {
            return static_cast<uint32_t>(m_random() % (most + 1));
        });
    }

    void CheckAllToAll()
    {
        for (const uint32_t n : {2, 3, 7, 16})
        {
            const auto ends = Make(TrafficPattern::ALL_TO_ALL, n);
            const std::set<std::pair<uint32_t, uint32_t>> different(ends.begin(), ends.end());
            NS_TEST_EXPECT_MSG_EQ(ends.size(), n * (n - 1), "pairs");
            NS_TEST_EXPECT_MSG_EQ(different.size(), n * (n - 1), "all different");
            for (const auto& [from, to] : ends)
            {
                NS_TEST_EXPECT_MSG_EQ((from != to && from < n && to < n), true, "two hosts");
            }
        }
    }

    void CheckIncast()
    {
        // receiver 1; those that send in pairs come first
        NS_TEST_EXPECT_MSG_EQ((Make(TrafficPattern::INCAST, 6, 3) == Ends{{0, 1}, {2, 1}, {4, 1}}),
                              true,
                              "senders of pairs");
        NS_TEST_EXPECT_MSG_EQ(
            (Make(TrafficPattern::INCAST, 6, 4) == Ends{{0, 1}, {2, 1}, {4, 1}, {3, 1}}),
            true,
            "other hosts");
        NS_TEST_EXPECT_MSG_EQ(Make(TrafficPattern::INCAST, 6, 0).size(), 5, "all");
        NS_TEST_EXPECT_MSG_EQ(Make(TrafficPattern::INCAST, 6, 9).size(), 5, "no more than all");
    }

    void CheckPermutations()
    {
        const uint32_t n = 4;
        const uint32_t draws = 9000;
        std::map<Ends, uint32_t> seen;
        for (uint32_t i = 0; i < draws; i++)
        {
            const auto ends = Make(TrafficPattern::PERMUTATION, n);
            std::set<uint32_t> receivers;
            for (const auto& [from, to] : ends)
            {
                NS_TEST_ASSERT_MSG_NE(from, to, "no fixed point");
                receivers.insert(to);
            }
            NS_TEST_ASSERT_MSG_EQ(receivers.size(), n, "each receives from one");
            seen[ends]++;
        }
        // of four things there are nine derangements
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 9, "derangements");
        const double p = 1.0 / 9;
        for (const auto& [ends, count] : seen)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count),
                                      draws * p,
                                      4 * std::sqrt(draws * p * (1 - p)),
                                      "equally likely");
        }
    }

    std::mt19937 m_random{1}; //!< draws
};

IWARP_TEST(iwarpTraffic, "Who sends to whom", PatternTest)
{
    CheckAllToAll();
    CheckIncast();
    CheckPermutations();
    NS_TEST_EXPECT_MSG_EQ((Make(TrafficPattern::PAIRS, 4) == Ends{{0, 1}, {2, 3}}),
                          true,
                          "the topology's");
}

/// Runs scenarios at one switch of 10 Gbit/s, without Markers, so that segments have 1428 octets.
class StarTest : public TestCase
{
  protected:
    using TestCase::TestCase;

    /// @param settings besides @param error what it says, or "" @return metrics
    Results Run(const Settings& settings, const std::string& error = "")
    {
        Settings all{{"Topology", "star"},
                     {"AccessRate", "10Gbps"},
                     {"Markers", "false"},
                     {"PlainTcp", "false"},
                     {"QueueSize", "100000p"}};
        for (const auto& [name, value] : settings)
        {
            all[name] = value;
        }
        auto scenario = CreateObject<IwarpScenario>();
        std::string problem;
        for (const auto& [name, value] : all)
        {
            const std::string wrong = scenario->SetParameter(name, value);
            problem = wrong.empty() ? problem : wrong;
        }
        if (problem.empty() && !scenario->Run())
        {
            problem = scenario->GetError();
        }
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, error.empty() ? problem.size() : error.size()),
                              error,
                              "error");
        Results results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }
};

/// Connections and messages of each pattern, whatever the workload; what the network does not
/// allow.
IWARP_TEST(iwarpTraffic, "Connections of patterns", StarTest)
{
    const Settings few{{"MessageSizes", "fixed:2000"}, {"Octets", "10000"}, {"HostPairs", "2"}};
    for (const char* workload : {"mpa", "rdma-read", "send"})
    {
        for (const auto& [pattern, connections] :
             std::map<std::string, int>{{"all-to-all", 12}, {"incast", 3}, {"permutation", 4}})
        {
            Settings settings = few;
            settings["Pattern"] = pattern;
            settings["Workload"] = workload;
            settings["Flows"] = "2";
            NS_TEST_EXPECT_MSG_EQ(Run(settings)["messages"],
                                  2 * connections * 5,
                                  pattern << " of " << workload);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(Run({{"Pattern", "incast"},
                               {"IncastSenders", "5"},
                               {"MessageSizes", "fixed:2000"},
                               {"Octets", "2000"}})["messages"],
                          5,
                          "as many hosts as an incast needs");
    Run({{"Pattern", "all-to-all"}, {"HostPairs", "2"}, {"Topology", "point-to-point"}},
        "Topology: no path joins hosts ");
    Run({{"Pattern", "all-to-all"}, {"HostPairs", "5"}, {"Flows", "20000"}},
        "Pattern, Flows: 1800000 connections are more than 1048576");
    Run({{"HostPairs", "1"}, {"Flows", "16385"}},
        "Pattern, Flows: host 0 has 16385 connections, more than it has ports for: 16384 ");
    Run({{"Pattern", "incast"}, {"IncastSenders", "16"}, {"Topology", "fat-tree"}},
        "IncastSenders: the topology has only 15 hosts");
    Run({{"Load", "0.5"}, {"Intervals", "fixed:0.1"}}, "Load, Intervals: ");
    Run({{"Load", "0.5"}, {"MessageSizes", "ns3::ZipfRandomVariable"}}, "Load: it needs the mean");
    // one link between routers, which data and ACKs cross both ways
    PathTestPeriodicImpairment::made = 0;
    Settings settings = few;
    settings["Topology"] = "dumbbell";
    settings["Pattern"] = "all-to-all";
    settings["Impairment"] = "PathTestPeriodicImpairment";
    settings["PathTestPeriodicImpairment.Period"] = "1000000"; // it loses nothing
    settings["ImpairmentPlace"] = "core";
    settings["ImpairmentDirection"] = "both";
    Run(settings);
    NS_TEST_EXPECT_MSG_EQ(PathTestPeriodicImpairment::made, 2, "one in each direction");
}

/// Senders that begin at once are done when the receiver's link has carried all frames.
IWARP_TEST(iwarpTraffic, "Drain time of an incast", StarTest)
{
    const double n = 8;
    const double size = 500000;
    const double taken = Run({{"Pattern", "incast"},
                              {"IncastSenders", "8"},
                              {"StartSpread", "0us"},
                              {"MessageSizes", "fixed:500000"},
                              {"Octets", "500000"}})["duration"];
    const double drain = n * size * 8 / 10e9 * 1538 / 1428;
    NS_TEST_EXPECT_MSG_GT(taken, drain, "not faster than the link");
    // connecting is two round trips of some 10 us, and slow start fills the link in few
    NS_TEST_EXPECT_MSG_LT(taken, 1.02 * drain, "the link is busy");
}

/**
 * Poisson arrivals have the load asked for; a message that meets no other takes what the closed
 * form says, and one in a queue longer.
 */
IWARP_TEST(iwarpTraffic, "Poisson arrivals, slowdown", StarTest)
{
    // Far apart: alone, up to what the initial window of ten segments takes. Around the payload
    // are headers and CRC of 72 octets, PAD, and 26 of Ethernet's before the gap; a full frame
    // takes 1538 octet times, and has arrived after 1526. Each of the two links adds 1 us.
    const std::map<int, double> octets{{10, 2 * (10 + 72 + 2 + 26)},
                                       {1000, 2 * (1000 + 72 + 26)},
                                       {9000, 1526 + 6 * 1538 + (9000 - 6 * 1428 + 72 + 26)}};
    for (const auto& [size, octetTimes] : octets)
    {
        auto alone = Run({{"Load", "0.001"},
                          {"MessageSizes", "fixed:" + std::to_string(size)},
                          {"Octets", std::to_string(50 * size)}});
        const std::string bin = size == 9000 ? "_10000" : "_" + std::to_string(size);
        NS_TEST_EXPECT_MSG_EQ_TOL(alone["size_time_p50" + bin],
                                  2e-6 + octetTimes * 8 / 10e9,
                                  3e-9,
                                  "time of " << size);
        NS_TEST_EXPECT_MSG_EQ_TOL(alone["slowdown_p50"], 1, 2e-3, "alone, " << size);
        NS_TEST_EXPECT_MSG_EQ(alone["size_messages" + bin], alone["messages"], "all of one size");
    }
    // four hosts, each with three others: each link has a load of one half
    auto busy = Run({{"Pattern", "all-to-all"},
                     {"HostPairs", "2"},
                     {"Load", "0.5"},
                     {"MessageSizes", "fixed:10000"},
                     {"Octets", "0"},
                     {"Duration", "10ms"}});
    const double mean = 4 * 0.5 * 10e9 * 10e-3 / 8 / 10000;
    NS_TEST_EXPECT_MSG_EQ_TOL(busy["messages"], mean, 4 * std::sqrt(mean), "messages");
    NS_TEST_EXPECT_MSG_GT(busy["slowdown_p50"], 1, "queues");
    NS_TEST_EXPECT_MSG_GT(busy["slowdown_p99"], busy["slowdown_p50"], "some are longer");
    // a flow among three of its host, or two connections of each: the same load
    auto twice = Run({{"Pattern", "all-to-all"},
                      {"HostPairs", "2"},
                      {"Flows", "2"},
                      {"Load", "0.5"},
                      {"MessageSizes", "fixed:10000"},
                      {"Octets", "0"},
                      {"Duration", "10ms"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(twice["messages"], mean, 4 * std::sqrt(mean), "messages");
}

} // namespace
