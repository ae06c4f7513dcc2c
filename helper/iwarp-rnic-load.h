/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RNIC_LOAD_H
#define IWARP_RNIC_LOAD_H

#include "iwarp-metrics.h"

#include "ns3/rnic-datapath.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Report how long each part of a receiving RNIC has worked, and what its bus has carried:
 * the operations of RFC 5044 section B.2.1 as times and traffic.
 *
 * A part that the RNIC's kind of receiver lacks is not reported.
 * @param path stages and resources of the RNIC, when the simulation has ended
 * @param metrics where to
 */
void ReportRnicLoad(const RnicDatapath& path, MetricSet& metrics);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RNIC_LOAD_H
