/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_ORDER_STATISTICS_H
#define UTIL_ORDER_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-util
 * @brief Samples in order, and quantiles with the intervals that order statistics give.
 *
 * How many of n independent samples are below a quantile p is binomial (n, p), whatever the
 * distribution of the samples. So the ranks between which the quantile lies in 95 % of all cases
 * are those of that binomial distribution (H. A. David and H. N. Nagaraja, Order Statistics, 3rd
 * edition, section 7.1), and with too few samples there are none. Samples that follow each other in
 * a queue are not independent: of these the interval is too narrow, and several runs tell more.
 */
class OrderStatistics
{
  public:
    /// Between which samples a quantile lies, the smallest of all being 1
    struct Ranks
    {
        uint64_t low;  //!< lower end
        uint64_t high; //!< upper end
    };

    /// A quantile of what the samples are drawn from
    struct Quantile
    {
        double value; //!< the smallest sample that at least that share of all do not exceed
        double low;   //!< lower end of its 95 % interval
        double high;  //!< upper end
    };

    /// Sort samples. @param samples any
    explicit OrderStatistics(std::vector<double> samples);

    std::size_t GetN() const; //!< Count the samples. @return how many
    double GetMean() const;   //!< Get their mean. @return it, 0 without samples
    /// Get a quantile of the samples. @param p 0 to 1 @return the smallest sample that at least
    /// that share of all do not exceed; 0 without samples
    double GetQuantile(double p) const;

    /// Find a quantile of what the samples are drawn from. @param p more than 0 and less than 1
    /// @return it, or nothing if there are too few samples for its interval
    std::optional<Quantile> FindQuantile(double p) const;

    /// Find the ranks of the 95 % interval of a quantile: in 2.5 % of all cases at most it is below
    /// the lower end, and above the upper one in as many. @param n samples @param p more than 0 and
    /// less than 1 @return ranks, or nothing if n samples are too few
    static std::optional<Ranks> FindRanks(uint64_t n, double p);

    /// Tell what FindQuantile() needs. @param p more than 0 and less than 1 @return the fewest
    /// samples with which a quantile has its interval
    static uint64_t GetLeast(double p);

  private:
    std::vector<double> m_samples; //!< in ascending order
};

} // namespace iwarp
} // namespace ns3

#endif // UTIL_ORDER_STATISTICS_H
