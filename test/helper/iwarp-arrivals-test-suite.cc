/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/app-distribution.h"
#include "ns3/app-message-sizes.h"
#include "ns3/iwarp-arrivals.h"
#include "ns3/iwarp-flow-file.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// When messages arrive: processes by their counts, files by hand.
IWARP_TEST_SUITE(iwarpArrivals, "iwarp-arrivals");

/// Counts of arrivals in times of equal length
struct CountMoments
{
    double mean;  //!< arrivals in a time
    double ratio; //!< their variance over their mean
};

/// @param arrivals of a source @param length of a time, seconds @param times how many
/// @return what is counted
CountMoments
CountArrivals(iwarp::Arrivals& arrivals, double length, uint32_t times)
{
    arrivals.AssignStreams(5000);
    double next = arrivals.DrawGap();
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 1; i <= times; i++)
    {
        double count = 0;
        for (; next < i * length; next += arrivals.DrawGap())
        {
            count++;
        }
        sum += count;
        squares += count * count;
    }
    const double mean = sum / times;
    return {mean, (squares / times - mean * mean) / mean};
}

/// @param text distribution of times @return it
Ptr<RandomVariableStream>
MakeTimes(const std::string& text)
{
    std::string problem;
    return iwarp::MakeDistribution(text, problem, iwarp::Measure::SECONDS);
}

/**
 * Counts of a Poisson process vary by their mean. Those of a renewal process vary by that times the
 * squared coefficient of variation of its gaps in the long run (D. R. Cox, Renewal Theory, 1962,
 * section 3.3), which is exp(sigma^2) - 1 of log-normal ones.
 */
IWARP_TEST(iwarpArrivals, "rate and dispersion of Poisson and log-normal arrivals")
{
    constexpr double MEAN = 2e-6;
    constexpr double LENGTH = 4e-4; // 200 gaps
    constexpr uint32_t TIMES = 4000;
    // the deviation of the estimated variance over the mean is the root of 2 / TIMES of it
    const double error = 3 * std::sqrt(2.0 / TIMES);
    const auto poisson = CountArrivals(*iwarp::MakePoissonArrivals(MEAN), LENGTH, TIMES);
    NS_TEST_EXPECT_MSG_EQ_TOL(poisson.mean, 200, 3 * std::sqrt(200.0 / TIMES), "rate");
    NS_TEST_EXPECT_MSG_EQ_TOL(poisson.ratio, 1, error, "Poisson");
    for (const double sigma : {0.5, 1.0})
    {
        const double expected = std::exp(sigma * sigma) - 1;
        const auto counted =
            CountArrivals(*iwarp::MakeLogNormalArrivals(MEAN, sigma), LENGTH, TIMES);
        NS_TEST_EXPECT_MSG_EQ_TOL(counted.mean,
                                  200,
                                  3 * std::sqrt(200 * expected / TIMES),
                                  "rate, " << sigma);
        // times of 200 gaps are not for ever
        NS_TEST_EXPECT_MSG_EQ_TOL(counted.ratio, expected, (error + 0.02) * expected, sigma);
    }
}

/**
 * Random arrivals in exponential bursts with exponential pauses are an interrupted Poisson process,
 * whose counts have a variance in closed form (W. Fischer and K. Meier-Hellstern, The
 * Markov-modulated Poisson process cookbook, Performance Evaluation 18, 1993, section 4).
 */
IWARP_TEST(iwarpArrivals, "rate and dispersion of bursts")
{
    constexpr double MEAN = 1e-6;
    constexpr double BURST = 5e-5;
    constexpr double PAUSE = 1.5e-4;
    constexpr double LENGTH = 4e-4;
    constexpr uint32_t TIMES = 20000;
    const double off = 1 / BURST; // rates of going off and on, 1/s
    const double on = 1 / PAUSE;
    const double inside = (BURST + PAUSE) / BURST / MEAN; // arrivals in a burst, 1/s
    const double both = (off + on) * LENGTH;
    const double expected =
        1 + 2 * inside * off / ((off + on) * (off + on)) * (1 - (1 - std::exp(-both)) / both);
    const auto bursts = MakeTimes("ns3::ExponentialRandomVariable[Mean=5e-5]");
    const auto pauses = MakeTimes("ns3::ExponentialRandomVariable[Mean=1.5e-4]");
    const auto counted =
        CountArrivals(*iwarp::MakeOnOffArrivals(MEAN, bursts, pauses, BURST, PAUSE), LENGTH, TIMES);
    const double mean = LENGTH / MEAN;
    NS_TEST_EXPECT_MSG_EQ_TOL(counted.mean,
                              mean,
                              4 * std::sqrt(mean * expected / TIMES),
                              "the rate is kept");
    NS_TEST_EXPECT_MSG_GT(expected, 50, "far from Poisson");
    NS_TEST_EXPECT_MSG_EQ_TOL(counted.ratio, expected, 0.06 * expected, "dispersion");
}

