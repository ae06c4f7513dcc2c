/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_WATCH_H
#define IWARP_WORKLOAD_WATCH_H

#include "ns3/iwarp-flow-collector.h"
#include "ns3/mpa-stream.h"
#include "ns3/nvme-queue.h"
#include "ns3/rdma-application.h"

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Have a collector count what an MPA stream sends. @param collector it; kept as long as the
/// stream @param stream in Full Operation: from here on a segment is one of FPDUs
void WatchMpaSender(Ptr<FlowCollector> collector, Ptr<MpaStream> stream);

/// @ingroup iwarp-helper
/// @brief Have a collector count and time what an MPA stream gets. @param collector it; kept as
/// long as the stream @param stream that gets no FPDUs yet
void WatchMpaReceiver(Ptr<FlowCollector> collector, Ptr<MpaStream> stream);

/// @ingroup iwarp-helper
/// @brief Have a collector count the payload of MpaBulkSender's messages as it is placed. @param
/// collector it; kept as long as the stream @param stream that gets no FPDUs yet
void WatchMpaPayload(Ptr<FlowCollector> collector, Ptr<MpaStream> stream);

/// @ingroup iwarp-helper
/// @brief Have a collector count what a queue of NVMe/TCP sends: its frames are PDUs. @param
/// collector it; kept as long as the queue @param queue of the sender, which sends I/O from here on
void WatchNvmeSender(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue);

/// @ingroup iwarp-helper
/// @brief Have a collector count the PDUs that come to a queue of NVMe/TCP for I/O, and how long
/// they wait. @param collector it; kept as long as the queue @param queue that is open, and that
/// nothing has come to
void WatchNvmePdus(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue);

/// @ingroup iwarp-helper
/// @brief Have a collector count the data that come to a queue of NVMe/TCP, and the segments.
/// @param collector it; kept as long as the queue @param queue of the receiver, which gets no I/O
/// yet
void WatchNvmeReceiver(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue);

/**
 * @ingroup iwarp-helper
 * @brief Have a collector follow one direction of a connection between applications over verbs.
 *
 * Payload is that of RDMA Writes, Read Responses and Sends as it is placed, and the target of
 * Atomic operations.
 * @param collector it; kept as long as the applications
 * @param sender where payload comes from
 * @param receiver where it goes to
 * @param head octets at the head of each Send that are no payload
 */
void WatchApplications(Ptr<FlowCollector> collector,
                       Ptr<RdmaApplication> sender,
                       Ptr<RdmaApplication> receiver,
                       uint32_t head = 0);

/// @ingroup iwarp-helper
/// @brief Have a collector follow where payload of a connection over verbs comes from.
/// @param collector it; kept as long as the connection @param pair its sending end, connected
void WatchSender(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair);

/**
 * @ingroup iwarp-helper
 * @brief Have a collector follow where payload of a connection over verbs goes to, see
 * WatchApplications().
 * @param collector it; kept as long as the connection
 * @param pair its receiving end, connected
 * @param head octets at the head of each Send that are no payload
 */
void WatchReceiver(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair, uint32_t head = 0);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_WATCH_H
