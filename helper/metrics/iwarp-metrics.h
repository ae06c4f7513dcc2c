/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_METRICS_H
#define IWARP_METRICS_H

#include "ns3/app-metric.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

class RankLedger;

/**
 * @ingroup iwarp-helper
 * @brief Enters metrics into the registry of all that runs report.
 *
 * Whoever measures has one static object of this class in its file.
 */
class MetricDeclarations
{
  public:
    /// Declare metrics. @param metrics what they are
    explicit MetricDeclarations(const std::vector<MetricInfo>& metrics);

    /**
     * @brief Declare metrics that applications compute.
     * @param prefix of their names
     * @param metrics what they are; values do not matter
     */
    MetricDeclarations(const std::string& prefix, const std::vector<AppMetric>& metrics);
};

/// @ingroup iwarp-helper
/// @brief Name a rule of merging. @param merge it @return sum, maximum, ratio, samples, level, run
std::string ToString(MetricMerge merge);

/// @ingroup iwarp-helper
/// @brief List the registry. @return all metrics declared, by name
const std::map<std::string, MetricInfo>& GetDeclaredMetrics();

/**
 * @ingroup iwarp-helper
 * @brief The metrics of a run, each merged from the values added to it by the rule declared for it.
 */
class MetricSet
{
  public:
    /**
     * @brief Add a value of a flow, a host, an RNIC or the run.
     * @param name name of a metric declared
     * @param value value, or the numerator of a RATIO
     * @param weight denominator of a RATIO
     */
    void Add(const std::string& name, double value, double weight = 1);

    /**
     * @brief Add what an application has measured.
     * @param prefix of the names that were declared
     * @param metrics of the application
     * @param suffix of the names here, such as a size in a series
     */
    void Add(const std::string& prefix,
             const std::vector<AppMetric>& metrics,
             const std::string& suffix = "");

    /// Add all of another set. @param other metrics
    void Add(const MetricSet& other);

    /// Give all to another rank of a run, or add those of another. @param ledger of the ranks
    void Share(RankLedger& ledger);

    /// Get the results. @return metrics in the order in which they were first added
    std::vector<AppMetric> Get() const;

  private:
    /// A metric with its values so far
    struct Entry
    {
        MetricInfo info;  //!< what it is
        double value;     //!< value, or numerator
        double weight{0}; //!< denominator of a RATIO
    };

    /// Add a value. @param info what it is of @param name name here @param value value
    /// @param weight denominator of a RATIO
    void Merge(const MetricInfo& info, const std::string& name, double value, double weight);

    std::vector<Entry> m_entries;                 //!< metrics
    std::map<std::string, std::size_t> m_indices; //!< where they are, by name
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_METRICS_H