/// Bursts and pauses of fixed lengths, by hand: nothing arrives in a pause.
IWARP_TEST(iwarpArrivals, "bursts and pauses of fixed lengths")
{
    const auto arrivals = iwarp::MakeOnOffArrivals(1e-6,
                                                   MakeTimes("fixed:10us"),
                                                   MakeTimes("fixed:30us"),
                                                   1e-5,
                                                   3e-5);
    NS_TEST_EXPECT_MSG_EQ(arrivals->AssignStreams(6000), 3, "gaps, bursts, pauses");
    double now = arrivals->DrawGap();
    const double phase = now > 3e-5 ? 3e-5 : 0; // it began with a pause, or with a burst
    uint32_t count = 0;
    for (; now < 0.04; now += arrivals->DrawGap())
    {
        const double inside = std::fmod(now - phase + 4e-5, 4e-5);
        NS_TEST_ASSERT_MSG_LT(inside, 1e-5 + 1e-12, "in a burst, at " << now);
        count++;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(count, 40000.0, 4 * std::sqrt(40000.0), "the rate is kept");
}

/// A source is in a pause when it begins with the probability of pauses, here 3/4: its first
/// arrival comes 30 us late then, and within 1 us otherwise, but for exp(-400) of them.
IWARP_TEST(iwarpArrivals, "how many sources begin in a pause")
{
    constexpr uint32_t SOURCES = 2000;
    uint32_t pauses = 0;
    for (uint32_t i = 0; i < SOURCES; i++)
    {
        const auto arrivals = iwarp::MakeOnOffArrivals(1e-8,
                                                       MakeTimes("fixed:10us"),
                                                       MakeTimes("fixed:30us"),
                                                       1e-5,
                                                       3e-5);
        arrivals->AssignStreams(7000 + 3 * i);
        const double first = arrivals->DrawGap();
        NS_TEST_EXPECT_MSG_EQ((first < 1e-6 || (first > 3e-5 && first < 3.1e-5)), true, first);
        pauses += first > 3e-5;
    }
    const double deviation = std::sqrt(SOURCES * 0.75 * 0.25);
    NS_TEST_EXPECT_MSG_EQ_TOL(double(pauses), 0.75 * SOURCES, 4 * deviation, "of all sources");
}

/// Means and quantiles in closed form are those of what is drawn.
IWARP_TEST(iwarpArrivals, "means and quantiles of distributions")
{
    constexpr uint32_t DRAWS = 40000;
    for (const std::string text : {"fixed:700",
                                   "cdf:alistorage2019",
                                   "ns3::UniformRandomVariable[Min=20|Max=60]",
                                   "ns3::ExponentialRandomVariable[Mean=9000]",
                                   "ns3::LogNormalRandomVariable[Mu=7|Sigma=0.5]",
                                   "ns3::ParetoRandomVariable[Scale=100|Shape=4]"})
    {
        std::string problem;
        const auto variable = iwarp::MakeDistribution(text, problem);
        variable->SetStream(77);
        const auto median = iwarp::FindQuantile(variable, 0.5);
        const auto most = iwarp::FindQuantile(variable, 0.9);
        const auto mean = iwarp::FindMean(variable);
        NS_TEST_ASSERT_MSG_EQ((mean && median && most), true, text);
        double sum = 0;
        double squares = 0;
        uint32_t below = 0;
        uint32_t belowMost = 0;
        for (uint32_t i = 0; i < DRAWS; i++)
        {
            const double value = variable->GetValue();
            sum += value;
            squares += value * value;
            below += value <= *median;
            belowMost += value <= *most;
        }
        const double error =
            std::sqrt(std::max(0.0, squares / DRAWS - sum / DRAWS * sum / DRAWS) / DRAWS);
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / DRAWS, *mean, 4 * error + 1e-9, text);
        const bool fixed = text == "fixed:700";
        NS_TEST_EXPECT_MSG_EQ_TOL(below / double(DRAWS), (fixed ? 1 : 0.5), 0.01, text);
        NS_TEST_EXPECT_MSG_EQ_TOL(belowMost / double(DRAWS), (fixed ? 1 : 0.9), 0.006, text);
    }
    for (const std::string text : {"ns3::ExponentialRandomVariable[Mean=9|Bound=20]",
                                   "ns3::ParetoRandomVariable[Scale=1|Shape=1]",
                                   "ns3::ZipfRandomVariable"})
    {
        std::string problem;
        const auto variable = iwarp::MakeDistribution(text, problem);
        NS_TEST_EXPECT_MSG_EQ(iwarp::FindMean(variable).has_value(), false, text);
        NS_TEST_EXPECT_MSG_EQ(iwarp::FindQuantile(variable, 0.5).has_value(), false, text);
    }
}

