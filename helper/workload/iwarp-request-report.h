/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_REQUEST_REPORT_H
#define IWARP_REQUEST_REPORT_H

#include "ns3/app-request-totals.h"
#include "ns3/iwarp-metrics.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Report what the requests of clients of storage came to.
 *
 * Rates are those of all clients, from the first request of any to the last response of any.
 * @param prefix of the metrics' names
 * @param clients totals of each
 * @param metrics where to add
 */
void ReportRequests(const std::string& prefix,
                    const std::vector<const RequestTotals*>& clients,
                    MetricSet& metrics);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_REQUEST_REPORT_H
