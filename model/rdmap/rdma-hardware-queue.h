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
 * @brief The hardware under a queue pair: doorbells, fetched work requests, completions, and host
 * memory.
 *
 * A connection of the node's TcpEndPointTable that offers it makes verbs take time.
 */
class RdmaHardwareQueue
{
  public:
    /// What came of a doorbell.
    struct Doorbell
    {
        Time wait;           //!< until the hardware begins with the work request
        bool inlined{false}; //!< the doorbell brought the payload along: it need not be read
    };

    /**
     * @brief Ring the doorbell for a work request, posted to a send queue that was empty.
     * @param payload octets that it sends from host memory; 0 for a read or what is local
     * @return what came of it, the fetch of the work request included
     */
    virtual Doorbell RingDoorbell(uint64_t payload) = 0;

    /**
     * @brief A work request is complete, and with it all that was placed so far.
     * @return time until the application knows
     */
    virtual Time Complete() = 0;

    /// Tell how far host memory is behind what has arrived. @return time until an application that
    /// looks at host memory sees all that was placed so far
    virtual Time GetTimeToHost() const = 0;

    /// Find the hardware that carries a stream. @param mpa stream @return it; nullptr if there is
    /// none
    static RdmaHardwareQueue* Of(const MpaStream& mpa);

  protected:
    ~RdmaHardwareQueue() = default;
};

} // namespace ns3

#endif // RDMA_HARDWARE_QUEUE_H
