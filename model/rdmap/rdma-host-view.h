/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_VIEW_H
#define RDMA_HOST_VIEW_H

#include "rdma-hardware-queue.h"

#include "ns3/mpa-stream.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief Tells a program what it sees of received data in its memory, when it sees it.
 *
 * MPA passes a ULPDU when it has its last octet; hardware below TCP may have to write it into host
 * memory yet. What a program is told of its memory goes through this, in order. It costs an event
 * if there is something to wait for, and nothing otherwise.
 */
class RdmaHostView
{
  public:
    /**
     * @brief Tell once all that was placed so far is seen in host memory.
     * @param mpa stream that brought it
     * @param owner of this view and of what @p tell needs; kept until then
     * @param tell called without arguments, now or later
     */
    template <typename T, typename F>
    void Notify(const MpaStream& mpa, Ptr<T> owner, F tell)
    {
        const RdmaHardwareQueue* hardware = RdmaHardwareQueue::Of(mpa);
        const Time wait = hardware ? hardware->GetTimeToHost() : Time(0);
        if (m_pending == 0 && wait.IsZero())
        {
            tell();
            return;
        }
        ++m_pending;
        Simulator::Schedule(wait, [this, owner = std::move(owner), tell = std::move(tell)] {
            --m_pending;
            tell();
        });
    }

  private:
    uint64_t m_pending{0}; //!< things that have not been told yet
};

} // namespace ns3

#endif // RDMA_HOST_VIEW_H