/// @param text of a file @param names of hosts @param [out] file it @return what is wrong, or ""
std::string
LoadFlows(const std::string& text, const std::vector<std::string>& names, iwarp::FlowFile& file)
{
    std::istringstream in(text);
    const std::string problem = file.Load(in, "flows.csv");
    return problem.empty() ? file.Resolve(names) : problem;
}

/// Rows of a file become messages in the order of their times.
IWARP_TEST(iwarpArrivals, "a file of flows")
{
    iwarp::FlowFile file;
    const std::vector<std::string> names{"leaf 0:0", "leaf 0:1", "Berlin"};
    NS_TEST_ASSERT_MSG_EQ(LoadFlows("time,source,destination,octets\n"
                                    "# a comment\n"
                                    "0.002, 0, 1, 10\n"
                                    "\n"
                                    "1e-3,Berlin,leaf 0:1,4294967295\r\n"
                                    "0.002,2,1,11\n"
                                    "0.001,0,2,12\n",
                                    names,
                                    file),
                          "",
                          "good");
    const auto& messages = file.ListMessages();
    NS_TEST_ASSERT_MSG_EQ(messages.size(), 4, "rows");
    NS_TEST_EXPECT_MSG_EQ(messages[0].time, MilliSeconds(1), "by time");
    NS_TEST_EXPECT_MSG_EQ(messages[0].octets, 4294967295, "the longest");
    NS_TEST_EXPECT_MSG_EQ(messages[1].octets, 12, "of one time in their order");
    NS_TEST_EXPECT_MSG_EQ(messages[2].octets, 10, "behind");
    NS_TEST_EXPECT_MSG_EQ(messages[3].octets, 11, "and in their order");
    const IwarpTopology::Ends ends{{2, 1}, {0, 2}, {0, 1}};
    NS_TEST_EXPECT_MSG_EQ((file.ListEnds() == ends), true, "each once");
    NS_TEST_EXPECT_MSG_EQ(messages[3].pair, messages[0].pair, "the same hosts");
    NS_TEST_EXPECT_MSG_EQ(messages[1].pair, 1, "others");
}

/// What is wrong with a file is said with the line.
IWARP_TEST(iwarpArrivals, "files of flows that are wrong")
{
    const std::vector<std::string> names{"a", "b", "c"};
    const std::map<std::string, std::string> wrong{
        {"", "flows.csv: no rows"},
        {"time,source,destination,octets\n", "flows.csv: no rows"},
        {"0,0,1\n", "flows.csv, line 1: not time,source,destination,octets: '0,0,1'"},
        {"# x\n0,0,1,5,6\n", "flows.csv, line 2: not time,source,destination,octets: '0,0,1,5,6'"},
        {"0,0,1,5\n-1,0,1,5\n",
         "flows.csv, line 2: the time is no number of seconds of 0 to 1000000: '-1,0,1,5'"},
        {"nan,0,1,5\n0,0,1,5\n", ""}, // the first line may hold names
        {"0,0,1,5\nnan,0,1,5\n",
         "flows.csv, line 2: the time is no number of seconds of 0 to 1000000: 'nan,0,1,5'"},
        {"0,,1,5\n", "flows.csv, line 1: a host is missing: '0,,1,5'"},
        {"0,0,1,0\n", "flows.csv, line 1: the octets are no number of 1 to 4294967295: '0,0,1,0'"},
        {"0,0,1,1.5\n",
         "flows.csv, line 1: the octets are no number of 1 to 4294967295: '0,0,1,1.5'"},
        {"0,0,1,4294967296\n",
         "flows.csv, line 1: the octets are no number of 1 to 4294967295: '0,0,1,4294967296'"},
        {"0,0,1,5\n0,0,3,5\n",
         "flows.csv, line 2: there is no host '3'; there are 3, from 0 on, the first of which is "
         "also 'a'"},
        {"0,d,1,5\n",
         "flows.csv, line 1: there is no host 'd'; there are 3, from 0 on, the first of which is "
         "also 'a'"},
        {"0,b,1,5\n", "flows.csv, line 1: a host sends to itself"},
    };
    for (const auto& [text, problem] : wrong)
    {
        iwarp::FlowFile file;
        NS_TEST_EXPECT_MSG_EQ(LoadFlows(text, names, file), problem, text);
    }
    NS_TEST_EXPECT_MSG_EQ(iwarp::FlowFile().Load("/no/such/file.csv"),
                          "there is no file '/no/such/file.csv', or it cannot be read",
                          "no file");
}

} // namespace
