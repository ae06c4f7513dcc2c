/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RNIC_LOAD_H
#define IWARP_RNIC_LOAD_H

#include "iwarp-metrics.h"

#include "ns3/rnic-datapath.h"

#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Picoseconds in a second: what an RnicTime is divided by where a metric is in seconds.
constexpr double RNIC_SECOND = 1e12;

/// @ingroup iwarp-helper
/// @brief A metric of what a part of a receiving RNIC has done so far.
struct RnicLoad
{
    const char* metric; //!< its name
    double value;       //!< s or octets
    double weight;      //!< what it is over, if it is a mean: engines or CPUs
};

/**
 * @ingroup iwarp-helper
 * @brief Read how long each part of a receiving RNIC has worked, and what its bus has carried: the
 * operations of RFC 5044 section B.2.1 as times and traffic, since the RNIC started.
 *
 * A part that the RNIC's kind of receiver lacks has no metric.
 * @param path stages and resources of the RNIC
 * @return the metrics, always in the same order
 */
std::vector<RnicLoad> ReadRnicLoad(const RnicDatapath& path);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RNIC_LOAD_H
