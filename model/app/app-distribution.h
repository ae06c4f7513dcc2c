/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_DISTRIBUTION_H
#define APP_DISTRIBUTION_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <optional>

namespace ns3
{
namespace iwarp
{

/**
 * @brief Tell the mean of a distribution in closed form.
 * @param variable distribution, of which nothing is drawn
 * @return mean; nothing if it is not known: it is of constant, CDF file, uniform, exponential,
 * log-normal and Pareto distributions without bounds
 */
std::optional<double> FindMean(const Ptr<RandomVariableStream>& variable);

/**
 * @brief Tell a quantile of a distribution in closed form.
 * @param variable distribution, of which nothing is drawn
 * @param p more than 0 and less than 1
 * @return the number that this share of what is drawn does not exceed; nothing if it is not known,
 * see FindMean()
 */
std::optional<double> FindQuantile(const Ptr<RandomVariableStream>& variable, double p);

} // namespace iwarp
} // namespace ns3

#endif // APP_DISTRIBUTION_H
