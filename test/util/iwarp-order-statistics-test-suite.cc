/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/util-order-statistics.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;

/// Quantiles with their intervals by ranks.
IWARP_TEST_SUITE(iwarpOrderStatistics, "iwarp-order-statistics");

namespace
{

/// @param n trials @param p chance of one @param k successes @return chance of k or fewer, summed
/// up by the ratio of two that follow each other
double
SumBinomial(uint64_t n, double p, uint64_t k)
{
    double sum = 0;
    double log = static_cast<double>(n) * std::log1p(-p);
    for (uint64_t i = 0; i <= k; i++)
    {
        sum += std::exp(log);
        log += std::log(static_cast<double>(n - i) / static_cast<double>(i + 1) * p / (1 - p));
    }
    return sum;
}

} // namespace

/// The ranks are the closest ones beyond which the binomial distribution has 2.5 % at most each.
IWARP_TEST(iwarpOrderStatistics, "ranks against sums of the binomial distribution")
{
    for (const double p : {0.5, 0.95, 0.99, 0.999})
    {
        for (const uint64_t n : {6, 71, 72, 100, 367, 368, 1000, 3687, 3688, 20000})
        {
            const auto ranks = iwarp::OrderStatistics::FindRanks(n, p);
            const double all = std::pow(p, static_cast<double>(n)); // are below the quantile
            NS_TEST_EXPECT_MSG_EQ(ranks.has_value(), (all <= 0.025), n << " for " << p);
            if (!ranks)
            {
                continue;
            }
            // P(fewer than low samples are below) and P(high or more are) of the quantile
            NS_TEST_EXPECT_MSG_LT_OR_EQ(SumBinomial(n, p, ranks->low - 1), 0.025, n << " " << p);
            NS_TEST_EXPECT_MSG_GT(SumBinomial(n, p, ranks->low), 0.025, "closer is too close");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(SumBinomial(n, p, ranks->high - 1),
                                        0.975 - 1e-9,
                                        n << " " << p);
            NS_TEST_EXPECT_MSG_LT(SumBinomial(n, p, ranks->high - 2), 0.975, "closer is too close");
        }
    }
}

/// How many samples percentiles need: 0.5^6 is 1.6 %, 0.99^368 is 2.48 %, 0.999^3688 is 2.497 %.
IWARP_TEST(iwarpOrderStatistics, "fewest samples")
{
    using iwarp::OrderStatistics;
    const std::vector<std::pair<double, uint64_t>> least{{0.5, 6},
                                                         {0.95, 72},
                                                         {0.99, 368},
                                                         {0.999, 3688},
                                                         {0.05, 72}};
    for (const auto& [p, n] : least)
    {
        NS_TEST_EXPECT_MSG_EQ(OrderStatistics::GetLeast(p), n, p);
        NS_TEST_EXPECT_MSG_EQ(
            OrderStatistics(std::vector<double>(n, 1)).FindQuantile(p).has_value(),
            true,
            p);
        NS_TEST_EXPECT_MSG_EQ(
            OrderStatistics(std::vector<double>(n - 1, 1)).FindQuantile(p).has_value(),
            false,
            p);
    }
    const OrderStatistics none({});
    NS_TEST_EXPECT_MSG_EQ(none.GetQuantile(0.5), 0, "no samples");
    NS_TEST_EXPECT_MSG_EQ(none.GetMean(), 0, "no samples");
}

/// By hand: of ten samples the median is the fifth, between the second and the ninth with a chance
/// of 1 - 2 (1 + 10) / 1024.
IWARP_TEST(iwarpOrderStatistics, "ten samples")
{
    const iwarp::OrderStatistics ten({7, 3, 9, 1, 10, 5, 2, 8, 6, 4});
    NS_TEST_EXPECT_MSG_EQ(ten.GetN(), 10, "all");
    NS_TEST_EXPECT_MSG_EQ(ten.GetMean(), 5.5, "mean");
    NS_TEST_EXPECT_MSG_EQ(ten.GetQuantile(0), 1, "least");
    NS_TEST_EXPECT_MSG_EQ(ten.GetQuantile(0.91), 10, "greatest");
    const auto median = ten.FindQuantile(0.5);
    NS_TEST_ASSERT_MSG_EQ(median.has_value(), true, "enough");
    NS_TEST_EXPECT_MSG_EQ(median->value, 5, "median");
    NS_TEST_EXPECT_MSG_EQ(median->low, 2, "P(1 or fewer below) is 11 / 1024");
    NS_TEST_EXPECT_MSG_EQ(median->high, 9, "and as likely 9 or more");
}

/// Intervals hold the quantile of an exponential distribution in 95 % of all cases or some more.
IWARP_TEST(iwarpOrderStatistics, "coverage")
{
    std::mt19937_64 random(7);
    std::exponential_distribution<double> exponential(1);
    constexpr uint32_t RUNS = 2000;
    for (const double p : {0.5, 0.99})
    {
        uint32_t held = 0;
        for (uint32_t run = 0; run < RUNS; run++)
        {
            std::vector<double> samples(500);
            for (auto& sample : samples)
            {
                sample = exponential(random);
            }
            const auto found = iwarp::OrderStatistics(samples).FindQuantile(p);
            const double truth = -std::log(1 - p);
            held += found && found->low <= truth && truth <= found->high;
        }
        NS_TEST_EXPECT_MSG_GT(held, 0.94 * RUNS, "covered, " << p);
        NS_TEST_EXPECT_MSG_LT(held, 0.99 * RUNS, "and not by intervals without end, " << p);
    }
}
