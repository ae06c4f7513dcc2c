/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_WATCH_H
#define IWARP_WORKLOAD_WATCH_H

#include "ns3/iwarp-flow-collector.h"
#include "ns3/rdma-application.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Have a collector follow one direction of a connection between applications over verbs.
 * @param collector it; kept as long as the applications
 * @param sender where payload comes from
 * @param receiver where it goes to
 */
void WatchApplications(Ptr<FlowCollector> collector,
                       Ptr<RdmaApplication> sender,
                       Ptr<RdmaApplication> receiver);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_WATCH_H
