/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/util-text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Open loops on one link against closed forms of queueing theory.
IWARP_TEST_SUITE(iwarpQueueing, "iwarp-queueing");

constexpr double QUEUEING_RATE = 10e9;   //!< of the link, bit/s
constexpr double QUEUEING_PACKET = 1440; //!< payload of a full packet of go-back-n, octets
constexpr double STUDENT_7_999 = 5.41;   //!< Student's t of 7 degrees of freedom, 99.9 % two-sided

/// Means of a metric over independent runs
struct RunMeans
{
    double mean; //!< over all
    double half; //!< of the 99.9 % interval
};

/// @param values one of each of 8 runs @return their mean with its interval
RunMeans
MeanOfRuns(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values)
    {
        sum += value;
        squares += value * value;
    }
    const auto n = static_cast<double>(values.size());
    const double variance = (squares - sum * sum / n) / (n - 1);
    return {sum / n, STUDENT_7_999 * std::sqrt(variance / n)};
}

/// Messages of whole packets between two hosts, 8 runs
class QueueingTest : public ScenarioTestCase
{
  protected:
    /// @param title of the case
    explicit QueueingTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "point-to-point"},
                            {"LinkRate", "10Gbps"},
                            {"Delay", "1us"},
                            {"QueueSize", "1000000p"},
                            {"PlainTcp", "false"},
                            {"StartSpread", "0s"},
                            {"Markers", "false"}})
    {
    }

    static constexpr uint32_t RUNS = 8; //!< independent ones

    /// @param packets of a message of go-back-n @return time that the link takes for it, seconds:
    /// 38 octets of Ethernet, 60 of headers around the first packet's payload and 44 around others'
    static double GetService(double packets)
    {
        return (packets * (QUEUEING_PACKET + 44 + 38) + 16) * 8 / QUEUEING_RATE;
    }

    /// @param small packets of a message @param large packets of one in four
    /// @return file with the distribution
    std::string WriteSizes(uint32_t small, uint32_t large)
    {
        const std::string path = CreateTempDirFilename("sizes.csv");
        const double one = QUEUEING_PACKET * small;
        const double other = QUEUEING_PACKET * large;
        std::ofstream(path) << one << ",0\n"
                            << one << ",75\n"
                            << other << ",75\n"
                            << other << ",100\n";
        return path;
    }
};

/**
 * Messages of one queue pair wait for each other: a message that comes at a random time waits for
 * W = lambda E(S^2) / (2 (1 - rho)) on average (Pollaczek and Khinchine), and then takes what it
 * takes alone. Two sizes of messages, at a load of 0.7 of the link's time.
 */
IWARP_TEST(iwarpQueueing, "one queue in the order of arrival", QueueingTest)
{
    constexpr double RHO = 0.7;
    constexpr uint32_t SMALL = 2;
    constexpr uint32_t LARGE = 14;
    const double mean = 0.75 * GetService(SMALL) + 0.25 * GetService(LARGE);
    const double square =
        0.75 * std::pow(GetService(SMALL), 2) + 0.25 * std::pow(GetService(LARGE), 2);
    const double payload = QUEUEING_PACKET * (0.75 * SMALL + 0.25 * LARGE);
    const double wait = RHO / mean * square / (2 * (1 - RHO));
    // the last octet has come when the gap behind the frame has not yet passed
    const double alone = mean + 1e-6 - 12 * 8 / QUEUEING_RATE;
    ScenarioSettings settings{{"Workload", "go-back-n"},
                              {"IwarpRoceWorkload.Window", "64"},
                              {"MessageSizes", "cdf:" + WriteSizes(SMALL, LARGE)},
                              {"Load", std::to_string(RHO * payload * 8 / QUEUEING_RATE / mean)},
                              {"ArrivalWarmUp", "4ms"},
                              {"ArrivalWindow", "20ms"}};
    std::vector<double> times;
    std::vector<double> arrivals;
    for (uint32_t run = 1; run <= RUNS; run++)
    {
        settings["Run"] = std::to_string(run);
        auto found = RunScenario(settings);
        times.push_back(found["message_time_mean"]);
        arrivals.push_back(found["offered_messages"]);
        NS_TEST_EXPECT_MSG_EQ(found["censored_messages"], 0, "all end");
        // Little's law, of the messages of the window and of those under way in it
        const double rate = found["offered_messages"] / 20e-3;
        NS_TEST_EXPECT_MSG_EQ_TOL(found["messages_under_way"],
                                  rate * found["message_time_mean"],
                                  0.02 * found["messages_under_way"],
                                  "Little, run " << run);
    }
    const auto count = MeanOfRuns(arrivals);
    NS_TEST_EXPECT_MSG_EQ_TOL(count.mean, RHO / mean * 20e-3, count.half, "Poisson");
    const auto taken = MeanOfRuns(times);
    NS_TEST_EXPECT_MSG_LT(taken.half, 0.25 * wait, "a narrow interval");
    NS_TEST_EXPECT_MSG_EQ_TOL(taken.mean, alone + wait, taken.half, "Pollaczek and Khinchine");
}

