/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_HOST_VIEW_H
#define MPA_HOST_VIEW_H

#include "mpa-offload.h"

#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief What a program sees of received data in its memory, and when.
 *
 * MPA passes a ULPDU when it has its last octet; hardware below TCP may have to write it into host
 * memory yet. What a program is told of its memory goes through this, in order. It costs an event
 * if there is something to wait for, and nothing otherwise.
 */
class MpaHostView
{
  public:
    /**
     * @brief Tell once all that was placed so far is seen in host memory.
     * @param flow the connection as hardware below TCP keeps it; nullptr if it does not
     * @param owner of this view and of what @p tell needs; kept until then
     * @param tell called without arguments, now or later
     */
    template <typename T, typename F>
    void Tell(const Ptr<MpaOffloadFlow>& flow, Ptr<T> owner, F tell)
    {
        const Time wait = flow ? flow->GetTimeToHost() : Time(0);
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

#endif // MPA_HOST_VIEW_H
