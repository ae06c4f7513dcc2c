/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HARDWARE_QUEUE_H
#define RDMA_HARDWARE_QUEUE_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

class MpaStream;

/**
 * @ingroup iwarp-rdmap
 * @brief The hardware under a queue pair: doorbells, fetched work requests, messages that begin,
 * completions, and host memory.
 *
 * A connection of the node's TcpEndPointTable that offers it makes verbs take time.
 */
class RdmaHardwareQueue
{
  public:
    /**
     * @brief Ring the doorbell, once for all work requests that are posted together.
     * @param count how many of them, at least 1
     * @param payload octets that they send from host memory; 0 for a read or what is local
     * @param inlined the payload is in the work queue elements
     * @param waiting work requests of the queue in front of them that have not begun
     * @return true if the payload comes with the doorbell or the elements: it need not be read
     */
    virtual bool RingDoorbell(uint32_t count, uint64_t payload, bool inlined, uint32_t waiting) = 0;

    /**
     * @brief Begin a message, the one before having begun.
     * @param waiting work requests that have not begun, that of the message among them; 0 if it has
     *        none of its own, such as a Read Response
     * @return time until its first segment can be made, the fetch of the work request included
     */
    virtual Time Begin(uint32_t waiting) = 0;

    /**
     * @brief Begin a work request that sends nothing, but changes who may use which memory, the one
     * before having begun.
     * @param waiting as for Begin()
     * @param pages of memory that it registers; 0 if it does not
     * @return time until that is done, the fetch of the work request included
     */
    virtual Time BeginLocal(uint32_t waiting, uint32_t pages) = 0;

    /// The first segment of a message that takes a posted receive has come.
    virtual void ConsumeReceive() = 0;

    /**
     * @brief A work request is complete, and with it all that was placed so far.
     * @param invalidates it has invalidated an STag when it was done
     * @return time until the application knows
     */
    virtual Time Complete(bool invalidates) = 0;

    /// Find the hardware that carries a stream. @param mpa stream @return it; nullptr if there is
    /// none
    static RdmaHardwareQueue* Of(const MpaStream& mpa);

  protected:
    ~RdmaHardwareQueue() = default;
};

} // namespace ns3

#endif // RDMA_HARDWARE_QUEUE_H