/**
 * Each message has a connection, and the host's connections take turns packet by packet: a message
 * takes 1 / (1 - rho) times what it takes alone, whatever its size (L. Kleinrock, Queueing Systems
 * volume 2, section 4.4). The host reads DEPTH packets ahead, which a message meets if it is not
 * alone: with chance rho they are 16 of its 100 or 400.
 */
IWARP_TEST(iwarpQueueing, "processor sharing", QueueingTest)
{
    constexpr double RHO = 0.5;
    constexpr uint32_t SMALL = 100;
    constexpr uint32_t LARGE = 400;
    constexpr double DEPTH = 16;
    const double mean = 0.75 * GetService(SMALL) + 0.25 * GetService(LARGE);
    const double payload = QUEUEING_PACKET * (0.75 * SMALL + 0.25 * LARGE);
    const std::string log = CreateTempDirFilename("messages.csv");
    ScenarioSettings settings{{"Workload", "go-back-n"},
                              {"IwarpRoceWorkload.Window", "64"},
                              {"Connections", "pool"},
                              {"MessageSizes", "cdf:" + WriteSizes(SMALL, LARGE)},
                              {"Load", std::to_string(RHO * payload * 8 / QUEUEING_RATE / mean)},
                              {"ArrivalWarmUp", "20ms"},
                              {"ArrivalWindow", "150ms"},
                              {"MessageLog", log}};
    std::map<double, std::vector<double>> slowdowns; // by packets, of each run
    for (uint32_t run = 1; run <= RUNS; run++)
    {
        settings["Run"] = std::to_string(run);
        RunScenario(settings);
        std::map<double, std::pair<double, double>> sums;
        std::ifstream in(log);
        std::string line;
        for (std::getline(in, line); std::getline(in, line);)
        {
            const auto cells = iwarp::Split(line, ',');
            auto& [sum, count] = sums[std::strtod(cells[3].c_str(), nullptr) / QUEUEING_PACKET];
            sum += std::strtod(cells[5].c_str(), nullptr);
            count++;
        }
        for (const auto& [packets, sum] : sums)
        {
            slowdowns[packets].push_back(sum.first / sum.second);
        }
    }
    NS_TEST_ASSERT_MSG_EQ(slowdowns.size(), 2, "sizes");
    for (const auto& [packets, values] : slowdowns)
    {
        const auto found = MeanOfRuns(values);
        const double least = 1 / (1 - RHO);
        NS_TEST_EXPECT_MSG_LT(found.half, 0.35 * least, "a narrow interval, " << packets);
        NS_TEST_EXPECT_MSG_GT(found.mean, least - found.half, packets << " packets");
        NS_TEST_EXPECT_MSG_LT(found.mean,
                              least + RHO * DEPTH / packets + found.half,
                              packets << " packets");
    }
}

} // namespace
