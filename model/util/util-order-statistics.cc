/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-order-statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr double TAIL = 0.025; //!< chance that a quantile is beyond an end of its interval

} // namespace

OrderStatistics::OrderStatistics(std::vector<double> samples)
    : m_samples(std::move(samples))
{
    std::sort(m_samples.begin(), m_samples.end());
}

std::size_t
OrderStatistics::GetN() const
{
    return m_samples.size();
}

double
OrderStatistics::GetMean() const
{
    const double sum = std::accumulate(m_samples.begin(), m_samples.end(), 0.0);
    return m_samples.empty() ? 0 : sum / static_cast<double>(m_samples.size());
}

double
OrderStatistics::GetQuantile(double p) const
{
    const auto n = static_cast<double>(m_samples.size());
    const auto rank = static_cast<std::size_t>(std::clamp(std::ceil(p * n), 1.0, std::max(n, 1.0)));
    return m_samples.empty() ? 0 : m_samples[rank - 1];
}

std::optional<OrderStatistics::Quantile>
OrderStatistics::FindQuantile(double p) const
{
    const auto ranks = FindRanks(m_samples.size(), p);
    if (!ranks)
    {
        return std::nullopt;
    }
    return Quantile{GetQuantile(p), m_samples[ranks->low - 1], m_samples[ranks->high - 1]};
}

std::optional<OrderStatistics::Ranks>
OrderStatistics::FindRanks(uint64_t n, double p)
{
    if (n < GetLeast(p))
    {
        return std::nullopt;
    }
    using boost::math::binomial_distribution;
    using boost::math::policies::discrete_quantile;
    using boost::math::policies::integer_round_up;
    using boost::math::policies::policy;
    // how many samples are below the quantile: the least number that so many chances do not exceed
    const binomial_distribution<double, policy<discrete_quantile<integer_round_up>>> below(
        static_cast<double>(n),
        p);
    const auto few = static_cast<uint64_t>(boost::math::quantile(below, TAIL));
    const auto many = static_cast<uint64_t>(boost::math::quantile(complement(below, TAIL)));
    return Ranks{few, many + 1};
}

uint64_t
OrderStatistics::GetLeast(double p)
{
    // all samples are below the quantile, or none is, with a chance of 2.5 % at most each
    return static_cast<uint64_t>(
        std::ceil(std::log(TAIL) / std::log(std::max(p, 1 - p)) * (1 - 1e-12)));
}

} // namespace iwarp
} // namespace ns3
