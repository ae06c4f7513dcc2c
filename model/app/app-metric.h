/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_METRIC_H
#define APP_METRIC_H

#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief How the values that several flows, hosts or RNICs have of a metric become one.
enum class MetricMerge : uint8_t
{
    SUM,     //!< they are added
    MAXIMUM, //!< the largest counts
    RATIO,   //!< numerators and denominators are added: a share, or a mean by weight
    SAMPLES, //!< it is computed from the samples of all
    LEVEL,   //!< the levels of all are added at each moment, and followed over time
    RUN,     //!< there is one value only
};

/// @ingroup iwarp-app
/// @brief What a metric is.
struct MetricInfo
{
    std::string name;                    //!< name in snake_case
    std::string unit;                    //!< unit: s, bit/s, octets, share (0 to 1), …
    std::string help;                    //!< what it says
    MetricMerge merge{MetricMerge::SUM}; //!< how several values become one
};

/// @ingroup iwarp-app
/// @brief A number that was measured.
struct AppMetric : MetricInfo
{
    double value{0}; //!< value
};

} // namespace ns3

#endif // APP_METRIC_H
